"""Convexity and the smallest eigenvalue against LAPACK; probes never accept a matrix that is not convex."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.optimize import convexity
from bitsieve.optimize.convexity import is_convex, shows_no_negative_eigenvalue, smallest_eigenvalue


def with_least(value, n, seed):
    """A symmetric matrix whose smallest eigenvalue is the value, to the rounding of a product."""
    random = np.random.default_rng(seed)
    basis = np.linalg.qr(random.standard_normal((n, n)))[0]
    values = np.concatenate([[value], value + 0.1 + random.random(n - 1)])
    matrix = (basis * values) @ basis.T
    return (matrix + matrix.T) / 2


@pytest.mark.each_value
@pytest.mark.parametrize("n", [1, 2, 5, 80])
@pytest.mark.parametrize(("value", "convex"), [(0.5, True), (0.0, True), (-1e-9, True), (-2e-8, False), (-3.0, False)])
def test_is_convex(n, value, convex):
    matrix = with_least(value, n, n)
    before = matrix.tobytes()
    assert is_convex(matrix) == convex
    assert is_convex(matrix, 5.0)
    assert not is_convex(matrix, -5.0)
    assert matrix.tobytes() == before


def test_singular_is_convex():
    loads = np.random.default_rng(0).random((60, 4))
    assert is_convex(loads @ loads.T)
    assert is_convex(np.ones((30, 30)))
    assert is_convex(np.zeros((3, 3)))


@pytest.mark.parametrize("n", [1, 2, 5, 80])
@pytest.mark.parametrize("value", [-2.0, -1e-3])
def test_smallest_eigenvalue(n, value):
    assert smallest_eigenvalue(with_least(value, n, n)) == pytest.approx(value, abs=1e-13)  # 80 roundings of about 1


@pytest.mark.parametrize("seed", range(3))
def test_by_lanczos(seed, monkeypatch):
    monkeypatch.setattr(convexity, "MAX_LAPACK_ROWS", 0)
    matrix = with_least(-0.7, 120, seed)
    before = matrix.tobytes()
    found = smallest_eigenvalue(matrix)
    # Never above the eigenvalue by more than rounding, below it by the residual: 1e-12 of the largest row sum.
    assert -0.7 - 1e-9 <= found <= -0.7 + 1e-12
    assert is_convex(matrix, -found)
    assert matrix.tobytes() == before


def test_columns_that_are_treated_alike(monkeypatch):
    """The least eigenvector of a matrix of ones without its diagonal is orthogonal to the ones."""
    monkeypatch.setattr(convexity, "MAX_LAPACK_ROWS", 0)
    assert smallest_eigenvalue(np.ones((40, 40)) - np.eye(40)) == pytest.approx(-1, abs=1e-9)


def test_lapack_helps_out_where_lanczos_fails(monkeypatch):
    monkeypatch.setattr(convexity, "MAX_LAPACK_ROWS", 0)
    monkeypatch.setattr(convexity, "smallest_eigenpair", lambda matrix, *_: (-0.1, np.zeros(20)))
    assert smallest_eigenvalue(with_least(-0.7, 20, 0)) == pytest.approx(-0.7, abs=1e-13)


N = 300


def matrix_of(eigenvalues, seed=0):
    """A symmetric matrix of these eigenvalues, in directions at random."""
    random = np.random.default_rng(seed)
    directions, _ = np.linalg.qr(random.standard_normal((len(eigenvalues), len(eigenvalues))))
    made = (directions * eigenvalues) @ directions.T
    return (made + made.T) / 2


def spectrum(smallest):
    """Some large eigenvalues, the others between 1 and 2 but for one."""
    random = np.random.default_rng(1)
    return np.concatenate([[smallest], random.uniform(1, 2, N - 21), random.uniform(20, 60, 20)])


@pytest.mark.parametrize("smallest", [1.0, 0.5, 0.1])
def test_a_convex_matrix_is_shown_to_be(smallest):
    assert shows_no_negative_eigenvalue(matrix_of(spectrum(smallest)))


@pytest.mark.each_value
@pytest.mark.parametrize("smallest", [-1e-9, -1e-6, -1e-3, -0.5, -30.0, -100.0])
@pytest.mark.parametrize("seed", range(5))
def test_one_negative_eigenvalue_is_not_overlooked(smallest, seed):
    assert not shows_no_negative_eigenvalue(matrix_of(spectrum(smallest), seed))


def test_what_is_added_to_the_diagonal():
    matrix = matrix_of(spectrum(-0.5))
    assert shows_no_negative_eigenvalue(matrix, 1.0)
    assert not shows_no_negative_eigenvalue(matrix, 0.4999)


def test_nothing_is_shown_of_a_negative_matrix():
    assert not shows_no_negative_eigenvalue(-matrix_of(spectrum(1.0)))


def test_convexity_is_the_same_with_and_without_probes(monkeypatch):
    answers = []
    for least_rows in (10, 10**9):
        monkeypatch.setattr(convexity, "MIN_PROBED_ROWS", least_rows)
        answers.append([convexity.is_convex(matrix_of(spectrum(s))) for s in (1.0, 0.01, 1e-4, 0.0, -1e-6, -1.0)])
    assert answers[0] == answers[1] == [True, True, True, True, False, False]
