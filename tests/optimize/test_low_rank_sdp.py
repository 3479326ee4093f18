"""The semidefinite relaxation against an interior-point solver, enumeration and closed forms."""

from __future__ import annotations

from itertools import combinations

import cvxpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitsieve.optimize import low_rank_sdp
from bitsieve.optimize.low_rank_sdp import dual_bound, solve_low_rank
from bitsieve.optimize.sphere import QuadraticOnSpheres, retract


def lifted(matrix):
    """Qa of the relaxation."""
    sums = matrix.sum(axis=1)
    return np.block([[np.array([[sums.sum()]]), sums[None, :]], [sums[:, None], matrix]])


def best_subset(matrix, k):
    return max(matrix[np.ix_(s, s)].sum() for s in combinations(range(len(matrix)), k))


def by_interior_point(matrix, k):
    """The optimum by the dual, which has n + 2 unknowns and not n^2 / 2."""
    n = len(matrix)
    lengths, total = cvxpy.Variable(n + 1), cvxpy.Variable()
    edge = np.zeros((n + 1, n + 1))
    edge[0, 1:] = edge[1:, 0] = 0.5
    slack = cvxpy.diag(lengths) + total * edge - lifted(matrix)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum(lengths) + (2 * k - n) * total), [slack >> 0])
    return problem.solve(solver="CLARABEL")


def like_information(n, seed):
    """Entries >= 0, near to rank one, as of pairwise conditional information."""
    random = np.random.default_rng(seed)
    strength = random.random(n)
    matrix = np.outer(strength, strength) + 0.2 * random.random((n, n))
    return (matrix + matrix.T) / 2


@pytest.mark.slow("a solver in Python")
@pytest.mark.parametrize(("n", "k"), [(2, 1), (5, 2), (20, 3), (20, 19), (30, 12), (45, 6)])
def test_against_an_interior_point_solver(n, k):
    matrix = like_information(n, n + k)
    expected = by_interior_point(matrix, k)
    found = solve_low_rank(matrix, k)
    assert abs(found.value - expected) <= 1e-6 * expected  # Clarabel stops at relative 1e-8 of its own scaling
    assert found.bound - found.value <= 1e-8 * found.value  # as asked for


@pytest.mark.each_value
@pytest.mark.parametrize(("n", "k"), [(5, 2), (20, 3), (30, 12), (45, 6)])
@pytest.mark.parametrize("proof", [True, False])
def test_large_matrices_are_bounded_by_a_cholesky_factor_or_else_by_lapack(n, k, proof, monkeypatch):
    matrix = like_information(n, n + k)
    by_lapack = solve_low_rank(matrix, k)
    monkeypatch.setattr(low_rank_sdp, "MAX_LAPACK_ROWS", 0)
    if not proof:
        monkeypatch.setattr(low_rank_sdp, "is_positive_definite", lambda *_: False)
    found = solve_low_rank(matrix, k)
    assert abs(found.value - by_lapack.value) <= 1e-8 * found.value  # both are within the tolerance of the optimum
    assert found.bound >= by_lapack.value * (1 - 1e-8)  # the optimum is not below that value, the tolerance aside
    assert found.bound - found.value <= 1e-8 * found.value  # as asked for


def test_against_an_interior_point_solver_without_a_sign():
    random = np.random.default_rng(5)
    matrix = random.standard_normal((30, 30))
    matrix += matrix.T
    found = solve_low_rank(matrix, 10)
    assert abs(found.value - by_interior_point(matrix, 10)) <= 1e-6 * abs(found.value)  # as above


@pytest.mark.parametrize("k", [1, 4, 12, 23])
def test_the_solution_is_feasible_and_has_its_value(k):
    matrix = like_information(24, k)
    found = solve_low_rank(matrix, k)
    y = found.factor @ found.factor.T
    assert np.abs(y.diagonal() - 1).max() <= 1e-12  # rounding of unit vectors
    assert abs(y[0, 1:].sum() - (2 * k - 24)) <= 1e-12  # and of 24 cosines
    assert abs((lifted(matrix) * y).sum() - found.value) <= 1e-12 * found.value  # and of 625 products
    assert found.factor[0].tolist() == [1.0] + [0.0] * (found.factor.shape[1] - 1)


