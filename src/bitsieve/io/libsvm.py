"""Files of libsvm and svmlight: sparse rows as text.

A line is a row: its label, then ``column:value`` for every value that is not 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.checks import check_sparse_rows
from bitsieve.io.column_file import InputFile
from bitsieve.io.errors import DataError, check_unchanged, check_width, in_one_line, readable
from bitsieve.io.npz import ArrayFile, ArrayTable
from bitsieve.io.spool import Spool, SpoolAllocator, find_kept, map_array, name_of_key
from bitsieve.io.spooled_columns import VALUE_BYTES, SpooledColumns, SpooledRows
from bitsieve.utils.arrays import Floats, Integers, Values
from bitsieve.utils.column_names import NumberedNames
from bitsieve.utils.progress import phase

_MEMORY_PER_TEXT = 16  # bytes of memory for a byte of text, whose rows take several times as much
_MIN_RANGE_BYTES = 1 << 20
_MAX_RANGE_BYTES = 1 << 28
MIN_VALUE_BYTES = 4  # length of the shortest value, " 1:1"
LABELS = "y"  # the name of the target that such a file holds


class LibsvmFile(ArrayFile):
    """A file of sparse rows. Its columns are counted from 0 if it has a column 0, else from 1."""

    refusal = (
        "a libsvm file, which is not read in batches of columns: give its path to select or fit, one file alone, or "
        "write it as Parquet"
    )

    def read(self) -> ArrayTable:
        with open(self.path, "rb") as file:
            X, y = sparse_rows(file, self.label)
        _check_not_empty(len(y), X.nnz, self.label)
        first_column = int(X.indices.min(initial=1))
        n_columns = X.shape[1] - first_column
        check_width(n_columns, X.nnz, self.label)
        X.indices -= first_column
        X = type(X)((X.data, X.indices, X.indptr), shape=(len(y), n_columns))
        return ArrayTable(X, _labels(y), NumberedNames(n_columns))


def sparse_rows(file: IO[bytes], label: str) -> tuple[Any, Floats]:
    """Parse rows. Returns them as CSR, with the column numbers of the text in ascending order, and the labels."""
    from sklearn.datasets import load_svmlight_file

    with in_one_line(f"cannot read {label} as libsvm, rows of a label, a number, and column:value pairs"):
        X, y = load_svmlight_file(file, zero_based=True)
    return X, y


def _check_not_empty(n_rows: int, n_values: int, label: str) -> None:
    """Refuse a file without rows, or without values."""
    if not n_rows:
        raise DataError(
            code="empty-data",
            message=f"{label} has no rows",
            advice="nothing to select from",
        )
    if not n_values:
        raise DataError(
            code="empty-data",
            message=f"{label} has no values but zeros",
            advice="nothing to select from",
        )


def _labels(y: Floats) -> Values:
    """The labels, as integers if all of them are whole numbers."""
    are_integers = np.isfinite(y).all() and (y == np.rint(y)).all() and (np.abs(y) < 2**53).all()
    return y.astype(np.int64) if are_integers else y


def read_libsvm_in_ranges(
    file: InputFile, memory: int, parent: Path | None = None, *, range_bytes: int | None = None
) -> ArrayTable:
    """Read a libsvm file that does not fit into memory as sparse columns in files.

    Parameters
    ----------
    file : InputFile
        The file, of which a plain copy is read if it is compressed.
    memory : int
        About how many bytes of memory may be used.
    parent : Path, optional
        A folder in which the columns are kept for later runs, unless the file is a copy of a stream, or of what is
        at an address. By default they are removed when the process ends.
    range_bytes : int, optional
        How many bytes of the file are parsed at once; by default this follows from the memory.
    """
    is_copy = file.original is None  # in a later run nothing says that it is the same copy
    if parent is None or is_copy:
        allocator = SpoolAllocator(parent)

        def allocate(_: str, size: int, kind: type[np.generic]) -> Values:
            return allocator(size, kind)  # an array that is removed when nobody uses it

        columns = _sorted_columns(file, memory, range_bytes, allocator.spool, allocate)
        return columns.table(allocator)
    name = name_of_key(["libsvm", file.initial_state])
    allocator = SpoolAllocator(parent)
    columns_of_earlier_run = _find_columns(parent, name)
    if columns_of_earlier_run is not None:
        return columns_of_earlier_run.table(allocator)
    spool = Spool(parent)
    columns = _sorted_columns(file, memory, range_bytes, spool, spool.array)
    spool.append("start", columns.indptr)
    spool.append("labels", columns.y)
    spool.keep(name, {})
    return columns.table(allocator)


@dataclass(frozen=True, eq=False)
class _SortedColumns:
    """The columns of a file as CSC, in arrays that are mapped from files, and the labels of its rows."""

    y: Floats
    indptr: Integers
    indices: NDArray[np.int32]
    data: Floats

    def table(self, allocate: SpoolAllocator) -> ArrayTable:
        shape = len(self.y), len(self.indptr) - 1
        columns = SpooledColumns(shape, self.indptr, self.indices, self.data, allocate)
        return ArrayTable(columns, _labels(self.y), NumberedNames(columns.shape[1]))


def _sorted_columns(
    file: InputFile,
    memory: int,
    range_bytes: int | None,
    spool: Spool,
    allocate: Callable[[str, int, type[np.generic]], Values],
) -> _SortedColumns:
    """Read the rows of a file into a spool, and sort them by column into arrays made by ``allocate(name, ...)``."""
    if range_bytes is None:
        range_bytes = int(np.clip(memory // _MEMORY_PER_TEXT, _MIN_RANGE_BYTES, _MAX_RANGE_BYTES))
    label = file.label
    rows, y = _read_rows(file.path, label, range_bytes, spool)
    check_unchanged(label, file.initial_state, file.state())
    _check_not_empty(rows.n_rows, rows.n_stored, label)
    first_column = min(1, rows.first_column)
    check_width(len(rows.column_lengths) - first_column, rows.n_stored, label)
    check_sparse_rows(rows.n_rows)
    values_at_once = max(1, memory // 4 // VALUE_BYTES)
    indptr, indices, data = rows.by_column(first_column, values_at_once, allocate)
    return _SortedColumns(y, indptr, np.asarray(indices), np.asarray(data))


def _read_rows(path: Path, label: str, range_bytes: int, spool: Spool) -> tuple[SpooledRows, Floats]:
    """Read the rows of a file into a spool, in ranges of about ``range_bytes``; also return the labels."""
    rows = SpooledRows(spool)
    labels = [np.empty(0)]
    n_bytes = path.stat().st_size
    report_progress = phase("reading")
    with readable(path), open(path, "rb") as file:
        while text := file.read(range_bytes):
            rest_of_line = file.readline()
            X, y = sparse_rows(BytesIO(text + rest_of_line), label)
            del text  # its memory is needed for the rows
            check_width(X.shape[1] - 1, n_bytes // MIN_VALUE_BYTES, label)
            rows.add(X)
            labels.append(y)
            report_progress(file.tell(), max(n_bytes, file.tell()))
    return rows, np.concatenate(labels)


def _find_columns(parent: Path, name: str) -> _SortedColumns | None:
    """The columns that an earlier run kept; None where there are none, or they are damaged."""
    phase("opening the spool")
    kept_spool = find_kept(parent, name)
    if kept_spool is None:
        return None
    folder = kept_spool.folder
    try:
        y = np.fromfile(folder / "labels", np.float64)
        indptr = np.fromfile(folder / "start", np.int64)
        n_values = int(indptr[-1])
        return _SortedColumns(
            y,
            indptr,
            indices=map_array(folder / "row", n_values, np.int32),
            data=map_array(folder / "value", n_values, np.float64),
        )
    except OSError:
        return None
