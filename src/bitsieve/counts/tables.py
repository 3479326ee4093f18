"""Contingency tables of integers that add up over parts of the samples, and sums of the entropy terms of their cells.

``T[c] = round(c * log2(c) * 2**shift)``: every entropy is ``log2 N - sum(T over cells) / (N * 2**shift)``, an integer
sum, free of order, so equal tables give equal bits on every machine. The definition in plain Python is
:func:`bitsieve.counts.reference.term`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
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

TABLE_LIMIT = 1 << 17  # 1 MiB: cells beyond it are so few that their terms are computed afresh
MAX_SAMPLES = 1 << 31
BLOCK_CELLS = 1 << 22  # of the tables that are held at once where sums are made from them
DENSE_CELLS = 1 << 16  # tables of at most so many cells hold them all, larger ones only those that are not empty
MAX_CELLS = 1 << 62  # cells are numbered by 64-bit integers
PairSums = tuple[Integers, Integers | None]


@dataclass(frozen=True)
class Terms:
    """The terms ``T[c] = round(c log2(c) 2^s)`` of counts c in tables of ``n_samples`` samples.

    ``table`` holds ``T[0], T[1], ...``; kernels compute those beyond. By the formula ``T[1]`` is 0. An estimator that
    corrects every cell that is not empty stores its correction there, and kernels add it to the terms beyond the table.
    Sums of terms are named by their variables: ``S_x`` over the codes of x, ``S_xy`` over the cells of x and y,
    ``S_xyc`` over those within the classes.
    """

    n_samples: int
    shift: int  # the largest with ``N log2(N) 2**shift < 2**62``
    table: Integers

    def sum(self, counts: Integers) -> int:
        """Sum of the terms of all cells of ``counts`` (contiguous int64, any shape)."""
        return _native.sum_terms(counts.reshape(-1), self.table, self.shift)

    @property
    def per_bit(self) -> float:
        """The sum of terms that amounts to one bit: ``N * 2**shift``, exact in float64."""
        return self.n_samples * 2.0**self.shift


@lru_cache(maxsize=8)
def entropy_terms(n_samples: int, limit: int = TABLE_LIMIT) -> Terms:
    """The :class:`Terms` of ``n_samples``, with a table of at most ``limit`` entries (kept for the next call)."""
    table = _native.term_table(n_samples, min(n_samples + 1, limit))
    table.flags.writeable = False
    return Terms(n_samples, _native.term_shift(n_samples), table)


@dataclass(frozen=True, eq=False)
class ContingencyTable:
    """How many samples have each combination of a first code, a second code and a class."""

    shape: tuple[int, int, int]  # codes of the first variable (1: none), of the second (1: none), classes (1: pooled)
    counts: Integers  # of all cells in C order, where there are at most ``DENSE_CELLS``; else of those listed
    cells: Integers | None = None  # flat indices of the cells that are not empty, ascending; None: every cell

    @classmethod
    def of_samples(cls, shape: tuple[int, int, int], cell_of_sample: Integers) -> ContingencyTable:
        """Count the samples of every cell, given the flat index of each sample's cell."""
        if has_all_cells(shape):
            return cls(shape, np.bincount(cell_of_sample, minlength=prod(shape)))
        cells, counts = np.unique(cell_of_sample, return_counts=True)
        return cls(_numbered(shape), counts, cells)

    @classmethod
    def of_cells(cls, shape: tuple[int, int, int], cells: Integers, counts: Integers) -> ContingencyTable:
        """Make a table of counts and the flat indices of their cells; counts of one cell are added."""
        if has_all_cells(shape):
            dense = np.zeros(prod(shape), np.int64)
            np.add.at(dense, cells, counts)
            return cls(shape, dense)
        occurring, index = np.unique(cells, return_inverse=True)
        total = np.zeros(len(occurring), np.int64)
        np.add.at(total, index, counts)
        return cls(_numbered(shape), total, occurring)

    def __add__(self, other: ContingencyTable) -> ContingencyTable:
        """The table of both parts of the samples; the shapes must be equal."""
        if self.shape != other.shape:
            raise ValueError(f"tables of shape {self.shape} and {other.shape} do not add up: agree on the codes first")
        if self.cells is None or other.cells is None:
            return ContingencyTable(self.shape, self.counts + other.counts)
        cells, counts = (np.concatenate(pair) for pair in ((self.cells, other.cells), (self.counts, other.counts)))
        return self.of_cells(self.shape, cells, counts)

    def pooled(self) -> ContingencyTable:
        """The table with the classes added up."""
        first, second, n_classes = self.shape
        if n_classes == 1:
            return self
        if self.cells is None:
            return ContingencyTable((first, second, 1), self.counts.reshape(-1, n_classes).sum(axis=1))
        return self.of_cells((first, second, 1), self.cells // n_classes, self.counts)

    def occupied(self) -> tuple[Integers, Integers]:
        """Flat indices of the cells that are not empty, ascending, and their counts."""
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


class Tables(Protocol):
    """Whatever gives the contingency tables of ``n_features`` columns of codes and one class, to any thread."""

    n_samples: int
    n_features: int
    n_classes: int
    arities: NDArray[np.int32]  # codes of feature i are ``0 .. arities[i] - 1``
    class_sizes: Integers  # samples, shape (n_classes,)
    n_jobs: int | None = None  # threads for work on its counts

    @abstractmethod
    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        """The tables of the pivot (None: no pivot) with each of ``columns``, of shape (codes, codes, classes).

        Tables of portions of the samples add up to those of all samples. ``by_class`` False pools the classes.
        """


def has_all_cells(shape: tuple[int, int, int]) -> bool:
    """Whether a table of this shape holds every cell."""
    return prod(shape) <= DENSE_CELLS


def _numbered(shape: tuple[int, int, int]) -> tuple[int, int, int]:
    if prod(shape) > MAX_CELLS:
        raise UserError(
            code="table-too-large",
            message=f"a table of {shape[0]:,} x {shape[1]:,} codes x {shape[2]:,} classes is too large to count",
        )
    return shape


def column_blocks(n_first: int, n_codes: NDArray[np.int32], n_classes: int, n_samples: int) -> Iterator[slice]:
    """Cut columns with so many codes into blocks whose tables with a first variable may be held at once."""
    cells = np.cumsum(np.minimum(n_codes.astype(np.float64) * n_first * n_classes, max(n_samples, DENSE_CELLS)))
    first = 0
    while first < len(cells):
        held = cells[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(cells, held + BLOCK_CELLS, side="right")))
        yield slice(first, last)
        first = last


