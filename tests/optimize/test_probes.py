"""Random probes never call a matrix convex that is not, and mostly do where it clearly is."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.optimize import convexity
from bitsieve.optimize.convexity import shows_no_negative_eigenvalue

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
        monkeypatch.setattr(convexity, "LARGE", least_rows)
        answers.append([convexity.is_convex(matrix_of(spectrum(s))) for s in (1.0, 0.01, 1e-4, 0.0, -1e-6, -1.0)])
    assert answers[0] == answers[1] == [True, True, True, True, False, False]
