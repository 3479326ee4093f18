"""Redundancy and separability: by hand and by brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.linalg import eigvalsh

from bitsieve.metrics.subsets import redundancy_rates, separability


def measurements(seed, n_samples=60, n_features=8):
    random = np.random.default_rng(seed)
    classes = random.integers(0, 3, n_samples)
    values = random.normal(size=(n_samples, n_features)) @ random.normal(size=(n_features, n_features))
    return values + classes[:, None] * random.normal(size=n_features), classes


@pytest.mark.parametrize("seed", range(3))
def test_redundancy_is_the_mean_correlation(seed):
    values, _ = measurements(seed)
    counts = np.arange(1, 9)
    rates = redundancy_rates(values, counts)
    assert np.isnan(rates[0])
    for k in counts[1:]:
        pairs = [abs(np.corrcoef(values[:, i], values[:, j])[0, 1]) for i, j in combinations(range(k), 2)]
        assert rates[k - 1] == pytest.approx(np.mean(pairs), abs=1e-12)  # rounding of sums of at most 28 numbers
    assert redundancy_rates(values) == pytest.approx(rates[-1:], abs=1e-12)


def test_redundancy_of_copies_and_of_constants():
    x = np.arange(10.0)
    assert redundancy_rates(np.stack([x, -3 * x + 1], axis=1))[0] == pytest.approx(1, abs=1e-12)
    constant = np.stack([x, np.full(10, 0.1), np.full(10, 1e9 + 0.1)], axis=1)
    assert redundancy_rates(constant)[0] == 0


@pytest.mark.parametrize("seed", range(3))
def test_separability_is_the_product_over_eigenvalues(seed):
    values, classes = measurements(seed)
    means = np.stack([values[classes == c].mean(axis=0) for c in range(3)])[classes]
    within = (values - means).T @ (values - means)
    between = (means - values.mean(axis=0)).T @ (means - values.mean(axis=0))
    counts = np.arange(1, 9)
    got = separability(values, classes, counts)
    for k in counts:
        eigenvalues = eigvalsh(between[:k, :k], within[:k, :k])
        assert got[k - 1] == pytest.approx(np.prod(1 + eigenvalues), rel=1e-8)  # condition numbers here are below 1e6
    assert (np.diff(got) > 0).all()


def test_no_columns_at_all():
    nothing = np.empty((5, 0))
    assert separability(nothing, [0, 0, 1, 1, 1], [0, 0]).tolist() == [1, 1]
    assert np.isnan(redundancy_rates(nothing, [0, 0])).all()


def test_separability_has_no_unit():
    values, classes = measurements(0)
    scaled = values * 10.0 ** np.arange(-4, 4) + 5
    # Centring of columns that lie far from 0 for their spread costs some digits.
    assert separability(scaled, classes) == pytest.approx(separability(values, classes), rel=1e-6)


def test_separability_of_one_column_by_hand():
    # within: (1 + 1) + (1 + 1) = 4; between: 4 * 5**2 = 100
    assert separability([[0], [2], [10], [12]], [0, 0, 1, 1]) == pytest.approx([26], rel=1e-12)


def test_separability_where_the_scatter_is_singular():
    values, classes = measurements(1)
    values[:, 4] = values[:, 0] - 2 * values[:, 2]
    assert np.isnan(separability(values, classes, np.arange(1, 9))).tolist() == [False] * 4 + [True] * 4
    few = separability(values[:7], classes[:7], np.arange(1, 9))
    n_classes = len(np.unique(classes[:7]))
    assert np.isnan(few).tolist() == [k > 7 - n_classes for k in range(1, 9)]
