"""Summaries of columns, found in a pass over the rows: distinct numbers, a sample of rows, types and ranges."""

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
from bitsieve.dataset.identifiers import (
    MIN_ROWS_OF_IDENTIFIER,
    RowNumbering,
    are_names_of_rows,
    has_name_of_code,
    row_keys,
)
from bitsieve.dataset.sentinels import SentinelCounts
from bitsieve.dataset.value_ranges import MISSING, NUMBERS
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers, Values

Kind = np.dtype[Any]
_N_FIRST_ROWS = 1 << 16  # if these alone have too many distinct numbers, the others are not counted
_CONFIDENCE = 0.99  # with which the rank error of a sample is below its bound


@dataclass(frozen=True, eq=False)
class Distinct:
    """Distinct numbers or categories, and their counts."""

    values: Values  # ascending, none of them missing
    counts: Integers  # shape (n_values, n_classes): the samples of each class; for categories the number of rows

    @classmethod
    def of_samples(
        cls,
        values: Values,
        classes: Values | None,
        n_classes: int,
        weights: Integers | None,
        max_cells: int,
    ) -> Distinct | None:
        """Count the values of some samples.

        Parameters
        ----------
        values : array of shape (n_samples,)
            None of them missing.
        classes : array of shape (n_samples,), optional
            By default all samples are of one class.
        n_classes : int
            The number of classes.
        weights : array of shape (n_samples,), optional
            Frequency weights.
        max_cells : int
            The largest size of ``counts``.

        Returns
        -------
        Distinct or None
            None if ``counts`` would have more than ``max_cells`` cells.
        """
        first = values[:_N_FIRST_ROWS]
        if len(first) * n_classes > max_cells and len(distinct(first)) * n_classes > max_cells:
            return None
        if values.dtype.kind == "f":  # sorting floats with their indices is faster than looking all of them up
            categories, codes = np.unique(values, return_inverse=True)
        else:
            categories = distinct(values)
            codes = None
        if len(categories) * n_classes > max_cells:
            return None
        cells: NDArray[np.signedinteger] = lookup(values, categories) if codes is None else codes
        if classes is not None:
            cells = cells * n_classes + classes
        # Weights sum to 2**31 at most: the floats that bincount makes of them are exact.
        counts = np.bincount(cells, weights, len(categories) * n_classes).astype(np.int64)
        return cls(categories, counts.reshape(-1, n_classes))

    @classmethod
    def of_codes(cls, values: Values, low: Any, high: Any, max_cells: int) -> Distinct | None:
        """Find the distinct numbers, each counted once, given the smallest and the largest; None for too many."""
        numbers = distinct(values, low, high)
        if len(numbers) > max_cells:
            return None
        return cls(numbers, np.ones((len(numbers), 1), np.int64))

    @classmethod
    def merged(cls, partitions: Sequence[Distinct], kind: Kind | None, max_cells: int, what: str) -> Distinct | None:
        """Merge the distinct values of partitions.

        Parameters
        ----------
        partitions : sequence of Distinct
            One for each partition.
        kind : dtype or None
            The type of the numbers in all partitions; None for categories.
        max_cells : int
            The largest size of ``counts`` for numbers.
        what : str
            What messages call the column.

        Returns
        -------
        Distinct or None
            None if numbers would have more than ``max_cells`` cells.
        """
        if len(partitions) == 1 and kind in (None, partitions[0].values.dtype):
            return partitions[0]
        n_classes = partitions[0].counts.shape[1]
        if kind is None:
            values_of_partitions = [partition.values for partition in partitions]
            values = union_of_categories(values_of_partitions, what)
        else:
            values_of_partitions = [partition.values.astype(kind) for partition in partitions]
            values = np.unique(np.concatenate(values_of_partitions))
            if len(values) * n_classes > max_cells:
                return None
        counts = np.zeros((len(values), n_classes), np.int64)
        for values_of_partition, partition in zip(values_of_partitions, partitions, strict=True):
            # Not ``counts[...] +=``: different numbers of a partition may be equal in the common type.
            np.add.at(counts, np.searchsorted(values, values_of_partition), partition.counts)
        return cls(values, counts)


