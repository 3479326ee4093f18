"""The semidefinite relaxation of the best subset of k, by a factor of low rank, with a bound that always holds.

``max <Qa, Y>``, ``Y = VV'`` with unit rows of V: see docs/reference/methods/all_at_once.md. For **any** multipliers
(lambda, y),
with ``S = Diag(y) + lambda E - Qa``, as the trace of Y is n + 1,

    <Qa, Y> = sum y + lambda (2k - n) - <S, Y> <= sum y + lambda (2k - n) + (n + 1) max(0, -lambda_min(S))

S. Burer, R. D. C. Monteiro, Mathematical Programming 95, 2003. doi:10.1007/s10107-002-0352-8
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.optimize.convexity import SMALL, is_positive, smallest_eigenpair
from bitsieve.optimize.sphere import QuadraticOnSpheres, climb, multipliers, normalised, retract, row_products
from bitsieve.utils.arrays import Floats, Progress

FIRST_RANK = 4  # optima of matrices of information have rank 1 to 3
MAX_ROUNDS = 60
EPS = float(np.finfo(np.float64).eps)


class LowRankSolution(NamedTuple):
    """The factor V of shape (n + 1, r), its first row the first axis; ``<Qa, VV'>``; the bound."""

    factor: Floats
    value: float
    bound: float


class Dual(NamedTuple):
    """The bound of some multipliers, and the unit vector along which S is least."""

    bound: float
    violation: Floats


def solve_low_rank(matrix: Floats, k: int, *, tolerance: float = 1e-8, progress: Progress = None) -> LowRankSolution:
    """Solve the relaxation for subsets of k: ``value <= optimum <= bound``, apart by the tolerance times the value."""
    n = len(matrix)
    objective = QuadraticOnSpheres(np.ascontiguousarray(matrix, np.float64), 2.0 * k - n)
    constant = float(objective.linear.sum())
    if k == n:
        return LowRankSolution(np.ones((n + 1, 1)), 4.0 * constant, 4.0 * constant)
    scale = float(np.abs(objective.matrix).sum())
    vectors = retract(np.random.default_rng(0).standard_normal((n, FIRST_RANK)), objective.total)
    precision = 1e-3
    bound = np.inf
    rounds = 0
    while True:
        vectors = climb(objective, vectors, precision * scale / n)
        value = objective.value_and_gradient(vectors)[0] + constant
        dual = dual_bound(objective, vectors, value, tolerance * abs(value))
        bound = min(bound, dual.bound)
        rounds += 1
        if progress is not None:
            progress(rounds, MAX_ROUNDS)
        if bound - value <= tolerance * abs(value) or scale == 0 or rounds == MAX_ROUNDS:
            break
        vectors = _raise_rank(objective, vectors, dual.violation)
        precision = max(0.03 * precision, 1e-14)
    if not np.isfinite(bound):
        bound = dual_bound(objective, vectors).bound
    alike = _equalised(objective, vectors)
    value_alike = objective.value_and_gradient(alike)[0] + constant
    if abs(alike[:, 0].sum() - objective.total) <= 1e-12 * n and value_alike >= value - tolerance * abs(value):
        vectors = alike
        value = value_alike
    return LowRankSolution(_with_first_axis(vectors), value, max(bound, value))


def dual_bound(objective: QuadraticOnSpheres, vectors: Floats, value: float = -np.inf, allowed: float = np.inf) -> Dual:
    """The bound by the multipliers of V, whatever V is, with a few roundings of the norm of S for the least eigenvalue.

    Beyond 2,000 vectors Lanczos finds the direction, and a Cholesky factor proves a bound within ``allowed``, else inf.
    """
    from scipy.linalg import eigh

    n = len(vectors)
    gradient = objective.value_and_gradient(vectors)[1]
    constant = float(objective.linear.sum())
    total, lengths = multipliers(vectors, gradient)
    first = constant + float(objective.linear @ vectors[:, 0]) - total * objective.total / 2
    slack = np.empty((n + 1, n + 1))
    np.negative(objective.matrix, out=slack[1:, 1:])
    slack[0, 1:] = slack[1:, 0] = total / 2 - objective.linear
    slack[0, 0] = first - constant
    slack[np.arange(1, n + 1), np.arange(1, n + 1)] += lengths
    rounding = 8 * EPS * float(np.sqrt(np.einsum("ij,ij->", slack, slack)))
    at_zero = first + float(lengths.sum()) + total * objective.total
    if n > SMALL and np.isfinite(allowed):
        spare = allowed / (32 * (n + 1))
        least, vector = smallest_eigenpair(slack, spare / 2, 300)
        short = max(0.0, -least) + spare + rounding
        if at_zero + (n + 1) * short - value > allowed:
            return Dual(np.inf, vector)
        if is_positive(slack, short - rounding):
            return Dual(at_zero + (n + 1) * short, vector)
    smallest, vectors_of = eigh(slack, subset_by_index=[0, 0], overwrite_a=True, check_finite=False)
    short = max(0.0, -float(smallest[0])) + rounding
    return Dual(at_zero + (n + 1) * short, vectors_of[:, 0])


def _equalised(objective: QuadraticOnSpheres, vectors: Floats) -> Floats:
    """Every vector turned to the best direction with the others fixed: copies of a feature get the same one."""
    gradient = objective.value_and_gradient(vectors)[1]
    total, _ = multipliers(vectors, gradient)
    best = gradient / 2 - objective.matrix.diagonal()[:, None] * vectors
    best[:, 0] -= total / 2
    length = np.sqrt(row_products(best, best))
    clear = length > 1e-6 * length.max()  # where f does not depend on a vector, its gradient is rounding
    return retract(np.where(clear[:, None], best / np.where(clear, length, 1.0)[:, None], vectors), objective.total)


def _raise_rank(objective: QuadraticOnSpheres, vectors: Floats, violation: Floats) -> Floats:
    """V with one more column, along the violation of the dual: f increases for steps that are short enough."""
    start = objective.value_and_gradient(vectors)[0]
    column = violation / np.abs(violation).max()
    for halvings in range(30):
        wider = np.column_stack([_with_first_axis(vectors), 0.5**halvings * column])
        moved = retract(_reflected(normalised(wider))[1:], objective.total)
        if objective.value_and_gradient(moved)[0] > start:
            return moved
    return np.column_stack([vectors, np.zeros(len(vectors))])


def _with_first_axis(vectors: Floats) -> Floats:
    return np.concatenate([np.eye(1, vectors.shape[1]), vectors])


def _reflected(vectors: Floats) -> Floats:
    """All vectors reflected so that the first of them becomes the first axis."""
    mirror = vectors[0].copy()
    mirror[0] -= 1.0
    square = float(mirror @ mirror)
    return vectors if square == 0 else vectors - np.outer(vectors @ mirror, 2.0 / square * mirror)
