"""The tree of Chow and Liu, the maximum spanning tree of the mutual information of all pairs, and its distribution.

C. Chow, C. Liu, "Approximating discrete probability distributions with dependence trees", IEEE Transactions on
Information Theory 14, 1968. Among all trees it has the largest likelihood.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import CountSource
from bitsieve.information.protocol import Information
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.libraries import chdtrc

LEVEL = 0.05  # of the test of an edge, corrected for all pairs of columns
SMOOTHING = 0.5  # samples that are added to every cell (Krichevsky and Trofimov)
Codes = NDArray[Any]


@dataclass(frozen=True)
class Forest:
    """One tree or several, with m edges."""

    n_features: int
    edges: Columns  # shape (m, 2): the lower column first, ascending
    bits: Floats  # shape (m,): I(Xi;Xj) of each

    @cached_property
    def neighbours(self) -> list[Columns]:
        """For each column, the columns that share an edge with it, ascending."""
        both = np.concatenate([self.edges, self.edges[:, ::-1]])
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        return np.split(both[:, 1], np.searchsorted(both[:, 0], np.arange(1, self.n_features)))

    @cached_property
    def parents(self) -> list[tuple[int, int]]:
        """Pairs of a column and its parent, every column after its parent; -1 is the parent of a root.

        The root of each tree is its lowest column.
        """
        parents = []
        is_visited = np.zeros(self.n_features, bool)
        for root in range(self.n_features):
            if is_visited[root]:
                continue
            stack = [(root, -1)]
            while stack:
                column, parent = stack.pop()
                is_visited[column] = True
                parents.append((column, parent))
                for neighbour in self.neighbours[column].tolist():
                    if neighbour != parent:
                        stack.append((neighbour, column))
        return parents


def spanning_forest(
    information: Information,
    columns: Columns | None = None,
    blocks: NDArray[np.integer] | None = None,
    *,
    chain: bool = False,
    level: float = LEVEL,
) -> Forest:
    """The tree of ``columns`` (None: all); the rest is as in :func:`bitsieve.chow_liu_tree`."""
    columns = np.arange(information.n_features) if columns is None else columns
    block = np.zeros(len(columns), np.intp) if blocks is None else np.asarray(blocks)[columns]
    matrix = np.asarray(information.matrix("redundancy", np.float64, columns), np.float64)
    is_excluded = block[:, None] != block
    np.fill_diagonal(is_excluded, True)
    if chain:
        is_excluded |= ~(np.eye(len(columns), k=1, dtype=bool) | np.eye(len(columns), k=-1, dtype=bool))
    matrix[is_excluded] = -np.inf
    if level < 1:  # before the tree is made: else a column of many codes takes edges of others, and loses them
        n_pairs = (~is_excluded).sum() / 2
        _exclude_independent_pairs(matrix, information.source, columns, n_pairs, level)
    edges, bits = maximum_spanning_tree(matrix)
    return Forest(information.n_features, columns[edges], bits)


def _exclude_independent_pairs(
    matrix: Floats, source: CountSource, columns: Columns, n_pairs: float, level: float
) -> None:
    """Write -inf for pairs whose G-test, corrected for all pairs, does not reach the level."""
    freedom = source.arities[columns].astype(np.int64) - 1
    g_per_bit = 2 * source.n_samples * log(2)
    for i in range(1, len(columns)):
        row = matrix[i, :i]
        p = chdtrc(np.maximum(1, freedom[i] * freedom[:i]), g_per_bit * np.maximum(0.0, row))
        row[p * n_pairs > level] = -np.inf
        matrix[:i, i] = row


def maximum_spanning_tree(weights: Floats) -> tuple[Columns, Floats]:
    """The maximum spanning tree of symmetric weights (-inf: no edge), by Prim's algorithm in O(n^2).

    Returns the edges and their weights; of equal weights the lexicographically first edge is taken.
    """
    n = len(weights)
    columns = np.arange(n)
    is_outside = np.ones(n, bool)  # whether each column is outside of the tree
    # The best edge of every column outside to a column of the tree. An edge is ``lower column * n + higher column``.
    best_weight = np.full(n, -np.inf)
    best_edge = np.full(n, n * n)
    tree_edges = []
    tree_weights = []
    newest = 0
    for _ in range(n - 1):
        is_outside[newest] = False
        edge_to_newest = np.minimum(newest, columns) * n + np.maximum(newest, columns)
        weight_to_newest = weights[newest]
        is_tied = weight_to_newest == best_weight
        is_better = (weight_to_newest > best_weight) | (is_tied & (edge_to_newest < best_edge))
        is_better &= is_outside
        best_weight[is_better] = weight_to_newest[is_better]
        best_edge[is_better] = edge_to_newest[is_better]
        candidates = np.flatnonzero(is_outside)
        heaviest = candidates[best_weight[candidates] == best_weight[candidates].max()]
        newest = int(heaviest[np.argmin(best_edge[heaviest])])
        if np.isfinite(best_weight[newest]):
            tree_edges.append(divmod(int(best_edge[newest]), n))
            tree_weights.append(best_weight[newest])
    edges = np.array(tree_edges, np.intp).reshape(-1, 2)
    order = np.lexsort(edges.T[::-1])
    return edges[order], np.array(tree_weights, np.float64)[order]


class TreeModel:
    """``P(x) = prod_j P(xj | its parent)``, by counts with half a sample added to every cell."""

    def __init__(self, codes: Codes, arities: NDArray[np.integer], forest: Forest) -> None:
        """Codes are of shape (n_features, n_samples)."""
        self.forest = forest
        self.arities = arities.astype(np.int64)
        self.tables: list[Floats] = [np.empty(0)] * forest.n_features  # [xj, its parent's code] = P(xj | parent)
        for column, parent in forest.parents:
            n_codes = int(arities[column])
            n_parent_codes = 1 if parent < 0 else int(arities[parent])
            cells = codes[column].astype(np.int64) * n_parent_codes + _codes_of_parent(codes, parent)
            counts = np.bincount(cells, minlength=n_codes * n_parent_codes)
            smoothed_counts = counts.reshape(n_codes, n_parent_codes) + SMOOTHING
            self.tables[column] = smoothed_counts / smoothed_counts.sum(axis=0)

    def log_likelihood(self, codes: Codes) -> float:
        """The sum of ``log2 P(x)`` over samples, in bits."""
        total = 0.0
        for column, parent in self.forest.parents:
            total += float(np.log2(self.tables[column])[codes[column], _codes_of_parent(codes, parent)].sum())
        return total

    def knockoffs(self, codes: Codes, choose: Callable[[Floats], Codes]) -> Codes:
        """One knockoff of every column, drawn in turn from its distribution given all columns and those drawn before.

        ``choose(weights)`` returns a code for every sample, with probabilities in proportion to weights of shape
        (codes, samples). The leaves come first. Column j, whose parent is column a, has the message ``m_j(v)``: the
        factor that the columns below j and their knockoffs bring to the probability of Xj = v. Without columns below it
        is 1.

            X~j ~ P(v | xa) m_j(v),   m_a(v) = prod_j P(xj | v) P(x~j | v) / sum_w P(w | v) m_j(w)

        Cost: O(n d codes^2).
        """
        knockoffs = np.empty_like(codes)
        messages: dict[int, Floats] = {}  # m of columns whose knockoff is not drawn yet, shape (codes, samples)
        for column, parent in reversed(self.forest.parents):
            table = self.tables[column]
            message = messages.pop(column, None)
            given_parent = table[:, _codes_of_parent(codes, parent)]  # P(v | xa)
            knockoffs[column] = choose(given_parent if message is None else given_parent * message)
            if parent < 0:
                continue
            factor = table[codes[column]].T * table[knockoffs[column]].T  # shape (codes of the parent, samples)
            if message is not None:
                factor /= np.stack([(message * share[:, None]).sum(axis=0) for share in table.T])
            factor *= messages.get(parent, 1.0)
            messages[parent] = factor / factor.max(axis=0)
        return knockoffs


def _codes_of_parent(codes: Codes, parent: int) -> Codes:
    """The codes of the parent of a column; 0 for a root, whose table has one column."""
    return np.zeros(codes.shape[1], np.intp) if parent < 0 else codes[parent]


def draw(random: np.random.Generator, weights: Floats) -> Codes:
    """Draw a code for every sample, with probabilities in proportion to weights of shape (codes, samples)."""
    cumulative = np.cumsum(weights, axis=0)
    chosen: Codes = (cumulative[:-1] <= random.random(weights.shape[1]) * cumulative[-1]).sum(axis=0)
    return chosen
