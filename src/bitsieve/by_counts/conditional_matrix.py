"""The symmetric matrix of pairwise conditional information: kept whole, or made anew in tiles for every product.

``Q_ii = I(Xi;C)``, ``Q_ij = (I(Xi;C|Xj) + I(Xj;C|Xi)) / 2``, in bits, over some columns.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bitsieve.by_counts.certificate import largest_others
from bitsieve.optimize.eigen import multiply
from bitsieve.progress import phase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import DTypeLike, NDArray

    from bitsieve.information.pairwise import PairwiseInformation

    Floats = NDArray[np.float64]
    Columns = NDArray[np.intp]

TILE_ROWS = 512
TILE_COLUMNS = 8192  # with 512 rows 32 MiB: long enough that threads and tables of a row pay
STRIP = 16  # rows of a tile multiplied at once: their products stay in the second-level cache


class ConditionalMatrix(Protocol):
    """What rankings and certificates ask of Q."""

    @property
    def diagonal(self) -> Floats:
        """The relevances."""
        ...

    @property
    def largest_others(self) -> Floats:
        """The largest entry beside the diagonal of every row; -inf if there is none."""
        ...

    def row(self, i: int) -> NDArray[np.floating]:
        """Row i."""
        ...

    def multiply(self, vector: Floats) -> Floats:
        """The product with a vector, the same bits for any number of threads."""
        ...


class WholeMatrix:
    """Q in memory: n^2 numbers, counted once."""

    def __init__(self, information: PairwiseInformation, columns: Columns, dtype: DTypeLike) -> None:
        self.values = information.conditional_mutual_information_matrix(
            dtype, columns, phase("counting pairs"), symmetric=True
        )

    @property
    def diagonal(self) -> Floats:
        """The relevances."""
        return np.array(np.diagonal(self.values), np.float64)

    @cached_property
    def largest_others(self) -> Floats:
        """The largest entry beside the diagonal of every row; -inf if there is none."""
        return largest_others(self.values)

    def row(self, i: int) -> NDArray[np.floating]:
        """Row i, a view."""
        return self.values[i]

    def multiply(self, vector: Floats) -> Floats:
        """The product with a vector."""
        return multiply(self.values, vector)


class TiledMatrix:
    """Q in tiles of its upper triangle: as many as the memory given holds are kept, the others counted anew.

    Which tiles are kept changes the time of a product and not one bit of it: tiles are of a fixed size, and their
    parts of the product are added in their fixed order.

    Parameters
    ----------
    information : PairwiseInformation
    columns : ndarray of int
    dtype : float64 or float32
    memory : int
        Bytes for tiles, two of which (32 MiB each in float64) are for work.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits a product, less what is kept, and O(n^2) multiplications.
    """

    def __init__(self, information: PairwiseInformation, columns: Columns, dtype: DTypeLike, memory: int) -> None:
        stored = np.zeros(information.n_features, np.intp)
        stored[information.source.storage_order] = np.arange(information.n_features)
        self._information = information
        self._columns = columns
        self._order = np.argsort(stored[columns], kind="stable")  # tiles are cut along what is counted together
        self._dtype = np.dtype(dtype)
        self._work = np.empty(TILE_ROWS * TILE_COLUMNS, self._dtype)
        self._free = memory - 2 * self._work.nbytes
        self._kept: dict[tuple[int, int], NDArray[np.floating]] = {}
        self._largest = np.full(len(columns), -np.inf)  # complete after the first pass
        self._passes = 0

    @property
    def diagonal(self) -> Floats:
        """The relevances."""
        return self._information.relevance[self._columns]

    @property
    def largest_others(self) -> Floats:
        """The largest entry beside the diagonal of every row; -inf if there is none."""
        if not self._passes:
            for _ in self._tiles():
                pass
        return self._unsorted(self._largest)

    def row(self, i: int) -> NDArray[np.floating]:
        """Row i, counted."""
        out = np.empty((1, len(self._columns)), self._dtype)
        self._information.symmetric_conditional_rows(self._columns[i : i + 1], self._columns, out)
        return out[0]

    def multiply(self, vector: Floats) -> Floats:
        """The product with a vector; tiles that are not kept are counted anew."""
        x = vector[self._order]
        y = np.zeros(len(x))
        for first, start, tile in self._tiles():
            rows, columns = tile.shape
            beyond = max(first + rows - start, 0)  # the square on the diagonal holds both images of its pairs
            for a in range(0, rows, STRIP):
                strip = tile[a : a + STRIP]
                y[first + a : first + a + len(strip)] += np.add.reduce(strip * x[start : start + columns], axis=1)
                across = strip[:, beyond:] * x[first + a : first + a + len(strip), None]
                y[start + beyond : start + columns] += np.add.reduce(across, axis=0)
        return self._unsorted(y)

    def _unsorted(self, values: Floats) -> Floats:
        out = np.empty_like(values)
        out[self._order] = values
        return out

    def _tiles(self) -> Iterator[tuple[int, int, NDArray[np.floating]]]:
        """First row, first column and numbers of every tile, in a fixed order; a tile lives until the next."""
        n = len(self._columns)
        places = [(i, j) for i in range(0, n, TILE_ROWS) for j in range(i, n, TILE_COLUMNS)]
        self._passes += 1
        step = phase(f"counting pairs, pass {self._passes}")
        for done, (first, start) in enumerate(places, 1):
            tile = self._tile(first, start)
            if self._passes == 1:
                self._note_largest(first, start, tile)
            yield first, start, tile
            step(done, len(places))

    def _tile(self, first: int, start: int) -> NDArray[np.floating]:
        if (first, start) in self._kept:
            return self._kept[first, start]
        sorted_columns = self._columns[self._order]
        rows, columns = sorted_columns[first : first + TILE_ROWS], sorted_columns[start : start + TILE_COLUMNS]
        size = len(rows) * len(columns)
        if size * self._dtype.itemsize <= self._free:
            tile = self._kept[first, start] = np.empty((len(rows), len(columns)), self._dtype)
            self._free -= tile.nbytes
        else:
            tile = self._work[:size].reshape(len(rows), len(columns))
        self._information.symmetric_conditional_rows(rows, columns, tile)
        return tile

    def _note_largest(self, first: int, start: int, tile: NDArray[np.floating]) -> None:
        rows, columns = tile.shape
        square = max(first + rows - start, 0)  # on the diagonal
        for a, values in enumerate(tile):
            others = np.delete(values, a) if square else values
            self._largest[first + a] = max(self._largest[first + a], others.max(initial=-np.inf))
        across = self._largest[start + square : start + columns]
        np.maximum(across, tile[:, square:].max(axis=0, initial=-np.inf), out=across)


def conditional_matrix(
    information: PairwiseInformation, columns: Columns, dtype: DTypeLike, memory: int | None
) -> ConditionalMatrix:
    """Q whole where it fits the memory given in bytes (None: any), else in tiles."""
    if memory is None or len(columns) ** 2 * np.dtype(dtype).itemsize <= memory:
        return WholeMatrix(information, columns, dtype)
    return TiledMatrix(information, columns, dtype, memory)
