"""VMI: parameters, attributes, kinds of columns, and one line for each mistake."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

import bitsieve
from bitsieve import VMI, MDLBinner, make_selector, mutual_information
from bitsieve.methods.by_samples.variational import codes


def test_attributes():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = VMI(6, on_plateau="continue").fit(X, y)
    assert fitted.ranking_[fitted.selected_].tolist() == [1, 2, 3, 4, 5, 6]
    assert (fitted.ranking_[~fitted.support_] == 7).all()
    assert np.flatnonzero(fitted.support_).tolist() == sorted(fitted.selected_.tolist())
    assert fitted.restarts_.tolist() == []
    assert fitted.transform(X).shape == (569, 6)
    # Alone, the bound is the plug-in information: roundings of 569 logarithms apart.
    assert np.abs(fitted.alone_ - mutual_information(X, y)).max() <= 1e-12


@pytest.mark.parametrize("binning", ["mdl", None])
@pytest.mark.parametrize("decomposition", ["naive", "pairwise"])
def test_equal_for_any_number_of_threads(decomposition, binning, monkeypatch):
    monkeypatch.setattr(codes, "LIKELIHOODS_A_THREAD", 1)  # threads even for microseconds of work
    X, y = load_iris(return_X_y=True)
    one = VMI(4, decomposition=decomposition, binning=binning).fit(X, y)
    for n_jobs in (2, 7, -1):
        other = VMI(4, decomposition=decomposition, binning=binning, n_jobs=n_jobs).fit(X, y)
        assert other.scores_.tobytes() == one.scores_.tobytes()


def test_registry_names():
    assert make_selector("vmi", 3).decomposition == "naive"
    assert make_selector("VMI-pairwise", 3, on_plateau="restart").on_plateau == "restart"
    with pytest.raises(ValueError, match=r"^there is no parameter 'on_plato': did you mean on_plateau='stop'\?$"):
        make_selector("vmi", 3, on_plato="stop")
    with pytest.raises(
        ValueError, match=r"method 'vmi' \(VMI\) does not take loss: it takes decomposition, on_plateau, bandwidth$"
    ):
        make_selector("vmi", 3, loss="stop")


def test_natural_number_of_features():
    X, y = load_breast_cancer(return_X_y=True)
    longer = VMI(30, on_plateau="continue").fit(X, y)
    fitted = VMI("auto").fit(X, y)
    k = len(fitted.selected_)
    assert 1 < k < 30
    assert fitted.selected_.tolist() == longer.selected_[:k].tolist()
    assert (np.diff(longer.scores_[:k]) > 1e-10).all()
    assert longer.scores_[k] <= longer.scores_[k - 1] + 1e-10
    assert VMI(2, on_plateau="stop").fit(X, y).selected_.tolist() == longer.selected_[:2].tolist()
    assert VMI(0.1).fit(X, y).selected_.tolist() == longer.selected_[:3].tolist()


def test_restarts():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = VMI(30).fit(X, y)
    assert fitted.selected_.tolist() == VMI(30, on_plateau="restart").fit(X, y).selected_.tolist()
    assert sorted(fitted.selected_.tolist()) == list(range(30))
    first = fitted.restarts_.tolist()
    assert first
    # The first after a restart is chosen, and scored, as if alone.
    for place in first:
        assert fitted.scores_[place] == fitted.alone_[fitted.selected_[place]]
        assert fitted.scores_[place] <= fitted.scores_[place - 1] + 0.01 / np.log(2)


def test_numbers_and_categories_side_by_side():
    """A category that is a cut of a number tells as much by its frequencies as by binning it."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    X["size"] = pd.Series(np.where(X["petal length (cm)"] > 2.5, "large", "small"), dtype="category")
    fitted = VMI(2, binning=None).fit(X, y)
    assert fitted.binner_ is None
    assert abs(fitted.alone_[4] - mutual_information(X[["size"]], y)[0]) <= 1e-12  # roundings of 150 logarithms
    assert fitted.alone_[3] > fitted.alone_[4]


def test_select_explains_a_method_on_rows():
    X, y = load_iris(return_X_y=True, as_frame=True)
    selection = bitsieve.select(X, y, method="vmi", n_features_to_select="auto", binning=None)
    assert selection.features == ["petal width (cm)", "petal length (cm)"]
    assert selection.to_dict()["parameters"]["n_features_to_select"] == "auto"
    assert selection.overlap_with == [None, "petal width (cm)"]
    with pytest.raises(ValueError, match=r"^n_features_to_select='auto' is not allowed"):
        bitsieve.select(X, y, method="speccmi", n_features_to_select="auto")


def test_missing_values_as_a_code():
    X, y = load_iris(return_X_y=True)
    X[::7, 2] = np.nan
    binner = MDLBinner(missing="bin")
    fitted = VMI(4, binning=binner).fit(X, y)
    # Alone, the bound is the plug-in information: roundings of 150 logarithms apart.
    assert np.abs(fitted.alone_ - mutual_information(X, y, binning=binner)).max() <= 1e-12


X_SMALL = [[0.0, 1.0], [1.0, 3.0], [0.5, 2.0], [2.0, 1.0]]


@pytest.mark.parametrize(
    ("parameters", "X", "y", "message"),
    [
        ({"decomposition": "tree"}, X_SMALL, "aabb", "decomposition='tree' is not allowed: give 'naive'"),
        ({"on_plateau": "halt"}, X_SMALL, "aabb", "give 'continue' or 'restart' or 'stop'"),
        ({"n_features_to_select": "auto", "on_plateau": "restart"}, X_SMALL, "aabb", "on_plateau is 'restart': give a"),
        ({"bandwidth": 0}, X_SMALL, "aabb", "bandwidth=0 is not allowed: give 'scott' or 'silverman', or a number"),
        ({"bandwidth": "wide"}, X_SMALL, "aabb", "bandwidth='wide' is not allowed"),
        ({"n_features_to_select": 0}, X_SMALL, "aabb", "give a whole number from 1 to 2"),
        ({"binning": None}, X_SMALL, "aaab", "class 'b' has 1 sample, and a density needs two"),
        ({"binning": None}, [[0, 1], [0, 2], [1, 3], [1, 4]], "aabb", "column 'x0' does not vary within class 'a'"),
        ({"binning": None}, [[np.nan, 1], [0, 2], [1, 3], [1, 4]], "aabb", "1 column holds missing values"),
        ({"missing": "error"}, [[np.nan, 1], [0, 2], [1, 3], [1, 4]], "aabb", "1 column holds missing values"),
        ({}, X_SMALL, "aaaa", "the target 'y' has one class only"),
    ],
)
def test_mistakes_are_one_line(parameters, X, y, message):
    with pytest.raises(ValueError, match=r"[a-z]") as raised:
        VMI(**{"n_features_to_select": 1, **parameters}).fit(X, list(y))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
