"""The bins of a single column."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest

from bitsieve.dataset.encoding import Encoded
from bitsieve.discretization.monotone.bin_counts import Totals
from bitsieve.discretization.monotone.column_bins import ClassedRows, ColumnRules, bin_categories, bin_numbers
from bitsieve.discretization.monotone.division import TRENDS, BinRules, information_values
from bitsieve.discretization.monotone.pre_bins import PreBinRules

IS_EVENT = np.array([True, False, False, True, False])
RULES = ColumnRules(bins=BinRules(), pre_bins=PreBinRules())


@pytest.mark.parametrize("kind", ["numbers", "categories"])
def test_a_column_without_values_has_one_bin_of_missing_values(kind):
    rows = ClassedRows(IS_EVENT, None, Totals(2, 3))
    if kind == "numbers":
        bins = bin_numbers(np.full(5, np.nan), rows, RULES, n_threads=1)
    else:
        bins = bin_categories(Encoded(np.full(5, -1, np.int32), np.empty(0, object)), rows, RULES)
    assert bins.labels == ("missing",)
    assert bins.counts.events.tolist() == [2]
    assert bins.counts.nonevents.tolist() == [3]


def test_categories_are_sorted_by_their_event_rates_and_numbers_are_not():
    is_event = np.arange(80) % 4 < 2
    rows = ClassedRows(is_event, None, Totals(40, 40))
    codes = (np.arange(80) % 5).astype(np.int32)
    numbers = bin_numbers(codes.astype(float), rows, RULES, n_threads=1)
    categories = bin_categories(Encoded(codes, np.array([*"abcde"], object)), rows, RULES)
    assert not numbers.merged.merging.ordered_by_rate
    assert categories.merged.merging.ordered_by_rate


def follows(rates, trend):
    """Whether the rates of neighbouring bins follow a trend."""
    ascends = [first <= second for first, second in pairwise(rates)]
    descends = [first >= second for first, second in pairwise(rates)]
    turns = range(len(rates))
    return {
        "auto": all(ascends) or all(descends),
        "ascending": all(ascends),
        "descending": all(descends),
        "peak": any(all(ascends[:turn]) and all(descends[turn:]) for turn in turns),
        "valley": any(all(descends[:turn]) and all(ascends[turn:]) for turn in turns),
        "none": True,
    }[trend]


def best_value_of_all(counts, totals, trend):
    """The largest value of a division into at most 4 bins of 7 rows or more, with both classes; None without any."""
    values = []
    for n_cuts in range(4):
        for cuts in combinations(range(1, len(counts)), n_cuts):
            bins = counts.merged(np.array([*cuts, len(counts)]))
            rates = [Fraction(int(e), int(n)) for e, n in zip(bins.events, bins.rows, strict=True)]
            keeps_bounds = bins.events.all() and bins.nonevents.all() and (bins.rows >= 7).all()
            if keeps_bounds and follows(rates, trend):
                values.append(information_values(bins, totals).sum())
    return max(values, default=None)


@pytest.mark.parametrize("trend", TRENDS)
def test_no_division_of_ordered_categories_is_better(trend):
    random = np.random.default_rng(5)
    for n_levels in [1, 2, 4, 5, 6, 7] * 4:
        codes = np.append(np.arange(n_levels), random.integers(-1, n_levels, 70 - n_levels)).astype(np.int32)
        places = random.permutation(20)[:n_levels]  # some of the declared levels do not occur
        is_event = random.random(70) < 0.3 + 0.4 * random.random(n_levels)[codes]
        rows = ClassedRows(is_event, None, Totals(int(is_event.sum()), int((~is_event).sum())))
        values = Encoded(codes, np.array([*"abcdefg"[:n_levels]], object), declared_ranks=places)
        rules = replace(RULES, bins=BinRules(trend=trend, max_n_bins=4, min_bin_share=0.1))
        bins = bin_categories(values, rows, rules)
        counts = rows.count(codes, n_levels).take(np.argsort(places))
        best = best_value_of_all(counts, rows.totals, trend)
        merged_value = information_values(bins.merged.counts, rows.totals).sum()
        assert (bins.status == "infeasible") == (best is None)
        if best is not None:
            assert merged_value == pytest.approx(best, abs=2e-12)  # values that differ by less are taken as equal
        names_in_order = [name for group in bins.merged.groups for name in group]
        assert names_in_order == ["abcdefg"[code] for code in np.argsort(places)]


def test_special_values_among_ordered_categories_have_bins_of_their_own():
    codes = (np.arange(80) % 4).astype(np.int32)
    rows = ClassedRows(np.arange(80) % 4 > np.arange(80) % 3, None, Totals(40, 40))
    values = Encoded(codes, np.array(["high", "low", "none", "mid"], object), declared_ranks=np.array([3, 1, 0, 2]))
    bins = bin_categories(values, rows, replace(RULES, special_values=("none", "lost")))
    assert [name for group in bins.merged.groups for name in group] == ["low", "mid", "high"]
    assert bins.labels[-1] == "special none"
    assert bins.fixed.counts.rows.tolist() == [20]
    special_alone = bin_categories(values, rows, replace(RULES, special_values=("low", "none", "mid", "high")))
    assert special_alone.merged.groups == ()
    assert special_alone.fixed.counts.rows.tolist() == [20, 20, 20, 20]


def bins_of_codes(names, n_rows_of_each, rules):
    """The bins of a column of categories, of which each has so many rows; every second row has the event."""
    codes = np.repeat(np.arange(len(names), dtype=np.int32), n_rows_of_each)
    is_event = np.arange(len(codes)) % 2 == 0
    n_events = int(is_event.sum())
    rows = ClassedRows(is_event, None, Totals(n_events, len(codes) - n_events))
    return bin_categories(Encoded(codes, np.array(names, object)), rows, rules)


def test_a_category_with_just_the_smallest_share_is_not_rare():
    bins = bins_of_codes(["a", "b"], [93, 7], replace(RULES, min_level_share=0.07))  # .07 * 100 is above 7 in floats
    assert bins.merged.rare == ()
    assert bins_of_codes(["a", "b"], [94, 6], replace(RULES, min_level_share=0.07)).merged.rare == ("b",)


@pytest.mark.parametrize("value", [-999, -999.0, "-999"])
def test_a_special_number_is_found_among_categories(value):
    bins = bins_of_codes(["-999", "A1"], [20, 20], replace(RULES, special_values=(value,)))
    assert bins.labels == ("A1", "special -999")
    assert bins.bins_of_categories(Encoded(np.arange(2, dtype=np.int32), np.array(["-999", "A1"]))).tolist() == [1, 0]


def test_a_special_value_that_is_written_in_two_ways_has_one_bin():
    bins = bins_of_codes(["-999", "A1"], [20, 20], replace(RULES, special_values=("-999", -999.0)))
    assert bins.fixed.counts.rows.tolist() == [20]


def test_a_special_value_that_no_row_had_is_not_among_other_numbers():
    numbers = np.array([1.0, 2.0, 3.0, 4.0, -999.0])
    rules = replace(RULES, special_values=(-999.0, -998.0))
    bins = bin_numbers(numbers, ClassedRows(IS_EVENT, None, Totals(2, 3)), rules, n_threads=1)
    assert bins.bins_of_numbers(np.array([-997.0, -998.0, -999.0])).tolist() == [0, -1, len(bins.labels) - 1]


def test_large_edges_are_short():
    numbers = np.array([1e300, 2e300, 1e300, 2e300])
    is_event = np.array([True, True, False, False])
    bins = bin_numbers(numbers, ClassedRows(is_event, None, Totals(2, 2)), replace(RULES, edges=np.array([1e300])), 1)
    assert bins.labels == ("(-inf, 1e+300]", "(1e+300, inf)")


def test_a_special_value_named_like_the_rare_categories_is_not_among_them():
    names = ["a", "b", "other", "rare"]
    rules = replace(RULES, bins=BinRules(min_bin_share=0), special_values=("other",), min_level_share=0.1)
    bins = bins_of_codes(names, [40, 40, 40, 4], rules)
    assert bins.counts.rows.sum() == 124
    assert bins.labels[-1] == "special other"
    assert bins.fixed.counts.rows.tolist() == [40]
    new = Encoded(np.arange(3, dtype=np.int32), np.array(["rare", "new", "other"], object))
    of_rare, of_new, of_special = bins.bins_of_categories(new).tolist()
    assert "other" in bins.merged.groups[of_rare]
    assert of_new == of_rare
    assert of_special == len(bins.labels) - 1
