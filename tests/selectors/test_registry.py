"""Methods by name."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.datasets import load_iris
from tests.cover import methods_of_each_kind
from tests.diagnosed import codes

import bitsieve
from bitsieve import Constraints, ForwardSelector, SpecCMI, list_methods, make_selector
from bitsieve.methods.by_counts.criteria import ALIASES, CRITERIA, linear
from bitsieve.methods.by_counts.criteria.linear import MIFS, MIFSU, BetaGamma
from bitsieve.methods.by_counts.criteria.quotients import MIQ
from bitsieve.methods.method import SHARED, defaults_of

METHODS = {method.name: method for method in list_methods()}
NAMES = list(METHODS)
#: Of every greedy method.
OF_THE_LOOP = {"stopping": None, "constraints": None, "estimator": "corrected", "effect": "any"}


def test_list():
    methods = list_methods()
    assert len(METHODS) == len(methods)
    assert NAMES[: len(CRITERIA)] == list(CRITERIA)
    assert NAMES[-len(ALIASES) :] == list(ALIASES)
    assert {"speccmi", "qpfs", "fcbf", "relieff"} <= set(NAMES)
    for method in methods:
        assert method.title[0].isupper()
        assert "\n" not in method.title
        if method.unit == "bits":
            assert any(part in method.formula for part in ("I(Xi;", "I(Xi,Xs;C)", "I(Xi,Xs,Xt;C)", "log2"))
        assert any(year.isdigit() for year in method.paper.split())
        assert method.inputs
        assert method.cost.startswith("O(")
        assert hasattr(bitsieve, method.estimator)


@pytest.mark.parametrize("name", NAMES)
def test_every_method_is_made(name):
    selector = make_selector(name, 2, binning="quantile", n_jobs=2)
    assert type(selector).__name__ == METHODS[name].estimator
    asked = {"n_features_to_select": 2, "binning": "quantile", "n_jobs": 2}
    parameters = selector.get_params()
    assert {name: parameters[name] for name in asked if name in parameters} == {
        name: value for name, value in asked.items() if name in parameters
    }


@pytest.mark.parametrize("name", methods_of_each_kind(NAMES))
def test_every_method_takes_a_quantity(name):
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 4))
    y = 2 * X[:, 2] + 0.3 * random.normal(size=80)
    selection = bitsieve.select(X, y, method=name, n_features_to_select=1)
    expected = [2]
    if (
        name == "gmi"
    ):  # compares distances of rows: with three classes of 80 rows it takes the column it takes for classes
        classes = selection.target.codes
        of_classes = bitsieve.select(X, classes, method=name, n_features_to_select=1, target_kind="classes")
        expected = of_classes.indices.tolist()
    assert selection.indices.tolist() == expected
    assert selection.target.is_quantity
    assert "quantity-binned" in codes(selection)
    alone = make_selector(name, 1).fit(X, y)
    assert alone.selected_.tolist() == expected


def test_defaults():
    assert repr(make_selector("jmi")) == repr(ForwardSelector(criterion="jmi"))
    assert repr(make_selector("SpecCMI")) == repr(SpecCMI())
    assert make_selector("mim").get_params()["n_features_to_select"] is None


@pytest.mark.parametrize("name", ALIASES)
def test_second_names(name):
    """The same numbers under the name that was asked for, with the paper of its own."""
    X, y = load_iris(return_X_y=True)
    other, method = METHODS[ALIASES[name].same_as], METHODS[name]
    assert (method.same_as, other.same_as) == (other.name, "")
    assert (method.inputs, method.unit, method.parameters) == (other.inputs, other.unit, other.parameters)
    assert (method.paper, method.remark) != (other.paper, other.remark)
    second, first = make_selector(name, 4).fit(X, y), make_selector(other.name, 4).fit(X, y)
    assert repr(second) == repr(ForwardSelector(4, criterion=name))
    assert second.selected_.tolist() == first.selected_.tolist()
    assert second.scores_.tobytes() == first.scores_.tobytes()


def test_parameters_are_listed_with_their_defaults():
    taken = {name: dict(method.parameters) for name, method in METHODS.items()}
    assert taken["mim"] == taken["jmi"] == taken["disr"] == OF_THE_LOOP
    assert taken["mifs"] == taken["mifsu"] == taken["mifs-u"] == {"beta": 1.0, **OF_THE_LOOP}
    assert taken["betagamma"] == {"beta": 1.0, "gamma": 1.0, **OF_THE_LOOP}
    assert taken["miq"] == {"eps": 0.0, **OF_THE_LOOP}
    assert taken["speccmi"]["dtype"] == "float64"
    assert taken["fcbf"] == {"delta": None, "strict": False}


@pytest.mark.parametrize("name", NAMES)
def test_listed_parameters_are_taken(name):
    selector = make_selector(name, 3, **METHODS[name].parameters)
    for parameter, value in METHODS[name].parameters.items():
        holder = selector if parameter in selector.get_params() else selector.criterion
        assert getattr(holder, parameter) == value


def test_every_greedy_method_takes_the_parameters_of_the_loop():
    for method in METHODS.values():
        is_greedy = method.name in {*CRITERIA, *ALIASES}
        assert (set(OF_THE_LOOP) <= set(method.parameters)) == is_greedy
    wish = Constraints(exclude=[0])
    made = make_selector("jmi", 3, estimator="miller-madow", stopping="threshold", constraints=wish)
    assert repr(made) == repr(
        ForwardSelector(3, criterion="jmi", estimator="miller-madow", stopping="threshold", constraints=wish)
    )
    assert make_selector("mifs", beta=0.5, estimator="miller-madow").criterion == MIFS(beta=0.5)


def test_a_mistake_inside_a_criterion_is_not_taken_for_a_wrong_name(monkeypatch):
    """Names are looked up in the signature: a TypeError of other origin is the program's own."""

    class Broken(MIFS):
        def __init__(self, beta=1.0):
            raise TypeError("inside")

    monkeypatch.setattr(linear, "MIFS", Broken)
    with pytest.raises(TypeError, match=r"^inside$"):
        make_selector("mifs", beta=1.0)


