"""Bins of equal width, and bins of equal frequency."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np

from bitsieve import _native
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.value_ranges import NumericBlock, ValueRanges
from bitsieve.discretization.base import BlockCutBinning
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.discretization.within_strata import required_strata, rows_by_stratum
from bitsieve.utils.arrays import Floats, Integers, Values
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.parameters import Rule, check_choice, check_flag, check_integer
from bitsieve.utils.progress import phase

_CUTS_PER_BATCH = 1 << 18  # bounds the memory of equal_width_cuts


def equal_width_codes(values: Floats, low: Floats, high: Floats, n_bins: int) -> Floats:
    """The bins of values v of a range: ``min(floor((v - low) / (high - low) * n_bins), n_bins - 1)``."""
    with np.errstate(over="ignore"):
        scale = np.where(np.isfinite(high - low), 1.0, 0.5)  # halve values whose range is beyond the largest float
    share = (values * scale - low * scale) / (high * scale - low * scale)
    return np.minimum(np.floor(share * n_bins), n_bins - 1)


def equal_width_cuts(low: Floats, high: Floats, n_bins: int) -> Floats:
    """The cuts of ranges into bins of equal width, of shape ``(n_ranges, n_bins - 1)``.

    Cut j of a range is the smallest float whose :func:`equal_width_codes` is j + 1. It is searched by bisection over
    the floats, since rounding moves it away from ``low + (j + 1) * width``.
    """
    low = low[:, None] + 0.0  # turns -0.0 into 0.0
    high = high[:, None] + 0.0
    code = np.arange(1, n_bins)
    guess = low * (1 - code / n_bins) + high * (code / n_bins)

    # The cut is nearly always within four floats of the guess; elsewhere the whole range is searched.
    with np.errstate(over="ignore"):
        margin = 4 * np.spacing(np.maximum(np.abs(low), np.abs(high)))
        near_below = np.maximum(guess - margin, low)
        near_above = np.minimum(guess + margin, high)
    below = np.where(equal_width_codes(near_below, low, high, n_bins) < code, near_below, low)
    above = np.where(equal_width_codes(near_above, low, high, n_bins) >= code, near_above, high)

    # Bisect: the code of ``below`` is smaller than that of the cut, the code of ``above`` is not.
    below_ordinals = _to_ordinals(below).ravel()
    above_ordinals = _to_ordinals(above).ravel()
    unfinished = np.arange(len(below_ordinals))
    while True:
        unfinished = unfinished[above_ordinals[unfinished] > below_ordinals[unfinished] + 1]
        if not len(unfinished):
            return _from_ordinals(above_ordinals).reshape(below.shape)
        low_end = below_ordinals[unfinished]
        high_end = above_ordinals[unfinished]
        # (low_end + high_end) // 2, whose sum may overflow
        middle = (low_end >> 1) + (high_end >> 1) + (low_end & high_end & 1)
        row, cut = np.divmod(unfinished, n_bins - 1)
        is_above = equal_width_codes(_from_ordinals(middle), low[row, 0], high[row, 0], n_bins) > cut
        below_ordinals[unfinished] = np.where(is_above, low_end, middle)
        above_ordinals[unfinished] = np.where(is_above, middle, high_end)


def _to_ordinals(values: Floats) -> Integers:
    """Map floats to integers in the same order. Neighbouring floats become neighbouring integers."""
    bits = (values + 0.0).view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def _from_ordinals(ordinals: Integers) -> Floats:
    """The floats of :func:`_to_ordinals`."""
    return np.where(ordinals < 0, np.int64(-(2**63)) - ordinals, ordinals).view(np.float64)


class _EqualBinning(BlockCutBinning):
    """A rule that cuts every column into ``n_bins`` bins, of all rows or of each stratum."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "n_bins": partial(check_integer, low=2, high=65_535),
        "bins_within": check_flag,
    }

    @proposes_right_names
    def __init__(
        self,
        *,
        n_bins: int = 10,
        bins_within: bool = False,
        missing: str | None = "error",
        n_jobs: int | None = None,
    ) -> None:
        self.n_bins = n_bins
        self.bins_within = bins_within
        self.missing = missing
        self.n_jobs = n_jobs

    def find_bins(self, table: InMemoryDataset, ranges: ValueRanges) -> None:
        if not self.bins_within:
            super().find_bins(table, ranges)
            return
        self.bin_edges_of_strata_ = self._cuts_of_strata(table)
        self.strata_ = table.strata_values
        self.bin_edges_ = RaggedArray.empty(table.n_features)
        self.n_bins_ = np.max([edges.lengths for edges in self.bin_edges_of_strata_], axis=0) + 1
        self.categories_ = self._fit_categories(table)

    def _cuts_of_strata(self, table: InMemoryDataset) -> list[RaggedArray]:
        """The cuts of every column within each stratum; columns of categories have none."""
        rows_of_strata = rows_by_stratum(required_strata(table))
        features_alone = replace(table, y=None, groups=None, strata=None, original=None)
        numbers = features_alone.without([j for j, _ in table.categories()])
        report = phase("binning")
        cuts = []
        for rows in rows_of_strata:
            stratum = numbers.take(rows)
            cuts.append(self.find_cuts(stratum, stratum.value_ranges(self.n_jobs)))
            report(len(cuts), len(rows_of_strata))
        return cuts

    def code_by_cuts(self, table: InMemoryDataset, block: NumericBlock, missing_codes: Integers, codes: Values) -> None:
        if not self.bins_within:
            super().code_by_cuts(table, block, missing_codes, codes)
            return
        rows_of_strata = rows_by_stratum(required_strata(table), len(self.bin_edges_of_strata_))
        for rows, edges in zip(rows_of_strata, self.bin_edges_of_strata_, strict=True):
            if not len(rows):  # a stratum of the fit may lack rows in this table
                continue
            codes_of_stratum = np.empty((len(rows), len(block.indices)), codes.dtype, order="F")
            self.write_codes(block.of_rows(rows), edges.take(block.indices), missing_codes, codes_of_stratum)
            codes[np.ix_(rows, block.indices)] = codes_of_stratum


