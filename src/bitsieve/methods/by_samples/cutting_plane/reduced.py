"""The problem over the cuts found so far: weights alpha of the samples that make the largest cut as small as possible.

    min_alpha max_t  sum_k [ sum_{j in cut t} c_jk^2 / 2 + |alpha_k|^2 / (2C) ],   c_jk = sum_i alpha_ik y_ik f_ij

for samples i, columns j, tasks k and cuts t; each alpha_k is on the simplex. The dual has weights mu of the cuts, on
the simplex too (``mixture``), and d_j = sum_{t: j in t} mu_t. For given mu the minimum over alpha_k is a support vector
machine over the features sqrt(d_j) f_j, which :mod:`.reduced_task` solves. Newton's method finds mu.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.methods.by_samples.cutting_plane.columns import ColumnSubset
from bitsieve.methods.by_samples.cutting_plane.reduced_task import TaskOptimum, TaskProblem
from bitsieve.optimize.simplex_qp import DenseQuadratic, minimize_on_simplex
from bitsieve.utils.arrays import Flags, Floats

TARGET_GAP = 1e-10  # relative: rounding the weights of the cuts to doubles leaves about this much
FINE = 1e-8  # relative gap below which a step is taken only if it halves the gap
MAX_STEPS = 50
MIN_SHARE = 2.0**-20  # the shortest part of a Newton step that is tried


class ReducedOptimum(NamedTuple):
    """The optimum of the problem over the cuts found so far."""

    alpha: Floats  # weights of the samples, shape (n_samples, n_tasks)
    mixture: Floats  # mu, weights of the cuts
    weights: Floats  # d_j c_jk of the columns, shape (n_columns, n_tasks)
    value: float
    gap: float  # the value is at most this far above the minimum


class _Point(NamedTuple):
    """The inner optima of all tasks for the same mu."""

    mixture: Floats
    tasks: list[TaskOptimum]
    cuts: Floats  # sum_k sum_{j in t} c_jk^2 / 2 of every cut
    ridge: float  # sum_k |alpha_k|^2 / (2C)
    gap: float

    @property
    def upper(self) -> float:
        """The value of the largest cut, an upper bound of the optimum."""
        return float(self.cuts.max()) + self.ridge

    @property
    def lower(self) -> float:
        """The dual value, a lower bound of the optimum, which Newton's method maximises."""
        return self.upper - self.gap

    @property
    def products(self) -> Floats:
        """c of all tasks, shape (n_columns, n_tasks)."""
        return np.stack([task.products for task in self.tasks], axis=1)


class ReducedProblem:
    """The problem over the cuts found so far. ``members[t, j]`` says whether column j is in cut t."""

    def __init__(self, columns: ColumnSubset, signs: Floats, members: Flags, C: float) -> None:
        self.members = members.astype(np.float64)
        self.C = C
        self.tasks = [TaskProblem(columns, signs[:, k]) for k in range(signs.shape[1])]

    def solve(self, mixture: Floats, products: Floats) -> ReducedOptimum:
        """Solve the problem, starting from weights mu of the cuts and an estimate of c."""
        point = self._point_at(mixture, products)
        for _ in range(MAX_STEPS):
            if point.gap <= TARGET_GAP * point.upper:
                break
            better = self._step(point)
            if better is None:
                break
            point = better
        alpha = np.stack([task.alpha for task in point.tasks], axis=1)
        d = point.mixture @ self.members
        return ReducedOptimum(alpha, point.mixture, d[:, None] * point.products, point.upper, point.gap)

    def _step(self, point: _Point) -> _Point | None:
        """A Newton step in mu, divided by 4 until it improves the dual value or halves the gap; None if none does."""
        curvature = np.asarray(sum(self._curvature(point.mixture, task) for task in point.tasks))
        target = _newton_target(curvature, point.cuts - point.cuts.max(), point.mixture)
        slope = float(point.cuts @ (target - point.mixture))
        is_fine = point.gap <= FINE * point.upper
        min_share = 1.0 if is_fine else MIN_SHARE
        share = 1.0
        while share >= min_share:
            candidate = self._point_at(point.mixture + share * (target - point.mixture), point.products)
            rises = not is_fine and candidate.lower >= point.lower + 1e-4 * share * slope
            if rises or candidate.gap <= point.gap / 2:
                return candidate
            share /= 4
        return None

    def _curvature(self, mixture: Floats, task: TaskOptimum) -> Floats:
        """Minus the second derivatives of a task's inner optimum by mu, while the same samples have positive weight."""
        root = np.sqrt(mixture @ self.members)
        products_in_cuts = self.members * task.products
        scattered = task.scatter @ products_in_cuts.T
        scaled = root[:, None] * scattered
        curvature = products_in_cuts @ scattered - self.C * scaled.T @ task.hessian.solve(scaled)
        return self.C * (curvature + curvature.T) / 2

    def _point_at(self, mixture: Floats, products: Floats) -> _Point:
        """Solve the inner problems at mu = ``mixture``, starting from an estimate of c."""
        root = np.sqrt(mixture @ self.members)
        tasks = [task.solve(root, self.C, products[:, k]) for k, task in enumerate(self.tasks)]
        cuts = np.asarray(sum(self.members @ (task.products**2) for task in tasks)) / 2
        ridge = sum(float(task.alpha @ task.alpha) for task in tasks) / (2 * self.C)
        gap_of_mixture = max(0.0, float(cuts.max() - mixture @ cuts))
        gap_of_tasks = sum(task.residual for task in tasks) / 2
        return _Point(mixture, tasks, cuts, ridge, gap_of_mixture + gap_of_tasks)


def _newton_target(curvature: Floats, slopes: Floats, mixture: Floats) -> Floats:
    """The mu on the simplex that maximises ``slopes's - s'curvature s / 2`` for the step ``s = mu - mixture``."""
    linear = slopes + curvature @ mixture
    rough = minimize_on_simplex(DenseQuadratic(curvature), linear, tolerance=1e-12, max_rounds=50).weights
    # Near the optimum the slopes are far below the rounding of curvature @ mixture. Over the weights that are not 0,
    # the step itself is then the solution of a linear system, with one more equation for the sum of the weights.
    inside = rough > 0
    outside = rough == 0
    n_inside = int(inside.sum())
    system = np.ones((n_inside + 1, n_inside + 1))
    system[:-1, :-1] = curvature[np.ix_(inside, inside)]
    system[-1, -1] = 0.0
    gradient = slopes[inside] + curvature[np.ix_(inside, outside)] @ mixture[outside]
    right_side = np.append(gradient, mixture[outside].sum())
    step = np.linalg.lstsq(system, right_side)[0][:-1]
    exact = np.zeros(len(mixture))
    exact[inside] = mixture[inside] + step
    if exact.min() < 0:
        return rough
    return exact
