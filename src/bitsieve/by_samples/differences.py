"""Differences of samples in each column, and distances, which are their sums.

``diff = |a - b| / (max - min)`` in a numeric column, 0 or 1 in a categorical one, the expected one where a value is
missing (:mod:`bitsieve.by_samples.unknown`).

Distances decide who is a neighbour, so they are sums of whole multiples of 2**-32: exact in float64 for up to 2**21
columns, hence the same whatever the order of the columns, the block or the instruction set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import cdist

from bitsieve.by_samples.unknown import UnknownCategories, UnknownColumn, UnknownNumbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.by_samples.rows import Rows

    Floats = NDArray[np.float64]
    Samples = NDArray[np.intp]

GRID = 2.0**32
REMEMBERED_BYTES = (
    256 << 20
)  # of expected differences in columns with missing values; beyond, they are computed anew for each block


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
    Memory: two copies of the table in float64, and for columns that miss values up to 256 MiB more.
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
        self._float_codes = self._codes.astype(
            np.float64
        )  # the type that the library would convert them to at every call
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

    def distances(self, samples: Samples) -> Floats:
        """Distances of some samples from all, shape (len(samples), n_samples)."""
        total = np.zeros((len(samples), self.n_samples))
        if len(self._numeric):
            total += cdist(self._grid[samples], self._grid, "cityblock")
        if n := len(self._categorical):  # the library gives the share of codes that differ
            total += np.rint(n * cdist(self._float_codes[samples], self._float_codes, "hamming"))
        everyone = np.arange(self.n_samples)[None]
        for column in self._unknown.values():
            total += _on_grid(column.between(samples, everyone))
        return total

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
        for sample, others, weight in zip(samples, neighbours, weights[:, :, None], strict=True):
            apart = np.abs(self._numbers[others] - self._numbers[sample]) / self._spans
            out[self._numeric] += np.add.reduce(apart * weight, axis=0)
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


def _on_grid(values: Floats) -> Floats:
    return np.rint(values * GRID) / GRID
