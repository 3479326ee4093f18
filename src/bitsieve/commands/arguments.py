"""What the command line takes: every command and its options."""

from __future__ import annotations

import argparse
from typing import NoReturn

from bitsieve.commands.arguments_judging import add_compare, add_how_many
from bitsieve.commands.arguments_selecting import add_count, add_explain, add_select
from bitsieve.commands.command_parser import CommandParser, add_command
from bitsieve.commands.shared_arguments import add_shared


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; its options name the command to run."""
    parser = CommandParser(
        prog="bitsieve", allow_abbrev=False, description="Feature selection by information, exact and in bits."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=CommandParser)
    add_select(commands)
    add_explain(commands)
    add_count(commands)
    add_how_many(commands)
    add_compare(commands)
    add_shared(add_command(commands, "methods", help="list every method, its paper and what it needs"), "--json")
    return parser


class _Version(argparse.Action):
    def __call__(self, *_: object) -> NoReturn:
        from bitsieve import __version__

        print(f"bitsieve {__version__}")
        raise SystemExit(0)
