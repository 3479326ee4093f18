"""The protocol against a naive double loop, the leak of the papers' protocol, and what is shared between methods."""

from __future__ import annotations

from itertools import cycle, product

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.mixture import BayesianGaussianMixture
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC
from tests.cover import quick_and_slow

import bitsieve
from bitsieve import MDLBinner, make_selector
from bitsieve.dataset.target import read_target
from bitsieve.evaluate import run
from bitsieve.evaluate.folds import make_folds
from bitsieve.selectors.by_method import MethodSelector

CLASSIFIERS = {
    "linear-svm": SVC(kernel="linear", C=1),
    "lda": LinearDiscriminantAnalysis("lsqr"),
    "knn": KNeighborsClassifier(3),
    "ncm": NearestCentroid(),
}


def table(seed, *, whole_numbers, n_samples=60, n_features=12):
    """Three classes of which some columns tell; whole numbers are -8 to 8, and both occur more than once."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n_samples) % 3)
    X = random.normal(size=(n_samples, n_features)) + y[:, None] * (np.arange(n_features) % 3 == 0)
    if whole_numbers:
        X = np.clip(np.round(3 * X), -8, 8)
        X[:3], X[3:6] = -8, 8
    return X, y


def naive_errors(X, y, method, counts, folds, classifier, *, once):
    """Rank anew and fit anew for every fold and every number of features."""
    errors = np.zeros((len(folds), len(counts)), int)
    everything = np.arange(len(y))
    for i, fold in enumerate(folds):
        rows = everything if once else fold.train
        scaled = X / np.abs(X[rows]).max(axis=0) if once else (X - X[rows].mean(axis=0)) / X[rows].std(axis=0)
        for j, k in enumerate(counts):
            binning = MDLBinner(uncut="median") if once else "mdl"
            chosen = make_selector(method, int(k), binning=binning).fit(X[rows], y[rows]).selected_
            fitted = classifier.fit(scaled[fold.train][:, chosen], y[fold.train])
            errors[i, j] = (fitted.predict(scaled[fold.test][:, chosen]) != y[fold.test]).sum()
    return errors


@pytest.mark.parametrize(
    ("classifier", "protocol"),
    quick_and_slow(
        product(CLASSIFIERS, ["nested", "paper"]),
        quick=[*zip(CLASSIFIERS, cycle(["nested", "paper"]), strict=False)],
        reason="the same classifier by the other protocol",
    ),
)
def test_equal_to_a_naive_double_loop(classifier, protocol):
    # Whole numbers over 8 make the inner products of support vectors exact; neighbours need distances that differ.
    X, y = table(0, whole_numbers=classifier == "linear-svm")
    counts = [1, 4, 12]
    methods = ["jmi", "speccmi"]  # a greedy and a global one
    comparison = bitsieve.compare(
        X, y, methods=methods, features=counts, classifier=classifier, folds=4, protocol=protocol
    )
    folds, _ = make_folds(read_target(y), 4)
    for method, errors in zip(methods, comparison.errors, strict=True):
        wanted = naive_errors(X, y, method, counts, folds, CLASSIFIERS[classifier], once=protocol == "paper")
        np.testing.assert_array_equal(errors, wanted, method)
    assert comparison.counts.tolist() == counts
    assert comparison.n_test.tolist() == [15] * 4


def test_mixtures_equal_to_a_naive_loop():
    X, y = table(1, whole_numbers=False, n_samples=24, n_features=4)
    comparison = bitsieve.compare(X, y, methods=["mim"], features=[3], classifier="bgm", folds=3)
    wrong = 0
    for fold in make_folds(read_target(y), 3)[0]:
        train = fold.train
        scaled = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
        chosen = make_selector("mim", 3).fit(X[train], y[train]).selected_
        scores = [
            BayesianGaussianMixture(n_components=2, random_state=0)
            .fit(scaled[train][y[train] == c][:, chosen])
            .score_samples(scaled[fold.test][:, chosen])
            + np.log((y[train] == c).mean())
            for c in range(3)
        ]
        wrong += int((np.argmax(scores, axis=0) != y[fold.test]).sum())
    assert comparison.errors.sum() == wrong


@pytest.mark.slow("a thousand columns of noise over twenty folds")
def test_no_leak_within_folds_and_the_known_leak_of_the_papers():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 1000)), np.arange(60) % 2
    binning = MDLBinner(uncut="median")
    errors = {
        protocol: bitsieve.compare(
            X, y, methods=["mim"], features=[20], classifier="ncm", folds=10, protocol=protocol, binning=binning
        ).rates.item()
        for protocol in ("nested", "paper")
    }
    # Labels are noise: 60 fair coins are wrong in 0.5 +- 0.065, four standard deviations are 0.26.
    assert 0.24 < errors["nested"] < 0.76
    assert errors["paper"] < 0.2


def test_shuffled_labels_give_chance():
    X, y = table(2, whole_numbers=False, n_samples=120)
    real = bitsieve.compare(X, y, methods=["jmi"], features=[4], classifier="knn", folds=5)
    shuffled = np.random.default_rng(5).permutation(y)
    chance = bitsieve.compare(X, shuffled, methods=["jmi"], features=[4], classifier="knn", folds=5)
    assert real.rates.item() < 0.4
    # three classes: 2/3 wrong, standard deviation sqrt(2/9/120) = 0.043
    assert abs(chance.rates.item() - 2 / 3) < 4 * 0.043


def test_counted_once_a_fold(monkeypatch):
    calls = []
    count = run.discretize
    monkeypatch.setattr(run, "discretize", lambda *given: calls.append(1) or count(*given))
    X, y = table(3, whole_numbers=False)
    bitsieve.compare(X, y, methods=["mim", "jmi", "speccmi"], features=[2], classifier="ncm", folds=4)
    assert len(calls) == 4
    own = {"same": "jmi", "other": make_selector("jmi", binning="quantile")}
    bitsieve.compare(X, y, methods=own, features=[2], classifier="ncm", folds=4)
    assert len(calls) == 4 + 2 * 4  # a selector with a binning of its own has a count of its own


class FirstColumns(MethodSelector):
    """The first columns; it stops after `most` of them."""

    def __init__(self, n_features_to_select=10, *, most=99):
        self.n_features_to_select = n_features_to_select
        self.most = most

    def fit_table(self, table):
        self.selected_ = np.arange(min(self.n_features_to_select, self.most))
        return self


def test_selectors_on_rows_and_selectors_that_stop_early():
    X, y = table(4, whole_numbers=False)
    methods = {"all": FirstColumns(), "three": FirstColumns(most=3), "mim": "mim"}
    comparison = bitsieve.compare(X, y, methods=methods, features=range(1, 6), classifier="ncm", folds=4)
    assert comparison.methods == ["all", "three", "mim"]
    whole, short, _ = comparison.errors
    np.testing.assert_array_equal(short[:, :3], whole[:, :3])
    np.testing.assert_array_equal(short[:, 2:], np.repeat(whole[:, 2:3], 3, axis=1))
    assert [len(selected) for selected in comparison.selected[1]] == [3] * 4


class RandomColumns(FirstColumns):
    """Columns drawn at random."""

    def __init__(self, n_features_to_select=10, *, random_state=None):
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def fit_table(self, table):
        random = np.random.default_rng(self.random_state)
        self.selected_ = random.permutation(table.n_features)[: self.n_features_to_select]
        return self


def test_what_draws_at_random_can_be_repeated():
    X, y = table(6, whole_numbers=False)
    asked = {
        "methods": {"random": RandomColumns()},
        "features": [1, 5],
        "classifier": RandomForestClassifier(5),
        "folds": 3,
    }
    one, same, other = (bitsieve.compare(X, y, **asked, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.errors, same.errors)
    assert one.selected[0][0].tolist() == same.selected[0][0].tolist()
    assert one.selected[0][0].tolist() != other.selected[0][0].tolist()
    assert one.parameters["classifier"] == "RandomForestClassifier(n_estimators=5, random_state=1)"


def test_a_method_that_selects_nothing():
    X, y = table(4, whole_numbers=False)
    with pytest.raises(ValueError, match="method 'none' selects no feature of this table"):
        bitsieve.compare(X, y, methods={"none": FirstColumns(most=0)}, features=[2], classifier="ncm", folds=4)


@pytest.mark.parametrize(
    "protocol", quick_and_slow(["nested", "paper"], quick={"nested"}, reason="the same folds by the other protocol")
)
def test_the_same_for_any_number_of_threads(protocol):
    X, y = table(5, whole_numbers=False)
    results = [
        bitsieve.compare(X, y, features=[1, 5, 12], folds=3, protocol=protocol, n_jobs=n_jobs) for n_jobs in (1, 2, 3)
    ]
    for other in results[1:]:
        for name in ("errors", "redundancy", "separability"):
            np.testing.assert_array_equal(getattr(results[0], name), getattr(other, name), name)
        for a, b in zip(results[0].selected, other.selected, strict=True):
            assert [x.tolist() for x in a] == [x.tolist() for x in b]


@pytest.mark.parametrize("random_state", [-1, 2**32, 1.5])
def test_a_random_state_that_numpy_does_not_take_is_refused(random_state):
    with pytest.raises(bitsieve.UserError, match="random_state"):
        bitsieve.compare(np.eye(4), [0, 1, 0, 1], methods=["mim"], folds=2, random_state=random_state)


def test_classes_are_counted_where_there_are_some():
    X = np.random.default_rng(0).normal(size=(60, 3))
    how = {"methods": ["mim"], "features": [1], "folds": 3}
    of_classes = bitsieve.compare(X, np.arange(60) % 3, classifier="ncm", **how)
    of_numbers = bitsieve.compare(X, X[:, 0] + 0.1, **how)
    assert (of_classes.parameters["n_classes"], of_numbers.parameters["n_classes"]) == (3, None)
