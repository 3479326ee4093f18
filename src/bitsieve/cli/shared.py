"""What the commands share: messages in the words of the command line, checks of output files, printed results."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from bitsieve.cli.options import OPTIONS, Option, options_of
from bitsieve.diagnostics import NAME_ONLY, Diagnostic, UserError, python_setting, text_of, with_settings
from bitsieve.utils.messages import one_line
from bitsieve.utils.note_lines import as_lines, by_importance
from bitsieve.utils.note_warnings import BitsieveWarning
from bitsieve.utils.terminal_text import printable_lines

#: Packages whose warnings are not shown: the user did not call them.
SILENT_PACKAGES = ("sklearn", "scipy", "joblib")


class Wording:
    """Writes diagnostics with the options of a command in place of parameters of Python.

    A parameter of ``methods`` or of the stopping rule that has no option of its own is written as ``--set NAME=VALUE``.
    """

    def __init__(self, command: str, methods: Sequence[str] = (), stopping: str | None = None) -> None:
        all_options = [option for options in OPTIONS.values() for option in options]
        self._option_of_any_command = _option_by_parameter(all_options)  # a message may advise another command
        self._option_of_command = _option_by_parameter(options_of(command))
        self._methods = methods
        self._stopping = stopping

    def __call__(self, diagnostic: Diagnostic) -> str:
        """The text of a diagnostic in the words of the command."""
        return text_of(diagnostic, self.setting)

    def reworded(self, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic with its text in the words of the command, for a result that is printed or written."""
        return with_settings(diagnostic, self.setting)

    def setting(self, parameter: str, value: object) -> str:
        """A parameter and its value as one types them: ``("include", ["a", "b"])`` is ``--include a --include b``."""
        if parameter == "target":
            return f"--target {_shell_word(value)}"
        if parameter in self._option_of_command:
            return _typed_option(self._option_of_command[parameter], value)
        if self._is_settable(parameter):
            return f"--set {parameter}" if value is NAME_ONLY else f"--set {parameter}={_shell_word(value)}"
        if parameter in self._option_of_any_command:
            return _typed_option(self._option_of_any_command[parameter], value)
        return python_setting(parameter, value)

    def _is_settable(self, parameter: str) -> bool:
        """Whether ``--set`` takes the parameter."""
        from bitsieve.methods.by_counts.stopping import STOPPING_RULES
        from bitsieve.methods.registry import parameters_of

        if self._stopping in STOPPING_RULES and parameter in signature(STOPPING_RULES[self._stopping]).parameters:
            return True
        try:
            return any(parameter in parameters_of(method) for method in self._methods)
        except ValueError:  # there is no such method
            return False


def wording_of(options: argparse.Namespace) -> Wording:
    """The wording of the command that was typed."""
    if "set" not in options:
        return Wording(options.command)
    if "method" in options:
        return Wording(options.command, [options.method], options.stop)
    return Wording(options.command, options.methods or ())


def _option_by_parameter(options: Iterable[Option]) -> dict[str, str]:
    return {parameter: option.name for option in options for parameter in option.parameters.split()}


def _typed_option(option: str, value: object) -> str:
    """An option with its value, repeated for each item of a list or mapping; a bool is a flag."""
    if value is NAME_ONLY or value is True:
        return option
    if value is False:
        return f"--no-{option.removeprefix('--')}"
    if isinstance(value, Mapping):
        values: list[object] = [f"{key}={item}" for key, item in value.items()]
    elif isinstance(value, list):
        values = value
    else:
        values = [value]
    return " ".join(f"{option} {_shell_word(item)}" for item in values)


def _shell_word(value: object) -> str:
    """A value as one types it in a shell."""
    return shlex.quote(value) if isinstance(value, str) else str(value)


@contextmanager
def in_words_of(wording: Wording, quiet: bool = False) -> Iterator[None]:
    """Inside the block, warnings are printed in a line and errors are raised anew, both in the words of a command."""
    with warnings.catch_warnings():
        warnings.showwarning = say_nothing if quiet else partial(say_warning, wording=wording)
        try:
            yield
        except UserError as error:
            raise ValueError(wording(error.diagnostic)) from error


