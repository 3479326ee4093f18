"""Differences of samples in each column, and distances of samples, which are sums of differences over the columns.

The difference of two numbers is ``|a - b| / (max - min)`` of their column; that of two categories is 0 or 1. Where a
value is missing the difference is an expectation: see :mod:`bitsieve.methods.by_samples.incomplete_columns`.

Differences are rounded to whole multiples of 2**-32. Their sums are then exact in float64, up to 2**21 columns, so that
equal distances are equal to the bit. Distances in float32 are computed first, with an error; they single out the few
samples that may be the nearest, and the exact sums decide among these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.threads import run_blocks
from bitsieve.methods.by_samples.incomplete_columns import IncompleteCodes, IncompleteColumn, IncompleteNumbers
from bitsieve.methods.by_samples.rows import Rows
from bitsieve.utils.arrays import Columns, Flags, Floats, Values

GRID = 2.0**32
TILE_SAMPLES = 64  # of native/differences.hpp
MAX_CACHED_BYTES = 256 << 20  # of expected differences; those of further columns are computed anew for each block


class Distances(NamedTuple):
    """Distances of b samples from all samples, in two parts to be added up."""

    samples: Columns  # the b samples
    in_complete_numbers: NDArray[np.float32]  # with the error of float32; shape (b, n_samples or more)
    in_other_columns: Floats  # exact; shape (b, n_samples), or (b, 0) if all columns are complete numbers


class Differences:
    """Differences between the samples of a table.

    Columns of one value are left out. The others are of three kinds: complete numbers, complete categories, and columns
    with missing values.

    Parameters
    ----------
    rows : Rows
    classes : ndarray of int, shape (n_samples,)
        A missing value is drawn from the present values of its class.
    n_classes : int
    """

    def __init__(self, rows: Rows, classes: NDArray[np.integer], n_classes: int) -> None:
        self.n_samples = rows.n_samples
        self.n_features = rows.n_features
        self.varies = rows.varies
        self.tolerance = 2 * self.n_features / GRID  # twice the error that rounding to the grid can give a distance
        self._kernel = choose_kernel().name
        self._all_distances: NDArray[np.float32] | None = None  # in complete numbers, of all pairs of samples
        self._incomplete: dict[int, IncompleteColumn] = {}
        self._max_incomplete_cached = MAX_CACHED_BYTES // (8 * n_classes * self.n_samples)
        self._set_numbers(rows, classes, n_classes)
        self._set_codes(rows, classes, n_classes)

    def _set_numbers(self, rows: Rows, classes: NDArray[np.integer], n_classes: int) -> None:
        numbers, spans = _with_spans(rows.numbers)
        varies = self.varies[rows.numeric]
        is_incomplete = np.isnan(numbers).any(axis=0)

        is_complete = varies & ~is_incomplete
        self._numeric = _selected(rows.numeric, is_complete)
        self._numbers = _selected(numbers, is_complete)
        self._spans = _selected(spans, is_complete)
        self._grid = self._numbers - self._numbers.min(axis=0, initial=np.inf)
        self._grid /= self._spans
        _round_to_grid(self._grid, out=self._grid)
        self._tiles = _in_tiles(self._grid)

        for index in np.flatnonzero(varies & is_incomplete):
            scaled = (numbers[:, index] - np.nanmin(numbers[:, index])) / spans[index]
            self._incomplete[int(rows.numeric[index])] = IncompleteNumbers(
                scaled, np.isnan(scaled), classes, n_classes, caches_expected=self._can_cache_another()
            )

    def _set_codes(self, rows: Rows, classes: NDArray[np.integer], n_classes: int) -> None:
        varies = self.varies[rows.categorical]
        is_incomplete = (rows.codes < 0).any(axis=0)

        is_complete = varies & ~is_incomplete
        self._categorical = _selected(rows.categorical, is_complete)
        self._codes = _selected(rows.codes, is_complete)
        self._codes_as_floats = self._codes.astype(np.float64)  # else scipy would convert them at every call

        for index in np.flatnonzero(varies & is_incomplete):
            codes = rows.codes[:, index]
            self._incomplete[int(rows.categorical[index])] = IncompleteCodes(
                codes, codes < 0, classes, n_classes, caches_expected=self._can_cache_another()
            )

    def _can_cache_another(self) -> bool:
        return len(self._incomplete) < self._max_incomplete_cached

    def compute_all_distances(self, n_jobs: int | None) -> None:
        """Compute the distances of all pairs of samples in complete numbers, each pair once, and keep them."""
        distances = np.empty((self.n_samples, self.n_samples), np.float32)

        def compute_tile(first: int) -> None:
            last = min(first + TILE_SAMPLES, self.n_samples)
            tiles_from_here = self._tiles[first // TILE_SAMPLES :]
            from_here = self._distances_in_numbers(tiles_from_here, np.arange(last - first))
            distances[first:last, first:] = from_here[:, : self.n_samples - first]
            distances[first:, first:last] = distances[first:last, first:].T

        run_blocks(compute_tile, range(0, self.n_samples, TILE_SAMPLES), n_jobs)
        self._all_distances = distances

    def _distances_in_numbers(self, tiles: NDArray[np.float32], samples: Columns) -> NDArray[np.float32]:
        """Distances of samples from all samples of the tiles; ``samples`` are indices into the tiles."""
        distances = np.empty((len(samples), len(tiles) * TILE_SAMPLES), np.float32)
        _native.difference_distances(self._kernel, tiles, samples, distances)
        return distances

    def distances(self, samples: Columns) -> Distances:
        """The distances of b samples from all."""
        if self._all_distances is None:
            in_numbers = self._distances_in_numbers(self._tiles, samples)
        else:
            in_numbers = self._all_distances[samples]
        n_categorical = len(self._categorical)
        if n_categorical == 0 and not self._incomplete:
            return Distances(samples, in_numbers, np.empty((len(samples), 0)))

        from scipy.spatial.distance import cdist

        in_others = np.zeros((len(samples), self.n_samples))
        if n_categorical > 0:
            share_different = cdist(self._codes_as_floats[samples], self._codes_as_floats, "hamming")
            in_others += np.rint(n_categorical * share_different)
        everyone = np.arange(self.n_samples)[None]
        for column in self._incomplete.values():
            in_others += _round_to_grid(column.between(samples, everyone))
        return Distances(samples, in_numbers, in_others)

    def nearest(self, distances: Distances, rows: Columns, members: Columns, k: int) -> Columns:
        """The k nearest of ``members`` to some samples, ascending, shape (len(rows), k); a tie goes to the first.

        ``rows`` are the rows of ``distances`` of these samples. No sample is a neighbour of itself.
        """
        out = np.empty((len(rows), k), np.int64)
        _native.nearest_samples(
            self._kernel,
            self._grid,
            distances.in_complete_numbers,
            distances.in_other_columns,
            distances.samples,
            rows,
            members,
            self.tolerance,
            out,
        )
        return out

    def weighted_sums(self, samples: Columns, neighbours: Columns, weights: Floats) -> Floats:
        """For each column, the sum of weight times difference over all pairs of a sample and one of its neighbours.

        ``neighbours`` and ``weights`` have the shape (n_samples, n_neighbours); the result has (n_features,).
        """
        sums = np.zeros(self.n_features)
        sums_of_numbers = np.zeros(len(self._numeric))
        _native.add_weighted_differences(
            self._kernel, self._numbers, self._spans, samples, neighbours, weights, sums_of_numbers
        )
        sums[self._numeric] = sums_of_numbers
        if len(self._categorical):
            for sample, others, weight in zip(samples, neighbours, weights[:, :, None], strict=True):
                is_different = self._codes[others] != self._codes[sample]
                sums[self._categorical] += np.add.reduce(is_different * weight, axis=0)
        for feature, column in self._incomplete.items():
            sums[feature] = np.add.reduce(column.between(samples, neighbours) * weights, axis=None)
        return sums


def _with_spans(numbers: Floats) -> tuple[Floats, Floats]:
    """The numbers and the span ``max - min`` of each column; both are halved where the span would be infinite."""
    low = np.fmin.reduce(numbers, axis=0)
    high = np.fmax.reduce(numbers, axis=0)
    with np.errstate(over="ignore"):
        factors = np.where(np.isinf(high - low), 0.5, 1.0)
    if (factors < 1).any():
        numbers = numbers * factors
    return numbers, high * factors - low * factors


def _selected(array: Values, columns: Flags) -> Values:
    """Some columns, the last axis of an array, in C order; without a copy where they are all of them."""
    return np.ascontiguousarray(array if columns.all() else array[..., columns])


def _in_tiles(grid: Floats) -> NDArray[np.float32]:
    """Numbers in the layout of the native distances, shape (n_tiles, n_columns, 64); the last tile ends in zeros."""
    n_samples, n_columns = grid.shape
    n_tiles = -(-n_samples // TILE_SAMPLES)
    tiles = np.zeros((n_tiles, n_columns, TILE_SAMPLES), np.float32)
    for t, tile in enumerate(tiles):
        samples_of_tile = grid[t * TILE_SAMPLES : (t + 1) * TILE_SAMPLES]
        tile[:, : len(samples_of_tile)] = samples_of_tile.T
    return tiles


def _round_to_grid(values: Floats, out: Floats | None = None) -> Floats:
    """Round to multiples of 2**-32."""
    multiples = np.multiply(values, GRID, out=out)
    return np.multiply(np.rint(multiples, out=multiples), 1 / GRID, out=multiples)
