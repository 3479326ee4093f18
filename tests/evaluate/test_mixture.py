"""The mixture found without labels: named by majorities, the same for any unit, and one of compare's classifiers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.mixture import BayesianGaussianMixture
from sklearn.utils.estimator_checks import parametrize_with_checks

from bitsieve.evaluate.mixtures import VariationalMixtureClassifier, _class_mixture
from bitsieve.evaluate.models import MODELS, make_model


@pytest.mark.slow("scikit-learn's checks of a classifier that compare alone makes")
@parametrize_with_checks([VariationalMixtureClassifier()])
def test_scikit_learn(estimator, check):
    check(estimator)


def test_components_are_named_after_majorities():
    X, y = load_iris(return_X_y=True)
    fitted = VariationalMixtureClassifier(6).fit(X, y)
    taken = fitted.mixture_.predict((X - fitted.means_) / fitted.scales_)
    for component in np.unique(taken):
        counts = np.bincount(y[taken == component], minlength=3)
        assert counts[fitted.class_of_component_[component]] == counts.max()


def test_labels_decide_names_only():
    """With the labels of two classes exchanged the same samples stand together, under exchanged names."""
    X, y = load_iris(return_X_y=True)
    plain, exchanged = (VariationalMixtureClassifier(3).fit(X, labels).predict(X) for labels in (y, 2 - y))
    assert (2 - exchanged).tolist() == plain.tolist()


def test_any_unit():
    X, y = load_iris(return_X_y=True)
    plain, other = VariationalMixtureClassifier(3).fit(X, y).predict(X), X * [1, 8, 64, 0.5]
    assert VariationalMixtureClassifier(3).fit(other, y).predict(other).tolist() == plain.tolist()


def test_four_corners_need_four_components():
    """Exclusive or: two components cannot, four can."""
    random = np.random.default_rng(0)
    corners = random.integers(0, 2, (400, 2))
    X, y = corners + 0.05 * random.standard_normal((400, 2)), corners.sum(axis=1) % 2
    assert VariationalMixtureClassifier(4).fit(X, y).score(X, y) == 1
    assert VariationalMixtureClassifier(2).fit(X, y).score(X, y) < 0.8


def test_names():
    assert make_model("vbem")[1] is MODELS["gmm"]
    with pytest.raises(ValueError, match="n_components=0 is not allowed"):
        VariationalMixtureClassifier(0).fit([[0.0], [1.0]], [0, 1])


def test_a_class_of_one_sample_has_the_mixture_of_that_sample_twice():
    sample = np.array([[0.5, -2.0]])
    found = _class_mixture(sample)
    expected = BayesianGaussianMixture(n_components=1, random_state=0).fit(np.vstack([sample, sample]))
    for name in ("means_", "covariances_", "degrees_of_freedom_", "mean_precision_"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
