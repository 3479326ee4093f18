"""Cuts of long columns, which are selected and not sorted, are the order statistics of their definition."""

from __future__ import annotations

import numpy as np
import pytest
from tests.native.coding_trials import order_statistics

from bitsieve import _native

N = 40_000  # above the number from which columns are not sorted
COLUMNS = {
    "normal": lambda random: random.normal(size=N),
    "of one binary order": lambda random: 1 + random.random(N),
    "long tails": lambda random: random.standard_cauchy(N) ** 3,
    "one far away": lambda random: np.r_[random.random(N - 1), 1e300],
    "repeated": lambda random: random.normal(size=N).round(2),
    "half zeros of both signs": lambda random: np.where(random.random(N) < 0.5, -0.0, random.normal(size=N)),
    "a fifth zeros": lambda random: np.where(random.random(N) < 0.2, 0.0, random.normal(size=N)),
    "two values": lambda random: random.choice([0.25, 0.5], N),
    "infinite": lambda random: np.where(random.random(N) < 0.01, -np.inf, random.normal(size=N)),
    "missing": lambda random: np.where(random.random(N) < 0.1, np.nan, random.normal(size=N)),
    "missing, too few left": lambda random: np.where(random.random(N) < 0.9, np.nan, random.normal(size=N)),
    "subnormal": lambda random: random.integers(1, 1000, N) * 5e-324,
    "single": lambda random: random.normal(size=N).astype(np.float32),
    "whole": lambda random: random.integers(-(2**52), 2**52, N),
}


@pytest.mark.each_value
@pytest.mark.parametrize("n_bins", [2, 3, 10, 300, N + 1])
@pytest.mark.parametrize("of", COLUMNS)
def test_cuts_of_long_columns_are_order_statistics(of, n_bins):
    values = COLUMNS[of](np.random.default_rng(7))
    cuts, ends = _native.order_statistic_cuts([values], n_bins)
    assert cuts.tolist() == order_statistics(values, n_bins, np.ones(N, int))
    assert ends.tolist() == [len(cuts)]
