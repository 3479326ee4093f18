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
        self._source = PackedSource(codes, arities=arities, n_jobs=n_jobs, kernel=kernel.full_name)
        self.packed = self._source.packed

    def cells(
        self, weights: NDArray[np.uint64], pivot: int | None, columns: Columns, code_sums: Integers | None = None
    ) -> Integers:
        """The sums of the weights in all cells, one table after the other.

        Parameters
        ----------
        weights : ndarray of uint64, shape (n_rows,)
            They add up to less than 2**63.
        pivot : int or None
            Each table has a row for each code of the pivot; one row if it is None.
        columns : ndarray of int
            There is one table for each; it has a column for each code.
        code_sums : ndarray of int, optional
            The sums of the weights of every code of these columns, where they are known: less is counted then.
        """
        n_rows_of_table = 1 if pivot is None else int(self.arities[pivot])
        cells = np.zeros(n_rows_of_table * int(self.arities[columns].sum()), np.int64)
        native_pivot = -1 if pivot is None else pivot
        self.packed.weighted_tables(weights, native_pivot, np.ascontiguousarray(columns, np.int64), code_sums, cells)
        return cells


class WeightedSums:
    """The tables of weights that stay the same.

    The sums of the codes of each column are counted once.

    Parameters
    ----------
    tables : WeightedTables
    weights : ndarray of uint64, shape (n_rows,)
        As of :meth:`WeightedTables.cells`.
    """

    def __init__(self, tables: WeightedTables, weights: NDArray[np.uint64]) -> None:
        self.tables = tables
        self.weights = weights
        all_columns = np.arange(len(tables.arities))
        self._first_sum = np.concatenate([[0], np.cumsum(tables.arities, dtype=np.int64)])  # of the codes of a column
        self._sums = tables.cells(weights, None, all_columns)

    def cells(self, pivot: int | None, columns: Columns) -> Integers:
        """The sums of the weights in all cells, as of :meth:`WeightedTables.cells`."""
        arities = self.tables.arities[columns].astype(np.int64)
        first_code = np.cumsum(arities) - arities  # of each column among the codes of ``columns``
        code = np.arange(int(arities.sum())) - np.repeat(first_code, arities)
        sums = self._sums[np.repeat(self._first_sum[columns], arities) + code]
        if pivot is None:
            return sums
        return self.tables.cells(self.weights, pivot, columns, sums)
