"""Methods by name."""

from __future__ import annotations

import pytest
from sklearn.datasets import load_iris

import bitsieve
from bitsieve import ForwardSelector, SpecCMI, list_methods, make_selector
from bitsieve.by_counts.criteria import CRITERIA, MIFS, MIQ

NAMES = [method.name for method in list_methods()]


def test_list():
    methods = list_methods()
    assert len(set(NAMES)) == len(NAMES)
    assert {*CRITERIA, "speccmi"} <= set(NAMES)
    for method in methods:
        assert method.title[0].isupper()
        assert "\n" not in method.title
        assert any(part in method.formula for part in ("I(Xi;C", "I(Xi,Xs;C)", "I(XS,Xi;C)"))
        assert any(year.isdigit() for year in method.paper.split())
        assert method.needs
        assert hasattr(bitsieve, method.estimator)


@pytest.mark.parametrize("name", NAMES)
def test_every_method_is_made_and_fits(name):
    X, y = load_iris(return_X_y=True)
    selector = make_selector(name, 2, binning="quantile", n_jobs=2)
    assert type(selector).__name__ == next(m.estimator for m in list_methods() if m.name == name)
    assert (selector.n_features_to_select, selector.binning, selector.n_jobs) == (2, "quantile", 2)
    assert len(selector.fit(X, y).selected_) == 2


def test_defaults():
    assert repr(make_selector("jmi")) == repr(ForwardSelector(criterion="jmi"))
    assert repr(make_selector("SpecCMI")) == repr(SpecCMI())
    assert make_selector("mim").get_params()["n_features_to_select"] == 10


def test_parameters_of_methods():
    assert make_selector("mifs", beta=0.5).criterion == MIFS(beta=0.5)
    assert make_selector("miq", eps=0.01).criterion == MIQ(eps=0.01)
    assert make_selector("speccmi", dtype="float32").dtype == "float32"


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("mrm", {}, r"method='mrm' is not known; did you mean mrmr.* choose one of mim, .*, speccmi\b"),
        ("spec", {}, r"method='spec' is not known; did you mean speccmi\? choose one of"),
        ("zzz", {}, r"method='zzz' is not known; choose one of mim, mifs"),
        (None, {}, r"method=None is not known"),
        ("mifs", {"eps": 1}, r"criterion 'mifs' does not take eps; it takes beta$"),
        ("jmi", {"beta": 1}, r"criterion 'jmi' does not take beta; it takes no parameters$"),
        ("mifs", {"beta": -1}, r"beta=-1 is not a weight; give a finite number of 0 or more$"),
        ("speccmi", {"beta": 1}, r"method 'speccmi' \(SpecCMI\) does not take beta"),
    ],
)
def test_mistakes(name, parameters, message):
    with pytest.raises(ValueError, match=message) as caught:
        make_selector(name, **parameters)
    assert "\n" not in str(caught.value)
