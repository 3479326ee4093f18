"""The semidefinite relaxation of the best subset of k features, solved with a factor of low rank.

The problem is ``max <Qa, Y>`` over ``Y = VV'`` with ``Qa = [[1'Q1, 1'Q], [Q1, Q]]``. The rows of V have length 1, and
``sum_i Y_0i = <E, Y> = 2k - n``: see docs/reference/methods/all_at_once.md. The trace of Y is n + 1. Any multipliers,
y of the lengths and lambda of the sum, therefore give an upper bound, with ``S = Diag(y) + lambda E - Qa``:

    <Qa, Y> = sum y + lambda (2k - n) - <S, Y> <= sum y + lambda (2k - n) + (n + 1) max(0, -lambda_min(S))

S. Burer, R. D. C. Monteiro, Mathematical Programming 95, 2003. doi:10.1007/s10107-002-0352-8
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.optimize.convexity import MAX_LAPACK_ROWS, is_positive_definite, smallest_eigenpair
from bitsieve.optimize.sphere import QuadraticOnSpheres, climb, multipliers, normalised, retract, row_products
from bitsieve.utils.arrays import Floats, Progress

FIRST_RANK = 4  # columns of V at first; optima of matrices of information have rank 1 to 3
MAX_ROUNDS = 60
EPS = float(np.finfo(np.float64).eps)


class LowRankSolution(NamedTuple):
    """A solution V, and how good any other solution can be."""

    factor: Floats  # V, shape (n + 1, rank); its first row is (1, 0, 0, ...)
    value: float  # <Qa, VV'>
    bound: float  # no V has a larger value


class Dual(NamedTuple):
    """The upper bound that some multipliers give."""

    bound: float
    violation: Floats  # unit eigenvector of the smallest eigenvalue of S: S >= 0 fails most in this direction


def solve_low_rank(matrix: Floats, k: int, *, tolerance: float = 1e-8, progress: Progress = None) -> LowRankSolution:
    """Solve the relaxation for subsets of k features.

    ``value <= optimum <= bound``, and ``bound - value`` is ``tolerance |value|`` at most, unless 60 rounds do not reach
    that. A round maximises over V of the current rank, computes the bound, and adds a column to V.
    """
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
        dual = dual_bound_near(objective, vectors, value, allowed=tolerance * abs(value))
        bound = min(bound, dual.bound)
        rounds += 1
        if progress is not None:
            progress(rounds, MAX_ROUNDS)
        is_solved = bound - value <= tolerance * abs(value)
        if is_solved or scale == 0 or rounds == MAX_ROUNDS:
            break
        vectors = _raise_rank(objective, vectors, dual.violation)
        precision = max(0.03 * precision, 1e-14)
    if not np.isfinite(bound):
        bound = dual_bound(objective, vectors).bound
    # Copies of a feature should have one vector, as long as that costs nothing.
    equalised = _equalised(objective, vectors)
    equalised_value = objective.value_and_gradient(equalised)[0] + constant
    keeps_total = abs(equalised[:, 0].sum() - objective.total) <= 1e-12 * n
    if keeps_total and equalised_value >= value - tolerance * abs(value):
        vectors = equalised
        value = equalised_value
    return LowRankSolution(_with_first_axis(vectors), value, max(bound, value))


class Certificate(NamedTuple):
    """What multipliers (lambda, y), which need not be optimal, prove: an upper bound."""

    slack: Floats  # S, shape (n + 1, n + 1)
    bound_without_violation: float  # sum y + lambda (2k - n), the bound if S >= 0
    rounding: float  # the largest error of an eigenvalue of S: a few roundings of the norm of S

    def bound(self, violation: float) -> float:
        """The upper bound, given that no eigenvalue of S is below ``-violation``."""
        return self.bound_without_violation + len(self.slack) * violation


def certificate_of(objective: QuadraticOnSpheres, vectors: Floats) -> Certificate:
    """The certificate by the multipliers of V, which are optimal if V is."""
    n = len(vectors)
    gradient = objective.value_and_gradient(vectors)[1]
    constant = float(objective.linear.sum())  # the first entry of Qa
    total_multiplier, length_multipliers = multipliers(vectors, gradient)  # lambda and y_1 ... y_n
    first_multiplier = (  # y_0
        constant + float(objective.linear @ vectors[:, 0]) - total_multiplier * objective.total / 2
    )
    slack = np.empty((n + 1, n + 1))
    np.negative(objective.matrix, out=slack[1:, 1:])
    slack[0, 1:] = total_multiplier / 2 - objective.linear
    slack[1:, 0] = slack[0, 1:]
    slack[0, 0] = first_multiplier - constant
    slack[np.arange(1, n + 1), np.arange(1, n + 1)] += length_multipliers
    norm = float(np.sqrt(np.einsum("ij,ij->", slack, slack)))
    bound_without_violation = first_multiplier + float(length_multipliers.sum()) + total_multiplier * objective.total
    return Certificate(slack, bound_without_violation, rounding=8 * EPS * norm)


def dual_bound(objective: QuadraticOnSpheres, vectors: Floats) -> Dual:
    """The upper bound by the multipliers of V, with the smallest eigenvalue of S by LAPACK."""
    return _bound_by_eigenvalue(certificate_of(objective, vectors))


def dual_bound_near(objective: QuadraticOnSpheres, vectors: Floats, value: float, allowed: float) -> Dual:
    """The upper bound by the multipliers of V; inf if it is more than ``allowed`` above ``value``.

    Up to 2,000 vectors this is :func:`dual_bound`. Above that Lanczos estimates the smallest eigenvalue of S, and a
    Cholesky factor of S proves the bound.
    """
    certificate = certificate_of(objective, vectors)
    n_rows = len(certificate.slack)
    if n_rows - 1 <= MAX_LAPACK_ROWS:
        return _bound_by_eigenvalue(certificate)
    margin = allowed / (32 * n_rows)
    smallest, eigenvector = smallest_eigenpair(certificate.slack, margin / 2, 300)
    violation = max(0.0, -smallest) + margin + certificate.rounding
    bound = certificate.bound(violation)
    if bound - value > allowed:
        return Dual(np.inf, eigenvector)
    if is_positive_definite(certificate.slack, violation - certificate.rounding):
        return Dual(bound, eigenvector)
    return _bound_by_eigenvalue(certificate)  # Lanczos has missed the smallest eigenvalue


def _bound_by_eigenvalue(certificate: Certificate) -> Dual:
    """The upper bound by the smallest eigenvalue of S, which LAPACK computes in the memory of S."""
    from scipy.linalg import eigh

    eigenvalues, eigenvectors = eigh(certificate.slack, subset_by_index=[0, 0], overwrite_a=True, check_finite=False)
    violation = max(0.0, -float(eigenvalues[0])) + certificate.rounding
    return Dual(certificate.bound(violation), eigenvectors[:, 0])


def _equalised(objective: QuadraticOnSpheres, vectors: Floats) -> Floats:
    """V with every vector replaced by its best one given the others; copies of a feature get the same vector."""
    gradient = objective.value_and_gradient(vectors)[1]
    total_multiplier, _ = multipliers(vectors, gradient)
    best = gradient / 2 - objective.matrix.diagonal()[:, None] * vectors
    best[:, 0] -= total_multiplier / 2
    lengths = np.sqrt(row_products(best, best))
    is_determined = lengths > 1e-6 * lengths.max()  # else f does not depend on the vector: its gradient is rounding
    unit_vectors = best / np.where(is_determined, lengths, 1.0)[:, None]
    return retract(np.where(is_determined[:, None], unit_vectors, vectors), objective.total)


def _raise_rank(objective: QuadraticOnSpheres, vectors: Floats, violation: Floats) -> Floats:
    """V with one more column, a multiple of ``violation`` that is halved until f increases; else a column of zeros."""
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
    if square == 0:
        return vectors
    return vectors - np.outer(vectors @ mirror, 2.0 / square * mirror)
