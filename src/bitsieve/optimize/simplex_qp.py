"""A convex quadratic over the probability simplex, ``min x'Hx / 2 - f'x, x >= 0, sum x = 1``.

Two phases alternate, as in gradient projection methods for bounds. Projected gradient steps of Barzilai and Borwein's
length find out which weights are 0; then the minimum over the others is computed. Of a step that leaves the simplex the
part is taken that lowers the objective most. Every step lowers the objective. It ends when the duality gap of
Frank and Wolfe is below the tolerance: ``g'x - min g`` with the gradient ``g = Hx - f``. For a convex objective that is
at least its distance to the minimum, whatever the steps before.

J. J. More, G. Toraldo, "On the solution of large quadratic programming problems with bound constraints", SIAM Journal
on Optimization 1(1), 1991. doi:10.1137/0801008
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from bitsieve.optimize.faces import LARGE_FACE, face_step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.optimize.quadratics import Quadratic

    Floats = NDArray[np.float64]

DUST = 1e-15  # weights up to this are roundings of 0
SETTLED = 2  # projected gradient steps that leave the zeros where they are, and end the phase
MAX_STEPS = 30  # of one phase of projected gradients
FIRST_STEP = 10.0  # the first one moves no weight by more than so many times the mean weight


class SimplexSolution(NamedTuple):
    """The minimising weights, with the duality gap that proves how near the minimum they are.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        Not negative, of sum 1.
    gradient : ndarray of shape (n,)
        ``H weights - f``; its least value on all weights that are not 0, at the minimum.
    objective : float
        ``weights'H weights / 2 - f'weights``; the minimum is at most ``gap`` below it.
    gap : float
    rounds : int
        How many times the two phases were run.
    converged : bool
        Whether the gap is within the tolerance.
    """

    weights: Floats
    gradient: Floats
    objective: float
    gap: float
    rounds: int
    converged: bool


def minimize_on_simplex(
    quadratic: Quadratic,
    linear: Floats,
    *,
    tolerance: float = 1e-10,
    max_rounds: int = 500,
) -> SimplexSolution:
    """Minimise ``x'Hx / 2 - f'x`` over the simplex.

    Parameters
    ----------
    quadratic : Quadratic
        H, positive semidefinite.
    linear : ndarray of shape (n,)
        f.
    tolerance : float
        Of the gap, relative to ``x'Hx + |f'x|``.
    max_rounds : int
        Turns of the two phases after which the best so far is returned.

    Notes
    -----
    Starts from equal weights, so that columns that H and f treat alike are treated alike. Cost: a product with H,
    O(n^2), for each projected gradient step, some dozens in all, and what :func:`bitsieve.optimize.faces.face_step`
    takes. Memory: some vectors, and the Hessian of a face of up to 1,500 weights.
    """
    with threadpool_limits(1, "blas"):
        state = _State(quadratic, linear, tolerance)
        rounds = 0
        while not state.done and rounds < max_rounds:
            rounds += 1
            state.descend()
            if not state.done:
                state.solve_faces()
        x, gradient = state.x, state.gradient
        objective = float((gradient - linear) @ x) / 2
        return SimplexSolution(x, gradient, objective, state.gap, rounds, state.done)


def project_on_simplex(point: Floats) -> Floats:
    """The Euclidean projection of a point onto the simplex. Cost: O(n log n)."""
    point = point - point.max()  # the answer is the same, and 1 is not lost beside large numbers
    falling = np.sort(point)[::-1]
    excess = np.cumsum(falling) - 1
    last = np.flatnonzero(falling * np.arange(1, len(point) + 1) > excess)[-1]
    return np.maximum(point - excess[last] / (last + 1), 0)


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
            slope, curvature = float(self.gradient @ step), float(step @ product)
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

    def _step_out(self, support: NDArray[np.intp], step: Floats, target: Floats) -> None:
        """Take the better part of a step out of the simplex: up to its boundary, or to the projection of its end."""
        falling = step < 0
        edge = float((self.x[support][falling] / -step[falling]).min())
        slope = float(self.gradient[support] @ step)
        to_edge = slope * edge * (1 - edge / 2)  # a step to the minimum of a plane: curvature = -slope
        across = np.zeros(len(self.x))
        across[support] = project_on_simplex(target) - self.x[support]
        product = self.quadratic.times(across)
        slope, curvature = float(self.gradient @ across), float(across @ product)
        share = 1.0 if curvature <= -slope else -slope / curvature
        if slope < 0 and share * (slope + share * curvature / 2) <= to_edge:
            self.move_to(self.x + share * across)
        else:
            moved = self.x[support] + edge * step
            moved[np.argmin(moved)] = 0.0
            self._put(support, moved)

    def _put(self, support: NDArray[np.intp], values: Floats) -> None:
        x = np.zeros(len(self.x))
        x[support] = values
        self.move_to(x)
