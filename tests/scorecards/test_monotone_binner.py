"""MonotoneBinner: from tables to bins, special and missing values, weights, invariances, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.datasets import load_breast_cancer

from bitsieve import MonotoneBinner, UserError


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[::3, :4], y.iloc[::3]


def messy_table(n_rows=400):
    """Numbers with special and missing values, and categories of which some are rare."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, n_rows)
    amount = random.normal(size=n_rows) + y
    amount[:20] = -999
    amount[20:50] = np.nan
    city = np.where(random.random(n_rows) < 0.4 + 0.2 * y, "Rome", random.choice(["Oslo", "Bern"], n_rows)).astype(
        object
    )
    city[:2] = "Ur"
    city[2:9] = None
    return pd.DataFrame({"amount": amount, "city": city}), y


def test_special_and_missing_values_have_the_last_bins():
    X, y = messy_table()
    binner = MonotoneBinner(special_values={"amount": [-999]}).fit(X, y)
    table = binner.binning_tables_["amount"]
    assert table["bin"].tolist()[-2:] == ["special -999", "missing"]
    assert table["rows"].tolist()[-2:] == [20, 30]
    bins = binner.transform(X)
    assert (bins[:20, 0] == len(table) - 2).all()
    assert (bins[20:50, 0] == len(table) - 1).all()
    assert np.bincount(bins[:, 0]).tolist() == table["rows"].tolist()


def test_special_categories_have_bins_of_their_own():
    city = np.array(["Bern", "Oslo", "Rome", None], object)[np.arange(80) % 4]
    table = MonotoneBinner(special_values=["Oslo", "Rome"]).fit(pd.DataFrame({"city": city}), np.arange(80) % 3 == 0)
    bins = table.binning_tables_["city"]
    assert bins["bin"].tolist()[-3:] == ["special Oslo", "special Rome", "missing"]
    assert bins["rows"].tolist()[-3:] == [20, 20, 20]


def test_rare_and_new_categories_are_together():
    X, y = messy_table()
    binner = MonotoneBinner().fit(X, y)
    of_other = next(group for group, names in enumerate(binner.groups_[1]) if "other" in names)
    bins = binner.bins_of(pd.DataFrame({"amount": [0.0, 0.0], "city": ["Ur", "Nowhere"]}))
    assert bins[:, 1].tolist() == [of_other, of_other]


def test_rows_of_each_bin_are_those_that_transform_puts_there(cancer):
    X, y = cancer
    binner = MonotoneBinner(trend={"mean radius": "descending", "*": "auto"}).fit(X, y)
    bins = binner.transform(X)
    for j, name in enumerate(X):
        table = binner.binning_tables_[name]
        assert np.bincount(bins[:, j]).tolist() == table["rows"].tolist()
        assert np.bincount(bins[:, j], weights=y).astype(int).tolist() == table["events"].tolist()
        rates = table["event_rate"].to_numpy()
        assert (np.diff(rates) <= 0).all() or (np.diff(rates) >= 0).all()


def test_weights_are_repeated_rows_and_the_order_of_rows_does_not_matter(cancer):
    X, y = cancer
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    repeated = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), weights))
    weighted = MonotoneBinner().fit(X, y, weights)
    plain = MonotoneBinner(n_jobs=2).fit(X.iloc[repeated], y.iloc[repeated])
    for first, second in zip(weighted.edges_, plain.edges_, strict=True):
        assert first.tolist() == second.tolist()
    assert weighted.iv_.tolist() == plain.iv_.tolist()


def test_increasing_maps_keep_the_bins(cancer):
    X, y = cancer
    assert MonotoneBinner().fit(X, y).iv_.tolist() == MonotoneBinner().fit(np.log1p(X), y).iv_.tolist()


def test_many_distinct_numbers_are_refined_by_the_hull():
    random = np.random.default_rng(0)
    x = random.normal(size=5000)
    y = random.random(5000) < 1 / (1 + np.exp(-2 * x))
    options = {"trend": "ascending", "max_n_bins": 6, "min_bin_share": 0, "min_events": 0, "min_nonevents": 0}
    exact = MonotoneBinner(**options, max_exact=500, max_prebins=50).fit(x[:, None], y)
    coarse = MonotoneBinner(**options, max_exact=500, max_prebins=50, refine=False).fit(x[:, None], y)
    finer = MonotoneBinner(**options, max_exact=500, max_prebins=1000).fit(x[:, None], y)
    assert exact.iv_[0] > coarse.iv_[0]
    assert exact.iv_[0] == pytest.approx(finer.iv_[0], abs=1e-12)  # both have every vertex of the hull


