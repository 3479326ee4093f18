"""Tables of pairs of columns in which every row counts as much as its integer weight, added up by native code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.kernels import TABLE, choose_kernel
from bitsieve.counts.packed import PackedSource, native_pivot
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.ranges import joined_ranges


class WeightedTables:
    """The tables of a pivot with other columns. Every row adds its weight to one cell of each table.

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
            kernel = kernel._replace(storage="counters")  # which are bytes
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
        native_columns = np.ascontiguousarray(columns, np.int64)
        self.packed.weighted_tables(weights, native_pivot(pivot), native_columns, code_sums, cells)
        return cells


class WeightedSums:
    """The tables of :class:`WeightedTables` for weights that stay the same: the sums of every code are computed once.

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
        self._first_code = np.concatenate([[0], np.cumsum(tables.arities, dtype=np.int64)])  # of each column
        self._code_sums = tables.cells(weights, None, all_columns)  # of every code of every column

    def cells(self, pivot: int | None, columns: Columns) -> Integers:
        """The sums of the weights in all cells, as of :meth:`WeightedTables.cells`."""
        n_codes = self.tables.arities[columns].astype(np.int64)
        code_sums = self._code_sums[joined_ranges(self._first_code[columns], n_codes)]
        if pivot is None:
            return code_sums
        return self.tables.cells(self.weights, pivot, columns, code_sums)
