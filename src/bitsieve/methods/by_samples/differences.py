"""Differences of samples in each column, and distances, which are their sums.

A difference of two numbers is ``|a - b| / (max - min)``; of two categories it is 0 or 1. If a value is missing, the
difference is its expectation when the value is drawn from the known values of its class (Kononenko 1994,
doi:10.1007/3-540-57868-4_57). Distances are sums of whole multiples of 2**-32, exact up to 2**21 columns. Sums in
float32 only find the few candidates that are then summed exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.threads import run_blocks
from bitsieve.methods.by_samples.rows import Rows
from bitsieve.utils.arrays import Columns, Flags, Floats

Places = Columns
Gap = Callable[[Any, Any], Floats]


class IncompleteColumn:
    """One column with missing values.

    ``gap(a, b)`` is the difference of known values; ``mean_gap(known, values)`` the mean difference of each of
    ``values`` to all of ``known``.
    """

    def __init__(
        self,
        values: NDArray[Any],
        missing: Flags,
        classes: NDArray[np.integer],
        n_classes: int,
        gap: Gap,
        mean_gap: Gap,
        remember: bool,
    ) -> None:
        self.values = values
        self.missing = missing
        self.classes = classes
        self.gap = gap
        self.mean_gap = mean_gap
        present_by_class = [values[~missing & (classes == c)] for c in range(n_classes)]
        self._known = [of_class if len(of_class) else values[~missing] for of_class in present_by_class]
        sizes = np.array([len(of_class) for of_class in self._known])
        everything = np.concatenate(self._known)
        starts = np.cumsum(sizes) - sizes
        both = np.array([np.add.reduceat(self.mean_gap(a, everything), starts) / sizes for a in self._known])
        self._both = (both + both.T) / 2  # symmetric but for rounding
        self._expected = self._expect() if remember else None

    def between(self, samples: Places, others: Places) -> Floats:
        """Differences of b samples from the others in their rows, shape (b, r), or (1, r) for the same in every row."""
        expected = self._expect() if self._expected is None else self._expected
        out = np.asarray(self.gap(self.values[samples][:, None], self.values[others]), np.float64)
        others = np.broadcast_to(others, out.shape)
        there = self.missing[others]
        row, position = np.nonzero(there)
        out[row, position] = expected[self.classes[others[row, position]], samples[row]]
        row, position = np.nonzero(self.missing[samples][:, None] & ~there)
        out[row, position] = expected[self.classes[samples[row]], others[row, position]]
        return out

    def _expect(self) -> Floats:
        """[c, i]: the expected difference of a missing value of class c from sample i's value, known or missing."""
        out: Floats = self._both[:, self.classes]
        is_present = ~self.missing
        for c, of_class in enumerate(self._known):
            out[c, is_present] = self.mean_gap(of_class, self.values[is_present])
        return out


def mean_number_gap(present: Floats, values: Floats) -> Floats:
    """The mean ``|V - v|`` of every value v, from the sums of the sorted known values V. Cost: O(log n) a value."""
    ordered = np.sort(present)
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    below = np.searchsorted(ordered, values)
    from_below = values * below - sums[below]
    from_above = sums[-1] - sums[below] - values * (len(ordered) - below)
    return np.asarray((from_below + from_above) / len(ordered))


def mean_code_gap(present: NDArray[Any], values: NDArray[Any]) -> Floats:
    """``1 - P(v)`` of every value v, P the shares of the known codes."""
    counts = np.bincount(present, minlength=int(values.max(initial=0)) + 1)
    return np.asarray(1.0 - counts[values] / len(present))


GRID = 2.0**32
TILE_SAMPLES = 64  # of native/differences.hpp
# Of expected differences in columns with missing values; beyond, they are computed anew for each block.
REMEMBERED_BYTES = 256 << 20


class Distances(NamedTuple):
    """Distances of b samples from all."""

    samples: Places
    numbers: NDArray[np.float32]  # in the complete numeric columns, nearly: shape (b, n_samples or more)
    others: Floats  # in the other columns: shape (b, n_samples), or (b, 0) where there are none


