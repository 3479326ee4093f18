"""Matrices of all pairs of features: symmetric uncertainty, and conditional information, whole or in tiles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import DTypeLike

from bitsieve.diagnostics import UserError
from bitsieve.information.protocol import Information, pair_uncertainty
from bitsieve.methods.by_counts.pairwise.subsets import row_bound, row_bound_by_rows
from bitsieve.optimize.eigen import multiply
from bitsieve.utils.arrays import Columns, Floats, Matrix, Progress
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.memory import check_room, square_matrix
from bitsieve.utils.progress import phase


def uncertainty_rows(information: Information, first: int, last: int) -> Floats:
    """Rows of W."""
    out = np.empty((last - first, information.n_features))
    for i in range(first, last):
        row = pair_uncertainty(information.pair(i, by_class=False))
        row[i] = 0.0
        out[i - first] = np.clip(row, 0.0, 1.0)
    return out


def uncertainty_matrix(information: Information, progress: Progress = None) -> Floats:
    """W of all features, counted pair by pair: the numbers of the rows, bit for bit. Memory: 8 n^2 bytes."""
    out = np.asarray(information.matrix("redundancy", np.float64, None, progress), np.float64)
    entropy = information.entropy
    for i, row in enumerate(out):
        sums = entropy + entropy[i]
        row[:] = np.clip(np.divide(2 * row, sums, out=np.zeros_like(row), where=sums > 0), 0.0, 1.0)
        row[i] = 0.0
    return out


TILE_ROWS = 512
TILE_COLUMNS = 8192  # with 512 rows 32 MiB: long enough that threads and the tables of a row pay
STRIP = 16  # rows of a tile multiplied at once: their products stay in the second-level cache


class WholeMatrix:
    """Q in memory: n^2 numbers, counted once."""

    def __init__(self, information: Information, columns: Columns, dtype: DTypeLike = np.float64) -> None:
        self.values = information.matrix("mean_relevance", dtype, columns, phase("counting pairs"))

    @cached_property
    def diagonal(self) -> Floats:
        return np.array(np.diagonal(self.values), np.float64)

    def row(self, i: int) -> Matrix:
        row: Matrix = self.values[i]
        return row

    def among(self, members: Columns) -> Matrix:
        """The rows and columns of some members."""
        return self.values[np.ix_(members, members)]

    def upper_bounds(self, k: int) -> list[float]:
        """Bounds on ``x'Qx`` of every subset of k: that of the best rows."""
        return [row_bound(self.values, k)]

    def multiply(self, vector: Floats) -> Floats:
        """The product with a vector, the same bits for any number of threads."""
        return multiply(self.values, vector)


