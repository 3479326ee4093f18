"""The tree of Chow and Liu: the maximum spanning tree of the mutual information of all pairs of columns.

C. Chow, C. Liu, "Approximating discrete probability distributions with dependence trees", IEEE Transactions on
Information Theory 14, 1968. Among all trees it has the largest likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.arrays import Columns, Floats
from bitsieve.common.lazy import cached_property, chdtrc
from bitsieve.information.protocol import Information

LEVEL = 0.05  # of the test of an edge, corrected for all pairs of columns


@dataclass(frozen=True)
class Forest:
    """One tree or several: ``edges`` (m, 2), the lower column first, ascending, and ``bits`` (m,), I(Xi;Xj) of each."""

    n_features: int
    edges: Columns
    bits: Floats

    @cached_property
    def neighbours(self) -> list[Columns]:
        """The columns that share an edge with each column, ascending."""
        both = np.concatenate([self.edges, self.edges[:, ::-1]])
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        return np.split(both[:, 1], np.searchsorted(both[:, 0], np.arange(1, self.n_features)))

    @cached_property
    def parents(self) -> list[tuple[int, int]]:
        """Every column after its parent, with its parent; -1 for the lowest column of a tree."""
        found, seen = [], np.zeros(self.n_features, bool)
        for root in range(self.n_features):
            waiting = [] if seen[root] else [(root, -1)]
            while waiting:
                column, parent = waiting.pop()
                seen[column] = True
                found.append((column, parent))
                waiting += [(other, column) for other in self.neighbours[column].tolist() if other != parent]
        return found


def spanning_forest(
    information: Information,
    columns: Columns | None = None,
    blocks: NDArray[np.integer] | None = None,
    *,
    chain: bool = False,
    level: float = LEVEL,
) -> Forest:
    """The tree of ``columns`` (None: all); the rest is as in :func:`bitsieve.chow_liu_tree`."""
    n = information.n_features
    columns = np.arange(n) if columns is None else columns
    block = np.zeros(len(columns), np.intp) if blocks is None else np.asarray(blocks)[columns]
    matrix = np.asarray(information.matrix("redundancy", np.float64, columns), np.float64)
    apart = block[:, None] != block
    np.fill_diagonal(apart, True)
    if chain:
        apart |= ~(np.eye(len(columns), k=1, dtype=bool) | np.eye(len(columns), k=-1, dtype=bool))
    matrix[apart] = -np.inf
    if level < 1:  # before the tree is made: else a column of many codes takes edges of others, and loses them
        freedom = information.source.arities[columns].astype(np.int64) - 1
        g_per_bit, n_pairs = 2 * information.source.n_samples * log(2), (~apart).sum() / 2
        for i in range(1, len(columns)):
            row = matrix[i, :i]
            p = chdtrc(np.maximum(1, freedom[i] * freedom[:i]), g_per_bit * np.maximum(0.0, row))
            row[p * n_pairs > level] = -np.inf
            matrix[:i, i] = row
    places, bits = maximum_spanning_tree(matrix)
    return Forest(n, columns[places], bits)


def maximum_spanning_tree(weights: Floats) -> tuple[Columns, Floats]:
    """The edges of symmetric weights (-inf: none), and their weights; of equal ones the lower pair. By Prim: O(n^2)."""
    n = len(weights)
    best = np.full(n, -np.inf)
    pair, outside, columns = np.full(n, n * n), np.ones(n, bool), np.arange(n)
    edges, bits = [], []
    newest = 0
    for _ in range(n - 1):
        outside[newest] = False
        pairs = np.minimum(newest, columns) * n + np.maximum(newest, columns)
        row = weights[newest]
        better = outside & ((row > best) | ((row == best) & (pairs < pair)))
        best[better], pair[better] = row[better], pairs[better]
        left = np.flatnonzero(outside)
        highest = left[best[left] == best[left].max()]
        newest = int(highest[np.argmin(pair[highest])])
        if np.isfinite(best[newest]):
            edges.append(divmod(int(pair[newest]), n))
            bits.append(best[newest])
    order = np.lexsort(np.array(edges, np.intp).reshape(-1, 2).T[::-1])
    return np.array(edges, np.intp).reshape(-1, 2)[order], np.array(bits, np.float64)[order]