def test_digits_round_the_cuts_before_the_search(cancer):
    X, y = cancer
    rounded = MonotoneBinner(digits=0).fit(X, y)
    for edges in rounded.edges_:
        assert (edges == np.round(edges)).all()
    by_hand = MonotoneBinner().fit(np.ceil(X), y)  # (a, b] holds the numbers whose ceiling is in (a, b]
    assert rounded.iv_.tolist() == pytest.approx(by_hand.iv_.tolist(), abs=1e-12)


def test_given_edges_are_counted_and_not_merged(cancer):
    X, y = cancer
    binner = MonotoneBinner(edges={"mean radius": [12, 13, 14.5]}).fit(X, y)
    assert binner.edges_[0].tolist() == [12, 13, 14.5]
    assert binner.trends_[0] is None
    expected = pd.cut(X["mean radius"], [-np.inf, 12, 13, 14.5, np.inf]).value_counts(sort=False)
    assert binner.binning_tables_["mean radius"]["rows"].tolist() == expected.tolist()


def test_bins_between_given_edges_are_merged_with_a_trend(cancer):
    X, y = cancer
    edges = [11.5, 12.25, 13, 14.5, 16]
    binner = MonotoneBinner(edges={"mean radius": edges}, trend={"mean radius": "descending"}, max_n_bins=3).fit(X, y)
    assert set(binner.edges_[0]) < set(edges)
    interval = np.searchsorted(edges, X["mean radius"], side="left").astype(float)
    by_intervals = MonotoneBinner(trend="descending", max_n_bins=3).fit(interval[:, None], y)
    assert binner.iv_[0] == by_intervals.iv_[0]
    ends = [label.rpartition(", ")[2].rstrip("]") for label in binner.binning_tables_["mean radius"]["bin"]]
    assert [float(end) for end in ends[:-1]] == binner.edges_[0].tolist()


def test_integers_that_are_equal_as_floats_are_refused():
    y = np.arange(40) % 3 == 0
    MonotoneBinner().fit(pd.DataFrame({"account": 2**53 + 2 * np.arange(40)}), y)
    with pytest.raises(UserError, match="'account'") as caught:
        MonotoneBinner().fit(pd.DataFrame({"account": 2**53 + np.arange(40)}), y)
    assert caught.value.code == "precision-lost"


GRADES = ["poor", "fair", "good", "fine"]  # in no order of the alphabet


def graded_rows(n_rows=600):
    """The grade of each row as a number, NaN where it is missing, and the class."""
    random = np.random.default_rng(3)
    grade = random.choice([0, 1, 2, 3, np.nan], n_rows, p=[0.005, 0.395, 0.3, 0.25, 0.05])
    y = (random.random(n_rows) < 0.2 + 0.15 * np.abs(np.nan_to_num(grade) - 2)).astype(int)
    return grade, y


def as_pandas(names, levels):
    return pd.DataFrame({"grade": pd.Categorical(names, levels, ordered=True)})


def as_polars(names, levels):
    polars = pytest.importorskip("polars")
    return polars.DataFrame({"grade": polars.Series(names, dtype=polars.Enum(levels))})


def as_arrow(names, levels):
    frame = as_pandas(names, levels)
    first, second = pa.Table.from_pandas(frame[:100]), pa.Table.from_pandas(frame[100:])
    return pa.concat_tables([first, second])


@pytest.mark.parametrize("table_of", [as_pandas, as_polars, as_arrow])
@pytest.mark.parametrize("trend", ["auto", "descending", "valley", "none"])
def test_ordered_categories_are_binned_as_their_numbers(table_of, trend):
    grade, y = graded_rows()
    names = [None if np.isnan(number) else GRADES[int(number)] for number in grade]
    options = {"trend": {"grade": trend}, "max_n_bins": 3}
    binner = MonotoneBinner(**options).fit(table_of(names, GRADES), y)
    numbers = pd.DataFrame({"grade": grade})
    of_numbers = MonotoneBinner(**options).fit(numbers, y)
    assert len(of_numbers.binning_tables_["grade"]) > 2
    assert binner.iv_.tolist() == of_numbers.iv_.tolist()
    assert binner.iv_corrected_.tolist() == of_numbers.iv_corrected_.tolist()
    assert binner.p_values_.tolist() == of_numbers.p_values_.tolist()
    assert binner.trends_ == of_numbers.trends_
    assert binner.transform(table_of(names, GRADES)).tolist() == of_numbers.transform(numbers).tolist()
    columns = ["rows", "events", "nonevents", "woe", "iv"]
    of_grades = pd.DataFrame(binner.binning_tables_["grade"])
    pd.testing.assert_frame_equal(of_grades[columns], of_numbers.binning_tables_["grade"][columns], check_exact=True)
    assert ", ".join(of_grades["bin"]) == "poor, fair, good, fine, missing"


