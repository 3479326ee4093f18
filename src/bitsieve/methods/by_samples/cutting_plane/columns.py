"""Columns as vectors of unit length about their mean, ``f = (x - mean) / length``: products with weights of the samples
and correlations, of a dense or a sparse table, which is never copied nor made dense as a whole.

A column that holds a single value has length 0 and counts as the zero vector. The correlation of two others is the
product of their vectors.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from scipy.sparse import csc_array, csr_array

from bitsieve import _native
from bitsieve.counts.blocks import run_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]
    Block = tuple[int, int]


class Pairs(NamedTuple):
    """Pairs of correlated columns: ``column`` of the table, ``chosen`` a place among some chosen columns."""

    column: Integers
    chosen: Integers
    correlation: Floats


class Part(Protocol):
    """Some columns of a table in memory: s vectors of n samples."""

    n_columns: int

    def times(self, weights: Floats) -> Floats:
        """The sum of the vectors by weights of shape (s, tasks): shape (n, tasks)."""
        ...

    def against(self, weights: Floats) -> Floats:
        """The products with weights of the samples, shape (n, tasks): shape (s, tasks)."""
        ...

    def scatter(self, samples: NDArray[np.bool_]) -> Floats:
        """The products of the vectors with each other over some samples, shape (s, s)."""
        ...


class Columns(Protocol):
    """A table as vectors."""

    n_samples: int
    n_features: int
    varies: NDArray[np.bool_]
    mean: Floats
    length: Floats

    def products(self, weights: Floats) -> Floats:
        """The products with weights of the samples, shape (n, tasks): shape (n_features, tasks)."""
        ...

    def part(self, columns: Integers) -> Part:
        """Some columns in memory."""
        ...

    def correlated(self, columns: Integers, least: float, among: Integers | None = None) -> Pairs:
        """Pairs of a column (of the table, or of those ``among`` which to look) and a place in ``columns``.

        Those with a correlation of at least ``least`` in absolute value, a column with itself included.
        """
        ...


DENSE_VALUES = 1 << 19  # 4 MiB of doubles: what stays in a cache between the passes over a block


class DenseColumns:
    """A table of numbers, float32 or float64, in any layout; the values are only read.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        Finite.
    n_jobs : int or None
        Threads.
    """

    def __init__(self, values: NDArray[np.floating], n_jobs: int | None = None) -> None:
        self.values = values
        self.n_jobs = n_jobs
        self.n_samples, self.n_features = values.shape
        self.mean, self.length = np.zeros(self.n_features), np.zeros(self.n_features)

        def measure(block: Block) -> None:
            place = slice(*block)
            self.mean[place], self.length[place] = _moments(values[:, place].astype(np.float64))

        run_blocks(measure, self._blocks(self.n_features), n_jobs)
        self.varies = self.length > 0

    def products(self, weights: Floats) -> Floats:
        """The products with weights of the samples."""
        out = np.empty((self.n_features, weights.shape[1]))

        def multiply(block: Block) -> None:
            place = slice(*block)
            out[place] = self._vectors(place).T @ weights

        run_blocks(multiply, self._blocks(self.n_features), self.n_jobs)
        return out

    def part(self, columns: Integers) -> DensePart:
        """Some columns in memory."""
        return DensePart(self._vectors(columns))

    def correlated(self, columns: Integers, least: float, among: Integers | None = None) -> Pairs:
        """Pairs of a column and a place in ``columns`` correlated by ``least`` or more."""
        chosen = self._vectors(columns)
        looked_at = np.arange(self.n_features) if among is None else among
        blocks = self._blocks(len(looked_at))
        found: dict[Block, Pairs] = {}

        def look(block: Block) -> None:
            own = looked_at[slice(*block)]
            correlation = self._vectors(slice(*block) if among is None else own).T @ chosen
            column, place = np.nonzero(np.abs(correlation) >= least)
            found[block] = Pairs(own[column], place, correlation[column, place])

        run_blocks(look, blocks, self.n_jobs)
        parts = [found[block] for block in blocks]
        return Pairs(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _vectors(self, columns: slice | Integers) -> Floats:
        vectors = self.values[:, columns].astype(np.float64)
        vectors -= self.mean[columns]
        length = self.length[columns]
        vectors /= np.where(length > 0, length, np.inf)
        return vectors

    def _blocks(self, n_columns: int) -> list[Block]:
        width = max(8, DENSE_VALUES // self.n_samples)
        return [(first, min(first + width, n_columns)) for first in range(0, n_columns, width)]


class DensePart:
    """Some vectors in memory."""

    def __init__(self, vectors: Floats) -> None:
        self.vectors = vectors
        self.n_columns = vectors.shape[1]

    def times(self, weights: Floats) -> Floats:
        """The sum of the vectors by weights."""
        return self.vectors @ weights

    def against(self, weights: Floats) -> Floats:
        """The products with weights of the samples."""
        return self.vectors.T @ weights

    def scatter(self, samples: NDArray[np.bool_]) -> Floats:
        """The products of the vectors with each other over some samples."""
        rows = self.vectors[samples]
        return rows.T @ rows


def _moments(values: Floats) -> tuple[Floats, Floats]:
    """Means and lengths about them of columns; numbers of any size, without overflow. ``values`` is overwritten."""
    low, high = values.min(axis=0), values.max(axis=0)
    _, exponents = np.frexp(np.maximum(-low, high))
    np.ldexp(values, -exponents, out=values)
    mean = np.add.reduce(values, axis=0) / len(values)
    values -= mean
    rest = np.add.reduce(values, axis=0) / len(values)  # what rounding left of it
    length = np.sqrt(np.maximum(np.einsum("ij,ij->j", values, values) - len(values) * rest**2, 0.0))
    return np.ldexp(mean + rest, exponents), np.where(low < high, np.ldexp(length, exponents), 0.0)


STORED_VALUES = 1 << 20  # stored values of a block of columns


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
        n_blocks = -(-int(self.start[-1]) // STORED_VALUES) or 1
        inner = np.searchsorted(self.start, np.arange(1, n_blocks) * STORED_VALUES)
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
