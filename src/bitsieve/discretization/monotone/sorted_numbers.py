"""The numbers of a column in ascending order, each with the class of its row, in pieces that threads sort."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.threads import run_blocks
from bitsieve.discretization.monotone.bin_counts import BinCounts
from bitsieve.utils.arrays import Flags, Floats, Integers

Keys = NDArray[np.uint64]
MIN_ROWS_OF_BLOCK = 1 << 14  # fewer are sorted before another thread has started
ROWS_DRAWN = 256  # for each piece, to find limits that part the rows about equally


@dataclass(frozen=True, eq=False)
class SortedPiece:
    """The rows of a range of numbers as ascending keys: a number and, in the last bit, the class of the row."""

    keys: Keys
    weights: Integers | None  # how many rows each key stands for; None if each stands for one
    is_negative: bool  # whether the numbers are, whose keys have no sign

    @property
    def n_rows(self) -> int:
        """The rows of the column that have these numbers."""
        return len(self.keys) if self.weights is None else int(self.weights.sum())

    @property
    def numbers(self) -> Floats:
        """The numbers, in ascending order."""
        return _numbers_of(self.keys, self.is_negative)

    @property
    def first_number(self) -> float:
        """The smallest number."""
        return float(_numbers_of(self.keys[:1], self.is_negative)[0])

    def counts_until(self, limits: Floats) -> BinCounts:
        """The rows up to each limit, those that are equal to it included."""
        n_keys = np.searchsorted(self.numbers, limits, side="right")
        rows_of_keys = np.ones(len(self.keys), np.int64) if self.weights is None else self.weights
        is_event = (self.keys & np.uint64(1)).astype(np.int64)
        rows_until = np.append(0, np.cumsum(rows_of_keys))[n_keys]
        events_until = np.append(0, np.cumsum(is_event * rows_of_keys))[n_keys]
        return BinCounts(events_until, rows_until - events_until)

    def next_above(self, limits: Floats) -> Floats:
        """The smallest number above each limit; infinity if there is none."""
        numbers = self.numbers
        return np.append(numbers, np.inf)[np.searchsorted(numbers, limits, side="right")]


@dataclass(frozen=True, eq=False)
class SortedNumbers:
    """The numbers of a column in ascending order, as pieces of which none is empty."""

    pieces: list[SortedPiece]

    def counts_until(self, limits: Floats) -> BinCounts:
        """The rows up to each limit, those that are equal to it included."""
        counts_of_pieces = [piece.counts_until(limits) for piece in self.pieces]
        events = np.sum([counts.events for counts in counts_of_pieces], axis=0)
        nonevents = np.sum([counts.nonevents for counts in counts_of_pieces], axis=0)
        return BinCounts(events, nonevents)

    def next_above(self, limits: Floats) -> Floats:
        """The smallest number above each limit; infinity if there is none."""
        next_above: Floats = np.min([piece.next_above(limits) for piece in self.pieces], axis=0)
        return next_above


def sort_numbers(
    numbers: Floats, is_event: Flags, weights: Integers | None, is_included: Flags, n_threads: int
) -> SortedNumbers:
    """The included numbers in ascending order, with their classes. None of them is missing."""
    values = np.ascontiguousarray(numbers)
    n_blocks = max(1, min(n_threads, len(values) // MIN_ROWS_OF_BLOCK))
    edges = [len(values) * block // n_blocks for block in range(n_blocks + 1)]
    blocks = [slice(first, end) for first, end in pairwise(edges)]
    limits = _limits_of_pieces(values, is_included, n_blocks)
    positions = _positions_of_keys(values, is_included, limits, blocks)
    keys = np.empty(len(values), np.uint64)
    placed_weights = None if weights is None else np.empty(len(values), np.int64)

    def place_keys(block: int) -> None:
        rows = blocks[block]
        _native.place_keys(
            values[rows],
            is_event[rows],
            is_included[rows],
            None if weights is None else weights[rows],
            limits,
            np.ascontiguousarray(positions.firsts[:, block]),
            np.ascontiguousarray(positions.ends[:, block]),
            keys,
            placed_weights,
        )

    run_blocks(place_keys, range(n_blocks), n_blocks)
    pieces = []
    for piece in range(len(limits) + 1):
        rows = slice(positions.firsts[piece, 0], positions.ends[piece, -1])
        weights_of_piece = None if placed_weights is None else placed_weights[rows]
        is_negative = piece == 0 or bool(limits[piece - 1] < 0)
        pieces.append(SortedPiece(keys[rows], weights_of_piece, is_negative))
    filled = [piece for piece in pieces if len(piece.keys)]
    run_blocks(_sort, filled, n_blocks)
    return SortedNumbers(filled)


def _limits_of_pieces(values: Floats, is_included: Flags, n_pieces: int) -> Floats:
    """Where pieces begin: at zero, and at numbers that part the rows about equally."""
    if n_pieces == 1:
        return np.zeros(1)
    stride = max(1, len(values) // (n_pieces * ROWS_DRAWN))
    drawn = np.sort(values[::stride][is_included[::stride]])
    if not len(drawn):
        return np.zeros(1)
    ranks = np.arange(1, n_pieces) * len(drawn) // n_pieces
    return np.unique(np.append(drawn[ranks], 0.0))


class PositionsOfKeys(NamedTuple):
    """Where the keys of each piece from each block of rows are, an array with a row for each piece.

    The rows that are not included are one piece more, the last.
    """

    firsts: Integers
    ends: Integers


def _positions_of_keys(values: Floats, is_included: Flags, limits: Floats, blocks: list[slice]) -> PositionsOfKeys:
    n_reaching = np.empty((len(limits) + 1, len(blocks)), np.int64)

    def count(block: int) -> None:
        rows = blocks[block]
        n_reaching[:, block] = _native.count_reaching(values[rows], is_included[rows], limits)

    run_blocks(count, range(len(blocks)), len(blocks))
    n_rows_of_blocks = np.array([rows.stop - rows.start for rows in blocks])
    n_keys = -np.diff(n_reaching, axis=0, prepend=n_rows_of_blocks[np.newaxis], append=0)
    n_keys = np.roll(n_keys, -1, axis=0)  # those that are not included, which come first here, are the last piece
    ends = np.cumsum(n_keys).reshape(n_keys.shape)
    return PositionsOfKeys(ends - n_keys, ends)


def _sort(piece: SortedPiece) -> None:
    if piece.weights is None:
        piece.keys.sort()
        return
    order = np.argsort(piece.keys)
    piece.keys[:] = piece.keys[order]
    piece.weights[:] = piece.weights[order]


def _numbers_of(keys: Keys, is_negative: bool) -> Floats:
    bits = keys >> np.uint64(1)
    return (~bits if is_negative else bits).view(np.float64)