def test_more_ordered_categories_than_are_tried_as_cuts_are_binned_as_their_numbers():
    random = np.random.default_rng(6)
    number = random.integers(0, 300, 3000)
    y = (random.random(3000) < 0.2 + number / 1000).astype(int)
    levels = [f"step {level}" for level in range(300)]
    steps = as_pandas([levels[level] for level in number], levels)
    for refine in (True, False):
        options = {"max_exact": 100, "max_prebins": 20, "refine": refine}
        binner = MonotoneBinner(**options).fit(steps, y)
        of_numbers = MonotoneBinner(**options).fit(number[:, None], y)
        assert binner.iv_.tolist() == of_numbers.iv_.tolist()
        assert binner.p_values_.tolist() == of_numbers.p_values_.tolist()
        ends = [int(group[-1].removeprefix("step ")) for group in binner.groups_[0]]
        assert ends[:-1] == of_numbers.edges_[0].tolist()


def test_categories_without_an_order_are_binned_by_their_rates():
    grade, y = graded_rows()
    names = [None if np.isnan(number) else GRADES[int(number)] for number in grade]
    unordered = as_pandas(names, GRADES).astype({"grade": pd.CategoricalDtype(GRADES)})
    binner = MonotoneBinner().fit(unordered, y)
    assert binner.groups_ == MonotoneBinner().fit(pd.DataFrame({"grade": names}), y).groups_
    assert "other" in [name for group in binner.groups_[0] for name in group]  # "poor" is rare
    with pytest.raises(UserError) as caught:
        MonotoneBinner(trend={"grade": "valley"}).fit(unordered, y)
    assert caught.value.code == "parameter-without-effect"
    assert "'grade'" in str(caught.value)


def test_new_ordered_categories_have_no_bin():
    grade, y = graded_rows()
    is_known = grade > 0
    names = [GRADES[int(number)] for number in grade[is_known]]
    binner = MonotoneBinner().fit(as_pandas(names, GRADES), y[is_known])
    assert binner.bins_of(as_pandas(["poor", "fair"], GRADES)).ravel().tolist() == [-1, 0]


def test_categories_have_no_edges():
    X, y = messy_table()
    with pytest.raises(UserError) as caught:
        MonotoneBinner(edges={"city": [1]}).fit(X, y)
    assert caught.value.code == "parameter-without-effect"
    assert "'city'" in str(caught.value)


def test_the_only_class_is_named_as_it_was_given(cancer):
    X, _ = cancer
    with pytest.raises(UserError, match="one class only: '1';"):
        MonotoneBinner().fit(X, np.ones(len(X), np.int64))


def test_bounds_that_cannot_be_kept_give_one_bin(cancer):
    X, y = cancer
    binner = MonotoneBinner(min_events=len(y)).fit(X, y)
    assert binner.status_ == ["infeasible"] * X.shape[1]
    assert binner.iv_.tolist() == [0] * X.shape[1]


def test_columns_of_one_value_and_without_values():
    X = pd.DataFrame({"constant": [1.0] * 6, "empty": [np.nan] * 6})
    binner = MonotoneBinner().fit(X, [0, 1, 0, 1, 0, 1])
    assert [table["bin"].tolist() for table in binner.binning_tables_.values()] == [["(-inf, inf)"], ["missing"]]
    assert binner.iv_.tolist() == [0, 0]
    assert binner.p_values_.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("labels", "event", "expected"),
    [((0, 1), None, 1), (("no", "yes"), None, "yes"), (("bad", "good"), "bad", "bad"), ((2, 5), 2, 2)],
)
def test_the_event(labels, event, expected, cancer):
    X, y = cancer
    target = np.array(labels, object if isinstance(labels[0], str) else int)[y]
    assert MonotoneBinner(event=event).fit(X.iloc[:, :1], target).event_ == expected