class EqualWidthBinning(_EqualBinning):
    """Bins of equal width: the rule of :class:`EqualWidthBinner`."""

    requires = "ends"
    side = "right"

    def cut_block(self, table: InMemoryDataset, block: NumericBlock, low: Values, high: Values) -> RaggedArray:
        return self._cut_ranges(low, high)

    def cut_stored(self, table: InMemoryDataset, first: int, end: int) -> RaggedArray:
        low, high = table.stored.bounds
        return self._cut_ranges(low[first:end], high[first:end])

    def _cut_ranges(self, low: Values, high: Values) -> RaggedArray:
        """The cuts of columns between their smallest and largest numbers."""
        low = low.astype(np.float64)  # different integers beyond 2**53 may become equal
        high = high.astype(np.float64)
        nonconstant = np.flatnonzero(low < high)
        batch_size = max(1, _CUTS_PER_BATCH // self.n_bins)
        cuts = [np.empty(0)]
        for first in range(0, len(nonconstant), batch_size):
            batch = nonconstant[first : first + batch_size]
            cuts.append(equal_width_cuts(low[batch], high[batch], self.n_bins).reshape(-1))
        lengths = np.zeros(len(low), np.int64)
        lengths[nonconstant] = self.n_bins - 1
        return RaggedArray(np.concatenate(cuts), np.cumsum(lengths))


class EqualFrequencyBinning(_EqualBinning):
    """Bins of equal frequency: the rule of :class:`EqualFrequencyBinner`."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"uncut": partial(check_choice, choices=("leave", "apart"))}

    @proposes_right_names
    def __init__(
        self,
        *,
        n_bins: int = 10,
        uncut: str = "leave",
        bins_within: bool = False,
        missing: str | None = "error",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_bins=n_bins, bins_within=bins_within, missing=missing, n_jobs=n_jobs)
        self.uncut = uncut

    def cut_block(self, table: InMemoryDataset, block: NumericBlock, low: Values, high: Values) -> RaggedArray:
        cuts = RaggedArray(*_native.order_statistic_cuts(block.values, self.n_bins, table.weights))
        if self.uncut == "leave":
            return cuts
        return _with_largest_value_apart(cuts, low, high, block.column)

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

        def column(c: int) -> Values:
            return stored.value[stored.start[first + c] : stored.start[first + c + 1]]

        return _with_largest_value_apart(cuts, low[first:end], high[first:end], column)


def _with_largest_value_apart(
    cuts: RaggedArray, low: Values, high: Values, column: Callable[[int], Values]
) -> RaggedArray:
    """Add a cut below the largest value of every column that has different values and no cut.

    A value on a cut goes left, so the cut is the second largest value. ``column(c)`` is column c.
    """
    uncut = np.flatnonzero((cuts.lengths == 0) & (low < high))
    if not len(uncut):
        return cuts
    second_largest = []
    for c in uncut.tolist():
        values = column(c)
        second_largest.append(float(values[values < high[c]].max()))
    added_cuts = RaggedArray(np.array(second_largest), np.arange(1, len(uncut) + 1))
    all_columns = np.arange(len(low))
    return RaggedArray.merged(len(low), [(all_columns, cuts), (uncut, added_cuts)])
