"""The quantities of shrunk tables, feature by feature and pair by pair, from the counts of their cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve.common.lazy import cached_property
from bitsieve.counts.blocks import run_blocks
from bitsieve.information.protocol import counted_by_class
from bitsieve.information.shrunk import shrunk_entropy, uniform_weight

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.counts.source import CountSource

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]
    Columns = NDArray[np.intp]

BLOCK_CELLS = 1 << 17  # of the tables that are worked on at once: some megabytes a thread


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


class Single(NamedTuple):
    """The quantities of every feature Xi alone."""

    entropy: Floats  # H(Xi), bits
    relevance: Floats  # I(Xi;C), bits
    entropy_by_class: Floats  # H(Xi|C), bits
    varies: NDArray[np.bool_]  # whether more than one code occurs


class ShrunkRows:
    """Rows of shrunk quantities over a source of counts.

    Parameters
    ----------
    source : CountSource
    """

    def __init__(self, source: CountSource) -> None:
        self.source = source

    @cached_property
    def class_entropy(self) -> float:
        """H(C)."""
        sizes, n_classes = self.source.class_sizes[None], self.source.n_classes
        return float(self._entropy(sizes, n_classes, uniform_weight(sizes, n_classes, self.source.n_samples))[0])

    @cached_property
    def single(self) -> Single:
        """The quantities of every feature alone."""
        entropy, relevance, by_class = np.empty((3, self.source.n_features))
        varies = np.empty(self.source.n_features, bool)

        def fill(columns: Columns) -> None:
            source, n_classes = self.source, self.source.n_classes
            codes = source.arities[columns].astype(np.int64)
            x, within = source.cell_counts(None, columns, True)
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

    def row(self, pivot: int, columns: Columns, by_class: bool, n_jobs: int | None = None) -> Row:
        """The quantities of ``columns`` with one pivot."""
        place = np.empty(self.source.n_features, np.intp)
        place[columns] = np.arange(len(columns))
        values = np.empty((len(Row._fields) if by_class else 1, len(columns)))
        own = self.source.cell_counts(None, np.array([pivot]), by_class)

        def fill(block: Columns) -> None:
            values[:, place[block]] = self._terms(pivot, own, block, by_class)

        run_blocks(fill, self._blocks(pivot, columns, by_class), n_jobs or self.source.n_jobs)
        return Row(*values, *[None] * (len(Row._fields) - len(values)))

    def _terms(self, pivot: int, own: tuple[Counts, Counts | None], columns: Columns, by_class: bool) -> list[Floats]:
        """The rows of :class:`Row` of one block."""
        source, n_classes = self.source, self.source.n_classes
        a, b = int(source.arities[pivot]), source.arities[columns].astype(np.int64)
        pair = source.cell_counts(pivot, columns, by_class)
        other = source.cell_counts(None, columns, by_class)
        x, y, xy = own[0], other[0], pair[0]
        weight = uniform_weight(xy, a * b, source.n_samples)
        redundancy = self._entropy(x, a, weight) + self._entropy(y, b, weight) - self._entropy(xy, a * b, weight)
        if not by_class:
            return [redundancy]
        xc, yc, xyc = counted_by_class(own[1]), counted_by_class(other[1]), counted_by_class(pair[1])
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

    def _blocks(self, pivot: int | None, columns: Columns, by_class: bool) -> list[Columns]:
        """``columns`` by their number of codes, cut so that the tables of a part fit the memory meant for them.

        Parts of as many columns as a power of two do not cut through columns that a source counts together.
        """
        source = self.source
        ordered = columns[np.argsort(source.arities[columns], kind="stable")]
        codes = (1 if pivot is None else int(source.arities[pivot])) * source.arities[ordered].astype(np.int64)
        cells = np.minimum(codes * (source.n_classes if by_class else 1), source.n_samples)
        blocks, first = [], 0
        while first < len(ordered):
            size = 1 << (max(1, BLOCK_CELLS // int(cells[first])).bit_length() - 1)
            while size > 1 and size * int(cells[first : first + size].max()) > BLOCK_CELLS:
                size //= 2
            blocks.append(ordered[first : first + size])
            first += size
        return blocks
