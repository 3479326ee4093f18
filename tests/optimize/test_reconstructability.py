"""The least reconstructable variances: closed forms, a general solver, the conditions of a minimum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from bitsieve.optimize import reconstructability
from bitsieve.optimize.reconstructability import least_reconstructable


def loss(s, covariance):
    return (1 / s).sum() + np.trace(np.linalg.inv(2 * covariance - np.diag(s)))


def correlations(seed, n_columns=8, n_rows=30):
    X = np.random.default_rng(seed).normal(size=(n_rows, n_columns))
    X[:, 1] += 2 * X[:, 0]
    return np.corrcoef(X, rowvar=False)


@pytest.mark.parametrize("variance", [0.5, 1.0, 3.0])
def test_independent_columns_keep_their_variance(variance):
    """1 / s + 1 / (2 v - s) is least at s = v."""
    np.testing.assert_allclose(least_reconstructable(variance * np.eye(4)), variance, rtol=1e-12)


def test_two_correlated_columns():
    """By symmetry s = (t, t): 2 C - t I has the eigenvalues 2 + 2 r - t and 2 - 2 r - t."""
    r = 0.6
    covariance = np.array([[1, r], [r, 1]])
    t = least_reconstructable(covariance)
    assert abs(t[0] - t[1]) < 1e-3  # the tolerance of the loss leaves so much of s open
    grid = np.linspace(1e-3, 2 - 2 * r - 1e-3, 100_001)
    best = grid[np.argmin(2 / grid + 1 / (2 + 2 * r - grid) + 1 / (2 - 2 * r - grid))]
    np.testing.assert_allclose(t, best, rtol=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_no_general_solver_finds_less(seed):
    covariance = correlations(seed)
    s = least_reconstructable(covariance)
    assert s.min() > 0
    assert np.linalg.eigvalsh(2 * covariance - np.diag(s))[0] > 0
    other = minimize(
        lambda log_s: loss(np.exp(log_s), covariance), np.log(s), method="Nelder-Mead", options={"maxiter": 4000}
    )
    assert loss(s, covariance) <= other.fun * (1 + 1e-4)  # sweeps end where one gains a millionth
    inverse = np.linalg.inv(2 * covariance - np.diag(s))
    np.testing.assert_allclose(1 / s**2, (inverse**2).sum(axis=0), rtol=0.02)  # the gradient, flat near the minimum


def test_columns_that_are_nearly_equal():
    """The least eigenvalue is 1e-6: variances stay inside the cone."""
    covariance = np.array([[1, 1 - 1e-6, 0.3], [1 - 1e-6, 1, 0.3], [0.3, 0.3, 1]])
    s = least_reconstructable(covariance)
    assert s.min() > 0
    assert np.linalg.eigvalsh(2 * covariance - np.diag(s))[0] > 0


@pytest.mark.parametrize("steps_at_once", [1, 3, 20])
def test_steps_are_the_same_in_blocks_of_any_size(monkeypatch, steps_at_once):
    """And those of the inverse after every single step, which a block of one has."""
    covariance = correlations(seed=5, n_columns=20, n_rows=60)
    s = np.full(20, np.linalg.eigvalsh(covariance)[0])
    expected = s.copy()
    for j in range(20):
        inverse = np.linalg.inv(2 * covariance - np.diag(expected))
        root = np.sqrt((inverse[:, j] ** 2).sum())
        expected[j] += (1 - root * expected[j]) / (root + inverse[j, j])
    monkeypatch.setattr(reconstructability, "STEPS_AT_ONCE", steps_at_once)
    monkeypatch.setattr(reconstructability, "MAX_SWEEPS", 1)
    # an inverse that is updated rounds otherwise than one that is made anew
    np.testing.assert_allclose(least_reconstructable(covariance), expected, rtol=1e-9)
