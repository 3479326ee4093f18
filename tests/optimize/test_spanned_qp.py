"""The minimum in the span of eigenvectors against all sets of zeros, and against the minimum over the whole simplex."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bitsieve.optimize.simplex_qp import DenseQuadratic, minimize_on_simplex
from bitsieve.optimize.spanned_qp import minimize_in_span

CLOSE = 1e-9  # systems of up to seven equations


def problem(n, seed):
    """A factor whose matrix has positive entries, and a linear term."""
    random = np.random.default_rng(seed)
    return random.random((n, n)) / n + 0.05, random.random(n) * random.choice([0.01, 0.3, 3.0])


def by_brute_force(factor, linear, r, scale):
    """The best feasible one of the minima with every set of at most r - 1 weights that are 0; None without one."""
    eigenvalues, vectors = np.linalg.eigh(factor @ factor.T)
    eigenvalues, vectors = eigenvalues[-r:], vectors[:, -r:]
    n = len(linear)
    best = None
    for n_zeros in range(r):
        for zeros in combinations(range(n), n_zeros):
            constraints = np.vstack([vectors.sum(axis=0), vectors[list(zeros)]])
            system = np.block(
                [
                    [np.diag(scale * eigenvalues), constraints.T],
                    [constraints, np.zeros((1 + n_zeros, 1 + n_zeros))],
                ]
            )
            right = np.concatenate([vectors.T @ linear, [1.0], np.zeros(n_zeros)])
            y = np.linalg.lstsq(system, right, rcond=None)[0][:r]
            x = vectors @ y
            if abs(x.sum() - 1) > CLOSE or x.min() < -CLOSE:
                continue
            objective = scale * y @ (eigenvalues * y) / 2 - linear @ x
            if best is None or objective < best[0]:
                best = objective, x
    return best


@pytest.mark.each_value
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("r", range(1, 7))
def test_the_best_of_all_sets_of_zeros(r, seed):
    factor, linear = problem(6, seed)
    solution = minimize_in_span(factor, linear, r, 0.5)
    objective, x = by_brute_force(factor, linear, r, 0.5)
    assert solution is not None
    assert solution.objective == pytest.approx(objective, abs=CLOSE)
    np.testing.assert_allclose(solution.weights, x, atol=1e-6)  # the square root of the error of the objective
    assert solution.gap <= CLOSE
    assert solution.weights.min() >= 0
    assert solution.weights.sum() == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_all_eigenvectors_span_the_simplex(seed):
    factor, linear = problem(20, seed)
    factor += np.eye(20) / 2  # without tiny eigenvalues, whose roots have few exact digits
    spanned = minimize_in_span(factor, linear, 20, 0.7)
    over_simplex = minimize_on_simplex(DenseQuadratic(factor @ factor.T, scale=0.7), linear)
    assert spanned is not None
    assert spanned.objective == pytest.approx(over_simplex.objective, abs=CLOSE)
    fewer = [minimize_in_span(factor, linear, r, 0.7) for r in (1, 3, 8)]
    objectives = [solution.objective for solution in fewer if solution is not None]
    assert len(objectives) == 3
    assert sorted(objectives, reverse=True) == objectives
    assert min(objectives) >= spanned.objective - CLOSE


def test_no_weights_of_one_sign():
    factor = np.array([[1.0, 0.1], [-1.0, 0.1], [0.5, 0.0]])  # the first eigenvector has both signs
    assert minimize_in_span(factor, np.ones(3), 1, 0.5) is None
    assert minimize_in_span(np.zeros((3, 2)), np.ones(3), 2, 0.5) is None
