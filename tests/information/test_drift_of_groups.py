"""Drift of rows that belong together: chance and p by shuffles of whole groups."""

from itertools import permutations
from math import exp, log

import numpy as np
import pytest

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.search import ExchangeableUnits
from bitsieve.information.drift import Combinations, drift_of_table
from bitsieve.information.drift_of_groups import N_SHUFFLES, drift_of_groups

N_PERIODS = 3


def measured(codes, period, label, groups, strata=None):
    """The drift with the chance of rows, and with that of groups; both from samples in any order."""
    strata = np.zeros_like(period) if strata is None else strata
    shape = int(period.max()) + 1, int(label.max()) + 1, int(strata.max()) + 1
    combination = np.ravel_multi_index((period, label, strata), shape)
    order = np.argsort(combination, kind="stable")
    n_classes = int(np.prod(shape))
    source = PackedSource(codes[order].astype(np.uint8), combination[order], n_classes=n_classes)
    combinations = Combinations(*np.unravel_index(np.arange(n_classes), shape))
    columns = np.arange(codes.shape[1])
    by_rows = drift_of_table(source, combinations, columns)
    return by_rows, drift_of_groups(source, combinations, columns, groups[order], by_rows)


@pytest.fixture
def random():
    return np.random.default_rng(5)


@pytest.fixture
def samples(random):
    """Codes of 5 columns, periods and classes of 120 samples, of which nothing depends on anything."""
    return random.integers(0, 4, (120, 5)), random.integers(0, N_PERIODS, 120), random.integers(0, 2, 120)


def bits_of(drift):
    relations = drift.columns.relations
    return np.stack([drift.columns.shift.bits, relations.shift_within_classes.bits, relations.relation.bits])


def test_groups_of_one_sample_have_the_chance_of_samples(samples):
    """The mean over shuffles is an estimate of the exact one: 199 shuffles, their deviation below 0.03 bits."""
    codes, period, label = samples
    by_rows, by_groups = measured(codes, period, label, np.arange(len(period)))
    tolerance = 5 * 0.03 / np.sqrt(N_SHUFFLES)  # five standard errors
    assert bits_of(by_groups) == pytest.approx(bits_of(by_rows), abs=tolerance)
    assert by_groups.shift_of_classes == pytest.approx(by_rows.shift_of_classes, abs=tolerance)


def test_samples_that_stand_four_times_are_no_more_evidence(samples):
    codes, period, label = samples
    alone, _ = measured(codes, period, label, np.arange(len(period)))
    repeated = np.repeat(np.arange(len(period)), 4)
    by_rows, by_groups = measured(codes[repeated], period[repeated], label[repeated], repeated)
    tolerance = 5 * 0.03 / np.sqrt(N_SHUFFLES)
    assert bits_of(by_groups) == pytest.approx(bits_of(alone), abs=tolerance)
    assert (by_rows.columns.shift.log_p < by_groups.columns.shift.log_p).all()
    # The gamma distribution has the mean and variance of the shuffles, not their tail: p differs by a factor.
    factor = np.abs(by_groups.columns.shift.log_p - alone.columns.shift.log_p)
    assert (factor < log(2)).all()


def test_period_that_determines_a_column_is_found_in_every_design(random):
    """Whole groups of one period, and groups that lie in all periods."""
    whole = np.repeat(np.arange(60), 3)
    for groups, period in ((whole, whole % N_PERIODS), (whole, np.arange(180) % N_PERIODS)):
        codes = np.stack([period, random.integers(0, 3, 180)], axis=1)
        _, by_groups = measured(codes, period, random.integers(0, 2, 180), groups)
        assert by_groups.columns.shift.log_p[0] < log(1e-6)
        assert by_groups.columns.shift.log_p[1] > log(1e-3)


def test_p_is_not_below_one_in_the_number_of_arrangements():
    groups = np.repeat(np.arange(4), 50)
    period = groups // 2  # two groups of two periods each: six arrangements
    codes = period[:, None].copy()
    _, by_groups = measured(codes, period, np.arange(200) % 2, groups)
    assert by_groups.columns.shift.log_p[0] >= -log(6) - 1e-12  # a difference of sums of logarithms


def test_arrangements_are_those_of_brute_force():
    groups = np.array([0, 0, 1, 1, 2, 3, 4, 4, 4])
    classes = np.array([0, 0, 1, 1, 0, 2, 0, 1, 0])  # group 4 has two classes: its samples are units
    units = ExchangeableUnits.of(groups, classes)
    whole = {tuple(p) for p in permutations([0, 1, 0, 2])}
    within = {tuple(p) for p in permutations([0, 1, 0])}
    n_arrangements = exp(units.log_arrangements(classes, np.zeros(9, np.int64)))
    assert round(n_arrangements) == len(whole) * len(within)
    seeds = np.arange(2000, dtype=np.uint64)
    drawn = {tuple(row) for row in units.shuffled(classes, np.zeros(9, np.int64), seeds).tolist()}
    assert len(drawn) == len(whole) * len(within)


def test_within_classes_of_strata_a_class_that_is_the_period_has_no_drift(random):
    """Each class of a stratum is of one period, also after every shuffle."""
    period, strata = random.integers(0, 2, 120), random.integers(0, 2, 120)
    codes = random.integers(0, 3, (120, 4))
    for label in (period, (period + strata) % 2):
        _, by_groups = measured(codes, period, label, np.arange(120), strata)
        assert by_groups.columns.relations.shift_within_classes.bits.tolist() == [0.0] * 4
