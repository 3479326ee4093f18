"""The SQL statement of a scorecard, for seven dialects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bitsieve.dataset.plain_text import Plain
from bitsieve.diagnostics import UserError
from bitsieve.io.dialect import MARKERS
from bitsieve.scorecards.card import Card, CardColumn, CategoryKind
from bitsieve.scorecards.monotone_binner import is_number_in_text
from bitsieve.utils.parameters import check_choice


@dataclass(frozen=True)
class Dialect:
    """How a dialect of SQL writes names, text and the test for NaN."""

    name: str
    double: str = "DOUBLE"  # the type of a number of 64 bits
    quote: str = '"'
    escapes_backslash: bool = False  # whether a backslash in text begins an escape
    quote_in_text: str = "''"
    is_nan: str = ""  # with {} for the number; empty where a column cannot hold NaN, or NaN cannot be written
    #: Whether 0.1 is rounded to 32 bits beside a column of such numbers. It then equals its own 0.1, which is larger.
    narrows_literals: bool = False
    timestamp: str = "TIMESTAMP"  # the type of dates with a time of day; empty where there is none, and they are text
    zoned_timestamp: str = "TIMESTAMP WITH TIME ZONE"


DIALECTS = {
    "ansi": Dialect("ansi", "DOUBLE PRECISION"),
    "postgres": Dialect(
        "postgres",
        "DOUBLE PRECISION",
        is_nan="CAST({} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)",
    ),
    "duckdb": Dialect("duckdb", is_nan="isnan(CAST({} AS DOUBLE))", narrows_literals=True),
    "sqlite": Dialect("sqlite", "REAL", timestamp="", zoned_timestamp=""),
    "snowflake": Dialect(
        "snowflake",
        "FLOAT",
        escapes_backslash=True,
        is_nan="CAST({} AS FLOAT) = CAST('NaN' AS FLOAT)",
        timestamp="TIMESTAMP_NTZ(6)",
        zoned_timestamp="TIMESTAMP_TZ(6)",
    ),
    "bigquery": Dialect(
        "bigquery",
        "FLOAT64",
        quote="`",
        escapes_backslash=True,
        quote_in_text="\\'",
        is_nan="IS_NAN(CAST({} AS FLOAT64))",
        timestamp="DATETIME",
        zoned_timestamp="TIMESTAMP",
    ),
    "spark": Dialect(
        "spark",
        quote="`",
        escapes_backslash=True,
        quote_in_text="\\'",
        is_nan="isnan({})",
        timestamp="TIMESTAMP_NTZ",
        zoned_timestamp="TIMESTAMP",
    ),
}
BOOLEANS = {"True": "TRUE", "False": "FALSE"}
MAX_REASONS = 5  # why there is no SQL, in one message
LARGEST_EXACT = 2**53  # doubles do not tell larger whole numbers apart


def statement(card: Card, dialect_name: str = "ansi", table: str = "rows") -> str:
    """The statement that selects every row of a table with the points of its columns, and their sum as ``score``.

    The points stand first, as SQLite and DuckDB take the first of two columns of one name: the table may have a column
    ``age_points`` of its own. Other databases refuse that table.

    Raises
    ------
    UserError
        If the dialect is not known, or has no statement for a column.
    """
    check_choice("dialect", dialect_name, tuple(DIALECTS))
    dialect = DIALECTS[dialect_name]
    _refuse_columns_without_sql(card, dialect)
    names = [_identifier(f"{column.name}_points", dialect) for column in card.columns]
    cases = [f"{_case_of(column, dialect)} AS {name}" for column, name in zip(card.columns, names, strict=True)]
    summands = list(names)
    if card.points.base_points:
        summands.insert(0, _number(card.intercept_points))
    listed_cases = ",\n".join(cases)
    points = "points" if table.lower() != "points" else "points_of_rows"
    return (
        f"WITH {points} AS (\nSELECT\n{listed_cases},\n  t.*\nFROM {_identifier(table, dialect)} t\n)\n"
        f"SELECT {points}.*, {' + '.join(summands)} AS score\nFROM {points}"
    )


def _refuse_columns_without_sql(card: Card, dialect: Dialect) -> None:
    reason_of_column = {column.name: _why_there_is_no_sql(column, dialect) for column in card.columns}
    refused = [name for name, reason in reason_of_column.items() if reason]
    if refused:
        reasons = "; ".join(f"column {name!r} {reason_of_column[name]}" for name in refused[:MAX_REASONS])
        n_more = len(refused) - MAX_REASONS
        more = f"; and {n_more:,} more" if n_more > 0 else ""
        raise UserError(
            code="no-sql",
            message=f"SQL for {dialect.name} is not possible: {reasons}{more}",
            advice="give numbers, or dates such as 2024-05-31, in place of them, or leave them out by {exclude}",
            fix={"exclude": refused},
            columns=refused,
        )


def _why_there_is_no_sql(column: CardColumn, dialect: Dialect) -> str:
    """Why a dialect has no statement for a column; empty if it has one."""
    text_format = column.text_format
    if column.time_kind == "durations":
        return "holds durations or times of day"
    is_text_of_dates = isinstance(text_format, Plain) and text_format.time is not None
    if text_format is not None and not is_text_of_dates:
        return f"holds text that is read as {text_format.what}"
    if column.time_kind == "zoned dates" and not dialect.zoned_timestamp:
        return "holds dates with a time zone"
    if column.time_kind is not None and not all(map(float.is_integer, _numbers_of_bins(column))):
        return "has bins that end between two microseconds"
    return ""


def _numbers_of_bins(column: CardColumn) -> list[float]:
    """The edges and the special values of a column of numbers or dates."""
    edges = column.bins.merged.edges
    assert edges is not None  # a column of numbers
    special_values = [*column.bins.fixed.special_values, *column.bins.fixed.absent_special_values]
    return [*edges.tolist(), *map(float, special_values)]


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
        return f"{self.number} = {_number(number)}"

    def is_at_most(self, number: float) -> str:
        return f"{self.number} <= {_number(number)}"


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


def _case_of(column: CardColumn, dialect: Dialect) -> str:
    """The points of a column. The first condition that holds decides: missing and special values come first."""
    name = f"t.{_identifier(column.name, dialect)}"
    fixed = column.bins.fixed
    missing_points = _number(column.points[-1] if fixed.has_missing else column.points_of_unseen)
    lines = [f"WHEN {name} IS NULL THEN {missing_points}"]
    if column.is_numeric:
        comparison = _comparison_of(column, name, dialect)
        lines += [f"WHEN {condition} THEN {missing_points}" for condition in comparison.missing()]
        lines += _conditions_of_numbers(column, comparison)
    else:
        if column.category_kind == "text":
            markers = [_text(marker, dialect) for marker in MARKERS if marker not in column.bins.bin_of_category]
            lines.append(f"WHEN {name} IN ({', '.join(markers)}) THEN {missing_points}")
        if column.category_kind == "number" and dialect.is_nan:
            lines.append(f"WHEN {dialect.is_nan.format(name)} THEN {missing_points}")
        lines += _conditions_of_categories(column, name, dialect)
    indented = "\n    ".join(lines)
    return f"  CASE\n    {indented}\n  END"


def _comparison_of(column: CardColumn, name: str, dialect: Dialect) -> Comparison:
    if column.time_kind == "zoned dates":
        return TimestampComparison(name, dialect.zoned_timestamp, "+00:00")
    if column.time_kind == "dates" and dialect.timestamp:
        return TimestampComparison(name, dialect.timestamp, "")
    if column.time_kind == "dates":
        return TextTimeComparison(name)
    largest = max(map(abs, _numbers_of_bins(column)), default=0.0)
    is_cast = dialect.narrows_literals or largest >= LARGEST_EXACT
    return NumberComparison(name, f"CAST({name} AS {dialect.double})" if is_cast else name, dialect.is_nan)


def _conditions_of_numbers(column: CardColumn, comparison: Comparison) -> list[str]:
    edges = column.bins.merged.edges
    assert edges is not None  # a column of numbers
    fixed = column.bins.fixed
    n_merged = len(column.bins.merged.counts)
    lines = []
    for value, points in zip(fixed.special_values, column.points[n_merged:], strict=False):
        lines.append(f"WHEN {comparison.equals(float(value))} THEN {_number(points)}")
    for value in fixed.absent_special_values:
        lines.append(f"WHEN {comparison.equals(float(value))} THEN {_number(column.points_of_unseen)}")
    for edge, points in zip(edges.tolist(), column.points, strict=False):
        lines.append(f"WHEN {comparison.is_at_most(edge)} THEN {_number(points)}")
    last_points = column.points_of_unseen if n_merged == 0 else column.points[len(edges)]
    lines.append(f"ELSE {_number(last_points)}")
    return lines


def _conditions_of_categories(column: CardColumn, name: str, dialect: Dialect) -> list[str]:
    points_of_bin = [*column.points.tolist(), column.points_of_unseen]  # the bin of an absent special value is -1
    names_of_bin: dict[int, list[str]] = {}
    for category, category_bin in column.bins.bin_of_category.items():
        names_of_bin.setdefault(category_bin, []).append(category)
    lines = []
    for category_bin, categories in names_of_bin.items():
        literals = _literals_of(column.category_kind, categories, dialect)
        if literals:
            lines.append(f"WHEN {name} IN ({', '.join(literals)}) THEN {_number(points_of_bin[category_bin])}")
    bin_of_new = column.bins.bin_of_new_category
    lines.append(f"ELSE {_number(points_of_bin[bin_of_new])}")
    return lines


def _literals_of(kind: CategoryKind | None, categories: Sequence[str], dialect: Dialect) -> list[str]:
    """Categories as SQL writes them. Of numbers and booleans "other", the name of the rare ones, is no value."""
    if kind == "boolean":
        return [BOOLEANS[category] for category in categories if category in BOOLEANS]
    if kind == "number":
        return [category for category in categories if is_number_in_text(category)]
    return [_text(category, dialect) for category in categories]


def _identifier(name: str, dialect: Dialect) -> str:
    escaped = name.replace(dialect.quote, 2 * dialect.quote)
    if dialect.name == "bigquery":
        escaped = name.replace("\\", "\\\\").replace("`", "\\`")
    return f"{dialect.quote}{escaped}{dialect.quote}"


def _text(text: str, dialect: Dialect) -> str:
    if dialect.escapes_backslash:
        text = text.replace("\\", "\\\\")
    escaped = text.replace("'", dialect.quote_in_text)
    return f"'{escaped}'"


def _number(value: float) -> str:
    """A number with all its digits; a whole one without a point."""
    number = float(value)
    if number.is_integer() and abs(number) < 2**53:
        return str(int(number))
    return repr(number)
