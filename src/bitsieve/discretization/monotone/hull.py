"""The convex hull of cumulated counts: the best division with a rising event rate, where nothing bounds the bins."""

from __future__ import annotations

import numpy as np

from bitsieve import _native
from bitsieve.discretization.monotone.bin_counts import BinCounts, Totals
from bitsieve.utils.arrays import Integers


def hull_vertices(counts: BinCounts) -> Integers:
    """Where the bins of the best ascending division end, without bounds on bins.

    It is the lower convex hull of the points (cumulated non-events, cumulated events), and so the division into the
    stretches on which the isotonic regression of the event rate is constant.
    """
    vertices: Integers = _native.hull_vertices(
        np.ascontiguousarray(counts.events, np.int64), np.ascontiguousarray(counts.nonevents, np.int64)
    )
    return vertices


def hull_information_value(counts: BinCounts, totals: Totals, smoothing: float) -> float:
    """The information value of the best ascending division without bounds on bins, in nats."""
    return _native.hull_information_value(
        np.ascontiguousarray(counts.events, np.int64),
        np.ascontiguousarray(counts.nonevents, np.int64),
        totals.events,
        totals.nonevents,
        smoothing,
    )
