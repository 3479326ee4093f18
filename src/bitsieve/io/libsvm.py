"""Text files of sparse rows: a label, then ``column:value`` for every value that is not 0 (libsvm, svmlight)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import check_sparse_rows
from bitsieve.io.errors import DataError, check_unchanged, check_width, file_state, in_one_line, readable
from bitsieve.io.npz import ArrayFile, ArrayTable
from bitsieve.io.spool import Spool, SpoolAllocator, kept, key_name, mapped
from bitsieve.utils.arrays import Columns, Floats, Integers
from bitsieve.utils.lazy import NumberedNames
from bitsieve.utils.progress import phase

_TEXT_SHARE = 16  # of the memory: the rows of a range take several times as much as its text
SHORTEST_VALUE = 4  # bytes of " 1:1"
_SHORTEST, _LONGEST = 1 << 20, 1 << 28  # bytes of a range whose size follows from the memory
VALUE_BYTES = 64  # of memory for every value that is sorted at once
_COLUMNS, _VALUES, _OF_GROUPS = "columns by row", "values by row", "columns of groups"
_FILES = {"start": np.int64, "labels": np.float64, "row": np.int32, "value": np.float64}


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
        first, end = int(X.indices.min(initial=1)), X.shape[1]
        check_width(end - first, X.nnz, self.label)
        X.indices -= first
        X = type(X)((X.data, X.indices, X.indptr), shape=(len(y), end - first))
        return ArrayTable(X, _labels(y), NumberedNames(end - first))


def sparse_rows(file: IO[bytes], label: str) -> tuple[Any, Floats]:
    """The rows of a text as CSR, with the numbers of columns that it has, each row ascending; and the labels."""
    from sklearn.datasets import load_svmlight_file

    with in_one_line(f"cannot read {label} as libsvm, rows of a label, a number, and column:value pairs"):
        X, y = load_svmlight_file(file, zero_based=True)
    return X, y


def _check_any(n_rows: int, n_values: int, label: str) -> None:
    """Refuse a file without rows or values."""
    for number, what in ((n_rows, "rows"), (n_values, "values but zeros")):
        if not number:
            raise DataError(
                code="empty-data",
                message=f"{label} has no {what}",
                advice="nothing to select from",
            )


def _labels(y: Floats) -> NDArray[Any]:
    """The labels as whole numbers, if all of them are."""
    is_whole = np.isfinite(y).all() and (y == np.rint(y)).all() and (np.abs(y) < 2**53).all()
    return y.astype(np.int64) if is_whole else y


def read_libsvm_in_ranges(
    path: Path, memory: int, parent: Path | None = None, *, range_bytes: int | None = None
) -> ArrayTable:
    """Read all rows of a libsvm file as columns in a spool, kept in ``parent``, in about ``memory`` bytes."""
    state, label = file_state(path), repr(str(path))
    name = None if parent is None else key_name(["libsvm", state])
    if parent is not None and name is not None:
        found = _reopened(parent, name)
        if found is not None:
            return found
    allocate = SpoolAllocator(parent)
    spool = allocate.spool if name is None else Spool(parent)
    size = int(np.clip(memory // _TEXT_SHARE, _SHORTEST, _LONGEST)) if range_bytes is None else range_bytes
    rows, y = _read(path, size, spool)
    check_unchanged(label, state, file_state(path))
    _check_any(rows.n_rows, rows.n_stored, label)
    check_width(len(rows.lengths) - min(1, rows.least), rows.n_stored, label)
    check_sparse_rows(rows.n_rows)
    array = spool.array if name is not None else lambda _, size, kind: allocate(size, kind)
    start, row, value = rows.by_column(min(1, rows.least), max(1, memory // 4 // VALUE_BYTES), array)
    if name is not None:
        for file, values in (("start", start), ("labels", y)):
            spool.append(file, values)
        spool.keep(name, {})
    return _table(start, y, np.asarray(row), np.asarray(value), allocate)


def _read(path: Path, size: int, spool: Spool) -> tuple[SpooledRows, Floats]:
    """The rows of a file in a spool, and its labels, by ranges of whole lines of about ``size`` bytes."""
    rows, found, label = SpooledRows(spool), [np.empty(0)], repr(str(path))
    step, end = phase("reading"), path.stat().st_size
    with readable(path), open(path, "rb") as file:
        while text := file.read(size):
            X, y = sparse_rows(BytesIO(text + file.readline()), label)
            del text
            check_width(X.shape[1] - 1, end // SHORTEST_VALUE, label)
            rows.add(X)
            found.append(y)
            step(file.tell(), max(end, file.tell()))
    return rows, np.concatenate(found)


def _reopened(parent: Path, name: str) -> ArrayTable | None:
    """What an earlier run has kept; None where there is nothing, or it is damaged."""
    phase("opening the spool")
    found = kept(parent, name)
    if found is None:
        return None
    folder, _ = found
    try:
        start, y = (np.fromfile(folder / file, _FILES[file]) for file in ("start", "labels"))
        row, value = (mapped(folder / file, _FILES[file], int(start[-1])) for file in ("row", "value"))
    except OSError:
        return None
    return _table(start, y, row, value, SpoolAllocator(parent))


def _table(start: Any, y: Any, row: Any, value: Any, allocate: SpoolAllocator) -> ArrayTable:
    columns = SpooledColumns((len(y), len(start) - 1), start, row, value, allocate)
    return ArrayTable(columns, _labels(y), NumberedNames(columns.shape[1]))


class SpooledRows:
    """Sparse rows in a spool, without zeros: blocks of rows are sorted into groups of columns, then every group."""

    def __init__(self, spool: Spool) -> None:
        self.spool, self.n_rows = spool, 0
        self.n_stored, self.least = 0, 1 << 31  # values that were given, zeros among them, and their least column
        self.lengths = np.zeros(0, np.int64)  # how many values every column has
        self._of_rows: list[Integers] = []

    def add(self, rows: Any) -> None:
        """Write rows, given as CSR of float64 with ascending columns below 2**31 and none twice, behind the others."""
        ends, column, value = rows.indptr, rows.indices, rows.data
        self.n_rows += rows.shape[0]
        if len(column):
            self.n_stored += len(column)
            self.least = min(self.least, int(column.min()))
            new = np.zeros(max(int(column.max()) + 1 - len(self.lengths), 0), np.int64)
            self.lengths = np.concatenate([self.lengths, new])
            there = value != 0
            if not there.all():
                ends, column, value = np.concatenate([[0], np.cumsum(there)])[ends], column[there], value[there]
        self._of_rows.append(np.diff(ends).astype(np.int64))
        if len(column):
            found = np.bincount(column)
            self.lengths[: len(found)] += found
            self.spool.append(_COLUMNS, column.astype(np.int32))
            self.spool.append(_VALUES, value)

    def by_column(
        self, first_column: int, most: int, array: Callable[[str, int, type[np.generic]], NDArray[Any]]
    ) -> tuple[Integers, NDArray[np.int32], Floats]:
        """The starts of the columns from ``first_column`` on, their rows and values, about ``most`` sorted at once."""
        from scipy import sparse

        lengths = self.lengths[first_column:]
        start = np.concatenate([[0], np.cumsum(lengths)])
        row, value = array("row", int(start[-1]), np.int32), array("value", int(start[-1]), np.float64)
        of_rows = np.concatenate([[0], np.cumsum(np.concatenate(self._of_rows))])
        blocks, groups = block_edges(of_rows, most), block_edges(start, most)
        n_steps = len(blocks) + len(groups) - 2
        step, fill = phase("sorting by column"), start[groups[:-1]]
        column = self.spool.array(_OF_GROUPS, int(start[-1]), np.int32) if n_steps > 2 else None
        for done, (first, last) in enumerate(pairwise(blocks.tolist()), 1):
            block = self._block(of_rows[first : last + 1], first_column, len(lengths))
            number = np.repeat(np.arange(len(lengths), dtype=np.int32), np.diff(block.indptr))
            ends = block.indptr[groups]
            for group in np.flatnonzero(np.diff(ends)).tolist():
                some = slice(int(ends[group]), int(ends[group + 1]))
                place = slice(int(fill[group]), int(fill[group]) + some.stop - some.start)
                row[place], value[place] = block.indices[some] + np.int32(first), block.data[some]
                if column is not None:
                    column[place] = number[some]
                fill[group] = place.stop
            step(done, n_steps)
        for done, (first, last) in enumerate(pairwise(groups.tolist()), len(blocks)):
            some = slice(int(start[first]), int(start[last]))
            if column is not None and last - first > 1:  # else its rows ascend already
                places = row[some], column[some] - np.int32(first)
                found = sparse.coo_array((value[some], places), shape=(self.n_rows, last - first)).tocsc()
                row[some], value[some] = found.indices, found.data
            step(done, n_steps)
        for name in (_COLUMNS, _VALUES, _OF_GROUPS):
            (self.spool.folder / name).unlink(missing_ok=True)
        return start, row, value

    def _block(self, ends: Integers, first_column: int, n_columns: int) -> Any:
        """Some rows, sorted by column."""
        from scipy import sparse

        first, size = int(ends[0]), int(ends[-1] - ends[0])
        if not size:
            return sparse.csr_array((len(ends) - 1, n_columns)).tocsc()
        folder = self.spool.folder
        column = np.fromfile(folder / _COLUMNS, np.int32, size, offset=4 * first) - np.int32(first_column)
        value = np.fromfile(folder / _VALUES, np.float64, size, offset=8 * first)
        return sparse.csr_array((value, column, ends - first), shape=(len(ends) - 1, n_columns)).tocsc()


def block_edges(start: Integers, most: int) -> Columns:
    """Where blocks of about ``most`` values begin, and where the last one ends; a longer piece is a block itself."""
    n_pieces = len(start) - 1
    long = np.flatnonzero(np.diff(start) > most)
    inner = np.searchsorted(start, np.arange(most, start[-1], most), side="right") - 1
    return np.unique(np.concatenate([[0], inner, long, long + 1, [n_pieces]]))


@dataclass(frozen=True, eq=False)
class SpooledColumns:
    """Compressed sparse columns of numbers that are mapped from files."""

    shape: tuple[int, int]
    indptr: Integers  # where the values of every column begin, and where the last one ends; in memory
    indices: NDArray[np.int32]  # the rows of the values, ascending within a column
    data: Floats  # the values, none of them 0
    room: Callable[..., NDArray[Any]]  # ``room(size, dtype)`` gives an array for as many values, mapped from a file too

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.data.dtype

    def __getitem__(self, wanted: tuple[slice, Sequence[int]]) -> Any:
        """Some columns, of all rows, in memory as CSR."""
        from scipy import sparse

        places = np.asarray(wanted[1], np.intp)
        pieces = [slice(*self.indptr[[j, j + 1]].tolist()) for j in places.tolist()]
        start = np.cumsum([0, *(piece.stop - piece.start for piece in pieces)])
        arrays = (np.concatenate([of[:0], *(of[piece] for piece in pieces)]) for of in (self.data, self.indices))
        return sparse.csc_matrix((*arrays, start), shape=(self.shape[0], len(places))).tocsr()

    def columns(self, places: Sequence[int] | Columns) -> SpooledColumns:
        """Some columns in a given order, in the spool again."""
        wanted = np.asarray(places, np.intp)
        start = np.concatenate([[0], np.cumsum(np.diff(self.indptr)[wanted])])
        row, value = (self.room(int(start[-1]), of.dtype.type) for of in (self.indices, self.data))
        breaks = np.flatnonzero(np.diff(wanted) != 1) + 1
        for run in np.split(np.arange(len(wanted)), breaks):
            if len(run):
                to = slice(*start[[run[0], run[-1] + 1]].tolist())
                of = slice(*self.indptr[[wanted[run[0]], wanted[run[-1]] + 1]].tolist())
                row[to], value[to] = self.indices[of], self.data[of]
        return SpooledColumns((self.shape[0], len(wanted)), start, row, value, self.room)

    def blanked(self, places: Sequence[int]) -> SpooledColumns:
        """The same with zeros in some columns."""
        kept = np.setdiff1d(np.arange(self.shape[1]), places)
        some = self.columns(kept)
        lengths = np.diff(self.indptr)
        lengths[list(places)] = 0
        start = np.concatenate([[0], np.cumsum(lengths)])
        return SpooledColumns(self.shape, start, some.indices, some.data, self.room)
