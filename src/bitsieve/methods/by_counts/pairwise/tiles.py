"""Products with a matrix of pairs that does not fit in memory: tiles of its upper triangle, kept or counted anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.progress import phase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import DTypeLike, NDArray

    from bitsieve.information.protocol import Information

    Floats = NDArray[np.float64]

TILE_ROWS = 512
TILE_COLUMNS = 8192  # with 512 rows 32 MiB: long enough that threads and the tables of a row pay
STRIP = 16  # rows of a tile multiplied at once: their products stay in the second-level cache


class TiledProducts:
    """The symmetric conditional matrix Q in tiles: as many as the memory given holds are kept, others counted anew.

    Which tiles are kept changes the time of a product and not one bit of it: tiles are of a fixed size, and their
    parts of the product are added in their fixed order.

    Parameters
    ----------
    information : Information
    columns : ndarray of int
    dtype : float64 or float32
    memory : int
        Bytes for tiles; three of 32 MiB (float64) are for work and come off it.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits a product, less what is kept, and O(n^2) multiplications.
    """

    def __init__(self, information: Information, columns: NDArray[np.intp], dtype: DTypeLike, memory: int) -> None:
        self._information = information
        # Columns of like arity cost alike, and sources count them together: tiles are cut along them.
        self._order = np.argsort(information.source.arities[columns], kind="stable")
        self._columns = columns[self._order]
        self._work = np.empty(min(TILE_ROWS, len(columns)) * min(TILE_COLUMNS, len(columns)), dtype)
        self._free = memory - 3 * self._work.nbytes
        self._kept: dict[tuple[int, int], NDArray[np.floating]] = {}
        self._largest = np.full(len(columns), -np.inf)  # complete after the first pass
        self._passes = 0

    @property
    def largest_others(self) -> Floats:
        """The largest entry off the diagonal of every row; -inf if there is none. Known after one product."""
        if not self._passes:
            for _ in self._tiles():
                pass
        return self._unsorted(self._largest)

    def multiply(self, vector: Floats) -> Floats:
        """The product with a vector."""
        x = vector[self._order]
        y = np.zeros(len(x))
        for first, start, tile in self._tiles():
            rows, columns = tile.shape
            square = max(first + rows - start, 0)  # on the diagonal: it holds both images of its pairs
            for a in range(0, rows, STRIP):
                strip = tile[a : a + STRIP]
                places = slice(first + a, first + a + len(strip))
                y[places] += np.add.reduce(strip * x[start : start + columns], axis=1)
                y[start + square : start + columns] += np.add.reduce(strip[:, square:] * x[places, None], axis=0)
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
        rows, columns = self._columns[first : first + TILE_ROWS], self._columns[start : start + TILE_COLUMNS]
        shape = len(rows), len(columns)
        size = shape[0] * shape[1]
        if size * self._work.itemsize <= self._free:
            tile = self._kept[first, start] = np.empty(shape, self._work.dtype)
            self._free -= tile.nbytes
        else:
            tile = self._work[:size].reshape(shape)
        self._information.symmetric_conditional_rows(rows, columns, tile)
        return tile

    def _note_largest(self, first: int, start: int, tile: NDArray[np.floating]) -> None:
        rows, columns = tile.shape
        square = max(first + rows - start, 0)
        for a, values in enumerate(tile):
            others = np.delete(values, a) if square else values
            self._largest[first + a] = max(self._largest[first + a], others.max(initial=-np.inf))
        across = self._largest[start + square : start + columns]
        np.maximum(across, tile[:, square:].max(axis=0, initial=-np.inf), out=across)
