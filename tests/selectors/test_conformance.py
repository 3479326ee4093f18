"""scikit-learn's own checks of the selectors.

Every public selector runs through them, with its defaults where they are quick, and two more for a binner that keeps
missing values and for samples drawn at random. Selectors that are a face of one method share the glue of
ForwardSelector, and some fit several times: of these make test runs the checks whose outcome is up to the method. What
fails, and why, is listed in ``docs/reference/limits.md``, too.
"""

from __future__ import annotations

import inspect
import pickle

import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter
from tests.cover import methods_of_each_kind, quick_and_slow
from tests.scikit_learn_checks import checks_that_fail

import bitsieve
from bitsieve import (
    GDM,
    GMI,
    QPFS,
    RCFS,
    CategoricalBinner,
    DominantSetClusters,
    ForwardSelector,
    InteractionSelector,
    KnockoffSelector,
    ReliefF,
    SelectorCV,
    StabilitySelector,
    list_methods,
    make_selector,
)
from bitsieve.methods.method import SHARED, defaults_of
from bitsieve.utils.defaults import SELECTOR_METHOD

OF_OTHER_INPUT = [
    ForwardSelector(1, binning=CategoricalBinner(missing="bin")),
    ReliefF(1, n_neighbors=3, n_samples=10, random_state=0),
]
QUICK = {
    "FCBF": {"delta": 0.0},  # by default an error where nothing is related, as in tables of noise
    "MarkovBlanketSelector": {"level": 0.9, "binning": "quantile"},  # else nothing is selected where nothing is related
    "ModelSelector": {"model": DecisionTreeClassifier(random_state=0)},
    "GDM": {"max_cuts": 3},
}
FACES = {
    name: [method for method in list_methods() if method.estimator == name]
    for name in dict.fromkeys(method.estimator for method in list_methods())
}
WITH_GLUE_OF_THEIR_OWN = ("ForwardSelector", "GDM")
FACE_SELECTORS = [
    getattr(bitsieve, name)(**QUICK.get(name, {})) for name in FACES if name not in WITH_GLUE_OF_THEIR_OWN
]
OVER_FOLDS = SelectorCV(methods=("mim",), classifier="ncm")
CHECKED = [
    *(getattr(bitsieve, name)(**QUICK.get(name, {})) for name in WITH_GLUE_OF_THEIR_OWN),
    *OF_OTHER_INPUT,
    DominantSetClusters(),
]
OF_SEVERAL_FITS = [
    KnockoffSelector(n_draws=2),
    StabilitySelector(ForwardSelector(1), n_pairs=2),
    InteractionSelector(n_shuffles=19),
]
FRACTIONS = "fractional values are refused: they are no codes"
WEIGHTED = tuple(f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))
UP_TO_THE_METHOD = {
    "check_estimators_dtypes",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_parameters_default_constructible",
    "check_sample_weight_equivalence_on_dense_data",
    "check_set_params",
}


def expected_failures(selector):
    if isinstance(selector, GDM):
        return {
            "check_classifier_multioutput": "several targets are one, whose classes are their combinations",
            "check_classifiers_regression_target": "a continuous target is cut into intervals, its classes",
        }
    if isinstance(selector, GMI | StabilitySelector) or getattr(selector, "n_samples", None):
        return {WEIGHTED[0]: "which samples are drawn depends on their order"}
    if isinstance(selector, QPFS):
        return dict.fromkeys(WEIGHTED, "the redundancy of its columns, noise, is not convex, which is refused")
    if isinstance(selector, RCFS):
        failing = ("methods_sample_order_invariance", "methods_subset_invariance", "fit2d_predict1d")
        why = "fewer clusters than columns to select are refused"
        return dict.fromkeys((f"check_{each}" for each in ("dont_overwrite_parameters", *failing)), why)
    if isinstance(getattr(selector, "binning", None), CategoricalBinner):
        # The last check subtracts a mean from float data; where NaN is allowed it does not make whole numbers of them.
        return dict.fromkeys((*WEIGHTED, "check_positive_only_tag_during_fit"), FRACTIONS)
    return {}


@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:No features were selected")  # of noise
@pytest.mark.parametrize(
    "selector",
    [
        *FACE_SELECTORS,
        *quick_and_slow(OF_SEVERAL_FITS, quick=OF_SEVERAL_FITS[2:], reason="other selectors of several fits"),
        pytest.param(OVER_FOLDS, marks=pytest.mark.slow("fits of every fold")),
    ],
    ids=lambda selector: type(selector).__name__,
)
def test_what_is_up_to_the_method(selector):
    wanted = UP_TO_THE_METHOD - expected_failures(selector).keys()
    if not has_fit_parameter(selector, "sample_weight"):
        wanted -= set(WEIGHTED)
    run = set()
    for estimator, check in estimator_checks_generator(selector):
        if check.func.__name__ in wanted:
            check(estimator)
            run.add(check.func.__name__)
    assert run == wanted


@pytest.mark.slow("every fit is several fits, or a comparison over folds")
@pytest.mark.filterwarnings("ignore:No features were selected")  # of noise
@pytest.mark.parametrize("selector", [*OF_SEVERAL_FITS, OVER_FOLDS], ids=lambda selector: type(selector).__name__)
def test_scikit_learn_by_several_fits(selector):
    assert checks_that_fail(selector) == expected_failures(selector).keys()


@pytest.mark.slow("the glue of ForwardSelector, by test_a_selector_is_a_face")
@pytest.mark.parametrize("selector", FACE_SELECTORS, ids=lambda selector: type(selector).__name__)
def test_scikit_learn_on_a_face(selector):
    assert checks_that_fail(selector) == expected_failures(selector).keys()


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
        described = face.registry_methods[0]
        assert taken.pop("criterion") == SELECTOR_METHOD
    mine = {parameter: default for parameter, default in taken.items() if parameter not in SHARED}
    assert mine == {**described.parameters}
    assert mine == {**mine, **defaults_of(described.run)}
    assert ("binning" in taken) == described.bins


@pytest.mark.parametrize("method", methods_of_each_kind(method.name for method in list_methods() if not method.same_as))
def test_every_method_is_cloned_and_pickled(method):
    X, y = load_iris(return_X_y=True)
    selector = make_selector(method, 2)
    again = clone(selector)
    assert repr(again) == repr(selector)
    fitted = pickle.loads(pickle.dumps(again.fit(X, y)))
    assert fitted.selected_.tolist() == selector.fit(X, y).selected_.tolist()


@pytest.mark.parametrize(
    "selector",
    [*(make_selector(method.name, 1) for method in list_methods() if not method.same_as), *OF_OTHER_INPUT],
    ids=repr,
)
def test_tags(selector):
    tags = selector.__sklearn_tags__()
    assert tags.target_tags.required
    assert tags.input_tags.string
    assert tags.input_tags.categorical
    binning = getattr(selector, "binning", None)
    takes_missing = (
        selector.registry_methods[0].takes_missing
        or isinstance(binning, str)
        or getattr(binning, "missing", "") == "bin"
    )
    assert tags.input_tags.allow_nan == takes_missing
    assert tags.input_tags.sparse == ("dense" not in selector.registry_methods[0].required_capabilities)