class PairForm(NamedTuple):
    """The number made of the sums of a pair: ``(xy_sign S_xy + xyc_sign S_xyc + row[i] + column[j]) / per_bit``.

    With ``symmetric``, the mean of that for (i, j) and for (j, i). All but the last division are integers.
    """

    xy_sign: int
    xyc_sign: int
    row: Integers
    column: Integers
    per_bit: float
    symmetric: bool

    def values(self, i: Columns | int, j: Columns | int, xy: Integers, xyc: Integers | None) -> Floats:
        """The numbers of pairs (i, j), given their sums."""
        sums = self.xy_sign * xy + (0 if xyc is None else self.xyc_sign * xyc)
        forward = (sums + self.row[i] + self.column[j]) / self.per_bit
        if not self.symmetric:
            return forward
        return (forward + (sums + self.row[j] + self.column[i]) / self.per_bit) * 0.5

    def of(self, columns: Columns) -> Self:
        """The same of some columns, counted from 0."""
        return self._replace(row=self.row[columns], column=self.column[columns])


class DisjointSupport(Protocol):
    """Pairs of columns of disjoint support: in every sample at least one of the two has its most frequent code.

    Their tables follow from what each of them is alone. Columns of one ``equivalence`` class, shape (n_features,), have
    the same sums: alone, and with every column of support disjoint from theirs; ``representatives`` has a column of
    each.
    """

    equivalence: Columns
    representatives: Columns

    def co_occurring(self, pivot: int, max_codes: int) -> tuple[Columns, Integers] | None:
        """The columns whose support meets the pivot's, and their ``S_xy``; the pivot itself may be among them.

        None where more than ``max_codes`` codes are to be looked at.
        """

    def sums(self, pivot: int) -> Integers:
        """``S_xy`` of the pivot with every representative, as if their supports were disjoint."""