def test_parameters_of_methods():
    assert make_selector("mifs", beta=0.5).criterion == MIFS(beta=0.5)
    assert make_selector("MIFS-U", beta=2).criterion == MIFSU(beta=2)
    assert make_selector("betagamma", gamma=0.5).criterion == BetaGamma(gamma=0.5)
    assert make_selector("miq", eps=0.01).criterion == MIQ(eps=0.01)
    assert make_selector("speccmi", dtype="float32").dtype == "float32"
    assert make_selector("qpfs", convexify="shift").convexify == "shift"
    assert make_selector("eqpfs", beta=0.5).beta == 0.5
    assert make_selector("fcbf", delta=0.1, strict=True).get_params()["delta"] == 0.1
    assert make_selector("koller-sahami", blanket_size=3).blanket_size == 3
    assert make_selector("relieff", n_neighbors=5, n_samples=100, random_state=0).n_neighbors == 5
    assert make_selector("rcfs", n_clusters=20).n_clusters == 20


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("mrm", {}, r"method='mrm' is not known: did you mean \w+ or \w+ or \w+\? 'bitsieve methods' lists all$"),
        ("spec", {}, r"method='spec' is not known: did you mean speccmi or sdpcmi\? 'bitsieve methods' lists all$"),
        ("zzz", {}, r"method='zzz' is not known: choose one of mim, mifs"),
        (None, {}, r"method=None is not known"),
        (
            "mifs",
            {"eps": 1},
            r"'mifs' \(ForwardSelector\) does not take eps",
        ),
        (
            "jmi",
            {"beta": 1},
            r"'jmi' \(ForwardSelector\) does not take beta",
        ),
        ("mifs", {"beta": -1}, r"beta=-1 is not a weight: give a finite number of 0 or more$"),
        ("speccmi", {"beta": 1}, r"method 'speccmi' \(SpecCMI\) does not take beta"),
        ("relief", {}, r"method='relief' is not known: did you mean relieff"),
        ("relieff", {"n_neighbours": 1}, r"no parameter 'n_neighbours': did you mean n_neighbors=1\?$"),
        ("rcfs", {"delta": 1}, r"method 'rcfs' \(RCFS\) does not take delta"),
    ],
)
def test_mistakes(name, parameters, message):
    with pytest.raises(ValueError, match=message) as caught:
        make_selector(name, **parameters)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", [method.name for method in list_methods() if method.selector])
def test_a_public_class_has_the_parameters_of_its_function(name):
    """Names and defaults, but for the parameters of every method, and for those that a second method replaces."""
    method = METHODS[name]
    made = getattr(bitsieve, method.estimator)
    parameters = inspect.signature(made).parameters
    if made is ForwardSelector:
        assert {"criterion", *OF_THE_LOOP} <= set(parameters)
        assert {name: parameters[name].default for name in OF_THE_LOOP} == OF_THE_LOOP
        return
    defaults = {parameter: described.default for parameter, described in parameters.items()}
    of_function = defaults_of(method.run)
    assert {parameter: defaults[parameter] for parameter in of_function} == of_function
    assert set(defaults) - set(of_function) <= set(SHARED)
