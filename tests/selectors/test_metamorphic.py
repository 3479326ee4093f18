"""What must not matter to a method does not: the order of rows and columns, names of codes and classes, spare columns.

The methods are those of the registry. Methods on counts are held to their bits, methods on rows to the same choice.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.cover import methods_of_each_kind

from bitsieve import list_methods, make_selector
from bitsieve.selectors.by_counts import CountSelector

# Methods that draw samples, features or starts at random, by place: other places are other draws.
DRAWS = {"relieff", "gmi", "extra-trees"}
METHODS = [method.name for method in list_methods() if not method.same_as and method.name not in DRAWS]
SPLITS = {"l1-svm"}  # a solver that divides a weight among copies as it comes
# Of copies that were added together the first is tested first, and is removed as the others are still there.
TAKES_LATER = SPLITS | {"fast-iamb"}
K = 4
# How far the scores of solvers may lie apart: they stop where a tolerance of theirs is met, wherever the order of rows
# and columns has led them.
TOLERANCE = {"l1-svm": 1e-2, "svm-rfe": 1e-2}


def make(method):
    binning = {"binning": "none"} if is_counted(method) else {}
    return make_selector(method, K, **binning)


def is_counted(method):
    return isinstance(make_selector(method), CountSelector)


COUNTED = [method for method in METHODS if is_counted(method)]
GREEDY = [method.name for method in list_methods() if not method.same_as and method.estimator == "ForwardSelector"]


@pytest.fixture(scope="module")
def codes():
    """Eight columns that follow the class, each to its own degree, so that no two scores tie."""
    random = np.random.default_rng(5)
    classes = random.integers(0, 3, 400)
    noise = random.integers(0, 3, (400, 8))
    follows = random.random((400, 8)) < np.linspace(0.1, 0.8, 8)[random.permutation(8)]
    return np.where(follows, classes[:, None], noise), classes


def same(fitted, other, method, places=None):
    """Whether two fits agree, the columns of the second being ``places`` of the first."""
    selected = other.selected_ if places is None else places[other.selected_]
    assert fitted.selected_.tolist() == selected.tolist()
    if is_counted(method) and not method.startswith(("sdp", "qpfs", "eqpfs", "spec")):
        assert fitted.scores_.tobytes() == other.scores_.tobytes()
    else:
        near = TOLERANCE.get(method, 1e-6)  # of other solvers, and of sums in other orders
        np.testing.assert_allclose(fitted.scores_, other.scores_, rtol=near)


@pytest.mark.parametrize("method", methods_of_each_kind(METHODS))
def test_order_of_rows(codes, method):
    X, y = codes
    rows = np.random.default_rng(0).permutation(len(y))
    same(make(method).fit(X, y), make(method).fit(X[rows], y[rows]), method)


@pytest.mark.parametrize("method", methods_of_each_kind(METHODS))
def test_order_of_columns(codes, method):
    X, y = codes
    places = np.random.default_rng(1).permutation(X.shape[1])
    same(make(method).fit(X, y), make(method).fit(X[:, places], y), method, places)


@pytest.mark.parametrize("method", methods_of_each_kind(METHODS))
def test_names_of_classes(codes, method):
    X, y = codes
    same(make(method).fit(X, y), make(method).fit(X, np.array(["b", "c", "a"])[y]), method)


@pytest.mark.parametrize("method", methods_of_each_kind(COUNTED))
def test_names_of_codes(codes, method):
    X, y = codes
    same(make(method).fit(X, y), make(method).fit(np.array([7, 100, -3])[X], y), method)


@pytest.mark.parametrize("method", methods_of_each_kind(COUNTED))
def test_repeated_rows_and_weights(codes, method):
    X, y = codes
    weights = np.arange(len(y)) % 3
    repeated = make(method).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    same(make(method).fit(X, y, sample_weight=weights), repeated, method)


@pytest.mark.parametrize("method", methods_of_each_kind(METHODS))
def test_a_constant_column(codes, method):
    """At the front and at the end, where the others keep their order."""
    X, y = codes
    constant = np.full(len(y), 2)
    wider = np.column_stack([constant, X, constant])
    same(make(method).fit(wider, y), make(method).fit(X, y), method, np.arange(1, 9))


@pytest.mark.parametrize("method", methods_of_each_kind(GREEDY))
def test_a_column_that_was_not_chosen(codes, method):
    X, y = codes
    fitted = make(method).fit(X, y)
    spare = int(np.setdiff1d(np.arange(X.shape[1]), fitted.selected_)[0])
    places = np.delete(np.arange(X.shape[1]), spare)
    same(fitted, make(method).fit(X[:, places], y), method, places)


@pytest.mark.parametrize("method", methods_of_each_kind(method for method in METHODS if method not in TAKES_LATER))
def test_a_copy_is_never_chosen_before_its_original(codes, method):
    X, y = codes
    fitted = make_selector(method, 10, binning="none").fit(np.column_stack([X, X]), y)
    order = fitted.selected_.tolist()
    for place, column in enumerate(order):
        assert column < 8 or column - 8 in order[:place]
