"""Sums of integer weights in every cell of the tables of pairs of columns, added up by native code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.kernels import TABLE, choose_kernel
from bitsieve.counts.packed import PackedSource
from bitsieve.utils.arrays import Columns, Integers


class WeightedTables:
    """The tables of a pivot with columns. Every row adds its weight to one cell of each.

    Columns of few codes are stored as bytes, so that a weight is added for eight columns at once.

    Parameters
    ----------
    codes : array of int, shape (n_rows, n_features)
    arities : array of int, shape (n_features,)
    n_jobs : int, optional
        Threads that pack the codes.
    """

    def __init__(self, codes: NDArray[np.integer], arities: NDArray[np.int32], n_jobs: int | None = None) -> None:
        kernel = choose_kernel()
        if kernel.storage != TABLE:
            kernel = kernel._replace(storage="counters")
        self.arities = arities
        self.packed = PackedSource(codes, arities=arities, n_jobs=n_jobs, kernel=kernel.full_name).packed

    def cells(self, weights: NDArray[np.uint64], pivot: int | None, columns: Columns) -> Integers:
        """The sums of the weights in all cells, one table after the other.

        Parameters
        ----------
        weights : ndarray of uint64, shape (n_rows,)
            They add up to less than 2**63.
        pivot : int or None
            Each table has a row for each code of the pivot; one row if it is None.
        columns : ndarray of int
            There is one table for each; it has a column for each code.
        """
        n_rows_of_table = 1 if pivot is None else int(self.arities[pivot])
        cells = np.zeros(n_rows_of_table * int(self.arities[columns].sum()), np.int64)
        native_pivot = -1 if pivot is None else pivot
        self.packed.weighted_tables(weights, native_pivot, np.ascontiguousarray(columns, np.int64), cells)
        return cells
