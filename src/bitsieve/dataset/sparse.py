"""Sparse tables. Matrices and arrays of scipy of any format are kept as compressed columns, never made dense."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.checks import check_sparse_rows
from bitsieve.counts.threads import thread_count
from bitsieve.dataset.encoding import MAX_EXACT_INTEGER
from bitsieve.dataset.value_ranges import FINITE_INSTEAD, Advice, columns_hold
from bitsieve.diagnostics import UserError
from bitsieve.io.spooled_columns import SpooledColumns
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Values
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.memory import check_room
from bitsieve.utils.messages import quoted_at
from bitsieve.utils.types import TableLike

MAX_DENSE_BYTES = 2 << 30
COLUMN_BYTES = 128  # bytes of memory for a column without values
BLOCK_VALUES = 1 << 20  # the stored values of a block of columns


class StoredColumns(Sequence[Any]):
    """Sparse columns: CSC of floats without stored zeros, the rows of a column ascending and unique."""

    in_files = False  # whether the values lie in files and may not fit into memory

    def __init__(self, stored: Any) -> None:
        self.stored = stored

    def __len__(self) -> int:
        return int(self.stored.shape[1])

    def __getitem__(self, j: Any) -> Any:
        """One column, dense."""
        first, end = self.stored.indptr[j : j + 2].tolist()
        column = np.zeros(self.n_samples, self.stored.dtype)
        column[self.stored.indices[first:end]] = self.stored.data[first:end]
        return column

    @property
    def n_samples(self) -> int:
        return int(self.stored.shape[0])

    @cached_property
    def start(self) -> Integers:
        """Where the stored values of every column begin; the last item is where all values end."""
        return np.asarray(self.stored.indptr, np.int64)

    @cached_property
    def row(self) -> NDArray[np.int32]:
        """The row of every stored value."""
        return np.asarray(self.stored.indices, np.int32)

    @property
    def value(self) -> Values:
        return np.asarray(self.stored.data)

    @property
    def allocate(self) -> Callable[..., Values]:
        """``allocate(size, dtype)`` makes an array where the stored values lie: here in memory."""
        return np.empty

    @cached_property
    def has_zeros(self) -> Flags:
        """Whether a column is 0 anywhere."""
        return np.diff(self.start) < self.n_samples

    @cached_property
    def has_numbers(self) -> Flags:
        """Whether a column stores a value that is not missing."""
        n_numbers = np.diff(self.start)
        for positions in self._positions(np.isnan):
            columns, n_missing = np.unique(self._columns_of(positions), return_counts=True)
            n_numbers[columns] -= n_missing
        return n_numbers > 0

    @property
    def has_values(self) -> Flags:
        """Whether a column holds any value that is not missing; zero is one."""
        return self.has_zeros | self.has_numbers

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """The smallest and the largest stored value of every column, NaN aside; inf and -inf where there is none."""
        low = np.full(len(self), np.inf)
        high = np.full(len(self), -np.inf)
        if not len(self.value):
            return low, high
        has_stored = np.diff(self.start) > 0
        starts = self.start[:-1][has_stored]
        smallest = np.fmin.reduceat(self.value, starts)
        largest = np.fmax.reduceat(self.value, starts)
        low[has_stored] = np.where(np.isnan(smallest), np.inf, smallest)
        high[has_stored] = np.where(np.isnan(largest), -np.inf, largest)
        return low, high

    @cached_property
    def constant(self) -> Flags:
        """Whether all values of a column are equal."""
        low, high = self.bounds
        return np.asarray((np.diff(self.start) == 0) | (~self.has_zeros & (low == high)), bool)

    def blocks(self, n_jobs: int | None) -> list[tuple[int, int]]:
        """Split the columns into blocks of about equally many stored values."""
        n_threads = thread_count(n_jobs)
        blocks_for_threads = 8 * n_threads if n_threads > 1 else 1
        n_blocks = max(blocks_for_threads, len(self.value) // BLOCK_VALUES)
        inner = np.searchsorted(self.start, np.arange(1, n_blocks) * len(self.value) // n_blocks)
        return list(pairwise(np.unique(np.concatenate([[0], inner, [len(self)]])).tolist()))

    @property
    def has_missing(self) -> bool:
        """Whether a stored value is missing."""
        with np.errstate(all="ignore"):
            if np.isfinite(self.value.sum(dtype=np.float64)):
                return False
        return any(len(positions) for positions in self._positions(np.isnan))

    def check_finite(self, names: Sequence[str], *, allow_missing: bool, advice_on_missing: Advice) -> None:
        """Refuse infinite values, and missing values unless they are allowed."""
        with np.errstate(all="ignore"):
            if np.isfinite(self.value.sum(dtype=np.float64)):
                return
        infinite = self._columns_where(np.isinf)
        if infinite:
            raise UserError(
                code="infinite-values",
                message=f"{columns_hold(len(infinite))} infinite values (inf): {quoted_at(infinite, names)}",
                advice=FINITE_INSTEAD,
                columns=[str(names[j]) for j in infinite],
            )
        missing = [] if allow_missing else self._columns_where(np.isnan)
        if missing:
            raise UserError(
                code="missing-values",
                message=f"{columns_hold(len(missing))} missing values (NaN): {quoted_at(missing, names)}",
                advice=advice_on_missing.text,
                fix=advice_on_missing.fix,
                columns=[str(names[j]) for j in missing],
            )

    def _columns_where(self, holds: Callable[[Values], Flags]) -> list[int]:
        """The columns with a stored value for which ``holds`` is True, ascending."""
        has_value = np.zeros(len(self), bool)
        for positions in self._positions(holds):
            has_value[self._columns_of(positions)] = True
        return np.flatnonzero(has_value).tolist()

    def _positions(self, holds: Callable[[Values], Flags]) -> Iterator[Integers]:
        """The positions of the stored values for which ``holds`` is True, in batches."""
        for first in range(0, len(self.value), BLOCK_VALUES):
            positions = np.flatnonzero(holds(self.value[first : first + BLOCK_VALUES]))
            if len(positions):
                yield first + positions

    def _columns_of(self, positions: Integers) -> Integers:
        return np.searchsorted(self.start, positions, side="right") - 1

    def without(self, columns: Sequence[int]) -> StoredColumns:
        """The columns with some of them set to zero."""
        values = self.stored.copy()
        for j in columns:
            values.data[values.indptr[j] : values.indptr[j + 1]] = 0
        values.eliminate_zeros()
        return StoredColumns(values)

    def take(self, rows: Columns) -> StoredColumns:
        return StoredColumns(self.stored.tocsr()[rows].tocsc())

    def dense(self) -> Values:
        """Convert to a dense array in memory."""
        size = self.n_samples * len(self) * self.value.itemsize
        if size > MAX_DENSE_BYTES:
            raise UserError(
                code="not-enough-memory",
                message=(
                    f"the sparse table, {self.n_samples:,} x {len(self):,}, takes {size / 2**30:,.1f} GiB when "
                    "dense, above the limit of 2 GiB"
                ),
                advice="select columns first",
            )
        array: Values = self.stored.toarray(order="F")
        return array


class StoredColumnsInFiles(StoredColumns):
    """Sparse columns whose values lie in files of a spool. Their codes are put there, too."""

    in_files = True

    @property
    def allocate(self) -> Callable[..., Values]:
        """``allocate(size, dtype)`` makes an array in a file of the spool."""
        allocate: Callable[..., Values] = self.stored.allocate
        return allocate

    def without(self, columns: Sequence[int]) -> StoredColumnsInFiles:
        return StoredColumnsInFiles(self.stored.blanked(columns))

    def take(self, rows: Columns) -> StoredColumnsInFiles:
        from scipy.sparse import csc_array

        n_copies = np.bincount(rows, minlength=self.n_samples)  # how often each row is taken
        blocks = self.blocks(None)
        lengths = np.empty(len(self), np.int64)
        for first, end in blocks:
            start, row, _ = self._block(first, end)
            n_taken_before = np.concatenate([[0], np.cumsum(n_copies[row])])
            lengths[first:end] = np.diff(n_taken_before[start])
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        indices = self.allocate(int(indptr[-1]), np.int32)
        data = self.allocate(int(indptr[-1]), self.value.dtype.type)
        for first, end in blocks:
            start, row, value = self._block(first, end)
            block = csc_array((value, row, start), shape=(self.n_samples, end - first)).tocsr()[rows].tocsc()
            target = slice(int(indptr[first]), int(indptr[end]))
            indices[target] = block.indices
            data[target] = block.data
        return StoredColumnsInFiles(SpooledColumns((len(rows), len(self)), indptr, indices, data, self.allocate))

    def _block(self, first: int, end: int) -> tuple[Integers, NDArray[np.int32], Values]:
        """The starts, rows and values of the columns from ``first`` to ``end``."""
        start = self.start[first : end + 1]
        block = slice(int(start[0]), int(start[-1]))
        return start - start[0], self.row[block], self.value[block]


def read_sparse(X: TableLike) -> StoredColumns:
    """Read a sparse matrix or array of any format. Entries that are stored twice are added, as scipy does."""
    if X.ndim != 2:
        raise UserError(
            code="wrong-shape",
            message=f"X is a sparse array of shape {X.shape}",
            advice="it must be samples x features",
        )
    if not all(X.shape):
        raise UserError(
            code="empty-data",
            message=f"X has {X.shape[0]} samples and {X.shape[1]} columns",
            advice="at least one of each is required",
        )
    check_room(COLUMN_BYTES * X.shape[1], f"the {X.shape[1]:,} columns of the sparse table take", "renumber them")
    if X.format not in ("csr", "csc"):
        X = X.tocsc()
    if X.dtype.kind == "c":
        raise UserError(
            code="complex-numbers",
            message=f"Complex data not supported: the sparse table holds {X.dtype}",
            advice="give real numbers",
        )
    if X.dtype.kind in "iu" and X.nnz and max(abs(int(X.max())), abs(int(X.min()))) > MAX_EXACT_INTEGER:
        raise UserError(
            code="precision-lost",
            message="the sparse table holds whole numbers beyond 2**53, so that two different ones may become equal",
            advice="renumber them",
        )
    values = X.tocsc()
    if values.dtype not in (np.float64, np.float32):
        values = values.astype(np.float64)
    check_sparse_rows(values.shape[0])
    if not all(array.flags.aligned for array in (values.data, values.indices, values.indptr)):
        values = values.copy()  # native code takes no other arrays
    if not values.has_canonical_format or not values.data.all():
        values = values.copy()
        values.sum_duplicates()
        values.eliminate_zeros()
    return StoredColumns(values)
