"""Bins before any are merged: every distinct number of a column, or bins of about equal frequency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve.discretization.monotone.bin_counts import BinCounts, count_by_bin
from bitsieve.discretization.monotone.hull import hull_vertices
from bitsieve.utils.arrays import Flags, Floats, Integers


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


def pre_bins_of(numbers: Floats, is_event: Flags, weights: Integers | None, rules: PreBinRules) -> PreBins:
    """The bins that may be merged, for numbers that are neither missing nor special, at least one.

    Cut j of more than ``max_exact`` distinct numbers is the number of rank ``round-half-up(j d / max_pre_bins)`` of d
    rows. With ``refine`` the vertices of the convex hull in both directions are cuts, too: without bounds on the bins
    the optimum is among them.
    """
    distinct, index = np.unique(numbers, return_inverse=True)
    counts = count_by_bin(index.astype(np.int64), len(distinct), is_event, weights)
    bins = PreBins(distinct[:-1], distinct[1:], counts, len(distinct))
    if len(distinct) > rules.max_exact:
        bin_ends = ends_of_equal_frequency(counts.rows, rules.max_pre_bins)
        if rules.refine:
            bin_ends = np.unique(np.concatenate([bin_ends, hull_vertices(counts), hull_vertices(counts.swapped)]))
        bins = bins.merged(bin_ends)
        if not rules.refine:
            bins = PreBins(bins.cuts, bins.next_above, bins.counts, len(bin_ends))
    if rules.digits is not None:
        scale = 10.0**rules.digits
        return cut_at(distinct, counts, np.ceil(bins.cuts * scale) / scale)  # the round cut that parts the same rows
    return bins


def cut_at(distinct: Floats, counts: BinCounts, cuts: Floats) -> PreBins:
    """The bins of distinct numbers between these cuts; a cut without a number on either side is left out."""
    sorted_cuts = np.unique(cuts)
    n_below = np.searchsorted(distinct, sorted_cuts, side="right")
    first_of_equal = np.append(True, np.diff(n_below) > 0)
    separates = first_of_equal & (n_below > 0) & (n_below < len(distinct))
    bin_ends = np.append(n_below[separates], len(distinct))
    return PreBins(sorted_cuts[separates], distinct[bin_ends[:-1]], counts.merged(bin_ends), len(bin_ends))


def ends_of_equal_frequency(rows: Integers, n_bins: int) -> Integers:
    """Where bins of about equal frequency end: the number of distinct values before each end, the last included."""
    rows_until = np.cumsum(rows)
    n_rows = int(rows_until[-1])
    ranks = [(2 * j * n_rows + n_bins) // (2 * n_bins) for j in range(1, n_bins)]
    bin_ends = np.searchsorted(rows_until, np.maximum(ranks, 1), side="left") + 1
    return np.unique(np.append(bin_ends, len(rows)))
