"""What is known of each column of a table before anything is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bitsieve.utils.types import JsonObject


class Sentinel(NamedTuple):
    """A number such as -999 that is unlike all others of its column and may mean a missing value."""

    value: float
    n_rows: int  # the number of rows that hold it
    low: float  # the smallest of the other numbers
    high: float  # the largest of the other numbers


class MarkedNumber(NamedTuple):
    """Text that is a number with a mark, such as "<200" or "12 k"."""

    text: str
    n_rows: int  # the number of rows that hold it
    number: float  # as which the column type "number" reads it


#: What a column of text holds that was left as categories although it looks like numbers or dates.
CODES = "codes"
OPEN_DATES = "open dates"
MARKED_NUMBERS = "numbers with text"
SEVERAL_UNITS = "numbers in several units"
NUMBERS_OF_BOTH_MARKS = "numbers with a point and with a comma before the decimals"
DATES_OF_BOTH_ORDERS = "dates with the day first and with the month first"
NO_NUMBERS = "no numbers"  # although the user chose the column type "number"
NO_DATES = "no dates"

#: What text was read as, where notes have words for it.
PLAIN_NUMBERS = "numbers"
BOOLEANS_IN_WORDS = "booleans in words"


@dataclass(frozen=True)
class TextParsing:
    """How the text of a column was read."""

    what: str  # what the values are, in words; for the constants above they were left as categories
    example: str
    n_read: int  # the number of rows that were read as ``what``
    n_unread: int = 0  # the number of rows with other text, which is read as missing
    unread: tuple[tuple[str, int], ...] = ()  # the most frequent other texts, and the number of rows of each
    has_missing: bool = False  # whether other rows have no value
    marked: tuple[MarkedNumber, ...] = ()  # the most frequent numbers with a mark
    n_marked: int = 0  # the number of rows with such numbers
    marked_are_read: bool = False  # whether they are read, as the user chose the column type "number"
    units: tuple[tuple[str, int], ...] = ()  # the units of numbers in several units, and the number of rows of each

    @property
    def readings(self) -> str:
        """The most frequent numbers with a mark, and how they are read, for a message."""
        return ", ".join(f"{marked.text!r} as {marked.number:,.15g}" for marked in self.marked)

    @property
    def listed_units(self) -> str:
        """The units and the number of rows of each, for a message."""
        return ", ".join(f"{unit!r} ({n_rows:,})" for unit, n_rows in self.units)

    @property
    def listed(self) -> str:
        """The most frequent text that is read as missing, for a message."""
        listed = ", ".join(f"{value!r} ({n_rows:,})" for value, n_rows in self.unread)
        n_listed = sum(n_rows for _, n_rows in self.unread)
        return f"{listed}, ..." if self.n_unread > n_listed else listed


@dataclass(frozen=True)
class ColumnInfo:
    """What is known of one column before anything is counted."""

    has_values: bool = True
    has_missing: bool = False
    is_identifier: bool = False  # a name or a number for each row; see `identifiers.py`
    is_constant: bool | None = None  # None where nobody has looked
    is_row_counter: bool | None = None  # it goes up, or down, by one with every row; None as above
    has_name_of_code: bool = False  # it holds whole numbers and has a name such as "zip code"
    parsing: TextParsing | None = None  # how text became numbers, dates or truth values; None for plain columns
    sentinels: tuple[Sentinel, ...] = ()

    def to_dict(self) -> JsonObject:
        """The fields as a dictionary for JSON."""
        return {
            "has_values": self.has_values,
            "has_missing": self.has_missing,
            "is_identifier": self.is_identifier,
            "is_constant": self.is_constant,
            "is_row_counter": self.is_row_counter,
            "has_name_of_code": self.has_name_of_code,
            "parsing": None if self.parsing is None else vars(self.parsing),
            "sentinels": [list(sentinel) for sentinel in self.sentinels],
        }

    @classmethod
    def from_dict(cls, fields: JsonObject) -> ColumnInfo:
        """Rebuild an object from the dictionary made by :meth:`to_dict`."""
        column_fields = dict(fields)
        column_fields["sentinels"] = tuple(Sentinel(*sentinel) for sentinel in fields["sentinels"])
        if fields["parsing"] is not None:
            column_fields["parsing"] = _parsing_from_dict(fields["parsing"])
        return cls(**column_fields)


def _parsing_from_dict(fields: JsonObject) -> TextParsing:
    """Rebuild a parsing from its fields, in which JSON has made lists of tuples."""
    parsing_fields = dict(fields)
    parsing_fields["unread"] = tuple((value, n_rows) for value, n_rows in fields["unread"])
    parsing_fields["marked"] = tuple(MarkedNumber(*marked) for marked in fields["marked"])
    parsing_fields["units"] = tuple((unit, n_rows) for unit, n_rows in fields["units"])
    return TextParsing(**parsing_fields)


def empty_columns(columns: Sequence[ColumnInfo]) -> list[int]:
    """The indices of the columns all of whose values are missing."""
    return [j for j, column in enumerate(columns) if not column.has_values]


def identifiers(columns: Sequence[ColumnInfo]) -> list[int]:
    """The indices of the columns that name or number the rows."""
    return [j for j, column in enumerate(columns) if column.is_identifier]
