"""Numbers such as -999 or 9999 that may stand for a missing value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bitsieve.dataset.column_info import Sentinel
from bitsieve.utils.arrays import Flags, Integers, Values

_NINES = (99, 999, 9_999, 99_999, 999_999)
_SUSPECTS = np.array([[-number, number] for number in _NINES], np.float64).ravel()  # -99, 99, -999, 999, ...
_MIN_ROWS = 2  # of a sentinel


@dataclass(frozen=True)
class SentinelCounts:
    """The number of rows of each number that may mean a missing value, and the range of the other numbers.

    The counts of partitions can be added.
    """

    n_rows: Mapping[float, int]
    low: float | None  # the smallest of the other numbers; None where there is no other
    high: float | None  # the largest of the other numbers

    @classmethod
    def of_values(cls, values: Values, low: Any, high: Any, row_counts: Integers | None = None) -> SentinelCounts:
        """Count the suspects among values without missing ones.

        ``low`` and ``high`` are the smallest and the largest value. If neither is a suspect, suspects between them are
        ordinary numbers and are not counted. ``row_counts[i]`` rows have ``values[i]``; by default one.
        """
        if not np.isin((low, high), _SUSPECTS).any():
            return cls({}, float(low), float(high))
        is_suspect = np.isin(values, _SUSPECTS)
        suspects, index = np.unique(values[is_suspect], return_inverse=True)
        weights = None if row_counts is None else row_counts[is_suspect]
        n_rows = np.bincount(index, weights, len(suspects)).astype(np.int64)
        counts = dict(zip(suspects.astype(float).tolist(), n_rows.tolist(), strict=True))
        others = values[~is_suspect]
        if not len(others):
            return cls(counts, None, None)
        return cls(counts, float(others.min()), float(others.max()))

    def __add__(self, other: SentinelCounts) -> SentinelCounts:
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        values = {*self.n_rows, *other.n_rows}
        n_rows = {value: self.n_rows.get(value, 0) + other.n_rows.get(value, 0) for value in values}
        return SentinelCounts(n_rows, min(lows, default=None), max(highs, default=None))

    @property
    def sentinels(self) -> tuple[Sentinel, ...]:
        """The suspects in two rows or more that are no ordinary numbers of their column.

        Such a suspect is further from the other numbers than these are from each other, or it is negative where no
        other number is.
        """
        low = self.low
        high = self.high
        if low is None or high is None or low == high:
            return ()
        sentinels = []
        for value, n_rows in sorted(self.n_rows.items()):
            is_far = max(value - high, low - value) > high - low
            is_only_negative = value < 0 <= low
            if n_rows >= _MIN_ROWS and (is_far or is_only_negative):
                sentinels.append(Sentinel(value, n_rows, low, high))
        return tuple(sentinels)


def may_have_sentinels(low: Values, high: Values) -> Flags:
    """Which columns have a suspect as their smallest number ``low`` or their largest ``high``."""
    return np.isin(low, _SUSPECTS) | np.isin(high, _SUSPECTS)
