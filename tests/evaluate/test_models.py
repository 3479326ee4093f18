"""Growing classifiers predict what scikit-learn's predict that are fitted anew for every number of columns."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.mixture import BayesianGaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import bitsieve
from bitsieve.evaluate import distances
from bitsieve.evaluate.models import default_model, make_model
from bitsieve.utils.progress import listening

STOPS = np.array([1, 2, 5, 6, 12])


def problem(seed, *, whole_numbers=False, n_classes=3):
    """Training columns, labels with gaps between the codes, test columns."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, n_classes, 120) * 2
    values = random.normal(size=(120, 12)) + 0.4 * labels[:, None]
    if whole_numbers:
        values = np.round(2 * values)
    return values[:80], labels[:80], values[80:]


def refitted(classifier, train, labels, test):
    return [classifier.fit(train[:, :stop], labels).predict(test[:, :stop]) for stop in STOPS]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("name", "classifier"), [("knn", KNeighborsClassifier(3)), ("ncm", NearestCentroid())], ids=["knn", "ncm"]
)
def test_equal_to_a_new_fit(name, classifier, seed):
    train, labels, test = problem(seed)
    grown = list(make_model(name)[1].predict(train, labels, test, STOPS))
    np.testing.assert_array_equal(grown, refitted(classifier, train, labels, test))


@pytest.mark.parametrize("seed", range(3))
def test_support_vectors_equal_to_a_new_fit(seed):
    train, labels, test = problem(seed)
    grown = list(make_model("linear-svm")[1].predict(train, labels, test, STOPS))
    np.testing.assert_array_equal(grown, refitted(SVC(kernel="linear", C=1), train, labels, test))


@pytest.mark.parametrize("name", ["knn", "ncm"])
def test_distances_in_blocks(name, monkeypatch):
    train, labels, test = problem(6, whole_numbers=True)
    grow = make_model(name)[1].predict
    whole = list(grow(train, labels, test, STOPS))
    monkeypatch.setattr(distances, "BLOCK_BYTES", 8 * (len(train) if name == "knn" else 3) * 7)  # seven rows
    np.testing.assert_array_equal(list(grow(train, labels, test, STOPS)), whole)


@pytest.mark.parametrize("seed", range(3))
def test_neighbors_at_equal_distances_are_the_first_ones(seed):
    train, labels, test = problem(seed, whole_numbers=True)
    grown = list(distances.nearest_neighbors(train, labels, test, STOPS))
    for stop, predicted in zip(STOPS, grown, strict=True):
        for sample, label in zip(test[:, :stop], predicted, strict=True):
            squares = ((train[:, :stop] - sample) ** 2).sum(axis=1)
            nearest = sorted(range(len(train)), key=lambda i: (squares[i], i))[:3]
            votes = labels[nearest].tolist()
            assert label == min(votes, key=lambda c: (-votes.count(c), c))


def test_fewer_samples_than_neighbors():
    train, labels, test = np.array([[0.0], [1.0]]), np.array([4, 7]), np.array([[0.1], [0.9]])
    (predicted,) = distances.nearest_neighbors(train, labels, test, np.array([1]))
    assert predicted.tolist() == [4, 4]  # one vote each: the lower class


def test_mixtures_follow_bayes_rule():
    train, labels, test = problem(1)
    (predicted,) = make_model("bgm")[1].predict(train, labels, test, np.array([4]))
    scores = []
    for label in (0, 2, 4):
        own = train[labels == label, :4]
        mixture = BayesianGaussianMixture(n_components=2, random_state=0).fit(own)
        scores.append(mixture.score_samples(test[:, :4]) + np.log(len(own) / len(train)))
    assert predicted.tolist() == [(0, 2, 4)[i] for i in np.argmax(scores, axis=0)]


def test_mixtures_of_one_sample_and_of_equal_samples():
    train = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    (predicted,) = make_model("bgm")[1].predict(train, np.array([0, 1, 1, 1]), train, np.array([2]))
    assert predicted.tolist() == [0, 1, 1, 1]


def test_any_classifier_of_scikit_learn():
    train, labels, test = problem(2)
    name, forms = make_model(LogisticRegression())
    assert name == "LogisticRegression(random_state=0)"
    np.testing.assert_array_equal(
        list(forms.predict(train, labels, test, STOPS)), refitted(LogisticRegression(), train, labels, test)
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("liner-svm", "did you mean linear-svm"),
        ("tree", "choose one of linear-svm, knn, ncm, bgm"),
        (SVC, "an object of"),
        (Ridge(), r"^classifier=Ridge\(\) is not allowed, its kind is 'regressor': give one of linear-svm, knn, .*$"),
        (make_pipeline(StandardScaler(), Ridge()), "its kind is 'regressor'"),
        (GridSearchCV(Ridge(), {"alpha": [1]}), "its kind is 'regressor'"),
        (KMeans(), "its kind is 'clusterer'"),
        (IsolationForest(), "its kind is 'outlier detector'"),
    ],
)
def test_unknown_classifier(given, message):
    with pytest.raises(ValueError, match=message) as caught:
        make_model(given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", [make_pipeline(StandardScaler(), SVC()), GridSearchCV(SVC(), {"C": [1]})])
def test_classifiers_made_of_others(given):
    assert make_model(given)[0].startswith(type(given).__name__)


@pytest.mark.parametrize("n_rows", [100, 2_000, 2_001, 10_000, 10_001])
def test_a_default_that_takes_long_is_said(n_rows):
    name, notes = default_model(n_rows)
    assert name == ("linear-svm" if n_rows <= 10_000 else "lda")
    other = "lda" if n_rows <= 10_000 else "linear-svm"
    assert [note.fix for note in notes] == [{"classifier": other}] * (n_rows > 2_000)


def test_progress_names_the_model():
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    for classifier, name in (("ncm", "ncm"), (Ridge(), "Ridge"), ("ridge", "ridge")):
        phases = []
        with listening(phases.append):
            kind = "classes" if name == "ncm" else "quantity"
            bitsieve.compare(X, y, methods="mim", classifier=classifier, folds=2, features=1, target_kind=kind)
        assert f"comparing by {name}" in [str(progress) for progress in phases]