@pytest.mark.slow("every subset")
@settings(max_examples=60, deadline=None)
@given(st.integers(2, 8), st.integers(0, 2**32 - 1), st.sampled_from(["any", "positive", "sparse", "whole"]))
def test_the_bound_holds_for_every_subset(n, seed, kind):
    random = np.random.default_rng(seed)
    matrix = random.standard_normal((n, n)) if kind == "any" else random.random((n, n))
    if kind == "sparse":
        matrix *= random.random((n, n)) < 0.3
    if kind == "whole":
        matrix = np.floor(4 * matrix)
    matrix = (matrix + matrix.T) / 2
    k = int(random.integers(1, n + 1))
    found = solve_low_rank(matrix, k)
    assert best_subset(matrix, k) <= found.bound / 4 + 1e-14 * n  # summed by another way
    assert found.value <= found.bound


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_the_bound_holds_wherever_the_solver_stops(n, seed):
    """Vectors that solve nothing still give a bound, by weak duality."""
    random = np.random.default_rng(seed)
    matrix = random.standard_normal((n, n))
    matrix += matrix.T
    k = int(random.integers(1, n))
    objective = QuadraticOnSpheres(matrix, 2.0 * k - n)
    vectors = retract(random.standard_normal((n, 3)), objective.total)
    assert best_subset(matrix, k) <= dual_bound(objective, vectors).bound / 4


@pytest.mark.parametrize("k", range(1, 8))
def test_a_diagonal_matrix_is_solved_exactly(k):
    """The relaxation of ``max d.x`` is a linear programme: the k largest entries."""
    found = solve_low_rank(np.diag(np.arange(1.0, 8.0)), k)
    assert abs(found.value / 4 - np.arange(1, 8)[-k:].sum()) <= 1e-7 * found.value  # the tolerance asked for, with room


@pytest.mark.parametrize("k", [1, 3, 6])
def test_a_constant_matrix(k):
    """``x'Jx = k^2``, but the relaxation has ``k n``: it may put 0 in the place of every y."""
    found = solve_low_rank(np.ones((6, 6)), k)
    assert abs(found.value / 4 - 6 * k) <= 1e-7 * found.value  # the tolerance asked for, with room


def test_all_of_them():
    matrix = like_information(9, 0)
    found = solve_low_rank(matrix, 9)
    assert found.value == found.bound
    assert abs(found.value / 4 - matrix.sum()) <= 1e-13  # two orders of adding 81 numbers


def test_zeros():
    found = solve_low_rank(np.zeros((6, 6)), 2)
    assert found.value == 0
    assert 0 <= found.bound <= 1e-12  # the allowance for the rounding of multipliers that are rounding themselves


@pytest.mark.parametrize("factor", [1e-9, 1e9])
def test_units_do_not_matter(factor):
    matrix = like_information(15, 1)
    one, other = solve_low_rank(matrix, 4), solve_low_rank(factor * matrix, 4)
    assert abs(other.value / factor - one.value) <= 1e-7 * one.value  # both within 1e-8 of the optimum


def test_copies_get_the_same_vector():
    matrix = like_information(10, 2)
    twice = np.block([[matrix, matrix], [matrix, matrix]])
    i = np.arange(10)
    twice[i, i + 10] = twice[i + 10, i] = 0.0  # a copy tells nothing more
    factor = solve_low_rank(twice, 6).factor[1:]
    assert np.abs(factor[:10] - factor[10:]).max() <= 1e-12  # rounding, not the solver's 1e-8


def test_the_same_bits_again():
    matrix = like_information(50, 3)
    assert solve_low_rank(matrix, 7).factor.tobytes() == solve_low_rank(matrix, 7).factor.tobytes()


def test_progress():
    heard = []
    solve_low_rank(like_information(12, 4), 3, progress=lambda done, total: heard.append((done, total)))
    assert 1 <= len(heard) < 60
    assert heard == [(i, 60) for i in range(1, len(heard) + 1)]
