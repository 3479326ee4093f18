"""The parser of a command: its errors are one line, and what runs it is imported when it is called."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from bitsieve.common.messages import one_line

if TYPE_CHECKING:
    from collections.abc import Callable


class UsageError(ValueError):
    """The command line itself is wrong."""


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors are one line, as all errors here are."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{one_line(message)} (see {self.prog} --help)")


Commands: TypeAlias = "argparse._SubParsersAction[CommandParser]"


def add_command(commands: Commands, name: str, **said: Any) -> Callable[..., object]:
    """Add a command, which the module of its name runs; what adds arguments to it is returned.

    The module is imported when the command is called, so that help comes at once.
    """

    def run(options: argparse.Namespace) -> int:
        code: int = import_module(f"bitsieve.cli.{name.replace('-', '_')}").run(options)
        return code

    parser = commands.add_parser(name, allow_abbrev=False, **said)
    parser.set_defaults(run=run)
    return parser.add_argument
