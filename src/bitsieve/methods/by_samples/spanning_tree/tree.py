"""The Euclidean minimum spanning tree of points, some of which may be equal, and its edges between classes.

J. H. Friedman, L. C. Rafsky, Annals of Statistics 7, 1979. doi:10.1214/aos/1176344722
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Floats, Integers

MAX_SPREAD = 1e150  # sums of squares of larger differences may overflow


@dataclass(frozen=True)
class SpanningTree:
    """A spanning tree of the distinct points."""

    nodes: Floats  # the distinct points in lexicographic order, shape (n_nodes, n_dimensions)
    node_of_point: Columns
    edges: Integers  # the two nodes of every edge, the lower one first, shape (n_nodes - 1, 2)


def minimum_spanning_tree(points: Floats) -> SpanningTree:
    """The minimum spanning tree of finite points, shape (n_points, n_dimensions), by Prim's algorithm over near points.

    Of edges of equal length the one with the lexicographically first nodes is taken, so the tree is unique.
    """
    nodes, node_of_point = np.unique(check_spread(points), axis=0, return_inverse=True)
    edges = _native.spanning_tree(choose_kernel().name, np.ascontiguousarray(nodes.T))
    return SpanningTree(nodes, node_of_point.reshape(-1), edges)


def check_spread(points: Floats) -> Floats:
    """The points as they are; ValueError if not all squared distances are finite."""
    points = np.asarray(points, np.float64)
    if not np.isfinite(points).all():
        raise UserError(
            code="missing-values",
            message="distances need finite numbers, and there are missing or infinite ones",
            advice="impute or drop them",
        )
    if points.size and points.max() / 2 - points.min() / 2 > MAX_SPREAD / 2:
        raise UserError(
            code="values-too-large",
            message=f"values lie further apart than {MAX_SPREAD:.0e}, and squared distances overflow",
            advice="rescale them",
        )
    return points


def edges_between(tree: SpanningTree, classes: NDArray[np.integer], n_classes: int) -> Floats:
    """The number of edges between every two classes, as a symmetric matrix; on the diagonal those within a class.

    m equal points can be joined to each other, and to the rest of the tree, in many ways: the result is the mean over
    all of them. Two of the m points are joined with probability ``2 / m``.
    """
    n_nodes = len(tree.nodes)
    cells = np.bincount(tree.node_of_point * n_classes + classes, minlength=n_nodes * n_classes)
    counts = cells.reshape(n_nodes, n_classes)
    sizes = counts.sum(axis=1, keepdims=True)
    share = counts / sizes
    # einsum adds in one order; a matrix product of many threads does not.
    within_nodes = np.einsum("ga,gb->ab", share, counts)
    across_nodes = np.einsum("ea,eb->ab", share[tree.edges[:, 0]], share[tree.edges[:, 1]])
    n_edges = (within_nodes + across_nodes) + (within_nodes + across_nodes).T
    within_classes = np.diagonal(within_nodes) - share.sum(axis=0) + np.diagonal(across_nodes)
    n_edges[np.diag_indices(n_classes)] = within_classes
    return np.asarray(n_edges)


@dataclass(frozen=True)
class RankedColumns:
    """Columns of numbers as ranks among the distinct values of each."""

    ranks: NDArray[np.uint32]  # shape (n_columns, n_samples)
    values: Floats  # the distinct values of the first column, ascending, then those of the second, and so on
    starts: Integers  # the index of the first value of each column, and the number of all, shape (n_columns + 1,)

    @classmethod
    def of(cls, numbers: Floats) -> RankedColumns:
        """The columns of a table, shape (n_samples, n_columns); ValueError if not all squared distances are finite."""
        ranks = np.empty(numbers.shape[::-1], np.uint32)
        values = []
        for j, column in enumerate(check_spread(numbers).T):
            distinct, ranks[j] = np.unique(column, return_inverse=True)
            values.append(distinct)
        starts = np.concatenate([[0], np.cumsum([len(distinct) for distinct in values])]).astype(np.int64)
        return cls(ranks, np.concatenate([*values, np.empty(0)]), starts)

    def values_of(self, column: int) -> Floats:
        """The distinct values of a column, ascending."""
        return self.values[self.starts[column] : self.starts[column + 1]]


@dataclass(frozen=True)
class SharedPart:
    """Points of two sets that differ in their last coordinate alone, when that runs through several columns.

    A point has its shared coordinates from one sample and its last coordinate from another, or from the same.
    """

    ranks: NDArray[np.uint32]  # the rank of every sample's shared coordinates, in lexicographic order
    values: Floats  # the shared coordinates of every rank, shape (n_dimensions, n_ranks)
    shared_sample: Integers  # for each point, the sample that its shared coordinates are from
    last_sample: Integers  # for each point, the sample that its last coordinate is from
    in_first: Floats  # the weight of each point in the first set, 0 if it is in the second
    in_second: Floats  # the weight of each point in the second set, 0 if it is in the first

    def weights(self, columns: RankedColumns, last: Sequence[int] | Integers) -> Floats:
        """For each of the columns ``last`` as last coordinate: the weight of the edges between the sets.

        The edges are those of the minimum spanning tree; the weight of an edge is the product of those of its points.
        """
        out = np.empty(len(last))
        _native.cross_edges(
            choose_kernel().name,
            self.ranks,
            self.values,
            self.shared_sample,
            self.last_sample,
            self.in_first,
            self.in_second,
            columns.ranks,
            columns.values,
            columns.starts,
            np.asarray(last, np.int64),
            out,
        )
        return out
