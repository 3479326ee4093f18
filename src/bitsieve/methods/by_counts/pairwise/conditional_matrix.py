"""The symmetric matrix of pairwise conditional information, as much of it as is kept or counted.

``Q_ii = I(Xi;C)``, ``Q_ij = (I(Xi;C|Xj) + I(Xj;C|Xi)) / 2``, in bits, over some columns; indices are places in these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from bitsieve.common.attributes import cached_property
from bitsieve.common.free_memory import check_room, square_matrix
from bitsieve.common.progress import phase
from bitsieve.methods.by_counts.pairwise.certificate import largest_others, row_bound_by_rows
from bitsieve.methods.by_counts.pairwise.tiles import TiledProducts
from bitsieve.optimize.eigen import multiply

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from bitsieve.information.protocol import Information

    Floats = NDArray[np.float64]
    Columns = NDArray[np.intp]


class ConditionalMatrix(Protocol):
    """What is asked of the matrix to improve a subset and to bound its objective."""

    @property
    def diagonal(self) -> Floats:
        """The relevances."""

    def row(self, i: int) -> NDArray[np.floating]:
        """Row i."""

    def among(self, members: NDArray[np.intp]) -> NDArray[np.floating]:
        """The rows and columns of some members."""

    def upper_bounds(self, k: int) -> list[float]:
        """Bounds on ``x'Qx`` of every subset of k that the entries known give."""


class FullMatrix(ConditionalMatrix, Protocol):
    """What is asked of it besides, to find the eigenvector."""

    def multiply(self, vector: Floats) -> Floats:
        """The product with a vector, the same bits for any number of threads."""


class WholeMatrix:
    """Q in memory: n^2 numbers, counted once."""

    def __init__(self, information: Information, columns: Columns, dtype: DTypeLike = np.float64) -> None:
        self.values = information.conditional_mutual_information_matrix(
            dtype, columns, phase("counting pairs"), symmetric=True
        )

    @cached_property
    def diagonal(self) -> Floats:
        """The relevances."""
        return np.array(np.diagonal(self.values), np.float64)

    def row(self, i: int) -> NDArray[np.floating]:
        """Row i, a view."""
        return self.values[i]

    def among(self, members: NDArray[np.intp]) -> NDArray[np.floating]:
        """The rows and columns of some members."""
        return self.values[np.ix_(members, members)]

    def upper_bounds(self, k: int) -> list[float]:
        """The bound of the best rows."""
        return [row_bound_by_rows(self.row, self.diagonal, largest_others(self.values), k)]

    def multiply(self, vector: Floats) -> Floats:
        """The product with a vector."""
        return multiply(self.values, vector)


class CountedMatrix:
    """Q of which nothing is kept: rows are counted when they are asked for."""

    def __init__(self, information: Information, columns: Columns, dtype: DTypeLike = np.float64) -> None:
        self._information = information
        self._columns = columns
        self._dtype = np.dtype(dtype)

    @cached_property
    def diagonal(self) -> Floats:
        """The relevances."""
        return self._information.relevance[self._columns]

    def rows(
        self, members: NDArray[np.intp], progress: Callable[[int, int], object] | None = None
    ) -> NDArray[np.floating]:
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

    def row(self, i: int) -> NDArray[np.floating]:
        """Row i, counted."""
        return self.rows(np.array([i]))[0]

    def among(self, members: NDArray[np.intp]) -> NDArray[np.floating]:
        """The rows and columns of some members, counted."""
        out = square_matrix(len(members), self._dtype)
        chosen = self._columns[members]
        self._information.symmetric_conditional_rows(chosen, chosen, out)
        return out

    def upper_bounds(self, k: int) -> list[float]:
        """None: a bound needs all rows."""
        return []


class TiledMatrix(CountedMatrix):
    """Q in tiles, kept as far as the memory given goes; see :mod:`bitsieve.methods.by_counts.pairwise.tiles`."""

    def __init__(
        self, information: Information, columns: Columns, dtype: DTypeLike = np.float64, memory: int = 0
    ) -> None:
        super().__init__(information, columns, dtype)
        self._tiles = TiledProducts(information, columns, dtype, memory)

    def upper_bounds(self, k: int) -> list[float]:
        """The bound of the best rows; only rows that may be among them are counted again."""
        return [row_bound_by_rows(self.row, self.diagonal, self._tiles.largest_others, k)]

    def multiply(self, vector: Floats) -> Floats:
        """The product with a vector."""
        return self._tiles.multiply(vector)


def conditional_matrix(
    information: Information,
    columns: Columns | None = None,
    dtype: DTypeLike = np.float64,
    memory: int | None = None,
) -> FullMatrix:
    """Q over ``columns`` (None: all): whole where it fits the memory given in bytes (None: any), else in tiles.

    Raises
    ------
    ValueError
        If the system has not the memory for the whole.
    """
    chosen = np.arange(information.n_features) if columns is None else columns
    n_bytes = len(chosen) ** 2 * np.dtype(dtype).itemsize
    if memory is not None and n_bytes > memory:
        return TiledMatrix(information, chosen, dtype, memory)
    try:
        return WholeMatrix(information, chosen, dtype)
    except MemoryError:
        raise ValueError(
            f"all pairs of {len(chosen):,} features take {n_bytes / 1e9:.3g} GB, more than there is: "
            "limit them by memory='4GB' or so, or give approximation='nystrom'"
        ) from None
