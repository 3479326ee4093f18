"""scikit-learn's own checks of the selectors.

All selectors are the same glue: a class of them has parameters, a docstring and the methods that describe its function
(``test_a_selector_is_a_face``). So the checks run on one selector for each path of the glue:

- on counts, which bins: ``ForwardSelector(1)``;
- on counts, by a binner of its own that keeps missing values: ``ForwardSelector(1, binning=CategoricalBinner(...))``;
- on rows, dense, missing values as they are, random numbers: ``ReliefF(1, n_samples=10)``;
- on rows that it bins: ``VMI(1)``;
- on rows, dense or sparse, and a classifier: ``GDM(1)``.

All select one feature: the checks' data has as few as one column, and asking for more than there are is an error.
"""

from __future__ import annotations

import inspect
import pickle

import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

import bitsieve
from bitsieve import GDM, VMI, CategoricalBinner, ForwardSelector, ReliefF, list_methods, make_selector
from bitsieve.methods.method import SHARED, defaults_of

CHECKED = [
    ForwardSelector(1),
    ForwardSelector(1, binning=CategoricalBinner(missing="bin")),
    ReliefF(1, n_neighbors=3, n_samples=10, random_state=0),
    VMI(1),
    GDM(1),
]
FRACTIONS = "fractional values are refused: they are no codes"
WEIGHTED = tuple(f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))
FACES = {
    name: [method for method in list_methods() if method.estimator == name]
    for name in dict.fromkeys(method.estimator for method in list_methods())
}


def expected_failures(selector):
    if isinstance(selector, GDM):
        return {
            "check_classifier_multioutput": "several targets are one, whose classes are their combinations",
            "check_classifiers_regression_target": "a continuous target is cut into intervals, its classes",
        }
    if isinstance(selector, ReliefF):
        return {WEIGHTED[0]: "which samples are drawn depends on their order"}
    if isinstance(getattr(selector, "binning", None), CategoricalBinner):
        # The last check subtracts a mean from float data; where NaN is allowed it does not make whole numbers of them.
        return dict.fromkeys((*WEIGHTED, "check_positive_only_tag_during_fit"), FRACTIONS)
    return {}


@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", FACES)
def test_a_selector_is_a_face(name):
    """It adds nothing to the glue that the checks above run through, and has the defaults of its function."""
    face = getattr(bitsieve, name)
    own = {
        each for each, value in vars(face).items() if inspect.isfunction(value) and value.__module__ == face.__module__
    }
    classifies = {"decision_function", "predict", "__sklearn_tags__"} if name == "GDM" else set()
    assert own == {"__init__"} | classifies
    taken = {each.name: each.default for each in inspect.signature(face).parameters.values()}
    described = FACES[name][0]
    if name == "ForwardSelector":
        described = face.described[0]
        assert taken.pop("criterion") == "jmi"
    mine = {parameter: default for parameter, default in taken.items() if parameter not in SHARED}
    assert mine == {**described.parameters}
    assert mine == {**mine, **defaults_of(described.run)}
    assert ("binning" in taken) == described.bins


@pytest.mark.parametrize("method", [method.name for method in list_methods() if not method.same_as])
def test_every_method_is_cloned_and_pickled(method):
    X, y = load_iris(return_X_y=True)
    selector = make_selector(method, 2)
    again = clone(selector)
    assert repr(again) == repr(selector)
    fitted = pickle.loads(pickle.dumps(again.fit(X, y)))
    assert fitted.selected_.tolist() == selector.fit(X, y).selected_.tolist()


@pytest.mark.parametrize(
    "selector",
    [*(make_selector(method.name, 1) for method in list_methods() if not method.same_as), *CHECKED],
    ids=repr,
)
def test_tags(selector):
    tags = selector.__sklearn_tags__()
    assert tags.target_tags.required
    assert tags.input_tags.string
    assert tags.input_tags.categorical
    takes_missing = isinstance(selector, ReliefF) or getattr(getattr(selector, "binning", None), "missing", "") == "bin"
    assert tags.input_tags.allow_nan == takes_missing
    assert tags.input_tags.sparse == ("dense" not in selector.described[0].requires)