@dataclass(frozen=True, eq=False)
class RowSample:
    """A random sample of the rows: those with the smallest keys.

    The key of a row is a random number that depends on nothing but the number of the row, so the sample is the same
    however the rows are cut into partitions.
    """

    size: int  # rows in the sample; all rows where these are fewer
    rows: Integers  # the numbers of the sampled rows, ascending
    n_rows: int  # rows from which the sample was drawn
    columns: list[Values | None]  # the numbers of every numeric column in these rows; None for categories
    classes: Values | None  # the classes of these rows
    weights: Integers | None  # their frequency weights

    @classmethod
    def of_part(
        cls, table: InMemoryDataset, row_numbers: Integers, size: int, earlier: RowSample | None = None
    ) -> RowSample:
        """Draw a sample of the rows of a table.

        ``earlier`` is the sample of other partitions: rows that it rules out of the merged sample are left out.
        """
        candidates = np.arange(len(row_numbers))
        if earlier is not None and len(earlier.rows) == size:
            largest_key = row_keys(earlier.rows).max()
            candidates = np.flatnonzero(row_keys(row_numbers) < largest_key)
        indices = candidates[smallest(row_numbers[candidates], size)]
        columns = []
        for j in range(table.n_features):
            columns.append(np.asarray(table.values(j))[indices] if table.is_numeric(j) else None)
        return cls(
            size=size,
            rows=row_numbers[indices],
            n_rows=len(row_numbers),
            columns=columns,
            classes=None if table.y is None else table.y.codes[indices],
            weights=None if table.weights is None else table.weights[indices],
        )

    @classmethod
    def merged(cls, partitions: Sequence[RowSample]) -> RowSample:
        """Merge the samples of partitions, in any order."""
        if len(partitions) == 1:
            return partitions[0]
        rows = np.concatenate([partition.rows for partition in partitions])
        order = np.argsort(rows, kind="stable")
        order = order[smallest(rows[order], partitions[0].size)]

        def join(arrays: Sequence[Values | None], default: float) -> Values | None:
            """Join an array of every partition; ``default`` fills those that a partition does not have."""
            if all(array is None for array in arrays):
                return None
            filled = [
                np.full(len(partition.rows), default) if array is None else array
                for partition, array in zip(partitions, arrays, strict=True)
            ]
            return np.concatenate(filled)[order]

        columns = []
        for j in range(len(partitions[0].columns)):
            columns.append(join([partition.columns[j] for partition in partitions], np.nan))
        return cls(
            size=partitions[0].size,
            rows=rows[order],
            n_rows=sum(partition.n_rows for partition in partitions),
            columns=columns,
            classes=join([partition.classes for partition in partitions], 0),
            weights=join([partition.weights for partition in partitions], 1),
        )

    @property
    def rank_error(self) -> float:
        """The largest error of the rank of any cut, as a share of the samples; 0 for a sample of all rows.

        The bound of Massart (1990) for n sampled rows: ``P(error > e) <= 2 exp(-2 n e**2)``, solved for e at 1 %.
        """
        if self.n_rows <= self.size:
            return 0.0
        return sqrt(log(2 / (1 - _CONFIDENCE)) / (2 * self.size))


