"""Matrices of all pairs of features: symmetric uncertainty W, and mean conditional information Q.

    W_ij = 2 I(Xi;Xj) / (H(Xi) + H(Xj)) between 0 and 1, 0 on the diagonal and where both entropies are 0
    Q_ij = [I(Xi;C|Xj) + I(Xj;C|Xi)] / 2,   Q_ii = I(Xi;C)

Q is in memory (WholeMatrix), in tiles of which some are in memory (TiledMatrix), or counted row by row
(CountedMatrix).
"""

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

TILE_ROWS = 512
TILE_COLUMNS = 8192  # with 512 rows 32 MiB: long enough that threads and the tables of a row pay
STRIP_ROWS = 16  # rows of a tile multiplied at once: their products stay in the second-level cache


def uncertainty_rows(information: Information, first: int, last: int) -> Floats:
    """Rows ``first`` to ``last`` of W."""
    out = np.empty((last - first, information.n_features))
    for i in range(first, last):
        row = pair_uncertainty(information.pair(i, by_class=False))
        row[i] = 0.0
        out[i - first] = np.clip(row, 0.0, 1.0)
    return out


def uncertainty_matrix(information: Information, progress: Progress = None) -> Floats:
    """W of all features; each row has the bits that :func:`uncertainty_rows` gives. Memory: 8 n^2 bytes."""
    out = np.asarray(information.matrix("redundancy", np.float64, None, progress), np.float64)
    entropy = information.entropy
    for i, row in enumerate(out):
        sums = entropy + entropy[i]
        row[:] = np.clip(np.divide(2 * row, sums, out=np.zeros_like(row), where=sums > 0), 0.0, 1.0)
        row[i] = 0.0
    return out


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
    """Q of which nothing is in memory: rows are counted when they are needed."""

    def __init__(self, information: Information, columns: Columns, dtype: DTypeLike = np.float64) -> None:
        self._information = information
        self._columns = columns
        self._dtype = np.dtype(dtype)

    @cached_property
    def diagonal(self) -> Floats:
        return self._information.relevance[self._columns]

    def rows(self, members: Columns, progress: Progress = None) -> Matrix:
        """Some rows, counted in a hundred batches; ``progress(done, total)`` is called after each."""
        n_rows = len(members)
        n_columns = len(self._columns)
        n_bytes = n_rows * n_columns * self._dtype.itemsize
        check_room(n_bytes, f"{n_rows:,} rows of {n_columns:,} features take", "give fewer landmarks")
        rows = np.empty((n_rows, n_columns), self._dtype)
        batch_size = max(1, -(-n_rows // 100))
        for first in range(0, n_rows, batch_size):
            batch = slice(first, min(first + batch_size, n_rows))
            self._information.symmetric_conditional_rows(self._columns[members[batch]], self._columns, rows[batch])
            if progress is not None:
                progress(batch.stop, n_rows)
        return rows

    def row(self, i: int) -> Matrix:
        row: Matrix = self.rows(np.array([i]))[0]
        return row

    def among(self, members: Columns) -> Matrix:
        """The rows and columns of some members."""
        submatrix = square_matrix(len(members), self._dtype)
        columns = self._columns[members]
        self._information.symmetric_conditional_rows(columns, columns, submatrix)
        return submatrix

    def upper_bounds(self, k: int) -> list[float]:
        """No bounds: the bound of the best rows would need all rows."""
        return []


class TiledMatrix(CountedMatrix):
    """Q in tiles of the upper triangle: as many as fit in ``memory`` bytes are cached, others are counted anew.

    Columns are ordered by their arity: those of equal arity are counted together, at equal cost.
    """

    def __init__(
        self, information: Information, columns: Columns, dtype: DTypeLike = np.float64, memory: int = 0
    ) -> None:
        super().__init__(information, columns, dtype)
        self._order = np.argsort(information.source.arities[columns], kind="stable")
        self._sorted_columns = columns[self._order]
        n = len(columns)
        self._uncached_tile = np.empty(min(TILE_ROWS, n) * min(TILE_COLUMNS, n), dtype)  # written over by the next one
        self._free_bytes = memory - 3 * self._uncached_tile.nbytes
        self._cache: dict[tuple[int, int], Matrix] = {}
        self._largest = np.full(n, -np.inf)  # off the diagonal, of sorted columns; complete after the first pass
        self._n_passes = 0

    @property
    def largest_others(self) -> Floats:
        """The largest entry off the diagonal of every row; -inf if there is none.

        They are found while the tiles are counted for the first time.
        """
        if self._n_passes == 0:
            for _ in self._tiles():
                pass
        return self._unsorted(self._largest)

    def upper_bounds(self, k: int) -> list[float]:
        """The bound of the best rows; only rows that may be among them are counted again."""
        return [row_bound_by_rows(self.row, self.diagonal, self.largest_others, k)]

    def multiply(self, vector: Floats) -> Floats:
        """The product with a vector, the same bits for any number of threads."""
        x = vector[self._order]
        product = np.zeros(len(x))
        for first_row, first_column, tile in self._tiles():
            n_rows, n_columns = tile.shape
            columns = slice(first_column, first_column + n_columns)
            # What lies right of the diagonal has its mirror image below it, in no tile.
            n_square = _columns_at_diagonal(first_row, first_column, tile)
            mirrored_rows = slice(first_column + n_square, first_column + n_columns)
            for start in range(0, n_rows, STRIP_ROWS):
                strip = tile[start : start + STRIP_ROWS]
                rows = slice(first_row + start, first_row + start + len(strip))
                product[rows] += np.add.reduce(strip * x[columns], axis=1)
                product[mirrored_rows] += np.add.reduce(strip[:, n_square:] * x[rows, None], axis=0)
        return self._unsorted(product)

    def _unsorted(self, values: Floats) -> Floats:
        """Values of sorted columns in the order of the columns."""
        unsorted = np.empty_like(values)
        unsorted[self._order] = values
        return unsorted

    def _tiles(self) -> Iterator[tuple[int, int, Matrix]]:
        """The first row, the first column and the numbers of every tile, in a fixed order.

        The numbers may be written over when the next tile is taken.
        """
        n = len(self._sorted_columns)
        corners = []
        for first_row in range(0, n, TILE_ROWS):
            corners += [(first_row, first_column) for first_column in range(first_row, n, TILE_COLUMNS)]
        self._n_passes += 1
        progress = phase(f"counting pairs, pass {self._n_passes}")
        for n_done, (first_row, first_column) in enumerate(corners, 1):
            tile = self._tile(first_row, first_column)
            if self._n_passes == 1:
                self._update_largest(first_row, first_column, tile)
            yield first_row, first_column, tile
            progress(n_done, len(corners))

    def _tile(self, first_row: int, first_column: int) -> Matrix:
        corner = (first_row, first_column)
        if corner in self._cache:
            return self._cache[corner]
        rows = self._sorted_columns[first_row : first_row + TILE_ROWS]
        columns = self._sorted_columns[first_column : first_column + TILE_COLUMNS]
        shape = (len(rows), len(columns))
        size = len(rows) * len(columns)
        if size * self._uncached_tile.itemsize <= self._free_bytes:
            tile = np.empty(shape, self._uncached_tile.dtype)
            self._cache[corner] = tile
            self._free_bytes -= tile.nbytes
        else:
            tile = self._uncached_tile[:size].reshape(shape)
        self._information.symmetric_conditional_rows(rows, columns, tile)
        return tile

    def _update_largest(self, first_row: int, first_column: int, tile: Matrix) -> None:
        n_square = _columns_at_diagonal(first_row, first_column, tile)
        for i, row in enumerate(tile):
            others = np.delete(row, i) if n_square else row
            self._largest[first_row + i] = max(self._largest[first_row + i], others.max(initial=-np.inf))
        mirrored = self._largest[first_column + n_square : first_column + tile.shape[1]]  # a view, which is written to
        np.maximum(mirrored, tile[:, n_square:].max(axis=0, initial=-np.inf), out=mirrored)


def _columns_at_diagonal(first_row: int, first_column: int, tile: Matrix) -> int:
    """The number of a tile's leading columns that are rows of it, too: a square on the diagonal, or 0."""
    return max(first_row + len(tile) - first_column, 0)


FullMatrix = WholeMatrix | TiledMatrix  # these can be multiplied with a vector
ConditionalMatrix = WholeMatrix | CountedMatrix  # these give rows and bounds


def conditional_matrix(
    information: Information, columns: Columns | None = None, dtype: DTypeLike = np.float64, memory: int | None = None
) -> FullMatrix:
    """Q over ``columns`` (None: all): in tiles if it takes more than ``memory`` bytes (None: no limit)."""
    chosen = np.arange(information.n_features) if columns is None else columns
    n_bytes = len(chosen) ** 2 * np.dtype(dtype).itemsize
    if memory is not None and n_bytes > memory:
        return TiledMatrix(information, chosen, dtype, memory)
    try:
        return WholeMatrix(information, chosen, dtype)
    except MemoryError:
        raise UserError(
            code="not-enough-memory",
            message=(f"all pairs of {len(chosen):,} features take {n_bytes / 1e9:.3g} GB, more than there is"),
            advice="limit them by {memory} or so, or give {approximation}",
            fix={"memory": "4GB", "approximation": "nystrom"},
        ) from None
