"""scikit-learn's own checks of the selector that chooses method and number of features."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from bitsieve import CategoricalBinner, EqualFrequencyBinner, ForwardSelector, SelectorCV

SELECTORS = [
    SelectorCV(methods="mim", classifier="ncm", folds="loo"),
    SelectorCV(methods=["mim", "speccmi"], features=[1, 2], classifier="knn", folds="loo", n_jobs=2),
    SelectorCV(
        methods={"own": ForwardSelector(criterion="jmi", binning=EqualFrequencyBinner(n_bins=3, missing="bin"))},
        folds="loo",
        binning=CategoricalBinner(missing="bin"),
    ),
]


@parametrize_with_checks(SELECTORS)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_tags(selector):
    tags = selector.__sklearn_tags__()
    assert tags.target_tags.required
    assert tags.input_tags.allow_nan == (getattr(selector.binning, "missing", "error") == "bin")
