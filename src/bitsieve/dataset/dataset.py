"""A table of features with its target, weights and names. Its rows are in memory, or are counted elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from bitsieve.counts.threads import spread
from bitsieve.dataset.column_info import ColumnInfo
from bitsieve.dataset.describe_columns import describe_columns
from bitsieve.dataset.encoding import SMALL_RANGE, ColumnValues, Encoded, all_missing, are_categories, encode, take_rows
from bitsieve.dataset.identifiers import (
    RowNumbering,
)
from bitsieve.dataset.original import OriginalData
from bitsieve.dataset.rank_test import RankTest, rank_tests
from bitsieve.dataset.sparse import StoredColumns
from bitsieve.dataset.target import Target
from bitsieve.dataset.text_format import TextMeaning
from bitsieve.dataset.value_ranges import (
    MISSING,
    InspectedColumns,
    NamedColumns,
    ValueRanges,
    find_value_ranges,
)
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.utils.arrays import Columns, Floats, Integers, Values
from bitsieve.utils.column_names import TARGET
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.messages import needs_dense_rows
from bitsieve.utils.types import Label

#: The capabilities of a table whose rows can all be counted; see :class:`~bitsieve.methods.method.Method`.
COUNTS = frozenset({"tables", "partition", "joined", "independent", "unstratified"})
RANKED_VALUES_AT_ONCE = 1 << 22  # of the columns whose ranks are tested together
RANKED_VALUES_A_THREAD = 1 << 14  # with fewer the start of a thread does not pay


class Approximation(NamedTuple):
    """Columns of too many distinct numbers to count them all, whose bins are approximate."""

    columns: tuple[int, ...]
    rank_error: float  # the largest error of the rank of a cut, as a share of the samples
    from_intervals: bool  # True if the numbers were counted in intervals, False if a sample of the rows was drawn
    rows_in_memory: int | None = None  # rows of a sample that the memory of the user limits; None where it does not


class Dataset(NamedColumns, ABC):
    """A table of samples with a target."""

    #: The data that a user gave to ``select``. None for data that was given to ``fit``, and for a subset of the rows.
    original: OriginalData | None
    diagnostics: tuple[Diagnostic, ...]  # what was noticed when the data was read
    dropped: tuple[int, ...]  # the columns that no method may select; see :meth:`without`

    @property
    def capabilities(self) -> frozenset[str]:
        """What can be done with the table; a method names the capabilities that it requires."""
        return COUNTS

    @property
    def role_of_column(self) -> dict[str, str]:
        """What the columns of the data that are no features are, by their names."""
        roles = {} if self.original is None else self.original.role_of_column
        return roles | dict.fromkeys(self.target.names, TARGET)

    @property
    def can_leave_out(self) -> bool:
        """Whether a user can leave out columns."""
        return True

    @property
    def rows(self) -> InMemoryDataset | None:
        """The table itself if its rows are in memory; None if an engine counts them elsewhere."""
        return None

    def required_rows(self) -> InMemoryDataset:
        """:attr:`rows` of a table in memory; any other table is refused."""
        rows = self.rows
        if rows is None:
            raise UserError(
                code="rows-not-in-memory",
                message="the rows are not in memory",
                advice="give a table in memory",
            )
        return rows

    @property
    @abstractmethod
    def n_samples(self) -> int:
        """Number of rows; those of weight 0 were left out."""

    @property
    def total_weight(self) -> int:
        """The sum of the frequency weights; the number of samples without weights."""
        return self.n_samples

    @property
    @abstractmethod
    def target(self) -> Target:
        """The classes of all rows."""

    @property
    def has_target(self) -> bool:
        """Whether there is a target."""
        return True

    @property
    def class_counts_of_strata(self) -> Integers | None:
        """The samples of every class in every stratum, shape (n_strata, n_classes); None without strata.

        Rows that are not in memory must be counted first.
        """
        return None

    @property
    def is_sparse(self) -> bool:
        """Whether only the values that are not zero are stored."""
        return False

    @property
    def target_rank_error(self) -> float:
        """The largest error of the rank of an edge of the target, as a share of the samples; 0 for exact edges."""
        return 0.0

    @property
    def approximation(self) -> Approximation | None:
        """The columns whose bins are approximate; None where all bins are exact."""
        return None

    @property
    def coded_arities(self) -> Integers | None:
        """One more than the largest code that occurs in each column; None where the rows are in memory."""
        return None

    @abstractmethod
    def summarize(self, binner: Any = None) -> Sequence[ColumnInfo]:
        """Inspect every column, on the threads of ``binner``. The result is kept.

        If the rows are not in memory this is a pass over them, which also finds what ``binner`` will need.
        """

    def may_hold_missing(self, n_jobs: int | None = None, find_fractions: bool = False) -> bool:
        """Whether any value may be missing. True for rows that are not in memory, since nobody has looked yet."""
        return True

    def is_array_of_small_integers(self, n_jobs: int | None = None) -> bool:
        """Whether the table is an array all of whose columns hold integers in a small range."""
        return False

    @abstractmethod
    def with_small_integers_as_categories(self, n_jobs: int | None = None) -> Self:
        """Convert columns of integers in a small range to categories. An array is returned as it is."""

    @abstractmethod
    def without(self, columns: Sequence[int]) -> Self:
        """Leave out columns: they hold one value in every row, so that no method selects them."""

    @abstractmethod
    def is_constant(self, j: int) -> bool:
        """Whether all values of feature ``j`` are equal; a missing value is a value of its own."""

    def constant_columns(self, columns: Sequence[int]) -> list[int]:
        """Those of ``columns`` that have one value in all rows."""
        return [j for j in columns if self.is_constant(j)]

    @abstractmethod
    def is_row_counter(self, j: int) -> bool:
        """Whether feature ``j`` increases by one, or decreases by one, with every row."""

    def rank_tests(self, columns: Sequence[int], n_jobs: int | None = None) -> list[RankTest] | None:
        """The tests whether the ranks of numeric columns depend on the target, which no cut of theirs separates.

        They run on ``n_jobs`` threads. None, as by default, if neither the rows nor their distinct numbers are in
        memory.
        """
        return None

    def number_range(self, j: int) -> tuple[float, float] | None:
        """The smallest and the largest number of feature ``j``; None for categories, and where they are not known."""
        return None

    def meaning_of(self, j: int) -> TextMeaning | None:
        """What the text of feature ``j`` means, or that it holds times; None for other columns."""
        return None

    @property
    def labels(self) -> Sequence[Label]:
        """The labels of the features as the user's data has them, of any type; else their names."""
        if self.original is not None and self.original.labels is not None:
            return self.original.labels
        return self.names


