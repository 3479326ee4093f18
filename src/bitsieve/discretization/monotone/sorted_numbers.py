"""The numbers of a column in ascending order, those of rows with the event apart from the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve import _native
from bitsieve.discretization.monotone.bin_counts import BinCounts
from bitsieve.utils.arrays import Flags, Floats, Integers


@dataclass(frozen=True, eq=False)
class SortedNumbers:
    """Numbers in ascending order, and how many rows each of them stands for."""

    values: Floats
    weights: Integers | None  # None if each number stands for one row

    def rows_until(self, limits: Floats) -> Integers:
        """The number of rows up to each limit, those that are equal to it included."""
        n_numbers = np.searchsorted(self.values, limits, side="right")
        if self.weights is None:
            return n_numbers.astype(np.int64)
        rows_of_first_numbers = np.append(0, np.cumsum(self.weights))
        return rows_of_first_numbers[n_numbers]

    def next_above(self, limits: Floats) -> Floats:
        """The smallest number above each limit; infinity if there is none."""
        return np.append(self.values, np.inf)[np.searchsorted(self.values, limits, side="right")]


@dataclass(frozen=True, eq=False)
class NumbersByClass:
    """The numbers of the rows with the event, and those of the rows without it."""

    events: SortedNumbers
    nonevents: SortedNumbers

    def counts_until(self, limits: Floats) -> BinCounts:
        """The rows up to each limit, those that are equal to it included."""
        return BinCounts(self.events.rows_until(limits), self.nonevents.rows_until(limits))

    def next_above(self, limits: Floats) -> Floats:
        """The smallest number above each limit; infinity if there is none."""
        return np.minimum(self.events.next_above(limits), self.nonevents.next_above(limits))


def sort_by_class(numbers: Floats, is_event: Flags, weights: Integers | None, is_included: Flags) -> NumbersByClass:
    """The included numbers by class, in ascending order. None of them is missing."""
    if weights is None:
        events, nonevents = _native.split_by_class(np.ascontiguousarray(numbers), is_event, is_included)
        events.sort()
        nonevents.sort()
        return NumbersByClass(SortedNumbers(events, None), SortedNumbers(nonevents, None))
    return NumbersByClass(
        events=_sort(numbers, weights, is_included & is_event),
        nonevents=_sort(numbers, weights, is_included & ~is_event),
    )


def _sort(numbers: Floats, weights: Integers, is_included: Flags) -> SortedNumbers:
    rows = np.flatnonzero(is_included)
    order = rows[np.argsort(numbers[rows])]
    return SortedNumbers(numbers[order], weights[order])
