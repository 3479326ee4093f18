"""Columns with missing values: their expected differences, a missing value drawn from the known ones of its class.

For categories that is Kononenko's rule: ``1 - P(v | c)`` from a known value v, ``1 - sum_v P(v | c) P(v | c')`` from
another missing one. Numbers follow the same sentence: the mean of ``|V - v|`` over the known values V of class c, and
of ``|V - V'|`` over those of both classes. A class without any known value borrows those of all classes.

I. Kononenko, "Estimating attributes: analysis and extensions of RELIEF", ECML 1994. doi:10.1007/3-540-57868-4_57
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.methods.by_samples.rows import Rows

    Floats = NDArray[np.float64]
    Samples = NDArray[np.intp]


class UnknownColumn(ABC):
    """One column with missing values.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Some of them known; what stands where one is missing is not looked at.
    missing : ndarray of bool, shape (n_samples,)
    classes : ndarray of int, shape (n_samples,)
    n_classes : int
    """

    def __init__(
        self, values: NDArray, missing: NDArray[np.bool_], classes: NDArray[np.integer], n_classes: int
    ) -> None:
        self.values = values
        self.missing = missing
        self.classes = classes
        known = [values[~missing & (classes == c)] for c in range(n_classes)]
        self._known = [of_class if len(of_class) else values[~missing] for of_class in known]
        sizes = np.array([len(of_class) for of_class in self._known])
        everything, starts = np.concatenate(self._known), np.cumsum(sizes) - sizes
        both = np.array([np.add.reduceat(self.mean_gap(a, everything), starts) / sizes for a in self._known])
        self._both = (both + both.T) / 2  # symmetric but for rounding
        self._expected: Floats | None = None

    def between(self, samples: Samples, others: Samples) -> Floats:
        """Differences of every sample from the others in its row.

        Parameters
        ----------
        samples : ndarray of int, shape (b,)
        others : ndarray of int, shape (b, r), or (1, r) for the same in every row

        Returns
        -------
        ndarray of shape (b, r)
        """
        expected = self._expected if self._expected is not None else self._expect()
        out = self.gap(self.values[samples][:, None], self.values[others])
        others = np.broadcast_to(others, out.shape)
        there = self.missing[others]
        row, place = np.nonzero(there)
        out[row, place] = expected[self.classes[others[row, place]], samples[row]]
        row, place = np.nonzero(self.missing[samples][:, None] & ~there)
        out[row, place] = expected[self.classes[samples[row]], others[row, place]]
        return out

    def remember(self) -> None:
        """Keep the n_classes x n_samples expected differences instead of computing them anew every time."""
        self._expected = self._expect()

    def _expect(self) -> Floats:
        """[c, i]: the expected difference of a missing value of class c from sample i's value, known or missing."""
        out = self._both[:, self.classes]
        known = ~self.missing
        for c, of_class in enumerate(self._known):
            out[c, known] = self.mean_gap(of_class, self.values[known])
        return out

    @staticmethod
    @abstractmethod
    def gap(a: NDArray, b: NDArray) -> Floats:
        """Differences of known values."""

    @staticmethod
    @abstractmethod
    def mean_gap(known: NDArray, values: NDArray) -> Floats:
        """The mean difference of every value from the known ones."""


class UnknownNumbers(UnknownColumn):
    """A numeric column, scaled to a range of 1."""

    @staticmethod
    def gap(a: Floats, b: Floats) -> Floats:
        """``|a - b|``."""
        return np.abs(a - b)

    @staticmethod
    def mean_gap(known: Floats, values: Floats) -> Floats:
        """Mean ``|V - v|``, from the sums of the sorted known values. Cost: O(log n) a value."""
        ordered = np.sort(known)
        sums = np.concatenate([[0.0], np.cumsum(ordered)])
        below = np.searchsorted(ordered, values)
        from_below = values * below - sums[below]
        from_above = sums[-1] - sums[below] - values * (len(ordered) - below)
        return (from_below + from_above) / len(ordered)


class UnknownCategories(UnknownColumn):
    """A column of codes."""

    @staticmethod
    def gap(a: NDArray, b: NDArray) -> Floats:
        """0 where the codes are equal, else 1."""
        return (a != b).astype(np.float64)

    @staticmethod
    def mean_gap(known: NDArray, values: NDArray) -> Floats:
        """``1 - P(v)``, P the shares of the known codes."""
        counts = np.bincount(known, minlength=int(values.max(initial=0)) + 1)
        return 1.0 - counts[values] / len(known)


GRID = 2.0**32
TILE_SAMPLES = 64  # of native/differences.hpp
# Of expected differences in columns with missing values; beyond, they are computed anew for each block.
REMEMBERED_BYTES = 256 << 20


class Distances(NamedTuple):
    """Distances of some samples from all.

    Attributes
    ----------
    samples : ndarray of int, shape (b,)
    numbers : ndarray of float32, shape (b, n_samples or more)
        In the complete numeric columns, nearly.
    others : ndarray of shape (b, n_samples), or (b, 0) where there are no other columns
        In the other columns.
    """

    samples: Samples
    numbers: NDArray[np.float32]
    others: Floats


