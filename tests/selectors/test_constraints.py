"""Constraints: what must, must not, and comes together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from tests.cover import quick_and_slow

from bitsieve import BitsieveWarning, Constraints, ForwardSelector, make_selector, select
from bitsieve.methods.by_counts.criteria import CRITERIA

X, y = load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.mark.parametrize(
    "criterion",
    quick_and_slow(CRITERIA, quick={"mrmr", "jmi", "cmim", "cmi"}, reason="the same loop by another criterion"),
)
def test_must_include_and_exclude(criterion):
    free = ForwardSelector(6, criterion=criterion).fit(X, y)
    wish = Constraints(must_include=["mean smoothness", 19], exclude=[int(free.selected_[0])])
    fitted = ForwardSelector(6, criterion=criterion, constraints=wish).fit(X, y)
    assert fitted.selected_[:2].tolist() == [X.columns.get_loc("mean smoothness"), 19]
    assert free.selected_[0] not in fitted.selected_
    assert len(set(fitted.selected_.tolist())) == 6


def test_must_include_is_scored_as_any_choice():
    """Naming the choices that are made anyway changes nothing."""
    free = ForwardSelector(5).fit(X, y)
    told = ForwardSelector(5, constraints=Constraints(must_include=free.selected_[:3])).fit(X, y)
    assert told.selected_.tolist() == free.selected_.tolist()
    assert told.scores_.tobytes() == free.scores_.tobytes()


def test_an_empty_array_of_columns_is_no_column():
    none = np.array([], int)
    plain = ForwardSelector(3, constraints=Constraints(groups=[[0, 1]])).fit(X, y)
    empty = ForwardSelector(3, constraints=Constraints(none, none, [[0, 1]])).fit(X, y)
    assert empty.selected_.tolist() == plain.selected_.tolist()
    found = select(X, y, include=none, exclude=none, n_features_to_select=3)
    assert found.features == select(X, y, n_features_to_select=3).features
    grouped = Constraints(none, none, [[0, 1]])
    assert select(X, y, constraints=grouped, n_features_to_select=2).features


@pytest.mark.parametrize("groups", [3, "ab"])
def test_groups_are_lists(groups):
    with pytest.raises(
        ValueError, match=r"^groups=.* is not allowed: give a list of groups of columns, or a mapping of names to"
    ):
        ForwardSelector(3, constraints=Constraints(groups=groups)).fit(X, y)


def test_excluding_is_leaving_out():
    gone = [0, 3, 22, 27]
    kept = np.setdiff1d(np.arange(30), gone)
    without = ForwardSelector(8).fit(X.iloc[:, kept], y)
    excluded = ForwardSelector(8, constraints=Constraints(exclude=gone)).fit(X, y)
    assert excluded.selected_.tolist() == kept[without.selected_].tolist()
    assert excluded.scores_.tobytes() == without.scores_.tobytes()


def one_hot_table(seed=0):
    random = np.random.default_rng(seed)
    city = random.integers(0, 4, 400)
    other = random.integers(0, 3, (400, 5))
    y = (city + (random.random(400) < 0.2)) % 4 > 1
    table = pd.DataFrame({f"city_{c}": (city == c).astype(int) for c in range(4)})
    for j in range(5):
        table[f"other_{j}"] = other[:, j]
    return table, pd.DataFrame({"city": city, **{f"other_{j}": other[:, j] for j in range(5)}}), y


@pytest.mark.parametrize(
    "criterion",
    quick_and_slow(CRITERIA, quick={"mrmr", "jmi", "cmim", "cmi"}, reason="the same groups by another criterion"),
)
def test_a_one_hot_group_is_its_category(criterion):
    """The combinations of the 0/1 columns are the category: same choices, same scores to the bit."""
    hot, plain, y = one_hot_table()
    wish = Constraints(groups={"city": [f"city_{c}" for c in range(4)]})
    grouped = ForwardSelector(4, criterion=criterion, constraints=wish, binning="none").fit(hot, y)
    category = ForwardSelector(4, criterion=criterion, binning="none").fit(plain, y)
    expected = []
    for name in category.get_feature_names_out()[np.argsort(np.argsort(category.selected_))]:
        expected += [f"city_{c}" for c in range(4)] if name == "city" else [name]
    assert [hot.columns[j] for j in grouped.selected_] == expected
    _, first = np.unique(grouped.ranking_[grouped.selected_], return_index=True)
    assert grouped.scores_[first].tobytes() == category.scores_.tobytes()
    assert grouped.transform(hot).columns.tolist() == [name for name in hot.columns if name in expected]
    assert set(grouped.ranking_[:4]) == {int(category.ranking_[0])}


def test_a_column_of_a_group_stands_for_the_group():
    hot, _, y = one_hot_table()
    groups = [["city_0", "city_1", "city_2", "city_3"]]
    first = Constraints(must_include=["other_2", "city_3"], groups=groups)
    fitted = ForwardSelector(2, constraints=first, binning="none").fit(hot, y)
    assert [hot.columns[j] for j in fitted.selected_] == ["other_2", "city_0", "city_1", "city_2", "city_3"]
    none = ForwardSelector(5, constraints=Constraints(exclude=["city_1"], groups=groups), binning="none").fit(hot, y)
    assert sorted(hot.columns[j] for j in none.selected_) == [f"other_{j}" for j in range(5)]


def test_a_group_with_a_stopping_rule():
    hot, _, y = one_hot_table()
    wish = Constraints(groups=[[f"city_{c}" for c in range(4)]])
    fitted = ForwardSelector("auto", constraints=wish, binning="none").fit(hot, y)
    assert fitted.get_feature_names_out().tolist() == [f"city_{c}" for c in range(4)]
    assert fitted.stopped_by_ == "significance"
    assert fitted.stopping_candidate_ >= 4
    assert fitted.stopping_values_.shape == (4,)


def test_clone_and_registry():
    wish = Constraints(exclude=["mean area"])
    selector = make_selector("mrmr", 3, constraints=wish)
    assert clone(selector).constraints == wish
    assert "mean area" not in selector.fit(X, y).get_feature_names_out()


@pytest.mark.parametrize(
    ("constraints", "k", "message"),
    [
        (Constraints(must_include=["mean aera"]), 3, "did you mean 'mean area'"),
        (Constraints(exclude=[30]), 3, "holds column 30, but there are columns 0 to 29"),
        (Constraints(exclude=[-1]), 3, "holds column -1"),
        (Constraints(exclude=[1.5]), 3, "holds 1.5: give column names or indices"),
        (Constraints(must_include="mean area"), 3, "must_include is 'mean area': give a list"),
        (Constraints(must_include=[0, 1, 2, 3]), 3, "must_include has 4 features, more than the 3 to select"),
        (Constraints(must_include=[0], exclude=[0]), 3, "must_include and exclude both name 'mean radius'"),
        (Constraints(groups={"a": [0, 1], "b": [1, 2]}), 3, "column 'mean texture' is in group 'a' and in group 'b'"),
        (Constraints(groups=[["mean area", "nothing"]]), 3, "group 1 names column 'nothing'"),
        (Constraints(exclude=list(range(30))), 1, "exclude names every column: leave at least one to select"),
        (Constraints(exclude=list(range(30))), 0.5, "exclude names every column"),
        ({"exclude": [1]}, 3, "give Constraints"),
    ],
)
def test_mistakes(constraints, k, message):
    with pytest.raises(ValueError, match=message) as caught:
        ForwardSelector(k, constraints=constraints).fit(X, y)
    assert "\n" not in str(caught.value)


def test_more_features_than_are_left_without_the_excluded_ones():
    selector = ForwardSelector(3, constraints=Constraints(exclude=list(range(28))))
    left = "2 features left, fewer than the 3 requested"
    with pytest.warns(BitsieveWarning, match=left):
        assert sorted(selector.fit(X, y).selected_.tolist()) == [28, 29]
