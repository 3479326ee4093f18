"""Drift by its closed forms, by the identities between its quantities, and by the engine's estimators."""

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve.counts.packed import PackedSource
from bitsieve.information import make_information, make_information_within_strata
from bitsieve.information.drift import Combinations, drift_of_classes, drift_of_columns

ROUNDING = 1e-12  # sums of a few dozen floats of about one bit
SERIES = 1e-6  # bits: the mean over shuffles of large cells is a series in both programs, of different order


def entropy(*columns):
    joint_codes = np.ravel_multi_index(columns, [column.max() + 1 for column in columns])
    counts = np.bincount(joint_codes)
    shares = counts[counts > 0] / counts.sum()
    return -(shares * np.log2(shares)).sum()


def conditional_information(x, y, *given):
    if not given:
        return entropy(x) + entropy(y) - entropy(x, y)
    return entropy(x, *given) + entropy(y, *given) - entropy(x, y, *given) - entropy(*given)


def table(n_strata=1, n=600, seed=0):
    random = np.random.default_rng(seed)
    period = random.integers(0, 3, n)
    label = (random.random(n) < 0.3 + 0.2 * period).astype(int)
    stratum = random.integers(0, n_strata, n)
    X = np.column_stack([random.integers(0, 4, n), (label + random.integers(0, 3, n)) % 4, (period + stratum) % 3])
    return X, period, label, stratum


def source_and_combinations(X, period, label, stratum):
    rows = np.column_stack([period, label, stratum])
    combinations, classes = np.unique(rows, axis=0, return_inverse=True)
    source = PackedSource(X.astype(np.uint16), classes.reshape(-1))
    return source, Combinations(*combinations.T)


def drift_of(X, period, label, stratum):
    source, combinations = source_and_combinations(X, period, label, stratum)
    return drift_of_columns(source, combinations, np.arange(X.shape[1]))


def mean_over_shuffles(quantity, column, blocks, n=400, seed=1):
    random = np.random.default_rng(seed)
    total = 0.0
    for _ in range(n):
        shuffled = column.copy()
        for block in np.unique(blocks):
            rows = np.flatnonzero(blocks == block)
            shuffled[rows] = random.permutation(shuffled[rows])
        total += quantity(shuffled)
    return total / n


@pytest.mark.parametrize("n_strata", [1, 3])
def test_drift_is_plug_in_information_less_its_mean_over_shuffles(n_strata):
    X, period, label, stratum = table(n_strata, n=200)
    drift = drift_of(X, period, label, stratum)
    for j, x in enumerate(X.T):

        def shift(column):
            return conditional_information(column, period, stratum)

        def shift_within(column):
            return conditional_information(column, period, label, stratum)

        expected = shift(x) - mean_over_shuffles(shift, x, stratum)
        assert drift.shift.bits[j] == pytest.approx(expected, abs=0.005)  # 400 shuffles
        blocks = label * n_strata + stratum
        expected = shift_within(x) - mean_over_shuffles(shift_within, x, blocks)
        assert drift.relations.shift_within_classes.bits[j] == pytest.approx(expected, abs=0.005)


def test_drift_is_what_the_engine_says_of_the_period_as_class():
    X, period, label, stratum = table()
    drift = drift_of(X, period, label, stratum)
    of_period = PackedSource(X.astype(np.uint16), period)
    assert drift.shift.bits == pytest.approx(make_information("corrected", of_period).relevance, abs=SERIES)
    of_period.strata = label[np.argsort(period, kind="stable")].astype(np.int64)
    within = make_information_within_strata("corrected", of_period).relevance
    assert drift.relations.shift_within_classes.bits == pytest.approx(within, abs=SERIES)


def test_relevance_of_a_period_is_that_of_its_rows():
    X, period, label, stratum = table()
    drift = drift_of(X, period, label, stratum)
    for t in range(3):
        rows = period == t
        source = PackedSource(X[rows].astype(np.uint16), label[rows])
        expected = make_information("corrected", source).relevance
        assert drift.relations.relevance[:, t] == pytest.approx(expected, abs=SERIES)


def test_chain_rule_of_plug_in_values():
    X, period, label, _ = table(n=3000)
    for x in X.T:
        left = conditional_information(x, period, label) + conditional_information(label, period)
        right = conditional_information(x, period) + conditional_information(label, period, x)
        assert left == pytest.approx(right, abs=ROUNDING)


def test_a_relevant_column_moves_with_the_mix_of_the_classes_but_not_within_them():
    random = np.random.default_rng(5)
    period = np.repeat([0, 1], 4000)
    label = (random.random(8000) < np.where(period == 0, 0.2, 0.6)).astype(int)
    X = np.column_stack([(label + (random.random(8000) < 0.1)) % 2, random.integers(0, 3, 8000)])
    source, combinations = source_and_combinations(X, period, label, np.zeros(8000, int))
    drift = drift_of_columns(source, combinations, np.arange(2))
    assert drift.shift.bits[0] > 0.05
    assert abs(drift.relations.shift_within_classes.bits[0]) < 0.001
    # A column without relation to the class has the change of the mix of the classes itself.
    assert drift.relations.relation.bits[1] == pytest.approx(drift_of_classes(source, combinations), abs=0.001)


def test_a_constant_column_has_the_relation_of_the_classes_within_the_strata():
    X, period, label, stratum = table(3)
    source, combinations = source_and_combinations(np.zeros_like(X), period, label, stratum)
    drift = drift_of_columns(source, combinations, np.arange(1))
    assert drift.relations.relation.bits[0] == pytest.approx(drift_of_classes(source, combinations), abs=ROUNDING)


@pytest.mark.slow("three hundred tables")
def test_level_of_p_over_seeded_tables():
    smallest = []
    for seed in range(300):
        random = np.random.default_rng(seed)
        period = random.integers(0, 4, 200)
        label = (random.random(200) < 0.2 + 0.2 * period).astype(int)
        x = (label + random.integers(0, 4, 200)) % 5
        drift = drift_of(x[:, None], period, label, np.zeros(200, int))
        smallest.append(np.exp(drift.relations.shift_within_classes.log_p[0]))
    share = np.mean(np.array(smallest) <= 0.05)
    assert 0.02 <= share <= 0.09  # three standard errors about the level: 0.012 each


@pytest.mark.nightly
def test_levels_of_drift_over_many_sets():
    """Of 500 columns that do not move, about a twentieth has p of at most 0.05, for each of the three questions."""
    n_sets = 500
    level = 0.05
    n_rejected = {"shift": 0, "within classes": 0, "relation": 0}
    for seed in range(n_sets):
        random = np.random.default_rng(seed)
        period = random.integers(0, 4, 400)
        label = random.integers(0, 2, 400)
        data = pd.DataFrame({"x": random.normal(size=400) + label, "month": period, "ill": label})
        found = bitsieve.drift(data, "month", "ill")
        n_rejected["shift"] += int(found.shift.p[0] <= level)
        n_rejected["within classes"] += int(found.shift_within_classes.p[0] <= level)
        n_rejected["relation"] += int(found.relation.p[0] <= level)
    standard_error = np.sqrt(level * (1 - level) / n_sets)
    for question, count in n_rejected.items():
        assert abs(count / n_sets - level) < 3 * standard_error, question
