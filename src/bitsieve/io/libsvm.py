"""Text files of sparse rows: a label, then ``column:value`` for every value that is not 0 (libsvm, svmlight)."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import check_sparse_rows
from bitsieve.io.errors import DataError, check_unchanged, check_width, file_state, in_one_line, readable
from bitsieve.io.npz import ArrayFile, ArrayTable
from bitsieve.io.spool import Spool, SpoolAllocator, kept, key_name, mapped
from bitsieve.io.spooled_columns import SpooledColumns, SpooledRows
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.lazy import NumberedNames
from bitsieve.utils.progress import phase

_TEXT_SHARE = 16  # of the memory: the rows of a range take several times as much as its text
_SHORTEST = 1 << 20  # bytes of a range whose size follows from the memory
_LONGEST = 1 << 28
MIN_VALUE_BYTES = 4  # of the text " 1:1"
VALUE_BYTES = 64  # of memory for every value that is sorted at once


class LibsvmFile(ArrayFile):
    """Sparse rows; columns are counted from 1, or from 0 where the file has a column 0."""

    refusal = (
        "a libsvm file, which is not read in batches of columns: give its path to select or fit, one file alone, or "
        "write it as Parquet"
    )

    def read(self) -> ArrayTable:
        with open(self.path, "rb") as file:
            X, y = sparse_rows(file, self.label)
        _check_any(len(y), X.nnz, self.label)
        first_column = int(X.indices.min(initial=1))
        n_columns = X.shape[1] - first_column
        check_width(n_columns, X.nnz, self.label)
        X.indices -= first_column
        X = type(X)((X.data, X.indices, X.indptr), shape=(len(y), n_columns))
        return ArrayTable(X, _labels(y), NumberedNames(n_columns))


def sparse_rows(file: IO[bytes], label: str) -> tuple[Any, Floats]:
    """The rows of a text as CSR, with the numbers of columns that it has, each row ascending; and the labels."""
    from sklearn.datasets import load_svmlight_file

    with in_one_line(f"cannot read {label} as libsvm, rows of a label, a number, and column:value pairs"):
        X, y = load_svmlight_file(file, zero_based=True)
    return X, y


def _check_any(n_rows: int, n_values: int, label: str) -> None:
    """Refuse a file without rows or values."""
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


def _labels(y: Floats) -> NDArray[Any]:
    """The labels as whole numbers, if all of them are."""
    are_integers = np.isfinite(y).all() and (y == np.rint(y)).all() and (np.abs(y) < 2**53).all()
    return y.astype(np.int64) if are_integers else y


def read_libsvm_in_ranges(
    path: Path, memory: int, parent: Path | None = None, *, range_bytes: int | None = None
) -> ArrayTable:
    """Read all rows of a libsvm file as columns in a spool, kept in ``parent``, in about ``memory`` bytes."""
    state = file_state(path)
    label = repr(str(path))
    name = None if parent is None else key_name(["libsvm", state])
    if parent is not None and name is not None:
        table = _reopened(parent, name)
        if table is not None:
            return table
    allocate = SpoolAllocator(parent)
    spool = allocate.spool if name is None else Spool(parent)
    if range_bytes is None:
        range_bytes = int(np.clip(memory // _TEXT_SHARE, _SHORTEST, _LONGEST))
    rows, y = _read(path, range_bytes, spool)
    check_unchanged(label, state, file_state(path))
    _check_any(rows.n_rows, rows.n_stored, label)
    first_column = min(1, rows.first_column)
    check_width(len(rows.column_lengths) - first_column, rows.n_stored, label)
    check_sparse_rows(rows.n_rows)

    allocate_named: Callable[[str, int, type[np.generic]], NDArray[Any]] = spool.array
    if name is None:  # nothing is kept, so that each array goes when nobody uses it any more

        def allocate_named(_: str, size: int, kind: type[np.generic]) -> NDArray[Any]:
            return allocate(size, kind)

    indptr, indices, data = rows.by_column(first_column, max(1, memory // 4 // VALUE_BYTES), allocate_named)
    if name is not None:
        spool.append("start", indptr)
        spool.append("labels", y)
        spool.keep(name, {})
    return _table(indptr, y, np.asarray(indices), np.asarray(data), allocate)


def _read(path: Path, range_bytes: int, spool: Spool) -> tuple[SpooledRows, Floats]:
    """The rows of a file in a spool, and its labels, by ranges of whole lines of about ``range_bytes``."""
    rows = SpooledRows(spool)
    labels = [np.empty(0)]
    label = repr(str(path))
    n_bytes = path.stat().st_size
    step = phase("reading")
    with readable(path), open(path, "rb") as file:
        while text := file.read(range_bytes):
            X, y = sparse_rows(BytesIO(text + file.readline()), label)
            del text
            check_width(X.shape[1] - 1, n_bytes // MIN_VALUE_BYTES, label)
            rows.add(X)
            labels.append(y)
            step(file.tell(), max(n_bytes, file.tell()))
    return rows, np.concatenate(labels)


def _reopened(parent: Path, name: str) -> ArrayTable | None:
    """The table that an earlier run kept; None where there is none, or it is damaged."""
    phase("opening the spool")
    spool = kept(parent, name)
    if spool is None:
        return None
    folder, _ = spool
    try:
        indptr = np.fromfile(folder / "start", np.int64)
        y = np.fromfile(folder / "labels", np.float64)
        indices = mapped(folder / "row", np.int32, int(indptr[-1]))
        data = mapped(folder / "value", np.float64, int(indptr[-1]))
    except OSError:
        return None
    return _table(indptr, y, indices, data, SpoolAllocator(parent))


def _table(
    indptr: Integers, y: Floats, indices: NDArray[np.int32], data: Floats, allocate: SpoolAllocator
) -> ArrayTable:
    columns = SpooledColumns((len(y), len(indptr) - 1), indptr, indices, data, allocate)
    return ArrayTable(columns, _labels(y), NumberedNames(columns.shape[1]))
