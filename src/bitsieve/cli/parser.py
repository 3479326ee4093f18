"""The parser of the command line, made of the table of options; its errors are one line, as all errors here are."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NoReturn

from bitsieve.cli.options import COMMANDS, DESCRIPTION, MOVED, PROGRAM, options_of
from bitsieve.common.messages import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bitsieve.cli.options import Kind, Option


class UsageError(ValueError):
    """The command line itself is wrong."""


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{one_line(message)} (see {self.prog} --help)")


class _Version(argparse.Action):
    def __call__(self, *_: object) -> NoReturn:
        from bitsieve import __version__

        print(f"{PROGRAM} {__version__}")
        raise SystemExit(0)


def make_parser() -> CommandParser:
    """The parser of the whole command line; ``command`` of what it reads is the name of the command to run."""
    parser = CommandParser(prog=PROGRAM, allow_abbrev=False, description=DESCRIPTION)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=CommandParser)
    for name, run, text, description, epilog in COMMANDS:
        command = commands.add_parser(name, allow_abbrev=False, help=text, description=description, epilog=epilog)
        command.set_defaults(run=run)
        for option in options_of(name):
            command.add_argument(option.name, **settings(option))
    return parser


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """What the arguments ask for.

    Raises
    ------
    UsageError
        If they are no command line of this program.
    """
    if arguments and arguments[0] in MOVED:
        command = " ".join([MOVED[arguments[0]], *arguments[1:]])
        raise UsageError(f"{arguments[0]!r} has moved: run {command!r} in a checkout of {PROGRAM}")
    parser = make_parser()
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        command = f"{PROGRAM} {options.command}" if options.command else PROGRAM
        raise UsageError(f"unrecognized arguments: {' '.join(unknown)} (see {command} --help)")
    if options.command is None:
        parser.print_help()
    return options


def settings(option: Option) -> dict[str, Any]:
    """What argparse takes for an option."""
    metavar, reading = KINDS[option.kind]
    found: dict[str, Any] = {"help": option.help, **reading}
    if (option.metavar or metavar) and not option.choices:
        found["metavar"] = option.metavar or metavar
    if option.choices:
        found["choices"] = option.choices
    if option.default is not None:
        found["default"] = option.default
    if option.form == "repeated":
        found["action"] = "append"
    if option.name.startswith("-"):
        found["required"] = option.form == "required"
    elif option.form == "optional":
        found["nargs"] = "?"
    return found


def names(text: str) -> list[str]:
    """Names between commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def folds(text: str) -> int | str:
    """A number of folds, or "loo"."""
    return int(text) if text.isdecimal() else text


def numbers(text: str) -> list[int] | range:
    """A range or a list of numbers of features."""
    try:
        if ":" not in text:
            found: list[int] | range = [int(part) for part in text.split(",")]
        else:
            first, last, *step = (int(part) for part in text.split(":"))
            found = range(first, last + 1, *step)
    except (ValueError, TypeError):
        found = []
    if not found or min(found) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no range: give FROM:TO, as 10:100, or a list, as 5,10,20")
    return found


def count(text: str) -> int:
    """A whole number, at least 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no count: give a whole number, at least 1")
    return number


def classes(text: str) -> int | str:
    """A number of intervals, or "none"."""
    return text if text == "none" else count(text)


def assignment(text: str) -> tuple[str, object]:
    """A parameter and its value."""
    name, _, value = (part.strip() for part in text.partition("="))
    if not (name and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE: give for example beta=0.5")
    for read in (int, float):
        try:
            return name, read(value)
        except ValueError:
            continue
    return name, {"true": True, "false": False, "none": None}.get(value.lower(), value)


def how_many(text: str) -> int | float | str:
    """A number, a share, or "auto"."""
    if text == "auto":
        return text
    try:
        share = float(text)
        return share if 0 < share < 1 else count(text)
    except (ValueError, argparse.ArgumentTypeError):
        allowed = "a whole number from 1, a share between 0 and 1, or auto"
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed: give {allowed}") from None


#: Of each kind of value: its name in the help, and what argparse takes to read it.
KINDS: Mapping[Kind, tuple[str | None, Mapping[str, Any]]] = {
    "text": (None, {}),
    "column": ("COLUMN", {}),
    "columns": ("COLUMN", {"nargs": "+"}),
    "name": ("NAME", {}),
    "names": ("A,B,...", {"type": names}),
    "file": ("FILE", {}),
    "folder": ("DIR", {}),
    "integer": ("N", {"type": int}),
    "count": ("N", {"type": count}),
    "number": (None, {"type": float}),
    "how many": ("K", {"type": how_many}),
    "range": ("FROM:TO[:STEP]", {"type": numbers}),
    "folds": ("N", {"type": folds}),
    "classes": ("N", {"type": classes}),
    "assignment": ("NAME=VALUE", {"type": assignment}),
    "flag": (None, {"action": "store_true"}),
    "on or off": (None, {"action": argparse.BooleanOptionalAction}),
}
