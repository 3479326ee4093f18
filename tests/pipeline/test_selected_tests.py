"""How each selected column is shown to be informative: alone, with others, or not."""

import numpy as np
import pytest
from scipy.stats import binom
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.methods.by_counts.stopping.permutation import PermutationStopping
from bitsieve.pipeline import selected_tests, shuffle_tests

METHODS = ["mim", "cmim", "jmi", "mrmr"]


def states_by_column(selection):
    return dict(zip(selection.indices.tolist(), selection.informative_state, strict=True))


@pytest.mark.each_value
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n_features", "order"), [(5, 3), (8, 2), (8, 4)])
def test_no_partner_of_a_parity_is_called_uninformative(method, n_features, order):
    """The class is the parity of 2, 3 or 4 columns, none of which is informative without the others."""
    for seed in range(2):
        X = np.random.default_rng(seed).integers(0, 2, (300, n_features))
        y = X[:, :order].sum(axis=1) % 2
        states = states_by_column(bitsieve.select(X, y, method=method, n_features_to_select=n_features))
        assert {states[j] for j in range(order)} <= {"alone", "with others"}


def test_a_column_that_rows_are_too_few_to_test_is_not_called_uninformative():
    """Twenty columns have more combinations than there are rows, so that a parity of three cannot be shown."""
    X = np.random.default_rng(0).integers(0, 2, (300, 20))
    selection = bitsieve.select(X, X[:, :3].sum(axis=1) % 2, n_features_to_select=20)
    assert {*selection.informative_state} == {"not tested"}
    assert selection.informative.all()


def test_every_presentation_has_the_same_words():
    random = np.random.default_rng(1)
    X = random.integers(0, 2, (400, 5))
    y = 2 * (X[:, 0] ^ X[:, 1]) + np.where(random.random(400) < 0.9, X[:, 3], 1 - X[:, 3])
    selection = bitsieve.select(X, y, n_features_to_select=5)
    states = states_by_column(selection)
    assert states == {0: "with others", 1: "with others", 2: "not shown", 3: "alone", 4: "not shown"}
    assert [feature["informative_state"] for feature in selection.to_dict()["features"]] == selection.informative_state
    assert selection.to_frame()["informative_state"].tolist() == selection.informative_state
    assert "with others" in selection._repr_html_()
    assert "with others" in str(selection)
    (note,) = [note for note in selection.diagnostics if note.code == "partly-informative"]
    assert note.message.endswith("1 alone, 2 with others, 2 not shown")
    assert sorted(note.columns) == ["x2", "x4"]


def test_a_column_that_only_a_stopping_rule_took_is_informative_by_rule():
    random = np.random.default_rng(3)
    X = random.integers(0, 2, (300, 6))
    y = np.where(random.random(300) < 0.9, X[:, 0], 1 - X[:, 0])
    rule = bitsieve.ThresholdStopping(0.0001)
    selection = bitsieve.select(X, y, stopping=rule, n_features_to_select="auto")
    assert {*selection.informative_state} == {"alone", "by rule"}


@pytest.mark.slow("a rate over many seeded tables")
@pytest.mark.parametrize("n_runs", quick_and_slow([40, 400], quick={40}, reason="400 tables"))
def test_noise_is_seldom_called_informative(n_runs):
    """At most 7.5 % of data sets (2.5 % alone, with one other, and given all others), but for one in a thousand."""
    wrong = 0
    for seed in range(n_runs):
        random = np.random.default_rng(seed)
        X = random.integers(0, 3, (300, 12))
        method = METHODS[seed % len(METHODS)]
        selection = bitsieve.select(X, random.integers(0, 2, 300), method=method, n_features_to_select=4)
        wrong += bool({"alone", "with others"} & {*selection.informative_state})
    assert wrong <= binom.ppf(1 - 1e-3, n_runs, 0.075)


@pytest.mark.parametrize("method", ["mim", "fcbf"])
def test_a_strong_column_within_strata_is_informative_alone_where_cells_expect_few_samples(method):
    """Shuffles alone cannot show a column that was cut by the class: their p is never below one in their number."""
    random = np.random.default_rng(0)
    n_samples = 6_000
    strata = random.integers(0, 12, n_samples)
    y = (random.random(n_samples) < 0.1).astype(int)
    X = random.normal(size=(n_samples, 10))
    X[:, 3] += 3 * y
    selection = bitsieve.select(X, y, strata=strata, method=method, n_features_to_select=2)
    states = states_by_column(selection)
    assert states.pop(3) == "alone"
    assert "alone" not in states.values()


def test_partners_that_were_cut_are_informative_together_where_cells_expect_few_samples():
    """Where the third column has its rare value few rows are left, and shuffles cannot show a column that was cut."""
    random = np.random.default_rng(2)
    n_samples = 2_000
    X = random.normal(size=(n_samples, 3))
    is_rare = random.random(n_samples) < 0.03
    X[:, 2] = np.where(is_rare, 5.0, 0.0)
    parity = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    y = np.where(is_rare & (random.random(n_samples) < 0.7), 1, parity)
    strata = random.integers(0, 5, n_samples)
    selection = bitsieve.select(X, y, strata=strata, method="jmi", n_features_to_select=3, uncut="median")
    assert states_by_column(selection) == {0: "with others", 1: "with others", 2: "alone"}


def test_shuffles_of_all_selected_columns_together_are_bounded(monkeypatch):
    """Beyond the bound no column is shuffled, and fewer are shown to be informative."""
    random = np.random.default_rng(6)
    strata = random.integers(0, 20, 200)
    y = random.integers(0, 2, 200)
    X = random.integers(0, 4, (200, 6))
    X[:, 0] = np.where(random.random(200) < 0.55, 3 * y, X[:, 0])
    X[:, 1] = np.where(random.random(200) < 0.9, 3 * y, X[:, 1])
    options = {"strata": strata.astype(str), "binning": "none", "target_kind": "classes", "n_features_to_select": 3}

    def shown():
        selection = bitsieve.select(X, y, **options)
        return {j for j, state in states_by_column(selection).items() if state == "alone"}

    monkeypatch.setattr(shuffle_tests, "MAX_VALUES_TESTED", 0)
    with_shuffles = shown()
    monkeypatch.setattr(selected_tests, "MAX_CODES_SHUFFLED", 0)
    monkeypatch.setattr(PermutationStopping, "value", None)  # no shuffle is made
    by_bound = shown()
    assert with_shuffles == {0, 1}
    assert by_bound == {1}
