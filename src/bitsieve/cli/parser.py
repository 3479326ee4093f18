"""What the command line takes: every command and its options."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn

from bitsieve.cli.argument_types import names
from bitsieve.cli.arguments_judging import add_compare, add_how_many
from bitsieve.cli.arguments_selecting import add_count, add_explain, add_select
from bitsieve.cli.command_parser import CommandParser, add_command
from bitsieve.cli.shared_arguments import add_shared

if TYPE_CHECKING:
    from bitsieve.cli.command_parser import Commands


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
    _add_reproduce(commands)
    return parser


class _Version(argparse.Action):
    def __call__(self, *_: object) -> NoReturn:
        from bitsieve import __version__

        print(f"bitsieve {__version__}")
        raise SystemExit(0)


def _add_reproduce(commands: Commands) -> None:
    add = add_command(
        commands,
        "reproduce",
        help="compute a table or a figure of a paper anew",
        description="Compute a table or a figure of a paper anew. Without --figure or --table: list what there is.",
    )
    add("paper", metavar="PAPER", help="gao2016, vinh2014, yasaei, zhai2012, zhang-hancock")
    add("--figure", metavar="NAME", help="which figure, such as 3")
    add("--table", metavar="NAME", help="which table")
    add("--output", metavar="FILE", help="save the figure; .png, .svg, .pdf (needs bitsieve[report]); or all in .json")
    add("--data-dir", metavar="DIR", help="the directory with the public data sets, for what needs some")
    add("--sets", type=names, metavar="A,B,...", help="of the data sets, only these")
    add("--protocol", metavar="NAME", help="paper: as published (default); nested: ranked inside each fold as well")
    add_shared(add, "--json", "--seed", "--threads")