class Sums:
    """What methods ask of the tables of a source; its ``fused`` overrides some, faster and to the same integers."""

    #: About the time of one :meth:`pair_sums` over all columns. With 0 methods count all candidates at once.
    row_seconds: float = 0.0
    #: The columns where all of them are bit planes, which native code can search through; else None.
    planes: _native.PackedTable | None = None

    def __init__(self, source: Tables) -> None:
        self.source = source

    def marginal_sums(self, terms: Terms) -> tuple[Integers, Integers]:
        """``S_x`` of every feature and ``S_xc`` of every feature with the class, each of shape (n_features,)."""
        source = self.source
        every = np.arange(self.source.n_features)
        pooled, with_class = np.empty((2, source.n_features), np.int64)
        sums_of_tables(terms, source, 1, every, lambda some: source.tables(None, some, True), (pooled, with_class))
        return pooled, with_class

    def pair_sums(
        self, terms: Terms, pivot: int, columns: Columns | None, by_class: bool, out: PairSums | None = None
    ) -> PairSums:
        """``S_xy`` and, if asked for, ``S_xyc`` of the pivot with ``columns`` (None: all, then written to ``out``)."""
        source = self.source
        chosen = np.arange(source.n_features) if columns is None else columns
        if out is None or columns is not None:
            out = new_sums(len(chosen), by_class)
        n_first = int(source.arities[pivot])
        sums_of_tables(terms, source, n_first, chosen, lambda some: source.tables(pivot, some, by_class), out)
        return out

    def matrix(
        self, terms: Terms, form: PairForm, dtype: DTypeLike, columns: Columns | None = None, progress: Progress = None
    ) -> Matrix:
        """``form`` of every pair of ``columns`` (None: all), a square matrix; no table is kept."""
        chosen = np.arange(self.source.n_features) if columns is None else columns
        out = square_matrix(len(chosen), dtype)
        for index, feature in enumerate(chosen):
            others = chosen[index:]
            xy, xyc = self.pair_sums(terms, int(feature), others, form.xyc_sign != 0)
            out[index, index:] = form.values(feature, others, xy, xyc)
            out[index:, index] = form.values(others, feature, xy, xyc)
            if progress is not None:
                progress(index + 1, len(chosen))
        return out

    def matrix_rows(self, terms: Terms, form: PairForm, pivots: Columns, columns: Columns, out: Matrix) -> None:
        """``form`` of every pair of a pivot and a column, written to ``out`` of shape (pivots, columns), C order.

        The numbers are those of :meth:`matrix`, bit for bit.
        """
        for row, feature in zip(out, pivots, strict=True):
            row[:] = form.values(feature, columns, *self.pair_sums(terms, int(feature), columns, form.xyc_sign != 0))

    def counted_with(self, columns: Columns) -> Columns:
        """The columns whose pairs with a pivot are counted anyway where those of ``columns`` are, these among them."""
        return columns

    def cell_counts(self, pivot: int | None, columns: Columns, by_class: bool) -> PairSums:
        """The counts of the tables of the pivot (None: no pivot) with ``columns``: row k those with ``columns[k]``.

        Pooled over the classes and, if asked for, within them; in any order, padded with zeros.
        """
        tables = self.source.tables(pivot, columns, by_class)
        pooled = _stacked([table.pooled().counts for table in tables])
        return pooled, _stacked([table.counts for table in tables]) if by_class else None

    def minima(self, terms: Terms, start: Integers, offsets: Integers) -> Scores | None:
        """For every feature i the least ``S_isc - S_is + offsets[s]`` over the features s that are added, in bits.

        Only minima that may be the largest are computed; they are at most ``start``. None: no quick way is known.
        """
        return None

    def disjoint_support(self, terms: Terms, marginals: Integers) -> DisjointSupport | None:
        """Which pairs of columns have disjoint support, given ``S_x`` of every column; None: it is not known."""
        return None


def new_sums(size: int, by_class: bool) -> PairSums:
    """Arrays for the sums over tables and, if asked for, over those within the classes."""
    return np.empty(size, np.int64), np.empty(size, np.int64) if by_class else None


def sums_of_tables(
    terms: Terms,
    source: Tables,
    n_first: int,
    columns: Columns,
    count: Callable[[Columns], list[ContingencyTable]],
    out: PairSums,
) -> None:
    """The sums of the tables, of ``n_first`` codes first, that ``count`` makes of ``columns``, some at a time."""
    pooled, within = out
    n_classes = 1 if within is None else source.n_classes
    for block in column_blocks(n_first, source.arities[columns], n_classes, source.n_samples):
        for index, table in enumerate(count(columns[block]), block.start):
            pooled[index] = terms.sum(table.pooled().counts)
            if within is not None:
                within[index] = terms.sum(table.counts)


def _stacked(rows: list[Integers]) -> Integers:
    """Rows of unlike lengths as one array, padded with zeros."""
    out = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for index, row in enumerate(rows):
        out[index, : len(row)] = row
    return out