class Differences:
    """Differences between the samples of a table.

    Parameters
    ----------
    rows : Rows
    classes : ndarray of int, shape (n_samples,)
        Whose known values stand for the missing ones.
    n_classes : int

    Attributes
    ----------
    n_samples, n_features : int
    varies : ndarray of bool, shape (n_features,)
    tolerance : float
        Distances no further apart are equal: twice the error that rounding to the grid can give one.

    Notes
    -----
    Memory: two copies of the table in float64 and one in float32, and for columns that miss values up to 256 MiB more.
    """

    def __init__(self, rows: Rows, classes: NDArray[np.integer], n_classes: int) -> None:
        self.n_samples, self.n_features = rows.n_samples, rows.n_features
        self.varies = rows.varies
        self.tolerance = 2 * self.n_features / GRID
        numbers, spans = _with_spans(rows.numbers)
        incomplete = np.isnan(numbers).any(axis=0), (rows.codes < 0).any(axis=0)
        varying = self.varies[rows.numeric], self.varies[rows.categorical]
        self._numeric, self._numbers, self._spans = _pick(varying[0] & ~incomplete[0], rows.numeric, numbers, spans)
        self._categorical, self._codes = _pick(varying[1] & ~incomplete[1], rows.categorical, rows.codes)
        self._grid = _on_grid((self._numbers - self._numbers.min(axis=0, initial=np.inf)) / self._spans)
        self._tiles = _in_tiles(self._grid)
        self._float_codes = self._codes.astype(np.float64)  # as the library would convert them at every call
        self._kernel = choose_kernel().name
        self._unknown: dict[int, UnknownColumn] = {}
        for place in np.flatnonzero(varying[0] & incomplete[0]):
            scaled = (numbers[:, place] - np.nanmin(numbers[:, place])) / spans[place]
            missing = np.isnan(scaled)
            self._unknown[int(rows.numeric[place])] = UnknownNumbers(scaled, missing, classes, n_classes)
        for place in np.flatnonzero(varying[1] & incomplete[1]):
            codes = rows.codes[:, place]
            self._unknown[int(rows.categorical[place])] = UnknownCategories(codes, codes < 0, classes, n_classes)
        for column in list(self._unknown.values())[: REMEMBERED_BYTES // (8 * n_classes * self.n_samples)]:
            column.remember()

    def distances(self, samples: Samples) -> Distances:
        """Distances of some samples from all."""
        numbers = np.empty((len(samples), len(self._tiles) * TILE_SAMPLES), np.float32)
        _native.difference_distances(self._kernel, self._tiles, samples, numbers)
        if not len(self._categorical) and not self._unknown:
            return Distances(samples, numbers, np.empty((len(samples), 0)))
        others = np.zeros((len(samples), self.n_samples))
        if n := len(self._categorical):  # the library gives the share of codes that differ
            others += np.rint(n * cdist(self._float_codes[samples], self._float_codes, "hamming"))
        everyone = np.arange(self.n_samples)[None]
        for column in self._unknown.values():
            others += _on_grid(column.between(samples, everyone))
        return Distances(samples, numbers, others)

    def nearest(self, distances: Distances, rows: Samples, members: Samples, k: int) -> Samples:
        """The k nearest of some members to samples of a block, which are not neighbours of themselves.

        Parameters
        ----------
        distances : Distances
        rows : ndarray of int
            Places in ``distances.samples``.
        members : ndarray of int
            Ascending; at least k without the sample itself.
        k : int

        Returns
        -------
        ndarray of int, shape (len(rows), k)
            Ascending; of those as far as the k-th, within the tolerance, the first.
        """
        out = np.empty((len(rows), k), np.int64)
        _native.nearest_samples(
            self._kernel, self._grid, *distances[1:], distances[0], rows, members, self.tolerance, out
        )
        return out

    def weighted(self, samples: Samples, neighbours: Samples, weights: Floats) -> Floats:
        """Sum of weight times difference over the pairs of a sample and a neighbour, for every column.

        Parameters
        ----------
        samples : ndarray of int, shape (b,)
        neighbours, weights : ndarray of shape (b, r)

        Returns
        -------
        ndarray of shape (n_features,)
        """
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
        for feature, column in self._unknown.items():
            out[feature] = np.add.reduce(column.between(samples, neighbours) * weights, axis=None)
        return out


def _with_spans(numbers: Floats) -> tuple[Floats, Floats]:
    """The numbers and the range of each column; both halved where the range is beyond the largest float."""
    low, high = np.fmin.reduce(numbers, axis=0), np.fmax.reduce(numbers, axis=0)
    with np.errstate(over="ignore"):
        halves = np.where(np.isinf(high - low), 0.5, 1.0)
    if (halves < 1).any():
        numbers = numbers * halves
    return numbers, high * halves - low * halves


def _pick(columns: NDArray[np.bool_], *arrays: NDArray) -> list[NDArray]:
    return [np.ascontiguousarray(array[..., columns]) for array in arrays]


def _in_tiles(grid: Floats) -> NDArray[np.float32]:
    """The numbers as the native distances take them: by column, 64 samples side by side, zeros beyond the last."""
    n_samples, n_columns = grid.shape
    tiles = np.zeros((-(-n_samples // TILE_SAMPLES), n_columns, TILE_SAMPLES), np.float32)
    for t, tile in enumerate(tiles):
        part = grid[t * TILE_SAMPLES : (t + 1) * TILE_SAMPLES]
        tile[:, : len(part)] = part.T
    return tiles


def _on_grid(values: Floats) -> Floats:
    return np.rint(values * GRID) / GRID
