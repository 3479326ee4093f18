"""The parser of the command line, made from the table of options. Its errors are one line."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from bitsieve.cli.options import (
    COMMANDS,
    COMMON,
    DESCRIPTION,
    DRIFT,
    LACKING,
    MOVED,
    OPTIONS,
    PROGRAM,
    Kind,
    Option,
    options_of,
)
from bitsieve.io.address_text import is_postgres, with_relation
from bitsieve.io.errors import matching_files

_FILE_OR_ADDRESS = re.compile(r"[./\\*?]")  # what a path, a pattern or an address has, and few columns
_NEXT_ASSIGNMENT = re.compile(r", *(?=[^,=]+=)")  # the comma of "p_by=shuffles,n_shuffles=500"


class UsageError(ValueError):
    """The command line itself is wrong.

    ``option`` is the word that is wrong, if it is that of an option. If its value is not allowed, ``allowed_value`` is
    one that is, if the option has a list of them. If there is no such option, ``other_option`` is the one that is
    meant, or ``parameter`` the parameter of a method that ``--set`` takes, if one is like it.
    """

    def __init__(
        self,
        message: str,
        option: str | None = None,
        *,
        allowed_value: str | None = None,
        other_option: str | None = None,
        parameter: str | None = None,
    ) -> None:
        super().__init__(message)
        self.option = option
        self.allowed_value = allowed_value
        self.other_option = other_option
        self.parameter = parameter


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        from bitsieve.utils.messages import one_line  # not needed for help

        raise UsageError(f"{one_line(message)} (see {self.prog} --help)")

    def _get_value(self, action: argparse.Action, text: str) -> Any:
        if action.type is assignment:
            self._refuse_several_assignments(action.option_strings[-1], text)
        try:
            return super()._get_value(action, text)
        except argparse.ArgumentError as error:
            from bitsieve.utils.messages import one_line

            option = action.option_strings[-1] if action.option_strings else None
            raise UsageError(f"{one_line(error)} (see {self.prog} --help)", option) from None

    def _refuse_several_assignments(self, option: str, text: str) -> None:
        """Refuse NAME=VALUE,NAME=VALUE after one option."""
        assignments = _NEXT_ASSIGNMENT.split(text)
        if len(assignments) > 1 and "=" in assignments[0]:  # else the comma is in the name of a column
            typed = " ".join(f"{option} {item}" for item in map(shlex.quote, assignments))
            self.error(f"{option} {text!r} holds {len(assignments)} settings: write {typed}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            from bitsieve.utils.messages import advice_on_choice, nearest

            what = action.option_strings[-1] if action.option_strings else action.dest
            first = "; the command comes first, then data and options" if what == "command" else ""
            message = f"there is no {what} {value!r}: {advice_on_choice(str(value), action.choices)}{first}"
            if not action.option_strings:
                self.error(message)
            names = list(action.choices)
            allowed_value = (nearest(str(value), names, limit=1) or names)[0]
            raise UsageError(f"{message} (see {self.prog} --help)", what, allowed_value=allowed_value)


class _Help(argparse.HelpFormatter):
    """Help that names the value of an option once."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        text = super()._format_action_invocation(action)
        short, _, long = text.partition(", ")
        return f"{short.split()[0]}, {long}" if action.nargs != 0 and len(action.option_strings) == 2 else text


class _Version(argparse.Action):
    def __call__(self, *_: object) -> NoReturn:
        from bitsieve import __version__

        print(f"{PROGRAM} {__version__}")
        raise SystemExit(0)


