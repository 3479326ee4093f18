"""How the values of a column are compared with numbers in SQL: numbers, timestamps, and dates that are text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bitsieve.scorecards.sql_dialects import number_text


class Comparison(Protocol):
    """How the values of a column are compared with numbers."""

    def missing(self) -> list[str]:
        """Conditions of values that are missing, beside NULL."""

    def equals(self, number: float) -> str:
        """The condition of values that are a number."""

    def is_at_most(self, number: float) -> str:
        """The condition of values up to a number."""


@dataclass(frozen=True)
class NumberComparison:
    """Numbers."""

    name: str
    number: str  # the column as it is compared
    is_nan: str

    def missing(self) -> list[str]:
        return [self.is_nan.format(self.name)] if self.is_nan else []

    def equals(self, number: float) -> str:
        return f"{self.number} = {number_text(number)}"

    def is_at_most(self, number: float) -> str:
        return f"{self.number} <= {number_text(number)}"


@dataclass(frozen=True)
class TimestampComparison:
    """Dates and timestamps, which Python compares as microseconds in double precision."""

    name: str
    timestamp: str  # the type in which they are compared
    zone: str  # behind each time; empty for dates without a time zone

    def missing(self) -> list[str]:
        return []

    def equals(self, number: float) -> str:
        first = first_microsecond_at(number)
        last = last_microsecond_until(number)
        if first == last:
            return f"{self._time} = {self._literal(last)}"
        return f"{self._time} BETWEEN {self._literal(first)} AND {self._literal(last)}"

    def is_at_most(self, number: float) -> str:
        return f"{self._time} <= {self._literal(last_microsecond_until(number))}"

    @property
    def _time(self) -> str:
        return f"CAST({self.name} AS {self.timestamp})"

    def _literal(self, microsecond: int) -> str:
        time = _text_of_time(microsecond).removesuffix(".000000")
        return f"CAST('{time}{self.zone}' AS {self.timestamp})"


@dataclass(frozen=True)
class TextTimeComparison:
    """Dates that are text such as 2024-05-31 or 2024-05-31 12:30:00, which sorts as they do."""

    name: str

    def missing(self) -> list[str]:
        text = f"trim({self.name})"
        day = f"substr({text}, 1, 10)"
        clock = f"substr({text}, 11)"
        return [
            f"date({day}, '+0 days') IS NOT {day}",  # no day of the calendar
            f"{clock} <> '' AND {clock} NOT GLOB '[ T][0-9][0-9]:[0-9][0-9]*'",
            f"time({text}) IS NULL OR substr({clock}, 2, 2) > '23'",
            f"{clock} GLOB '*[-+Zz]*'",  # a time zone
        ]

    def equals(self, number: float) -> str:
        first = _text_of_time(first_microsecond_at(number))
        last = _text_of_time(last_microsecond_until(number))
        shortest = first.rstrip("0").removesuffix(".").removesuffix(":00").removesuffix(" 00:00")
        return f"{self._time} BETWEEN '{shortest}' AND '{last}'"

    def is_at_most(self, number: float) -> str:
        return f"{self._time} <= '{_text_of_time(last_microsecond_until(number))}'"

    @property
    def _time(self) -> str:
        """The text with six decimals of a second at most."""
        return f"substr(replace(trim({self.name}), 'T', ' '), 1, 26)"


def first_microsecond_at(number: float) -> int:
    """The first whole microsecond that is this number in double precision."""
    return last_microsecond_until(math.nextafter(number, -math.inf)) + 1


def last_microsecond_until(number: float) -> int:
    """The last whole microsecond that is at most this number in double precision."""
    last = (math.floor(number) + math.floor(math.nextafter(number, math.inf))) // 2
    return last if float(last) <= number else last - 1


def _text_of_time(microsecond: int) -> str:
    """A time such as 2024-05-31 12:30:00.000000."""
    return str(np.datetime64(microsecond, "us")).replace("T", " ")
