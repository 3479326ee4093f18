"""Bins before any are merged: every distinct number of a column, or bins of about equal frequency."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from bitsieve import _native
from bitsieve.counts.threads import run_blocks
from bitsieve.discretization.monotone.bin_counts import BinCounts
from bitsieve.discretization.monotone.hull import hull_vertices
from bitsieve.discretization.monotone.sorted_numbers import SortedNumbers
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
    #: The number of bins of which p takes every end for a possible cut: all distinct numbers, or these bins where only
    #: their own ends may be cuts.
    n_free: int
    has_every_cut: bool  # whether each distinct number had a bin of its own before any were merged

    def merged(self, bin_ends: Integers) -> PreBins:
        """Neighbouring bins as one; ``bin_ends`` has the number of bins before the end of each."""
        inner = bin_ends[:-1] - 1
        counts = self.counts.merged(bin_ends)
        return replace(self, cuts=self.cuts[inner], next_above=self.next_above[inner], counts=counts)


class EndsInPiece(NamedTuple):
    """Where pre-bins may end in a piece of a column."""

    n_distinct: Integers  # numbers of the piece up to each end
    events: Integers  # rows up to it
    nonevents: Integers
    values: Floats  # the last number before each end
    next_values: Floats  # the smallest number of the piece beyond; that of the last end is infinite


def pre_bins_of(numbers: SortedNumbers, rules: PreBinRules, n_threads: int) -> PreBins:
    """The bins that may be merged, for numbers that are neither missing nor special, at least one.

    Cut j of more than ``max_exact`` distinct numbers is the number of rank ``round-half-up(j d / max_pre_bins)`` of d
    rows. With ``refine`` the vertices of the convex hull in both directions are cuts, too: without bounds on the bins
    the optimum is among them.
    """
    pre_bins = _with_chosen_cuts(_candidates_in_pieces(numbers, rules, n_threads), rules)
    if rules.digits is None:
        return pre_bins
    return cut_at(numbers, _rounded_up(pre_bins.cuts, rules.digits))


def pre_bins_of_levels(counts: BinCounts, rules: PreBinRules) -> PreBins:
    """The bins that may be merged, for the numbers 0, 1, ... of levels in their order; ``counts`` has each of them."""
    numbers = np.arange(len(counts), dtype=np.float64)
    return _with_chosen_cuts(PreBins(numbers[:-1], numbers[1:], counts, len(counts), has_every_cut=True), rules)


def _with_chosen_cuts(candidates: PreBins, rules: PreBinRules) -> PreBins:
    """All bins of few distinct numbers, and of many those between the cuts that the rules choose."""
    if candidates.n_free <= rules.max_exact:
        return candidates
    pre_bins = candidates.merged(_chosen_ends(candidates.counts, rules))
    n_free = pre_bins.n_free if rules.refine else len(pre_bins.counts)  # with the vertices any number may be a cut
    return replace(pre_bins, n_free=n_free, has_every_cut=False)


def _rounded_up(cuts: Floats, digits: int) -> Floats:
    """The smallest numbers of so many decimals that are not below the cuts."""
    scale = 10.0**digits
    nearest = np.round(cuts * scale)  # a product such as 1.1 * 100 lies above 110 by its rounding
    return np.where(nearest / scale >= cuts, nearest, nearest + 1) / scale


def _candidates_in_pieces(numbers: SortedNumbers, rules: PreBinRules, n_threads: int) -> PreBins:
    """The bins between all cuts that rules may choose, which each piece of the column finds for itself."""
    rows_of_pieces = [piece.n_rows for piece in numbers.pieces]
    n_rows = sum(rows_of_pieces)
    rows_before = [0, *accumulate(rows_of_pieces)]
    ends_of_pieces: dict[int, EndsInPiece] = {}

    def find(j: int) -> None:
        piece = numbers.pieces[j]
        ends = _native.pre_bins(
            piece.keys,
            piece.weights,
            piece.is_negative,
            n_before=rows_before[j],
            n_of_column=n_rows,
            max_exact=rules.max_exact,
            max_pre_bins=rules.max_pre_bins,
            refine=rules.refine,
        )
        ends_of_pieces[j] = EndsInPiece(*ends)

    run_blocks(find, range(len(numbers.pieces)), n_threads)
    ends = [ends_of_pieces[j] for j in range(len(numbers.pieces))]
    values = np.concatenate([piece.values for piece in ends])
    next_values = np.concatenate([piece.next_values for piece in ends])
    counts = BinCounts(
        np.concatenate([np.diff(piece.events, prepend=0) for piece in ends]),
        np.concatenate([np.diff(piece.nonevents, prepend=0) for piece in ends]),
    )
    # Beyond the last end of a piece comes the first number of the next piece.
    first_numbers = [piece.first_number for piece in numbers.pieces]
    last_ends = np.cumsum([len(piece.values) for piece in ends])[:-1] - 1
    next_values[last_ends] = first_numbers[1:]
    n_distinct = sum(int(piece.n_distinct[-1]) for piece in ends)
    return PreBins(values[:-1], next_values[:-1], counts, n_distinct, has_every_cut=n_distinct == len(counts))


def _chosen_ends(counts: BinCounts, rules: PreBinRules) -> Integers:
    """The ends at order statistics, and at the vertices of the hulls."""
    ends = ends_of_equal_frequency(counts.rows, rules.max_pre_bins)
    if not rules.refine:
        return ends
    return np.unique(np.concatenate([ends, hull_vertices(counts), hull_vertices(counts.swapped)]))


def cut_at(numbers: SortedNumbers, cuts: Floats) -> PreBins:
    """The bins between these cuts; a cut without a number on either side is left out."""
    sorted_cuts = np.unique(cuts)
    counts_until = numbers.counts_until(np.append(sorted_cuts, np.inf))
    rows_until = counts_until.rows
    separates = (np.diff(rows_until[:-1], prepend=0) > 0) & (rows_until[:-1] < rows_until[-1])
    inner_cuts = sorted_cuts[separates]
    inner_until = counts_until.take(np.flatnonzero(np.append(separates, True)))
    counts = BinCounts(np.diff(inner_until.events, prepend=0), np.diff(inner_until.nonevents, prepend=0))
    return PreBins(inner_cuts, numbers.next_above(inner_cuts), counts, len(counts), has_every_cut=False)


def ends_of_equal_frequency(rows: Integers, n_bins: int) -> Integers:
    """Where bins of about equal frequency end: the number of distinct values before each end, the last included."""
    rows_until = np.cumsum(rows)
    n_rows = int(rows_until[-1])
    ranks = [(2 * j * n_rows + n_bins) // (2 * n_bins) for j in range(1, n_bins)]
    bin_ends = np.searchsorted(rows_until, np.maximum(ranks, 1), side="left") + 1
    return np.unique(np.append(bin_ends, len(rows)))
