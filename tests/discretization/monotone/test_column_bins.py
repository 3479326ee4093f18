"""The bins of a single column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bitsieve.dataset.encoding import Encoded
from bitsieve.discretization.monotone.bin_counts import Totals
from bitsieve.discretization.monotone.column_bins import ClassedRows, ColumnRules, bin_categories, bin_numbers
from bitsieve.discretization.monotone.division import BinRules
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
