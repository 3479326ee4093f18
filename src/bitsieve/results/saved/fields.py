"""A strict reader of JSON values: every value is asked for by its type, and a wrong one is named by its path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

MAX_INTEGER = 2**63 - 1
Text = TypeVar("Text", bound=str)


class FieldError(Exception):
    """A value of a file is not what the schema says; the text has its path and what is wrong."""


@dataclass(frozen=True)
class Field:
    """A value of a file, and its path, such as ``features[3].score``."""

    value: object
    path: str = ""

    def error(self, problem: str) -> FieldError:
        """The error that the value is not what it must be."""
        return FieldError(f"{self.path or 'the file'} {problem}")

    @property
    def is_null(self) -> bool:
        """Whether the value is null."""
        return self.value is None

    def members(self, names: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Field]:
        """The members of an object, which must have these names and no others; the ``optional`` ones may be absent."""
        members = self.mapping()
        for name in names:
            if name not in members and name not in optional:
                raise self.error(f"lacks {name!r}")
        for name in members:
            if name not in names:
                raise self.error(f"has {name!r}, which is not known")
        return members

    def mapping(self) -> dict[str, Field]:
        """The members of an object with any names."""
        if not isinstance(self.value, dict):
            raise self.error("must be an object")
        prefix = f"{self.path}." if self.path else ""
        return {name: Field(value, prefix + _short(name)) for name, value in self.value.items()}

    def items(self) -> list[Field]:
        """The items of a list."""
        if not isinstance(self.value, list):
            raise self.error("must be a list")
        return [Field(value, f"{self.path}[{i}]") for i, value in enumerate(self.value)]

    def text(self) -> str:
        """A text."""
        if not isinstance(self.value, str):
            raise self.error("must be text")
        return self.value

    def optional_text(self) -> str | None:
        """A text, or null."""
        return None if self.is_null else self.text()

    def choice(self, allowed: Sequence[Text]) -> Text:
        """One of the allowed texts."""
        text = self.text()
        for allowed_text in allowed:
            if allowed_text == text:
                return allowed_text
        raise self.error(f"must be one of {', '.join(map(repr, allowed))}")

    def texts(self) -> tuple[str, ...]:
        """A list of texts."""
        if not isinstance(self.value, list):
            raise self.error("must be a list")
        if not all(isinstance(item, str) for item in self.value):
            raise self.error("must hold text alone")
        return tuple(self.value)

    def boolean(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.error("must be true or false")
        return self.value

    def integer(self, lowest: int = 0, highest: int = MAX_INTEGER) -> int:
        """A whole number of a range."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.error("must be a whole number")
        if not lowest <= self.value <= highest:
            raise self.error(f"must be from {lowest:,} to {highest:,}")
        return self.value

    def optional_integer(self, lowest: int = 0, highest: int = MAX_INTEGER) -> int | None:
        """A whole number of a range, or null."""
        return None if self.is_null else self.integer(lowest, highest)

    def integers(self) -> tuple[int, ...]:
        """A list of whole numbers, none of them negative."""
        if isinstance(self.value, list) and all(type(item) is int and 0 <= item <= MAX_INTEGER for item in self.value):
            return tuple(self.value)
        return tuple(item.integer() for item in self.items())

    def number(self) -> float:
        """A number, or "nan", "inf" or "-inf"."""
        if self.value in ("nan", "inf", "-inf"):
            return float(str(self.value))
        if not isinstance(self.value, (int, float)) or isinstance(self.value, bool):
            raise self.error("must be a number")
        try:
            number = float(self.value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self.error("must be a number that a float can hold")
        return number

    def numbers(self) -> tuple[float, ...]:
        """A list of numbers."""
        if isinstance(self.value, list) and all(type(item) is float and math.isfinite(item) for item in self.value):
            return tuple(self.value)
        return tuple(item.number() for item in self.items())

    def ascending_numbers(self) -> tuple[float, ...]:
        """A list of numbers, each larger than the one before."""
        numbers = self.numbers()
        if not all(low < high for low, high in pairwise(numbers)):
            raise self.error("must ascend")
        return numbers


def _short(name: str) -> str:
    """A name that fits a message."""
    return name if len(name) <= 40 else f"{name[:40]}..."
