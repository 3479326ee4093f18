"""A quantity as the target of every selector: the classes of its cut, by ranks alone, and what it is said to be."""

from __future__ import annotations

import inspect

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csc_array
from sklearn.base import clone
from tests.cover import methods_of_each_kind

import bitsieve
from bitsieve import (
    EqualFrequencyBinner,
    ForwardSelector,
    InteractionSelector,
    SelectorCV,
    StabilitySelector,
    list_methods,
    make_selector,
)
from bitsieve.methods.registry import find_method
from bitsieve.selectors.by_counts import CountSelector

METHODS = [method.name for method in list_methods() if not method.same_as]
COUNTED = [name for name in METHODS if isinstance(make_selector(name), CountSelector)]
N = 160


@pytest.fixture(scope="module")
def measures():
    """Six columns, three of which a quantity follows, each in its own way."""
    random = np.random.default_rng(11)
    X = random.normal(size=(N, 6))
    return X, X[:, 4] + np.square(X[:, 1]) + 0.5 * (X[:, 2] > 0) + 0.3 * random.normal(size=N)


def fit(method, X, y, weights=None, **how):
    return make_selector(method, 3, **how).fit(X, y, sample_weight=weights)


def same(fitted, other):
    assert fitted.selected_.tolist() == other.selected_.tolist()
    assert fitted.scores_.tobytes() == other.scores_.tobytes()
    assert fitted.relevance_.tobytes() == other.relevance_.tobytes()


@pytest.mark.parametrize("method", methods_of_each_kind(COUNTED))
def test_its_classes_given_as_classes(measures, method):
    X, y = measures
    fitted = fit(method, X, y)
    codes = np.searchsorted(fitted.target_edges_, y)
    assert np.bincount(codes).tolist() == [53, 54, 53]
    default_bins = find_method(method).default_bins
    binning = EqualFrequencyBinner(n_bins=4, uncut="apart")
    if default_bins is not None:
        binning = EqualFrequencyBinner(n_bins=default_bins(N))
    same(fitted, fit(method, X, codes, binning=binning))


@pytest.mark.parametrize("method", methods_of_each_kind(COUNTED))
def test_strictly_monotone_functions_of_it_and_of_columns(measures, method):
    X, y = measures
    fitted = fit(method, X, y)
    same(fitted, fit(method, X, np.exp(y)))
    same(fitted, fit(method, X, np.cbrt(y) - 7))
    same(fitted, fit(method, np.column_stack([np.exp(X[:, 0]), np.cbrt(X[:, 1]), X[:, 2:] * 1e6 - 3]), y))


@pytest.mark.parametrize("method", methods_of_each_kind(COUNTED))
def test_weights_and_sparse_tables(measures, method):
    X, y = measures
    weights = 1 + np.arange(N) % 3
    weighted = fit(method, X, y, weights)
    same(weighted, fit(method, np.repeat(X, weights, axis=0), np.repeat(y, weights)))
    rare = csc_array(np.where(np.abs(X) > 0.5, X, 0))
    fitted = fit(method, rare, y, binning="quantile")
    same(fitted, fit(method, rare, np.searchsorted(fitted.target_edges_, y), binning="quantile"))


OTHERS = {
    "stability": lambda **how: StabilitySelector(ForwardSelector(1), n_pairs=2, **how),
    "interactions": lambda **how: InteractionSelector(n_shuffles=19, **how),
    "cross-validation": lambda **how: SelectorCV(methods=["mim"], features=[1], folds=3, **how),
}


@pytest.mark.filterwarnings("ignore")  # few columns of noise
@pytest.mark.parametrize("name", [*methods_of_each_kind(METHODS), *OTHERS])
def test_every_selector_is_told_what_the_target_is(name):
    random = np.random.default_rng(2)
    X, y = random.normal(size=(60, 3)), 1 + np.arange(60) % 7

    parameters = {"delta": 0.0} if name == "fcbf" else {}  # by default it takes no column of noise

    def make(**how):
        return OTHERS[name](**how) if name in OTHERS else make_selector(name, 1, **parameters, **how)

    assert "target_kind" in inspect.signature(type(make())).parameters
    assert make().fit(X, y).classes_.tolist() == [1, 2, 3, 4, 5, 6, 7]
    fitted = make(target_kind="quantity").fit(X, y)
    assert fitted.classes_.tolist() == ["(-inf, 3]", "(3, 5]", "(5, inf)"]
    assert fitted.target_edges_.tolist() == [3, 5]
    assert make(target_kind="classes").fit(X, y + np.arange(60) % 2 / 2).target_edges_ is None
    with pytest.raises(ValueError, match=r"^target_kind='number' is not allowed: give 'classes' or 'quantity'"):
        make(target_kind="number").fit(X, y)


def test_what_is_said_inside_of_what_reads_the_data(measures):
    X, y = measures
    message = "^target_kind='classes' does not go with a target that was read as quantity: leave it out of the selector"
    inner = ForwardSelector(1, target_kind="classes")
    with pytest.raises(ValueError, match=message):
        StabilitySelector(inner, n_pairs=2).fit(X, y)
    with pytest.raises(ValueError, match=message):
        bitsieve.compare(X, y, methods=[inner], features=[1], folds=3)
    kept = StabilitySelector(ForwardSelector(1, target_kind="quantity"), n_pairs=2).fit(X, y)
    assert kept.target_edges_ is not None
    with pytest.raises(ValueError, match=r"^partial_fit takes one target of classes: bin a quantity first"):
        ForwardSelector(1, binning="none", target_kind="quantity").partial_fit([[0], [1]], [0, 1])


def test_rows_in_parts_and_the_selector_of_a_selection(measures):
    X, y = measures
    years = np.round(y * 2)
    assert len(np.unique(years)) <= 20
    batches = pa.table({f"x{j}": X[:, j] for j in range(6)}).to_reader(50)
    in_parts = ForwardSelector(2, target_kind="quantity").fit(batches, years)
    same(in_parts, ForwardSelector(2, target_kind="quantity").fit(X, years))
    selector = bitsieve.select(X, years, n_features_to_select=2, target_kind="quantity").selector
    assert selector.target_kind == "quantity"
    same(clone(selector).fit(X, years), selector)


def test_weights_by_values_need_the_rows(measures):
    X, y = measures
    batches = pa.table({f"x{j}": X[:, j] for j in range(6)}).to_reader(50)
    with pytest.raises(
        ValueError, match=r"^ReliefF needs all rows in memory: give it a table in memory, such as a sam"
    ):
        bitsieve.ReliefF(1).fit(batches, y)
