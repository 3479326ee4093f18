"""A convex quadratic over the probability simplex, ``min x'Hx / 2 - f'x, x >= 0, sum x = 1``.

Projected gradient steps of Barzilai and Borwein's length find out which weights are 0; then the minimum over the
others is computed, by Cholesky or conjugate gradients; and again, until the duality gap of Frank and Wolfe, ``g'x - min
g``, is small. J. J. More, G. Toraldo, SIAM Journal on Optimization 1(1), 1991. doi:10.1137/0801008
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.lazy import threadpool_limits

GATHERED = 256  # rows copied at once for a product with a vector of many zeros
FEW = 3  # entries that are not 0 are few if they are less than one in so many: then their rows alone are read
LARGE_FACE = 1500  # weights from which products with H are cheaper than a Cholesky factor of it
RIDGE = 1e-11  # of the mean diagonal: makes a singular face solvable; a few steps make up for it
LEAST_DIAGONAL = 1e-12  # of the largest entry: what conjugate gradients take a 0 for
REDUCTION = 1e-3  # of the residual in one run of conjugate gradients; more is mostly lost to a change of the face
MAX_PRODUCTS = 300
MAX_OUTSIDE = 5  # of them while the step leads out of the simplex: then the face is not the right one yet
DUST = 1e-15  # weights up to this are roundings of 0
SETTLED = 2  # projected gradient steps that leave the zeros where they are, and end the phase
MAX_STEPS = 30  # of one phase of projected gradients
FIRST_STEP = 10.0  # the first one moves no weight by more than so many times the mean weight


class DenseQuadratic:
    """``scale * matrix``, which is symmetric and only read, with ``scale * diagonal`` in place of its diagonal."""

    def __init__(self, matrix: Floats, diagonal: Floats | None = None, scale: float = 1.0) -> None:
        entries = np.diagonal(matrix)
        self.matrix = matrix
        self.scale = scale
        self.diagonal = scale * (entries if diagonal is None else diagonal)
        self._added = self.diagonal - scale * entries

    def times(self, x: Floats) -> Floats:
        """The matrix times x; entries of x that are 0 cost less."""
        support = np.flatnonzero(x)
        if FEW * len(support) > len(x):
            return self.scale * (self.matrix @ x) + self._added * x
        product = np.zeros(len(x))
        for first in range(0, len(support), GATHERED):
            rows = support[first : first + GATHERED]
            product += x[rows] @ self.matrix[rows]
        return self.scale * product + self._added * x

    def block(self, support: Columns) -> Floats:
        """A new array of the rows and columns ``support`` of the matrix."""
        block = self.matrix[np.ix_(support, support)]
        block *= self.scale
        block[np.diag_indices_from(block)] = self.diagonal[support]
        return block


class FactorQuadratic:
    """``scale * factor @ factor.T``, never formed, with ``scale * diagonal`` (no smaller) in place of its diagonal."""

    def __init__(self, factor: Floats, diagonal: Floats | None = None, scale: float = 1.0) -> None:
        entries = np.einsum("ij,ij->i", factor, factor)
        self.factor = factor
        self.scale = scale
        self.diagonal = scale * (entries if diagonal is None else diagonal)
        self._added = self.diagonal - scale * entries

    def times(self, x: Floats) -> Floats:
        return np.asarray(self.scale * (self.factor @ (self.factor.T @ x)) + self._added * x)

    def block(self, support: Columns) -> Floats:
        rows = self.factor[support]
        block = self.scale * (rows @ rows.T)
        block[np.diag_indices_from(block)] = self.diagonal[support]
        return block


Quadratic = DenseQuadratic | FactorQuadratic


def face_step(quadratic: Quadratic, weights: Floats, gradient: Floats, tolerance: float) -> Floats:
    """The step d of those s weights that are not 0, zeros where there is none; ``tolerance`` is that of the gap."""
    support = np.flatnonzero(weights)
    if len(support) <= LARGE_FACE:
        step = by_cholesky(quadratic, support, gradient)
    else:
        step = by_conjugate_gradients(quadratic, support, gradient, weights[support], tolerance)
    return step if np.isfinite(step).all() else np.zeros(len(support))


def by_cholesky(quadratic: Quadratic, support: Columns, gradient: Floats) -> Floats:
    """The step by a Cholesky factor: one solve for the gradient, one for the vector of ones that keeps the sum."""
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


def by_conjugate_gradients(
    quadratic: Quadratic, support: Columns, gradient: Floats, weights: Floats, tolerance: float
) -> Floats:
    """The step by conjugate gradients, preconditioned by the diagonal, directions of sum 0, from ``weights`` on."""
    diagonal = quadratic.diagonal[support]
    if not diagonal.max() > 0:  # nothing is quadratic
        return np.zeros(len(support))
    weight = 1 / np.maximum(diagonal, LEAST_DIAGONAL * diagonal.max())
    total = float(weight.sum())

    def preconditioned(vector: Floats) -> Floats:
        scaled: Floats = weight * vector
        scaled -= weight * (scaled.sum() / total)
        return scaled

    residual = gradient[support].mean() - gradient[support]
    enough = max(0.2 * tolerance, REDUCTION * float(np.ptp(residual)))
    step = np.zeros(len(support))
    turned = preconditioned(residual)
    direction = turned
    length = float(residual @ turned)
    full = np.zeros(len(gradient))
    for n_products in range(MAX_PRODUCTS):
        if np.ptp(residual) <= enough or (n_products >= MAX_OUTSIDE and (weights + step).min() < 0):
            break
        full[support] = direction
        product = quadratic.times(full)[support]
        product -= product.mean()
        curvature = float(direction @ product)
        if curvature <= 0:  # rounding, in a direction that changes nothing
            break
        step += (length / curvature) * direction
        residual -= (length / curvature) * product
        turned = preconditioned(residual)
        before = length
        length = float(residual @ turned)
        direction = turned + (length / before) * direction
    return step


class SimplexSolution(NamedTuple):
    """Weights, their gradient ``H weights - f``, and the objective, at most ``gap`` above the minimum."""

    weights: Floats
    gradient: Floats
    objective: float
    gap: float
    converged: bool


def minimize_on_simplex(
    quadratic: Quadratic, linear: Floats, *, tolerance: float = 1e-10, max_rounds: int = 500
) -> SimplexSolution:
    """Minimise ``x'Hx / 2 - f'x`` over the simplex, to a gap of ``tolerance`` times ``x'Hx + |f'x|``."""
    with threadpool_limits(1, "blas"):
        state = _State(quadratic, linear, tolerance)
        rounds = 0
        while not state.done and rounds < max_rounds:
            rounds += 1
            state.descend()
            if not state.done:
                state.solve_faces()
        x = state.x
        gradient = state.gradient
        objective = float((gradient - linear) @ x) / 2
        return SimplexSolution(x, gradient, objective, state.gap, state.done)


def project_on_simplex(point: Floats) -> Floats:
    """The Euclidean projection of a point onto the simplex. Cost: O(n log n)."""
    point = point - point.max()  # the answer is the same, and 1 is not lost beside large numbers
    falling = np.sort(point)[::-1]
    excess = np.cumsum(falling) - 1
    last = np.flatnonzero(falling * np.arange(1, len(point) + 1) > excess)[-1]
    return np.asarray(np.maximum(point - excess[last] / (last + 1), 0))


class _State:
    """Weights and their gradient, and the steps that change both."""

    def __init__(self, quadratic: Quadratic, linear: Floats, tolerance: float) -> None:
        self.quadratic = quadratic
        self.linear = linear
        self.tolerance = tolerance
        self.length = 0.0  # of the next projected gradient step; 0: none yet
        self.move_to(np.full(len(linear), 1 / len(linear)))

    def move_to(self, x: Floats, gradient: Floats | None = None) -> None:
        """Set new weights, tiny ones to 0, and their gradient if it is known already."""
        x = np.where(x > DUST, x, 0.0)
        self.x = x / x.sum()
        self.gradient = self.quadratic.times(self.x) - self.linear if gradient is None else gradient

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
    def done(self) -> bool:
        """Whether the gap is within the tolerance."""
        return self.gap <= self.threshold

    def descend(self) -> None:
        """Take projected gradient steps until the set of zero weights no longer changes."""
        if not self.length:
            spread = float(np.abs(self.gradient - self.gradient.mean()).max())
            self.length = FIRST_STEP / (len(self.x) * spread) if spread > 0 else 1.0
        unchanged = 0
        for _ in range(MAX_STEPS):
            if self.done or unchanged == SETTLED:
                break
            step = project_on_simplex(self.x - self.length * self.gradient) - self.x
            product = self.quadratic.times(step)
            slope = float(self.gradient @ step)
            curvature = float(step @ product)
            if slope >= 0:  # rounding is all that is left
                break
            share = 1.0 if curvature <= -slope else -slope / curvature
            self.length = float(step @ step) / curvature if curvature > 0 else 10 * self.length
            support = self.x > 0
            self.move_to(self.x + share * step, self.gradient + share * product)
            unchanged = unchanged + 1 if ((self.x > 0) == support).all() else 0
        self.move_to(self.x)

    def solve_faces(self) -> None:
        """Minimise over the weights that are not 0; repeat over fewer while some become 0 and few are left."""
        while True:
            support = np.flatnonzero(self.x)
            step = face_step(self.quadratic, self.x, self.gradient, self.threshold)
            target = self.x[support] + step
            if not step.any():
                return
            if (target >= 0).all():
                self._put(support, target)
                return
            self._step_out(support, step, target)
            n_left = np.count_nonzero(self.x)
            if n_left == len(support) or n_left > LARGE_FACE:
                return

    def _step_out(self, support: Columns, step: Floats, target: Floats) -> None:
        """Take the better part of a step out of the simplex: up to its boundary, or to the projection of its end."""
        falling = step < 0
        edge = float((self.x[support][falling] / -step[falling]).min())
        slope = float(self.gradient[support] @ step)
        to_edge = slope * edge * (1 - edge / 2)  # a step to the minimum of a plane: curvature = -slope
        across = np.zeros(len(self.x))
        across[support] = project_on_simplex(target) - self.x[support]
        product = self.quadratic.times(across)
        slope = float(self.gradient @ across)
        curvature = float(across @ product)
        share = 1.0 if curvature <= -slope else -slope / curvature
        if slope < 0 and share * (slope + share * curvature / 2) <= to_edge:
            self.move_to(self.x + share * across)
        else:
            moved = self.x[support] + edge * step
            moved[np.argmin(moved)] = 0.0
            self._put(support, moved)

    def _put(self, support: Columns, values: Floats) -> None:
        x = np.zeros(len(self.x))
        x[support] = values
        self.move_to(x)
