"""What a pass over the rows keeps of their columns: distinct numbers, a sample of rows, kinds and ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import log, sqrt
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.column_info import ColumnInfo
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import distinct, lookup
from bitsieve.dataset.identifiers import FEWEST_ROWS, RowNumbering, are_names_of_rows, has_name_of_code, row_keys
from bitsieve.dataset.sentinels import SentinelCounts
from bitsieve.dataset.value_ranges import MISSING, NUMBERS
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers

Kind = np.dtype[Any]
_TRIED_FIRST = 1 << 16  # rows that show whether a column has only different numbers


@dataclass(frozen=True, eq=False)
class Distinct:
    """Distinct numbers or categories, and their counts."""

    values: NDArray[Any]  # ascending, none of them missing
    # shape (n_values, n_classes): how many samples of each class have each number, or how many rows each category
    counts: Integers

    @classmethod
    def of_samples(
        cls,
        values: NDArray[Any],  # shape (n_samples,): none of them missing
        classes: NDArray[Any] | None,  # shape (n_samples,): None: all of one class
        n_classes: int,
        weights: Integers | None,  # shape (n_samples,): frequency weights
        most: int,  # the most cells of ``counts``
    ) -> Distinct | None:
        """Count the values of some samples."""
        first = values[:_TRIED_FIRST]
        if len(first) * n_classes > most and len(distinct(first)) * n_classes > most:
            return None
        # Fractions are sorted with their places sooner than all of them are looked up.
        found: Any = np.unique(values, return_inverse=True) if values.dtype.kind == "f" else [distinct(values)]
        known, *place = found
        if len(known) * n_classes > most:
            return None
        [cells] = place or [lookup(values, known)]
        cells = cells if classes is None else cells * n_classes + classes
        # Weights sum to 2**31 at most: the floats that bincount makes of them are exact.
        counts = np.bincount(cells, weights, len(known) * n_classes).astype(np.int64)
        return cls(known, counts.reshape(-1, n_classes))

    @classmethod
    def of_codes(cls, values: NDArray[Any], low: Any, high: Any, most: int) -> Distinct | None:
        """The distinct ones of numbers of known ends, each counted once; None: more than ``most``."""
        found = distinct(values, low, high)
        return cls(found, np.ones((len(found), 1), np.int64)) if len(found) <= most else None

    @classmethod
    def merged(cls, parts: Sequence[Distinct], kind: Kind | None, most: int, what: str) -> Distinct | None:
        """The distinct categories of all parts, or numbers in one type; None: more than ``most`` cells of numbers."""
        if len(parts) == 1 and kind in (None, parts[0].values.dtype):
            return parts[0]
        given = [part.values if kind is None else part.values.astype(kind) for part in parts]
        values = union_of_categories(given, what) if kind is None else np.unique(np.concatenate(given))
        n_classes = parts[0].counts.shape[1]
        if kind is not None and len(values) * n_classes > most:
            return None
        counts = np.zeros((len(values), n_classes), np.int64)  # numbers that lose digits may meet
        for numbers, part in zip(given, parts, strict=True):
            np.add.at(counts, np.searchsorted(values, numbers), part.counts)
        return cls(values, counts)


_CERTAINTY = 0.99


@dataclass(frozen=True, eq=False)
class RowSample:
    """The rows with the smallest keys, where a key is a random number that belongs to the number of the row."""

    size: int  # most rows that are kept; all of them where there are no more
    rows: Integers  # the numbers of the rows that are kept, ascending
    n_rows: int  # rows of which they are the sample
    columns: list[NDArray[Any] | None]  # the numbers of every numeric column in these rows; None for categories
    classes: NDArray[Any] | None  # the classes of these rows
    weights: Integers | None  # their frequency weights

    @classmethod
    def of_part(
        cls, table: InMemoryDataset, row_numbers: Integers, size: int, known: RowSample | None = None
    ) -> RowSample:
        """The sample of rows of these numbers, without those that the sample ``known`` of other parts rules out."""
        if known is not None and len(known.rows) == size:
            hopeful = np.flatnonzero(row_keys(row_numbers) < row_keys(known.rows).max())
            kept = hopeful[smallest(row_numbers[hopeful], size)]
        else:
            kept = smallest(row_numbers, size)
        return cls(
            size,
            row_numbers[kept],
            len(row_numbers),
            [np.asarray(table.values(j))[kept] if table.is_numeric(j) else None for j in range(table.n_features)],
            None if table.y is None else table.y.codes[kept],
            None if table.weights is None else table.weights[kept],
        )

    @classmethod
    def merged(cls, parts: Sequence[RowSample]) -> RowSample:
        """The sample of all parts of the rows together, in any order."""
        if len(parts) == 1:
            return parts[0]
        rows = np.concatenate([part.rows for part in parts])
        order = np.argsort(rows, kind="stable")
        order = order[smallest(rows[order], parts[0].size)]

        def together(arrays: list[Any], missing: Any) -> Any:
            """The chosen rows of an array of which some parts may have nothing but a value for what is missing."""
            if all(array is None for array in arrays):
                return None
            filled = [
                np.full(len(part.rows), missing) if array is None else array
                for part, array in zip(parts, arrays, strict=True)
            ]
            return np.concatenate(filled)[order]

        return cls(
            parts[0].size,
            rows[order],
            sum(part.n_rows for part in parts),
            [together(list(of_column), np.nan) for of_column in zip(*(part.columns for part in parts), strict=True)],
            together([part.classes for part in parts], 0),
            together([part.weights for part in parts], 1),
        )

    @property
    def rank_error(self) -> float:
        """By what share of the samples the rank of any cut may be off: Massart's bound, in 99 of 100 cases."""
        return 0.0 if self.n_rows <= self.size else sqrt(log(2 / (1 - _CERTAINTY)) / (2 * self.size))


