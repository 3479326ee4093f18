"""What all selectors have from their base: one way to fit, one place that sets the shared attributes."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest
from numpydoc.docscrape import ClassDoc
from sklearn.base import clone
from sklearn.datasets import load_wine
from tests.cover import methods_of_each_kind

import bitsieve
from bitsieve import Constraints, ForwardSelector, SelectorCV, list_methods, make_selector
from bitsieve.dataset.read import read_xy
from bitsieve.methods.method import MethodResult, constants_last, rank_all
from bitsieve.options import ExecutionOptions
from bitsieve.pipeline import run
from bitsieve.pipeline.discretize import discretize, take_default_bins
from bitsieve.selectors.base import ColumnSelector
from bitsieve.selectors.by_counts import CountSelector

NAMES = [method.name for method in list_methods() if not method.same_as]
CLASSES = [*dict.fromkeys(getattr(bitsieve, method.estimator) for method in bitsieve.list_methods()), SelectorCV]


@pytest.fixture(scope="module")
def wine():
    """Measurements of wines, with a constant column among them, weights, and the kinds of wine by name."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    X.insert(2, "constant", 1.0)
    return X, np.array(["red", "rosé", "white"])[y], np.random.default_rng(0).integers(0, 3, len(y))


def fitted_attributes(selector):
    names = [name for name in dir(selector) if name.endswith("_") and not name.startswith("_")]
    return {name: getattr(selector, name) for name in names}


def same(one, other):
    one, other = fitted_attributes(one), fitted_attributes(other)
    assert one.keys() == other.keys()
    for name in one.keys() - {"binner_"}:
        mine, theirs = (repr(np.asarray(found[name], object).tolist()) for found in (one, other))
        assert mine == theirs, name


@pytest.mark.parametrize("name", methods_of_each_kind(NAMES))
def test_fit_is_fit_table_of_what_is_read(name, wine):
    X, y, weights = wine
    selector = make_selector(name, 3)
    table = read_xy(X, y, weights)
    by_table = clone(selector).fit_table(table)
    same(clone(selector).fit(X, y, sample_weight=weights), by_table)
    if isinstance(selector, CountSelector):
        settled = take_default_bins(selector.discretization, selector.registry_methods[0], None, table.total_weight)
        counted = discretize(table, settled, ExecutionOptions())
        same(clone(selector).fit_counted(counted), by_table)
        same(clone(selector).fit_counted(counted), by_table)  # nothing of the first fit is left in what was counted


@pytest.mark.parametrize("name", methods_of_each_kind(NAMES))
def test_constant_columns_come_last(name, wine):
    X, y, _ = wine
    n_features = X.shape[1]
    fitted = make_selector(name, n_features).fit(X, y)
    if len(fitted.selected_) == n_features:
        assert fitted.selected_[-1] == 2
    assert fitted.ranking_[2] == fitted.ranking_.max()
    order = np.argsort(fitted.ranking_, kind="stable")[: len(fitted.selected_)]
    assert order.tolist() == fitted.selected_.tolist()


@pytest.mark.parametrize("name", methods_of_each_kind(NAMES))
def test_a_second_fit_forgets_the_first(name, wine):
    X, y, _ = wine
    selector = make_selector(name, 3)
    again = clone(selector).fit(X, y).fit(X.to_numpy()[:, ::-1], y)
    same(again, clone(selector).fit(X.to_numpy()[:, ::-1], y))
    assert not hasattr(again, "feature_names_in_")


@pytest.mark.parametrize("cls", CLASSES)
def test_shared_attributes_show_in_the_help_of_every_class(cls):
    doc = ClassDoc(cls, config={"show_class_members": False})
    attributes = {entry.name: " ".join(entry.desc) for entry in doc["Attributes"]}
    assert inspect.getdoc(cls) == cls.__doc__
    for line in cls.shared_attributes:
        name = line.split()[0]
        assert attributes[name], f"{cls.__name__}.{name} is not described"
    assert {"support_", "ranking_", "selected_", "scores_", "classes_", "n_features_in_"} <= set(attributes)


def test_every_public_selector_is_looked_at():
    public = {value for name in bitsieve.__all__ if inspect.isclass(value := getattr(bitsieve, name))}
    # One groups columns without a target, one repeats another selector, two keep as many columns as a level allows:
    # these are no methods of the registry.
    others = {bitsieve.DominantSetClusters, bitsieve.StabilitySelector, bitsieve.InteractionSelector}
    others |= {bitsieve.KnockoffSelector}
    assert {cls for cls in public if issubclass(cls, ColumnSelector)} - others == set(CLASSES)


def test_constraints_are_resolved_once(monkeypatch, wine):
    X, y, _ = wine
    calls, resolve = [], run.constraints_on
    monkeypatch.setattr(run, "constraints_on", lambda *given: calls.append(given) or resolve(*given))
    ForwardSelector(3, constraints=Constraints(exclude=["constant"])).fit(X, y)
    assert len(calls) == 1


def test_no_column_is_left(wine):
    X, y, _ = wine
    with pytest.raises(ValueError, match=r"^exclude names every column: leave at least one to select$"):
        ForwardSelector("auto", constraints=Constraints(exclude=list(X))).fit(X, y)


def test_what_is_found():
    varies = np.array([True, False, True, True, False])
    assert constants_last(np.array([3, 0, 2]), varies).tolist() == [3, 0, 2, 1, 4]
    assert constants_last(np.array([4, 3, 1, 0, 2]), varies).tolist() == [3, 0, 2, 1, 4]
    found = rank_all(np.array([3, 0, 2]), varies, np.array([0.5, 0.0, 0.25, 1.0, 0.0]), 4, weights_=1)
    assert found.selected.tolist() == [3, 0, 2, 1]
    assert found.scores.tolist() == [1.0, 0.5, 0.25, 0.0]
    assert found.ranking(5).tolist() == [2, 4, 3, 1, 5]
    assert found.extras == {"weights_": 1}
    some = MethodResult(np.array([3, 1, 0]), np.array([1.0, 1.0, 0.5]), np.array([1, 1, 2]))
    assert some.ranking(5).tolist() == [2, 1, 3, 1, 3]
    assert MethodResult(np.empty(0, np.intp), np.empty(0)).ranking(2).tolist() == [1, 1]


def test_one_class_is_named_in_plain_words():
    with pytest.raises(ValueError, match=r"^the target 'y' has one class only \('0'\): give one with at least two$"):
        ForwardSelector(1).fit(pd.DataFrame({"a": range(20)}), np.zeros(20, int))
