"""Newton's method on unit vectors: ``max <V, QV> + 2 sum_i q_i V_i0``, ``|v_i| = 1``, ``sum_i V_i0 = total``.

A step maximises the second-order model of the Lagrangian among tangent directions by conjugate gradients, stopped at
the edge of a trust region or where the curvature is positive (Steihaug 1983), and is retracted to the spheres.

P.-A. Absil, C. G. Baker, K. A. Gallivan, "Trust-region methods on Riemannian manifolds", Foundations of Computational
Mathematics 7, 2007. doi:10.1007/s10208-005-0179-9
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve.optimize.sphere_rows import Tangent, inner, length, retract, row_products

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MAX_NEWTON_STEPS = 300
MAX_INNER_STEPS = 300
ROUNDING = 1e-13  # of the objective: a smaller gain says nothing


class QuadraticOnSpheres:
    """``f(V) = <V, QV> + 2 sum_i q_i V_i0`` with ``q = Q1``, under ``sum_i V_i0 = total``.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        Symmetric.
    total : float
    """

    def __init__(self, matrix: Floats, total: float) -> None:
        self.matrix = matrix
        self.total = total
        self.linear = matrix.sum(axis=1)

    def value_and_gradient(self, vectors: Floats) -> tuple[float, Floats]:
        """f and twice ``QV + q e_1'``."""
        half = self.matrix @ vectors
        half[:, 0] += self.linear
        return inner(half, vectors) + float(self.linear @ vectors[:, 0]), 2.0 * half


class Multipliers(NamedTuple):
    """Lagrange multipliers of the linear constraint and of the squared lengths of the vectors."""

    total: float
    lengths: Floats


def multipliers(vectors: Floats, gradient: Floats) -> Multipliers:
    """The multipliers for which the gradient of the Lagrangian is smallest; it is 0 at a stationary point."""
    total = Tangent(vectors).multiplier(gradient)
    return Multipliers(total, (row_products(gradient, vectors) - total * vectors[:, 0]) / 2.0)


def climb(objective: QuadraticOnSpheres, vectors: Floats, tolerance: float) -> Floats:
    """Maximise f from V on to a stationary point; no step lowers f by more than its rounding.

    Parameters
    ----------
    objective : QuadraticOnSpheres
    vectors : ndarray of shape (n, r)
        Unit vectors whose first entries have the right sum.
    tolerance : float
        Largest length of the tangent gradient over sqrt(n) at which the search ends.

    Notes
    -----
    Cost: O(n^2 r) a step of conjugate gradients.
    """
    size = float(np.sqrt(len(vectors)))
    radius = size / 4
    value, gradient = objective.value_and_gradient(vectors)
    tangent, slope = _slope(vectors, gradient)
    for _ in range(MAX_NEWTON_STEPS):
        if length(slope) <= tolerance * size or radius < 1e-12:
            break
        step = _Step(objective, tangent, slope, multipliers(vectors, gradient).lengths, radius)
        moved = retract(vectors + step.direction, objective.total)
        new_value, new_gradient = objective.value_and_gradient(moved)
        new_tangent, new_slope = _slope(moved, new_gradient)
        slack = ROUNDING * abs(value)
        if step.gain <= slack:  # too near the maximum for the value to tell: the slope must
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
            vectors, value, gradient, tangent, slope = moved, new_value, new_gradient, new_tangent, new_slope
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
        residual, search = slope, slope  # the search direction of conjugate gradients
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
        along, square = inner(self.direction, search), inner(search, search)
        room = radius * radius - inner(self.direction, self.direction)
        return float((-along + np.sqrt(max(along * along + square * room, 0.0))) / square)
