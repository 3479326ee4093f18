"""Ranges of integers, one after the other."""

from __future__ import annotations

import numpy as np

from bitsieve.utils.arrays import Integers


def joined_ranges(starts: Integers, lengths: Integers) -> Integers:
    """The integers ``starts[i], ..., starts[i] + lengths[i] - 1`` of every range i, one range after the other."""
    starts_in_result = np.cumsum(lengths) - lengths
    shift = np.repeat(starts - starts_in_result, lengths)
    return np.asarray(np.arange(len(shift)) + shift, np.int64)
