"""Madelon-like data: no axis tells the class alone, all of them do, and the rest is combinations and noise."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from papers.data.madelon_like import FLIPPED_SHARE, make_madelon_like


def test_the_axes_tell_the_class_together():
    X, y, relevant = make_madelon_like(2000, n_probes=50, random_state=0)
    axes = X[:, relevant[:5]]
    neighbours = KNeighborsClassifier(3).fit(axes[:1000], y[:1000])
    assert neighbours.score(axes[1000:], y[1000:]) > 0.9
    probes = np.setdiff1d(np.arange(X.shape[1]), relevant)
    neighbours.fit(X[:1000, probes], y[:1000])
    assert abs(neighbours.score(X[1000:, probes], y[1000:]) - 0.5) < 0.08  # five deviations of a fair coin: 0.08


def test_redundant_columns_are_combinations():
    X, _, relevant = make_madelon_like(300, n_redundant=7, n_probes=3, random_state=1)
    axes, redundant = X[:, relevant[:5]], X[:, relevant[5:]]
    assert redundant.shape == (300, 7)
    fitted = axes @ np.linalg.lstsq(axes, redundant, rcond=None)[0]
    np.testing.assert_allclose(fitted, redundant, atol=1e-10)  # rounding of sums of five terms


def test_classes():
    _, y, _ = make_madelon_like(3200, n_probes=0, random_state=2)
    assert set(y.tolist()) == {-1, 1}
    assert abs(y.mean()) < 2 * FLIPPED_SHARE  # clusters of equal size; only turned labels unbalance them


def test_a_cube_of_too_many_axes():
    with pytest.raises(ValueError, match="give at most 20"):
        make_madelon_like(10, n_informative=21)
    with pytest.raises(ValueError, match="n_probes=-1 is not allowed"):
        make_madelon_like(10, n_probes=-1)
