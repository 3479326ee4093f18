"""The area under the ROC curve of a comparison is scikit-learn's, with the scores of scikit-learn's classifiers."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC

import bitsieve
from bitsieve.cli import main
from bitsieve.evaluate.linear import discriminant_probabilities
from bitsieve.evaluate.mixtures import MixtureClassifier

SPLIT = [(np.arange(0, 200, 2), np.arange(1, 200, 2))]
PAIRS = [
    ("lda", LinearDiscriminantAnalysis()),
    ("linear-svm", SVC(kernel="linear")),
    ("knn", KNeighborsClassifier(3)),
    ("ncm", NearestCentroid()),
    ("bgm", MixtureClassifier()),
    (LogisticRegression(), LogisticRegression()),
    (Perceptron(), Perceptron(random_state=0)),
]


def problem(n_classes):
    random = np.random.default_rng(n_classes)
    y = random.integers(0, n_classes, 200)
    X = random.normal(size=(200, 4)) + 0.6 * y[:, None]
    half = X[::2]
    return X, y, (X - half.mean(axis=0)) / half.std(axis=0)


def compared(X, y, classifier, **asked):
    asked = {"methods": ["mim"], "features": [4], "folds": SPLIT, "binning": "quantile", **asked}
    return bitsieve.compare(X, y, classifier=classifier, scoring="roc_auc", **asked)


@pytest.mark.parametrize(("name", "classifier"), PAIRS, ids=lambda value: str(value))
def test_two_classes(name, classifier):
    X, y, scaled = problem(2)
    found = compared(X, y, name)
    # In the order of choice: libsvm and the perceptron stop a little elsewhere in another one.
    scaled = scaled[:, found.selected[0][0]]
    fitted = classifier.fit(scaled[::2], y[::2])
    scores = (
        fitted.decision_function(scaled[1::2])
        if hasattr(fitted, "decision_function")
        else fitted.predict_proba(scaled[1::2])[:, 1]
    )
    expected = roc_auc_score(y[1::2], scores)
    assert found.rates[0, 0] == pytest.approx(1 - expected, abs=1e-12)  # a sum and a mean of two
    assert found.baselines["majority class"][0, 0] == len(y) / 4  # every sample has the same score: an AUC of a half
    assert found.parameters["scoring"] == "roc_auc"


@pytest.mark.parametrize(("name", "classifier"), [pair for pair in PAIRS if hasattr(pair[1], "predict_proba")])
def test_more_classes(name, classifier):
    X, y, scaled = problem(3)
    found = compared(X, y, name)
    scaled = scaled[:, found.selected[0][0]]
    shares = classifier.fit(scaled[::2], y[::2]).predict_proba(scaled[1::2])
    expected = roc_auc_score(y[1::2], shares, multi_class="ovr", average="macro")
    # The own linear discriminant has a millionth of the variance on its diagonal, which may exchange two near samples.
    assert found.rates[0, 0] == pytest.approx(1 - expected, abs=1e-3 if name == "lda" else 1e-12)


def test_what_has_no_scores_is_refused(tmp_path, capsys):
    X, y, _ = problem(2)
    with pytest.raises(ValueError, match="classifier vbem has neither decision_function nor predict_proba"):
        compared(X, y, "vbem")
    with pytest.raises(ValueError, match="fold 1 tests on one class only, which has no AUC: give fewer folds"):
        compared(X, y, "lda", folds="loo")
    frame, kind = load_wine(return_X_y=True, as_frame=True)
    path = tmp_path / "wine.csv"
    frame.assign(kind=kind).to_csv(path, index=False)
    command = ["compare", str(path), "--target", "kind", "--methods", "mim", "--features", "2", "--scoring", "roc_auc"]
    assert main([*command, "--classifier", "vbem"]) == 2
    error = capsys.readouterr().err
    assert "--classifier lda, or another --scoring" in error
    assert len(error.splitlines()) == 1
    assert main([*command, "--folds", "3"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"\(majority class\) +50\.0 ", out)
    assert "error: 1 - roc_auc\n" in out


@pytest.mark.parametrize("classes", [(0, 1), (0, 2), (1, 3), (0, 1, 4)])
def test_probabilities_have_a_column_for_each_code_up_to_the_last(classes):
    random = np.random.default_rng(0)
    labels = np.array(classes)[np.arange(60) % len(classes)]
    train = random.normal(size=(60, 2)) + labels[:, None]
    (found,) = discriminant_probabilities(train, labels, train[:7], np.array([2]))
    assert found.shape == (7, classes[-1] + 1)
    assert found[:, classes].sum(axis=1) == pytest.approx(np.ones(7), abs=1e-12)
    assert np.delete(found, classes, axis=1).sum() == 0
