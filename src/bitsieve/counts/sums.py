"""Sums of entropy terms over contingency tables: one definition, block by block, and what a source may fuse.

``S`` below is the sum of the terms (see :mod:`bitsieve.counts.terms`) over the cells of a table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import DTypeLike

from bitsieve.common.greedy import Scores
from bitsieve.common.memory import square_matrix
from bitsieve.counts import Columns, Floats, Integers, Matrix, Progress
from bitsieve.counts.contingency import ContingencyTable, Tables, column_blocks
from bitsieve.counts.terms import Terms

PairSums = tuple[Integers, Integers | None]


class PairForm(NamedTuple):
    """The number made of the sums of a pair: ``(xy_sign S_xy + xyc_sign S_xyc + row[i] + column[j]) / per_bit``.

    With ``symmetric``, the mean of that number for (i, j) and for (j, i). All parts but the last division are
    integers, so equal tables give equal bits.
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

    def co_occurring(self, pivot: int, most: int) -> tuple[Columns, Integers] | None:
        """The columns whose support meets the pivot's, and their ``S_xy``; the pivot itself may be among them.

        None where more than ``most`` codes are to be looked at.
        """

    def sums(self, pivot: int) -> Integers:
        """``S_xy`` of the pivot with every representative, as if their supports were disjoint."""


class Sums:
    """What methods ask of the tables of a source, each with one definition on top of them.

    A source that counts and sums at once gives a subclass as its ``fused``, which overrides what it is faster at and
    returns the same integers.
    """

    #: About the time of one :meth:`pair_sums` over all columns. With 0 methods count all candidates at once.
    row_seconds: float = 0.0

    def __init__(self, source: Tables) -> None:
        self.source = source

    def companions(self, columns: Columns) -> Columns:
        """``columns`` and those that are counted along with them at no extra cost."""
        return columns

    def marginal_sums(self, terms: Terms) -> tuple[Integers, Integers]:
        """``S_x`` of every feature and ``S_xc`` of every feature with the class, each of shape (n_features,)."""
        source, every = self.source, np.arange(self.source.n_features)
        pooled, with_class = np.empty((2, source.n_features), np.int64)
        sums_of_tables(terms, source, 1, every, lambda some: source.tables(None, some, True), (pooled, with_class))
        return pooled, with_class

    def pair_sums(
        self, terms: Terms, pivot: int, columns: Columns | None, by_class: bool, out: PairSums | None = None
    ) -> PairSums:
        """``S_xy`` and, if asked for, ``S_xyc`` of the pivot with ``columns``, in their order.

        ``columns`` None means all; then the sums may be written to ``out``, two arrays of shape (n_features,).
        """
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
        for place, pivot in enumerate(chosen):
            others = chosen[place:]
            xy, xyc = self.pair_sums(terms, int(pivot), others, form.xyc_sign != 0)
            out[place, place:] = form.values(pivot, others, xy, xyc)
            out[place:, place] = form.values(others, pivot, xy, xyc)
            if progress is not None:
                progress(place + 1, len(chosen))
        return out

    def matrix_rows(self, terms: Terms, form: PairForm, pivots: Columns, columns: Columns, out: Matrix) -> None:
        """``form`` of every pair of a pivot and a column, written to ``out`` of shape (pivots, columns), C order.

        The numbers are those of :meth:`matrix`, bit for bit.
        """
        for row, pivot in zip(out, pivots, strict=True):
            row[:] = form.values(pivot, columns, *self.pair_sums(terms, int(pivot), columns, form.xyc_sign != 0))

    def cell_counts(self, pivot: int | None, columns: Columns, by_class: bool) -> PairSums:
        """The counts of the tables of the pivot (None: no pivot) with ``columns``: row k those with ``columns[k]``.

        Pooled over the classes and, if asked for, within them; in any order, empty cells left out or as zeros, the rows
        filled up with zeros.
        """
        tables = self.source.tables(pivot, columns, by_class)
        pooled = _stacked([table.pooled().counts for table in tables])
        return pooled, _stacked([table.counts for table in tables]) if by_class else None

    def gathered(self, columns: Columns) -> Sums | None:
        """The sums of some of the columns, counted from 0; None where their pairs are as cheap without it."""
        return None

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
    """The sums of the tables that ``count`` makes of ``columns``, as many tables at once as may be held.

    ``n_first`` is the number of codes of their first variable.
    """
    pooled, within = out
    n_classes = 1 if within is None else source.n_classes
    for block in column_blocks(n_first, source.arities[columns], n_classes, source.n_samples):
        for place, table in enumerate(count(columns[block]), block.start):
            pooled[place] = terms.sum(table.pooled().counts)
            if within is not None:
                within[place] = terms.sum(table.counts)


def _stacked(rows: list[Integers]) -> Integers:
    """Rows of unlike lengths as one array, filled up with zeros."""
    out = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for place, row in enumerate(rows):
        out[place, : len(row)] = row
    return out
