"""After every call of partial_fit a selector is what fit makes of all rows so far."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_n_features_in_after_fitting
from tests.cover import methods_of_each_kind

from bitsieve import BitsieveWarning, ForwardSelector, KollerSahami, MarkovBlanketSelector, list_methods, make_selector
from bitsieve.methods.by_counts.criteria import CRITERIA
from bitsieve.methods.by_counts.criteria.linear import MIFS
from bitsieve.selectors.by_counts import CountSelector

ATTRIBUTES = ("selected_", "scores_", "ranking_", "relevance_", "overlap_", "overlap_with_", "informative_", "classes_")
PARTS = (0, 60, 61, 180, 300)


@pytest.fixture(scope="module")
def rows():
    """Codes whose values, and a class, come only with later rows."""
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 300)
    y[:60] %= 2
    X = random.integers(-1, 4, (300, 6)) + (y[:, None] * [2, 1, 0, 0, 1, 0])
    X[:61] = np.maximum(X[:61], 0)
    X[:, 3] = 7
    return X, np.array(["a", "b", "c"])[y], random.integers(0, 3, 300)


def needs_more_than_pairs(selector):
    if isinstance(selector, ForwardSelector):
        return CRITERIA[selector.criterion].required_tables == "joint"
    return isinstance(selector, (KollerSahami, MarkovBlanketSelector))


NAMES = [
    info.name for info in list_methods() if not info.same_as and isinstance(make_selector(info.name), CountSelector)
]
OF_PAIRS = [name for name in NAMES if not needs_more_than_pairs(make_selector(name))]


def assert_same(found, expected):
    for name in ATTRIBUTES:
        assert np.asarray(getattr(found, name)).tobytes() == np.asarray(getattr(expected, name)).tobytes(), name


@pytest.mark.parametrize("method", methods_of_each_kind(OF_PAIRS))
def test_parts_are_the_whole(rows, method):
    X, y, _ = rows
    parameters = {"delta": 0.0} if method == "fcbf" else {}  # by default it takes none of few rows
    selector = make_selector(method, 3, binning="none", **parameters)
    parts = clone(selector)
    for first, last in pairwise(PARTS):
        parts.partial_fit(X[first:last], y[first:last])
        assert_same(parts, clone(selector).fit(X[:last], y[:last]))


@pytest.mark.parametrize("method", [name for name in NAMES if name not in OF_PAIRS])
def test_methods_that_need_more_than_pairs(rows, method):
    X, y, _ = rows
    selector = make_selector(method, 3, binning="none")
    with pytest.raises(ValueError, match="tables of pairs of columns, and this method needs tables of more of them"):
        selector.partial_fit(X, y)


@pytest.mark.parametrize("missing", ["error", "bin"])
def test_frames_weights_text_and_missing_values(rows, missing):
    X, y, weight = rows
    text = np.array(list("pqrstuv"))[X[:, 5] + 1]
    frame = pd.DataFrame(X[:, :5], columns=list("uvwxy")).assign(text=text)
    if missing == "bin":
        frame.loc[70:90, "u"] = np.nan
        frame.loc[2:9, "text"] = None
    weight[:2] = 1
    selector = ForwardSelector(4, criterion="jmi", binning="none", missing=missing, estimator="miller-madow")
    for first, last in pairwise(PARTS):
        selector.partial_fit(frame[first:last], y[first:last], sample_weight=weight[first:last])
        whole = clone(selector).fit(frame[:last], y[:last], weight[:last])
        assert_same(selector, whole)
        assert selector.feature_names_in_.tolist() == whole.feature_names_in_.tolist()
        assert [list(of) for of in selector.binner_.categories_] == [list(of) for of in whole.binner_.categories_]
    assert selector.transform(frame).shape == (300, 4)


IDENTIFIERS = {  # as columns of 60 rows
    "numbers": np.random.default_rng(0).permutation(60) + 100,
    "crowded": np.random.default_rng(1).choice(90, 60, replace=False),
    "names": [f"name{j % 57}" for j in range(60)],
    "addresses": [f"user{j % 40}@example.org" for j in range(60)],
}
OTHERS = {
    "repeated": np.arange(60) // 2,
    "floats": np.arange(60.0),
    "text": [f"name{j % 20}" for j in range(60)],
    "spread": np.random.default_rng(2).choice(10**6, 60, replace=False),
}


@pytest.mark.parametrize("name", [*IDENTIFIERS, *OTHERS])
def test_identifiers_are_those_of_fit(name):
    """A column is dropped as soon as the counts of all rows show that it names them, and no longer than they do."""
    y = np.arange(60) % 3
    column = {**IDENTIFIERS, **OTHERS}[name]
    frame = pd.DataFrame({"column": column, "code": (y + np.arange(60) // 30) % 4, "noise": np.arange(60) % 5})
    frame = pd.concat([frame, frame.iloc[::-1]], ignore_index=True)  # which repeats every value
    y = np.concatenate([y, y[::-1]])
    selector = ForwardSelector(3, criterion="jmi", binning="none")
    for first, last in ((0, 30), (30, 60), (60, 120)):
        with warnings.catch_warnings(record=True) as of_parts:
            warnings.simplefilter("always")
            selector.partial_fit(frame[first:last], y[first:last])
        with warnings.catch_warnings(record=True) as of_fit:
            warnings.simplefilter("always")
            whole = clone(selector).fit(frame[:last], y[:last])
        assert_same(selector, whole)
        categories = [[list(of) for of in fitted.binner_.categories_] for fitted in (selector, whole)]
        assert categories[0] == categories[1]
        assert [str(one.message) for one in of_parts] == [str(one.message) for one in of_fit]
        if last == 60:
            assert (0 in selector.selected_) == (name in OTHERS)
    assert 0 in selector.selected_
    kept = clone(selector).set_params(identifiers="keep").partial_fit(frame[:60], y[:60])
    assert_same(kept, clone(kept).fit(frame[:60], y[:60]))
    assert 0 in kept.selected_


def test_order_of_the_parts_is_nothing(rows):
    X, y, _ = rows
    selector = ForwardSelector(3, criterion=MIFS(beta=0.5), binning="none")
    there, back = clone(selector), clone(selector)
    for part in (slice(60), slice(60, 200), slice(200, 300)):
        there.partial_fit(X[part], y[part])
    for part in (slice(200, 300), slice(60, 200), slice(60)):
        back.partial_fit(X[part], y[part])
    assert_same(there, back)


def test_only_bins_that_stay(rows):
    X, y, _ = rows
    for binning in ("mdl", "quantile", "uniform"):
        selector = ForwardSelector(2, criterion="mrmr", binning=binning)
        assert not hasattr(selector, "partial_fit")
        with pytest.raises(AttributeError) as caught:
            selector.partial_fit(X, y)
        assert "give the codes of a fitted binner" in str(caught.value.__cause__)


def test_scikit_learns_check_of_columns():
    check_n_features_in_after_fitting("ForwardSelector", ForwardSelector(1, criterion="mrmr"))
    coded = ForwardSelector(1, criterion="mrmr", binning="none").partial_fit([[1, 2], [2, 2]], [0, 1])
    with pytest.raises(ValueError, match="X has 3 features, but ForwardSelector is expecting 2"):
        coded.partial_fit([[1, 2, 3]], [0])


@pytest.mark.parametrize(
    ("X", "y", "more", "message"),
    [
        ([[1], [2]], [0, 0], {}, "the first rows hold 1 class"),
        ([[1], [2]], [0, 3], {"classes": [0, 1]}, "the target holds '3', which classes does not list"),
        ([[1], [2]], [0.5, 1.5], {}, "bin a quantity first"),
        ([[1]] * 101, range(101), {}, "more than 100 different numbers: bin it first"),
        ([[1], [2]], None, {}, "requires y to be passed"),
        ([[0.5], [1]], [0, 1], {}, "holds 0.5: binning 'none' takes whole numbers"),
        ("a.parquet", "y", {}, "partial_fit takes rows in memory"),
    ],
)
def test_mistakes(X, y, more, message):
    with pytest.raises(ValueError, match=message):
        ForwardSelector(1, criterion="mrmr", binning="none").partial_fit(X, y, **more)


def test_later_rows_that_do_not_fit(rows):
    X, y, _ = rows
    selector = ForwardSelector(1, criterion="mrmr", binning="none").partial_fit([[1]] * 60 + [[2]], range(61))
    with pytest.raises(ValueError, match="more than 100 different numbers"):
        selector.partial_fit([[1]] * 50, range(200, 250))
    selector = ForwardSelector(1, criterion="mrmr", binning="none").partial_fit([[1], [2]], [0, 1])
    with pytest.raises(ValueError, match="column 'x0' holds numbers in some parts of the data and text"):
        selector.partial_fit(np.array([["p"], ["q"]], object), [0, 1])
    assert selector.partial_fit([[1]], [0]).classes_.tolist() == [0, 1]  # what was refused is not counted
    fitted = ForwardSelector(1, criterion="mrmr", binning="none").fit(X, y)
    with pytest.warns(BitsieveWarning, match="fit kept no counts of its rows: partial_fit begins"):
        fitted.partial_fit(X[:60], y[:60])
    assert_same(fitted.partial_fit(X[60:], y[60:]), clone(fitted).fit(X, y))
    assert clone(selector).partial_fit(X, y).fit(X, y).n_features_in_ == 6