def typed_values(arguments: argparse.Namespace) -> dict[str, object]:
    """The values of the options that were typed, by the name of the Python parameter of each."""
    values: dict[str, object] = {}
    for option in options_of(arguments.command):
        name = option.name.strip("-").replace("-", "_")
        parameters = option.parameters.split()
        value = getattr(arguments, name)
        is_typed = value not in (None, []) and not (option.kind == "flag" and value is False)
        if parameters and is_typed:
            parameter = name if name in parameters else parameters[0]
            values[parameter] = value
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
    """Print the notes, then the result as text or as one JSON document, then what was saved."""
    for note in notes:
        options.say(f"note: {note}")
    if options.json:
        print_document(document())
    else:
        print(text())
    for line in saved:
        options.say(line)


def note_lines(arguments: argparse.Namespace, diagnostics: Sequence[Diagnostic]) -> list[str]:
    """The notes in the words of the command: all in full with --verbose, else at most three lines."""
    if arguments.verbose:
        return [arguments.wording(diagnostic) for diagnostic in by_importance(diagnostics)]
    return [line.message for line in as_lines(diagnostics, arguments.wording.setting, where_all="-v")]


def check_written(options: argparse.Namespace, **endings_by_name: Sequence[str]) -> None:
    """Refuse, before any work, output files with a wrong ending and those that exist.

    ``output=(".csv",)``: the file of --output, if it is given, may end in .csv.
    """
    from bitsieve.io.output import check_output

    option_by_path: dict[Path, str] = {}
    for name, endings in endings_by_name.items():
        path = getattr(options, name, None)  # not every command has all of these options
        if path is None:
            continue
        option = f"--{name.replace('_', '-')}"
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
        first_option = option_by_path.setdefault(Path(path).absolute(), option)
        if first_option != option:
            raise UserError(
                code="output-exists",
                message=f"{first_option} and {option} are the same file {path!r}",
                advice="give one of them another name",
            )


def sources_of(options: argparse.Namespace) -> list[Any]:
    """The files of DATA; none if saved counts are given instead."""
    if options.data is None:
        return []
    return options.data if isinstance(options.data, list) else [options.data]


def made_by(options: argparse.Namespace) -> dict[str, Any]:
    """What a JSON document says of the run: the files that were written, and the seconds that it took."""
    start: float = options.start
    run: dict[str, Any] = {}
    for name in ("output", "output_ranking", "output_columns", "report", "save"):
        if name in options:
            run[name] = getattr(options, name)
    run["seconds"] = round(time.perf_counter() - start, 3)
    return run


def print_document(document: Mapping[str, Any]) -> None:
    """Print a JSON document. What controls a terminal is escaped, and what the encoding of the output does not have."""
    from bitsieve import __version__

    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    is_utf8 = encoding.lower().replace("_", "-") in ("utf-8", "utf8")
    with_version = {**document, "version": __version__}
    text = json.dumps(with_version, indent=2, ensure_ascii=not is_utf8, allow_nan=False)
    print("\n".join(map(_json_escaped, text.split("\n"))))


def _json_escaped(line: str) -> str:
    """A line of JSON with the letters that are not printed, such as signs of direction, as JSON escapes them."""
    if line.isprintable():
        return line
    return "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in line)


def say(message: str) -> None:
    """Print a line to standard error. What controls a terminal is escaped."""
    print(printable_lines(f"bitsieve: {message}"), file=sys.stderr)


def say_warning(message: Warning, category: type[Warning], filename: str, *_: Any, wording: Wording, **__: Any) -> None:
    """Print a warning in a line, in place of :func:`warnings.showwarning`; those of silent packages are dropped."""
    packages = {category.__module__.partition(".")[0], *Path(filename).parts}
    if not packages.isdisjoint(SILENT_PACKAGES):
        return
    text = wording(message.diagnostic) if isinstance(message, BitsieveWarning) else str(message)
    say(f"warning: {one_line(text)}")


def say_nothing(*_: Any, **__: Any) -> None:
    """Print nothing: the notes and warnings of a command with --quiet."""