@pytest.mark.parametrize(
    ("options", "target", "code"),
    [
        ({}, ["bad", "good"], "event-needed"),
        ({"event": "no"}, ["bad", "good"], "unknown-name"),
        ({}, [0, 1, 2], "wrong-kind-of-target"),
        ({"trend": {"radius": "peak"}}, [0, 1], "unknown-column"),
        ({}, [1, 1], "one-class"),
        ({"special_values": -999}, [0, 1], "parameter-not-allowed"),
        ({"edges": [1, 2]}, [0, 1], "parameter-not-allowed"),
        ({"edges": {"mean radius": ["a", "b"]}}, [0, 1], "parameter-not-allowed"),
        ({"bin_cost": 1e6}, [0, 1], "parameter-not-allowed"),
        ({"trend": "up"}, [0, 1], "parameter-not-allowed"),
        ({"min_n_bins": 4, "max_n_bins": 3}, [0, 1], "parameter-not-allowed"),
        ({"min_n_bins": 4, "min_bin_share": 0.3}, [0, 1], "parameter-not-allowed"),
        ({"edges": {"mean radius": [3, 2]}}, [0, 1], "parameter-not-allowed"),
        ({"edges": {"*": [2, 3]}}, [0, 1], "parameter-not-allowed"),
        ({"special_values": [np.nan]}, [0, 1], "parameter-not-allowed"),
        ({"special_values": {"mean radius": [-np.inf]}}, [0, 1], "parameter-not-allowed"),
        ({"special_values": [None]}, [0, 1], "parameter-not-allowed"),
    ],
)
def test_mistakes(options, target, code, cancer):
    X, _ = cancer
    y = np.resize(np.array(target), len(X))
    with pytest.raises(UserError) as caught:
        MonotoneBinner(**options).fit(X, y)
    assert caught.value.code == code


def test_new_missing_values_are_refused_by_name(cancer):
    X, y = cancer
    new = X.copy()
    new.iloc[3, 1] = np.nan
    with pytest.raises(UserError) as caught:
        MonotoneBinner().fit(X, y).transform(new)
    assert caught.value.code == "unseen-value"
    assert "mean texture" in str(caught.value)


def test_a_pickle_bins_alike(cancer):
    X, y = cancer
    binner = MonotoneBinner().fit(X, y)
    again = pickle.loads(pickle.dumps(binner))
    assert again.transform(X).tolist() == binner.transform(X).tolist()
    assert again.p_values_.tolist() == binner.p_values_.tolist()


def test_text_in_a_column_of_numbers_is_named(cancer):
    X, y = cancer
    with pytest.raises(UserError) as caught:
        MonotoneBinner().fit(X, y).transform(X.assign(**{"mean texture": "much"}))
    assert caught.value.code == "column-kind-changed"
    assert "mean texture" in str(caught.value)


def test_a_special_value_that_is_named_twice_has_one_bin():
    X, y = messy_table()
    once = MonotoneBinner(special_values={"amount": [-999]}).fit(X, y)
    twice = MonotoneBinner(special_values={"amount": [-999, -999.0]}).fit(X, y)
    assert twice.binning_tables_["amount"].equals(once.binning_tables_["amount"])


@pytest.mark.parametrize("labels", [("good", "no"), ("yes", "later")])
def test_a_word_that_affirms_is_the_event_beside_one_that_denies_only(labels):
    y = np.array(labels, object)[np.arange(40) % 2]
    with pytest.raises(UserError) as caught:
        MonotoneBinner().fit(np.arange(40.0)[:, None], y)
    assert caught.value.diagnostic.code == "event-needed"


@pytest.mark.parametrize(
    "options",
    [
        {"max_n_bins": 1},
        {"min_bin_share": 0},
        {"min_bin_share": 1, "max_n_bins": 1},
        {"max_bin_share": 1},
    ],
    ids=str,
)
def test_the_smallest_and_the_largest_bounds_are_allowed(options, cancer):
    X, y = cancer
    tables = MonotoneBinner(**options).fit(X, y).binning_tables_
    assert min(len(table) for table in tables.values()) >= 1


@pytest.mark.parametrize(
    "options", [{"max_n_bins": 0}, {"min_bin_share": -0.01}, {"min_bin_share": 1.01}, {"max_bin_share": -0.5}], ids=str
)
def test_bounds_beyond_the_smallest_and_the_largest_are_refused(options, cancer):
    X, y = cancer
    with pytest.raises(UserError) as caught:
        MonotoneBinner(**options).fit(X, y)
    assert caught.value.code == "parameter-not-allowed"


def test_columns_without_a_bound_of_their_own_have_ten_bins_at_most():
    amount = np.arange(4000) % 40
    X = pd.DataFrame({"a": amount, "b": amount})
    y = np.random.default_rng(0).random(4000) < amount / 40
    numbers = {}
    for bounds in ({"b": 12}, {"b": 12, "*": 11}):
        binner = MonotoneBinner(max_n_bins=bounds, min_bin_share=0.01, bin_cost=0).fit(X, y)
        numbers[str(bounds)] = [len(binner.binning_tables_[name]) for name in ("a", "b")]
    assert numbers == {"{'b': 12}": [10, 12], "{'b': 12, '*': 11}": [11, 12]}
