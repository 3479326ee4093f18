"""The Euclidean minimum spanning tree of points, of which some may be equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDEST = 1e150  # squared differences of larger ones, summed over many columns, leave the range of floats


@dataclass(frozen=True)
class SpanningTree:
    """A tree on the places of the points: equal points are one place.

    Attributes
    ----------
    places : ndarray of float64, shape (n_places, n_dimensions)
        The distinct points in lexicographic order.
    place : ndarray of int, shape (n_points,)
        Which place every point is at.
    edges : ndarray of int, shape (n_places - 1, 2)
        The two places of every edge, the lower one first.
    """

    places: NDArray[np.float64]
    place: NDArray[np.intp]
    edges: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.float64]:
        """The lengths of the edges; edges between equal points, of length 0, are not among them."""
        return np.sqrt(((self.places[self.edges[:, 0]] - self.places[self.edges[:, 1]]) ** 2).sum(axis=1))


def minimum_spanning_tree(points: NDArray[np.float64]) -> SpanningTree:
    """The minimum spanning tree of the points, exact, by Prim's algorithm over blocks of near points.

    Edges of equal length are taken in the order of (lower place, higher place), the places being numbered in
    lexicographic order. So the tree is unique and does not depend on the order of the points.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_dimensions)
        Finite; at least one point and one dimension.

    Returns
    -------
    SpanningTree

    Notes
    -----
    Cost for n places in d dimensions: about O(n^1.5) in few dimensions, O(n^2 d) in many.
    """
    places, place = np.unique(check_spread(points), axis=0, return_inverse=True)
    edges = _native.spanning_tree(choose_kernel().name, np.ascontiguousarray(places.T))
    return SpanningTree(places, place.reshape(-1), edges)


def check_spread(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points as they are, if all squared distances are finite.

    Raises
    ------
    ValueError
        If a value is not finite, or the values of a column lie too far apart.
    """
    points = np.asarray(points, np.float64)
    if not np.isfinite(points).all():
        raise ValueError("distances need finite numbers, and there are missing or infinite ones: impute or drop them")
    if points.size and points.max() / 2 - points.min() / 2 > WIDEST / 2:
        raise ValueError(f"values lie further apart than {WIDEST:.0e}, and squared distances overflow: rescale them")
    return points
