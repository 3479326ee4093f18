"""The convex hull of cumulated counts: the best division with a rising event rate, where nothing bounds the bins."""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression

from bitsieve.discretization.monotone.bin_counts import BinCounts
from bitsieve.utils.arrays import Integers


def hull_vertices(counts: BinCounts) -> Integers:
    """Where the bins of the best ascending division end, without bounds on bins.

    It is the lower convex hull of the points (cumulated non-events, cumulated events), and so the division into the
    stretches on which the isotonic regression of the event rate is constant.
    """
    rows = counts.rows
    rates = isotonic_regression(counts.events / rows, weights=rows).x
    is_last = np.append(rates[1:] > rates[:-1], True)
    return np.flatnonzero(is_last) + 1
