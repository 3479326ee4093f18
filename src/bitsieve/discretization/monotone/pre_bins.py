"""Bins before any are merged: every distinct number of a column, or bins of about equal frequency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve import _native
from bitsieve.discretization.monotone.bin_counts import BinCounts
from bitsieve.discretization.monotone.sorted_numbers import NumbersByClass
from bitsieve.utils.arrays import Floats, Integers


@dataclass(frozen=True)
class PreBinRules:
    """How the numbers of a column are cut before bins are merged."""

    max_exact: int = 1500  # up to this many distinct numbers, each has a bin of its own
    max_pre_bins: int = 500  # the number of bins of equal frequency beyond
    refine: bool = True  # whether the vertices of the hull are cuts, too
    digits: int | None = None  # the decimals of the cuts; None does not round them


@dataclass(frozen=True)
class PreBins:
    """Bins of a column of numbers, in their order: bin b holds the numbers above cut b - 1, up to cut b."""

    cuts: Floats
    #: The smallest number above each cut: an edge between both parts the rows in the same way.
    next_above: Floats
    counts: BinCounts
    #: The number of bins whose law of chance holds: all distinct numbers, where each of them could be a cut.
    n_free: int

    def merged(self, bin_ends: Integers) -> PreBins:
        """Neighbouring bins as one; ``bin_ends`` has the number of bins before the end of each."""
        inner = bin_ends[:-1] - 1
        return PreBins(self.cuts[inner], self.next_above[inner], self.counts.merged(bin_ends), self.n_free)


def pre_bins_of(numbers: NumbersByClass, rules: PreBinRules) -> PreBins:
    """The bins that may be merged, for numbers that are neither missing nor special, at least one.

    Cut j of more than ``max_exact`` distinct numbers is the number of rank ``round-half-up(j d / max_pre_bins)`` of d
    rows. With ``refine`` the vertices of the convex hull in both directions are cuts, too: without bounds on the bins
    the optimum is among them.
    """
    cuts, next_above, events, nonevents, n_distinct = _native.pre_bins(
        numbers.events.values,
        numbers.nonevents.values,
        event_weights=numbers.events.weights,
        nonevent_weights=numbers.nonevents.weights,
        max_exact=rules.max_exact,
        max_pre_bins=rules.max_pre_bins,
        refine=rules.refine,
    )
    if rules.digits is not None:
        scale = 10.0**rules.digits
        return cut_at(numbers, np.ceil(cuts * scale) / scale)  # the round cut that parts the same rows
    is_any_number_a_cut = n_distinct <= rules.max_exact or rules.refine
    n_free = n_distinct if is_any_number_a_cut else len(events)
    return PreBins(cuts, next_above, BinCounts(events, nonevents), n_free)


def cut_at(numbers: NumbersByClass, cuts: Floats) -> PreBins:
    """The bins between these cuts; a cut without a number on either side is left out."""
    sorted_cuts = np.unique(cuts)
    rows_until = numbers.counts_until(sorted_cuts).rows
    n_rows = numbers.counts_until(np.array([np.inf])).rows
    separates = (np.diff(rows_until, prepend=0) > 0) & (rows_until < n_rows)
    inner_cuts = sorted_cuts[separates]
    counts_until = numbers.counts_until(np.append(inner_cuts, np.inf))
    counts = BinCounts(np.diff(counts_until.events, prepend=0), np.diff(counts_until.nonevents, prepend=0))
    return PreBins(inner_cuts, numbers.next_above(inner_cuts), counts, len(counts))


def ends_of_equal_frequency(rows: Integers, n_bins: int) -> Integers:
    """Where bins of about equal frequency end: the number of distinct values before each end, the last included."""
    rows_until = np.cumsum(rows)
    n_rows = int(rows_until[-1])
    ranks = [(2 * j * n_rows + n_bins) // (2 * n_bins) for j in range(1, n_bins)]
    bin_ends = np.searchsorted(rows_until, np.maximum(ranks, 1), side="left") + 1
    return np.unique(np.append(bin_ends, len(rows)))
