"""A trust-region Newton method for matrices V whose rows v_i are unit vectors.

    max <V, QV> + 2 sum_i q_i V_i0   over   |v_i| = 1,  sum_i V_i0 = total

A step maximises the second-order model over directions that are tangent to the constraints and not longer than the
trust radius, by conjugate gradients (Steihaug 1983). The end of the step is then moved back onto the constraints.
P.-A. Absil, C. G. Baker, K. A. Gallivan 2007, doi:10.1007/s10208-005-0179-9
"""

from __future__ import annotations

import numpy as np

from bitsieve.utils.arrays import Floats

MAX_SHIFT_STEPS = 200  # bisection alone needs about 100 to find the shift of `retract`
MAX_NEWTON_STEPS = 300
MAX_CONJUGATE_STEPS = 300
ROUNDING = 1e-13  # relative: a smaller gain of the objective may be rounding


class Tangent:
    """The tangent directions at V: small steps along them change no length and no sum of first entries."""

    def __init__(self, vectors: Floats) -> None:
        self.vectors = vectors
        self._normal = -vectors[:, :1] * vectors
        self._normal[:, 0] += 1.0  # the gradient of sum_i V_i0, projected onto the tangent spaces of the spheres
        self._normal_square = inner(self._normal, self._normal)

    def project(self, directions: Floats) -> Floats:
        """The orthogonal projection of directions onto the tangent directions."""
        projected = directions - row_products(directions, self.vectors)[:, None] * self.vectors
        return projected - self.multiplier(projected) * self._normal

    def multiplier(self, gradient: Floats) -> float:
        """The least-squares multiplier of ``sum_i V_i0 = total``; 0 if all vectors lie on the first axis."""
        if self._normal_square == 0:
            return 0.0
        return inner(gradient, self._normal) / self._normal_square


def retract(vectors: Floats, total: float) -> Floats:
    """Move V onto the constraints: add one number s to all first entries, and divide the rows by their lengths.

    With a_i the first entry of row i and c_i the sum of squares of its other entries, s solves ``phi(s) = total`` for
    ``phi(s) = sum_i (a_i + s) / sqrt((a_i + s)^2 + c_i)``, which rises from -n to n. Newton's method finds it; a step
    that leaves the bracket is replaced by bisection.
    """
    first = vectors[:, 0]
    other_squares = row_products(vectors[:, 1:], vectors[:, 1:])
    low, high = _bracket(first, other_squares, total)
    shift = 0.0 if low < 0 < high else low + (high - low) / 2
    for _ in range(MAX_SHIFT_STEPS):
        value, slope = _sum_of_cosines(first + shift, other_squares)
        if abs(value - total) <= 1e-15 * len(first):
            break
        if value < total:
            low = shift
        else:
            high = shift
        previous = shift
        shift = low + (high - low) / 2
        if slope > 0:
            newton_shift = previous - (value - total) / slope
            if low < newton_shift < high:
                shift = newton_shift
        if shift == previous:
            break
    moved = vectors.copy()
    moved[:, 0] += shift
    return normalised(moved)


def _bracket(first: Floats, other_squares: Floats, total: float) -> tuple[float, float]:
    """Two shifts between which phi reaches the total."""
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
    """The rows divided by their lengths; a row of zeros becomes (1, 0, 0, ...)."""
    lengths = np.sqrt(row_products(vectors, vectors))
    is_zero = lengths == 0
    lengths[is_zero] = 1.0
    unit_vectors = vectors / lengths[:, None]
    unit_vectors[is_zero, 0] = 1.0
    return unit_vectors


def row_products(a: Floats, b: Floats) -> Floats:
    """The inner product of each row of a with the same row of b."""
    return np.asarray(np.einsum("ij,ij->i", a, b))


def inner(a: Floats, b: Floats) -> float:
    """The sum of the products of all entries."""
    return float(np.einsum("ij,ij->", a, b))


def norm(a: Floats) -> float:
    """The square root of the sum of the squares of all entries."""
    return float(np.sqrt(inner(a, a)))


class QuadraticOnSpheres:
    """``f(V) = <V, QV> + 2 sum_i q_i V_i0`` with ``q = Q1``, under ``sum_i V_i0 = total``; Q is symmetric."""

    def __init__(self, matrix: Floats, total: float) -> None:
        self.matrix = matrix
        self.total = total
        self.linear = matrix.sum(axis=1)

    def value_and_gradient(self, vectors: Floats) -> tuple[float, Floats]:
        """f and its gradient ``2 (QV + q e_1')``."""
        half_gradient = self.matrix @ vectors
        half_gradient[:, 0] += self.linear
        value = inner(half_gradient, vectors) + float(self.linear @ vectors[:, 0])
        return value, 2.0 * half_gradient


