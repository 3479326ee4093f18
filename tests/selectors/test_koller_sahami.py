"""KollerSahami as an estimator: its attributes, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import bitsieve
from bitsieve import KollerSahami, mutual_information


@pytest.fixture(scope="module")
def tumours():
    return load_breast_cancer(return_X_y=True, as_frame=True)


def test_attributes(tumours):
    X, y = tumours
    fitted = KollerSahami(6).fit(X, y)
    assert sorted(fitted.ranking_.tolist()) == list(range(1, 31))
    assert fitted.ranking_[fitted.selected_].tolist() == [1, 2, 3, 4, 5, 6]
    assert np.flatnonzero(fitted.support_).tolist() == sorted(fitted.selected_.tolist())
    assert fitted.scores_[0] == mutual_information(X, y)[fitted.selected_[0]]
    assert fitted.get_feature_names_out().tolist() == X.columns[fitted.support_].tolist()


def test_fewer_features_are_the_first_of_more(tumours):
    few, many = (KollerSahami(k, blanket_size=2).fit(*tumours) for k in (4, 12))
    assert few.selected_.tolist() == many.selected_[:4].tolist()
    assert few.ranking_.tolist() == many.ranking_.tolist()


def test_columns_that_do_not_vary_come_last(make_table):
    codes, classes = make_table(100, 6, seed=0)
    codes[:, [1, 4]] = 2
    fitted = KollerSahami(6, binning="none").fit(codes, classes)
    assert fitted.selected_[4:].tolist() == [1, 4]
    assert fitted.scores_[4:].tolist() == [0, 0]


def test_the_rules_differ(tumours):
    X, y = tumours
    by_relevance, by_redundancy = (KollerSahami(10, blanket=rule).fit(X, y) for rule in ("relevance", "redundancy"))
    assert by_relevance.selected_.tolist() != by_redundancy.selected_.tolist()


def test_a_blanket_larger_than_the_table(make_table):
    codes, classes = make_table(50, 4, seed=1)
    largest, larger = (KollerSahami(4, blanket_size=size, binning="none").fit(codes, classes) for size in (3, 1000))
    assert larger.scores_.tobytes() == largest.scores_.tobytes()


def test_by_name(tumours):
    selection = bitsieve.select(*tumours, method="Koller-Sahami", n_features_to_select=3, blanket_size=2)
    assert selection.indices.tolist() == KollerSahami(3, blanket_size=2).fit(*tumours).selected_.tolist()
    assert selection.unit == "bits"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"blanket_size": -1}, r"^blanket_size=-1 is not allowed: give a whole number of 0 or more"),
        ({"blanket_size": 1.5}, r"^blanket_size=1.5 is not allowed"),
        ({"blanket_size": None}, r"^blanket_size=None is not allowed"),
        ({"blanket": "mrmr"}, r"^blanket='mrmr' is not allowed: give 'relevance' or 'redundancy'$"),
        ({"n_features_to_select": 0}, r"^n_features_to_select=0 is not allowed: give a whole number from 1 to 30"),
    ],
)
def test_mistakes(tumours, parameters, message):
    with pytest.raises(ValueError, match=message) as caught:
        KollerSahami(**parameters).fit(*tumours)
    assert "\n" not in str(caught.value)
