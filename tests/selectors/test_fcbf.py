"""FCBF as an estimator: how many it keeps, its attributes, and what it refuses."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from tests.diagnosed import codes, noted, raises_code, warns_code

import bitsieve
from bitsieve import FCBF, BitsieveWarning, mutual_information

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")


@pytest.fixture(scope="module")
def tumours():
    return load_breast_cancer(return_X_y=True, as_frame=True)


def test_keeps_as_many_as_are_left(tumours):
    X, y = tumours
    fitted = FCBF(delta=0.0).fit(X, y)
    assert 1 < len(fitted.selected_) < 30
    assert fitted.transform(X).columns.tolist() == X.columns[np.sort(fitted.selected_)].tolist()
    assert sorted(np.concatenate([fitted.selected_, *fitted.groups_]).tolist()) == list(range(30))
    assert (np.diff(fitted.scores_) < 0).all()
    assert (fitted.scores_ <= 1).all()
    assert fitted.relevance_.tobytes() == mutual_information(X, y).tobytes()
    assert fitted.overlap_with_[0] == -1


def test_a_number_cuts_the_list(tumours):
    X, y = tumours
    everything, three = FCBF().fit(X, y), FCBF(3).fit(X, y)
    assert three.selected_.tolist() == everything.selected_[:3].tolist()
    assert len(three.groups_) == 3
    assert sorted(three.ranking_.tolist()) == [1, 2, 3, *[4] * 27]
    assert three.support_.sum() == 3
    assert FCBF(0.1).fit(X, y).selected_.tolist() == three.selected_.tolist()
    assert FCBF("auto").fit(X, y).selected_.tolist() == everything.selected_.tolist()
    assert FCBF(30).fit(X, y).selected_.tolist() == everything.selected_.tolist()


@pytest.fixture(scope="module")
def noise():
    random = np.random.default_rng(0)
    return random.normal(size=(200, 6)), random.integers(0, 2, 200)


def test_nothing_is_selected_from_noise(noise):
    X, y = noise
    with warns_code("nothing-related"):
        fitted = FCBF().fit(X, y)
    assert fitted.selected_.tolist() == []
    assert fitted.groups_ == []
    with pytest.warns(UserWarning, match="No features were selected"):  # of scikit-learn
        assert fitted.transform(X).shape == (200, 0)
    with warns_code("nothing-related"):
        selection = bitsieve.select(X, y, method="fcbf", n_features_to_select=3)
    assert selection.features == []
    assert noted(selection, "nothing-related").fix == {"delta": 0.0}
    assert "fewer-selected" not in codes(selection)
    with raises_code("no-relation"):
        FCBF(delta=1.0).fit(X, y)


def test_noise_ends_no_search_over_subsamples(noise):
    X, y = noise
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BitsieveWarning)
        stable = bitsieve.StabilitySelector(FCBF(), n_pairs=4).fit(X, y)
    assert stable.selected_.tolist() == []
    with raises_code("nothing-selected"):
        bitsieve.SelectorCV(methods=["fcbf"]).fit(X, y)


def test_names_of_tables(tumours):
    X, y = tumours
    fitted = FCBF(2).fit(X, y)
    other = FCBF(2).fit(polars.from_pandas(X), y)
    assert other.get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()
    assert other.transform(polars.from_pandas(X)).columns == fitted.transform(X).columns.tolist()


def test_missing_values_as_a_code(tumours):
    X, y = tumours
    spoiled = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    with pytest.raises(ValueError, match="30 columns hold missing values"):
        FCBF(missing="error").fit(spoiled, y)
    assert FCBF(2, binning=bitsieve.MDLBinner(missing="bin")).fit(spoiled, y).selected_.shape == (2,)


def test_select_says_that_it_keeps_fewer(tumours):
    X, y = tumours
    kept = len(FCBF().fit(X, y).selected_)
    selection = bitsieve.select(X, y, method="fcbf", n_features_to_select=20)
    assert len(selection.features) == kept
    assert f"fcbf selected {kept} features of the 20 requested" in " ".join(selection.notes)
    assert selection.unit == "ratio"
    assert bitsieve.select(X, y, method="fcbf", n_features_to_select="auto").features == selection.features
    assert not any("asked for" in note for note in bitsieve.select(X, y, method="fcbf", n_features_to_select=2).notes)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"delta": -0.1}, r"^delta=-0.1 is not allowed: give a number from 0 to 1$"),
        ({"delta": 1.5}, r"^delta=1.5 is not allowed"),
        ({"delta": "0.1"}, r"^delta='0.1' is not allowed"),
        ({"delta": True}, r"^delta=True is not allowed"),
        ({"delta": float("nan")}, r"^delta=nan is not allowed"),
        ({"strict": 1}, r"^strict=1 is not allowed: give True or False$"),
        ({"n_features_to_select": 0}, r"^n_features_to_select=0 is not allowed: give a whole number from 1 to 30"),
        ({"delta": 0.9}, r"^no column has a symmetric uncertainty .* of at least delta=0.9: the largest is 0.5"),
        ({"delta": 0.9, "strict": True}, r" above delta=0.9: the largest is 0.5.*, give a smaller delta$"),
    ],
)
def test_mistakes(tumours, parameters, message):
    with pytest.raises(ValueError, match=message) as caught:
        FCBF(**parameters).fit(*tumours)
    assert "\n" not in str(caught.value)