class Differences:
    """Differences between the samples of a table; a missing value is drawn from the known ones of its class."""

    def __init__(self, rows: Rows, classes: NDArray[np.integer], n_classes: int) -> None:
        self.n_samples = rows.n_samples
        self.n_features = rows.n_features
        self.varies = rows.varies
        self.tolerance = 2 * self.n_features / GRID  # twice the error that rounding to the grid can give a distance
        numbers, spans = _with_spans(rows.numbers)
        incomplete = np.isnan(numbers).any(axis=0), (rows.codes < 0).any(axis=0)
        varying = self.varies[rows.numeric], self.varies[rows.categorical]
        self._numeric, self._numbers, self._spans = _pick(varying[0] & ~incomplete[0], rows.numeric, numbers, spans)
        self._categorical, self._codes = _pick(varying[1] & ~incomplete[1], rows.categorical, rows.codes)
        self._grid = self._numbers - self._numbers.min(axis=0, initial=np.inf)
        self._grid /= self._spans
        _on_grid(self._grid, out=self._grid)
        self._tiles = _in_tiles(self._grid)
        self._float_codes = self._codes.astype(np.float64)  # as the library would convert them at every call
        self._kernel = choose_kernel().name
        self._kept = np.empty((0, 0), np.float32)  # the distances in numbers of all pairs, once they are counted
        self._incomplete: dict[int, IncompleteColumn] = {}

        def add(feature: int, values: NDArray[Any], missing: Flags, gap: Gap, mean_gap: Gap) -> None:
            remember = (len(self._incomplete) + 1) * 8 * n_classes * self.n_samples <= REMEMBERED_BYTES
            self._incomplete[feature] = IncompleteColumn(values, missing, classes, n_classes, gap, mean_gap, remember)

        for index in np.flatnonzero(varying[0] & incomplete[0]):
            scaled = (numbers[:, index] - np.nanmin(numbers[:, index])) / spans[index]
            add(int(rows.numeric[index]), scaled, np.isnan(scaled), lambda a, b: np.abs(a - b), mean_number_gap)
        for index in np.flatnonzero(varying[1] & incomplete[1]):
            codes = rows.codes[:, index]
            add(int(rows.categorical[index]), codes, codes < 0, np.not_equal, mean_code_gap)

    def compare_all(self, n_jobs: int | None) -> None:
        """Count the distances of all pairs of samples, each once, and keep them."""
        distances = self._kept = np.empty((self.n_samples, self.n_samples), np.float32)

        def compare(first: int) -> None:
            last = min(first + TILE_SAMPLES, self.n_samples)
            part = self._counted(self._tiles[first // TILE_SAMPLES :], np.arange(last - first))
            distances[first:last, first:] = part[:, : self.n_samples - first]
            distances[first:, first:last] = distances[first:last, first:].T

        run_blocks(compare, range(0, self.n_samples, TILE_SAMPLES), n_jobs)

    def _counted(self, tiles: NDArray[np.float32], samples: Places) -> NDArray[np.float32]:
        numbers = np.empty((len(samples), len(tiles) * TILE_SAMPLES), np.float32)
        _native.difference_distances(self._kernel, tiles, samples, numbers)
        return numbers

    def distances(self, samples: Places) -> Distances:
        """Distances of some samples from all."""
        numbers = self._kept[samples] if len(self._kept) else self._counted(self._tiles, samples)
        if not len(self._categorical) and not self._incomplete:
            return Distances(samples, numbers, np.empty((len(samples), 0)))
        from scipy.spatial.distance import cdist

        others = np.zeros((len(samples), self.n_samples))
        if n := len(self._categorical):  # the library gives the share of codes that differ
            others += np.rint(n * cdist(self._float_codes[samples], self._float_codes, "hamming"))
        for column in self._incomplete.values():
            others += _on_grid(column.between(samples, np.arange(self.n_samples)[None]))
        return Distances(samples, numbers, others)

    def nearest(self, distances: Distances, rows: Places, members: Places, k: int) -> Places:
        """The k nearest of some members to samples at places ``rows`` of a block, ascending; ties to the first."""
        out = np.empty((len(rows), k), np.int64)
        _native.nearest_samples(
            self._kernel, self._grid, *distances[1:], distances[0], rows, members, self.tolerance, out
        )
        return out

    def weighted(self, samples: Places, neighbours: Places, weights: Floats) -> Floats:
        """Sum of weight times difference over the pairs of b samples and r neighbours each, shape (n_features,)."""
        out = np.zeros(self.n_features)
        of_numbers = np.zeros(len(self._numeric))
        _native.add_weighted_differences(
            self._kernel, self._numbers, self._spans, samples, neighbours, weights, of_numbers
        )
        out[self._numeric] = of_numbers
        if len(self._categorical):
            for sample, others, weight in zip(samples, neighbours, weights[:, :, None], strict=True):
                differ = self._codes[others] != self._codes[sample]
                out[self._categorical] += np.add.reduce(differ * weight, axis=0)
        for feature, column in self._incomplete.items():
            out[feature] = np.add.reduce(column.between(samples, neighbours) * weights, axis=None)
        return out


def _with_spans(numbers: Floats) -> tuple[Floats, Floats]:
    """The numbers and the range of each column; both halved where the range is beyond the largest float."""
    low = np.fmin.reduce(numbers, axis=0)
    high = np.fmax.reduce(numbers, axis=0)
    with np.errstate(over="ignore"):
        halves = np.where(np.isinf(high - low), 0.5, 1.0)
    if (halves < 1).any():
        numbers = numbers * halves
    return numbers, high * halves - low * halves


def _pick(columns: Flags, *arrays: NDArray[Any]) -> list[NDArray[Any]]:
    return [np.ascontiguousarray(array if columns.all() else array[..., columns]) for array in arrays]


def _in_tiles(grid: Floats) -> NDArray[np.float32]:
    """The numbers as the native distances take them: by column, 64 samples side by side, zeros beyond the last."""
    n_samples, n_columns = grid.shape
    tiles = np.zeros((-(-n_samples // TILE_SAMPLES), n_columns, TILE_SAMPLES), np.float32)
    for t, tile in enumerate(tiles):
        part = grid[t * TILE_SAMPLES : (t + 1) * TILE_SAMPLES]
        tile[:, : len(part)] = part.T
    return tiles


def _on_grid(values: Floats, out: Floats | None = None) -> Floats:
    on_grid = np.multiply(values, GRID, out=out)
    return np.multiply(np.rint(on_grid, out=on_grid), 1 / GRID, out=on_grid)
