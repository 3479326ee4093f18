"""The minimum of a convex quadratic over the probability simplex: ``min x'Hx / 2 - f'x`` with x >= 0 and sum x = 1.

Two phases alternate until the duality gap of Frank and Wolfe, ``g'x - min g`` with the gradient ``g = Hx - f``, is
small (J. J. More, G. Toraldo, SIAM Journal on Optimization 1(1), 1991, doi:10.1137/0801008):

1. Projected gradient steps, of the length of Barzilai and Borwein, find which weights are 0.
2. The weights that are not 0 span a face of the simplex. The minimum over the plane of that face is computed, by a
   Cholesky factor or by conjugate gradients.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.libraries import threadpool_limits

ROWS_AT_ONCE = 256  # rows that are copied at once for a product with a vector of many zeros
SPARSE_SHARE = 3  # a vector with less than one nonzero in this many entries is multiplied by the rows of those alone
MIN_WEIGHT = 1e-15  # smaller weights are the rounding of 0

LARGE_FACE = 1500  # more weights than this make products with H cheaper than a Cholesky factor
RIDGE = 1e-11  # times the mean diagonal: makes a singular face solvable; later steps correct the difference
MIN_DIAGONAL = 1e-12  # times the largest entry: conjugate gradients replace smaller entries of the diagonal by this
REDUCTION = 1e-3  # of the residual, at which conjugate gradients end: the face often changes afterwards
MAX_PRODUCTS = 300
MAX_PRODUCTS_OUTSIDE = 5  # while the step leads out of the simplex: then the face is not the final one

UNCHANGED_STEPS = 2  # projected gradient steps without a change of the zeros that end the phase
MAX_GRADIENT_STEPS = 30  # of one phase
FIRST_MOVE = 10.0  # the first gradient step changes no weight by more than this many times the mean weight


class DenseQuadratic:
    """``scale * matrix``, which is symmetric and only read, with ``scale * diagonal`` in place of its diagonal."""

    def __init__(self, matrix: Floats, diagonal: Floats | None = None, scale: float = 1.0) -> None:
        matrix_diagonal = np.diagonal(matrix)
        self.matrix = matrix
        self.scale = scale
        self.diagonal = scale * (matrix_diagonal if diagonal is None else diagonal)
        self._diagonal_change = self.diagonal - scale * matrix_diagonal

    def times(self, x: Floats) -> Floats:
        """The matrix times x; entries of x that are 0 cost less."""
        support = np.flatnonzero(x)
        if SPARSE_SHARE * len(support) > len(x):
            return self.scale * (self.matrix @ x) + self._diagonal_change * x
        product = np.zeros(len(x))
        for first in range(0, len(support), ROWS_AT_ONCE):
            rows = support[first : first + ROWS_AT_ONCE]
            product += x[rows] @ self.matrix[rows]
        return self.scale * product + self._diagonal_change * x

    def block(self, support: Columns) -> Floats:
        """A new array of the rows and columns ``support`` of the matrix."""
        block = self.matrix[np.ix_(support, support)]
        block *= self.scale
        block[np.diag_indices_from(block)] = self.diagonal[support]
        return block


class FactorQuadratic:
    """``scale * factor @ factor.T``, never formed, with ``scale * diagonal`` (no smaller) in place of its diagonal."""

    def __init__(self, factor: Floats, diagonal: Floats | None = None, scale: float = 1.0) -> None:
        product_diagonal = np.einsum("ij,ij->i", factor, factor)
        self.factor = factor
        self.scale = scale
        self.diagonal = scale * (product_diagonal if diagonal is None else diagonal)
        self._diagonal_change = self.diagonal - scale * product_diagonal

    def times(self, x: Floats) -> Floats:
        return np.asarray(self.scale * (self.factor @ (self.factor.T @ x)) + self._diagonal_change * x)

    def block(self, support: Columns) -> Floats:
        rows = self.factor[support]
        block = self.scale * (rows @ rows.T)
        block[np.diag_indices_from(block)] = self.diagonal[support]
        return block


Quadratic = DenseQuadratic | FactorQuadratic


def face_step(quadratic: Quadratic, weights: Floats, gradient: Floats, tolerance: float) -> Floats:
    """The step from the weights that are not 0 to the minimum over the plane of their face, shape (n_nonzero,).

    ``tolerance`` is the gap at which the minimisation ends. The step is 0 where the face has no minimum.
    """
    support = np.flatnonzero(weights)
    if len(support) <= LARGE_FACE:
        step = face_step_by_cholesky(quadratic, support, gradient)
    else:
        step = face_step_by_conjugate_gradients(quadratic, support, gradient, weights[support], tolerance)
    if not np.isfinite(step).all():
        return np.zeros(len(support))
    return step


def face_step_by_cholesky(quadratic: Quadratic, support: Columns, gradient: Floats) -> Floats:
    """The step of :func:`face_step` by a Cholesky factor.

    With ``H u = -g`` and ``H v = 1`` the step is ``u - v (sum u) / (sum v)``, whose sum is 0.
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    block = quadratic.block(support)
    block[np.diag_indices_from(block)] += RIDGE * float(quadratic.diagonal[support].mean())
    try:
        factor = cho_factor(block, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return np.zeros(len(support))
    centred = gradient[support] - gradient[support].mean()
    solved = cho_solve(factor, np.column_stack([-centred, np.ones(len(support))]), check_finite=False)
    return np.asarray(solved[:, 0] - solved[:, 1] * (solved[:, 0].sum() / solved[:, 1].sum()))


def face_step_by_conjugate_gradients(
    quadratic: Quadratic, support: Columns, gradient: Floats, weights: Floats, tolerance: float
) -> Floats:
    """The step of :func:`face_step` by conjugate gradients, preconditioned by the diagonal, in directions of sum 0."""
    diagonal = quadratic.diagonal[support]
    if not diagonal.max() > 0:  # a convex H with a diagonal of 0 is 0
        return np.zeros(len(support))
    inverse_diagonal = 1 / np.maximum(diagonal, MIN_DIAGONAL * diagonal.max())
    total = float(inverse_diagonal.sum())

    def preconditioned(vector: Floats) -> Floats:
        scaled: Floats = inverse_diagonal * vector
        scaled -= inverse_diagonal * (scaled.sum() / total)
        return scaled

    residual = gradient[support].mean() - gradient[support]
    target = max(0.2 * tolerance, REDUCTION * float(np.ptp(residual)))
    step = np.zeros(len(support))
    scaled_residual = preconditioned(residual)
    direction = scaled_residual
    square = float(residual @ scaled_residual)
    full_direction = np.zeros(len(gradient))
    for n_products in range(MAX_PRODUCTS):
        if np.ptp(residual) <= target:
            break
        if n_products >= MAX_PRODUCTS_OUTSIDE and (weights + step).min() < 0:
            break
        full_direction[support] = direction
        product = quadratic.times(full_direction)[support]
        product -= product.mean()
        curvature = float(direction @ product)
        if curvature <= 0:  # rounding, in a direction that changes nothing
            break
        step += (square / curvature) * direction
        residual -= (square / curvature) * product
        scaled_residual = preconditioned(residual)
        previous_square = square
        square = float(residual @ scaled_residual)
        direction = scaled_residual + (square / previous_square) * direction
    return step


class SimplexSolution(NamedTuple):
    """Weights on the simplex, and how near they are to the minimum."""

    weights: Floats
    gradient: Floats  # H weights - f
    objective: float
    gap: float  # the objective is at most this far above the minimum
    converged: bool


def minimize_on_simplex(
    quadratic: Quadratic, linear: Floats, *, tolerance: float = 1e-10, max_rounds: int = 500
) -> SimplexSolution:
    """Minimise ``x'Hx / 2 - f'x`` over the simplex, to a gap of ``tolerance (x'Hx + |f'x|)``."""
    with threadpool_limits(1, "blas"):
        iterate = _Iterate(quadratic, linear, tolerance)
        n_rounds = 0
        while not iterate.has_converged and n_rounds < max_rounds:
            n_rounds += 1
            iterate.descend()
            if not iterate.has_converged:
                iterate.solve_faces()
        objective = float((iterate.gradient - linear) @ iterate.x) / 2
        return SimplexSolution(iterate.x, iterate.gradient, objective, iterate.gap, iterate.has_converged)


def project_on_simplex(point: Floats) -> Floats:
    """The Euclidean projection of a point onto the simplex. Cost: O(n log n)."""
    point = point - point.max()  # this does not move the projection, and 1 is not lost beside large numbers
    falling = np.sort(point)[::-1]
    excess = np.cumsum(falling) - 1
    last = np.flatnonzero(falling * np.arange(1, len(point) + 1) > excess)[-1]
    return np.asarray(np.maximum(point - excess[last] / (last + 1), 0))


class _Iterate:
    """The weights, their gradient, and the steps that change both."""

    def __init__(self, quadratic: Quadratic, linear: Floats, tolerance: float) -> None:
        self.quadratic = quadratic
        self.linear = linear
        self.tolerance = tolerance
        self.step_length = 0.0  # of the next projected gradient step; 0 before the first
        self.move_to(np.full(len(linear), 1 / len(linear)))

    def move_to(self, x: Floats, gradient: Floats | None = None) -> None:
        """Set new weights, tiny ones to 0, and their gradient, which is computed where it is not given."""
        x = np.where(x > MIN_WEIGHT, x, 0.0)
        self.x = x / x.sum()
        if gradient is None:
            gradient = self.quadratic.times(self.x) - self.linear
        self.gradient = gradient

    @property
    def gap(self) -> float:
        """The duality gap ``g'x - min g``; 0 where rounding makes it negative."""
        return max(0.0, float(self.gradient @ self.x - self.gradient.min()))

    @property
    def threshold(self) -> float:
        """The largest gap that is within the tolerance."""
        relevance = float(self.linear @ self.x)
        return self.tolerance * (abs(float(self.gradient @ self.x) + relevance) + abs(relevance))

    @property
    def has_converged(self) -> bool:
        """Whether the gap is within the tolerance."""
        return self.gap <= self.threshold

    def descend(self) -> None:
        """Take projected gradient steps until the set of zero weights no longer changes."""
        if not self.step_length:
            spread = float(np.abs(self.gradient - self.gradient.mean()).max())
            self.step_length = FIRST_MOVE / (len(self.x) * spread) if spread > 0 else 1.0
        n_unchanged = 0
        for _ in range(MAX_GRADIENT_STEPS):
            if self.has_converged or n_unchanged == UNCHANGED_STEPS:
                break
            step = project_on_simplex(self.x - self.step_length * self.gradient) - self.x
            product = self.quadratic.times(step)
            slope = float(self.gradient @ step)
            curvature = float(step @ product)
            if slope >= 0:  # the step is rounding
                break
            share = _best_share(slope, curvature)
            self.step_length = float(step @ step) / curvature if curvature > 0 else 10 * self.step_length
            support = self.x > 0
            self.move_to(self.x + share * step, self.gradient + share * product)
            if ((self.x > 0) == support).all():
                n_unchanged += 1
            else:
                n_unchanged = 0
        self.move_to(self.x)  # with a gradient that is computed anew

    def solve_faces(self) -> None:
        """Minimise over the face of the weights that are not 0; repeat on a smaller face while weights become 0.

        A face of more than 1,500 weights is not solved a second time.
        """
        while True:
            support = np.flatnonzero(self.x)
            step = face_step(self.quadratic, self.x, self.gradient, self.threshold)
            target = self.x[support] + step
            if not step.any():
                return
            if (target >= 0).all():
                self._move_on_face(support, target)
                return
            self._step_out(support, step, target)
            n_nonzero = np.count_nonzero(self.x)
            if n_nonzero == len(support) or n_nonzero > LARGE_FACE:
                return

    def _step_out(self, support: Columns, step: Floats, target: Floats) -> None:
        """Replace a step out of the simplex by the better one of two steps inside it.

        The first goes along the step to the boundary, the second towards the projection of the end of the step.
        """
        is_falling = step < 0
        boundary_share = float((self.x[support][is_falling] / -step[is_falling]).min())
        slope = float(self.gradient[support] @ step)
        # The step leads to the minimum over the plane, so that its curvature is -slope.
        boundary_change = slope * boundary_share * (1 - boundary_share / 2)

        projected_step = np.zeros(len(self.x))
        projected_step[support] = project_on_simplex(target) - self.x[support]
        product = self.quadratic.times(projected_step)
        slope = float(self.gradient @ projected_step)
        curvature = float(projected_step @ product)
        share = _best_share(slope, curvature)
        projected_change = share * (slope + share * curvature / 2)
        if slope < 0 and projected_change <= boundary_change:
            self.move_to(self.x + share * projected_step)
        else:
            at_boundary = self.x[support] + boundary_share * step
            at_boundary[np.argmin(at_boundary)] = 0.0
            self._move_on_face(support, at_boundary)

    def _move_on_face(self, support: Columns, values: Floats) -> None:
        x = np.zeros(len(self.x))
        x[support] = values
        self.move_to(x)


def _best_share(slope: float, curvature: float) -> float:
    """The share t of a step, at most 1, at which ``slope t + curvature t^2 / 2`` is smallest."""
    return 1.0 if curvature <= -slope else -slope / curvature
