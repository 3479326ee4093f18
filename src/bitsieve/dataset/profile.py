"""Facts of columns that decide, before anything is counted, which of them can serve, and what a user should know.

An identifier has, in at least 20 rows that have a value, a value of its own in nearly every row: text and categories
in 90 % of them, or in half of them where they are e-mail addresses or free text (five words or more on average); whole
numbers that are consecutive in any order, or all different in so small a range that random ones would not be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.given import Account
from bitsieve.utils.arrays import Flags, Integers

FEW_ROWS = 10  # in fewer rows a measurement may well count up by chance
_FEW_FOR_IDENTIFIERS = 20  # in fewer rows a measurement may well differ in every one
_ALMOST_ALL = 0.9  # of the rows have a value of their own
_HALF = 0.5  # of them, where the values are no categories by their form
_WORDS_OF_TEXT = 5  # on average
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_ARE_ADDRESSES = 0.95  # of the values
_HEAD = 16  # rows that are looked at first: few columns that are no identifiers differ in all of them
_CROWDED = 28  # n**2 / 28 numbers: of so many, n drawn at random are all different once in a million times
_MOST_KEPT = 1 << 18  # rows up to which whole numbers that are not consecutive are known to be different
_SENTINELS = np.array([sign * (10**digits - 1) for digits in range(2, 7) for sign in (-1, 1)], np.float64)
_FEWEST_SENTINELS = 2  # rows
_NAMES_OF_CODES = re.compile(
    r"(?:^|[\W_])(?:zip|zip ?code|post(?:al)? ?(?:code)?|plz|codes?|ids?|sku|fips|naics|sic|ean|isbn)(?:$|[\W_])"
)


@dataclass(frozen=True)
class Noticed:
    """What is worth a note in columns of numbers."""

    # a column, a number such as -999 far from all others, in how many rows it is, and the ends of the others
    sentinels: Sequence[Sequence[Any]] = ()
    codes: Sequence[int] = ()  # columns of whole numbers whose names are those of codes
    missing: Sequence[int] = ()  # columns that hold missing values


@dataclass(frozen=True, eq=False)
class Profile:
    """What is known of the columns of all rows."""

    n_rows: int
    has_values: Flags  # shape (n_features,): whether any value is not missing
    names_rows: Flags  # shape (n_features,): whether a column of text or categories is an identifier
    # shape (n_features,): whether a column of whole numbers is one; found when it is asked for
    numbers_rows: Flags | Callable[[], Flags]
    # shape (n_features,): of rows in parts, whether a column holds different values, and whether it goes up, or down,
    # by one with every row; a table in memory is asked for one column at a time
    varies: Flags | None = None
    counts_rows: Flags | None = None
    accounts: Mapping[int, Account] = field(default_factory=dict)  # how columns of text were read that are not plain
    noticed: Noticed | Callable[[], Noticed] = Noticed()

    def facts(self) -> dict[str, Any]:
        """The same as JSON holds it, of rows in parts."""
        facts = {name: of.tolist() if isinstance(of, np.ndarray) else of for name, of in vars(self).items()}
        accounts = [[j, asdict(account)] for j, account in self.accounts.items()]
        return {**facts, "accounts": accounts, "noticed": asdict(self.what_is_noticed)}

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> Profile:
        """What :meth:`facts` has given."""
        arrays = {name: np.array(value, bool) if isinstance(value, list) else value for name, value in facts.items()}
        accounts = {
            j: Account(**{**of, "unread": tuple((value, n) for value, n in of["unread"])})
            for j, of in facts["accounts"]
        }
        return cls(**dict[str, Any](arrays, accounts=accounts, noticed=Noticed(**facts["noticed"])))

    @property
    def what_is_noticed(self) -> Noticed:
        """What is worth a note in columns of numbers."""
        return self.noticed() if callable(self.noticed) else self.noticed

    @property
    def empty(self) -> list[int]:
        """The columns all of whose values are missing."""
        return np.flatnonzero(~self.has_values).tolist()

    @property
    def identifiers(self) -> list[int]:
        """The columns that name or number the rows; in fewer than 20 rows there are none."""
        if self.n_rows < _FEW_FOR_IDENTIFIERS:
            return []
        numbers = self.numbers_rows() if callable(self.numbers_rows) else self.numbers_rows
        return np.flatnonzero(self.names_rows | numbers).tolist()


def names_rows(categories: NDArray[Any], n_with_value: int) -> bool:
    """Whether a column of these categories, in so many rows that have any, is an identifier."""
    n = len(categories)
    if n_with_value < _FEW_FOR_IDENTIFIERS or n < _HALF * n_with_value:
        return False
    if n >= _ALMOST_ALL * n_with_value:
        return True
    if not isinstance(categories[0], str):
        return False
    texts = categories.tolist()
    n_addresses = sum(_ADDRESS.fullmatch(text.strip()) is not None for text in texts)
    return n_addresses >= _ARE_ADDRESSES * n or sum(len(text.split()) for text in texts) >= _WORDS_OF_TEXT * n


def looks_like_code(name: str, low: Any, high: Any) -> bool:
    """Whether whole numbers from ``low`` to ``high`` of many values have a name that codes have."""
    return int(low) >= 0 and int(high) - int(low) >= _FEW_FOR_IDENTIFIERS and bool(_NAMES_OF_CODES.search(name.lower()))


@dataclass(frozen=True)
class Outlying:
    """How often a column holds each number that may mean a missing value, and the ends of its other numbers."""

    times: Mapping[float, int]
    low: float | None
    high: float | None

    @classmethod
    def of(cls, values: NDArray[Any], low: Any, high: Any, rows: Integers | None = None) -> Outlying:
        """Of some rows, none of them missing, whose ends are known; what lies between other numbers is not counted.

        ``rows``: how many rows have each value; None: one.
        """
        if not np.isin((low, high), _SENTINELS).any():
            return cls({}, float(low), float(high))
        outside = np.isin(values, _SENTINELS)
        rest = values[~outside]
        found, place = np.unique(values[outside], return_inverse=True)
        times = np.bincount(place, None if rows is None else rows[outside], len(found)).astype(np.int64)
        ends = (float(rest.min()), float(rest.max())) if len(rest) else (None, None)
        return cls(dict(zip(found.astype(float).tolist(), times.tolist(), strict=True)), *ends)

    def __add__(self, other: Outlying) -> Outlying:
        """Of both parts of the rows."""
        lows, highs = (
            [end for end in ends if end is not None] for ends in ((self.low, other.low), (self.high, other.high))
        )
        values = {*self.times, *other.times}
        times = {value: self.times.get(value, 0) + other.times.get(value, 0) for value in values}
        return Outlying(times, min(lows, default=None), max(highs, default=None))

    @property
    def sentinels(self) -> list[tuple[float, int, float, float]]:
        """The numbers in several rows that are further from the others than these are from each other."""
        low, high = self.low, self.high
        if low is None or high is None or low == high:
            return []
        far = [value for value in sorted(self.times) if max(value - high, low - value) > high - low]
        return [(value, self.times[value], low, high) for value in far if self.times[value] >= _FEWEST_SENTINELS]


def may_outlie(low: NDArray[Any], high: NDArray[Any]) -> Flags:
    """Of columns with these ends, which may hold numbers that mean a missing value."""
    return np.isin(low, _SENTINELS) | np.isin(high, _SENTINELS)


def numbers_rows(values: NDArray[Any]) -> bool:
    """Whether whole numbers number the rows: n consecutive ones, each once, or all different and crowded."""
    if not values_differ_at_first(values):
        return False
    n, span = len(values), int(values.max()) - int(values.min())
    found = RowNumbers.of_part(values, 0) if span == n - 1 or _crowded(n, span) else None
    return found is not None and found.number_rows


def _crowded(n: int, span: int) -> bool:
    """Whether n numbers in a range would hardly be all different by chance."""
    return n - 1 < span < n * n // _CROWDED


def values_differ_at_first(values: NDArray[Any]) -> bool:
    """Whether the first rows hold different values, as those of an identifier do."""
    return len(set(values[:_HEAD].tolist())) == min(_HEAD, len(values))


def columns_that_differ_at_first(matrix: NDArray[Any]) -> Flags:
    """Of which columns of a matrix the first rows hold different values."""
    head = np.sort(matrix[:_HEAD], axis=0)
    different: Flags = (head[1:] != head[:-1]).all(axis=0)
    return different


@dataclass(frozen=True)
class RowNumbers:
    """Whether whole numbers that come in parts of the rows number these rows; those of all parts merge.

    n whole numbers between ``low`` and ``low + n - 1`` are all different exactly if they are all of these, and then the
    sum of their keys is that of all of these. A key is a 64-bit number that is as good as random, so that other numbers
    have the same sum once in 2**64.
    """

    n: int
    low: int
    high: int
    key: int  # the sum of the keys, modulo 2**64
    up: int | None  # what every value less the number of its row is, and every value plus it; None where that differs
    down: int | None
    kept: Integers | None  # all of them, ascending; None where they are too many, or not all different
    # of rows that follow each other the first and the one behind the last, and their values, which ascend
    runs: tuple[tuple[int, int, int, int], ...] | None

    @classmethod
    def of_part(cls, values: NDArray[Any], first_row: int, times: Integers | None = None) -> RowNumbers | None:
        """Of the values of some rows, the first of which has that number; None where they cannot number rows.

        ``times``: how many rows each value is of, where rows have no order.
        """
        if values.dtype.kind not in "iu" or not len(values) or not values_differ_at_first(values):
            return None
        if times is not None and (times > 1).any():
            return None
        numbers, rows = values.astype(np.int64), np.arange(first_row, first_row + len(values))
        up, down = numbers - rows, numbers + rows
        ends = int(values[0]), int(values[-1])
        ordered = times is None
        return cls(
            len(values),
            int(values.min()),
            int(values.max()),
            int(row_keys(numbers).sum(dtype=np.uint64)),
            int(up[0]) if ordered and (up == up[0]).all() else None,
            int(down[0]) if ordered and (down == down[0]).all() else None,
            _all_different(numbers),
            ((first_row, first_row + len(values), *ends),) if (values[1:] > values[:-1]).all() else None,
        )

    @classmethod
    def of_range(cls, low: int, n: int) -> RowNumbers:
        """Of the ``n`` whole numbers from ``low`` on, each once, in rows that have no order."""
        return cls(n, low, low + n - 1, _key_of_range(low, n), None, None, None, None)

    def __add__(self, other: RowNumbers) -> RowNumbers:
        """Of both parts of the rows."""
        return RowNumbers(
            self.n + other.n,
            min(self.low, other.low),
            max(self.high, other.high),
            (self.key + other.key) % 2**64,
            self.up if self.up == other.up else None,
            self.down if self.down == other.down else None,
            None if self.kept is None or other.kept is None else _all_different(np.r_[self.kept, other.kept]),
            None if self.runs is None or other.runs is None else _joined_runs([*self.runs, *other.runs]),
        )

    @property
    def number_rows(self) -> bool:
        """Whether they are n consecutive whole numbers, each once, or all different and crowded."""
        if self.high - self.low != self.n - 1:
            different = self.kept is not None or (self.runs is not None and len(self.runs) == 1)
            return different and _crowded(self.n, self.high - self.low)
        return _key_of_range(self.low, self.n) == self.key

    @property
    def count_rows(self) -> bool:
        """Whether they go up, or down, by one with every row."""
        return self.n >= FEW_ROWS and (self.up is not None or self.down is not None)


def _all_different(numbers: Integers) -> Integers | None:
    """Numbers in ascending order; None where they are too many, or not all different."""
    ordered = np.unique(numbers) if len(numbers) <= _MOST_KEPT else numbers[:0]
    return ordered if len(ordered) == len(numbers) else None


def _joined_runs(runs: list[tuple[int, int, int, int]]) -> tuple[tuple[int, int, int, int], ...] | None:
    """Runs of rows, those joined that follow each other; None where their values do not ascend."""
    joined: list[tuple[int, int, int, int]] = []
    for run in sorted(runs):
        if joined and joined[-1][1] == run[0]:
            first, _, low, last = joined.pop()
            if last >= run[2]:
                return None
            run = first, run[1], low, run[3]
        joined.append(run)
    return tuple(joined)


def _key_of_range(low: int, n: int) -> int:
    """The sum of the keys of ``n`` whole numbers from ``low`` on, modulo 2**64."""
    step = 1 << 20
    starts = np.array([(low + place) % 2**64 for place in range(0, n, step)], np.uint64).astype(np.int64)
    parts = (row_keys(np.arange(min(step, n - step * b)) + start) for b, start in enumerate(starts))
    return sum(int(keys.sum(dtype=np.uint64)) for keys in parts) % 2**64


def row_keys(rows: Integers) -> NDArray[np.uint64]:
    """A random 64-bit number for every whole number, different for each: the mixer of SplitMix64."""
    keys = rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
