"""Sparse columns in files, and how sparse rows become columns in little memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.io.spool import Spool
from bitsieve.utils.arrays import Columns, Floats, Integers, Values
from bitsieve.utils.progress import phase

VALUE_BYTES = 64  # bytes of memory for a value that is sorted
_COLUMNS = "columns by row"  # names of files in the spool
_VALUES = "values by row"
_COLUMNS_OF_GROUPS = "columns of groups"


class SpooledRows:
    """Sparse rows in a spool, without zeros, to be sorted by column.

    Blocks of rows are sorted into groups of columns, then every group by its columns.
    """

    def __init__(self, spool: Spool) -> None:
        self.spool = spool
        self.n_rows = 0
        self.n_stored = 0  # the number of values that were added, with zeros
        self.first_column = 1 << 31  # the smallest column that was added
        self.column_lengths = np.zeros(0, np.int64)  # the number of nonzero values of every column
        self._row_lengths: list[Integers] = []  # the number of nonzero values of every row, by block

    def add(self, rows: Any) -> None:
        """Append rows: CSR of float64 whose columns ascend, are below 2**31 and occur once."""
        self.n_rows += rows.shape[0]
        if len(rows.indices):
            self.n_stored += len(rows.indices)
            self.first_column = min(self.first_column, int(rows.indices.min()))
            self.widen(int(rows.indices.max()) + 1)
        indptr, columns, values = _without_zeros(rows)
        self._row_lengths.append(np.diff(indptr).astype(np.int64))
        if len(columns):
            n_values = np.bincount(columns)
            self.column_lengths[: len(n_values)] += n_values
            self.spool.append(_COLUMNS, columns.astype(np.int32))
            self.spool.append(_VALUES, values)

    def widen(self, n_columns: int) -> None:
        """Have at least so many columns; those after the last value are empty."""
        n_new_columns = max(n_columns - len(self.column_lengths), 0)
        self.column_lengths = np.concatenate([self.column_lengths, np.zeros(n_new_columns, np.int64)])

    def by_column(
        self, first_column: int, batch_size: int, allocate: Callable[[str, int, type[np.generic]], Values]
    ) -> tuple[Integers, NDArray[np.int32], Floats]:
        """The columns from ``first_column`` on as CSC: where each begins, the rows of its values, and the values.

        About ``batch_size`` values are sorted at once. ``allocate(name, size, dtype)`` makes the arrays.
        """
        lengths = self.column_lengths[first_column:]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        n_values = int(indptr[-1])
        rows = allocate("row", n_values, np.int32)
        values = allocate("value", n_values, np.float64)
        row_indptr = np.concatenate([[0], np.cumsum(np.concatenate(self._row_lengths))])
        blocks = block_edges(row_indptr, batch_size)
        groups = block_edges(indptr, batch_size)
        n_steps = len(blocks) + len(groups) - 2
        report_progress = phase("sorting by column")
        columns = None  # the column of every value, which a second sort needs
        if n_steps > 2:  # one block and one group are sorted at once
            columns = self.spool.array(_COLUMNS_OF_GROUPS, n_values, np.int32)

        # First sort: a block of rows after the other, into the groups of columns.
        fill = indptr[groups[:-1]]  # where the next value of each group goes
        for done, (first_row, end_row) in enumerate(pairwise(blocks.tolist()), 1):
            block = self._block_by_column(row_indptr[first_row : end_row + 1], first_column, len(lengths))
            column_of_value = np.repeat(np.arange(len(lengths), dtype=np.int32), np.diff(block.indptr))
            group_indptr = block.indptr[groups]
            for group in np.flatnonzero(np.diff(group_indptr)).tolist():
                source = slice(int(group_indptr[group]), int(group_indptr[group + 1]))
                target = slice(int(fill[group]), int(fill[group]) + source.stop - source.start)
                rows[target] = block.indices[source] + np.int32(first_row)
                values[target] = block.data[source]
                if columns is not None:
                    columns[target] = column_of_value[source]
                fill[group] = target.stop
            report_progress(done, n_steps)

        # Second sort: a group of columns after the other; of a single column the rows ascend already.
        for done, (first, end) in enumerate(pairwise(groups.tolist()), len(blocks)):
            group_slice = slice(int(indptr[first]), int(indptr[end]))
            if columns is not None and end - first > 1:
                self._sort_group(rows, columns, values, group_slice, first, end)
            report_progress(done, n_steps)
        for name in (_COLUMNS, _VALUES, _COLUMNS_OF_GROUPS):
            (self.spool.folder / name).unlink(missing_ok=True)
        return indptr, rows, values

    def _block_by_column(self, row_indptr: Integers, first_column: int, n_columns: int) -> Any:
        """Some rows as CSC; ``row_indptr`` says where the values of each begin among all."""
        from scipy import sparse

        shape = len(row_indptr) - 1, n_columns
        first = int(row_indptr[0])
        n_values = int(row_indptr[-1]) - first
        if not n_values:
            return sparse.csr_array(shape).tocsc()
        folder = self.spool.folder
        columns = np.fromfile(folder / _COLUMNS, np.int32, n_values, offset=4 * first) - np.int32(first_column)
        values = np.fromfile(folder / _VALUES, np.float64, n_values, offset=8 * first)
        return sparse.csr_array((values, columns, row_indptr - first), shape=shape).tocsc()

    def _sort_group(
        self,
        rows: Values,
        columns: Values,
        values: Values,
        group_slice: slice,
        first: int,
        end: int,
    ) -> None:
        """Sort the values of the columns from ``first`` to ``end`` by column, then by row, in place."""
        from scipy import sparse

        coordinates = rows[group_slice], columns[group_slice] - np.int32(first)
        sorted_columns = sparse.coo_array((values[group_slice], coordinates), shape=(self.n_rows, end - first)).tocsc()
        rows[group_slice] = sorted_columns.indices
        values[group_slice] = sorted_columns.data


def _without_zeros(rows: Any) -> tuple[Any, Any, Any]:
    """The arrays ``indptr``, ``indices`` and ``data`` of sparse rows, without the zeros that are stored."""
    is_nonzero = rows.data != 0
    if is_nonzero.all():
        return rows.indptr, rows.indices, rows.data
    n_nonzero_before = np.concatenate([[0], np.cumsum(is_nonzero)])
    return n_nonzero_before[rows.indptr], rows.indices[is_nonzero], rows.data[is_nonzero]


def block_edges(indptr: Integers, batch_size: int) -> Columns:
    """Where blocks of about ``batch_size`` values begin and the last one ends; a longer row is a block itself."""
    n_rows = len(indptr) - 1
    long_rows = np.flatnonzero(np.diff(indptr) > batch_size)
    inner_edges = np.searchsorted(indptr, np.arange(batch_size, indptr[-1], batch_size), side="right") - 1
    return np.unique(np.concatenate([[0], inner_edges, long_rows, long_rows + 1, [n_rows]]))


@dataclass(frozen=True, eq=False)
class SpooledColumns:
    """Compressed sparse columns of numbers that are mapped from files."""

    shape: tuple[int, int]
    indptr: Integers  # where the values of every column begin, and where the last one ends; in memory
    indices: NDArray[np.int32]  # the rows of the values, ascending within a column
    data: Floats  # the values, none of them 0
    allocate: Callable[..., Values]  # ``allocate(size, dtype)`` makes an array that is mapped from a file, too

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.data.dtype

    def __getitem__(self, index: tuple[slice, Sequence[int]]) -> Any:
        """Some columns, of all rows, in memory as CSR."""
        from scipy import sparse

        columns = np.asarray(index[1], np.intp)
        slices = [slice(int(self.indptr[j]), int(self.indptr[j + 1])) for j in columns.tolist()]
        indptr = np.cumsum([0, *(values.stop - values.start for values in slices)])
        data = np.concatenate([self.data[:0], *(self.data[values] for values in slices)])
        indices = np.concatenate([self.indices[:0], *(self.indices[values] for values in slices)])
        return sparse.csc_matrix((data, indices, indptr), shape=(self.shape[0], len(columns))).tocsr()

    def columns(self, indices: Sequence[int] | Columns) -> SpooledColumns:
        """Some columns in a given order, in the spool again."""
        columns = np.asarray(indices, np.intp)
        lengths = np.diff(self.indptr)
        indptr = np.concatenate([[0], np.cumsum(lengths[columns])])
        rows = self.allocate(int(indptr[-1]), self.indices.dtype.type)
        values = self.allocate(int(indptr[-1]), self.data.dtype.type)
        gaps = np.flatnonzero(np.diff(columns) != 1) + 1
        for run in np.split(np.arange(len(columns)), gaps):  # columns that are neighbours here are copied together
            if len(run):
                target = slice(int(indptr[run[0]]), int(indptr[run[-1] + 1]))
                source = slice(int(self.indptr[columns[run[0]]]), int(self.indptr[columns[run[-1]] + 1]))
                rows[target] = self.indices[source]
                values[target] = self.data[source]
        return SpooledColumns((self.shape[0], len(columns)), indptr, rows, values, self.allocate)

    def blanked(self, columns: Sequence[int]) -> SpooledColumns:
        """The same with zeros in some columns."""
        others = self.columns(np.setdiff1d(np.arange(self.shape[1]), columns))
        lengths = np.diff(self.indptr)
        lengths[list(columns)] = 0
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        return SpooledColumns(self.shape, indptr, others.indices, others.data, self.allocate)
