"""The parser of a command: its errors are one line, and what runs it is imported when it is called."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from bitsieve.common.messages import one_line

if TYPE_CHECKING:
    from collections.abc import Callable


class UsageError(ValueError):
    """The command line itself is wrong."""


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors are one line, as all errors here are."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{one_line(message)} (see {self.prog} --help)")


def run_of(command: str) -> Callable[[argparse.Namespace], int]:
    """The function ``run`` of a command, imported when it is called, so that help comes at once."""

    def run(options: argparse.Namespace) -> int:
        code: int = import_module(f"bitsieve.commands.{command}").run(options)
        return code

    return run
