"""Newton's method on unit vectors: ``max <V, QV> + 2 sum_i q_i V_i0``, ``|v_i| = 1``, ``sum_i V_i0 = total``.

A step maximises the model of second order among tangent directions by conjugate gradients within a trust region
(Steihaug 1983). P.-A. Absil, C. G. Baker, K. A. Gallivan 2007, doi:10.1007/s10208-005-0179-9
"""

from __future__ import annotations

import numpy as np

from bitsieve.utils.arrays import Floats

MAX_STEPS = 200  # of the search for a shift: bisection alone needs at most some 100
MAX_NEWTON_STEPS = 300
MAX_INNER_STEPS = 300
ROUNDING = 1e-13  # of the objective: a smaller gain says nothing


class Tangent:
    """The tangent directions at V, which keep lengths and the sum of first entries to first order."""

    def __init__(self, vectors: Floats) -> None:
        self.vectors = vectors
        self._normal = -vectors[:, :1] * vectors
        self._normal[:, 0] += 1.0  # the first axis, made tangent to the spheres
        self._square = inner(self._normal, self._normal)

    def project(self, directions: Floats) -> Floats:
        """The orthogonal projection of a direction onto the tangent ones."""
        projected = directions - row_products(directions, self.vectors)[:, None] * self.vectors
        return projected - self.multiplier(projected) * self._normal

    def multiplier(self, gradient: Floats) -> float:
        """The multiplier of the linear constraint, by least squares; 0 where all vectors lie on the first axis."""
        return inner(gradient, self._normal) / self._square if self._square > 0 else 0.0


def retract(vectors: Floats, total: float) -> Floats:
    """Shift the vectors along the first axis by the length that gives the sum ``total``, and make them unit vectors.

    Newton's steps within a bracket find it: ``phi(s) = sum_i (a_i + s) / sqrt((a_i + s)^2 + c_i)`` rises from -n to n.
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
        newton = shift - (value - total) / slope if slope > 0 else low
        last = shift
        shift = newton if low < newton < high else low + (high - low) / 2
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
    return np.asarray(np.einsum("ij,ij->i", a, b))


def inner(a: Floats, b: Floats) -> float:
    """The sum of the products of all entries."""
    return float(np.einsum("ij,ij->", a, b))


def length(a: Floats) -> float:
    """The square root of the sum of the squares of all entries."""
    return float(np.sqrt(inner(a, a)))


class QuadraticOnSpheres:
    """``f(V) = <V, QV> + 2 sum_i q_i V_i0`` with ``q = Q1``, under ``sum_i V_i0 = total``; Q is symmetric."""

    def __init__(self, matrix: Floats, total: float) -> None:
        self.matrix = matrix
        self.total = total
        self.linear = matrix.sum(axis=1)

    def value_and_gradient(self, vectors: Floats) -> tuple[float, Floats]:
        """f and twice ``QV + q e_1'``."""
        half = self.matrix @ vectors
        half[:, 0] += self.linear
        return inner(half, vectors) + float(self.linear @ vectors[:, 0]), 2.0 * half


def multipliers(vectors: Floats, gradient: Floats) -> tuple[float, Floats]:
    """The Lagrange multipliers of the linear constraint and of the squared lengths of the vectors."""
    total = Tangent(vectors).multiplier(gradient)
    return total, (row_products(gradient, vectors) - total * vectors[:, 0]) / 2.0


def climb(objective: QuadraticOnSpheres, vectors: Floats, tolerance: float) -> Floats:
    """Maximise f from V on, until the tangent gradient over sqrt(n) is within the tolerance."""
    size = float(np.sqrt(len(vectors)))
    radius = size / 4
    value, gradient = objective.value_and_gradient(vectors)
    tangent, slope = _slope(vectors, gradient)
    for _ in range(MAX_NEWTON_STEPS):
        if length(slope) <= tolerance * size or radius < 1e-12:
            break
        step = _Step(objective, tangent, slope, multipliers(vectors, gradient)[1], radius)
        moved = retract(vectors + step.direction, objective.total)
        new_value, new_gradient = objective.value_and_gradient(moved)
        new_tangent, new_slope = _slope(moved, new_gradient)
        slack = ROUNDING * abs(value)
        if step.gain <= slack:  # too near the maximum for the value to decide: the slope does
            if length(new_slope) > 0.5 * length(slope):
                break
            agreement = 1.0
        else:
            agreement = (new_value - value + slack) / (step.gain + slack)
        if agreement < 0.25:
            radius = 0.25 * length(step.direction)
        elif agreement > 0.75 and step.at_edge:
            radius = min(2 * radius, 2 * size)
        if agreement > 0.05:
            vectors = moved
            value = new_value
            gradient = new_gradient
            tangent = new_tangent
            slope = new_slope
    return vectors


def _slope(vectors: Floats, gradient: Floats) -> tuple[Tangent, Floats]:
    tangent = Tangent(vectors)
    return tangent, tangent.project(gradient)


class _Step:
    """The direction that maximises ``<slope, D> + <D, HD> / 2`` within the radius, HD = P(2QD - 2 y_i d_i)."""

    def __init__(
        self, objective: QuadraticOnSpheres, tangent: Tangent, slope: Floats, lengths: Floats, radius: float
    ) -> None:
        self.direction = np.zeros_like(slope)
        self.at_edge = False
        # the search direction of conjugate gradients
        residual = slope
        search = slope
        square = inner(residual, residual)
        start = length(slope)
        scale = 2 * float(np.abs(lengths).max()) + np.finfo(float).tiny
        enough = start * max(1e-4, min(0.1, start / (scale * len(lengths))))
        hessian_product = np.zeros_like(slope)  # -H times the direction
        for _ in range(MAX_INNER_STEPS):
            product = tangent.project(2.0 * (lengths[:, None] * search - objective.matrix @ search))  # -H search
            curvature = inner(search, product)
            if abs(curvature) <= 1e-13 * scale * inner(search, search):
                break  # turning all vectors about the first axis changes nothing; what is left of it is rounding
            best = square / curvature if curvature > 0 else np.inf
            edge = self._to_edge(search, radius)
            self.at_edge = best >= edge
            step = min(best, edge)
            self.direction = self.direction + step * search
            hessian_product = hessian_product + step * product
            residual = residual - step * product
            new_square = inner(residual, residual)
            if self.at_edge or np.sqrt(new_square) <= enough:
                break
            search = residual + (new_square / square) * search
            square = new_square
        self.gain = inner(slope, self.direction) - 0.5 * inner(self.direction, hessian_product)

    def _to_edge(self, search: Floats, radius: float) -> float:
        """The step length along the search direction at which the edge of the trust region is reached."""
        along = inner(self.direction, search)
        square = inner(search, search)
        room = radius * radius - inner(self.direction, self.direction)
        return float((-along + np.sqrt(max(along * along + square * room, 0.0))) / square)
