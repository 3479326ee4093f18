"""The one tie rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

TIE = 1e-10  # bits: far above the rounding of a sum of scores, far below any difference that means something


def pick(scores: NDArray[np.float64]) -> int:
    """The index of the highest score; of scores within 1e-10 of it, the lowest index.

    Columns that must not be picked hold ``-inf``; at least one must not.
    """
    return int(np.argmax(scores >= scores.max() - TIE))


def rank(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """All indices by falling value; equal values (within 1e-10 of the first of their run) by index.

    Cost: O(n log n).
    """
    order = np.argsort(-values, kind="stable")
    falling = values[order]
    begins = np.ones(len(order), bool)
    begins[1:] = falling[1:] < falling[:-1] - TIE
    starts = np.flatnonzero(begins)
    ends = np.append(starts, len(order))[1:]
    # Between two gaps lies one run, unless many small steps add up to more than a tie: then there are several.
    for place in np.flatnonzero(falling[ends - 1] < falling[starts] - TIE):
        start, rising = int(starts[place]), -falling[: ends[place]]
        while start < len(rising):
            begins[start] = True
            start = int(np.searchsorted(rising, -(falling[start] - TIE), side="right"))
    return order[np.lexsort((order, np.cumsum(begins)))]


def top(values: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """The first k of ``rank(values)``, without ranking the others."""
    least = np.partition(values, len(values) - k)[len(values) - k]
    some = np.flatnonzero(values >= least - TIE)
    return some[rank(values[some])[:k]]