def multipliers(vectors: Floats, gradient: Floats) -> tuple[float, Floats]:
    """The Lagrange multipliers of ``sum_i V_i0 = total`` and of ``|v_i|^2 = 1``."""
    total_multiplier = Tangent(vectors).multiplier(gradient)
    length_multipliers = (row_products(gradient, vectors) - total_multiplier * vectors[:, 0]) / 2.0
    return total_multiplier, length_multipliers


def climb(objective: QuadraticOnSpheres, vectors: Floats, tolerance: float) -> Floats:
    """Maximise f from V on, until the projected gradient has a length of ``tolerance sqrt(n)`` at most."""
    size = float(np.sqrt(len(vectors)))
    radius = size / 4
    value, gradient = objective.value_and_gradient(vectors)
    tangent, slope = _slope(vectors, gradient)
    for _ in range(MAX_NEWTON_STEPS):
        if norm(slope) <= tolerance * size or radius < 1e-12:
            break
        _, length_multipliers = multipliers(vectors, gradient)
        step = _TrustRegionStep(objective, tangent, slope, length_multipliers, radius)
        moved = retract(vectors + step.direction, objective.total)
        new_value, new_gradient = objective.value_and_gradient(moved)
        new_tangent, new_slope = _slope(moved, new_gradient)
        slack = ROUNDING * abs(value)
        if step.predicted_gain <= slack:  # too near the maximum for the value to decide: the gradient does
            if norm(new_slope) > 0.5 * norm(slope):
                break
            agreement = 1.0
        else:
            agreement = (new_value - value + slack) / (step.predicted_gain + slack)
        if agreement < 0.25:
            radius = 0.25 * norm(step.direction)
        elif agreement > 0.75 and step.reaches_edge:
            radius = min(2 * radius, 2 * size)
        if agreement > 0.05:
            vectors = moved
            value = new_value
            gradient = new_gradient
            tangent = new_tangent
            slope = new_slope
    return vectors


def _slope(vectors: Floats, gradient: Floats) -> tuple[Tangent, Floats]:
    """The tangent directions at V, and the gradient projected onto them."""
    tangent = Tangent(vectors)
    return tangent, tangent.project(gradient)


class _TrustRegionStep:
    """The tangent direction D that maximises ``<slope, D> + <D, HD> / 2`` within the trust radius.

    H is the Hessian on the constraints: row i of HD is ``2 (QD)_i - 2 y_i d_i``, projected, with y_i the multiplier of
    ``|v_i|^2 = 1``.
    """

    def __init__(
        self, objective: QuadraticOnSpheres, tangent: Tangent, slope: Floats, length_multipliers: Floats, radius: float
    ) -> None:
        self.direction = np.zeros_like(slope)
        self.reaches_edge = False  # of the trust region
        y = length_multipliers
        scale = 2 * float(np.abs(y).max()) + np.finfo(float).tiny
        start_length = norm(slope)
        target_length = start_length * max(1e-4, min(0.1, start_length / (scale * len(y))))

        residual = slope
        residual_square = inner(residual, residual)
        search = slope
        hessian_product = np.zeros_like(slope)  # -HD
        for _ in range(MAX_CONJUGATE_STEPS):
            product = tangent.project(2.0 * (y[:, None] * search - objective.matrix @ search))  # -H search
            curvature = inner(search, product)
            if abs(curvature) <= 1e-13 * scale * inner(search, search):
                break  # turning all vectors about the first axis does not change f: the curvature is rounding
            best_step = residual_square / curvature if curvature > 0 else np.inf
            edge_step = self._step_to_edge(search, radius)
            self.reaches_edge = best_step >= edge_step
            step = min(best_step, edge_step)
            self.direction = self.direction + step * search
            hessian_product = hessian_product + step * product
            residual = residual - step * product
            new_square = inner(residual, residual)
            if self.reaches_edge or np.sqrt(new_square) <= target_length:
                break
            search = residual + (new_square / residual_square) * search
            residual_square = new_square
        self.predicted_gain = inner(slope, self.direction) - 0.5 * inner(self.direction, hessian_product)

    def _step_to_edge(self, search: Floats, radius: float) -> float:
        """The step t > 0 with ``|D + t search| = radius``."""
        along = inner(self.direction, search)
        square = inner(search, search)
        remainder = radius * radius - inner(self.direction, self.direction)
        return float((-along + np.sqrt(max(along * along + square * remainder, 0.0))) / square)
