"""All that stands in the way of a command, in one message with a command line that works.

The first mistake is mended as its message proposes, and the command line is checked again, until nothing is wrong. The
check reads data of 256 MB or less, and computes nothing.
"""

from __future__ import annotations

import shlex
import warnings
from argparse import Namespace
from collections.abc import Collection, Sequence
from os.path import getsize, isfile
from typing import NamedTuple

from bitsieve.cli.edits import with_other_columns, with_other_option, with_setting, without_option, without_setting
from bitsieve.cli.options import COMMANDS, PROGRAM, Option, function_at, options_of
from bitsieve.cli.parser import UsageError, parse
from bitsieve.cli.results import sources_of
from bitsieve.cli.wording import Wording, wording_of
from bitsieve.diagnostics import NAME_ONLY, Diagnostic, UserError
from bitsieve.utils.messages import one_line

MAX_OBSTACLES = 8
MAX_BYTES_READ = 1 << 28  # of data that is read for the check


class Mistake(NamedTuple):
    """A mistake in a command line, and the command line without it."""

    message: str
    mended_words: list[str] | None  # None if the message proposes nothing
    parameters: Collection[str] = ()  # of Python, that are wrong
    added_parameters: Collection[str] = ()  # of Python, that the mended command line gives


def with_further_obstacles(message: str, words: Sequence[str]) -> str:
    """The message on the first mistake in a command line; if there are more, on all, with a command line that works."""
    messages: list[str] = []
    added_parameters: set[str] = set()
    is_checked_fully = False
    mended_words: list[str] | None = list(words)
    while mended_words is not None and len(messages) < MAX_OBSTACLES:
        try:
            is_checked_fully = _check(mended_words)
            break
        except UsageError as error:
            mistake = Mistake(one_line(error), _with_other_usage(mended_words, error))
        except UserError as error:
            mistake = _mistake(mended_words, error)
        if not added_parameters.isdisjoint(mistake.parameters):  # what another message proposed does not work
            mended_words = _without_parameters(mended_words, mistake.parameters)
        elif mistake.message in messages:
            mended_words = None
        else:
            messages.append(mistake.message)
            added_parameters.update(mistake.added_parameters)
            mended_words = mistake.mended_words
    if len(messages) < 2:
        return message
    numbered = "; ".join(f"({number}) {text}" for number, text in enumerate(messages, 1))
    all_messages = f"{len(messages)} things stand in the way: {numbered}"
    if mended_words is None:
        return f"error: {all_messages}"
    ending = "this works" if is_checked_fully else "try"
    return f"error: {all_messages}; {ending}: {shlex.join([PROGRAM, *mended_words])}"


def _check(words: Sequence[str]) -> bool:
    """Raise UsageError or UserError for what would stop a command line. Return whether the data was checked, too."""
    options = parse(words)
    (command,) = [command for command in COMMANDS if command.name == options.command]
    if not command.check:
        return False
    reads_data = _may_be_read_again(options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function_at(command.check)(options, reads_data)
    return reads_data


def _may_be_read_again(options: Namespace) -> bool:
    """Whether the data is in files that are read soon; standard input cannot be read a second time."""
    sources = sources_of(options)
    return all(isfile(path) for path in sources) and sum(map(getsize, sources)) <= MAX_BYTES_READ


def _mistake(words: Sequence[str], error: UserError) -> Mistake:
    """A mistake that the check of the command found."""
    wording = wording_of(parse(words))
    message = one_line(wording(error.diagnostic))
    if error.code == "parameter-without-effect":
        return Mistake(message, _without_parameters(words, error.parameters), error.parameters)
    return Mistake(message, _with_fix(words, error.diagnostic, wording), error.parameters, error.fix)


def _with_other_usage(words: Sequence[str], error: UsageError) -> list[str] | None:
    """The command line with the option or the value that the error proposes, or without the option that is wrong."""
    if error.option is None:
        return None
    if error.other_option is not None:
        return with_other_option(words, error.option, error.other_option)
    if error.parameter is not None:
        return with_setting(words, error.option, error.parameter)
    (option,) = [option for option in options_of(words[0]) if option.name == error.option]
    remaining = without_option(words, option)
    return remaining if error.allowed_value is None else [*remaining, option.name, error.allowed_value]


def _with_fix(words: Sequence[str], diagnostic: Diagnostic, wording: Wording) -> list[str] | None:
    """The command line with the first thing that the diagnostic proposes; None if it proposes nothing."""
    parameter, value = next(iter(diagnostic.fix.items()), (None, None))
    if diagnostic.code == "unknown-column" and diagnostic.columns and value is not None:
        columns = value if isinstance(value, list) else [value]
        return with_other_columns(words, diagnostic.columns[0], list(map(str, columns)))
    mended_words = _without_parameters(words, diagnostic.parameters) or list(words)
    for option in options_of(words[0]):
        if parameter in _parameters_of(option) and option.form != "repeated":
            mended_words = without_option(mended_words, option)
    if parameter is not None and value is not NAME_ONLY:
        mended_words += shlex.split(wording.setting(parameter, value))
    return None if mended_words == list(words) else mended_words


def _without_parameters(words: Sequence[str], parameters: Collection[str]) -> list[str] | None:
    """The command line without what gives these parameters of Python; None if nothing does."""
    remaining = list(words)
    for option in options_of(words[0]):
        if not set(_parameters_of(option)).isdisjoint(parameters):
            remaining = without_option(remaining, option)
    for parameter in parameters:
        remaining = without_setting(remaining, parameter)
    return None if remaining == list(words) else remaining


def _parameters_of(option: Option) -> list[str]:
    """The parameters of Python that an option gives."""
    return ["target"] if option.name == "--target" else option.parameters.split()