DatasetT = TypeVar("DatasetT", bound=Dataset)


def check_several_rows(table: Dataset) -> None:
    """Raise ValueError for a table of one row."""
    if table.n_samples < 2:
        raise UserError(
            code="too-few-rows",
            message=f"the data has {table.n_samples} sample",
            advice="at least 2 are needed",
        )


@dataclass
class _Inspected:
    """Results of inspecting the columns of a table, kept for the next call."""

    ranges: ValueRanges | None = None
    columns: Sequence[ColumnInfo] | None = None


@dataclass(frozen=True, eq=False)
class InMemoryDataset(Dataset, InspectedColumns):
    """A table whose rows are in memory."""

    #: A matrix of numbers of shape (n_samples, n_features), or one array or :class:`Encoded` for each column. NaN is a
    #: missing number. Times are microseconds.
    columns: Values | Sequence[ColumnValues] = field(repr=False)
    names: Sequence[str]
    feature_names: Values | None = field(default=None, repr=False)
    y: Target | None = field(default=None, repr=False)
    #: Frequency weights of shape (n_samples,), at least 1. None for 1 each.
    weights: Integers | None = field(default=None, repr=False)
    #: The number of the group of every sample, of shape (n_samples,). None for independent samples.
    groups: Columns | None = field(default=None, repr=False)
    #: The number of the stratum of every sample, from 0, of shape (n_samples,). None without strata.
    strata: Columns | None = field(default=None, repr=False)
    #: The values of every stratum, one for each column of the strata. Empty where they are not known.
    strata_values: tuple[tuple[object, ...], ...] = field(default=(), repr=False)
    original: OriginalData | None = field(default=None, repr=False)
    dropped: tuple[int, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    text_meanings: Mapping[int, TextMeaning] = field(default_factory=dict, repr=False)  # of text, by column index
    #: Where equal rows of the data were grouped, how many rows each row stands for. None for one each.
    row_counts: Integers | None = field(default=None, repr=False)
    _inspected: _Inspected = field(default_factory=_Inspected, init=False, repr=False)

    @property
    def rows(self) -> InMemoryDataset:
        return self

    @cached_property
    def sparse(self) -> StoredColumns | None:
        """The columns of a sparse table; None for a dense one."""
        return self.columns if isinstance(self.columns, StoredColumns) else None

    @property
    def stored(self) -> StoredColumns:
        """The columns of a sparse table."""
        assert self.sparse is not None  # the caller has looked at is_sparse
        return self.sparse

    @property
    def is_sparse(self) -> bool:
        return self.sparse is not None

    @property
    def capabilities(self) -> frozenset[str]:
        counts = COUNTS if self.groups is None else COUNTS - {"independent"}
        if self.strata is not None:
            counts = counts - {"unstratified"}
        if self.sparse is None:
            return counts | {"rows", "dense"}
        return counts if self.sparse.in_files else counts | {"rows"}

    @property
    def n_samples(self) -> int:
        if self.sparse is not None:
            return self.sparse.n_samples
        return len(self.columns) if isinstance(self.columns, np.ndarray) else len(self.columns[0])

    @property
    def several_strata(self) -> Columns | None:
        """The stratum of every sample; None without strata, and where there is one only."""
        if self.strata is None or not self.strata.any():
            return None
        return self.strata

    @property
    def class_counts_of_strata(self) -> Integers | None:
        if self.strata is None:
            return None
        counts = np.zeros((int(self.strata.max()) + 1, self.target.n_classes), np.int64)
        weights = np.ones(self.n_samples, np.int64) if self.weights is None else self.weights
        np.add.at(counts, (self.strata, self.target.codes), weights)
        return counts

    @property
    def total_weight(self) -> int:
        return self.n_samples if self.weights is None else int(self.weights.sum())

    @property
    def has_target(self) -> bool:
        return self.y is not None

    @property
    def target(self) -> Target:
        if self.y is None:
            raise UserError(
                code="target-needed",
                message="a target is needed here",
                advice="give y, one class a sample",
            )
        return self.y

    @property
    def matrix(self) -> Values | None:
        """The matrix of numbers that holds all features; None where each column is an array of its own."""
        return self.columns if isinstance(self.columns, np.ndarray) else None

    def values(self, j: int) -> ColumnValues:
        """Feature ``j`` as it was read: a 1-D array of numbers of any type, or :class:`Encoded`."""
        return self.columns[:, j] if isinstance(self.columns, np.ndarray) else self.columns[j]

    def is_numeric(self, j: int) -> bool:
        """Whether feature ``j`` holds numbers or times."""
        return self.matrix is not None or self.is_sparse or self.columns[j].dtype.kind != "O"

    def categories(self) -> list[tuple[int, Encoded]]:
        """The indices and values of the columns of categories."""
        if self.matrix is not None or self.is_sparse:
            return []
        return [(j, self.categorical(j)) for j in self._columns_of_categories]

    @cached_property
    def _columns_of_categories(self) -> list[int]:
        return [j for j, column in enumerate(self.columns) if are_categories(column)]

    def numbers(self, j: int) -> Values:
        """Feature ``j`` as numbers of the type in which it was read."""
        values = self.values(j)
        if are_categories(values):
            raise TypeError(f"column {self.names[j]!r} is categorical")
        return values

    def numeric(self, j: int) -> Floats:
        """Feature ``j`` as contiguous float64, with NaN for missing values; times are microseconds."""
        return np.ascontiguousarray(self.numbers(j), dtype=np.float64)

    def categorical(self, j: int) -> Encoded:
        """Codes (-1 = missing) and sorted categories of feature ``j``."""
        values = self.values(j)
        if not are_categories(values):
            raise TypeError(f"column {self.names[j]!r} is numeric")
        return values

    def value_ranges(self, n_jobs: int | None = None, find_fractions: bool = False) -> ValueRanges:
        """Find what the columns hold, on ``n_jobs`` threads; with ``find_fractions`` also which hold fractions."""
        if self.is_sparse:
            raise needs_dense_rows("this method")
        ranges = self._inspected.ranges
        lacks_fractions = ranges is not None and find_fractions and not ranges.fractions_are_known
        if ranges is None or lacks_fractions:
            ranges = find_value_ranges(self.columns, n_jobs, find_fractions)
            self._inspected.ranges = ranges
        return ranges

    def may_hold_missing(self, n_jobs: int | None = None, find_fractions: bool = False) -> bool:
        """Whether any value is missing; ``find_fractions`` is passed on to :meth:`value_ranges`."""
        if self.sparse is not None:
            return self.sparse.has_missing
        return bool((self.value_ranges(n_jobs, find_fractions).content & MISSING).any())

    def summarize(self, binner: Any = None) -> Sequence[ColumnInfo]:
        columns = self._inspected.columns
        if columns is None:
            n_jobs = None if binner is None else binner.n_jobs
            columns = self._describe_sparse() if self.is_sparse else self._describe_dense(n_jobs)
            self._inspected.columns = columns
        return columns

    def _describe_sparse(self) -> Sequence[ColumnInfo]:
        """The columns of a sparse table, which is only searched for columns without values."""
        columns = [ColumnInfo()] * self.n_features  # one object for all columns with values
        for j in np.flatnonzero(~self.stored.has_values).tolist():
            columns[j] = ColumnInfo(has_values=False)
        return columns

    def _describe_dense(self, n_jobs: int | None) -> Sequence[ColumnInfo]:
        described_names = None if self.feature_names is None else self.names
        return describe_columns(self.columns, self.value_ranges(n_jobs), self.text_meanings, described_names)

    def without(self, columns: Sequence[int]) -> InMemoryDataset:
        if not len(columns):
            return self
        chosen = sorted({*self.dropped, *columns})
        if self.sparse is not None:
            return replace(self, columns=self.sparse.without(chosen), dropped=tuple(chosen))
        if self.matrix is not None:
            values = self.matrix.copy(order="K")
            values[:, chosen] = 0
            return replace(self, columns=values, dropped=tuple(chosen))
        blank = np.zeros(self.n_samples, np.uint8)
        blanked: list[ColumnValues] = list(self.columns)
        for j in chosen:
            blanked[j] = blank
        return replace(self, columns=blanked, dropped=tuple(chosen))

    def is_array_of_small_integers(self, n_jobs: int | None = None) -> bool:
        return self.matrix is not None and len(self._columns_of_small_integers(n_jobs)) == self.n_features

    def with_small_integers_as_categories(self, n_jobs: int | None = None) -> InMemoryDataset:
        if self.is_sparse or self.matrix is not None:
            return self
        small_integers = self._columns_of_small_integers(n_jobs)
        if not small_integers:
            return self
        columns: list[ColumnValues] = list(self.columns)
        for j in set(small_integers) - set(self.dropped):
            columns[j] = encode(self.numbers(j))
        return replace(self, columns=columns)

    def _columns_of_small_integers(self, n_jobs: int | None) -> list[int]:
        small_integers: list[int] = []
        for block, low, high in self.value_ranges(n_jobs).blocks:
            if low.dtype.kind in "iu":
                spread = np.asarray(high, object) - np.asarray(low, object)  # Python's integers do not overflow
                small_integers += block.indices[(spread < SMALL_RANGE).astype(bool)].tolist()
        return small_integers

    def is_constant(self, j: int) -> bool:
        if self.sparse is not None:
            return bool(self.sparse.constant[j])
        values = self.values(j)
        numbers = values.codes if are_categories(values) else values
        return bool((numbers == numbers[0]).all()) or all_missing(numbers)  # NaN differs from NaN

    def constant_columns(self, columns: Sequence[int]) -> list[int]:
        if self.is_sparse:
            return super().constant_columns(columns)
        ranges = self.value_ranges()
        has_two_numbers = np.zeros(self.n_features, bool)
        for block, low, high in ranges.blocks:
            has_two_numbers[block.indices] = low < high
        return super().constant_columns([j for j in columns if not has_two_numbers[j]])

    def is_row_counter(self, j: int) -> bool:
        values = self.values(j)
        if are_categories(values):
            return False
        numbering = RowNumbering.of_rows(values, 0)
        return numbering is not None and numbering.is_row_counter

    def rank_tests(self, columns: Sequence[int], n_jobs: int | None = None) -> list[RankTest]:
        target = self.target
        is_ordered = target.kind == "binned"
        tests: dict[int, RankTest] = {}

        def test(batch: Sequence[int]) -> None:
            values = [self.numeric(j) for j in batch]
            tests_of_batch = rank_tests(values, target.codes, target.n_classes, self.weights, is_ordered=is_ordered)
            tests.update(zip(batch, tests_of_batch, strict=True))

        n_values = len(columns) * self.n_samples
        n_columns_at_once = max(1, RANKED_VALUES_AT_ONCE // self.n_samples)
        spread(test, columns, n_values // RANKED_VALUES_A_THREAD, n_jobs, n_columns_at_once)
        return [tests[j] for j in columns]

    def number_range(self, j: int) -> tuple[float, float] | None:
        if not self.is_numeric(j):
            return None
        numbers = self.numeric(j)
        present = numbers[~np.isnan(numbers)]
        return (float(present.min()), float(present.max())) if len(present) else None

    def meaning_of(self, j: int) -> TextMeaning | None:
        return self.text_meanings.get(j)

    def dense(self) -> InMemoryDataset:
        """The table with dense columns."""
        return self if self.sparse is None else replace(self, columns=self.sparse.dense())

    def take(self, rows: Columns) -> InMemoryDataset:
        """The table of the samples ``rows``, with the classes and categories that occur among them."""
        strata = self.strata
        strata_values = self.strata_values
        if strata is not None:
            occurring, strata = np.unique(strata[rows], return_inverse=True)
            strata = strata.reshape(-1)
            strata_values = tuple(strata_values[stratum] for stratum in occurring.tolist()) if strata_values else ()
        return replace(
            self,
            columns=take_rows(self.columns, rows) if self.sparse is None else self.sparse.take(rows),
            y=None if self.y is None else self.y.take(rows),
            weights=None if self.weights is None else self.weights[rows],
            groups=None if self.groups is None else self.groups[rows],
            strata=strata,
            strata_values=strata_values,
            original=None,
        )
