"""The best division of bins: every division tried, the theorems on hulls, and invariances."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest

from bitsieve.discretization.monotone.bin_counts import BinCounts, Totals
from bitsieve.discretization.monotone.division import (
    OBJECTIVES,
    TIE,
    BinRules,
    divide,
    information_values,
    largest_count,
    objective_value,
    smallest_count,
    weights_of_evidence,
)
from bitsieve.discretization.monotone.hull import hull_vertices

FREE = BinRules(trend="ascending", max_n_bins=None, min_bin_share=0, min_events=0, min_nonevents=0)


def random_counts(random, n_bins, smallest=0):
    events = random.integers(smallest, 12, n_bins)
    nonevents = random.integers(smallest, 12, n_bins)
    nonevents[events + nonevents == 0] = 1
    return BinCounts(events, nonevents)


def totals_of(counts, more_events=3, more_nonevents=5):
    """The totals with some rows that are in no bin."""
    return Totals(int(counts.events.sum()) + more_events, int(counts.nonevents.sum()) + more_nonevents)


def follows(rates, trend, difference):
    """Whether the rates of neighbours follow a trend, as fractions."""
    steps = [second - first for first, second in pairwise(rates)]
    rising = [step >= difference for step in steps]
    falling = [-step >= difference for step in steps]
    n = len(steps)
    if trend == "none":
        return all(up or down for up, down in zip(rising, falling, strict=True))
    if trend == "ascending":
        return all(rising)
    if trend == "descending":
        return all(falling)
    first, second = (rising, falling) if trend == "peak" else (falling, rising)
    return any(all(first[:turn]) and all(second[turn:]) for turn in range(n + 1))


def best_of_all(counts, totals, rules):
    """The ends of the best division, by trying all; None if none keeps the rules."""
    n = len(counts)
    best = None
    for n_bins in range(rules.min_n_bins, (rules.max_n_bins or n) + 1):
        for inner in combinations(range(1, n), n_bins - 1):
            ends = np.array([*inner, n])
            bins = counts.merged(ends)
            smallest = smallest_count(rules.min_bin_share, totals.rows)
            if (bins.rows < smallest).any() or (bins.events < rules.min_events).any():
                continue
            if (bins.nonevents < rules.min_nonevents).any():
                continue
            rates = [Fraction(int(e), int(t)) for e, t in zip(bins.events, bins.rows, strict=True)]
            if not follows(rates, rules.trend, Fraction(math.floor(rules.min_rate_diff * 2**30), 2**30)):
                continue
            value = objective_value(bins, totals, rules)
            if best is None or value > best[0] + TIE:
                best = value, ends
    return best


def assert_best(counts, totals, rules):
    """The division is the best of all that keep the rules, and has as few bins as any of that value."""
    best = best_of_all(counts, totals, rules)
    division = divide(counts, totals, rules)
    assert (division.status == "infeasible") == (best is None)
    if best is not None:
        assert division.value == pytest.approx(best[0], abs=2 * TIE)
        assert len(division.bin_ends) <= len(best[1])


@pytest.mark.each_value
@pytest.mark.parametrize("trend", ["ascending", "descending", "peak", "valley", "none"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_no_division_is_better(trend, objective):
    random = np.random.default_rng(1)
    for n_bins in (1, 2, 3, 5, 8):
        for bounds in range(4):
            counts = random_counts(random, n_bins)
            totals = totals_of(counts)
            rules = BinRules(
                trend=trend,
                objective=objective,
                max_n_bins=[None, 3, 4, 6][bounds],
                min_n_bins=[1, 2, 1, 1][bounds],
                min_bin_share=[0, 0, 0.15, 0.1][bounds],
                min_events=[0, 0, 1, 2][bounds],
                min_nonevents=[0, 1, 1, 0][bounds],
                min_rate_diff=[0, 0, 0.05, 0][bounds],
            )
            assert_best(counts, totals, rules)


def test_no_division_without_bounds_is_better_than_the_gap_says():
    random = np.random.default_rng(14)
    n_bounded = 0
    for case in range(150):
        counts = random_counts(random, int(random.integers(2, 8)))
        totals = totals_of(counts)
        rules = BinRules(
            trend=["auto", "ascending", "descending"][case % 3],
            objective=random.choice(OBJECTIVES),
            max_n_bins=int(random.integers(1, 4)),
            min_bin_share=random.choice([0, 0.15, 0.3]),
            min_events=int(random.integers(0, 3)),
            min_nonevents=int(random.integers(0, 3)),
        )
        division = divide(counts, totals, rules)
        if division.bound_gap is None:
            continue
        free = replace(
            FREE,
            objective=rules.objective,
            min_events=min(rules.min_events, 1),
            min_nonevents=min(rules.min_nonevents, 1),
        )
        directions = [rules.trend] if rules.trend != "auto" else ["ascending", "descending"]
        best = [best_of_all(counts, totals, replace(free, trend=direction)) for direction in directions]
        best_value = max(found[0] for found in best if found is not None)
        assert division.value >= (1 - division.bound_gap) * best_value - TIE
        n_bounded += 1
    assert n_bounded > 75


def test_smoothed_bins_have_no_bound():
    counts = BinCounts(np.array([0, 4, 9]), np.array([9, 4, 0]))
    assert divide(counts, totals_of(counts), FREE).bound_gap is None
    assert divide(counts, totals_of(counts), replace(FREE, objective="chi2")).bound_gap == 0
    assert divide(counts, totals_of(counts), replace(FREE, min_events=1, min_nonevents=1)).bound_gap == 0


def test_rates_that_differ_by_just_so_much_are_allowed():
    counts = BinCounts(np.array([3, 5]), np.array([7, 5]))
    assert divide(counts, totals_of(counts), replace(FREE, min_rate_diff=0.2)).bin_ends.tolist() == [1, 2]
    assert divide(counts, totals_of(counts), replace(FREE, min_rate_diff=0.2001)).bin_ends.tolist() == [2]


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(10))
def test_no_division_of_up_to_eleven_bins_is_better(seed):
    random = np.random.default_rng([2, seed])
    for _ in range(50):
        counts = random_counts(random, int(random.integers(2, 12)))
        rules = BinRules(
            trend=random.choice(["ascending", "descending", "peak", "valley", "none"]),
            objective=random.choice(OBJECTIVES),
            max_n_bins=random.choice([None, 3, 4, 6]),
            min_n_bins=int(random.integers(1, 3)),
            min_bin_share=random.choice([0, 0, 0.1, 0.15]),
            min_events=int(random.integers(0, 3)),
            min_nonevents=int(random.integers(0, 3)),
            min_rate_diff=random.choice([0, 0, 0.05]),
        )
        assert_best(counts, totals_of(counts), rules)


def test_of_equal_divisions_the_one_of_fewest_bins_and_smallest_ends_is_taken():
    equal_rates = BinCounts(np.array([2, 4, 6]), np.array([1, 2, 3]))
    assert divide(equal_rates, totals_of(equal_rates), FREE).bin_ends.tolist() == [3]
    symmetric = BinCounts(np.array([1, 5, 1]), np.array([5, 1, 5]))
    rules = replace(FREE, trend="none", max_n_bins=2)
    assert divide(symmetric, Totals(7, 11), rules).bin_ends.tolist() == [1, 3]


def test_without_bounds_the_best_ascending_division_is_the_hull():
    random = np.random.default_rng(2)
    for _ in range(60):
        counts = random_counts(random, int(random.integers(1, 12)), smallest=1)
        totals = totals_of(counts)
        for objective in OBJECTIVES:
            division = divide(counts, totals, replace(FREE, objective=objective))
            at_hull = objective_value(counts.merged(hull_vertices(counts)), totals, replace(FREE, objective=objective))
            assert division.value == pytest.approx(at_hull, abs=2 * TIE)
            assert division.bound_gap == pytest.approx(0, abs=1e-9)  # a share of a value that may be small


def test_with_a_limit_on_the_number_of_bins_the_ends_are_vertices_of_the_hull():
    random = np.random.default_rng(3)
    for _ in range(60):
        counts = random_counts(random, 10, smallest=1)
        division = divide(counts, totals_of(counts), replace(FREE, max_n_bins=3))
        of_hull = divide(
            counts.merged(hull_vertices(counts)), totals_of(counts), replace(FREE, max_n_bins=3, trend="none")
        )
        assert division.value == pytest.approx(of_hull.value, abs=2 * TIE)


def test_more_freedom_is_never_worse():
    random = np.random.default_rng(4)
    for _ in range(20):
        counts = random_counts(random, 9, smallest=1)
        totals = totals_of(counts)
        tight = BinRules(trend="ascending", max_n_bins=2, min_bin_share=0.1)
        value = divide(counts, totals, tight).value
        assert divide(counts, totals, replace(tight, max_n_bins=4)).value >= value - TIE
        assert divide(counts, totals, replace(tight, min_bin_share=0)).value >= value - TIE
        assert divide(counts, totals, replace(tight, trend="peak")).value >= value - TIE
        assert divide(counts, totals, replace(tight, trend="auto")).value >= value - TIE


def test_classes_exchanged_the_trend_is_reversed():
    random = np.random.default_rng(5)
    for _ in range(20):
        counts = random_counts(random, 8, smallest=1)
        totals = totals_of(counts)
        exchanged = BinCounts(counts.nonevents, counts.events)
        ascending = divide(counts, totals, BinRules(trend="ascending"))
        descending = divide(exchanged, Totals(totals.nonevents, totals.events), BinRules(trend="descending"))
        assert ascending.bin_ends.tolist() == descending.bin_ends.tolist()
        assert ascending.value == pytest.approx(descending.value, abs=TIE)


def test_no_bin_has_a_negative_information_value_whatever_the_smoothing():
    random = np.random.default_rng(6)
    for _ in range(50):
        counts = random_counts(random, 6)
        totals = totals_of(counts)
        for smoothing in (0, 0.5, 1, 50):
            for smooth_all in (False, True):
                terms = information_values(counts, totals, smoothing, smooth_all=smooth_all)
                assert (terms >= 0).all()
                assert np.isfinite(weights_of_evidence(counts, totals, smoothing, smooth_all=smooth_all)).all()


def test_shares_are_counts_of_rows():
    assert smallest_count(0.07, 100) == 7  # .07 * 100 is above 7 in floats
    assert smallest_count(0.071, 100) == 8
    assert largest_count(0.29, 100) == 29  # .29 * 100 is below 29 in floats


def test_counts_beyond_32_bits():
    counts = BinCounts(np.array([2**36, 2**37]), np.array([2**37, 2**36]))
    division = divide(counts, Totals(3 * 2**36, 3 * 2**36), FREE)
    assert division.bin_ends.tolist() == [1, 2]
    assert divide(counts, Totals(3 * 2**36, 3 * 2**36), replace(FREE, trend="descending")).bin_ends.tolist() == [2]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_auto_takes_the_direction_of_the_larger_value_less_the_cost_of_bins(objective):
    random = np.random.default_rng(7)
    for _ in range(30):
        counts = random_counts(random, 6, smallest=1)
        totals = totals_of(counts)
        rules = replace(FREE, trend="auto", objective=objective, bin_cost=0.5)
        cost = rules.bin_cost * totals.unit_of_bias

        def less_cost(division, cost=cost):
            return division.value - cost * len(division.bin_ends)

        directions = [divide(counts, totals, replace(rules, trend=trend)) for trend in ("ascending", "descending")]
        assert less_cost(divide(counts, totals, rules)) == pytest.approx(max(map(less_cost, directions)), abs=2 * TIE)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("smallest", [0, 1])
def test_a_direction_that_is_left_out_could_not_win(objective, smallest):
    random = np.random.default_rng(11)
    for _ in range(60):
        counts = random_counts(random, 9, smallest)
        if not (counts.events.any() and counts.nonevents.any()):
            continue
        totals = totals_of(counts)
        rules = BinRules(
            objective=objective,
            max_n_bins=int(random.integers(1, 6)),
            min_bin_share=float(random.choice([0, 0.1, 0.25])),
            min_events=int(random.integers(0, 3)),
            bin_cost=float(random.choice([0, 1])),
        )
        both = [divide(counts, totals, replace(rules, trend=trend)) for trend in ("ascending", "descending")]
        cost = rules.bin_cost * totals.unit_of_bias
        net = [division.value - cost * len(division.bin_ends) for division in both if division.status == "optimal"]
        best = divide(counts, totals, rules)
        if net:
            assert best.value - cost * len(best.bin_ends) >= max(net) - 2 * TIE


def values_of_bins(counts, totals, objective):
    """The part of each bin in the objective."""
    if objective == "iv":
        return information_values(counts, totals)
    event_rate = totals.event_rate
    excess = counts.events - counts.rows * event_rate
    return excess**2 / counts.rows / totals.rows / (event_rate * (1 - event_rate))


def best_value_of_all_bins(counts, totals, rules):
    """The largest value of a division that rises or has a peak, by a table of all bins for each number of bins."""
    n = len(counts)
    begins, ends = np.triu_indices(n + 1, 1)
    events = np.append(0, np.cumsum(counts.events))
    rows = np.append(0, np.cumsum(counts.rows))
    n_events = events[ends] - events[begins]
    n_rows = rows[ends] - rows[begins]
    is_allowed = n_rows >= smallest_count(rules.min_bin_share, totals.rows)
    is_allowed &= (n_events >= rules.min_events) & (n_rows - n_events >= rules.min_nonevents)
    values = values_of_bins(BinCounts(n_events, n_rows - n_events), totals, rules.objective)
    value = np.full((n + 1, n + 1), -np.inf)
    value[begins, ends] = np.where(is_allowed, values, -np.inf)
    rate = np.full((n + 1, n + 1), np.nan)
    rate[begins, ends] = n_events / n_rows  # of few rows: equal fractions are equal numbers
    rising = np.full_like(value, -np.inf)  # the best divisions by their last bin
    rising[0] = value[0]
    falling = np.full_like(value, -np.inf)
    best = rising[:, n].max()
    for _ in range(1, rules.max_n_bins or n):
        longer_rising = np.full_like(value, -np.inf)
        longer_falling = np.full_like(value, -np.inf)
        for begin in range(1, n):
            rate_before = rate[:begin, begin][:, np.newaxis]
            before_rising = rising[:begin, begin][:, np.newaxis]
            rises = rate_before <= rate[begin][np.newaxis]
            longer_rising[begin] = value[begin] + np.where(rises, before_rising, -np.inf).max(axis=0)
            if rules.trend == "peak":
                before_falling = np.maximum(before_rising, falling[:begin, begin][:, np.newaxis])
                falls = rate_before >= rate[begin][np.newaxis]
                longer_falling[begin] = value[begin] + np.where(falls, before_falling, -np.inf).max(axis=0)
        rising = longer_rising
        falling = longer_falling
        best = max(best, rising[:, n].max(), falling[:, n].max())
    return best


@pytest.mark.each_value
@pytest.mark.parametrize("objective", ["iv", "chi2"])
@pytest.mark.parametrize("max_n_bins", [2, 6, 20])
def test_cuts_that_are_left_out_of_the_search_have_no_better_division(objective, max_n_bins):
    random = np.random.default_rng([12, max_n_bins])
    for slope in (0, 0.5, 3):  # from a column of chance to one that separates the classes
        n_bins = int(random.integers(70, 90))
        rows = random.integers(1, 8, n_bins)
        events = random.binomial(rows, 1 / (1 + np.exp(1 - slope * np.linspace(-1, 1, n_bins))))
        counts = BinCounts(events, rows - events)
        backwards = BinCounts(counts.events[::-1], counts.nonevents[::-1])
        totals = totals_of(counts)
        for share in (0, 0.05):
            rules = BinRules(trend="ascending", objective=objective, max_n_bins=max_n_bins, min_bin_share=share)
            best = best_value_of_all_bins(counts, totals, rules)
            assert divide(counts, totals, rules).value == pytest.approx(best, abs=2 * TIE)
            falling = divide(backwards, totals, replace(rules, trend="descending"))
            assert falling.value == pytest.approx(best, abs=2 * TIE)


@pytest.mark.each_value
@pytest.mark.parametrize("objective", ["iv", "chi2"])
@pytest.mark.parametrize("max_n_bins", [2, 3, 7, None])
def test_cuts_that_are_left_out_of_the_search_have_no_better_peak(objective, max_n_bins):
    random = np.random.default_rng([13, max_n_bins or 0])
    for height in (0, 0.5, 3):  # from a column of chance to one with a steep peak in the middle
        n_bins = int(random.integers(66, 80))
        rows = random.integers(1, 8, n_bins)
        events = random.binomial(rows, 1 / (1 + np.exp(1 - height * np.cos(np.linspace(-3, 3, n_bins)))))
        counts = BinCounts(events, rows - events)
        totals = totals_of(counts)
        for share in (0, 0.05):
            for min_events, min_nonevents in ((1, 1), (3, 1)):
                rules = BinRules(
                    trend="peak",
                    objective=objective,
                    max_n_bins=max_n_bins,
                    min_bin_share=share,
                    min_events=min_events,
                    min_nonevents=min_nonevents,
                )
                best = best_value_of_all_bins(counts, totals, rules)
                assert divide(counts, totals, rules).value == pytest.approx(best, abs=2 * TIE)
                exchanged_rules = replace(rules, trend="valley", min_events=min_nonevents, min_nonevents=min_events)
                exchanged = divide(counts.swapped, totals.swapped, exchanged_rules)
                assert exchanged.value == pytest.approx(best, abs=2 * TIE)
