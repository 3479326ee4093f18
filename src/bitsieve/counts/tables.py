"""Contingency tables of integers, and sums of the entropy terms of their cells.

Tables of parts of the samples add up to the table of all samples. The entropy term of a cell with count c is

    T[c] = round(c log2(c) 2**shift)

and the entropy of a table of N samples is ``log2 N - sum(T over cells) / (N 2**shift)``. A sum of integers does not
depend on its order, so equal tables give equal bits on every machine. The definition in plain Python is
:func:`bitsieve.counts.reference.term`.

Sums of terms are named by the variables of their table: ``S_x`` over the codes of x, ``S_xy`` over the cells of x and
y, ``S_xyc`` over the cells of x, y and the class.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bitsieve import _native
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Floats, Integers, Matrix, Progress
from bitsieve.utils.choice import Scores
from bitsieve.utils.memory import square_matrix

TABLE_LIMIT = 1 << 17  # entropy terms in a table (1 MiB); those of larger counts are computed when needed
MAX_SAMPLES = 1 << 31
BLOCK_CELLS = 1 << 22  # cells of the tables that are in memory at once while sums are made from them
DENSE_CELLS = 1 << 16  # a table of at most so many cells stores all of them, a larger one its non-empty cells
MAX_CELLS = 1 << 62  # cells are numbered by 64-bit integers


class EntropyTerms(NamedTuple):
    """The entropy terms ``T[c] = round(c log2(c) 2**shift)`` of counts c in tables of ``n_samples`` samples.

    ``T[0]`` is 0, and by the formula so is ``T[1]``. An estimator that adds a constant to the term of every non-empty
    cell adds it to ``T[1], T[2], ...``; native code then adds ``T[1]`` to the terms that it computes itself.
    """

    n_samples: int
    shift: int  # the largest with ``N log2(N) 2**shift < 2**62``
    table: Integers  # ``T[0], T[1], ...``; native code computes the terms of larger counts

    def sum(self, counts: Integers) -> int:
        """Sum of the terms of all cells of ``counts`` (contiguous int64, any shape)."""
        return _native.sum_terms(counts.reshape(-1), self.table, self.shift)

    def lookup(self, counts: Integers) -> Integers:
        """The term of every count."""
        is_in_table = counts < len(self.table)
        values = self.table[np.where(is_in_table, counts, 0)]
        values[~is_in_table] = [self.sum(count) for count in counts[~is_in_table].reshape(-1, 1)]
        return values

    @property
    def per_bit(self) -> float:
        """The sum of terms that amounts to one bit: ``N * 2**shift``, exact in float64."""
        return self.n_samples * 2.0**self.shift


@lru_cache(maxsize=8)
def make_entropy_terms(n_samples: int, limit: int = TABLE_LIMIT) -> EntropyTerms:
    """The entropy terms of ``n_samples``, with a table of at most ``limit`` entries. Recent results are cached."""
    table = _native.term_table(n_samples, min(n_samples + 1, limit))
    table.flags.writeable = False
    return EntropyTerms(n_samples, _native.term_shift(n_samples), table)


@dataclass(frozen=True, eq=False)
class ContingencyTable:
    """How many samples have each combination of a first code, a second code and a class.

    The flat index of a cell is its index in C order. ``shape`` has length 1 along a variable that the table does not
    have: (1, codes, classes) is the table of one column, (codes, codes, 1) that of a pair with the classes pooled.
    """

    shape: tuple[int, int, int]  # codes of the first variable, codes of the second, classes
    counts: Integers  # of the cells that are listed
    cells: Integers | None = None  # flat indices of the listed cells, ascending; None: every cell is listed, in C order

    @classmethod
    def of_samples(cls, shape: tuple[int, int, int], cell_of_sample: Integers) -> ContingencyTable:
        """Count the samples of every cell, given the flat index of each sample's cell."""
        if has_all_cells(shape):
            return cls(shape, np.bincount(cell_of_sample, minlength=prod(shape)))
        _check_cells_can_be_numbered(shape)
        cells, counts = np.unique(cell_of_sample, return_counts=True)
        return cls(shape, counts, cells)

    @classmethod
    def of_cells(cls, shape: tuple[int, int, int], cells: Integers, counts: Integers) -> ContingencyTable:
        """Make a table of counts and the flat indices of their cells. Counts of the same cell are added."""
        if has_all_cells(shape):
            dense = np.zeros(prod(shape), np.int64)
            np.add.at(dense, cells, counts)
            return cls(shape, dense)
        _check_cells_can_be_numbered(shape)
        distinct_cells, index = np.unique(cells, return_inverse=True)
        total = np.zeros(len(distinct_cells), np.int64)
        np.add.at(total, index, counts)
        return cls(shape, total, distinct_cells)

    @property
    def n_pairs(self) -> int:
        """The number of pairs of a first and a second code."""
        n_first, n_second, _ = self.shape
        return n_first * n_second

    def __add__(self, other: ContingencyTable) -> ContingencyTable:
        """The table of the samples of both tables; the shapes must be equal."""
        if self.shape != other.shape:
            raise ValueError(f"tables of shape {self.shape} and {other.shape} do not add up: agree on the codes first")
        if self.cells is None or other.cells is None:
            return ContingencyTable(self.shape, self.counts + other.counts)
        cells = np.concatenate([self.cells, other.cells])
        counts = np.concatenate([self.counts, other.counts])
        return self.of_cells(self.shape, cells, counts)

    def pooled(self) -> ContingencyTable:
        """The table with the classes added up."""
        n_first, n_second, n_classes = self.shape
        if n_classes == 1:
            return self
        if self.cells is None:
            return ContingencyTable((n_first, n_second, 1), self.counts.reshape(-1, n_classes).sum(axis=1))
        return self.of_cells((n_first, n_second, 1), self.cells // n_classes, self.counts)

    def transposed(self) -> ContingencyTable:
        """The table with the first variable and the second one exchanged."""
        n_first, n_second, n_classes = self.shape
        shape = (n_second, n_first, n_classes)
        if self.cells is None:
            counts = self.dense().transpose(1, 0, 2)
            return ContingencyTable(shape, np.ascontiguousarray(counts).reshape(-1))
        pair, label = np.divmod(self.cells, n_classes)
        first, second = np.divmod(pair, n_second)
        return self.of_cells(shape, (second * n_first + first) * n_classes + label, self.counts)

    def with_classes_merged(self, merged_class: Integers, n_classes: int) -> ContingencyTable:
        """The table with ``n_classes`` new classes; ``merged_class`` is the new class of every old one."""
        n_first, n_second, n_old_classes = self.shape
        shape = (n_first, n_second, n_classes)
        if self.cells is not None:
            pair, old_class = np.divmod(self.cells, n_old_classes)
            return self.of_cells(shape, pair * n_classes + merged_class[old_class], self.counts)
        new_cells = np.arange(n_first * n_second)[:, None] * n_classes + merged_class
        # Counts add up to 2**31 at most: the floats that bincount makes of them are exact.
        counts = np.bincount(new_cells.reshape(-1), self.counts, prod(shape)).astype(np.int64)
        return ContingencyTable(shape, counts)

    def occupied(self) -> tuple[Integers, Integers]:
        """Flat indices of the non-empty cells, ascending, and their counts."""
        if self.cells is not None:
            return self.cells, self.counts
        cells = np.flatnonzero(self.counts)
        return cells, self.counts[cells]

    def dense(self) -> Integers:
        """All cells as an array of the table's shape."""
        if self.cells is None:
            return self.counts.reshape(self.shape)
        out = np.zeros(prod(self.shape), np.int64)
        out[self.cells] = self.counts
        return out.reshape(self.shape)


class OccupiedCells(NamedTuple):
    """The non-empty cells of several tables, table by table."""

    table: Integers  # the index of each cell's table
    cell: Integers  # its flat index there; ascending within a table
    counts: Integers

    @classmethod
    def of_tables(cls, tables: Sequence[ContingencyTable]) -> OccupiedCells:
        n_listed = [len(table.counts) for table in tables]
        counts = np.concatenate([table.counts for table in tables])
        cell = np.concatenate(
            [np.arange(n) if t.cells is None else t.cells for t, n in zip(tables, n_listed, strict=True)]
        )
        is_occupied = counts > 0
        table = np.repeat(np.arange(len(tables)), n_listed)
        return cls(table[is_occupied], cell[is_occupied], counts[is_occupied])


def joined(tables: Sequence[ContingencyTable]) -> ContingencyTable:
    """The tables as one, of shape (1, pairs of a first and a second code in all tables, classes)."""
    n_classes = tables[0].shape[2]
    n_pairs = np.array([table.n_pairs for table in tables])
    shape = (1, int(n_pairs.sum()), n_classes)
    if all(table.cells is None for table in tables):
        return ContingencyTable(shape, np.concatenate([table.counts for table in tables]))
    cells = OccupiedCells.of_tables(tables)
    first_pair = np.cumsum(n_pairs) - n_pairs
    return ContingencyTable(shape, cells.counts, first_pair[cells.table] * n_classes + cells.cell)


def has_all_cells(shape: tuple[int, int, int]) -> bool:
    """Whether a table of this shape stores every cell, the empty ones too."""
    return prod(shape) <= DENSE_CELLS


def _check_cells_can_be_numbered(shape: tuple[int, int, int]) -> None:
    if prod(shape) > MAX_CELLS:
        raise UserError(
            code="table-too-large",
            message=f"a table of {shape[0]:,} x {shape[1]:,} codes x {shape[2]:,} classes is too large to count",
        )


class Tables(Protocol):
    """A source of contingency tables of ``n_features`` columns of codes and one class. Threads may share it."""

    n_samples: int
    n_features: int
    n_classes: int
    arities: NDArray[np.int32]  # codes of feature i are ``0 .. arities[i] - 1``
    class_sizes: Integers  # samples of each class, shape (n_classes,)
    n_jobs: int | None = None  # threads for work on its counts

    @abstractmethod
    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        """Count one table for each of ``columns``: of the pivot, the column and the class.

        A table has the shape (codes of the pivot, codes of the column, classes). Without a pivot the first length is 1,
        with ``by_class`` False the last. Tables of parts of the samples add up to those of all samples.
        """


def column_blocks(n_first: int, n_codes: NDArray[np.int32], n_classes: int, n_samples: int) -> Iterator[slice]:
    """Divide columns of ``n_codes`` codes into blocks whose tables with a first variable fit into memory at once."""
    cells_of_table = np.minimum(n_codes.astype(np.float64) * n_first * n_classes, max(n_samples, DENSE_CELLS))
    cells_up_to = np.cumsum(cells_of_table)
    first = 0
    while first < len(cells_up_to):
        cells_before = cells_up_to[first - 1] if first else 0
        n_that_fit = int(np.searchsorted(cells_up_to, cells_before + BLOCK_CELLS, side="right"))
        end = max(first + 1, n_that_fit)
        yield slice(first, end)
        first = end


class PairSums(NamedTuple):
    """Sums of entropy terms over the tables of a pivot with each of several columns: one number for each column."""

    pooled: Integers  # ``S_xy``: the classes are added up
    by_class: Integers | None  # ``S_xyc``; None where only ``pooled`` was asked for

    @classmethod
    def empty(cls, n_columns: int, *, by_class: bool) -> PairSums:
        """Arrays to be filled."""
        pooled = np.empty(n_columns, np.int64)
        return cls(pooled, np.empty(n_columns, np.int64) if by_class else None)

    def of_columns(self, columns: Columns) -> PairSums:
        """The sums of some of the columns, given by their indices in these arrays."""
        return PairSums(self.pooled[columns], None if self.by_class is None else self.by_class[columns])


class PairCounts(NamedTuple):
    """The counts of the tables of a pivot with each of several columns: one row for each column.

    The order of the cells within a row is not specified, and rows are padded with zeros: enough for an entropy.
    """

    pooled: Integers  # shape (n_columns, n_cells); the classes are added up
    by_class: Integers | None  # shape (n_columns, n_cells * n_classes); None where only ``pooled`` was asked for


class PairFormula(NamedTuple):
    """A formula that makes one number of the sums of a pair of columns, such as an information.

    ``(pooled_sign S_xy + class_sign S_xyc + row_offsets[i] + column_offsets[j]) / per_bit``, or with ``symmetric`` the
    mean of that for (i, j) and for (j, i). All but the last division are integer operations.
    """

    pooled_sign: int
    class_sign: int
    row_offsets: Integers
    column_offsets: Integers
    per_bit: float
    symmetric: bool

    @property
    def needs_class(self) -> bool:
        return self.class_sign != 0

    def values(self, i: Columns | int, j: Columns | int, sums: PairSums) -> Floats:
        """The numbers of pairs (i, j), given their sums."""
        total = self.pooled_sign * sums.pooled
        if sums.by_class is not None:
            total = total + self.class_sign * sums.by_class
        forward = (total + self.row_offsets[i] + self.column_offsets[j]) / self.per_bit
        if not self.symmetric:
            return forward
        backward = (total + self.row_offsets[j] + self.column_offsets[i]) / self.per_bit
        return (forward + backward) * 0.5

    def of_columns(self, columns: Columns) -> Self:
        """The same formula for a source that has only these columns."""
        return self._replace(row_offsets=self.row_offsets[columns], column_offsets=self.column_offsets[columns])


class ChanceSums(NamedTuple):
    """The sums that give what an information of a feature with a pivot is on average, once the feature is shuffled.

    With m the counts of the codes of the feature, the average is ``(constant + sum over m of sum_of_count[m]) / B``, B
    the sum of terms that amounts to one bit.
    """

    sum_of_count: Integers  # of every distinct count of a code
    constant: int


class Chance(Protocol):
    """The averages under shuffles that are subtracted from the information of pairs.

    The counts of the codes of feature i have the indices ``index_of_distinct[starts[i]:starts[i + 1]]`` among the
    distinct counts.
    """

    starts: Integers
    index_of_distinct: Integers

    @abstractmethod
    def sums_of_pivot(self, pivot: int) -> ChanceSums:
        """The sums that give the average of every feature with the pivot."""


class MinimumFormula(NamedTuple):
    """A formula of scores: the smallest number of a feature i over pivots s, or the mean of the two smallest.

    With the sums of the pair the number is ``(S_isc - S_is + pivot_sums[s]) / per_bit + pivot_bits[s]``, less its
    average under shuffles where there is ``chance``. A score starts from ``start[i]``, the number without a pivot.
    """

    start: Floats  # infinite where there is no such number
    pivot_sums: Integers
    pivot_bits: Floats
    per_bit: float
    n_smallest: int = 1  # 1 or 2; with a single pivot the score is the only number
    chance: Chance | None = None


class DisjointSupport(Protocol):
    """Which pairs of columns have disjoint support, and the sums of such pairs.

    The support of a column are the samples that do not have its most frequent code. The table of two columns of
    disjoint support follows from the tables of each column. Columns are equivalent if they have the same ``S_x``, and
    the same ``S_xy`` with every column y of support disjoint from theirs.
    """

    equivalence: Columns  # the number of the equivalence class of every column, shape (n_features,)
    representatives: Columns  # one column of each equivalence class

    def co_occurring(self, pivot: int, max_codes: int) -> tuple[Columns, Integers] | None:
        """The columns whose support overlaps with the pivot's, and their ``S_xy`` with the pivot.

        The pivot itself may be among them. None where more than ``max_codes`` codes would have to be visited.
        """

    def sums(self, pivot: int) -> Integers:
        """``S_xy`` of the pivot with every representative, computed as if their supports were disjoint."""


class Sums:
    """Sums of entropy terms over the tables of a source, computed table by table.

    Subclasses for a kind of source compute the same integers faster.
    """

    #: About the seconds of one :meth:`pair_sums` over all columns. With 0 methods count all candidates at once.
    row_seconds: float = 0.0
    #: The native table where all columns are stored as bit planes; else None.
    planes: _native.PackedTable | None = None

    def __init__(self, source: Tables) -> None:
        self.source = source

    def total(self, entropy_terms: EntropyTerms) -> int:
        """``T[N]``: the term of the number of samples."""
        return entropy_terms.sum(np.array([self.source.n_samples], np.int64))

    def class_sum(self, entropy_terms: EntropyTerms) -> int:
        """``S_c``: the sum over the classes."""
        return entropy_terms.sum(self.source.class_sizes)

    def marginal_sums(self, entropy_terms: EntropyTerms) -> tuple[Integers, Integers]:
        """``S_x`` of every feature, and ``S_xc`` of every feature with the class, each of shape (n_features,)."""
        source = self.source
        sums = PairSums(pooled=np.empty(source.n_features, np.int64), by_class=np.empty(source.n_features, np.int64))

        def count_tables(columns: Columns) -> list[ContingencyTable]:
            return source.tables(None, columns, True)

        write_sums_of_tables(entropy_terms, source, 1, np.arange(source.n_features), count_tables, sums)
        assert sums.by_class is not None
        return sums.pooled, sums.by_class

    def pair_sums(
        self,
        entropy_terms: EntropyTerms,
        pivot: int,
        columns: Columns | None,
        by_class: bool,
        out: PairSums | None = None,
    ) -> PairSums:
        """``S_xy`` and, with ``by_class``, ``S_xyc`` of the pivot with each of ``columns``.

        ``columns`` None: all columns; then the sums are written to ``out`` if it is given.
        """
        source = self.source
        chosen = np.arange(source.n_features) if columns is None else columns
        if out is None or columns is not None:
            out = PairSums.empty(len(chosen), by_class=by_class)

        def count_tables(block: Columns) -> list[ContingencyTable]:
            return source.tables(pivot, block, by_class)

        write_sums_of_tables(entropy_terms, source, int(source.arities[pivot]), chosen, count_tables, out)
        return out

    def sums_of_copy(self, columns: Columns) -> Sums | None:
        """The sums of a copy of some columns, where all their pairs are counted faster in one; else None."""
        return None

    def matrix(
        self,
        entropy_terms: EntropyTerms,
        formula: PairFormula,
        dtype: DTypeLike,
        columns: Columns | None = None,
        progress: Progress = None,
    ) -> Matrix:
        """The square matrix of ``formula`` for every pair of ``columns`` (None: all columns). No table is kept."""
        copy_sums = None if columns is None else self.sums_of_copy(columns)
        if columns is not None and copy_sums is not None:
            return copy_sums.matrix(entropy_terms, formula.of_columns(columns), dtype, None, progress)
        chosen = np.arange(self.source.n_features) if columns is None else columns
        out = square_matrix(len(chosen), dtype)
        for index, feature in enumerate(chosen):
            others = chosen[index:]
            sums = self.pair_sums(entropy_terms, int(feature), others, formula.needs_class)
            out[index, index:] = formula.values(feature, others, sums)
            out[index:, index] = formula.values(others, feature, sums)
            if progress is not None:
                progress(index + 1, len(chosen))
        return out

    def matrix_rows(
        self, entropy_terms: EntropyTerms, formula: PairFormula, pivots: Columns, columns: Columns, out: Matrix
    ) -> None:
        """Write ``formula`` of every pair of a pivot and a column to ``out``, of shape (pivots, columns) in C order.

        The numbers are those of :meth:`matrix`, bit for bit.
        """
        for row, feature in zip(out, pivots, strict=True):
            sums = self.pair_sums(entropy_terms, int(feature), columns, formula.needs_class)
            row[:] = formula.values(feature, columns, sums)

    def counted_with(self, columns: Columns) -> Columns:
        """All columns that are counted at no further cost when ``columns`` are, these included."""
        return columns

    def cell_counts(self, pivot: int | None, columns: Columns, by_class: bool) -> PairCounts:
        """The counts of the tables of the pivot (None: no pivot) with each of ``columns``."""
        tables = self.source.tables(pivot, columns, by_class)
        pooled = _padded_rows([table.pooled().counts for table in tables])
        return PairCounts(pooled, _padded_rows([table.counts for table in tables]) if by_class else None)

    def minima(self, entropy_terms: EntropyTerms, formula: MinimumFormula) -> Scores | None:
        """The scores of ``formula``, of which only those are computed that may be the largest.

        None if the source has no faster way than :meth:`pair_sums`.
        """
        return None

    def disjoint_support(self, entropy_terms: EntropyTerms, marginals: Integers) -> DisjointSupport | None:
        """Which columns have disjoint support, given ``S_x`` of every column; None if the source does not know it."""
        return None


def write_sums_of_tables(
    entropy_terms: EntropyTerms,
    source: Tables,
    n_first: int,
    columns: Columns,
    count_tables: Callable[[Columns], list[ContingencyTable]],
    out: PairSums,
) -> None:
    """Write the sums over the table of every column to ``out``; ``n_first`` is the first length of the tables.

    ``count_tables(block)`` counts the tables of a block of columns. No more blocks than one are in memory.
    """
    n_classes = 1 if out.by_class is None else source.n_classes
    for block in column_blocks(n_first, source.arities[columns], n_classes, source.n_samples):
        for index, table in enumerate(count_tables(columns[block]), block.start):
            out.pooled[index] = entropy_terms.sum(table.pooled().counts)
            if out.by_class is not None:
                out.by_class[index] = entropy_terms.sum(table.counts)


def _padded_rows(rows: list[Integers]) -> Integers:
    """Rows of different lengths as one array, padded with zeros."""
    out = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for index, row in enumerate(rows):
        out[index, : len(row)] = row
    return out
