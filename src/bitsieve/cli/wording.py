"""Messages in the words of the command line: options in place of the parameters of Python."""

from __future__ import annotations

import argparse
import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from bitsieve.cli.options import Option, all_options, options_of
from bitsieve.diagnostics import NAME_ONLY, Diagnostic, UserError, python_setting, text_of, with_settings
from bitsieve.utils.messages import one_line
from bitsieve.utils.note_warnings import BitsieveWarning
from bitsieve.utils.terminal_text import printable_lines

#: Packages whose warnings are not shown: the user did not call them.
SILENT_PACKAGES = ("sklearn", "scipy", "joblib")


class Wording:
    """Writes diagnostics with the options of a command in place of parameters of Python.

    A parameter of ``methods`` or of the stopping rule that has no option of its own is written as ``--set NAME=VALUE``.
    """

    def __init__(self, command: str, methods: Sequence[str] = (), stopping: str | None = None) -> None:
        self._option_of_any_command = _option_by_parameter(all_options())  # a message may advise another command
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
            return "--target" if value is NAME_ONLY else f"--target {_shell_word(value)}"
        if parameter in self._option_of_command:
            return _typed_option(self._option_of_command[parameter], value)
        if self._is_settable(parameter):
            return f"--set {parameter}" if value is NAME_ONLY else f"--set {parameter}={setting_text(value)}"
        if parameter in self._option_of_any_command:
            return _typed_option(self._option_of_any_command[parameter], value)
        return python_setting(parameter, value)

    def _is_settable(self, parameter: str) -> bool:
        """Whether ``--set`` takes the parameter."""
        from bitsieve.cli.set_values import NYSTROM
        from bitsieve.methods.by_counts.stopping import STOPPING_RULES
        from bitsieve.methods.registry import parameters_of

        rule = self._stopping
        if rule is not None and rule in STOPPING_RULES and parameter in signature(STOPPING_RULES[rule]).parameters:
            return True
        method_parameter = "approximation" if parameter in NYSTROM else parameter
        try:
            return any(method_parameter in parameters_of(method) for method in self._methods)
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
    name_of_parameter = {}
    for option in options:
        for parameter in option.parameters.split():
            name_of_parameter[parameter] = option.name
    return name_of_parameter


def _typed_option(option: str, value: object) -> str:
    """An option with its value, repeated for each item of a list or mapping; a bool is a flag."""
    if value is NAME_ONLY or value is True:
        return option
    if value is False:
        return f"--no-{option.removeprefix('--')}"
    values: list[object]
    if isinstance(value, Mapping):
        values = []
        for column, item in value.items():
            items = item if isinstance(item, list) else [item]
            values += [f"{column}={column_value}" for column_value in items]
    elif isinstance(value, list):
        values = value
    else:
        values = [value]
    return " ".join(f"{option} {_shell_word(item)}" for item in values)


def setting_text(value: object) -> str:
    """The value of a parameter as --set takes it: columns between commas, with their numbers behind colons."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return _shell_word(",".join(f"{column}:{item}" for column, item in value.items()))
    if isinstance(value, list | tuple):
        return _shell_word(",".join(map(str, value)))
    return _shell_word(value)


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
