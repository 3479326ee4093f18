"""The problem over the cuts found so far: weights alpha of the samples that make the largest cut as small as possible.

    min_alpha max_t  sum_k [ sum_{j in cut t} c_jk^2 / 2 + |alpha_k|^2 / (2C) ],   c_jk = sum_i alpha_ik y_ik f_ij

for samples i, columns j, tasks k and cuts t; each alpha_k is on the simplex. The dual has weights mu of the cuts, on
the simplex too (``mixture``), and d_j = sum_{t: j in t} mu_t. For given mu the minimum over alpha_k is a support vector
machine of squared hinge loss over the features sqrt(d_j) f_j. An outer Newton method finds mu, and an inner one, for
each task and mu, the vector u of that machine: alpha_k is the projection of -C y f'(sqrt(d) u) on the simplex.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.methods.by_samples.cutting_plane.columns import Part
from bitsieve.optimize.simplex_qp import DenseQuadratic, minimize_on_simplex, project_on_simplex
from bitsieve.utils.arrays import Flags, Floats

Factor = tuple[Floats, bool]

TARGET_GAP = 1e-10  # relative: rounding the weights of the cuts to doubles leaves about this much
FINE = 1e-8  # relative gap below which a step is taken only if it halves the gap
MAX_STEPS = 50  # steps of the outer Newton method
MAX_INNER_STEPS = 100  # steps of the inner Newton method
MIN_SHARE = 2.0**-20  # the shortest part of a Newton step that is tried
MIN_GRADIENT = 1e-13  # relative gradient at which the inner method ends
ROUNDING = 1e-14  # relative: a smaller change of the inner value may be rounding


class ReducedOptimum(NamedTuple):
    """The optimum of the problem over the cuts found so far."""

    alpha: Floats  # weights of the samples, shape (n_samples, n_tasks)
    mixture: Floats  # mu, weights of the cuts
    weights: Floats  # d_j c_jk of the columns, shape (n_columns, n_tasks)
    value: float
    gap: float  # the value is at most this far above the minimum


class _InnerPoint(NamedTuple):
    """The inner problem of one task, evaluated at u."""

    value: float  # |u|^2 / 2 - alpha'm - |alpha|^2 / (2C), with the margins m = y f'(sqrt(d) u)
    u: Floats
    alpha: Floats
    products: Floats  # c
    gradient: Floats  # u - sqrt(d) c


class _TaskOptimum(NamedTuple):
    """The inner optimum of one task for given d."""

    alpha: Floats
    products: Floats  # c
    scatter: Floats  # of the signed vectors about their mean, over the samples of positive weight
    factor: Factor  # Cholesky factor of the Hessian, I + C sqrt(d) scatter sqrt(d)
    residual: float  # |u - sqrt(d) c|^2


class _Point(NamedTuple):
    """The inner optima of all tasks for the same mu."""

    mixture: Floats
    tasks: list[_TaskOptimum]
    cuts: Floats  # sum_k sum_{j in t} c_jk^2 / 2 of every cut
    ridge: float  # sum_k |alpha_k|^2 / (2C)
    gap: float

    @property
    def upper(self) -> float:
        """The value of the largest cut, an upper bound of the optimum."""
        return float(self.cuts.max()) + self.ridge

    @property
    def lower(self) -> float:
        """The dual value, a lower bound of the optimum, which the outer method maximises."""
        return self.upper - self.gap

    @property
    def products(self) -> Floats:
        """c of all tasks, shape (n_columns, n_tasks)."""
        return np.stack([task.products for task in self.tasks], axis=1)


class ReducedProblem:
    """The problem over the cuts found so far. ``members[t, j]`` says whether column j is in cut t.

    In its methods ``root`` is ``sqrt(d)`` of the columns, and k the index of a task.
    """

    def __init__(self, part: Part, signs: Floats, members: Flags, C: float) -> None:
        self.part = part
        self.signs = signs
        self.members = members.astype(np.float64)
        self.C = C
        self.scatters = [_Scatter(part) for _ in range(signs.shape[1])]

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

    def _curvature(self, mixture: Floats, task: _TaskOptimum) -> Floats:
        """Minus the second derivatives of a task's inner optimum by mu, while the same samples have positive weight."""
        root = np.sqrt(mixture @ self.members)
        products_in_cuts = self.members * task.products
        scattered = task.scatter @ products_in_cuts.T
        scaled = root[:, None] * scattered
        curvature = products_in_cuts @ scattered - self.C * scaled.T @ _solve(task.factor, scaled)
        return self.C * (curvature + curvature.T) / 2

    def _point_at(self, mixture: Floats, products: Floats) -> _Point:
        """Solve the inner problems at mu = ``mixture``, starting from an estimate of c."""
        root = np.sqrt(mixture @ self.members)
        tasks = [self._task(root, k, products[:, k]) for k in range(self.signs.shape[1])]
        cuts = np.asarray(sum(self.members @ (task.products**2) for task in tasks)) / 2
        ridge = sum(float(task.alpha @ task.alpha) for task in tasks) / (2 * self.C)
        gap_of_mixture = max(0.0, float(cuts.max() - mixture @ cuts))
        gap_of_tasks = sum(task.residual for task in tasks) / 2
        return _Point(mixture, tasks, cuts, ridge, gap_of_mixture + gap_of_tasks)

    def _task(self, root: Floats, k: int, products: Floats) -> _TaskOptimum:
        """Newton's method for u, starting from sqrt(d) c or from 0, whichever is better."""
        inner = self._inner(root, k, root * products, self.C)
        zero = self._inner(root, k, np.zeros(len(root)), self.C)
        if zero.value <= inner.value:
            # Far from the optimum few samples have weight for a large C, and steps are bad: C grows by powers of 10.
            inner = zero
            n_powers = int(np.ceil(np.log10(max(self.C / len(self.signs), 1.0))))
            for power in range(n_powers, 0, -1):
                inner = self._newton(root, k, inner.u, self.C / 10**power)
        inner = self._newton(root, k, inner.u, self.C)
        scatter, factor = self._hessian(root, k, inner.alpha > 0, self.C)
        return _TaskOptimum(inner.alpha, inner.products, scatter, factor, float(inner.gradient @ inner.gradient))

    def _newton(self, root: Floats, k: int, u: Floats, C: float) -> _InnerPoint:
        inner = self._inner(root, k, u, C)
        for _ in range(MAX_INNER_STEPS):
            next_inner = self._inner_step(root, k, inner, C)
            if next_inner is None:
                break
            inner = next_inner
        return inner

    def _inner_step(self, root: Floats, k: int, inner: _InnerPoint, C: float) -> _InnerPoint | None:
        """A Newton step in u, halved until it lowers the value or the gradient; None where only rounding is left."""
        steepness = float(inner.gradient @ inner.gradient)
        if steepness <= MIN_GRADIENT**2 * float(np.square(root * inner.products).sum()):
            return None
        _, factor = self._hessian(root, k, inner.alpha > 0, C)
        step = -_solve(factor, inner.gradient)
        slope = float(inner.gradient @ step)
        share = 1.0
        while share >= MIN_SHARE:
            candidate = self._inner(root, k, inner.u + share * step, C)
            is_flatter = float(candidate.gradient @ candidate.gradient) <= steepness / 4
            min_decrease = max(-1e-4 * share * slope, ROUNDING * abs(inner.value))
            if is_flatter or inner.value - candidate.value >= min_decrease:
                return candidate
            share /= 2
        return None

    def _inner(self, root: Floats, k: int, u: Floats, C: float) -> _InnerPoint:
        sign = self.signs[:, k]
        margins = sign * self.part.times((root * u)[:, None])[:, 0]
        alpha = project_on_simplex(-C * margins)
        products = self.part.against((sign * alpha)[:, None])[:, 0]
        value = float(u @ u) / 2 - float(alpha @ margins) - float(alpha @ alpha) / (2 * C)
        return _InnerPoint(value, u, alpha, products, u - root * products)

    def _hessian(self, root: Floats, k: int, active: Flags, C: float) -> tuple[Floats, Factor]:
        """The scatter over the active samples, those of positive weight, and the factor of the Hessian."""
        from scipy.linalg import cho_factor

        sums = self.part.against((self.signs[:, k] * active)[:, None])[:, 0]
        scatter = self.scatters[k].over(active) - np.outer(sums, sums) / np.count_nonzero(active)
        hessian = C * (root[:, None] * scatter * root)
        hessian[np.diag_indices_from(hessian)] += 1.0
        matrix, lower = cho_factor(hessian, lower=True, overwrite_a=True, check_finite=False)
        return scatter, (matrix, lower)


def _solve(factor: Factor, right: Floats) -> Floats:
    from scipy.linalg import cho_solve

    return np.asarray(cho_solve(factor, right))


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
    right = np.append(slopes[inside] + curvature[np.ix_(inside, outside)] @ mixture[outside], mixture[outside].sum())
    exact = np.zeros(len(mixture))
    exact[inside] = mixture[inside] + np.linalg.lstsq(system, right)[0][:-1]
    if exact.min() < 0:
        return rough
    return exact


class _Scatter:
    """The products of the vectors with each other over a set of samples that changes a little at a time."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.samples: Flags | None = None

    def over(self, samples: Flags) -> Floats:
        """The products over these samples, computed from those over the previous ones where few have changed."""
        previous = self.samples
        if previous is None or 2 * np.count_nonzero(samples ^ previous) > np.count_nonzero(samples):
            self.products = self.part.scatter(samples)
        else:
            added = self.part.scatter(samples & ~previous)
            removed = self.part.scatter(previous & ~samples)
            self.products = self.products + added - removed
        self.samples = samples
        return self.products