class _Once(argparse.Action):
    """An option that is given once."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, value: Any, *_: object) -> None:
        before = getattr(namespace, self.dest)
        if before is not None:
            parser.error(f"{self.option_strings[-1]} is given twice, as {before!r} and as {value!r}: give one")
        setattr(namespace, self.dest, value)


def make_parser(*commands_with_options: str) -> CommandParser:
    """The parser of the command line. It knows every command by name, and the options of ``commands_with_options``.

    The name of the command is ``command`` in its result.
    """
    parser = CommandParser(prog=PROGRAM, allow_abbrev=False, description=DESCRIPTION)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND", parser_class=CommandParser)
    for command in COMMANDS:
        parser_of_command = commands.add_parser(
            command.name,
            allow_abbrev=False,
            add_help=False,
            help=command.help,
            description=command.description,
            epilog=command.epilog,
            formatter_class=_Help,
        )
        parser_of_command.set_defaults(run=command.run)
        if command.name in commands_with_options:
            _add_options(parser_of_command, command.name)
    return parser


def _add_options(parser: CommandParser, command: str) -> None:
    """Add the options of a command in groups: first those that most people need, then the others by heading."""
    options_of_command = options_of(command)
    usage = [option.metavar or option.kind.upper() for option in options_of_command if not option.name.startswith("-")]
    for option in options_of_command:
        is_target_of_data = option.name == "--target" and command != DRIFT  # drift may go without a target
        if is_target_of_data or (option.form == "required" and option.name.startswith("-")):
            usage.append(f"{option.name} {KINDS[option.kind][0]}")
    parser.usage = " ".join([f"{PROGRAM} {command}", *usage, "[options]"])
    common = [option for option in options_of_command if option.name in COMMON]
    common.sort(key=lambda option: COMMON.index(option.name))
    groups: dict[str, Sequence[Option]] = {"common options": common}
    for heading, options_under_heading in OPTIONS.items():
        groups[heading.lower()] = [
            option for option in options_under_heading if option in options_of_command and option not in common
        ]
    for title, options in groups.items():
        group = parser.add_argument_group(title)
        if options is common:
            group.add_argument("-h", "--help", action="help", help="print this help and exit")
        for option in options:
            spellings = [option.short, option.name] if option.short else [option.name]
            group.add_argument(*spellings, **settings(option))


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the arguments. Raises UsageError if they are wrong."""
    if arguments and arguments[0] in MOVED:
        command = " ".join([MOVED[arguments[0]], *arguments[1:]])
        raise UsageError(f"{arguments[0]!r} has moved: run {command!r} in a checkout of {PROGRAM}")
    names_of_commands = [command.name for command in COMMANDS]
    typed_commands = [word for word in arguments if word in names_of_commands]
    parser = make_parser(*typed_commands[:1])
    options, unknown = parser.parse_known_args(arguments)
    _take_unknown(options, unknown)
    if options.command is None:
        parser.print_help()
        return options
    if "data" in options:
        _take_files(options, arguments)
    _refuse_missing_options(options)
    if getattr(options, "table", None) is not None:
        _add_table(options)
    if getattr(options, "query", None) is not None:
        _add_query(options)
    return options


def _take_unknown(options: argparse.Namespace, unknown: list[str]) -> None:
    """Take words that argparse did not know as further files of DATA. Refuse options, with the one that is meant."""
    if not unknown:
        return
    unknown_options = [word.partition("=")[0] for word in unknown if word.startswith("-")]
    if "data" in options and not unknown_options:
        options.data += unknown
        return
    advice = f"(see {_program(options)} --help)"
    for unknown_option in unknown_options:
        proposed = _option_meant(unknown_option, options)
        if (options.command, unknown_option) in LACKING:
            raise UsageError(f"{unknown_option}: {LACKING[options.command, unknown_option]}")
        other_commands = _commands_with(unknown_option)
        is_beginning = proposed is not None and proposed.startswith(unknown_option)
        if options.command is not None and other_commands and not is_beginning:
            listed = ", ".join(other_commands)
            raise UsageError(f"{options.command} has no option {unknown_option}: it is one of {listed} {advice}")
        if proposed is None:
            continue
        message = f"there is no option {unknown_option}: did you mean {proposed}? {advice}"
        if proposed in ("--help", "--version"):
            raise UsageError(message)
        if proposed.startswith("--set "):
            raise UsageError(message, unknown_option, parameter=_as_parameter(unknown_option))
        raise UsageError(message, unknown_option, other_option=proposed)
    if unknown_options:
        raise UsageError(f"there is no option {' and no '.join(unknown_options)} {advice}")
    raise UsageError(f"unrecognized arguments: {' '.join(unknown)} {advice}")