def smallest(rows: Integers, size: int) -> Columns:
    """The places of the rows with the ``size`` smallest keys, ascending."""
    if len(rows) <= size:
        return np.arange(len(rows))
    return np.sort(np.argpartition(row_keys(rows), size)[:size])


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """What some rows of one column hold."""

    holds: int  # bits of :mod:`bitsieve.dataset.value_ranges`
    kind: Kind | None  # of the numbers; None for categories
    low: Any = None  # the smallest and the largest; None where there is none
    high: Any = None
    n_missing: int = 0  # samples whose value is missing
    distinct: Distinct | None = None  # None where numbers were too many, or nobody asked for them
    row_numbering: RowNumbering | None = None  # of whole numbers that may number the rows; None where they cannot
    is_text: bool = False  # whether the categories are text, which may mean something else
    sentinels: SentinelCounts | None = None  # of numbers; None where all are missing
    # by what share of the samples the rank of a cut may be off, where ``distinct`` are the ends of intervals
    rank_error: float = 0.0

    @property
    def is_empty(self) -> bool:
        """Whether every value is missing, so that the column may be of any kind."""
        return not self.holds & NUMBERS

    @property
    def varies(self) -> bool:
        """Whether it holds different values; missing is one."""
        if self.kind is None and self.distinct is not None:
            return len(self.distinct.values) + (self.n_missing > 0) > 1
        return self.low is not None and bool(self.low < self.high or self.n_missing > 0)

    def is_identifier(self, n_rows: int) -> bool:
        """Whether it has a name or a number for each of so many rows."""
        if self.kind is None:
            categories = self.distinct
            return categories is not None and are_names_of_rows(categories.values, int(categories.counts.sum()))
        if self.row_numbering is None or self.n_missing or n_rows < FEWEST_ROWS:
            return False
        return self.row_numbering.are_row_numbers

    @property
    def is_row_counter(self) -> bool:
        """Whether it goes up, or down, by one with every row."""
        if self.row_numbering is None or self.n_missing:
            return False
        return self.row_numbering.is_row_counter

    def info(self, name: str | None, n_rows: int) -> ColumnInfo:
        """What is known of the column, which is called so and has so many rows."""
        holds_integers = self.kind is not None and self.kind.kind in "iu" and self.low is not None
        return ColumnInfo(
            has_values=not self.is_empty,
            has_missing=bool(self.holds & MISSING),
            is_identifier=self.is_identifier(n_rows),
            is_constant=not self.varies,
            is_row_counter=self.is_row_counter,
            has_name_of_code=holds_integers and name is not None and has_name_of_code(name, self.low, self.high),
            sentinels=() if self.sentinels is None else self.sentinels.sentinels,
        )

    @property
    def has_uncounted(self) -> bool:
        """Whether it holds numbers of which the distinct ones are not known."""
        return self.kind is not None and self.distinct is None and not self.is_empty

    @property
    def values(self) -> NDArray[Any] | None:
        """The sorted categories or distinct numbers; None where they were too many."""
        return None if self.distinct is None else self.distinct.values

    def adds_no_code_to(self, known: ColumnSummary) -> bool:
        """Whether the rows that ``known`` is of have the same codes with these rows as without them."""
        mine, others = self.values, known.values
        if self.kind != known.kind or self.holds | known.holds != known.holds or mine is None or others is None:
            return False
        if len(mine) == len(others):
            return bool(np.all(mine == others))
        if len(mine) > len(others) or mine.dtype != others.dtype:
            return False
        if mine.dtype.kind == "O":
            return set(mine.tolist()) <= set(others.tolist())
        return bool((lookup(mine, others) >= 0).all())

    @classmethod
    def merged(cls, parts: Sequence[ColumnSummary], what: str, most: int) -> ColumnSummary:
        """What all parts of the rows hold, in their order, with ``most`` cells of distinct numbers at most."""
        if len(parts) == 1:
            return parts[0]
        holds = int(np.bitwise_or.reduce([part.holds for part in parts]))
        n_missing = sum(part.n_missing for part in parts)
        filled = [part for part in parts if not part.is_empty] or list(parts)
        if len({part.kind is None for part in filled}) > 1 and holds & NUMBERS:
            raise changes_kind(what, "numbers", "text or categories")
        if filled[0].kind is None:  # numbers all of which are missing may be among them
            tables = [part.distinct for part in filled if part.kind is None and part.distinct is not None]
            is_text, together = any(part.is_text for part in filled), Distinct.merged(tables, None, most, what)
            return cls(holds, None, n_missing=n_missing, distinct=together, is_text=is_text)
        tables = [part.distinct for part in filled if part.distinct is not None]
        kind = np.result_type(*(part.kind for part in filled if part.kind is not None))
        if holds & MISSING and kind.kind != "f":  # whole numbers of which some are missing
            kind = np.dtype(np.float64)
        known = [part for part in filled if part.low is not None]
        numberings = [part.row_numbering for part in parts if part.row_numbering is not None]
        return cls(
            holds,
            kind,
            min((part.low for part in known), default=None),
            max((part.high for part in known), default=None),
            n_missing,
            distinct=Distinct.merged(tables, kind, most, what) if len(tables) == len(filled) else None,
            row_numbering=reduce(add, numberings) if len(numberings) == len(parts) else None,
            sentinels=reduce(add, [part.sentinels for part in filled if part.sentinels is not None]) if known else None,
        )


def union_of_categories(parts: Sequence[NDArray[Any]], what: str) -> NDArray[Any]:
    """The sorted categories of all parts of a column."""
    if all(len(part) == len(parts[0]) and bool(np.all(part == parts[0])) for part in parts[1:]):
        return parts[0]
    try:
        return np.unique(np.concatenate(parts))
    except TypeError:
        kinds = sorted({type(part[0]).__name__ for part in parts if len(part)})
        raise changes_kind(what, f"categories of type {kinds[0]}", f"of type {kinds[-1]}") from None


def changes_kind(what: str, before: str, after: str) -> UserError:
    """The error for a column that is of one kind in some rows and of another in others."""
    return UserError(
        code="mixed-values",
        message=f"{what} holds {before} in some parts of the data and {after} in others",
        advice="make it of one kind",
    )
