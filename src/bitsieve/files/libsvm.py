"""Text files of sparse rows: a label, then ``column:value`` for every value that is not 0 (libsvm, svmlight).

Files larger than memory are turned to columns in a spool; they are read once for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np

from bitsieve.common.arrays import Floats
from bitsieve.common.lazy import cached_property
from bitsieve.common.messages import one_line
from bitsieve.common.names import NumberedNames
from bitsieve.common.progress import phase
from bitsieve.counts.source import check_sparse_rows
from bitsieve.files.errors import DataError, check_unchanged, check_width, file_state, unreadable
from bitsieve.files.npz import ArrayTable
from bitsieve.files.parts import FileParts, Rows, line_starts
from bitsieve.files.spool import Spool, SpoolAllocator, kept, key_name, mapped
from bitsieve.files.spooled_columns import SpooledRows

ENDINGS = (".libsvm", ".svmlight", ".svm")
_ROW = re.compile(rb"[^\s,;:]+(\s+qid:\d+)?(\s+\d+:[^\s:,;]+)+\s*(#.*)?")
_HEAD = 1 << 16  # bytes that are looked at
RANGE = 1 << 24  # bytes that are read at once
_TEXT_SHARE = 16  # of the memory: the rows of a range take several times as much as its text
SHORTEST_VALUE = 4  # bytes of " 1:1"
_SHORTEST, _LONGEST = 1 << 20, 1 << 28  # bytes of a range whose size follows from the memory
_FILES = {"start": np.int64, "labels": np.float64, "row": np.int32, "value": np.float64}


def is_libsvm(path: Path) -> bool:
    """Whether a text file holds sparse rows: by its ending, or by its first row."""
    if path.suffix.lower() in ENDINGS:
        return True
    with open(path, "rb") as file:
        lines = (line.strip() for line in file.read(_HEAD).splitlines())
    first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    return _ROW.fullmatch(first) is not None


class LibsvmParts(FileParts[ArrayTable]):
    """Sparse rows; columns are counted from 1, or from 0 where the file has a column 0."""

    no_columns = (
        "a libsvm file, which is not read in batches of columns: give its path to select or fit, one file alone, or "
        "write it as Parquet"
    )

    @cached_property
    def facts(self) -> Facts:
        """What all rows together show."""
        return Facts.of(read_ranges(self.path, self.label, RANGE), self.label)

    @property
    def names(self) -> Sequence[str]:
        return NumberedNames(self.facts.end - self.facts.first)

    @property
    def n_rows(self) -> int:
        return self.facts.n_rows

    def pieces(self, *, whole: bool) -> Sequence[Rows[ArrayTable]]:
        return [SparseRange(self.path, self.label, 0, None, None)] if whole else self._ranges(RANGE)

    def portions(self, n: int | None) -> Sequence[Rows[ArrayTable]]:
        return self._ranges(RANGE if n is None else -(-self.path.stat().st_size // n))

    def _ranges(self, size: int) -> list[SparseRange]:
        starts = line_starts(self.path, 0, size)
        return [SparseRange(self.path, self.label, *ends, self.facts) for ends in pairwise(starts)]


@dataclass(frozen=True)
class Facts:
    """Of all rows: their number, the first column, one more than the last, and whether all labels are whole numbers."""

    n_rows: int
    first: int
    end: int
    whole: bool

    @classmethod
    def of(cls, blocks: Iterable[tuple[Any, Floats]], label: str) -> Facts:
        """Of the rows in some blocks."""
        n_rows = n_values = end = 0
        first, whole = 1, True
        for X, y in blocks:
            n_rows, n_values, end = n_rows + len(y), n_values + X.nnz, max(end, X.shape[1])
            first, whole = min(first, int(X.indices.min(initial=1))), whole and _are_whole(y)
        _check_any(n_rows, n_values, label)
        check_width(end - first, n_values, label)
        return cls(n_rows, first, end, whole)


@dataclass(frozen=True)
class SparseRange:
    """Some whole lines of a file; ``facts`` of the whole file, or None where they are the whole file."""

    path: Path
    label: str
    first: int
    end: int | None
    facts: Facts | None

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[ArrayTable]:
        with open(self.path, "rb") as file:
            file.seek(self.first)
            text = file if self.end is None else BytesIO(file.read(self.end - self.first))
            X, y = sparse_rows(text, self.label)
        facts = Facts.of([(X, y)], self.label) if self.facts is None else self.facts
        X.indices -= facts.first
        X = type(X)((X.data, X.indices, X.indptr), shape=(X.shape[0], facts.end - facts.first))
        labels = y.astype(np.int64) if facts.whole else y
        yield from ArrayTable(X, labels, NumberedNames(X.shape[1])).batches(columns, rows)


def read_ranges(path: Path, label: str, size: int) -> Iterator[tuple[Any, Floats]]:
    """The rows of a file as CSR, and their labels, by ranges of whole lines of about ``size`` bytes."""
    step, end = phase("reading"), path.stat().st_size
    try:
        with open(path, "rb") as file:
            while text := file.read(size):
                X, y = sparse_rows(BytesIO(text + file.readline()), label)
                del text
                yield X, y
                step(file.tell(), max(end, file.tell()))
    except OSError as error:
        raise unreadable(path, error) from None


def sparse_rows(file: IO[bytes], label: str) -> tuple[Any, Floats]:
    """The rows of a text as CSR, with the numbers of columns that it has, each row ascending; and the labels."""
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(file, zero_based=True)
    except (ValueError, OverflowError, MemoryError) as error:
        raise DataError(
            f"cannot read {label} as libsvm: {one_line(error)}; a row is a label, a number, and column:value pairs"
        ) from None
    return X, y


def _check_any(n_rows: int, n_values: int, label: str) -> None:
    """Refuse a file without rows or values."""
    for number, what in ((n_rows, "rows"), (n_values, "values but zeros")):
        if not number:
            raise DataError(f"{label} has no {what}: nothing to select from")


def _are_whole(y: Floats) -> bool:
    return bool(np.isfinite(y).all() and (y == np.rint(y)).all() and (np.abs(y) < 2**53).all())


def read_libsvm_in_ranges(
    path: Path, memory: int, parent: Path | None = None, *, range_bytes: int | None = None
) -> ArrayTable:
    """Read all rows of a libsvm file as columns in a spool, kept in ``parent``, in about ``memory`` bytes."""
    from bitsieve.files.spooled_columns import VALUE_BYTES

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
    """The rows of a file in a spool, and its labels."""
    from bitsieve.files.spooled_columns import SpooledRows

    rows, found, label = SpooledRows(spool), [np.empty(0)], repr(str(path))
    for X, y in read_ranges(path, label, size):
        check_width(X.shape[1] - 1, path.stat().st_size // SHORTEST_VALUE, label)
        rows.add(X)
        found.append(y)
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
    from bitsieve.files.spooled_columns import SpooledColumns

    columns = SpooledColumns((len(y), len(start) - 1), start, row, value, allocate)
    return ArrayTable(columns, y.astype(np.int64) if _are_whole(y) else y, NumberedNames(columns.shape[1]))