def smallest(row_numbers: Integers, size: int) -> Columns:
    """The indices of the rows with the ``size`` smallest keys, ascending."""
    if len(row_numbers) <= size:
        return np.arange(len(row_numbers))
    return np.sort(np.argpartition(row_keys(row_numbers), size)[:size])


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """What some rows of one column hold."""

    content: int  # bits such as MISSING of :mod:`bitsieve.dataset.value_ranges`
    kind: Kind | None  # the type of the numbers; None for categories
    low: Any = None  # the smallest number; None where there is none
    high: Any = None  # the largest number; None where there is none
    n_missing: int = 0  # samples whose value is missing
    distinct: Distinct | None = None  # None where there were too many numbers, or the binner needs none
    row_numbering: RowNumbering | None = None  # of integers that may number the rows; None where they cannot
    is_text: bool = False  # whether the categories are text, which may mean numbers or times
    sentinels: SentinelCounts | None = None  # of numbers; None where all are missing
    has_declared_order: bool = False  # whether the type of the categories declares an order, which is not kept
    rank_error: float = 0.0  # where ``distinct`` are ends of intervals: the largest error of the rank of a cut

    @property
    def is_empty(self) -> bool:
        """Whether every value is missing, so that the column may be of any kind."""
        return not self.content & NUMBERS

    @property
    def is_constant(self) -> bool:
        """Whether all values are equal; missing is a value of its own."""
        n_values = int(self.n_missing > 0)
        if self.kind is None and self.distinct is not None:
            n_values += len(self.distinct.values)
        elif self.low is not None:
            n_values += 1 if self.low == self.high else 2
        return n_values <= 1

    def is_identifier(self, n_rows: int) -> bool:
        """Whether the column has a name or a number for each of ``n_rows`` rows."""
        if self.kind is None:
            categories = self.distinct
            return categories is not None and are_names_of_rows(categories.values, int(categories.counts.sum()))
        if self.row_numbering is None or self.n_missing or n_rows < MIN_ROWS_OF_IDENTIFIER:
            return False
        return self.row_numbering.are_row_numbers

    @property
    def is_row_counter(self) -> bool:
        """Whether the numbers increase by one, or decrease by one, with every row."""
        if self.row_numbering is None or self.n_missing:
            return False
        return self.row_numbering.is_row_counter

    def info(self, name: str | None, n_rows: int) -> ColumnInfo:
        """The facts of the column; ``name`` is None in a table without names."""
        holds_integers = self.kind is not None and self.kind.kind in "iu" and self.low is not None
        return ColumnInfo(
            has_values=not self.is_empty,
            has_missing=bool(self.content & MISSING),
            is_identifier=self.is_identifier(n_rows),
            is_constant=self.is_constant,
            is_row_counter=self.is_row_counter,
            has_name_of_code=holds_integers and name is not None and has_name_of_code(name, self.low, self.high),
            sentinels=() if self.sentinels is None else self.sentinels.sentinels,
        )

    @property
    def has_uncounted(self) -> bool:
        """Whether the column holds numbers whose distinct values were too many to count."""
        return self.kind is not None and self.distinct is None and not self.is_empty

    @property
    def values(self) -> Values | None:
        """The sorted categories or distinct numbers; None where they were too many."""
        return None if self.distinct is None else self.distinct.values

    def adds_no_code_to(self, other: ColumnSummary) -> bool:
        """Whether all values of this summary occur in ``other``, so that merging them changes no code of ``other``."""
        values = self.values
        other_values = other.values
        if values is None or other_values is None or self.kind != other.kind:
            return False
        if self.content & ~other.content:
            return False
        if len(values) == len(other_values):
            return bool(np.all(values == other_values))
        if len(values) > len(other_values) or values.dtype != other_values.dtype:
            return False
        if values.dtype.kind == "O":
            return set(values.tolist()) <= set(other_values.tolist())
        return bool((lookup(values, other_values) >= 0).all())

    @classmethod
    def merged(cls, partitions: Sequence[ColumnSummary], what: str, max_cells: int) -> ColumnSummary:
        """Merge the summaries of partitions, in the order of their rows.

        ``what`` is what messages call the column; of distinct numbers at most ``max_cells`` cells are kept.
        """
        if len(partitions) == 1:
            return partitions[0]
        content = int(np.bitwise_or.reduce([partition.content for partition in partitions]))
        filled = [partition for partition in partitions if not partition.is_empty] or list(partitions)
        are_categories = [partition.kind is None for partition in filled]
        if content & NUMBERS and any(are_categories) and not all(are_categories):
            raise changes_kind(what, "numbers", "text or categories")
        if filled[0].kind is None:
            return cls._merged_categories(partitions, filled, content, what, max_cells)
        return cls._merged_numbers(partitions, filled, content, what, max_cells)

    @classmethod
    def _merged_categories(
        cls,
        partitions: Sequence[ColumnSummary],
        filled: Sequence[ColumnSummary],
        content: int,
        what: str,
        max_cells: int,
    ) -> ColumnSummary:
        categories = []
        for partition in filled:
            # If all values are missing, some partitions may have been read as numbers.
            if partition.kind is None and partition.distinct is not None:
                categories.append(partition.distinct)
        return cls(
            content,
            kind=None,
            n_missing=sum(partition.n_missing for partition in partitions),
            distinct=Distinct.merged(categories, None, max_cells, what),
            is_text=any(partition.is_text for partition in filled),
            has_declared_order=any(partition.has_declared_order for partition in filled),
        )

    @classmethod
    def _merged_numbers(
        cls,
        partitions: Sequence[ColumnSummary],
        filled: Sequence[ColumnSummary],
        content: int,
        what: str,
        max_cells: int,
    ) -> ColumnSummary:
        kind = np.result_type(*[partition.kind for partition in filled if partition.kind is not None])
        if content & MISSING and kind.kind != "f":  # integers, some of which are missing
            kind = np.dtype(np.float64)
        numbers = [partition.distinct for partition in filled if partition.distinct is not None]
        all_are_counted = len(numbers) == len(filled)
        lows = [partition.low for partition in filled if partition.low is not None]
        highs = [partition.high for partition in filled if partition.high is not None]
        numberings = [partition.row_numbering for partition in partitions if partition.row_numbering is not None]
        can_be_row_number = len(numberings) == len(partitions)
        sentinels = [partition.sentinels for partition in filled if partition.sentinels is not None]
        return cls(
            content,
            kind,
            low=min(lows, default=None),
            high=max(highs, default=None),
            n_missing=sum(partition.n_missing for partition in partitions),
            distinct=Distinct.merged(numbers, kind, max_cells, what) if all_are_counted else None,
            row_numbering=reduce(add, numberings) if can_be_row_number else None,
            sentinels=reduce(add, sentinels) if sentinels else None,
        )


def union_of_categories(partitions: Sequence[Values], what: str) -> Values:
    """The sorted categories of all partitions of a column."""
    first = partitions[0]
    if all(len(partition) == len(first) and bool(np.all(partition == first)) for partition in partitions[1:]):
        return first
    try:
        return np.unique(np.concatenate(partitions))
    except TypeError:
        kinds = sorted({type(partition[0]).__name__ for partition in partitions if len(partition)})
        raise changes_kind(what, f"categories of type {kinds[0]}", f"of type {kinds[-1]}") from None


def union_of_values(first: Values, second: Values, what: str) -> Values:
    """The sorted values of both; numbers and text are refused. ``what`` is what messages call the column."""
    if not len(second):
        return first
    if not len(first):
        return second
    if (first.dtype.kind in "iuf") != (second.dtype.kind in "iuf"):
        raise changes_kind(what, "numbers", "text or categories")
    return union_of_categories([first, second], what)


def changes_kind(what: str, before: str, after: str) -> UserError:
    """The error for a column that is of one kind in some rows and of another in others."""
    return UserError(
        code="mixed-values",
        message=f"{what} holds {before} in some parts of the data and {after} in others",
        advice="make it of one kind",
    )
