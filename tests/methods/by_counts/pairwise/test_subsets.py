"""Bounds hold for every subset, by trying every subset."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bitsieve.methods.by_counts.pairwise.subsets import (
    certify,
    marginal_bound,
    row_bound,
    subset_objective,
)

ROUNDING = 1e-12  # of a hundred entries of a few bits


def test_certificates():
    assert certify(3.0, [5.0, 4.0]) == (3.0, 4.0, 0.25)
    assert certify(3.0, [3.0 - 1e-9]) == (3.0, 3.0, 0.0)  # rounding must not make a bound that does not bound
    assert certify(3e6, [3e6 - 0.1]) == (3e6, 3e6, 0.0)  # which is relative to the objective
    assert certify(-1e-17, [-1e-16]) == (-1e-17, -1e-17, 0.0)
    assert certify(0.0, [0.0]) == (0.0, 0.0, 0.0)
    assert certify(0.25, [0.5]) == (0.25, 0.5, 0.5)
    for impossible in (2.99, -1.0, 3.0 - 1e-6):  # rounding explains 1e-7 of the objective
        with pytest.raises(ArithmeticError, match=r"is below that of one, 3\.0"):
            certify(3.0, [4.0, impossible])


def best_of_all(matrix, k):
    return max(subset_objective(matrix[np.ix_(s, s)]) for s in combinations(range(len(matrix)), k))


@pytest.mark.parametrize("k", range(1, 9))
@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_for_every_subset(information_of, make_table, seed, k):
    codes, classes = make_table(120, 8, n_codes=4, n_classes=3, seed=seed)
    information = information_of(codes, classes)
    q = information.matrix("mean_relevance")
    best = best_of_all(q, k)
    assert best <= k * np.linalg.eigvalsh(q)[-1] + ROUNDING
    assert best <= row_bound(q, k) + ROUNDING
    assert best <= marginal_bound(information.relevance, information.class_entropy, k) + ROUNDING


@pytest.mark.parametrize("seed", range(10))
def test_bounds_hold_for_any_matrix(seed):
    random = np.random.default_rng(seed)
    matrix = random.standard_normal((7, 7))
    matrix += matrix.T
    for k in range(1, 8):
        best = best_of_all(matrix, k)
        assert best <= row_bound(matrix, k) + ROUNDING
        assert best <= k * np.linalg.eigvalsh(matrix)[-1] + ROUNDING


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(5))
def test_row_bound_by_its_definition(seed, dtype):
    random = np.random.default_rng(seed)
    matrix = random.random((25, 25)) ** 3
    matrix = (matrix + matrix.T).astype(dtype)
    for k in (1, 2, 5, 24, 25):
        shares = [
            matrix[i, i] + np.sort(np.delete(matrix[i], i).astype(float))[-(k - 1) or 25 :].sum() for i in range(25)
        ]
        assert row_bound(matrix, k) == pytest.approx(np.sort(shares)[-k:].sum(), abs=ROUNDING)


def test_one_feature_and_all_features_are_bounded_exactly():
    matrix = np.random.default_rng(0).random((12, 12))
    matrix += matrix.T
    assert row_bound(matrix, 1) == np.diagonal(matrix).max()
    assert row_bound(matrix, 12) == pytest.approx(matrix.sum(), abs=ROUNDING)
    assert marginal_bound(np.array([0.2, 0.7, 0.1]), 1.0, 1) == 0.7
    assert row_bound(np.array([[0.3]]), 1) == 0.3


def test_neither_bound_is_always_the_better():
    k, n = 4, 60
    even = np.ones((n, n))
    assert row_bound(even, k) == k * k < k * n
    stars = np.kron(np.eye(k), np.pad(np.ones((1, k - 1)), ((0, k - 1), (1, 0))))  # k hubs, each with k - 1 leaves
    stars += stars.T
    value = np.linalg.eigvalsh(stars)[-1]
    assert value == pytest.approx((k - 1) ** 0.5)  # of a star: the root of its leaves, to the rounding of LAPACK
    assert k * value < row_bound(stars, k) == k * (k - 1)


def test_marginal_bound_is_reached(information_of):
    """Columns that tell nothing alone and any two of which determine the class: Q_ij = H(C)."""
    a, b = np.arange(4) & 1, np.arange(4) >> 1
    information = information_of(np.column_stack([a, b]), a ^ b)
    q = information.matrix("mean_relevance")
    assert marginal_bound(information.relevance, information.class_entropy, 2) == subset_objective(q) == 2
