"""Facts of columns that decide, before anything is counted, which of them can serve: values, identifiers, variation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEW_ROWS = 10  # in fewer rows a measurement may well count up by chance
_FEW_FOR_IDENTIFIERS = 20  # in fewer rows a measurement may well differ in every one
_ALMOST_ALL = 0.95  # of the rows have a value of their own
_HEAD = 16  # rows that are looked at first: few columns that are no identifiers differ in all of them

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Profile:
    """What is known of the columns of all rows.

    Attributes
    ----------
    n_rows : int
    has_values : ndarray of bool, shape (n_features,)
        Whether any value is not missing.
    n_categories : ndarray of int, shape (n_features,)
        Different values of a column of categories; 0 for numbers.
    numbers_rows : ndarray of bool, shape (n_features,), or callable that returns one
        Whether a column holds n consecutive whole numbers, each once, in any order; found when it is asked for.
    varies, counts_rows : ndarray of bool, shape (n_features,), or None
        Of rows in parts, whether a column holds different values, and whether it goes up, or down, by one with every
        row; a table in memory is asked for one column at a time.
    """

    n_rows: int
    has_values: Flags
    n_categories: NDArray[np.int64]
    numbers_rows: Flags | Callable[[], Flags]
    varies: Flags | None = None
    counts_rows: Flags | None = None

    def facts(self) -> dict[str, Any]:
        """The same as JSON holds it."""
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in vars(self).items()}

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> Profile:
        """What :meth:`facts` has given."""
        kinds = {"n_categories": np.int64}
        arrays = {
            name: np.array(value, kinds.get(name, bool)) if isinstance(value, list) else value
            for name, value in facts.items()
            if name != "n_rows"
        }
        return cls(n_rows=facts["n_rows"], **arrays)

    @property
    def empty(self) -> list[int]:
        """The columns all of whose values are missing."""
        return np.flatnonzero(~self.has_values).tolist()

    @property
    def identifiers(self) -> list[int]:
        """The columns of text with a value of its own in almost every row, and those that number the rows.

        In fewer than 20 rows there are none.
        """
        if self.n_rows < _FEW_FOR_IDENTIFIERS:
            return []
        own_values = self.n_categories >= _ALMOST_ALL * self.n_rows
        numbers = self.numbers_rows() if callable(self.numbers_rows) else self.numbers_rows
        return np.flatnonzero(own_values | numbers).tolist()


def numbers_rows(values: NDArray[Any]) -> bool:
    """Whether whole numbers are n consecutive ones, each once."""
    if not values_differ_at_first(values):
        return False
    low = int(values.min())
    if int(values.max()) - low != len(values) - 1:
        return False
    places = values.astype(np.int64) - _as_int64(low)  # their difference fits where they themselves do not
    return bool(np.bincount(places).max() == 1)


def values_differ_at_first(values: NDArray[Any]) -> bool:
    """Whether the first rows hold different values, as those of an identifier do."""
    return len(set(values[:_HEAD].tolist())) == min(_HEAD, len(values))


def columns_that_differ_at_first(matrix: NDArray[Any]) -> Flags:
    """Of which columns of a matrix the first rows hold different values."""
    head = np.sort(matrix[:_HEAD], axis=0)
    different: Flags = (head[1:] != head[:-1]).all(axis=0)
    return different


def counts_rows(values: NDArray[Any]) -> bool:
    """Whether whole numbers go up, or down, by one with every row; in fewer than 10 rows that may be chance."""
    if values.dtype.kind not in "iu" or len(values) < FEW_ROWS or abs(int(values[1]) - int(values[0])) != 1:
        return False
    steps = np.diff(values.astype(np.int64))
    return bool((steps == steps[0]).all())


@dataclass(frozen=True)
class RowNumbers:
    """Whether whole numbers that come in parts of the rows number these rows; those of all parts merge.

    n whole numbers between ``low`` and ``low + n - 1`` are all different exactly if they are all of these, and then the
    sum of their keys is that of all of these. A key is a 64-bit number that is as good as random, so that other numbers
    have the same sum once in 2**64.

    Attributes
    ----------
    n, low, high : int
    key : int
        The sum of the keys, modulo 2**64.
    up, down : int or None
        What every value less the number of its row is, and every value plus it; None where that differs.
    """

    n: int
    low: int
    high: int
    key: int
    up: int | None
    down: int | None

    @classmethod
    def of_part(cls, values: NDArray[Any], first_row: int) -> RowNumbers | None:
        """Of the values of some rows, the first of which has that number; None where they cannot number rows."""
        if values.dtype.kind not in "iu" or not len(values) or not values_differ_at_first(values):
            return None
        numbers, rows = values.astype(np.int64), np.arange(first_row, first_row + len(values))
        up, down = numbers - rows, numbers + rows
        return cls(
            len(values),
            int(values.min()),
            int(values.max()),
            int(row_keys(numbers).sum(dtype=np.uint64)),
            int(up[0]) if (up == up[0]).all() else None,
            int(down[0]) if (down == down[0]).all() else None,
        )

    def __add__(self, other: RowNumbers) -> RowNumbers:
        """Of both parts of the rows."""
        return RowNumbers(
            self.n + other.n,
            min(self.low, other.low),
            max(self.high, other.high),
            (self.key + other.key) % 2**64,
            self.up if self.up == other.up else None,
            self.down if self.down == other.down else None,
        )

    @property
    def number_rows(self) -> bool:
        """Whether they are n consecutive whole numbers, each once."""
        if self.high - self.low != self.n - 1:
            return False
        step = 1 << 20
        expected = sum(
            int(row_keys(np.arange(min(step, self.n - place)) + _as_int64(self.low + place)).sum(dtype=np.uint64))
            for place in range(0, self.n, step)
        )
        return expected % 2**64 == self.key

    @property
    def count_rows(self) -> bool:
        """Whether they go up, or down, by one with every row."""
        return self.n >= FEW_ROWS and (self.up is not None or self.down is not None)


def _as_int64(number: int) -> np.int64:
    """A whole number modulo 2**64, as numpy casts one of uint64."""
    return np.uint64(number % 2**64).astype(np.int64)


def row_keys(rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A random 64-bit number for every whole number, different for each: the mixer of SplitMix64."""
    keys = rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
