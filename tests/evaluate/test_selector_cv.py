"""The selector that chooses method and number of features itself."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import bitsieve
from bitsieve import CategoricalBinner, EqualFrequencyBinner, ForwardSelector, SelectorCV, make_selector
from bitsieve.dataset import read as read_xy

WINE = load_wine(return_X_y=True, as_frame=True)


def test_it_is_the_choice_of_the_comparison():
    selector = SelectorCV(methods=["mim", "mrmr", "jmi"], classifier="knn", folds=5).fit(*WINE)
    comparison = bitsieve.compare(
        *WINE, methods=["mim", "mrmr", "jmi"], features=range(1, 14), classifier="knn", folds=5
    )
    np.testing.assert_array_equal(selector.comparison_.errors, comparison.errors)
    choice = comparison.choice()
    assert (selector.method_, selector.n_features_to_select_) == (choice.method, choice.n_features)
    alone = make_selector(choice.method, choice.n_features).fit(*WINE)
    for name in ("selected_", "scores_", "ranking_", "support_"):
        np.testing.assert_array_equal(getattr(selector, name), getattr(alone, name))
    assert selector.get_feature_names_out().tolist() == alone.get_feature_names_out().tolist()
    assert selector.transform(WINE[0]).equals(alone.transform(WINE[0]))


def test_the_chosen_selector_knows_classes_and_names():
    X, y = WINE
    words, asked = np.array(["a", "b", "c"])[y], {"methods": ["mim", "relieff"], "classifier": "ncm", "folds": 4}
    for methods in (["mim"], ["relieff"]):  # on counts, on rows
        selector = SelectorCV(**{**asked, "methods": methods}).fit(X, words)
        for fitted in (selector, selector.selector_):
            assert fitted.classes_.tolist() == ["a", "b", "c"]
            assert fitted.feature_names_in_.tolist() == X.columns.tolist()
            assert fitted.n_features_in_ == 13
        assert selector.selector_.target_edges_ is None
    continuous = X["proline"] + 0.5
    binned = SelectorCV(**{**asked, "classifier": None}).fit(X.drop(columns="proline"), continuous)
    assert binned.selector_.classes_.tolist() == binned.classes_.tolist()
    assert len(binned.selector_.target_edges_) == 2


def test_the_table_is_read_once(monkeypatch):
    calls = []
    read = read_xy.read_columns
    monkeypatch.setattr(read_xy, "read_columns", lambda *given, **named: calls.append(1) or read(*given, **named))
    SelectorCV(methods=["mim", "relieff", "jmi"], features=[2, 4], classifier="ncm", folds=3).fit(*WINE)
    assert len(calls) == 1


@pytest.mark.slow("a nested cross-validation")
def test_nested_cross_validation():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(SelectorCV(methods=["mim", "jmi"], features=[2, 5, 10], classifier="ncm", folds=4), SVC())
    assert cross_val_score(model, X, y, cv=3).mean() > 0.85


def test_tables_of_words_and_a_continuous_target(table):
    X, y = table.drop_columns(["diagnosis"]), table["diagnosis"]
    asked = {"methods": "jmi", "features": range(1, 6), "classifier": "ncm", "folds": 4}
    one = SelectorCV(**asked).fit(X, y)
    other = SelectorCV(**asked).fit(X.to_pandas(), y.to_pandas())
    assert one.selected_.tolist() == other.selected_.tolist()
    assert one.classes_.tolist() == ["benign", "malignant"]
    binned = SelectorCV(**{**asked, "classifier": "knn"}).fit(X.drop_columns(["mean_area"]), X["mean_area"])
    assert len(binned.classes_) == 4  # of 569 samples


def test_mixed_lists():
    X = [[j % 4 + 0.5, "ab"[j % 2], j % 3] for j in range(24)]
    y = [j % 2 for j in range(24)]
    selector = SelectorCV(methods="mim", classifier="ncm", folds=3).fit(X, y)
    assert (selector.selected_.tolist(), selector.n_features_to_select_) == ([1], 1)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"methods": "jim"}, "did you mean jmim"),
        ({"classifier": "centroid"}, "choose one of linear-svm"),
        ({"features": [99]}, "features begin at 99"),
        ({"folds": 59}, "fewer than the 59 folds"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"classifier": Ridge()}, "its kind is 'regressor'"),
    ],
)
def test_mistakes(parameters, message):
    with pytest.raises(ValueError, match=message):
        SelectorCV(**parameters).fit(*WINE)


SELECTORS = [
    SelectorCV(methods="mim", classifier="ncm", folds="loo"),
    SelectorCV(methods=["mim", "speccmi"], features=[1, 2], classifier="knn", folds="loo", n_jobs=2),
    SelectorCV(
        methods={"own": ForwardSelector(criterion="jmi", binning=EqualFrequencyBinner(n_bins=3, missing="bin"))},
        folds="loo",
        binning=CategoricalBinner(missing="bin"),
    ),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_tags(selector):
    tags = selector.__sklearn_tags__()
    assert tags.target_tags.required
    assert tags.input_tags.allow_nan == (isinstance(selector.binning, str) or selector.binning.missing == "bin")


def test_within_strata():
    random = np.random.default_rng(0)
    strata = random.integers(0, 3, 240)
    codes = random.integers(0, 3, (240, 5))
    codes[:, 0] = strata
    y = (codes[:, 1] + strata + random.integers(0, 2, 240) > 2).astype(int)
    selector = SelectorCV(methods=["mim"], features=[1, 2], classifier="ncm", folds=4).fit(codes, y, strata=strata)
    within = ForwardSelector(selector.n_features_to_select_, criterion="mim").fit(codes, y, strata=strata)
    assert selector.selected_.tolist() == within.selected_.tolist()
    assert selector.selected_[0] == 1
    with pytest.raises(ValueError, match="ReliefF") as raised:
        SelectorCV(methods=["relieff"], features=[1, 2], classifier="ncm", folds=4).fit(codes, y, strata=strata)
    assert raised.value.code == "strata-not-supported"
