"""All that stands in the way of a command, in one message with a command line that works.

The first mistake is mended as its message proposes, and the command line is checked again, until nothing is wrong. The
check reads the data, and selects nothing.
"""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bitsieve.cli.options import PROGRAM, Option, options_of
from bitsieve.cli.parser import UsageError, parse
from bitsieve.cli.shared import Wording, wording_of
from bitsieve.diagnostics import NAME_ONLY, Diagnostic, UserError
from bitsieve.utils.messages import one_line

if TYPE_CHECKING:
    from argparse import Namespace

MAX_OBSTACLES = 8
_WITHOUT_VALUE = ("flag", "on or off")
_WITH_SEVERAL_VALUES = ("columns", "data")


def with_further_obstacles(message: str, words: Sequence[str], check: Callable[[Namespace], None]) -> str:
    """The message on the first mistake in a command line, or on all, and the command line that works if one is found.

    ``check`` raises UserError for options that cannot be used.
    """
    messages: list[str] = []
    mended_words: list[str] | None = list(words)
    while mended_words is not None and len(messages) < MAX_OBSTACLES:
        words = mended_words
        try:
            _check(words, check)
        except UsageError as error:
            text = one_line(error)
            mended_words = _with_allowed_value(words, error)
        except UserError as error:
            wording = wording_of(parse(words))
            text = one_line(wording(error.diagnostic))
            mended_words = _mended(words, error.diagnostic, wording)
        else:
            break
        if text in messages:
            mended_words = None
        else:
            messages.append(text)
    if len(messages) < 2:
        return message
    numbered = "; ".join(f"({number}) {text}" for number, text in enumerate(messages, 1))
    all_messages = f"{len(messages)} things stand in the way: {numbered}"
    if mended_words is None:
        return f"error: {all_messages}"
    return f"error: {all_messages}; this works: {shlex.join([PROGRAM, *words])}"


def _check(words: Sequence[str], check: Callable[[Namespace], None]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(parse(words))


def _with_allowed_value(words: Sequence[str], error: UsageError) -> list[str] | None:
    if error.option is None or error.allowed_value is None:
        return None
    (option,) = [option for option in options_of(words[0]) if option.name == error.option]
    return [*_without_option(words, option), option.name, error.allowed_value]


def _mended(words: Sequence[str], diagnostic: Diagnostic, wording: Wording) -> list[str] | None:
    """The command line with the first thing that the diagnostic proposes; None if it proposes nothing."""
    settings = list(diagnostic.fix.items())
    if diagnostic.code == "unknown-column" and diagnostic.columns and settings:
        _, value = settings[0]
        column = value[0] if isinstance(value, list) else value
        return _with_other_column(words, diagnostic.columns[0], str(column))
    mended_words = list(words)
    for option in options_of(words[0]):
        names = option.parameters.split() if option.name != "--target" else ["target"]
        has_other_value = bool(settings) and settings[0][0] in names and option.form != "repeated"
        if has_other_value or not set(names).isdisjoint(diagnostic.parameters):
            mended_words = _without_option(mended_words, option)
    if settings and settings[0][1] is not NAME_ONLY:
        mended_words += shlex.split(wording.setting(*settings[0]))
    return None if mended_words == list(words) else mended_words


def _with_other_column(words: Sequence[str], wrong: str, right: str) -> list[str]:
    """The command line with another name of a column, which may be the name in NAME=VALUE."""
    mended_words = []
    for word in words:
        name, equals, value = word.partition("=")
        if word == wrong:
            mended_words.append(right)
        elif equals and name == wrong:
            mended_words.append(f"{right}={value}")
        elif equals and value == wrong:
            mended_words.append(f"{name}={right}")
        else:
            mended_words.append(word)
    return mended_words


def _without_option(words: Sequence[str], option: Option) -> list[str]:
    """The command line without an option and its values."""
    spellings = {option.name, option.short, f"--no-{option.name.removeprefix('--')}"} - {""}
    remaining = []
    n_values_to_skip = 0
    for word in words:
        if word.startswith("-") and word != "-":
            n_values_to_skip = 0
        if word in spellings:
            n_values_to_skip = 1
            if option.kind in _WITHOUT_VALUE:
                n_values_to_skip = 0
            elif option.kind in _WITH_SEVERAL_VALUES:
                n_values_to_skip = len(words)
        elif n_values_to_skip:
            n_values_to_skip -= 1
        elif word.partition("=")[0] not in spellings:
            remaining.append(word)
    return remaining