def _take_files(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    """Replace the words of DATA by the file that they name, or by a list of several files."""
    no_files = [word for word in options.data if not os.path.lexists(word)]
    if len(no_files) < len(options.data):
        _refuse_further_columns(options, arguments, no_files)
    if no_files and getattr(options, "methods", None) and not any("." in word for word in no_files):
        raise UsageError(f"{no_files[0]!r} is no file: if it is a method, add it by a comma, as --methods mim,jmi")
    if no_files and os.path.lexists(getattr(options, "feature", None) or ""):
        raise UsageError(f"{options.feature!r} is a file: give the column first, then the file")
    options.data = data_of(options.data)


def _refuse_further_columns(options: argparse.Namespace, arguments: Sequence[str], no_files: Sequence[str]) -> None:
    """Refuse a second column after an option that takes one, as ``--exclude a b``, which would be taken for a file."""
    repeated = [item for item in options_of(options.command) if item.kind == "column" and item.form == "repeated"]
    name_of_spelling = {item.name: item.name for item in repeated}
    name_of_spelling.update({item.short: item.name for item in repeated})
    for spelling, column, word in zip(arguments, arguments[1:], arguments[2:], strict=False):
        if spelling in name_of_spelling and word in no_files and not _FILE_OR_ADDRESS.search(word):
            name = name_of_spelling[spelling]
            both = f"{name} {shlex.quote(column)} {name} {shlex.quote(word)}"
            raise UsageError(f"there is no file {word!r}: if it is a column, write {both}")


def _refuse_missing_options(options: argparse.Namespace) -> None:
    """Refuse a command line without its data or without an option that the command needs."""
    missing = []
    if "data" in options and options.data is None and "counts" not in options:
        missing.append("DATA")
    for option in options_of(options.command):
        is_required_option = option.form == "required" and option.name.startswith("-")
        if is_required_option and getattr(options, _as_parameter(option.name)) is None:
            missing.append(option.name)
    if options.command == "count" and options.save is None and options.vocabulary is None:
        missing.append("--save or --vocabulary")
    if missing:
        listed = ", ".join(missing)
        raise UsageError(f"the following arguments are required: {listed} (see {_program(options)} --help)")


def _add_table(options: argparse.Namespace) -> None:
    """Add the name of --table to the path of DATA."""
    if not isinstance(options.data, str):
        raise UsageError("--table is the table of one database or workbook: give one as DATA")
    if is_postgres(options.data):
        options.data = with_relation(options.data, options.table)
    else:
        options.data = f"{options.data}/{options.table}"


def _add_query(options: argparse.Namespace) -> None:
    """Add the query of --query to the address of DATA."""
    if options.table is not None:
        raise UsageError("--query and --table exclude each other")
    if not isinstance(options.data, str) or not is_postgres(options.data):
        raise UsageError("--query is for a server: give DATA as postgresql://USER@HOST/DATABASE")
    options.data = with_relation(options.data, f"({options.query})")


def _program(options: argparse.Namespace) -> str:
    """The program and the command, if one was typed."""
    return f"{PROGRAM} {options.command}" if options.command else PROGRAM


def _option_meant(unknown_option: str, options: argparse.Namespace) -> str | None:
    """The option of the command, or the setting of its methods, that somebody may have meant by an unknown one."""
    from bitsieve.cli.build import settable_names
    from bitsieve.utils.parameter_names import right_name

    options_of_command = [option for option in options_of(options.command or "") if option.name.startswith("-")]
    option_by_name = {_as_parameter(option.name): option.name for option in options_of_command}
    option_by_name["help"] = "--help"
    if options.command is None:
        option_by_name["version"] = "--version"
    for option in options_of_command:
        for parameter in option.parameters.split():
            option_by_name.setdefault(parameter, option.name)

    name = _as_parameter(unknown_option)
    if name in option_by_name:
        return option_by_name[name]
    if "set" in options and name in settable_names(options):
        return f"--set {name}=VALUE"
    proposed = right_name(name, option_by_name)
    return None if proposed is None else option_by_name[proposed]


def _commands_with(name: str) -> list[str]:
    """The commands that have the option."""
    commands = []
    for command in COMMANDS:
        names = [option.name for option in options_of(command.name)]
        if name in names:
            commands.append(command.name)
    return commands


def _as_parameter(option: str) -> str:
    """The name of an option as Python would write it."""
    return option.lstrip("-").replace("-", "_").lower()


def data_of(words: Sequence[str]) -> str | list[str] | None:
    """The file that is named, or a list of several; a pattern stands for the files that match. None: no file."""
    paths: list[str] = []
    for word in words:
        matches = matching_files(word)
        paths += [word] if matches is None else map(str, matches)
    if not paths:
        return None
    return paths if len(paths) > 1 else paths[0]


def settings(option: Option) -> dict[str, Any]:
    """The arguments of ``add_argument`` for an option."""
    metavar, reading = KINDS[option.kind]
    keywords: dict[str, Any] = {"help": option.help, **reading}
    if (option.metavar or metavar) and not option.choices:
        keywords["metavar"] = option.metavar or metavar
    if option.choices:
        keywords["choices"] = option.choices
    if option.default is not None:
        keywords["default"] = option.default
    if option.form == "repeated":
        keywords["action"] = "append"
    if option.form == "required" and option.name.startswith("-"):
        keywords["action"] = _Once
    return keywords


def names(text: str) -> list[str]:
    """Names between commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def folds(text: str) -> int | str:
    """A number of folds, or "loo"."""
    return int(text) if text.isdecimal() else text


def numbers(text: str) -> list[int] | range:
    """A range of numbers, 10:100 or 10:100:5, or a list of numbers, 5,10,20."""
    requested: list[int] | range
    try:
        if ":" in text:
            first, last, *step = (int(part) for part in text.split(":"))
            requested = range(first, last + 1, *step)
        else:
            requested = [int(part) for part in text.split(",")]
    except (ValueError, TypeError):
        requested = []
    if not requested or min(requested) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no range: give FROM:TO, as 10:100, or a list, as 5,10,20")
    return requested


def count(text: str) -> int:
    """A whole number, at least 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed: give a whole number of 1 or more")
    return number


def classes(text: str) -> int | str:
    """A number of intervals, or "none"."""
    return text if text == "none" else count(text)


def assignment(text: str) -> tuple[str, object]:
    """A parameter and its value: an int, a float, a bool, None or text."""
    name, _, value = (part.strip() for part in text.partition("="))
    if not (name and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE: write it as beta=0.5 or zip=category")
    for number_type in (int, float):
        try:
            return name, number_type(value)
        except ValueError:
            continue
    words = {"true": True, "false": False, "none": None}
    return name, words.get(value.lower(), value)


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


#: Kind of value to its name in the help, and to the arguments of ``add_argument`` that read it.
KINDS: Mapping[Kind, tuple[str | None, Mapping[str, Any]]] = {
    "text": (None, {}),
    "data": ("DATA", {"nargs": "*"}),
    "column": ("COLUMN", {}),
    "columns": ("COLUMN", {"nargs": "+"}),
    "name": ("NAME", {}),
    "names": ("A,B,...", {"type": names}),
    "query": ("QUERY", {}),
    "file": ("FILE", {}),
    "folder": ("DIR", {}),
    "folders": ("DIR", {"nargs": "+", "action": "extend"}),
    "integer": ("N", {"type": int}),
    "count": ("N", {"type": count}),
    "number": (None, {"type": float}),
    "how many": ("K", {"type": how_many}),
    "range": ("FROM:TO[:STEP]", {"type": numbers}),
    "folds": ("N", {"type": folds}),
    "classes": ("N", {"type": classes}),
    "assignment": ("NAME=VALUE", {"type": assignment}),
    "one or all": ("NAME", {"nargs": "?"}),
    "flag": (None, {"action": "store_true"}),
    "on or off": (None, {"action": argparse.BooleanOptionalAction}),
}