class CountedMatrix:
    """Q of which nothing is kept: rows are counted when they are asked for."""

    def __init__(self, information: Information, columns: Columns, dtype: DTypeLike = np.float64) -> None:
        self._information = information
        self._columns = columns
        self._dtype = np.dtype(dtype)

    @cached_property
    def diagonal(self) -> Floats:
        return self._information.relevance[self._columns]

    def rows(self, members: Columns, progress: Progress = None) -> Matrix:
        """Some rows, counted in parts that are reported as ``progress(done, total)``."""
        shape = len(members), len(self._columns)
        n_bytes = shape[0] * shape[1] * self._dtype.itemsize
        check_room(n_bytes, f"{shape[0]:,} rows of {shape[1]:,} features take", "give fewer landmarks")
        out = np.empty(shape, self._dtype)
        step = max(1, -(-len(members) // 100))
        for first in range(0, len(members), step):
            part = slice(first, first + step)
            self._information.symmetric_conditional_rows(self._columns[members[part]], self._columns, out[part])
            if progress is not None:
                progress(min(first + step, len(members)), len(members))
        return out

    def row(self, i: int) -> Matrix:
        row: Matrix = self.rows(np.array([i]))[0]
        return row

    def among(self, members: Columns) -> Matrix:
        out = square_matrix(len(members), self._dtype)
        chosen = self._columns[members]
        self._information.symmetric_conditional_rows(chosen, chosen, out)
        return out

    def upper_bounds(self, k: int) -> list[float]:
        """No bound: it would need all rows."""
        return []


class TiledMatrix(CountedMatrix):
    """Q in tiles: as many as the memory in bytes holds are kept, others counted anew."""

    def __init__(
        self, information: Information, columns: Columns, dtype: DTypeLike = np.float64, memory: int = 0
    ) -> None:
        super().__init__(information, columns, dtype)
        # Columns of like arity cost alike, and sources count them together: tiles are cut along them.
        self._order = np.argsort(information.source.arities[columns], kind="stable")
        self._sorted = columns[self._order]
        self._work = np.empty(min(TILE_ROWS, len(columns)) * min(TILE_COLUMNS, len(columns)), dtype)
        self._free = memory - 3 * self._work.nbytes
        self._kept: dict[tuple[int, int], Matrix] = {}
        self._largest = np.full(len(columns), -np.inf)  # complete after the first pass
        self._passes = 0

    @property
    def largest_others(self) -> Floats:
        """The largest entry off the diagonal of every row; -inf if there is none. Known after one product."""
        if not self._passes:
            for _ in self._tiles():
                pass
        return self._unsorted(self._largest)

    def upper_bounds(self, k: int) -> list[float]:
        """The bound of the best rows; only rows that may be among them are counted again."""
        return [row_bound_by_rows(self.row, self.diagonal, self.largest_others, k)]

    def multiply(self, vector: Floats) -> Floats:
        x = vector[self._order]
        y = np.zeros(len(x))
        for first, start, tile in self._tiles():
            rows, columns = tile.shape
            square = max(first + rows - start, 0)  # on the diagonal: it holds both images of its pairs
            for a in range(0, rows, STRIP):
                strip = tile[a : a + STRIP]
                rows_of_strip = slice(first + a, first + a + len(strip))
                y[rows_of_strip] += np.add.reduce(strip * x[start : start + columns], axis=1)
                y[start + square : start + columns] += np.add.reduce(strip[:, square:] * x[rows_of_strip, None], axis=0)
        return self._unsorted(y)

    def _unsorted(self, values: Floats) -> Floats:
        out = np.empty_like(values)
        out[self._order] = values
        return out

    def _tiles(self) -> Iterator[tuple[int, int, Matrix]]:
        """First row, first column and numbers of every tile, in a fixed order; a tile lives until the next."""
        n = len(self._sorted)
        corners = [(i, j) for i in range(0, n, TILE_ROWS) for j in range(i, n, TILE_COLUMNS)]
        self._passes += 1
        step = phase(f"counting pairs, pass {self._passes}")
        for done, (first, start) in enumerate(corners, 1):
            tile = self._tile(first, start)
            if self._passes == 1:
                self._note_largest(first, start, tile)
            yield first, start, tile
            step(done, len(corners))

    def _tile(self, first: int, start: int) -> Matrix:
        if (first, start) in self._kept:
            return self._kept[first, start]
        rows = self._sorted[first : first + TILE_ROWS]
        columns = self._sorted[start : start + TILE_COLUMNS]
        shape = len(rows), len(columns)
        size = shape[0] * shape[1]
        if size * self._work.itemsize <= self._free:
            tile = self._kept[first, start] = np.empty(shape, self._work.dtype)
            self._free -= tile.nbytes
        else:
            tile = self._work[:size].reshape(shape)
        self._information.symmetric_conditional_rows(rows, columns, tile)
        return tile

    def _note_largest(self, first: int, start: int, tile: Matrix) -> None:
        rows, columns = tile.shape
        square = max(first + rows - start, 0)
        for a, values in enumerate(tile):
            others = np.delete(values, a) if square else values
            self._largest[first + a] = max(self._largest[first + a], others.max(initial=-np.inf))
        across = self._largest[start + square : start + columns]
        np.maximum(across, tile[:, square:].max(axis=0, initial=-np.inf), out=across)


FullMatrix = WholeMatrix | TiledMatrix  # of which products give the eigenvector
ConditionalMatrix = WholeMatrix | CountedMatrix  # enough to improve a subset and to bound its objective


def conditional_matrix(
    information: Information, columns: Columns | None = None, dtype: DTypeLike = np.float64, memory: int | None = None
) -> FullMatrix:
    """Q over ``columns`` (None: all): whole where it fits the memory given in bytes (None: any), else in tiles."""
    chosen = np.arange(information.n_features) if columns is None else columns
    n_bytes = len(chosen) ** 2 * np.dtype(dtype).itemsize
    if memory is not None and n_bytes > memory:
        return TiledMatrix(information, chosen, dtype, memory)
    try:
        return WholeMatrix(information, chosen, dtype)
    except MemoryError:
        raise UserError(
            code="not-enough-memory",
            message=(f"all pairs of {len(chosen):,} features take {n_bytes / 1000000000.0:.3g} GB, more than there is"),
            advice="limit them by memory='4GB' or so, or give approximation='nystrom'",
        ) from None
