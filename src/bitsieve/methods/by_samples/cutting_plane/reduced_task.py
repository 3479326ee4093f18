"""The inner problem of one task: a support vector machine of squared hinge loss over the features sqrt(d_j) f_j.

    min_u F(u),   F(u) = |u|^2 / 2 - alpha'm - |alpha|^2 / (2C),   m_i = y_i sum_j sqrt(d_j) f_ij u_j

where alpha is the projection of ``-C m`` on the simplex. With ``c_j = sum_i alpha_i y_i f_ij``, the gradient of F is
``u - sqrt(d) c`` and its Hessian, while the same samples have positive weight, ``I + C sqrt(d) S sqrt(d)``; S is the
scatter of the signed vectors ``y_i f_i`` of these samples about their mean. Newton's method finds u.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve.methods.by_samples.cutting_plane.columns import ColumnSubset
from bitsieve.optimize.simplex_qp import project_on_simplex
from bitsieve.utils.arrays import Flags, Floats

MAX_STEPS = 100
MIN_SHARE = 2.0**-20  # the shortest part of a Newton step that is tried
MIN_GRADIENT = 1e-13  # relative gradient at which the method ends
ROUNDING = 1e-14  # relative: a smaller change of the value may be rounding


class TaskProblem:
    """The inner problems of one task, for any d. ``signs[i]`` is y_i."""

    def __init__(self, columns: ColumnSubset, signs: Floats) -> None:
        self.columns = columns
        self.signs = signs
        self._scatter = _Scatter(columns)

    def solve(self, root: Floats, C: float, products: Floats) -> TaskOptimum:
        """Start from sqrt(d) c or from 0, whichever is better. ``root`` is sqrt(d), ``products`` an estimate of c."""
        machine = _Machine(self, root, C)
        point = machine.point(root * products)
        zero = machine.point(np.zeros(len(root)))
        if zero.value <= point.value:
            # Far from the optimum few samples have weight for a large C, and steps are bad: C grows by powers of 10.
            point = zero
            n_powers = int(np.ceil(np.log10(max(C / len(self.signs), 1.0))))
            for power in range(n_powers, 0, -1):
                point = _Machine(self, root, C / 10**power).minimize(point.u)
        point = machine.minimize(point.u)
        scatter = self.scatter(point.alpha > 0)
        return TaskOptimum(
            alpha=point.alpha,
            products=point.products,
            scatter=scatter,
            hessian=machine.hessian(scatter),
            residual=float(point.gradient @ point.gradient),
        )

    def scatter(self, active: Flags) -> Floats:
        """S over the active samples."""
        sums = self.columns.against((self.signs * active)[:, None])[:, 0]
        return self._scatter.over(active) - np.outer(sums, sums) / np.count_nonzero(active)


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskOptimum:
    """The inner optimum of one task for given d."""

    alpha: Floats
    products: Floats  # c
    scatter: Floats  # S over the samples of positive weight
    hessian: CholeskyFactor  # I + C sqrt(d) S sqrt(d)
    residual: float  # |u - sqrt(d) c|^2


@dataclass(frozen=True, eq=False)
class CholeskyFactor:
    """The lower Cholesky factor of a matrix A. ``matrix`` has it in its lower triangle."""

    matrix: Floats

    def solve(self, right_side: Floats) -> Floats:
        """The solution x of ``A x = right_side``."""
        from scipy.linalg import cho_solve

        return np.asarray(cho_solve((self.matrix, True), right_side))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Point:
    """The machine evaluated at u."""

    value: float  # F(u)
    u: Floats
    alpha: Floats
    products: Floats  # c
    gradient: Floats  # u - sqrt(d) c


@dataclass(frozen=True, eq=False)
class _Machine:
    """The support vector machine of a task for given d and C."""

    task: TaskProblem
    root: Floats  # sqrt(d)
    C: float

    def point(self, u: Floats) -> _Point:
        columns = self.task.columns
        signs = self.task.signs
        margins = signs * columns.times((self.root * u)[:, None])[:, 0]
        alpha = project_on_simplex(-self.C * margins)
        products = columns.against((signs * alpha)[:, None])[:, 0]
        value = float(u @ u) / 2 - float(alpha @ margins) - float(alpha @ alpha) / (2 * self.C)
        return _Point(value=value, u=u, alpha=alpha, products=products, gradient=u - self.root * products)

    def hessian(self, scatter: Floats) -> CholeskyFactor:
        from scipy.linalg import cho_factor

        hessian = self.C * (self.root[:, None] * scatter * self.root)
        hessian[np.diag_indices_from(hessian)] += 1.0
        matrix, _ = cho_factor(hessian, lower=True, overwrite_a=True, check_finite=False)
        return CholeskyFactor(matrix)

    def minimize(self, u: Floats) -> _Point:
        """Newton's method from u."""
        point = self.point(u)
        for _ in range(MAX_STEPS):
            next_point = self._step(point)
            if next_point is None:
                break
            point = next_point
        return point

    def _step(self, point: _Point) -> _Point | None:
        """A Newton step, halved until it lowers the value or the gradient; None where only rounding is left."""
        steepness = float(point.gradient @ point.gradient)
        if steepness <= MIN_GRADIENT**2 * float(np.square(self.root * point.products).sum()):
            return None
        step = -self.hessian(self.task.scatter(point.alpha > 0)).solve(point.gradient)
        slope = float(point.gradient @ step)
        share = 1.0
        while share >= MIN_SHARE:
            candidate = self.point(point.u + share * step)
            is_flatter = float(candidate.gradient @ candidate.gradient) <= steepness / 4
            min_decrease = max(-1e-4 * share * slope, ROUNDING * abs(point.value))
            if is_flatter or point.value - candidate.value >= min_decrease:
                return candidate
            share /= 2
        return None


class _Scatter:
    """The products of the vectors with each other over a set of samples that changes a little at a time."""

    def __init__(self, columns: ColumnSubset) -> None:
        self.columns = columns
        self.samples: Flags | None = None

    def over(self, samples: Flags) -> Floats:
        """The products over these samples, computed from those over the previous ones where few have changed."""
        previous = self.samples
        if previous is None or 2 * np.count_nonzero(samples ^ previous) > np.count_nonzero(samples):
            self.products = self.columns.scatter(samples)
        else:
            added = self.columns.scatter(samples & ~previous)
            removed = self.columns.scatter(previous & ~samples)
            self.products = self.products + added - removed
        self.samples = samples
        return self.products
