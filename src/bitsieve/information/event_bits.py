"""Bits per event from the cells of tables of events, and their mean under chance."""

from __future__ import annotations

import numpy as np

from bitsieve import _native
from bitsieve.counts.survival import EventCells, SurvivalSource
from bitsieve.information.binomial_excess import binomial_excess
from bitsieve.information.protocol import UndefinedQuantityError
from bitsieve.utils.arrays import Floats, Integers

MAX_LOG2_BITS = 6  # |log2(O / E)| is below 2**6
MAX_CACHED_MEANS = 1 << 23  # means under chance that are cached
MAX_CHANCE_CELLS = 1 << 16  # cells whose mean under chance is computed at once


class EventBits:
    """Sums of ``O log2(O / E)`` over cells with O events, of which E are expected, and these sums as bits per event.

    The terms of cells are integers in units of ``1 / per_bit`` bit, so that their order does not matter. No sum of
    cells reaches 2**62.
    """

    def __init__(self, source: SurvivalSource) -> None:
        self.n_events = source.n_events
        self.per_bit = 2.0 ** (62 - MAX_LOG2_BITS - source.n_events.bit_length())
        self._scale_of_expected = source.scaled_expected_by_interval / source.n_events_by_interval

    def bits(self, sums: Integers) -> Floats:
        """Sums over cells as bits per event."""
        return sums / (self.n_events * self.per_bit)

    def sums_of_cells(self, cells: EventCells, n_tables: int) -> Integers:
        """``sum O log2(O / E)`` over the cells of every table, in units of ``1 / per_bit`` bit."""
        sums = np.zeros(n_tables, np.int64)
        np.add.at(sums, cells.table, self.terms_of_cells(cells))
        return sums

    def terms_of_cells(self, cells: EventCells) -> Integers:
        """``O log2(O / E)`` of every cell, rounded to units of ``1 / per_bit`` bit."""
        ratio = cells.events / cells.scaled_expected * self._scale_of_expected[cells.interval]  # O / E
        return np.rint(cells.events * _native.log2_of_each(ratio) * self.per_bit).astype(np.int64)


class ExpectedShares:
    """The shares of the expected events of every code of every column, in every interval."""

    def __init__(self, source: SurvivalSource, per_bit: float) -> None:
        starts, scaled_expected = source.scaled_expected_margins()
        self.starts = starts
        self.per_bit = per_bit
        self.share = scaled_expected / source.scaled_expected_by_interval
        positive = np.where(self.share > 0, self.share, 1.0)
        self.log2_share = _native.log2_of_each(positive.reshape(-1)).reshape(self.share.shape)
        #: A cache for each interval: the excess of every code, by number of events
        self._excess_by_interval: list[dict[int, Integers]] = [{} for _ in range(self.share.shape[1])]

    def chance_sums(self, events: Integers) -> Integers:
        """``sum over z and x of b(O_z, p_x) - O_z p_x log2(O_z p_x)`` of every column, in units of ``1 / per_bit`` bit.

        ``events`` are the events O_z of every part z in every interval, shape (n_parts, n_intervals).
        """
        by_code = np.zeros(len(self.share), np.int64)
        counts_at_once = max(1, MAX_CHANCE_CELLS // len(self.share))
        for interval in range(self.share.shape[1]):
            counts, n_parts = np.unique(events[:, interval], return_counts=True)
            for first in range(0, len(counts), counts_at_once):
                block = slice(first, first + counts_at_once)
                by_code += n_parts[block] @ self._excess(interval, counts[block])
        return np.add.reduceat(by_code, self.starts[:-1])

    def _excess(self, interval: int, counts: Integers) -> Integers:
        """``b(n, p) - n p log2(n p)`` of every count n of events with every code, shape (n_counts, n_codes).

        Pivots share most of their counts, so that the values are cached.
        """
        cache = self._excess_by_interval[interval]
        if len(cache) * len(self.share) >= MAX_CACHED_MEANS:
            cache.clear()
        new_counts = np.array([count for count in counts.tolist() if count not in cache], np.int64)
        if len(new_counts):
            is_expected = self.share[:, interval] > 0
            share = self.share[is_expected, interval]
            log2_share = self.log2_share[is_expected, interval]
            excess = np.zeros((len(new_counts), len(self.share)), np.int64)
            excess[:, is_expected] = np.rint(binomial_excess(new_counts[:, None], share, log2_share) * self.per_bit)
            cache.update(zip(new_counts.tolist(), excess, strict=True))
        return np.stack([cache[count] for count in counts.tolist()])


def undefined_for_survival(quantity: str) -> UndefinedQuantityError:
    """The error for a quantity that a time to an event does not have."""
    return UndefinedQuantityError(
        code="undefined-quantity",
        message=f"{quantity} is not defined where the target is a time to an event",
        advice="use 'mim', 'mrmr', 'jmi', 'cmim' or 'cmi'",
    )
