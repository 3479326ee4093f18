"""The columns of a dense or sparse table as vectors of unit length about their mean, ``f = (x - mean) / length``.

A column that holds a single value has length 0 and counts as the zero vector. No table is copied or made dense.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.threads import run_blocks
from bitsieve.utils.arrays import Flags, Floats, Values
from bitsieve.utils.ranges import joined_ranges

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array
Indices = NDArray[np.intp]
Block = tuple[int, int]  # the first column of a block, and the column after its last one
# The first arguments of native functions: start, row, value, n_samples, first, last, mean, length
SparseArguments = tuple[Indices, Indices, Floats, int, int, int, Floats, Floats]
# Further arguments, of the chosen columns by row: starts, columns, values, levels, peaks
ChosenArguments = tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats, Floats]

DENSE_VALUES = 1 << 19  # values of a block of dense columns: 4 MiB of doubles stay in the cache between two passes
STORED_VALUES = 1 << 20  # stored values of a block of sparse columns


class Pairs(NamedTuple):
    """Pairs of correlated columns: any column of the table, and one of some chosen columns."""

    column: Indices
    chosen: Indices  # index into the chosen columns
    correlation: Floats

    def groups(self, selected: Indices, n_chosen: int) -> Groups:
        """Group the pairs of indices ``selected`` by chosen column.

        Correlations are sorted by 10 decimals, and equal ones by column.
        """
        strength = np.round(np.abs(self.correlation[selected]), 10)
        order = np.lexsort((self.column[selected], -strength, self.chosen[selected]))
        in_order = selected[order]
        edges = np.searchsorted(self.chosen[in_order], np.arange(1, n_chosen))
        return Groups(
            members=np.split(self.column[in_order], edges),
            correlations=np.split(self.correlation[in_order], edges),
        )


class Groups(NamedTuple):
    """The group of each chosen column: the columns that are correlated with it, by falling |correlation|."""

    members: list[Indices]
    correlations: list[Floats]  # of the members with the chosen column


class ColumnVectors(ABC):
    """The columns of a table as vectors of unit length, which are made block by block."""

    def __init__(self, shape: tuple[int, int], n_jobs: int | None) -> None:
        self.n_samples, self.n_features = shape
        self.n_jobs = n_jobs
        self.mean = np.zeros(self.n_features)
        self.length = np.zeros(self.n_features)
        self._each_block(self._measure)

    @abstractmethod
    def products(self, weights: Floats) -> Floats:
        """The products of all vectors with weights of shape (n_samples, n_tasks). Shape (n_features, n_tasks)."""

    @abstractmethod
    def subset(self, columns: Indices) -> ColumnSubset:
        """The vectors of these columns."""

    @abstractmethod
    def correlated(self, columns: Indices, min_correlation: float, among: Indices | None = None) -> Pairs:
        """Pairs of a column of ``among`` (None: all) and one of ``columns`` with |rho| >= ``min_correlation``."""

    @abstractmethod
    def _measure(self, first: int, last: int) -> None:
        """Set ``mean`` and ``length`` of a block of columns."""

    @abstractmethod
    def _blocks(self) -> list[Block]:
        """The blocks of all columns."""

    def _each_block(self, work: Callable[[int, int], None]) -> None:
        run_blocks(lambda block: work(*block), self._blocks(), self.n_jobs)

    def _gather(self, pairs_of: Callable[[int, int], Pairs], blocks: list[Block]) -> Pairs:
        """Find the pairs of each block on a thread, and join them in the order of the blocks."""
        pairs_of_block: dict[Block, Pairs] = {}

        def work(block: Block) -> None:
            pairs_of_block[block] = pairs_of(*block)

        run_blocks(work, blocks, self.n_jobs)
        in_order = [pairs_of_block[block] for block in blocks]
        return Pairs(
            column=np.concatenate([pairs.column for pairs in in_order]),
            chosen=np.concatenate([pairs.chosen for pairs in in_order]),
            correlation=np.concatenate([pairs.correlation for pairs in in_order]),
        )


class DenseColumns(ColumnVectors):
    """A table of finite numbers, shape (n_samples, n_features), of any numeric type and layout."""

    def __init__(self, values: Values, n_jobs: int | None = None) -> None:
        self.values = values
        super().__init__(values.shape, n_jobs)

    def products(self, weights: Floats) -> Floats:
        out = np.empty((self.n_features, weights.shape[1]))

        def multiply(first: int, last: int) -> None:
            out[first:last] = self._vectors(slice(first, last)).T @ weights

        self._each_block(multiply)
        return out

    def subset(self, columns: Indices) -> ColumnSubset:
        return ColumnSubset(self._vectors(columns), np.zeros(len(columns)))

    def correlated(self, columns: Indices, min_correlation: float, among: Indices | None = None) -> Pairs:
        chosen = self._vectors(columns)

        def correlated_pairs(columns_of_block: Indices, vectors: Floats) -> Pairs:
            correlation = vectors.T @ chosen
            column, index = np.nonzero(np.abs(correlation) >= min_correlation)
            return Pairs(columns_of_block[column], index, correlation[column, index])

        def pairs_of_block(first: int, last: int) -> Pairs:
            if among is None:
                return correlated_pairs(np.arange(first, last), self._vectors(slice(first, last)))
            columns_of_block = among[first:last]
            return correlated_pairs(columns_of_block, self._vectors(columns_of_block))

        n_columns = self.n_features if among is None else len(among)
        return self._gather(pairs_of_block, self._blocks(n_columns))

    def _measure(self, first: int, last: int) -> None:
        values = self.values[:, first:last].astype(np.float64)
        low = values.min(axis=0)
        high = values.max(axis=0)
        _, exponents = np.frexp(np.maximum(-low, high))
        np.ldexp(values, -exponents, out=values)  # to magnitudes of at most 1, so that no sum overflows
        mean = np.add.reduce(values, axis=0) / len(values)
        values -= mean
        correction = np.add.reduce(values, axis=0) / len(values)  # the rounding of the mean
        squares = np.einsum("ij,ij->j", values, values) - len(values) * correction**2
        length = np.sqrt(np.maximum(squares, 0.0))
        self.mean[first:last] = np.ldexp(mean + correction, exponents)
        self.length[first:last] = np.where(low < high, np.ldexp(length, exponents), 0.0)

    def _vectors(self, columns: slice | Indices) -> Floats:
        vectors = self.values[:, columns].astype(np.float64)
        vectors -= self.mean[columns]
        length = self.length[columns]
        vectors /= np.where(length > 0, length, np.inf)
        return vectors

    def _blocks(self, n_columns: int | None = None) -> list[Block]:
        n_columns = self.n_features if n_columns is None else n_columns
        width = max(8, DENSE_VALUES // self.n_samples)
        return [(first, min(first + width, n_columns)) for first in range(0, n_columns, width)]


class SparseColumns(ColumnVectors):
    """A CSC matrix or array of finite float32 or float64, without duplicate entries; 32-bit or 64-bit indices."""

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

    def subset(self, columns: Indices) -> ColumnSubset:
        vectors, level = self._vectors(columns)
        return ColumnSubset(vectors.tocsr(), level)

    def correlated(self, columns: Indices, min_correlation: float, among: Indices | None = None) -> Pairs:
        order, chosen = self._chosen_by_row(columns)

        def pairs_of(arrays: SparseArguments) -> Pairs:
            column, index, correlation = _native.sparse_correlated(*arrays, *chosen, min_correlation)
            return Pairs(column, order[index], correlation)

        if among is None:
            return self._gather(lambda first, last: pairs_of(self._arrays(first, last)), self._blocks())
        part = self._take(among)
        mean = self.mean[among]
        length = self.length[among]
        pairs = pairs_of((part.indptr, part.indices, part.data, self.n_samples, 0, len(among), mean, length))
        return pairs._replace(column=among[pairs.column])

    def _chosen_by_row(self, columns: Indices) -> tuple[Indices, ChosenArguments]:
        """Sort columns by their peak, the largest |value|, in falling order, and store them by row.

        Return the order, and the columns as arguments of the native function.
        """
        vectors, level = self._vectors(columns)
        has_values = np.diff(vectors.indptr) > 0
        peak = np.zeros(len(columns))
        if has_values.any():
            peak[has_values] = np.maximum.reduceat(np.abs(vectors.data), vectors.indptr[:-1][has_values])
        order = np.argsort(-peak, kind="stable")
        rows = vectors[:, order].tocsr()
        starts = rows.indptr.astype(np.int64)
        indices = rows.indices.astype(np.int64)
        return order, (starts, indices, rows.data, np.sqrt(self.n_samples) * level[order], peak[order])

    def _measure(self, first: int, last: int) -> None:
        _native.sparse_column_moments(*self._arrays(first, last))

    def _arrays(self, first: int, last: int) -> SparseArguments:
        return self.start, self.row, self.value, self.n_samples, first, last, self.mean, self.length

    def _blocks(self) -> list[Block]:
        n_blocks = -(-int(self.start[-1]) // STORED_VALUES) or 1
        inner = np.searchsorted(self.start, np.arange(1, n_blocks) * STORED_VALUES)
        edges = np.unique(np.concatenate([[0], inner, [self.n_features]])).tolist()
        return list(pairwise(edges))

    def _vectors(self, columns: Indices) -> tuple[csc_array, Floats]:
        """The columns divided by their lengths, and their levels: vector j is column j less ``level[j]``.

        A column that stores all its values is centred here, and its level is 0.
        """
        from scipy.sparse import csc_array

        length = self.length[columns]
        mean = self.mean[columns]
        part = self._take(columns)
        n_stored = np.diff(part.indptr)
        is_full = n_stored == self.n_samples
        value = part.data - np.repeat(np.where(is_full, mean, 0.0), n_stored)
        value /= np.repeat(np.where(length > 0, length, np.inf), n_stored)
        level = np.divide(mean, length, out=np.zeros(len(columns)), where=(length > 0) & ~is_full)
        return csc_array((value, part.indices, part.indptr), shape=part.shape), level

    def _take(self, columns: Indices) -> csc_array:
        from scipy.sparse import csc_array

        n_stored = (self.start[columns + 1] - self.start[columns]).astype(np.intp)
        start = np.concatenate([[0], np.cumsum(n_stored)])
        positions = joined_ranges(self.start[columns], n_stored)
        arrays = (self.value[positions], self.row[positions], start.astype(self.start.dtype))
        return csc_array(arrays, shape=(self.n_samples, len(columns)))


class ColumnSubset:
    """The vectors of some columns: vector j is ``rows[:, j] - level[j]``, with ``rows`` dense or sparse."""

    def __init__(self, rows: Floats | csr_array, level: Floats) -> None:
        self.rows = rows
        self.level = level

    def times(self, weights: Floats) -> Floats:
        """The weighted sums of the vectors, by weights of shape (n_columns, n_tasks). Shape (n_samples, n_tasks)."""
        return np.asarray(self.rows @ weights - self.level @ weights)

    def against(self, weights: Floats) -> Floats:
        """The products of the vectors with weights of shape (n_samples, n_tasks). Shape (n_columns, n_tasks)."""
        return np.asarray(self.rows.T @ weights - np.outer(self.level, np.add.reduce(weights, axis=0)))

    def scatter(self, samples: Flags) -> Floats:
        """The products of the vectors with each other over the flagged samples, shape (n_columns, n_columns)."""
        rows = self.rows[samples]
        n = rows.shape[0]
        sums = rows.T @ np.ones(n)
        inner = rows.T @ rows
        products: Floats = inner if isinstance(inner, np.ndarray) else inner.toarray()
        products -= np.outer(sums, self.level) + np.outer(self.level, sums) - n * np.outer(self.level, self.level)
        return products


def column_vectors(values: Values | csc_array, n_jobs: int | None = None) -> ColumnVectors:
    """The columns of an array or a CSC matrix as vectors."""
    if isinstance(values, np.ndarray):
        return DenseColumns(values, n_jobs)
    return SparseColumns(values, n_jobs)
