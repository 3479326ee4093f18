"""The population stability index from the rows of each bin in two samples."""

from __future__ import annotations

from typing import NamedTuple

from scipy.special import chdtrc

from bitsieve.discretization.monotone.bin_counts import BinCounts, Totals
from bitsieve.discretization.monotone.chance import expected_value
from bitsieve.discretization.monotone.division import information_values
from bitsieve.utils.arrays import Integers


class Stability(NamedTuple):
    """The population stability index of a column."""

    psi: float
    chance: float  # its mean for two samples of one population
    p: float
    n_bins: int


def stability_of_counts(expected: Integers, actual: Integers, smoothing: float = 1.0) -> Stability:
    """The index of a column from the rows of each bin in both samples."""
    occurs = (expected + actual) > 0
    # The index is the information value of "this row is of the second sample".
    counts = BinCounts(actual[occurs], expected[occurs])
    totals = Totals(int(actual.sum()), int(expected.sum()))
    psi = float(information_values(counts, totals, smoothing).sum())
    freedom = len(counts) - 1
    p = float(chdtrc(freedom, max(psi / totals.unit_of_bias, 0.0))) if freedom > 0 else 1.0
    return Stability(psi, expected_value(len(counts), totals), p, len(counts))
