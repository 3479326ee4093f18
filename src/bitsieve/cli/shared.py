"""What the commands share: messages in the words that the user typed, the options of the binner, notes and results."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from bitsieve.cli.options import OPTIONS, Option, options_of
from bitsieve.diagnostics import NAME_ONLY, Diagnostic, UserError, python_setting, text_of
from bitsieve.utils.messages import BitsieveWarning, one_line

_SILENT = ("sklearn", "scipy", "joblib")  # packages whose warnings are about calls that no user made


class Wording:
    """Messages with a command's options in the place of Python parameters; ``--set`` gives those of ``methods``."""

    def __init__(self, command: str, methods: Sequence[str] = ()) -> None:
        every = [option for options in OPTIONS.values() for option in options]
        self._of_others = _option_by_parameter(every)  # a message may advise another command
        self._own = _option_by_parameter(options_of(command))
        self._methods = methods

    def __call__(self, diagnostic: Diagnostic) -> str:
        """The text of a diagnostic in the words of the command."""
        return text_of(diagnostic, self.setting)

    def reworded(self, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic with its text in the words of the command, for a result that is printed or written."""
        return replace(diagnostic, message=self(diagnostic), advice="", parameters={})

    def setting(self, parameter: str, value: object) -> str:
        """A parameter of Python as the command has it."""
        sign = " "
        if parameter in self._own:
            option = self._own[parameter]
        elif self._is_settable(parameter):
            option, sign = f"--set {parameter}", "="
        elif parameter in self._of_others:
            option = self._of_others[parameter]
        else:
            return python_setting(parameter, value)
        if value is NAME_ONLY or (value is True and sign == " "):  # a flag
            return option
        if value is False and sign == " ":
            return f"--no-{option.removeprefix('--')}"
        if isinstance(value, Mapping):
            values: list[object] = [f"{key}={item}" for key, item in value.items()]
        else:
            values = value if isinstance(value, list) else [value]
        return " ".join(f"{option}{sign}{_shell_word(item)}" for item in values)

    def _is_settable(self, parameter: str) -> bool:
        from bitsieve.methods.registry import parameters_of

        try:
            return any(parameter in parameters_of(method) for method in self._methods)
        except ValueError:  # there is no such method
            return False


def wording_of(options: argparse.Namespace) -> Wording:
    """The words of the command that was typed."""
    values = vars(options)
    methods = [values["method"]] if "method" in values else values.get("methods")
    return Wording(options.command, methods or () if "set" in values else ())


def _option_by_parameter(options: Iterable[Option]) -> dict[str, str]:
    return {parameter: option.name for option in options for parameter in option.parameters.split()}


def _shell_word(value: object) -> str:
    """A value as one types it."""
    return shlex.quote(value) if isinstance(value, str) else str(value)


@contextmanager
def in_words_of(wording: Wording, quiet: bool = False) -> Iterator[None]:
    """Inside the block warnings are lines, and errors are in the words of a command."""
    with warnings.catch_warnings():
        warnings.showwarning = say_nothing if quiet else partial(say_warning, wording=wording)
        try:
            yield
        except UserError as error:
            raise ValueError(wording(error.diagnostic)) from error


def typed_values(arguments: argparse.Namespace) -> dict[str, object]:
    """The options that were typed, by the names of the Python parameters that they give."""
    values: dict[str, object] = {}
    for option in options_of(arguments.command):
        name, parameters = option.name.strip("-").replace("-", "_"), option.parameters.split()
        value = getattr(arguments, name)
        if parameters and value not in (None, []) and (value or option.kind != "flag"):
            values[name if name in parameters else parameters[0]] = value
    if "column_types" in values:
        values["column_types"] = dict(arguments.column_type)
    return values


def show(
    options: argparse.Namespace,
    notes: Iterable[str],
    document: Callable[[], dict[str, Any]],
    text: Callable[[], str],
    saved: Iterable[str] = (),
) -> None:
    """Say the notes, print the result as text or as one JSON document, and say what was saved."""
    for note in notes:
        options.say(f"note: {note}")
    if options.json:
        print_document(document())
    else:
        print(text())
    for line in saved:
        options.say(line)


def check_written(options: argparse.Namespace, **written: Sequence[str]) -> None:
    """Refuse, before any work, paths with a wrong ending and files that are there already."""
    from bitsieve.io.output import check_output

    seen: dict[Path, str] = {}
    for name, endings in written.items():
        path, option = getattr(options, name, None), f"--{name.replace('_', '-')}"
        if path is None:
            continue
        if name == "figure":
            from bitsieve.plots.figures import require_matplotlib

            require_matplotlib()
        if name == "report":
            from bitsieve.report.page import require_report_packages

            require_report_packages()
        for source in sources_of(options) or [None]:
            check_output(path, endings, what=option, source=source)
        if Path(path).exists() and not options.force:
            raise UserError(
                code="output-exists",
                message=f"{option} {path!r} is there already",
                advice="add --force to overwrite it, or give another name",
            )
        first = seen.setdefault(Path(path).absolute(), option)
        if first != option:
            raise UserError(
                code="output-exists",
                message=f"{first} and {option} are the same file {path!r}",
                advice="give one of them another name",
            )


def sources_of(options: argparse.Namespace) -> list[Any]:
    """The files of DATA."""
    return options.data if isinstance(options.data, list) else [options.data] if options.data is not None else []


def made_by(options: argparse.Namespace) -> dict[str, Any]:
    """Of a command: the files that it wrote, and its seconds."""
    start: float = options.start
    files = {
        name: vars(options)[name]
        for name in ("output", "output_ranking", "output_columns", "report", "save")
        if name in options
    }
    return {**files, "seconds": round(time.perf_counter() - start, 3)}


def print_document(document: Mapping[str, Any]) -> None:
    """One JSON document to standard output; what its encoding lacks is escaped as JSON has it."""
    from bitsieve import __version__

    has_all = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8")
    with_version = {**document, "version": __version__}
    print(json.dumps(with_version, indent=2, ensure_ascii=not has_all, allow_nan=False))


def say(message: str) -> None:
    """A line to standard error."""
    print(f"bitsieve: {message}", file=sys.stderr)


def say_warning(message: Warning, category: type[Warning], filename: str, *_: Any, wording: Wording, **__: Any) -> None:
    """A warning as a line to standard error, in the place of :func:`warnings.showwarning`; none of scikit-learn's."""
    packages = {category.__module__.partition(".")[0], *Path(filename).parts}
    if packages.isdisjoint(_SILENT):
        text = wording(message.diagnostic) if isinstance(message, BitsieveWarning) else str(message)
        say(f"warning: {one_line(text)}")


def say_nothing(*_: Any, **__: Any) -> None:
    """What --quiet makes of a note."""
