"""Counts of the event in the bins of a column, and the totals of the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve.utils.arrays import Flags, Integers


@dataclass(frozen=True)
class BinCounts:
    """How many rows with the event, and without it, each bin of a column has."""

    events: Integers
    nonevents: Integers

    def __len__(self) -> int:
        return len(self.events)

    @property
    def rows(self) -> Integers:
        """The rows of each bin."""
        return self.events + self.nonevents

    @property
    def swapped(self) -> BinCounts:
        """The same bins where the other class is the event."""
        return BinCounts(self.nonevents, self.events)

    def take(self, order: Integers) -> BinCounts:
        """The bins at these indices."""
        return BinCounts(self.events[order], self.nonevents[order])

    def merged(self, bin_ends: Integers) -> BinCounts:
        """Merge neighbouring bins: merged bin b holds the bins from ``bin_ends[b - 1]`` to ``bin_ends[b] - 1``."""
        if not len(self):
            return self
        starts = np.concatenate([[0], bin_ends[:-1]]).astype(np.intp)
        return BinCounts(np.add.reduceat(self.events, starts), np.add.reduceat(self.nonevents, starts))


@dataclass(frozen=True)
class Totals:
    """The rows of a table with the event, and those without it."""

    events: int
    nonevents: int

    @classmethod
    def of_rows(cls, is_event: Flags, weights: Integers | None) -> Totals:
        """The totals of rows with these frequency weights; None: each row counts once."""
        if weights is None:
            n_events = int(np.count_nonzero(is_event))
            return cls(n_events, len(is_event) - n_events)
        n_events = int(weights[is_event].sum())
        return cls(n_events, int(weights.sum()) - n_events)

    @property
    def rows(self) -> int:
        """All rows."""
        return self.events + self.nonevents

    @property
    def swapped(self) -> Totals:
        """The same rows where the other class is the event."""
        return Totals(self.nonevents, self.events)

    @property
    def event_rate(self) -> float:
        """The share of the rows with the event."""
        return self.events / self.rows

    @property
    def unit_of_bias(self) -> float:
        """``1/E + 1/N``: the expected information value of a bin of chance, in nats."""
        return 1 / self.events + 1 / self.nonevents


def count_by_bin(bins: Integers, n_bins: int, is_event: Flags, weights: Integers | None) -> BinCounts:
    """Count the rows of each bin; ``bins`` has the bin of each row, and rows of bin -1 are in none."""
    in_a_bin = bins >= 0
    index = 2 * bins[in_a_bin].astype(np.int64) + is_event[in_a_bin]
    if weights is None:
        counts = np.bincount(index, minlength=2 * n_bins)
    else:
        counts = np.zeros(2 * n_bins, np.int64)
        np.add.at(counts, index, weights[in_a_bin])
    by_class = counts.astype(np.int64).reshape(n_bins, 2)
    return BinCounts(events=by_class[:, 1].copy(), nonevents=by_class[:, 0].copy())
