"""The bins of a single column."""

from __future__ import annotations

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
        bins = bin_numbers(np.full(5, np.nan), rows, RULES)
    else:
        bins = bin_categories(Encoded(np.full(5, -1, np.int32), np.empty(0, object)), rows, RULES)
    assert bins.labels == ("missing",)
    assert bins.counts.events.tolist() == [2]
    assert bins.counts.nonevents.tolist() == [3]


def test_categories_are_sorted_by_their_event_rates_and_numbers_are_not():
    is_event = np.arange(80) % 4 < 2
    rows = ClassedRows(is_event, None, Totals(40, 40))
    codes = (np.arange(80) % 5).astype(np.int32)
    numbers = bin_numbers(codes.astype(float), rows, RULES)
    categories = bin_categories(Encoded(codes, np.array([*"abcde"], object)), rows, RULES)
    assert not numbers.merged.merging.ordered_by_rate
    assert categories.merged.merging.ordered_by_rate
