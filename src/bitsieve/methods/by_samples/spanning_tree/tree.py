"""The Euclidean minimum spanning tree of points, some of them equal, and its edges between points of other classes.

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

WIDEST = 1e150  # squared differences of larger ones, summed over many columns, leave the range of floats


@dataclass(frozen=True)
class SpanningTree:
    """A tree on the places of the points: equal points are one place."""

    places: Floats  # the distinct points in lexicographic order, shape (n_places, n_dimensions)
    place: Columns  # of every point
    edges: Integers  # the two places of every edge, the lower one first, shape (n_places - 1, 2)


def minimum_spanning_tree(points: Floats) -> SpanningTree:
    """The minimum spanning tree of finite points, shape (n_points, n_dimensions), by Prim's algorithm over near points.

    Edges of equal length are taken by their places in lexicographic order, so the tree is unique.
    """
    places, place = np.unique(check_spread(points), axis=0, return_inverse=True)
    edges = _native.spanning_tree(choose_kernel().name, np.ascontiguousarray(places.T))
    return SpanningTree(places, place.reshape(-1), edges)


def check_spread(points: Floats) -> Floats:
    """The points as they are; ValueError if not all squared distances are finite."""
    points = np.asarray(points, np.float64)
    if not np.isfinite(points).all():
        raise UserError(
            code="missing-values",
            message="distances need finite numbers, and there are missing or infinite ones",
            advice="impute or drop them",
        )
    if points.size and points.max() / 2 - points.min() / 2 > WIDEST / 2:
        raise UserError(
            code="values-too-large",
            message=f"values lie further apart than {WIDEST:.0e}, and squared distances overflow",
            advice="rescale them",
        )
    return points


def edges_between(tree: SpanningTree, classes: NDArray[np.integer], n_classes: int) -> Floats:
    """The number of edges between every two classes, as a symmetric matrix; on the diagonal those within a class.

    Counted is the expectation over all ways to join equal points: two of m are joined with probability ``2 / m``.
    """
    n_places = len(tree.places)
    counts = np.bincount(tree.place * n_classes + classes, minlength=n_places * n_classes).reshape(n_places, n_classes)
    sizes = counts.sum(axis=1, keepdims=True)
    share = counts / sizes
    # einsum adds in one order; a matrix product of many threads does not.
    inside = np.einsum("ga,gb->ab", share, counts)
    across = np.einsum("ea,eb->ab", share[tree.edges[:, 0]], share[tree.edges[:, 1]])
    between = (inside + across) + (inside + across).T
    within = np.diagonal(inside) - share.sum(axis=0) + np.diagonal(across)
    between[np.diag_indices(n_classes)] = within
    return np.asarray(between)


@dataclass(frozen=True)
class RankedColumns:
    """Columns of numbers as ranks among the distinct values of each."""

    ranks: NDArray[np.uint32]  # shape (n_columns, n_samples)
    values: Floats  # the distinct values of the first column, ascending, then those of the second, and so on
    starts: Integers  # where they begin, shape (n_columns + 1,)

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
    """Points of which all coordinates but the last are fixed, and the two samples they belong to."""

    ranks: NDArray[np.uint32]  # of every sample's fixed part in lexicographic order
    values: Floats  # of the fixed part, shape (n_dimensions, n_ranks)
    shared_sample: Integers  # which sample gives a point its fixed part
    last_sample: Integers  # and which its last coordinate
    in_first: Floats  # what a point weighs in the first sample
    in_second: Floats  # and in the second; one of the two is 0

    def weights(self, columns: RankedColumns, last: Sequence[int] | Integers) -> Floats:
        """For each column as last coordinate: the sum over the cross edges of the product of their points' weights."""
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
