"""The problem over the cuts found so far: the weights of the samples at which the largest cut is least.

    min_alpha max_t  sum_k [ sum_{j in cut t} c_jk^2 / 2 + |alpha_k|^2 / (2C) ],   c_jk = sum_i alpha_ik y_ik f_ij

Turned round, with weights mu of the cuts and d_j = sum_{t: j in t} mu_t: the inner minimum for given mu is a support
vector machine of squared hinge loss over the features sqrt(d_j) f_j. Newton steps find both, for each task k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.methods.by_samples.cutting_plane.columns import Part
from bitsieve.optimize.simplex_qp import DenseQuadratic, minimize_on_simplex, project_on_simplex
from bitsieve.utils.arrays import Flags, Floats

Factor = tuple[Floats, bool]

ENOUGH = 1e-10  # relative gap that is aimed at: weights of the cuts rounded to doubles leave about so much
FINE = 1e-8  # relative gap from which on steps are taken only as long as they halve it
MAX_STEPS = 50  # of the outer Newton method
MAX_INNER = 100  # of the inner one
SHORTEST = 2.0**-20  # step that is tried
SETTLED = 1e-13  # relative gradient of the inner problem
ROUNDING = 1e-14  # relative change of its value that may be none


class Reduced(NamedTuple):
    """The optimum over the cuts: ``weights`` d_j c_jk (n_columns, n_tasks), a value within ``gap`` of the least."""

    alpha: Floats
    mixture: Floats
    weights: Floats
    value: float
    gap: float


class _Inner(NamedTuple):
    """A u of one task; the value ``|u|^2 / 2 - alpha'm - |alpha|^2 / (2C)``, with m = y f'(sqrt(d) u)."""

    value: float
    u: Floats
    alpha: Floats
    products: Floats  # c
    gradient: Floats  # u - sqrt(d) c


class _Task(NamedTuple):
    """The inner optimum of one task for given d."""

    alpha: Floats
    products: Floats  # c
    scatter: Floats  # of the signed vectors over the samples with weight, about their mean there
    factor: Factor  # of I + C sqrt(d) scatter sqrt(d)
    residual: float  # |u - sqrt(d) c|^2


class _Point(NamedTuple):
    """All tasks at given mu."""

    mixture: Floats
    tasks: list[_Task]
    cuts: Floats  # sum_k sum_{j in t} c_jk^2 / 2 of every cut
    ridge: float  # sum_k |alpha_k|^2 / (2C)
    gap: float

    @property
    def upper(self) -> float:
        """The largest cut: a bound of the optimum from above."""
        return float(self.cuts.max()) + self.ridge

    @property
    def lower(self) -> float:
        """What is maximised: a bound of the optimum from below."""
        return self.upper - self.gap

    @property
    def products(self) -> Floats:
        """The c of all tasks."""
        return np.stack([task.products for task in self.tasks], axis=1)


class ReducedProblem:
    """The problem over given cuts; ``members`` (n_cuts, n_columns): which columns are in a cut."""

    def __init__(self, part: Part, signs: Floats, members: Flags, C: float) -> None:
        self.part = part
        self.signs = signs
        self.members = members.astype(np.float64)
        self.C = C
        self.scatters = [_Scatter(part) for _ in range(signs.shape[1])]

    def solve(self, mixture: Floats, products: Floats) -> Reduced:
        """The optimum, from weights of the cuts and a guess of c to begin with."""
        point = self._at(mixture, products)
        for _ in range(MAX_STEPS):
            if point.gap <= ENOUGH * point.upper:
                break
            better = self._step(point)
            if better is None:
                break
            point = better
        alpha = np.stack([task.alpha for task in point.tasks], axis=1)
        d = point.mixture @ self.members
        return Reduced(alpha, point.mixture, d[:, None] * point.products, point.upper, point.gap)

    def _step(self, point: _Point) -> _Point | None:
        """A Newton step in mu, shortened until it does some good; None where none does."""
        curvature = np.asarray(sum(self._curvature(point.mixture, task) for task in point.tasks))
        target = _newton_target(curvature, point.cuts - point.cuts.max(), point.mixture)
        slope = float(point.cuts @ (target - point.mixture))
        fine = point.gap <= FINE * point.upper
        share = 1.0
        while share >= (1.0 if fine else SHORTEST):
            tried = self._at(point.mixture + share * (target - point.mixture), point.products)
            rises = not fine and tried.lower >= point.lower + 1e-4 * share * slope
            if rises or tried.gap <= point.gap / 2:
                return tried
            share /= 4
        return None

    def _curvature(self, mixture: Floats, task: _Task) -> Floats:
        """Minus the second derivatives of a task's inner optimum by mu, as long as the same samples have weight."""
        root = np.sqrt(mixture @ self.members)
        of_cuts = task.scatter @ (self.members * task.products).T
        scaled = root[:, None] * of_cuts
        curvature = (self.members * task.products) @ of_cuts - self.C * scaled.T @ _solve(task.factor, scaled)
        return self.C * (curvature + curvature.T) / 2

    def _at(self, mixture: Floats, products: Floats) -> _Point:
        root = np.sqrt(mixture @ self.members)
        tasks = [self._task(root, k, products[:, k]) for k in range(self.signs.shape[1])]
        cuts = np.asarray(sum(self.members @ (task.products**2) for task in tasks)) / 2
        ridge = sum(float(task.alpha @ task.alpha) for task in tasks) / (2 * self.C)
        inner = sum(task.residual for task in tasks) / 2
        return _Point(mixture, tasks, cuts, ridge, max(0.0, float(cuts.max() - mixture @ cuts)) + inner)

    def _task(self, root: Floats, k: int, products: Floats) -> _Task:
        """Newton's method for u, from the better of 0 and what the products say."""
        guess, zero = (self._inner(root, k, u, self.C) for u in (root * products, np.zeros(len(root))))
        inner = guess
        if zero.value <= guess.value:
            # Far from the optimum and for a large C few samples have weight, and a step goes astray: C is raised.
            inner = zero
            for step in range(int(np.ceil(np.log10(max(self.C / len(self.signs), 1.0)))), 0, -1):
                inner = self._newton(root, k, inner.u, self.C / 10**step)
        inner = self._newton(root, k, inner.u, self.C)
        scatter, factor = self._hessian(root, k, inner.alpha > 0, self.C)
        return _Task(inner.alpha, inner.products, scatter, factor, float(inner.gradient @ inner.gradient))

    def _newton(self, root: Floats, k: int, u: Floats, C: float) -> _Inner:
        inner = self._inner(root, k, u, C)
        for _ in range(MAX_INNER):
            following = self._inner_step(root, k, inner, C)
            if following is None:
                break
            inner = following
        return inner

    def _inner_step(self, root: Floats, k: int, inner: _Inner, C: float) -> _Inner | None:
        """A Newton step in u, shortened until it does some good; None where nothing but rounding is left."""
        steepness = float(inner.gradient @ inner.gradient)
        if steepness <= SETTLED**2 * float(np.square(root * inner.products).sum()):
            return None
        _, factor = self._hessian(root, k, inner.alpha > 0, C)
        step = -_solve(factor, inner.gradient)
        slope = float(inner.gradient @ step)
        share = 1.0
        while share >= SHORTEST:
            tried = self._inner(root, k, inner.u + share * step, C)
            flatter = float(tried.gradient @ tried.gradient) <= steepness / 4
            if flatter or inner.value - tried.value >= max(-1e-4 * share * slope, ROUNDING * abs(inner.value)):
                return tried
            share /= 2
        return None

    def _inner(self, root: Floats, k: int, u: Floats, C: float) -> _Inner:
        sign = self.signs[:, k]
        margins = sign * self.part.times((root * u)[:, None])[:, 0]
        alpha = project_on_simplex(-C * margins)
        products = self.part.against((sign * alpha)[:, None])[:, 0]
        value = float(u @ u) / 2 - float(alpha @ margins) - float(alpha @ alpha) / (2 * C)
        return _Inner(value, u, alpha, products, u - root * products)

    def _hessian(self, root: Floats, k: int, active: Flags, C: float) -> tuple[Floats, Factor]:
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
    """The p of the simplex where ``slopes'(p - mixture) - (p - mixture)'curvature (p - mixture) / 2`` is greatest."""
    linear = slopes + curvature @ mixture
    rough = minimize_on_simplex(DenseQuadratic(curvature), linear, tolerance=1e-12, max_rounds=50).weights
    # Near the optimum the slopes are far below the rounding of curvature @ mixture: over the weights that are not 0 the
    # difference is solved for instead.
    inside = rough > 0
    outside = rough == 0
    n_inside = int(inside.sum())
    system = np.ones((n_inside + 1, n_inside + 1))
    system[:-1, :-1] = curvature[np.ix_(inside, inside)]
    system[-1, -1] = 0.0
    right = np.append(slopes[inside] + curvature[np.ix_(inside, outside)] @ mixture[outside], mixture[outside].sum())
    exact = np.zeros(len(mixture))
    exact[inside] = mixture[inside] + np.linalg.lstsq(system, right)[0][:-1]
    return exact if exact.min() >= 0 else rough


class _Scatter:
    """The products of the vectors with each other over changing samples: only what changes is computed anew."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.samples: Flags | None = None

    def over(self, samples: Flags) -> Floats:
        """The products over these samples."""
        before = self.samples
        if before is None or 2 * np.count_nonzero(samples ^ before) > np.count_nonzero(samples):
            self.products = self.part.scatter(samples)
        else:
            self.products = self.products + self.part.scatter(samples & ~before) - self.part.scatter(before & ~samples)
        self.samples = samples
        return self.products
