"""What a method needs of its data: integer contingency tables, and sums of entropy terms that follow from them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from bitsieve.common.memory import square_matrix
from bitsieve.counts.contingency import column_blocks
from bitsieve.counts.hints import CostHints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import DTypeLike, NDArray

    from bitsieve.counts.apart import Apart
    from bitsieve.counts.contingency import ContingencyTable
    from bitsieve.counts.minima import Minima
    from bitsieve.counts.partition import Partition
    from bitsieve.counts.search import ClassSearch
    from bitsieve.counts.terms import Terms

    Integers = NDArray[np.int64]
    Columns = NDArray[np.intp]
    Matrix = NDArray[np.floating]
    Progress = Callable[[int, int], object] | None


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

    def values(self, i: Columns | int, j: Columns | int, xy: Integers, xyc: Integers | None) -> NDArray[np.float64]:
        """The numbers of pairs (i, j), given their sums."""
        sums = self.xy_sign * xy + (0 if xyc is None else self.xyc_sign * xyc)
        forward = (sums + self.row[i] + self.column[j]) / self.per_bit
        if not self.symmetric:
            return forward
        return (forward + (sums + self.row[j] + self.column[i]) / self.per_bit) * 0.5


class CountSource(Protocol):
    """Contingency tables of ``n_features`` columns of codes and one class.

    A source must give the attributes listed, :meth:`tables`, :meth:`partition` and :meth:`joined` (for which
    :class:`~bitsieve.counts.joined.JoinedSource` will do): every method works on any source that does. The other
    methods have one definition here, in terms of these, and may be overridden by a source that counts and sums at once;
    overrides return the same integers. ``S`` below is the sum of entropy terms over the cells of a table (see
    :mod:`bitsieve.counts.terms`).

    Attributes
    ----------
    n_samples, n_features, n_classes : int
    arities : ndarray of int32, shape (n_features,)
        Codes of feature i are ``0 .. arities[i] - 1``.
    class_sizes : ndarray of int64, shape (n_classes,)
    n_jobs : int or None
        Threads for work on its counts. Its methods may be called from several threads at once.
    hints : CostHints
        What is cheap to count, for sources that know.
    search : ClassSearch or None
        What looked at the classes before the columns were codes; None: nothing did.
    """

    n_samples: int
    n_features: int
    n_classes: int
    arities: NDArray[np.int32]
    class_sizes: Integers
    n_jobs: int | None
    hints: CostHints = CostHints()
    search: ClassSearch | None = None

    @abstractmethod
    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        """The tables of the pivot (None: no pivot) with each of ``columns``, of shape (codes, codes, classes).

        Tables of portions of the samples add up to those of all samples. ``by_class`` False pools the classes.
        """

    @abstractmethod
    def partition(self) -> Partition:
        """All samples in one part, to be refined by conditioning features."""

    @abstractmethod
    def joined(self, groups: Sequence[Columns]) -> CountSource:
        """The same samples with one feature for each group of columns, its codes their joint values that occur.

        Raises
        ------
        ValueError
            If a group has more than 65,536 joint values.
        """

    def marginal_sums(self, terms: Terms) -> tuple[Integers, Integers]:
        """``S_x`` of every feature and ``S_xc`` of every feature with the class, each of shape (n_features,)."""
        pooled, with_class = np.empty((2, self.n_features), np.int64)
        for place, table in self._tables_by_blocks(None, np.arange(self.n_features), True):
            pooled[place], with_class[place] = terms.sum(table.pooled().counts), terms.sum(table.counts)
        return pooled, with_class

    def pair_sums(
        self,
        terms: Terms,
        pivot: int,
        columns: Columns | None,
        by_class: bool,
        out: tuple[Integers, Integers | None] | None = None,
    ) -> tuple[Integers, Integers | None]:
        """``S_xy`` and, if asked for, ``S_xyc`` of the pivot with ``columns``, in their order.

        ``columns`` None means all; then the sums may be written to ``out``, two arrays of shape (n_features,).
        """
        chosen = np.arange(self.n_features) if columns is None else columns
        if out is None or columns is not None:
            out = np.empty(len(chosen), np.int64), np.empty(len(chosen), np.int64) if by_class else None
        xy, xyc = out
        for place, table in self._tables_by_blocks(pivot, chosen, by_class):
            xy[place] = terms.sum(table.pooled().counts)
            if xyc is not None:
                xyc[place] = terms.sum(table.counts)
        return xy, xyc

    def matrix(
        self, terms: Terms, form: PairForm, dtype: DTypeLike, columns: Columns | None = None, progress: Progress = None
    ) -> Matrix:
        """``form`` of every pair of ``columns`` (None: all), a square matrix; no table is kept."""
        chosen = np.arange(self.n_features) if columns is None else columns
        out = square_matrix(len(chosen), dtype)
        for place, pivot in enumerate(chosen):
            others = chosen[place:]
            xy, xyc = self.pair_sums(terms, int(pivot), others, form.xyc_sign != 0)
            out[place, place:] = form.values(pivot, others, xy, xyc)
            out[place:, place] = form.values(others, pivot, xy, xyc)
            if progress is not None:
                progress(place + 1, len(chosen))
        return out

    def matrix_rows(
        self, terms: Terms, form: PairForm, pivots: Columns, columns: Columns, out: NDArray[np.floating]
    ) -> None:
        """``form`` of every pair of a pivot and a column, written to ``out`` of shape (pivots, columns), C order.

        The numbers are those of :meth:`matrix`, bit for bit.
        """
        for row, pivot in zip(out, pivots, strict=True):
            row[:] = form.values(pivot, columns, *self.pair_sums(terms, int(pivot), columns, form.xyc_sign != 0))

    def minima(self, terms: Terms, start: Integers) -> Minima | None:
        """Least sums over some pivots, of features whose minima are at most ``start``; None: no quick way is known."""
        return None

    def apart(self, terms: Terms, marginals: Integers) -> Apart | None:
        """What pairs of columns are apart, given ``S_x`` of every column; None: it is not known of any."""
        return None

    def gathered(self, columns: Columns) -> CountSource | None:
        """The same samples with some of the columns; None where counting their pairs is as cheap without it."""
        return None

    def cell_counts(self, pivot: int | None, columns: Columns, by_class: bool) -> tuple[Integers, Integers | None]:
        """The counts of the tables of the pivot (None: no pivot) with ``columns``: row k those with ``columns[k]``.

        Pooled over the classes and, if asked for, within them; in any order, empty cells left out or as zeros, the rows
        filled up with zeros.
        """
        tables = self.tables(pivot, columns, by_class)
        return _stacked([table.pooled().counts for table in tables]), (
            _stacked([table.counts for table in tables]) if by_class else None
        )

    def _tables_by_blocks(
        self, pivot: int | None, columns: Columns, by_class: bool
    ) -> Iterator[tuple[int, ContingencyTable]]:
        """The tables with ``columns`` and their places, as many at once as may be held."""
        n_first = 1 if pivot is None else int(self.arities[pivot])
        n_classes = self.n_classes if by_class else 1
        for block in column_blocks(n_first, self.arities[columns], n_classes, self.n_samples):
            yield from enumerate(self.tables(pivot, columns[block], by_class), block.start)


def _stacked(rows: list[Integers]) -> Integers:
    """Rows of unlike lengths as one array, filled up with zeros."""
    out = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for place, row in enumerate(rows):
        out[place, : len(row)] = row
    return out
