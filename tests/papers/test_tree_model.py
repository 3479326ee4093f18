"""The tree model: seeded, its moments, and the information of its features by quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from papers.gao2016 import PARENTS, SLOPES, make_tree_model, tree_model_information

# Nats, to four or five digits.
KNOWN = [0.11142, 0.05267, 0.02410, 0.05888, 0.05888, 0.02703, 0.02703, 0.01220, 0.01220]


def test_seeded():
    X, y = make_tree_model(50, random_state=3)
    again, labels = make_tree_model(50, random_state=np.random.default_rng(3))
    assert X.tobytes() == again.tobytes()
    assert y.tolist() == labels.tolist()
    assert make_tree_model(50, random_state=4)[0].tobytes() != X.tobytes()


def test_moments():
    X, y = make_tree_model(200_000, random_state=0)
    # Means and covariances of 100,000 normal numbers err by some 0.006; five times that.
    assert np.abs(X[y == 0].mean(axis=0)).max() <= 0.03
    slopes = [*SLOPES, *(SLOPES[parent] for parent in PARENTS)]
    assert np.abs(X[y == 1].mean(axis=0) - slopes).max() <= 0.03
    expected = np.eye(9)
    for child, parent in enumerate(PARENTS, 3):
        expected[child, child] = 2
        expected[child, parent] = expected[parent, child] = 1
        for other, shared in enumerate(PARENTS, 3):
            if other != child and shared == parent:
                expected[child, other] = 1
    assert np.abs(np.cov(X[y == 1].T) - expected).max() <= 0.05


def test_information():
    found = tree_model_information()
    assert np.abs(found * np.log(2) - KNOWN).max() <= 6e-6  # they are given to 5 digits

    def term(x):
        own, other = norm.pdf(x), norm.pdf(x, SLOPES[1])
        return own * np.log2(2 * own / (own + other))

    assert abs(found[1] - quad(term, -12, 13, epsabs=1e-12)[0]) <= 1e-9  # the integrator's tails


def test_no_samples():
    with pytest.raises(ValueError, match=r"^n_samples=0 is not allowed: give a whole number from 1$"):
        make_tree_model(0)
