"""What chance gives: the law of the number of levels, the mean, p values on noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from bitsieve import MonotoneBinner
from bitsieve.discretization.monotone.bin_counts import BinCounts, Totals
from bitsieve.discretization.monotone.chance import (
    ENOUGH_ABOVE,
    N_SHUFFLES,
    Merging,
    expected_value,
    p_of_fixed_bins,
    p_of_merged_bins,
    p_of_monotone_bins,
    probabilities_of_n_bins,
)
from bitsieve.discretization.monotone.division import TIE, BinRules, divide, information_values


def stirling_probabilities(n):
    """|Stirling1(n, l)| / n! by the recurrence: value k begins a level with the probability 1 / k."""
    probabilities = np.array([1.0])
    for k in range(1, n + 1):
        probabilities = np.append(probabilities * (1 - 1 / k), 0) + np.append(0, probabilities / k)
    return probabilities[1:]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 256, 257, 300, 1500])
def test_the_number_of_levels(n):
    probabilities = probabilities_of_n_bins(n)
    expected = stirling_probabilities(n)[: len(probabilities)]
    is_normal = expected > 1e-300  # smaller numbers have fewer digits
    assert probabilities[is_normal][:100] == pytest.approx(expected[is_normal][:100], rel=1e-11)  # 1,500 factors
    assert probabilities.sum() == pytest.approx(1, abs=1e-12)


def test_p_of_many_bins_is_exact_where_it_is_tiny():
    """Of two bins or more the tail of chi-square with the probability of that number of bins, not of rounding."""
    totals = Totals(10**6, 10**6)
    for statistic in (100.0, 400.0, 1000.0):
        value = statistic * totals.unit_of_bias
        weights = stirling_probabilities(1500)[:256]
        expected = (weights[1:] * chi2.sf(statistic, np.arange(1, 256))).sum()
        p = p_of_monotone_bins(value, totals, 1500, 0, either_direction=False)
        assert p == pytest.approx(expected, rel=1e-10)  # 1,500 factors
        assert p > 0


def test_the_mean_for_fixed_bins():
    random = np.random.default_rng(0)
    n_rows, n_bins = 2000, 10
    values = []
    for _ in range(400):
        bins = random.integers(0, n_bins, n_rows)
        is_event = random.random(n_rows) < 0.3
        counts = BinCounts(
            np.bincount(bins[is_event], minlength=n_bins), np.bincount(bins[~is_event], minlength=n_bins)
        )
        totals = Totals(int(is_event.sum()), int((~is_event).sum()))
        values.append(information_values(counts, totals).sum() / expected_value(n_bins, totals))
    assert np.mean(values) == pytest.approx(1, abs=0.08)  # 3 standard errors of 400 values of chi-square(9) / 9


def test_p_of_fixed_bins_is_that_of_shuffles():
    counts = BinCounts(np.array([30, 20, 10]), np.array([20, 25, 30]))
    totals = Totals(60, 75)
    random = np.random.default_rng(0)
    value = information_values(counts, totals).sum()
    shuffled = random.multivariate_hypergeometric(counts.rows, totals.events, size=4000)
    values = [information_values(BinCounts(events, counts.rows - events), totals).sum() for events in shuffled]
    assert p_of_fixed_bins(counts, totals, 1.0) == pytest.approx(np.mean(np.array(values) >= value), abs=0.01)


def test_p_of_a_single_merged_bin_is_that_of_fixed_bins():
    """One bin can be merged with no other: all bins are fixed."""
    counts = BinCounts(np.array([30, 20, 10]), np.array([20, 25, 30]))
    totals = Totals(60, 75)
    value = information_values(counts, totals, 1.0).sum()
    merging = Merging(counts.take(np.array([0])), 1, BinRules(smoothing=1.0), ordered_by_rate=True)
    p = p_of_merged_bins(value, merging, counts.take(np.array([1, 2])), totals)
    standard_error = p / np.sqrt(ENOUGH_ABOVE)  # the shuffles end after so many with at least this value
    assert p == pytest.approx(p_of_fixed_bins(counts, totals, 1.0), abs=4 * standard_error)


@pytest.mark.slow("a rate over many seeded columns")
@pytest.mark.parametrize("kind", ["normal", "few values", "with missing values", "categories"])
def test_p_holds_its_level_on_noise(kind):
    random = np.random.default_rng(1)
    n_rejected = 0
    n_columns = 200
    for _ in range(n_columns // 50):
        y = (random.random(600) < 0.2).astype(int)
        X = random.normal(size=(600, 50))
        if kind == "few values":
            X = np.round(X)
        if kind == "with missing values":
            X[random.random(X.shape) < 0.2] = np.nan
        if kind == "categories":
            X = np.char.add("c", random.integers(0, 8, X.shape).astype(str)).astype(object)
        n_rejected += int((MonotoneBinner().fit(X, y).p_values_ <= 0.05).sum())
    assert n_rejected / n_columns <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / n_columns)


def share_of_searches(value, merging, fixed, totals):
    """p by a search for the best division after every shuffle."""
    random = np.random.default_rng(0)
    rows = np.append(merging.counts.rows, fixed.rows)
    n_above = 0
    for n_shuffles in range(1, N_SHUFFLES + 1):
        events = random.multivariate_hypergeometric(rows, totals.events, method="marginals")
        shuffled = BinCounts(events, rows - events)
        free = shuffled.take(np.arange(len(merging.counts)))
        division = divide(free, totals, merging.rules)
        best = information_values(free.merged(division.bin_ends), totals, merging.rules.smoothing).sum()
        of_fixed = shuffled.take(np.arange(len(merging.counts), len(rows)))
        best += information_values(of_fixed, totals, merging.rules.smoothing).sum()
        n_above += best >= value - TIE
        if n_above == ENOUGH_ABOVE:
            return n_above / n_shuffles
    return (1 + n_above) / (1 + N_SHUFFLES)


@pytest.mark.parametrize("strength", [0.0, 0.06, 0.2])
@pytest.mark.parametrize("n_fixed", [0, 2])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_n_bins": 3, "min_bin_share": 0.1},
        {"max_n_bins": None, "min_bin_share": 0.2, "max_bin_share": 0.5},
        {"min_events": 0, "min_nonevents": 0, "min_bin_share": 0.0, "smoothing": 0.5},
        {"objective": "gini", "max_n_bins": 4},
        {"bin_cost": 1.0, "min_rate_diff": 0.02},
        {"min_n_bins": 4, "max_n_bins": 5, "min_bin_share": 0.22},
    ],
)
@pytest.mark.parametrize("trend", ["none", "peak", "valley"])
@pytest.mark.each_value
def test_p_is_that_of_a_search_after_every_shuffle(trend, options, n_fixed, strength):
    """Whatever bounds decide: the same number."""
    random = np.random.default_rng(7)
    rows = random.integers(1, 30, 14 + n_fixed)
    rates = 0.3 + strength * np.sin(np.arange(len(rows)))
    events = random.binomial(rows, rates)
    counts = BinCounts(events, rows - events)
    totals = Totals(int(events.sum()), int((rows - events).sum()))
    free, fixed = counts.take(np.arange(14)), counts.take(np.arange(14, len(rows)))
    rules = BinRules(trend=trend, **options)
    found = divide(free, totals, rules)
    value = information_values(free.merged(found.bin_ends), totals, rules.smoothing).sum()
    value += information_values(fixed, totals, rules.smoothing).sum()
    merging = Merging(free, len(free), rules, ordered_by_rate=False)
    assert p_of_merged_bins(value, merging, fixed, totals) == share_of_searches(value, merging, fixed, totals)


UNBOUNDED = {"max_n_bins": None, "min_bin_share": 0, "min_events": 0, "min_nonevents": 0}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("pre_bins", "options"),
    [
        ("equal", {}),
        ("equal", {"max_n_bins": 5}),
        ("equal", UNBOUNDED),
        ("unequal", {}),
        ("unequal", UNBOUNDED),
        ("unequal", {"trend": "peak"}),
    ],
)
def test_p_holds_its_level_on_500_columns(pre_bins, options):
    random = np.random.default_rng(5)
    n_rows, n_columns, n_values = 3000, 500, 40
    n_rejected = 0
    for _ in range(n_columns // 50):
        y = (np.arange(n_rows) < n_rows // 10).astype(int)
        columns = []
        for _ in range(50):
            shares = np.full(n_values, 1 / n_values) if pre_bins == "equal" else random.dirichlet(np.ones(n_values))
            columns.append(random.choice(n_values, n_rows, p=shares))
        n_rejected += int((MonotoneBinner(**options).fit(np.column_stack(columns), y).p_values_ <= 0.05).sum())
    assert n_rejected / n_columns <= 0.06  # one standard error above the level
