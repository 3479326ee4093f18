"""Unit vectors whose first entries have a given sum: tangent directions, and the retraction to such vectors.

``V`` of shape (n, r) with ``|v_i| = 1`` and ``sum_i V_i0 = total``: n spheres and one linear constraint. A direction D
is tangent at V if ``d_i . v_i = 0`` for all i and ``sum_i D_i0 = 0``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MAX_STEPS = 200  # of the search for a shift: bisection alone needs at most some 100


class Tangent:
    """The tangent directions at V, which keep lengths and the sum of first entries to first order.

    Parameters
    ----------
    vectors : ndarray of shape (n, r)
    """

    def __init__(self, vectors: Floats) -> None:
        self.vectors = vectors
        self._normal = -vectors[:, :1] * vectors
        self._normal[:, 0] += 1.0  # the first axis, made tangent to the spheres
        self._square = inner(self._normal, self._normal)

    def project(self, directions: Floats) -> Floats:
        """The orthogonal projection of a direction onto the tangent ones."""
        kept = directions - row_products(directions, self.vectors)[:, None] * self.vectors
        return kept - self.multiplier(kept) * self._normal

    def multiplier(self, gradient: Floats) -> float:
        """The multiplier of the linear constraint, by least squares; 0 where all vectors lie on the first axis."""
        return inner(gradient, self._normal) / self._square if self._square > 0 else 0.0


def retract(vectors: Floats, total: float) -> Floats:
    """Shift the vectors along the first axis by the length that gives the sum ``total``, and make them unit vectors.

    ``phi(s) = sum_i (a_i + s) / sqrt((a_i + s)^2 + c_i)``, a_i the first entry of row i and c_i the squared length of
    the others, rises from -n to n with s; Newton's steps within a bracket find ``phi(s) = total``.

    Parameters
    ----------
    vectors : ndarray of shape (n, r)
    total : float
        Above -n and below n.

    Returns
    -------
    ndarray of shape (n, r)
        Unit vectors. Where all lie on the first axis their sum is a whole number, and the total may be out of reach.
    """
    first = vectors[:, 0]
    other_squares = row_products(vectors[:, 1:], vectors[:, 1:])
    low, high = _bracket(first, other_squares, total)
    shift = 0.0 if low < 0 < high else low + (high - low) / 2
    for _ in range(MAX_STEPS):
        value, slope = _sum_of_cosines(first + shift, other_squares)
        if abs(value - total) <= 1e-15 * len(first):
            break
        low, high = (shift, high) if value < total else (low, shift)
        wanted = shift - (value - total) / slope if slope > 0 else low
        last, shift = shift, wanted if low < wanted < high else low + (high - low) / 2
        if shift == last:
            break
    moved = vectors.copy()
    moved[:, 0] += shift
    return normalised(moved)


def _bracket(first: Floats, other_squares: Floats, total: float) -> tuple[float, float]:
    reach = float(np.abs(first).max() + np.sqrt(other_squares.max(initial=0.0))) + 1.0
    low = high = reach
    while _sum_of_cosines(first - low, other_squares)[0] > total and low < 1e100:
        low *= 2.0
    while _sum_of_cosines(first + high, other_squares)[0] < total and high < 1e100:
        high *= 2.0
    return -low, high


def _sum_of_cosines(first: Floats, other_squares: Floats) -> tuple[float, float]:
    """The function phi of ``retract`` and its derivative; the cosine of a vector of length 0 is 0."""
    lengths = np.sqrt(first * first + other_squares)
    lengths[lengths == 0] = 1.0
    return float((first / lengths).sum()), float((other_squares / lengths**3).sum())


def normalised(vectors: Floats) -> Floats:
    """The rows divided by their lengths; a row of zeros becomes the first axis."""
    lengths = np.sqrt(row_products(vectors, vectors))
    zeros = lengths == 0
    lengths[zeros] = 1.0
    units = vectors / lengths[:, None]
    units[zeros, 0] = 1.0
    return units


def row_products(a: Floats, b: Floats) -> Floats:
    """The inner product of each row of a with that row of b."""
    return np.einsum("ij,ij->i", a, b)


def inner(a: Floats, b: Floats) -> float:
    """The sum of the products of all entries."""
    return float(np.einsum("ij,ij->", a, b))


def length(a: Floats) -> float:
    """The square root of the sum of the squares of all entries."""
    return float(np.sqrt(inner(a, a)))
