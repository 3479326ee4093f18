"""Bins of one width, and bins that hold about the same number of samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.value_ranges import NumericBlock
from bitsieve.discretization.base import CutBinning
from bitsieve.discretization.ragged_array import RaggedArray
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
    low = low[:, None] + 0.0  # no negative zero
    high = high[:, None] + 0.0
    code = np.arange(1, n_bins)
    guess = low * (1 - code / n_bins) + high * (code / n_bins)
    with np.errstate(over="ignore"):
        reach = 4 * np.spacing(np.maximum(np.abs(low), np.abs(high)))
        below = np.maximum(guess - reach, low)
        above = np.minimum(guess + reach, high)
    below = np.where(equal_width_codes(below, low, high, n_bins) < code, below, low)
    above = np.where(equal_width_codes(above, low, high, n_bins) >= code, above, high)
    first = _ordinal(below).ravel()
    last = _ordinal(above).ravel()
    left = np.arange(len(first))  # near zero the floats lie dense: few cuts take most of the steps
    while len(left := left[last[left] > first[left] + 1]):
        a = first[left]
        b = last[left]
        middle = (a >> 1) + (b >> 1) + (a & b & 1)  # their sum or difference may not fit
        row, bin_index = np.divmod(left, n_bins - 1)
        is_reached = equal_width_codes(_float(middle), low[row, 0], high[row, 0], n_bins) > bin_index
        first[left] = np.where(is_reached, a, middle)
        last[left] = np.where(is_reached, middle, b)
    return _float(last).reshape(below.shape)


def _ordinal(values: Floats) -> Integers:
    """Integers that are ordered, and adjacent, as the floats are."""
    bits = (values + 0.0).view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def _float(ordinals: Integers) -> Floats:
    return np.where(ordinals < 0, np.int64(-(2**63)) - ordinals, ordinals).view(np.float64)


_CUTS_AT_ONCE = 1 << 18  # bounds the memory


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

    def cut_block(
        self, table: InMemoryDataset, block: NumericBlock, low: NDArray[Any], high: NDArray[Any]
    ) -> RaggedArray:
        return self._cut_ranges(low, high)

    def cut_stored(self, table: InMemoryDataset, first: int, end: int) -> RaggedArray:
        low, high = table.stored.bounds
        return self._cut_ranges(low[first:end], high[first:end])

    def _cut_ranges(self, low: NDArray[Any], high: NDArray[Any]) -> RaggedArray:
        """The cuts of columns between their smallest and largest numbers."""
        low = low.astype(np.float64)  # whole numbers beyond 2**53 may become one
        high = high.astype(np.float64)
        varying = np.flatnonzero(low < high)
        batch_size = max(1, _CUTS_AT_ONCE // self.n_bins)
        cuts = [np.empty(0)]
        for first in range(0, len(varying), batch_size):
            batch = varying[first : first + batch_size]
            cuts.append(equal_width_cuts(low[batch], high[batch], self.n_bins).reshape(-1))
        lengths = np.zeros(len(low), np.int64)
        lengths[varying] = self.n_bins - 1
        return RaggedArray(np.concatenate(cuts), np.cumsum(lengths))


class EqualFrequencyBinning(_EqualBinning):
    """Bins of about the same number of samples: the rule of :class:`EqualFrequencyBinner`."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"uncut": partial(check_choice, choices=("leave", "apart"))}

    def __init__(
        self, *, n_bins: int = 10, uncut: str = "leave", missing: str | None = "error", n_jobs: int | None = None
    ) -> None:
        super().__init__(n_bins=n_bins, missing=missing, n_jobs=n_jobs)
        self.uncut = uncut

    def cut_block(
        self, table: InMemoryDataset, block: NumericBlock, low: NDArray[Any], high: NDArray[Any]
    ) -> RaggedArray:
        cuts = RaggedArray(*_native.order_statistic_cuts(block.values, self.n_bins, table.weights))
        if self.uncut == "leave":
            return cuts
        return _with_largest_separate(cuts, low, high, block.column)

    def cut_stored(self, table: InMemoryDataset, first: int, end: int) -> RaggedArray:
        stored = table.stored
        cuts = RaggedArray(
            *_native.stored_order_cuts(
                stored.start, stored.row, stored.value, first, end, table.n_samples, self.n_bins, table.weights
            )
        )
        if self.uncut == "leave":
            return cuts
        low, high = stored.bounds

        def column(c: int) -> NDArray[Any]:
            return stored.value[stored.start[first + c] : stored.start[first + c + 1]]

        return _with_largest_separate(cuts, low[first:end], high[first:end], column)


def _with_largest_separate(
    cuts: RaggedArray, low: NDArray[Any], high: NDArray[Any], column: Callable[[int], NDArray[Any]]
) -> RaggedArray:
    """The cuts of columns, and one cut below the largest value of each column that varies and has none."""
    uncut = np.flatnonzero((cuts.lengths == 0) & (low < high))
    if not len(uncut):
        return cuts
    below = []
    for c in uncut.tolist():
        values = column(c)
        below.append(float(values[values < high[c]].max()))
    one_each = RaggedArray(np.array(below), np.arange(1, len(uncut) + 1))
    return RaggedArray.merged(len(low), [(np.arange(len(low)), cuts), (uncut, one_each)])
