"""Information from tables that are shrunk towards the uniform one (James-Stein).

Every quantity is that of one table, of just the variables it is about: ``p' = lambda / M + (1 - lambda) p``, M its
cells with the empty ones, ``lambda = (1 - sum p^2) / ((N - 1) sum (1/M - p)^2)``, at most 1. Two tables have two
weights, so sums such as ``I(X,Y;C) = I(X;C) + I(Y;C|X)`` do not hold across tables. Entropy terms are added as integers
of 2**-56 bit, so that neither the order of the cells nor zeros among them change a bit of the sum.

J. Hausser, K. Strimmer, "Entropy inference and the James-Stein estimator, with application to nonlinear gene
association networks", Journal of Machine Learning Research 10, 2009, pp. 1469-1484.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple, NoReturn

import numpy as np

from bitsieve.counts.source import CountSource, sums_of
from bitsieve.counts.threads import run_blocks
from bitsieve.information.protocol import Information, PairInformation, UndefinedQuantityError, counted_by_class
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Matrix
from bitsieve.utils.lazy import cached_property

BLOCK_CELLS = 1 << 17  # of the tables that are worked on at once: some megabytes a thread
CACHE_BYTES = 256 << 20  # rows kept for later questions about the same pivots
QUANTITIES = 6  # of a feature with a pivot
UNITS_PER_BIT = 2.0**56  # an entropy is below 64 bits: its sum stays within int64


def uniform_weight(counts: Integers, n_cells: int | Integers, n_samples: int) -> Floats:
    """``lambda`` of tables, one a row of ``counts``; ``n_cells`` counts all cells, whatever zeros a row holds."""
    squares = (counts * counts).sum(axis=1)
    pairs = n_samples * n_samples  # at most 2**62
    spread = (n_samples - 1) * (squares / pairs - 1 / np.asarray(n_cells, np.float64))
    noise = (pairs - squares) / pairs
    # A table that is uniform already has no spread; neither has one sample, nor a table of one cell.
    weight: Floats = np.ones(len(counts))
    np.minimum(noise / np.where(spread > 0, spread, 1.0), 1.0, where=spread > 0, out=weight)
    return weight


def shrunk_entropy(counts: Integers, n_cells: int | Integers, weight: Floats, n_samples: int) -> Floats:
    """Entropy in bits of tables, one a row of ``counts`` (or one for all), shrunk by the weights given."""
    size = np.asarray(n_cells, np.float64)
    empty = weight / size
    cells = empty[:, None] + ((1 - weight) / n_samples)[:, None] * counts
    occupied = counts > 0
    entropy_terms = np.rint(_term(cells, occupied) * UNITS_PER_BIT).astype(np.int64)
    n_empty = size - occupied.sum(axis=1)
    return np.asarray(entropy_terms.sum(axis=1) / UNITS_PER_BIT + n_empty * _term(empty, empty > 0))


def _term(shares: Floats, is_counted: Flags) -> Floats:
    """``-p log2 p`` where wanted, else 0."""
    return -shares * np.log2(np.where(is_counted, shares, 1.0))


class Single(NamedTuple):
    """The quantities of every feature Xi alone."""

    entropy: Floats  # H(Xi), bits
    relevance: Floats  # I(Xi;C), bits
    entropy_by_class: Floats  # H(Xi|C), bits
    varies: Flags  # whether more than one code occurs


class ShrinkageInformation(Information):
    """Information quantities of shrunk tables, in bits; of few samples a row costs some thirty of plug-in."""

    estimator: ClassVar[str] = "shrinkage"
    conditions_on_sets: ClassVar[bool] = False
    counts_both_ways: ClassVar[bool] = True

    def __init__(self, source: CountSource) -> None:
        self.source = source
        self.sums = sums_of(source)
        self._kept: dict[int, Matrix] = {}
        self._most_kept = max(2, CACHE_BYTES // (8 * QUANTITIES * max(source.n_features, 1)))

    def conditional(self) -> NoReturn:
        """Not defined: the tables of many features have too many cells to be shrunk towards the uniform one."""
        raise UndefinedQuantityError(
            code="undefined-quantity",
            message="estimator='shrinkage' does not define information conditional on a set of features",
            advice="use 'plug-in', 'corrected' or 'miller-madow'",
        )

    @cached_property
    def _single(self) -> Single:
        """The quantities of every feature alone."""
        entropy, relevance, by_class = np.empty((3, self.source.n_features))
        varies = np.empty(self.source.n_features, bool)

        def fill(columns: Columns) -> None:
            source = self.source
            n_classes = self.source.n_classes
            codes = source.arities[columns].astype(np.int64)
            x, within = self.sums.cell_counts(None, columns, True)
            xc = counted_by_class(within)
            varies[columns] = np.count_nonzero(x, axis=1) > 1
            entropy[columns] = self._entropy(x, codes, uniform_weight(x, codes, source.n_samples))
            weight = uniform_weight(xc, codes * n_classes, source.n_samples)
            h_c = self._entropy(source.class_sizes[None], n_classes, weight)
            h_xc = self._entropy(xc, codes * n_classes, weight)
            relevance[columns] = self._entropy(x, codes, weight) + h_c - h_xc
            by_class[columns] = h_xc - h_c

        run_blocks(fill, self._blocks(None, np.arange(self.source.n_features), True), self.source.n_jobs)
        return Single(entropy, relevance, by_class, varies)

    @property
    def entropy(self) -> Floats:
        return self._single.entropy

    @property
    def entropy_by_class(self) -> Floats:
        return self._single.entropy_by_class

    @property
    def relevance(self) -> Floats:
        return self._single.relevance

    @property
    def varies(self) -> Flags:
        return self._single.varies

    @cached_property
    def class_entropy(self) -> float:
        sizes = self.source.class_sizes[None]
        n_classes = self.source.n_classes
        return float(self._entropy(sizes, n_classes, uniform_weight(sizes, n_classes, self.source.n_samples))[0])

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> ShrunkPair:
        cached_row = self._kept.get(pivot)
        if cached_row is None or (by_class and len(cached_row) == 1):
            if columns is not None:
                return ShrunkPair(self, pivot, columns, self._row(pivot, columns, by_class))
            cached_row = self._row(pivot, np.arange(self.n_features), by_class)
            if len(self._kept) < self._most_kept:
                self._kept[pivot] = cached_row
        return ShrunkPair(self, pivot, columns, cached_row if columns is None else cached_row[:, columns])

    def _row(self, pivot: int, columns: Columns, by_class: bool) -> Matrix:
        """The quantities of ``columns`` with one pivot, in the order of :class:`ShrunkPair`; one without the class."""
        index_of_feature = np.empty(self.source.n_features, np.intp)
        index_of_feature[columns] = np.arange(len(columns))
        values = np.empty((QUANTITIES if by_class else 1, len(columns)))
        pivot_counts = self.sums.cell_counts(None, np.array([pivot]), by_class)

        def fill(block: Columns) -> None:
            values[:, index_of_feature[block]] = self._terms(pivot, pivot_counts, block, by_class)

        run_blocks(fill, self._blocks(pivot, columns, by_class), self.source.n_jobs)
        return values

    def _terms(
        self, pivot: int, pivot_counts: tuple[Integers, Integers | None], columns: Columns, by_class: bool
    ) -> list[Floats]:
        """The quantities of one block."""
        source = self.source
        n_classes = self.source.n_classes
        a = int(source.arities[pivot])
        b = source.arities[columns].astype(np.int64)
        pair = self.sums.cell_counts(pivot, columns, by_class)
        column_counts = self.sums.cell_counts(None, columns, by_class)
        x = pivot_counts[0]
        y = column_counts[0]
        xy = pair[0]
        weight = uniform_weight(xy, a * b, source.n_samples)
        redundancy = self._entropy(x, a, weight) + self._entropy(y, b, weight) - self._entropy(xy, a * b, weight)
        if not by_class:
            return [redundancy]
        xc = counted_by_class(pivot_counts[1])
        yc = counted_by_class(column_counts[1])
        xyc = counted_by_class(pair[1])
        weight = uniform_weight(xyc, a * b * n_classes, source.n_samples)
        h_x = self._entropy(x, a, weight)
        h_y = self._entropy(y, b, weight)
        h_c = self._entropy(source.class_sizes[None], n_classes, weight)
        h_xy = self._entropy(xy, a * b, weight)
        h_xc = self._entropy(xc, a * n_classes, weight)
        h_yc = self._entropy(yc, b * n_classes, weight)
        h_xyc = self._entropy(xyc, a * b * n_classes, weight)
        return [
            redundancy,
            h_xc + h_yc - h_xyc - h_c,
            h_xy + h_xc - h_xyc - h_x,
            h_xy + h_c - h_xyc,
            h_xyc,
            h_xy + h_yc - h_xyc - h_y,
        ]

    def _entropy(self, counts: Integers, n_cells: int | Integers, weight: Floats) -> Floats:
        return shrunk_entropy(counts, n_cells, weight, self.source.n_samples)

    def _blocks(self, pivot: int | None, columns: Columns, by_class: bool) -> list[Columns]:
        """``columns`` by their number of codes, cut so that the tables of a part fit the memory meant for them."""
        source = self.source
        ordered = columns[np.argsort(source.arities[columns], kind="stable")]
        codes = (1 if pivot is None else int(source.arities[pivot])) * source.arities[ordered].astype(np.int64)
        cells = np.minimum(codes * (source.n_classes if by_class else 1), source.n_samples)
        blocks = []
        first = 0
        while first < len(ordered):
            held = cells[first:] * np.arange(1, len(cells) - first + 1)
            last = first + max(1, int(np.searchsorted(held, BLOCK_CELLS, side="right")))
            blocks.append(ordered[first:last])
            first = last
        return blocks


class ShrunkPair(PairInformation):
    """The information of some features with one pivot."""

    def __init__(self, information: ShrinkageInformation, pivot: int, columns: Columns | None, values: Matrix) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns
        self._values = values

    def _within(self, index: int) -> Floats:
        within: Floats = counted_by_class(self._values if len(self._values) > 1 else None)[index]
        return within

    @property
    def redundancy(self) -> Floats:
        return np.asarray(self._values[0])

    @property
    def conditional_redundancy(self) -> Floats:
        return self._within(1)

    @property
    def conditional_relevance(self) -> Floats:
        return self._within(2)

    @property
    def joint_relevance(self) -> Floats:
        return self._within(3)

    @property
    def joint_entropy(self) -> Floats:
        return self._within(4)

    def pivot_relevance(self) -> Floats:
        return self._within(5)
