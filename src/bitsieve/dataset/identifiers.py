"""Identifiers: columns that have a name or a number for each row, and so carry no information about new rows.

An identifier has at least 20 rows with a value, and a different value in nearly every one of them: text and categories
in 90 % of the rows, or in half of them where they are e-mail addresses or free text (five words or more on average);
whole numbers that are consecutive in any order, or all different in so small a range that random ones would not be.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.utils.arrays import Flags, Integers, Values

FEW_ROWS = 10  # in fewer rows a measurement may well count up by chance
MIN_ROWS_OF_IDENTIFIER = 20  # in fewer rows a measurement may well differ in every one
_DISTINCT_NAMES = 0.9  # an identifier of categories has at least so many distinct values for each row
_DISTINCT_TEXTS = 0.5  # an identifier of e-mail addresses or free text has at least so many
_WORDS_OF_TEXT = 5  # free text has so many words on average
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_SHARE_OF_ADDRESSES = 0.95  # the share of the values that must be addresses
_N_FIRST_ROWS = 16  # these are looked at first: in most columns some of them have equal values
_CROWDED = 28  # n numbers drawn at random out of n**2 / 28 are all different once in a million times
_MAX_NUMBERS_KEPT = 1 << 18  # up to so many integers are kept, to see whether all are different
_NAMES_OF_CODES = re.compile(
    r"""
    (?:^|[\W_])                       # a word of its own
    (?:
        zip | zip\ ?code
      | post(?:al)?\ ?(?:code)? | plz
      | codes? | ids? | sku | fips | naics | sic | ean | isbn
    )
    (?:$|[\W_])
    """,
    re.VERBOSE,
)


def are_names_of_rows(categories: Values, n_with_value: int) -> bool:
    """Whether a column of these categories, which has a value in ``n_with_value`` rows, is an identifier."""
    n_categories = len(categories)
    if n_with_value < MIN_ROWS_OF_IDENTIFIER or n_categories < _DISTINCT_TEXTS * n_with_value:
        return False
    if n_categories >= _DISTINCT_NAMES * n_with_value:
        return True
    if not isinstance(categories[0], str):
        return False
    texts = categories.tolist()
    n_addresses = sum(_ADDRESS.fullmatch(text.strip()) is not None for text in texts)
    if n_addresses >= _SHARE_OF_ADDRESSES * n_categories:
        return True
    n_words = sum(len(text.split()) for text in texts)
    return n_words >= _WORDS_OF_TEXT * n_categories


def are_numbers_of_rows(values: Values) -> bool:
    """Whether whole numbers number the rows: consecutive ones, each once, or all different and crowded."""
    if not _first_rows_differ(values):
        return False
    n_rows = len(values)
    span = int(values.max()) - int(values.min())
    if span != n_rows - 1 and not _is_crowded(n_rows, span):
        return False
    numbering = RowNumbering.of_rows(values, 0)
    return numbering is not None and numbering.are_row_numbers


def are_counts_of_identifier(values: Values, n_rows: Integers) -> bool:
    """Whether a column of these distinct values, each in ``n_rows`` rows, is an identifier."""
    n_with_value = int(n_rows.sum())
    if values.dtype.kind not in "iuf":
        return are_names_of_rows(values, n_with_value)
    if n_with_value < MIN_ROWS_OF_IDENTIFIER or values.dtype.kind == "f" or (n_rows > 1).any():
        return False
    return are_numbers_of_rows(values)


def has_name_of_code(name: str, low: Any, high: Any) -> bool:
    """Whether a column of whole numbers from ``low`` to ``high`` has a name of codes, such as "zip code"."""
    has_range_of_codes = int(low) >= 0 and int(high) - int(low) >= MIN_ROWS_OF_IDENTIFIER
    return has_range_of_codes and _NAMES_OF_CODES.search(name.lower()) is not None


def columns_whose_first_rows_differ(matrix: Values) -> Flags:
    """Which columns of a matrix hold different values in their first rows, as identifiers do."""
    first_rows = np.sort(matrix[:_N_FIRST_ROWS], axis=0)
    differ: Flags = (first_rows[1:] != first_rows[:-1]).all(axis=0)
    return differ


def _first_rows_differ(values: Values) -> bool:
    first_rows = values[:_N_FIRST_ROWS].tolist()
    return len(set(first_rows)) == len(first_rows)


def _is_crowded(n: int, span: int) -> bool:
    """Whether n numbers in a range would hardly be all different by chance."""
    return n - 1 < span < n * n // _CROWDED


class Run(NamedTuple):
    """Consecutive rows whose values ascend."""

    first_row: int
    end: int  # the row behind the last one
    first_value: int
    last_value: int


@dataclass(frozen=True)
class RowNumbering:
    """What decides whether integers number the rows. The facts of partitions of the rows can be added.

    n whole numbers between ``low`` and ``low + n - 1`` are all different exactly if they are all of these, and then the
    sum of their keys is that of all of these. A key is a 64-bit number that is as good as random, so that other numbers
    have the same sum once in 2**64.
    """

    n_rows: int
    low: int
    high: int
    key_sum: int  # modulo 2**64
    ascending_start: int | None  # every value less the number of its row; None where that differs
    descending_start: int | None  # every value plus the number of its row; None where that differs
    distinct: Integers | None  # all values, ascending; None where they are too many, or not all different
    runs: tuple[Run, ...] | None  # of ascending values; None where the values do not ascend

    @classmethod
    def of_rows(cls, values: Values, first_row: int, row_counts: Integers | None = None) -> RowNumbering | None:
        """Look at the values of consecutive rows; ``first_row`` is the number of the first of them.

        The result is None if the values cannot number rows. Where equal rows were grouped and have no order,
        ``row_counts[i]`` rows have ``values[i]``.
        """
        if values.dtype.kind not in "iu" or not len(values) or not _first_rows_differ(values):
            return None
        if row_counts is not None and (row_counts > 1).any():
            return None
        numbers = values.astype(np.int64)
        rows = np.arange(first_row, first_row + len(values))
        ascending_starts = numbers - rows
        descending_starts = numbers + rows
        ascending_start = None
        descending_start = None
        if row_counts is None:
            ascending_start = _only_value(ascending_starts)
            descending_start = _only_value(descending_starts)
        runs = None
        if (values[1:] > values[:-1]).all():
            runs = (Run(first_row, first_row + len(values), int(values[0]), int(values[-1])),)
        return cls(
            n_rows=len(values),
            low=int(values.min()),
            high=int(values.max()),
            key_sum=int(row_keys(numbers).sum(dtype=np.uint64)),
            ascending_start=ascending_start,
            descending_start=descending_start,
            distinct=_all_distinct(numbers),
            runs=runs,
        )

    @classmethod
    def of_range(cls, low: int, n_rows: int) -> RowNumbering:
        """The whole numbers from ``low`` on, each in one of ``n_rows`` rows that have no order."""
        return cls(
            n_rows=n_rows,
            low=low,
            high=low + n_rows - 1,
            key_sum=_key_sum_of_range(low, n_rows),
            ascending_start=None,
            descending_start=None,
            distinct=None,
            runs=None,
        )

    def __add__(self, other: RowNumbering) -> RowNumbering:
        distinct = None
        if self.distinct is not None and other.distinct is not None:
            distinct = _all_distinct(np.concatenate([self.distinct, other.distinct]))
        runs = None
        if self.runs is not None and other.runs is not None:
            runs = _joined_runs([*self.runs, *other.runs])
        return RowNumbering(
            n_rows=self.n_rows + other.n_rows,
            low=min(self.low, other.low),
            high=max(self.high, other.high),
            key_sum=(self.key_sum + other.key_sum) % 2**64,
            ascending_start=self.ascending_start if self.ascending_start == other.ascending_start else None,
            descending_start=self.descending_start if self.descending_start == other.descending_start else None,
            distinct=distinct,
            runs=runs,
        )

    @property
    def are_row_numbers(self) -> bool:
        """Whether they are n consecutive whole numbers, each once, or all different and crowded."""
        span = self.high - self.low
        if span == self.n_rows - 1:
            return _key_sum_of_range(self.low, self.n_rows) == self.key_sum
        all_differ = self.distinct is not None or (self.runs is not None and len(self.runs) == 1)
        return all_differ and _is_crowded(self.n_rows, span)

    @property
    def is_row_counter(self) -> bool:
        """Whether they go up, or down, by one with every row."""
        goes_by_one = self.ascending_start is not None or self.descending_start is not None
        return goes_by_one and self.n_rows >= FEW_ROWS


def _only_value(numbers: Integers) -> int | None:
    """The value of numbers that are all equal; None where they are not."""
    return int(numbers[0]) if (numbers == numbers[0]).all() else None


def _all_distinct(numbers: Integers) -> Integers | None:
    """The numbers in ascending order; None where they are too many, or not all different."""
    if len(numbers) > _MAX_NUMBERS_KEPT:
        return None
    ordered = np.unique(numbers)
    return ordered if len(ordered) == len(numbers) else None


def _joined_runs(runs: list[Run]) -> tuple[Run, ...] | None:
    """Join the runs that follow each other; None where their values do not ascend."""
    joined: list[Run] = []
    for run in sorted(runs):
        if not joined or joined[-1].end != run.first_row:
            joined.append(run)
            continue
        before = joined.pop()
        if before.last_value >= run.first_value:
            return None
        joined.append(Run(before.first_row, run.end, before.first_value, run.last_value))
    return tuple(joined)


def _key_sum_of_range(low: int, n: int) -> int:
    """The sum of the keys of ``n`` whole numbers from ``low`` on, modulo 2**64."""
    batch = 1 << 20
    total = 0
    for offset in range(0, n, batch):
        start = np.uint64((low + offset) % 2**64).astype(np.int64)  # int64 wraps around, as the keys do
        numbers = np.arange(min(batch, n - offset)) + start
        total += int(row_keys(numbers).sum(dtype=np.uint64))
    return total % 2**64


def row_keys(rows: Integers) -> NDArray[np.uint64]:
    """A random 64-bit number for every whole number, different for each: the mixer of SplitMix64."""
    keys = rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
