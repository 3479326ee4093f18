"""Columns with few rows for each value: whose information is chance, and whose is not."""

from __future__ import annotations

import numpy as np

from bitsieve.counts.packed import PackedSource
from bitsieve.information import make_information
from bitsieve.information.few_repeats import FewRepeats, few_repeats


def test_information_is_chance_or_the_rows_of_a_value_belong_together():
    """Of 30 values with 3 rows each: shuffled, or all rows of a value in one class."""
    value = np.repeat(np.arange(30), 3)
    y = value % 2
    shuffled = np.random.default_rng(0).permutation(value)
    codes = np.column_stack([value, shuffled, value // 2, value // 15]).astype(np.uint16)
    information = make_information("plug-in", PackedSource(codes, y))
    expected = [FewRepeats(0, 30, is_chance=False), FewRepeats(1, 30, is_chance=True)]
    assert few_repeats(information, np.arange(4)) == expected  # the others have fewer than 21 values
