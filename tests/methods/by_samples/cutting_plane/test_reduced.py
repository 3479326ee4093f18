"""The problem over given cuts against a conic solver, against its own duality, and at its edges."""

from __future__ import annotations

import numpy as np
import pytest
from cutting_plane_reference import solve_by_cones, standardized
from scipy import sparse

from bitsieve.methods.by_samples.cutting_plane.columns import ColumnSubset, SparseColumns
from bitsieve.methods.by_samples.cutting_plane.reduced import FINE, ReducedProblem


def dense(vectors):
    return ColumnSubset(vectors, np.zeros(vectors.shape[1]))


def problem(grouped, n_samples=40, n_columns=18, n_cuts=3, n_tasks=1, seed=0):
    X, y = grouped(n_samples, n_columns, seed)
    random = np.random.default_rng(seed)
    signs = np.column_stack([y, random.choice([-1.0, 1.0], (n_samples, n_tasks - 1))])
    return X, signs, random.random((n_cuts, n_columns)) < 0.4


def solve(part, signs, members, C):
    start = part.against(signs / len(signs))
    return ReducedProblem(part, signs, members, C).solve(np.full(len(members), 1 / len(members)), start)


@pytest.mark.each_value
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0, 1000.0])
@pytest.mark.parametrize("n_tasks", [1, 3])
@pytest.mark.parametrize("n_cuts", [1, 4])
def test_optimum_is_that_of_a_conic_solver(grouped, C, n_tasks, n_cuts):
    X, signs, members = problem(grouped, n_cuts=n_cuts, n_tasks=n_tasks)
    F = standardized(X)
    solved = solve(dense(F), signs, members, C)
    value, alpha = solve_by_cones(F, signs, members, C)
    # The conic solver is exact to 1e-8 of values near 0.01; the optimal alpha, which is unique, to the root of that.
    np.testing.assert_allclose(solved.value, value, rtol=1e-5)
    np.testing.assert_allclose(solved.alpha, alpha, atol=1e-3 * alpha.max())
    assert solved.gap <= FINE * solved.value


@pytest.mark.parametrize("C", [0.1, 10.0, 1e4])
def test_conditions_of_the_optimum(grouped, C):
    """alpha and mu in their simplexes, the largest cuts alone weighted, w = d c, and no descent left in alpha."""
    X, signs, members = problem(grouped, n_samples=80, n_tasks=2, n_cuts=5)
    F = standardized(X)
    solved = solve(dense(F), signs, members, C)
    np.testing.assert_allclose(solved.alpha.sum(axis=0), 1.0, rtol=1e-12)
    np.testing.assert_allclose(solved.mixture.sum(), 1.0, rtol=1e-12)
    assert min(solved.alpha.min(), solved.mixture.min()) >= 0
    c = F.T @ (signs * solved.alpha)
    cuts = members @ (c**2).sum(axis=1) / 2 + (solved.alpha**2).sum() / (2 * C)
    np.testing.assert_allclose(solved.value, cuts.max(), rtol=1e-12)
    assert (solved.mixture * (cuts.max() - cuts)).max() <= 1e-8 * solved.value
    np.testing.assert_allclose(solved.weights, (solved.mixture @ members)[:, None] * c, atol=1e-12)
    for k in range(2):  # the gradient is least, and the same, on all samples with weight
        gradient = signs[:, k] * (F @ solved.weights[:, k]) + solved.alpha[:, k] / C
        lowest = gradient.min()
        assert (gradient[solved.alpha[:, k] > 0] - lowest).max() <= 1e-6 * np.abs(gradient).max()


def test_the_primal_twin_has_the_same_value(grouped):
    """|w|^2 / 2 over the features of one cut, less the margin, and C / 2 times the squared slacks, is minus theta."""
    X, signs, members = problem(grouped, n_cuts=1)
    F, C = standardized(X), 5.0
    solved = solve(dense(F), signs, members, C)
    margins = signs[:, 0] * (F @ solved.weights[:, 0])
    slack = solved.alpha[:, 0] / C
    gamma = float((slack + margins)[slack > 0].mean())
    np.testing.assert_allclose(np.maximum(gamma - margins, 0.0), slack, atol=1e-10)
    primal = (solved.weights**2).sum() / 2 - gamma + C / 2 * (slack**2).sum()
    np.testing.assert_allclose(primal, -solved.value, rtol=1e-8)


def test_sparse_and_dense_parts_give_the_same(grouped):
    X, signs, members = problem(grouped, n_samples=60)
    X[:, 0] += 3.0  # a column without zeros
    from_dense = solve(dense(standardized(X)), signs, members, 10.0)
    from_sparse = solve(SparseColumns(sparse.csc_array(X)).subset(np.arange(18)), signs, members, 10.0)
    np.testing.assert_allclose(from_dense.alpha, from_sparse.alpha, atol=1e-9)
    np.testing.assert_allclose(from_dense.value, from_sparse.value, rtol=1e-9)


@pytest.mark.parametrize("C", [1.0, 1e3, 1e6])
def test_classes_that_a_line_separates(C):
    random = np.random.default_rng(0)
    y = random.choice([-1.0, 1.0], 300)
    F = standardized(random.standard_normal((300, 40)) + 2 * y[:, None] * (np.arange(40) < 5))
    solved = solve(dense(F), y[:, None], np.ones((1, 40), bool), C)
    assert solved.gap <= FINE * solved.value
    assert (y * (F @ solved.weights[:, 0]) > 0).mean() > 0.99


def test_cuts_that_are_equal_or_empty(grouped):
    X, signs, _ = problem(grouped)
    part = dense(standardized(X))
    one = np.arange(18) < 5
    alone = solve(part, signs, one[None], 1.0)
    several = solve(part, signs, np.stack([one, one, np.zeros(18, bool)]), 1.0)
    np.testing.assert_allclose(several.value, alone.value, rtol=1e-8)
    np.testing.assert_allclose(several.weights, alone.weights, atol=1e-8)


def test_a_bad_guess_does_not_matter(grouped):
    X, signs, members = problem(grouped)
    part = dense(standardized(X))
    good = solve(part, signs, members, 100.0)
    bad = ReducedProblem(part, signs, members, 100.0).solve(np.array([0.0, 0.0, 1.0]), np.full((18, 1), 1e3))
    np.testing.assert_allclose(bad.alpha, good.alpha, atol=1e-7)
