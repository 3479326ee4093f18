"""ReliefF as an estimator: tables of all kinds, missing values, drawn samples, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

import bitsieve
from bitsieve import ReliefF

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")


@pytest.fixture(scope="module")
def flowers():
    return load_iris(return_X_y=True, as_frame=True)


def test_attributes(flowers):
    X, y = flowers
    fitted = ReliefF(2).fit(X, y)
    assert fitted.weights_.shape == (4,)
    assert sorted(fitted.ranking_.tolist()) == [1, 2, 3, 4]
    assert fitted.selected_.tolist() == np.argsort(-fitted.weights_)[:2].tolist()
    assert fitted.scores_.tolist() == fitted.weights_[fitted.selected_].tolist()
    assert fitted.get_feature_names_out().tolist() == ["petal length (cm)", "petal width (cm)"]
    assert fitted.transform(X).columns.tolist() == ["petal length (cm)", "petal width (cm)"]
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert fitted.target_edges_ is None


def test_sees_what_tells_only_in_pairs():
    """The class is the exclusive or of the signs of two columns: each alone tells nothing, and no noise is near."""
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (300, 8))
    fitted = ReliefF(2).fit(X, (X[:, 3] > 0) ^ (X[:, 6] > 0))
    assert sorted(fitted.selected_.tolist()) == [3, 6]
    assert fitted.scores_.min() > 2 * np.delete(fitted.weights_, [3, 6]).max()


def test_tables_of_all_kinds(flowers):
    X, y = flowers
    X = X.assign(colour=np.where(y == 1, "blue", "white"), wild=y == 2)
    fitted = ReliefF(3).fit(X, y)
    assert fitted.weights_.tobytes() == ReliefF(3).fit(polars.from_pandas(X), y.to_list()).weights_.tobytes()
    as_objects = ReliefF(3).fit(X.to_numpy(), y)
    assert as_objects.weights_.tobytes() == fitted.weights_.tobytes()
    assert sorted(fitted.selected_.tolist())[-2:] == [4, 5]


def test_missing_values(flowers):
    X, y = flowers
    hidden = np.random.default_rng(0).random(X.shape) < 0.2
    spoiled = X.mask(hidden)
    fitted = ReliefF(2).fit(spoiled, y)
    assert np.isfinite(fitted.weights_).all()
    assert sorted(fitted.selected_.tolist()) == [2, 3]
    letters = X.assign(colour=np.where(hidden[:, 0], None, np.where(y == 1, "blue", "white")))
    assert np.isfinite(ReliefF(2).fit(letters, y).weights_).all()


def test_columns_that_do_not_vary_come_last(flowers):
    """Even after columns of negative weight; so does a column of missing values, or of one value and missing ones."""
    X, y = flowers
    noise = np.random.default_rng(3).permutation(X["petal width (cm)"])
    X = X.assign(noise=noise, one=1.0, none=np.nan, some=np.where(y == 1, 2.0, np.nan))
    X = X[["one", "none", "some", "noise", *X.columns[:4]]]
    fitted = ReliefF(7).fit(X, y)
    assert fitted.weights_[3] < 0
    assert fitted.selected_[-3:].tolist() == [3, 0, 2]
    assert 1 not in fitted.selected_  # it has no values, and is left out
    assert fitted.weights_[:3].tolist() == [0, 0, 0]


def test_nothing_varies():
    fitted = ReliefF(2).fit(np.ones((6, 3)), [0, 1] * 3)
    assert fitted.selected_.tolist() == [0, 1]
    assert fitted.weights_.tolist() == [0, 0, 0]


def test_drawn_samples():
    X, y = load_breast_cancer(return_X_y=True)
    one, same, other = (ReliefF(5, n_samples=50, random_state=seed).fit(X, y) for seed in (0, 0, 1))
    assert one.weights_.tobytes() == same.weights_.tobytes()
    assert one.weights_.tobytes() != other.weights_.tobytes()
    everyone = ReliefF(5).fit(X, y)
    for n_samples in (569, 10**6):
        assert ReliefF(5, n_samples=n_samples).fit(X, y).weights_.tobytes() == everyone.weights_.tobytes()
    # Sampling 50 of 569: the standard error of a mean of differences below 1 is below 1 / 7.
    assert np.abs(one.weights_ - everyone.weights_).max() <= 1 / 7


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_change_no_bit(n_jobs):
    X, y = load_breast_cancer(return_X_y=True)
    assert ReliefF(5, n_jobs=n_jobs).fit(X, y).weights_.tobytes() == ReliefF(5).fit(X, y).weights_.tobytes()


def test_a_quantity_counts_by_its_values():
    X = load_iris().data
    fitted = ReliefF(1).fit(X[:, :3], X[:, 3] + 0.05)
    assert len(fitted.target_edges_) == len(fitted.classes_) - 1
    assert fitted.selected_.tolist() == [2]
    of_classes = ReliefF(1).fit(X[:, :3], np.digitize(X[:, 3] + 0.05, fitted.target_edges_, right=True))
    assert fitted.weights_.tolist() != of_classes.weights_.tolist()
    assert fitted.weights_.tolist() != ReliefF(1).fit(X[:, :3], np.exp(X[:, 3])).weights_.tolist()


def test_neighbours_by_default():
    X, y = load_iris(return_X_y=True)
    assert ReliefF(1).fit(X, y).weights_.tobytes() == ReliefF(1, n_neighbors=10).fit(X, y).weights_.tobytes()
    of_quantity = (ReliefF(1, n_neighbors=k).fit(X[:, :3], X[:, 3] + 0.05).weights_ for k in (None, 70))
    assert len({weights.tobytes() for weights in of_quantity}) == 1


def test_a_quantity_of_two_columns_together():
    """y is the product of the signs of two columns, with noise: each alone has no relation to it."""
    random = np.random.default_rng(1)
    X = random.uniform(-1, 1, (300, 8))
    fitted = ReliefF(2).fit(X, np.sign(X[:, 3] * X[:, 6]) + random.normal(0, 0.1, 300))
    assert sorted(fitted.selected_.tolist()) == [3, 6]


def test_select_explains_in_bits(flowers):
    X, y = flowers
    selection = bitsieve.select(X, y, method="relieff", n_features_to_select=2, n_neighbors=5)
    assert selection.unit == "weight"
    assert selection.relevance.min() > 1
    assert "score (weight)" in str(selection)


def test_select_takes_missing_values_and_counts_them_as_a_code(flowers):
    X, y = flowers
    spoiled = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    selection = bitsieve.select(spoiled, y, method="relieff", n_features_to_select=2)
    assert selection.indices.tolist() == ReliefF(2).fit(spoiled, y).selected_.tolist()
    as_a_code = bitsieve.mutual_information(spoiled, y, binning=bitsieve.MDLBinner(missing="bin"))
    assert selection.relevance.tolist() == as_a_code[selection.indices].tolist()
    with pytest.raises(ValueError, match="missing='bin'"):
        bitsieve.select(spoiled, y, method="relieff", n_features_to_select=2, missing="error")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, r"^n_neighbors=0 is not allowed: give a whole number of 1 or more$"),
        ({"n_neighbors": 2.5}, r"^n_neighbors=2.5 is not allowed"),
        ({"n_samples": 0}, r"^n_samples=0 is not allowed"),
        ({"n_samples": 0.5}, r"^n_samples=0.5 is not allowed"),
        ({"n_features_to_select": 0}, r"^n_features_to_select=0 is not allowed: give a whole number from 1 to 4"),
        ({"n_jobs": 0}, r"^n_jobs=0 is not a number of threads"),
        ({"n_samples": 3, "random_state": "a"}, r"^random_state='a' is not allowed: give a whole number"),
    ],
)
def test_mistakes(flowers, parameters, message):
    with pytest.raises(ValueError, match=message) as caught:
        ReliefF(**{"n_features_to_select": 1, **parameters}).fit(*flowers)
    assert "\n" not in str(caught.value)


def test_bad_tables(flowers):
    X, y = flowers
    with pytest.raises(ValueError, match=r"^1 column holds infinite values \(inf\): 'petal length \(cm\)'; replace"):
        ReliefF(1).fit(X.assign(**{"petal length (cm)": np.inf}), y)
    with pytest.raises(ValueError, match="the target 'y' has one class only"):
        ReliefF(1).fit(X, np.zeros(150, int))
    with pytest.raises(ValueError, match="requires y to be passed"):
        ReliefF(1).fit(X)
