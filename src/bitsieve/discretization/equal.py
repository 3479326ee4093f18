"""Bins of one width, and bins that hold about the same number of samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.dataset.extents import NumericBlock
from bitsieve.dataset.table import TableInMemory
from bitsieve.discretization.base import CutBinning
from bitsieve.discretization.ragged import Ragged
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.parameters import Rule, check_choice, check_integer


def equal_width_codes(values: Floats, low: Floats, high: Floats, n_bins: int) -> Floats:
    """``min(floor((v - low) / (high - low) * n_bins), n_bins - 1)``; a range beyond the largest float is halved."""
    with np.errstate(over="ignore"):
        scale = np.where(np.isfinite(high - low), 1.0, 0.5)
    share = (values * scale - low * scale) / (high * scale - low * scale)
    return np.minimum(np.floor(share * n_bins), n_bins - 1)


def equal_width_cuts(low: Floats, high: Floats, n_bins: int) -> Floats:
    """The smallest floats of all bins but the first, a row a range: the rule never decreases, so by bisection."""
    low, high = low[:, None] + 0.0, high[:, None] + 0.0  # + 0.0: no negative zero
    code = np.arange(1, n_bins)
    guess = low * (1 - code / n_bins) + high * (code / n_bins)
    with np.errstate(over="ignore"):
        reach = 4 * np.spacing(np.maximum(np.abs(low), np.abs(high)))
        below, above = np.maximum(guess - reach, low), np.minimum(guess + reach, high)
    below = np.where(equal_width_codes(below, low, high, n_bins) < code, below, low)
    above = np.where(equal_width_codes(above, low, high, n_bins) >= code, above, high)
    first, last = _ordinal(below).ravel(), _ordinal(above).ravel()
    left = np.arange(len(first))  # near zero the floats lie dense: few cuts take most of the steps
    while len(left := left[last[left] > first[left] + 1]):
        a, b = first[left], last[left]
        middle = (a >> 1) + (b >> 1) + (a & b & 1)  # their sum or difference may not fit
        row, place = np.divmod(left, n_bins - 1)
        reached = equal_width_codes(_float(middle), low[row, 0], high[row, 0], n_bins) > place
        first[left], last[left] = np.where(reached, a, middle), np.where(reached, middle, b)
    return _float(last).reshape(below.shape)


def _ordinal(values: Floats) -> Integers:
    """Integers that are ordered, and adjacent, as the floats are."""
    bits = (values + 0.0).view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def _float(ordinals: Integers) -> Floats:
    return np.where(ordinals < 0, np.int64(-(2**63)) - ordinals, ordinals).view(np.float64)


_CHUNK = 1 << 18  # cuts found at once: bounds the memory


class _EqualBinning(CutBinning):
    """Bins whose number is given."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"n_bins": partial(check_integer, low=2, high=65_535)}

    def __init__(self, *, n_bins: int = 10, missing: str | None = "error", n_jobs: int | None = None) -> None:
        self.n_bins = n_bins
        self.missing = missing
        self.n_jobs = n_jobs


class EqualWidthBinning(_EqualBinning):
    """Bins of one width: the rule of :class:`EqualWidthBinner`."""

    requires = "ends"
    side = "right"

    def _cut(
        self, table: TableInMemory, block: NumericBlock, low: NDArray[Any], high: NDArray[Any]
    ) -> tuple[Floats, Integers]:
        return self._cut_ranges(low, high)

    def _cut_stored(self, table: TableInMemory, first: int, last: int) -> tuple[Floats, Integers]:
        low, high = table.stored.bounds
        return self._cut_ranges(low[first:last], high[first:last])

    def _cut_ranges(self, low: NDArray[Any], high: NDArray[Any]) -> tuple[Floats, Integers]:
        """The cuts of columns between their smallest and largest numbers."""
        low, high = low.astype(np.float64), high.astype(np.float64)  # whole numbers beyond 2**53 may become one
        varying = np.flatnonzero(low < high)
        chunk = max(1, _CHUNK // self.n_bins)
        cuts = [
            equal_width_cuts(low[some], high[some], self.n_bins).reshape(-1)
            for some in (varying[first : first + chunk] for first in range(0, len(varying), chunk))
        ]
        lengths = np.zeros(len(low), np.int64)
        lengths[varying] = self.n_bins - 1
        return np.concatenate([np.empty(0), *cuts]), np.cumsum(lengths)


class EqualFrequencyBinning(_EqualBinning):
    """Bins of about the same number of samples: the rule of :class:`EqualFrequencyBinner`."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"uncut": partial(check_choice, choices=("leave", "apart"))}

    def __init__(
        self, *, n_bins: int = 10, uncut: str = "leave", missing: str | None = "error", n_jobs: int | None = None
    ) -> None:
        super().__init__(n_bins=n_bins, missing=missing, n_jobs=n_jobs)
        self.uncut = uncut

    def _cut(
        self, table: TableInMemory, block: NumericBlock, low: NDArray[Any], high: NDArray[Any]
    ) -> tuple[Floats, Integers]:
        found = _native.order_statistic_cuts(block.values, self.n_bins, table.weights)
        if self.uncut == "leave":
            return found
        return _with_largest_apart(found, low, high, block.column)

    def _cut_stored(self, table: TableInMemory, first: int, last: int) -> tuple[Floats, Integers]:
        stored = table.stored
        found = _native.stored_order_cuts(
            stored.start, stored.row, stored.value, first, last, table.n_samples, self.n_bins, table.weights
        )
        if self.uncut == "leave":
            return found
        low, high = (ends[first:last] for ends in stored.bounds)
        starts = stored.start[first : last + 1]
        return _with_largest_apart(found, low, high, lambda c: stored.value[starts[c] : starts[c + 1]])


def _with_largest_apart(
    found: tuple[Floats, Integers], low: NDArray[Any], high: NDArray[Any], column: Callable[[int], NDArray[Any]]
) -> tuple[Floats, Integers]:
    """Cuts of columns, where each ends, and one more below the largest value of each that varies and has none."""
    whole = np.flatnonzero((np.diff(found[1], prepend=0) == 0) & (low < high))
    if not len(whole):
        return found
    below = [
        float(values[values < high[c]].max()) for c, values in zip(whole, map(column, whole.tolist()), strict=True)
    ]
    both = [(np.arange(len(low)), *found), (whole, np.array(below), np.arange(1, len(whole) + 1))]
    merged = Ragged.merged(len(low), both)
    return merged.values, merged.ends
