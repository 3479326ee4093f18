"""Columns as vectors of unit length about their mean, ``f = (x - mean) / length``, of a dense or sparse table.

A column that holds a single value has length 0 and counts as the zero vector. No table is copied or made dense.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.threads import run_blocks
from bitsieve.utils.arrays import Flags, Floats

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array
Places = NDArray[np.intp]
Block = tuple[int, int]
Stored = tuple[Places, Places, Floats, int, int, int, Floats, Floats]  # the first arguments of native functions
ByRow = tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats, Floats]

DENSE_VALUES = 1 << 19  # of a block of columns: 4 MiB of doubles stay in a cache between the passes over it
STORED_VALUES = 1 << 20  # of a block of sparse columns


class Pairs(NamedTuple):
    """Pairs of correlated columns: ``column`` of the table, ``chosen`` a place among some chosen columns."""

    column: Places
    chosen: Places
    correlation: Floats

    def groups(self, selected: Places, n_chosen: int) -> Groups:
        """Some of the pairs as groups of the chosen columns; correlations that differ by less than 1e-10 are equal."""
        strength = np.round(np.abs(self.correlation[selected]), 10)
        selected = selected[np.lexsort((self.column[selected], -strength, self.chosen[selected]))]
        edges = np.searchsorted(self.chosen[selected], np.arange(1, n_chosen))
        return Groups(np.split(self.column[selected], edges), np.split(self.correlation[selected], edges))


class Groups(NamedTuple):
    """For every chosen column those of its group, by falling correlation, and their correlations with it."""

    members: list[Places]
    correlations: list[Floats]


class Columns(ABC):
    """A table as vectors, a block of columns at a time; its values are only read."""

    def __init__(self, shape: tuple[int, int], n_jobs: int | None) -> None:
        self.n_samples, self.n_features = shape
        self.n_jobs = n_jobs
        self.mean = np.zeros(self.n_features)
        self.length = np.zeros(self.n_features)
        self._each_block(self._measure)
        self.varies = self.length > 0

    @abstractmethod
    def products(self, weights: Floats) -> Floats:
        """The products with weights of the samples, shape (n, tasks): shape (n_features, tasks)."""

    @abstractmethod
    def part(self, columns: Places) -> Part:
        """Some columns in memory."""

    @abstractmethod
    def correlated(self, columns: Places, min_correlation: float, among: Places | None = None) -> Pairs:
        """Pairs of a column (of all, or of ``among``) and an index in ``columns`` that are correlated.

        Correlated is what has a correlation of ``min_correlation`` or more, of either sign.
        """

    @abstractmethod
    def _measure(self, first: int, last: int) -> None:
        """Set the means and lengths of a block of columns."""

    @abstractmethod
    def _blocks(self) -> list[Block]:
        """The blocks of all columns."""

    def _each_block(self, work: Callable[[int, int], None]) -> None:
        run_blocks(lambda block: work(*block), self._blocks(), self.n_jobs)

    def _gather(self, look: Callable[[int, int], Pairs], blocks: list[Block]) -> Pairs:
        """The pairs that are found in the blocks, in their order."""
        pairs_of_block: dict[Block, Pairs] = {}

        def keep(block: Block) -> None:
            pairs_of_block[block] = look(*block)

        run_blocks(keep, blocks, self.n_jobs)
        return Pairs(
            *(np.concatenate(arrays) for arrays in zip(*(pairs_of_block[block] for block in blocks), strict=True))
        )


class DenseColumns(Columns):
    """A table of finite numbers, shape (n_samples, n_features), of any numeric type and layout."""

    def __init__(self, values: NDArray[Any], n_jobs: int | None = None) -> None:
        self.values = values
        super().__init__(values.shape, n_jobs)

    def products(self, weights: Floats) -> Floats:
        out = np.empty((self.n_features, weights.shape[1]))

        def multiply(first: int, last: int) -> None:
            out[first:last] = self._vectors(slice(first, last)).T @ weights

        self._each_block(multiply)
        return out

    def part(self, columns: Places) -> Part:
        return Part(self._vectors(columns), np.zeros(len(columns)))

    def correlated(self, columns: Places, min_correlation: float, among: Places | None = None) -> Pairs:
        chosen = self._vectors(columns)

        def look(first: int, last: int) -> Pairs:
            columns_of_block = np.arange(first, last) if among is None else among[first:last]
            correlation = self._vectors(slice(first, last) if among is None else columns_of_block).T @ chosen
            column, index = np.nonzero(np.abs(correlation) >= min_correlation)
            return Pairs(columns_of_block[column], index, correlation[column, index])

        return self._gather(look, self._blocks(None if among is None else len(among)))

    def _measure(self, first: int, last: int) -> None:
        """Means and lengths about them; numbers of any size, without overflow."""
        values = self.values[:, first:last].astype(np.float64)
        low = values.min(axis=0)
        high = values.max(axis=0)
        _, exponents = np.frexp(np.maximum(-low, high))
        np.ldexp(values, -exponents, out=values)
        mean = np.add.reduce(values, axis=0) / len(values)
        values -= mean
        rest = np.add.reduce(values, axis=0) / len(values)  # what rounding left of it
        length = np.sqrt(np.maximum(np.einsum("ij,ij->j", values, values) - len(values) * rest**2, 0.0))
        self.mean[first:last] = np.ldexp(mean + rest, exponents)
        self.length[first:last] = np.where(low < high, np.ldexp(length, exponents), 0.0)

    def _vectors(self, columns: slice | Places) -> Floats:
        vectors = self.values[:, columns].astype(np.float64)
        vectors -= self.mean[columns]
        length = self.length[columns]
        vectors /= np.where(length > 0, length, np.inf)
        return vectors

    def _blocks(self, n_columns: int | None = None) -> list[Block]:
        n_columns = self.n_features if n_columns is None else n_columns
        width = max(8, DENSE_VALUES // self.n_samples)
        return [(first, min(first + width, n_columns)) for first in range(0, n_columns, width)]


class SparseColumns(Columns):
    """A CSC matrix or array of finite float32 or float64, no entry twice; 32-bit or 64-bit indices."""

    def __init__(self, matrix: csc_array, n_jobs: int | None = None) -> None:
        self.start = matrix.indptr
        self.row = matrix.indices
        self.value = matrix.data
        super().__init__(matrix.shape, n_jobs)

    def products(self, weights: Floats) -> Floats:
        weights = np.ascontiguousarray(weights)
        sums = np.add.reduce(weights, axis=0)
        out = np.empty((self.n_features, weights.shape[1]))
        self._each_block(
            lambda first, last: _native.sparse_column_products(*self._arrays(first, last), weights, sums, out)
        )
        return out

    def part(self, columns: Places) -> Part:
        vectors, level = self._vectors(columns)
        return Part(vectors.tocsr(), level)

    def correlated(self, columns: Places, min_correlation: float, among: Places | None = None) -> Pairs:
        order, by_row = self._by_row(columns)

        def pairs(arrays: Stored) -> Pairs:
            column, index, correlation = _native.sparse_correlated(*arrays, *by_row, min_correlation)
            return Pairs(column, order[index], correlation)

        if among is None:
            return self._gather(lambda first, last: pairs(self._arrays(first, last)), self._blocks())
        mine = self._take(among)
        moments = self.mean[among], self.length[among]
        pairs_found = pairs((mine.indptr, mine.indices, mine.data, self.n_samples, 0, len(among), *moments))
        return pairs_found._replace(column=among[pairs_found.column])

    def _by_row(self, columns: Places) -> tuple[Places, ByRow]:
        """Some columns by falling largest value, and their rows, levels and largest values in that order."""
        vectors, level = self._vectors(columns)
        stored = np.diff(vectors.indptr) > 0
        peak = np.zeros(len(columns))
        peak[stored] = np.maximum.reduceat(np.abs(vectors.data), vectors.indptr[:-1][stored]) if stored.any() else 0.0
        order = np.argsort(-peak, kind="stable")
        rows = vectors[:, order].tocsr()
        indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
        return order, (*indices, rows.data, np.sqrt(self.n_samples) * level[order], peak[order])

    def _measure(self, first: int, last: int) -> None:
        _native.sparse_column_moments(*self._arrays(first, last))

    def _arrays(self, first: int, last: int) -> Stored:
        return self.start, self.row, self.value, self.n_samples, first, last, self.mean, self.length

    def _blocks(self) -> list[Block]:
        n_blocks = -(-int(self.start[-1]) // STORED_VALUES) or 1
        inner = np.searchsorted(self.start, np.arange(1, n_blocks) * STORED_VALUES)
        edges = np.unique(np.concatenate([[0], inner, [self.n_features]])).tolist()
        return list(pairwise(edges))

    def _vectors(self, columns: Places) -> tuple[csc_array, Floats]:
        """Some columns divided by their length, and what is still to be subtracted from all their values."""
        from scipy.sparse import csc_array

        length = self.length[columns]
        mean = self.mean[columns]
        mine = self._take(columns)
        stored = np.diff(mine.indptr)
        full = stored == self.n_samples
        value = mine.data - np.repeat(np.where(full, mean, 0.0), stored)
        value /= np.repeat(np.where(length > 0, length, np.inf), stored)
        level = np.divide(mean, length, out=np.zeros(len(columns)), where=(length > 0) & ~full)
        return csc_array((value, mine.indices, mine.indptr), shape=mine.shape), level

    def _take(self, columns: Places) -> csc_array:
        from scipy.sparse import csc_array

        stored = (self.start[columns + 1] - self.start[columns]).astype(np.intp)
        start = np.concatenate([[0], np.cumsum(stored)])
        positions = np.repeat(self.start[columns] - start[:-1], stored) + np.arange(start[-1])
        arrays = self.value[positions], self.row[positions], start.astype(self.start.dtype)
        return csc_array(arrays, shape=(self.n_samples, len(columns)))


class Part:
    """Some columns of a table in memory: s vectors of n samples, ``rows - level``, ``rows`` dense or sparse."""

    def __init__(self, rows: Floats | csr_array, level: Floats) -> None:
        self.rows = rows
        self.level = level

    def times(self, weights: Floats) -> Floats:
        """The sum of the vectors by weights of shape (s, tasks): shape (n, tasks)."""
        return np.asarray(self.rows @ weights - self.level @ weights)

    def against(self, weights: Floats) -> Floats:
        """The products with weights of the samples, shape (n, tasks): shape (s, tasks)."""
        return np.asarray(self.rows.T @ weights - np.outer(self.level, np.add.reduce(weights, axis=0)))

    def scatter(self, samples: Flags) -> Floats:
        """The products of the vectors with each other over some samples, shape (s, s)."""
        rows = self.rows[samples]
        n = rows.shape[0]
        sums = rows.T @ np.ones(n)
        inner = rows.T @ rows
        products: Floats = inner if isinstance(inner, np.ndarray) else inner.toarray()
        products -= np.outer(sums, self.level) + np.outer(self.level, sums) - n * np.outer(self.level, self.level)
        return products


def vectors_of(values: NDArray[Any] | csc_array, n_jobs: int | None = None) -> Columns:
    """A table as vectors: an array, or CSC."""
    return DenseColumns(values, n_jobs) if isinstance(values, np.ndarray) else SparseColumns(values, n_jobs)
