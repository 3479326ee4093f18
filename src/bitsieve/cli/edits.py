"""Change the words of a command line: leave an option out, or write another option or column in the place of one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bitsieve.cli.options import Option

_WITHOUT_VALUE = ("flag", "on or off")
_WITH_SEVERAL_VALUES = ("columns", "data")


def without_option(words: Sequence[str], option: Option) -> list[str]:
    """The command line without an option and its values.

    The values of an option end at the next word that begins with a dash, and "-" alone is a value.
    """
    spellings = {option.name, option.short, f"--no-{option.name.removeprefix('--')}"} - {""}
    max_values = _max_values(option)
    remaining = []
    n_values_to_skip: float = 0
    for word in words:
        if word.startswith("-") and word != "-":
            n_values_to_skip = 0
        if word in spellings:
            n_values_to_skip = max_values
        elif n_values_to_skip > 0:
            n_values_to_skip -= 1
        elif word.partition("=")[0] not in spellings:
            remaining.append(word)
    return remaining


def _max_values(option: Option) -> float:
    """How many words may follow an option as its values."""
    if option.kind in _WITHOUT_VALUE:
        return 0
    return math.inf if option.kind in _WITH_SEVERAL_VALUES else 1


def with_other_option(words: Sequence[str], wrong: str, right: str) -> list[str]:
    """The command line with another name of an option.

    >>> with_other_option(["select", "--bin=3"], "--bin", "--bins")
    ['select', '--bins=3']
    """
    changed_words = []
    for word in words:
        name, equals, value = word.partition("=")
        changed_words.append(f"{right}{equals}{value}" if name == wrong else word)
    return changed_words


def with_setting(words: Sequence[str], wrong: str, parameter: str) -> list[str]:
    """The command line with ``--set parameter=value`` in place of a wrong option and its value.

    >>> with_setting(["select", "--beta", "0.5"], "--beta", "beta")
    ['select', '--set', 'beta=0.5']
    """
    changed_words = []
    value_follows = False
    for word in words:
        name, equals, value = word.partition("=")
        if value_follows:
            changed_words.append(f"{parameter}={word}")
            value_follows = False
        elif name != wrong:
            changed_words.append(word)
        elif equals:
            changed_words += ["--set", f"{parameter}={value}"]
        else:
            changed_words.append("--set")
            value_follows = True
    return changed_words


def without_setting(words: Sequence[str], parameter: str) -> list[str]:
    """The command line without ``--set parameter=value``.

    >>> without_setting(["select", "--set", "beta=1", "--set=gamma=2"], "beta")
    ['select', '--set=gamma=2']
    """
    remaining: list[str] = []
    for word in words:
        follows_set = len(remaining) > 0 and remaining[-1] == "--set"
        setting = word if follows_set else word.removeprefix("--set=")
        is_setting = follows_set or setting != word
        if not is_setting or setting.partition("=")[0].strip() != parameter:
            remaining.append(word)
        elif follows_set:
            remaining.pop()
    return remaining


def with_other_columns(words: Sequence[str], wrong: str, right: Sequence[str]) -> list[str]:
    """The command line with other names in place of a column, which may be the name in NAME=VALUE.

    Of several names each has the option in front.

    >>> with_other_columns(["--exclude", "a,b"], "a,b", ["a", "b"])
    ['--exclude', 'a', '--exclude', 'b']
    """
    changed_words: list[str] = []
    for position, word in enumerate(words):
        name, equals, value = word.partition("=")
        if word == wrong:
            changed_words.append(right[0])
            for column in right[1:]:
                changed_words += [words[position - 1], column]
        elif equals and name == wrong:
            changed_words.append(f"{right[0]}={value}")
        elif equals and value == wrong:
            changed_words += [f"{name}={column}" for column in right]
        else:
            changed_words.append(word)
    return changed_words
