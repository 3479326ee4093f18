"""Sparse tables as vectors of unit length about their mean: means are subtracted from results, not from values."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from bitsieve import _native
from bitsieve.counts.blocks import run_blocks
from bitsieve.methods.by_samples.cutting_plane.columns import Pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]
    Block = tuple[int, int]

BLOCK_VALUES = 1 << 20  # stored values of a block of columns


class SparseColumns:
    """A table of compressed sparse columns, float32 or float64; the values are only read.

    Parameters
    ----------
    matrix : sparse matrix or array of shape (n_samples, n_features)
        In CSC, no entry twice, finite; 32-bit or 64-bit indices.
    n_jobs : int or None
        Threads.
    """

    def __init__(self, matrix: Any, n_jobs: int | None = None) -> None:
        self.start, self.row, self.value = matrix.indptr, matrix.indices, matrix.data
        self.n_jobs = n_jobs
        self.n_samples, self.n_features = matrix.shape
        self.mean, self.length = np.zeros(self.n_features), np.zeros(self.n_features)
        self._each_block(lambda first, last: _native.sparse_column_moments(*self._arrays(first, last)))
        self.varies = self.length > 0

    def products(self, weights: Floats) -> Floats:
        """The products with weights of the samples."""
        weights = np.ascontiguousarray(weights)
        sums = np.add.reduce(weights, axis=0)
        out = np.empty((self.n_features, weights.shape[1]))
        self._each_block(
            lambda first, last: _native.sparse_column_products(*self._arrays(first, last), weights, sums, out)
        )
        return out

    def part(self, columns: Integers) -> SparsePart:
        """Some columns in memory, by rows."""
        vectors, level = self._vectors(columns)
        return SparsePart(vectors.tocsr(), level)

    def correlated(self, columns: Integers, least: float, among: Integers | None = None) -> Pairs:
        """Pairs of a column and a place in ``columns`` correlated by ``least`` or more."""
        vectors, level = self._vectors(columns)
        stored = np.diff(vectors.indptr) > 0
        peak = np.zeros(len(columns))
        peak[stored] = np.maximum.reduceat(np.abs(vectors.data), vectors.indptr[:-1][stored]) if stored.any() else 0.0
        order = np.argsort(-peak, kind="stable")
        rows = vectors[:, order].tocsr()
        by_row = (
            rows.indptr.astype(np.int64),
            rows.indices.astype(np.int64),
            rows.data,
            np.sqrt(self.n_samples) * level[order],
            peak[order],
            least,
        )
        if among is not None:
            mine = self._take(among)
            arrays = (mine.indptr, mine.indices, mine.data, self.n_samples, 0, len(among))
            column, place, correlation = _native.sparse_correlated(
                *arrays, self.mean[among], self.length[among], *by_row
            )
            return Pairs(among[column], order[place], correlation)
        parts: dict[int, Any] = {}

        def look(first: int, last: int) -> None:
            parts[first] = _native.sparse_correlated(*self._arrays(first, last), *by_row)

        self._each_block(look)
        column, place, correlation = (np.concatenate([parts[first][i] for first in sorted(parts)]) for i in range(3))
        return Pairs(column, order[place], correlation)

    def _arrays(self, first: int, last: int) -> tuple[Any, Any, Any, int, int, int, Any, Any]:
        return self.start, self.row, self.value, self.n_samples, first, last, self.mean, self.length

    def _each_block(self, work: Any) -> None:
        n_blocks = -(-int(self.start[-1]) // BLOCK_VALUES) or 1
        inner = np.searchsorted(self.start, np.arange(1, n_blocks) * BLOCK_VALUES)
        edges = np.unique(np.concatenate([[0], inner, [self.n_features]])).tolist()
        run_blocks(lambda block: work(*block), list(pairwise(edges)), self.n_jobs)

    def _vectors(self, columns: Integers) -> tuple[csc_array, Floats]:
        """Some columns divided by their length, and what is still to be subtracted from all their values."""
        length, mean = self.length[columns], self.mean[columns]
        mine = self._take(columns)
        stored = np.diff(mine.indptr)
        full = stored == self.n_samples
        value = mine.data - np.repeat(np.where(full, mean, 0.0), stored)
        value /= np.repeat(np.where(length > 0, length, np.inf), stored)
        level = np.divide(mean, length, out=np.zeros(len(columns)), where=(length > 0) & ~full)
        return csc_array((value, mine.indices, mine.indptr), shape=mine.shape), level

    def _take(self, columns: Integers) -> Any:
        stored = (self.start[columns + 1] - self.start[columns]).astype(np.intp)
        start = np.concatenate([[0], np.cumsum(stored)])
        places = np.repeat(self.start[columns] - start[:-1], stored) + np.arange(start[-1])
        arrays = self.value[places], self.row[places], start.astype(self.start.dtype)
        return csc_array(arrays, shape=(self.n_samples, len(columns)))


class SparsePart:
    """Some vectors in memory: ``rows - level``, ``rows`` sparse."""

    def __init__(self, rows: csr_array, level: Floats) -> None:
        self.rows = rows
        self.level = level
        self.n_columns = len(level)

    def times(self, weights: Floats) -> Floats:
        """The sum of the vectors by weights."""
        return self.rows @ weights - self.level @ weights

    def against(self, weights: Floats) -> Floats:
        """The products with weights of the samples."""
        return self.rows.T @ weights - np.outer(self.level, np.add.reduce(weights, axis=0))

    def scatter(self, samples: NDArray[np.bool_]) -> Floats:
        """The products of the vectors with each other over some samples."""
        rows = self.rows[samples]
        n = rows.shape[0]
        sums = rows.T @ np.ones(n)
        products = (rows.T @ rows).toarray()
        products -= np.outer(sums, self.level) + np.outer(self.level, sums) - n * np.outer(self.level, self.level)
        return products
