r"""Information from shrunk tables (James-Stein).

Every quantity is that of one table, the table of just the variables it is about, shrunk towards the uniform one (see
:mod:`bitsieve.information.shrunk`): I(X;Y) of the table of X and Y, and I(X;Y|C), I(X;C|Y), I(X,Y;C) and H(X,Y,C) of
the table of X, Y and C. Each is therefore the information of a true distribution: ``0 <= I <= min(H)`` of that table,
up to rounding. Two tables have two weights: sums such as ``I(X,Y;C) = I(X;C) + I(Y;C|X)`` do not hold across tables,
nor need I(X;Y) stay below H(X) of the table of X alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from bitsieve.common.attributes import cached_property
from bitsieve.counts.blocks import run_blocks
from bitsieve.information.pairwise import CACHE_BYTES, PairTerms, PairwiseInformation
from bitsieve.information.shrunk import shrunk_entropy, uniform_weight

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from bitsieve.counts.source import CountSource

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]
    Columns = NDArray[np.intp]

BLOCK_CELLS = 1 << 17  # of the tables that are worked on at once: some megabytes a thread
LANES = 8  # features that are counted together


class Row(NamedTuple):
    """The quantities of some features Xi with one pivot Xs, in bits; None without the class."""

    redundancy: Floats  # I(Xi;Xs)
    conditional_redundancy: Floats | None  # I(Xi;Xs|C)
    conditional_relevance: Floats | None  # I(Xi;C|Xs)
    pivot_relevance: Floats | None  # I(Xs;C|Xi)
    joint_relevance: Floats | None  # I(Xi,Xs;C)
    joint_entropy: Floats | None  # H(Xi,Xs,C)

    def take(self, columns: Columns) -> Row:
        """Those of some features only."""
        return Row(self.redundancy[columns], *(None if values is None else values[columns] for values in self[1:]))


class ShrinkageInformation(PairwiseInformation):
    """Information quantities of shrunk tables, in bits.

    Parameters
    ----------
    source : CountSource

    Notes
    -----
    A row costs the counts themselves and some logarithms a cell: with few samples some thirty times a row of plug-in
    terms, with 10^5 samples, where counting is the work, about as much.
    """

    estimator: ClassVar[str] = "shrinkage"

    def __init__(self, source: CountSource) -> None:
        super().__init__(source)
        self._kept: dict[int, Row] = {}
        self._most_kept = max(2, CACHE_BYTES // (8 * len(Row._fields) * max(source.n_features, 1)))

    @cached_property
    def entropy(self) -> Floats:
        """H(Xi), shape (n_features,)."""
        return self._alone[0]

    @cached_property
    def class_entropy(self) -> float:
        """H(C)."""
        sizes, n_classes = self.source.class_sizes[None], self.source.n_classes
        return float(self._entropy(sizes, n_classes, uniform_weight(sizes, n_classes, self.source.n_samples))[0])

    @cached_property
    def relevance(self) -> Floats:
        """I(Xi;C), shape (n_features,)."""
        return self._alone[1]

    @cached_property
    def _alone(self) -> tuple[Floats, Floats]:
        entropy, relevance = np.empty((2, self.n_features))

        def fill(columns: Columns) -> None:
            source, n_classes = self.source, self.source.n_classes
            codes = source.arities[columns].astype(np.int64)
            x, within = source.cell_counts(-1, columns, True)
            xc = _given(within)
            entropy[columns] = self._entropy(x, codes, uniform_weight(x, codes, source.n_samples))
            weight = uniform_weight(xc, codes * n_classes, source.n_samples)
            relevance[columns] = (
                self._entropy(x, codes, weight)
                + self._entropy(source.class_sizes[None], n_classes, weight)
                - self._entropy(xc, codes * n_classes, weight)
            )

        run_blocks(fill, self._blocks(-1, np.arange(self.n_features), True), self.source.n_jobs)
        return entropy, relevance

    def pair(self, pivot: int, columns: Columns | None = None, *, within_classes: bool = True) -> ShrunkTerms:
        """The terms of every feature of ``columns`` (None: all) with the pivot."""
        kept = self._kept.get(pivot)
        if kept is None or (within_classes and kept.joint_entropy is None):
            if columns is not None:
                return ShrunkTerms(self, pivot, columns, self._row(pivot, columns, within_classes))
            kept = self._row(pivot, np.arange(self.n_features), within_classes)
            if len(self._kept) < self._most_kept:
                self._kept[pivot] = kept
        return ShrunkTerms(self, pivot, columns, kept if columns is None else kept.take(columns))

    def mutual_information_matrix(
        self,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> NDArray[np.floating]:
        """I(Xi;Xj) of every pair of ``columns`` (None: all), H(Xi) on the diagonal."""
        chosen = np.arange(self.n_features) if columns is None else columns
        matrix = np.diag(self.entropy[chosen]).astype(dtype)

        def fill(place: int, others: slice, row: Row) -> None:
            matrix[place, others] = matrix[others, place] = row.redundancy

        self._fill(fill, chosen, False, progress)
        return matrix

    def conditional_mutual_information_matrix(
        self,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Callable[[int, int], object] | None = None,
        *,
        symmetric: bool = False,
    ) -> NDArray[np.floating]:
        """[i, j] = I(Xi;C|Xj), the diagonal I(Xi;C); ``symmetric``: the mean with its transpose."""
        chosen = np.arange(self.n_features) if columns is None else columns
        matrix = np.diag(self.relevance[chosen]).astype(dtype)

        def fill(place: int, others: slice, row: Row) -> None:
            forward, backward = _given(row.pivot_relevance), _given(row.conditional_relevance)
            if symmetric:
                forward = backward = (forward + backward) / 2
            matrix[place, others] = forward
            matrix[others, place] = backward

        self._fill(fill, chosen, True, progress)
        return matrix

    def _fill(
        self,
        fill: Callable[[int, slice, Row], None],
        chosen: Columns,
        within_classes: bool,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        """``fill(place, others, row)`` for every column of ``chosen`` with those after it, a row a thread."""

        def work(place: int) -> None:
            columns = chosen[place + 1 :]
            row = self._row(int(chosen[place]), columns, within_classes, n_jobs=1)
            fill(place, slice(place + 1, None), row)

        run_blocks(work, range(len(chosen) - 1), self.source.n_jobs, progress)

    def _row(self, pivot: int, columns: Columns, within_classes: bool, n_jobs: int | None = None) -> Row:
        place = np.empty(self.n_features, np.intp)
        place[columns] = np.arange(len(columns))
        values = np.empty((len(Row._fields) if within_classes else 1, len(columns)))
        own = self.source.cell_counts(-1, np.array([pivot]), within_classes)

        def fill(block: Columns) -> None:
            values[:, place[block]] = self._terms(pivot, own, block, within_classes)

        run_blocks(fill, self._blocks(pivot, columns, within_classes), n_jobs or self.source.n_jobs)
        return Row(*values, *[None] * (len(Row._fields) - len(values)))

    def _terms(
        self, pivot: int, own: tuple[Counts, Counts | None], columns: Columns, within_classes: bool
    ) -> list[Floats]:
        """The rows of :class:`Row` of one block."""
        source, n_classes = self.source, self.source.n_classes
        a, b = int(source.arities[pivot]), source.arities[columns].astype(np.int64)
        pair = source.cell_counts(pivot, columns, within_classes)
        other = source.cell_counts(-1, columns, within_classes)
        x, y, xy = own[0], other[0], pair[0]
        weight = uniform_weight(xy, a * b, source.n_samples)
        redundancy = self._entropy(x, a, weight) + self._entropy(y, b, weight) - self._entropy(xy, a * b, weight)
        if not within_classes:
            return [redundancy]
        xc, yc, xyc = _given(own[1]), _given(other[1]), _given(pair[1])
        weight = uniform_weight(xyc, a * b * n_classes, source.n_samples)
        h_x, h_y = self._entropy(x, a, weight), self._entropy(y, b, weight)
        h_c = self._entropy(source.class_sizes[None], n_classes, weight)
        h_xy = self._entropy(xy, a * b, weight)
        h_xc, h_yc = self._entropy(xc, a * n_classes, weight), self._entropy(yc, b * n_classes, weight)
        h_xyc = self._entropy(xyc, a * b * n_classes, weight)
        return [
            redundancy,
            h_xc + h_yc - h_xyc - h_c,
            h_xy + h_xc - h_xyc - h_x,
            h_xy + h_yc - h_xyc - h_y,
            h_xy + h_c - h_xyc,
            h_xyc,
        ]

    def _entropy(self, counts: Counts, n_cells: int | Counts, weight: Floats) -> Floats:
        return shrunk_entropy(counts, n_cells, weight, self.source.n_samples)

    def _blocks(self, pivot: int, columns: Columns, within_classes: bool) -> list[Columns]:
        """``columns`` in the order of counting, cut so that the tables of a part fit the memory meant for them."""
        source = self.source
        ordered = source.counting_order(columns)
        codes = (1 if pivot < 0 else int(source.arities[pivot])) * source.arities[ordered].astype(np.int64)
        cells = np.minimum(codes * (source.n_classes if within_classes else 1), source.n_samples)
        blocks, first = [], 0
        while first < len(ordered):
            size = max(1, BLOCK_CELLS // int(cells[first]))
            while size > 1 and size * int(cells[first : first + size].max()) > BLOCK_CELLS:
                size //= 2
            if size > LANES:
                size -= size % LANES
            blocks.append(ordered[first : first + size])
            first += size
        return blocks


class ShrunkTerms(PairTerms):
    """The terms of some features with one pivot."""

    def __init__(self, information: ShrinkageInformation, pivot: int, columns: Columns | None, row: Row) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns
        self._row = row

    @property
    def redundancy(self) -> Floats:
        """I(Xi;Xs), s the pivot."""
        return self._row.redundancy

    @property
    def conditional_redundancy(self) -> Floats:
        """I(Xi;Xs|C)."""
        return _given(self._row.conditional_redundancy)

    @property
    def conditional_relevance(self) -> Floats:
        """I(Xi;C|Xs)."""
        return _given(self._row.conditional_relevance)

    @property
    def joint_relevance(self) -> Floats:
        """I(Xi,Xs;C)."""
        return _given(self._row.joint_relevance)

    @property
    def joint_entropy(self) -> Floats:
        """H(Xi,Xs,C)."""
        return _given(self._row.joint_entropy)


def _given(values: NDArray | None) -> NDArray:
    if values is None:
        raise TypeError("these terms were counted without the class; ask for them with within_classes=True")
    return values
