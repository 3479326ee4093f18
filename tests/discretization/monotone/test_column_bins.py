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
