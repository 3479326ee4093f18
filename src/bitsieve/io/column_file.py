"""A file of columns, of any format: what is known before a row is read, then batches of rows, again and again."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.errors import DataError, FileState, check_names, check_unchanged, file_state
from bitsieve.io.spool import Spool
from bitsieve.utils.lazy import cached_property

if TYPE_CHECKING:
    import pyarrow as pa

INDEX = "__index_level_"  # what pandas calls the index that it adds to a file
ROWS = 1 << 16  # of a block, where nothing else is asked for


class Copies:
    """A folder for plain copies of files, made when it is first asked for and removed with this object."""

    @cached_property
    def folder(self) -> Path:
        self._spool = Spool()  # which removes the folder with itself
        return self._spool.folder


@dataclass(frozen=True)
class InputFile:
    """A file that is to be read."""

    path: Path  # where its bytes are, perhaps in a copy
    label: str  # what messages call it
    original: Path | None  # None: standard input
    copies: Copies | Spool  # as long as this is there, so are the copies
    table: str | None = None  # the name of a table in it
    header: bool | None = None  # of text: whether its first line names the columns; None: to be found out


class Partition(Protocol):
    """A part of the rows of a file; any process that finds the file under the same path can be sent it."""

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        """Some columns in their order, about so many rows at a time; None: all columns, all rows."""


@dataclass(frozen=True)
class TablePartition:
    """Rows that are in memory already."""

    table: pa.Table

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        table = self.table if columns is None else self.table.select(list(columns))
        yield from sliced(table, rows)


@dataclass(frozen=True)
class CheckedPartition:
    """A part of the rows of a file, which must not have changed since it was opened."""

    label: str
    path: Path
    state: FileState
    partition: Partition

    def batches(self, columns: Sequence[str] | None = None, rows: int | None = ROWS) -> Iterator[pa.Table]:
        """Some columns in their order, about so many rows at a time."""
        check_unchanged(self.label, self.state, file_state(self.path))
        yield from self.partition.batches(columns, rows)
        check_unchanged(self.label, self.state, file_state(self.path))


class ColumnFile(ABC):
    """A file, a folder of files, or a stored stream; ``diagnostics`` are what was noticed in it."""

    def __init__(self, file: InputFile, diagnostics: list[Diagnostic], kind: str = "") -> None:
        self.kind = kind  # the key of its format
        self.file = file
        self.path = file.path
        self.label = file.label
        self.diagnostics = diagnostics
        self._state = [] if file.original is None else [file_state(file.original)]

    @property
    @abstractmethod
    def names(self) -> Sequence[str]:
        """The names of the columns, known before any row is read, but for JSON."""

    @property
    @abstractmethod
    def types(self) -> Mapping[str, pa.DataType]:
        """The types of the columns; of text, found by reading all rows once."""

    @property
    def row_bytes(self) -> int:
        """About how much memory a row takes."""
        return sum(map(_bytes_of_value, self.types.values()))

    @property
    @abstractmethod
    def n_rows(self) -> int | None:
        """The number of rows; None where only reading all of them finds it."""

    @abstractmethod
    def partitions(self, *, whole: bool) -> Sequence[Partition]:
        """The rows as they are read in this process; ``whole``: as one block."""

    def partitions_to_send(self, n: int | None) -> Sequence[Partition]:
        """The rows in about ``n`` partitions for other processes; None: as many as suit the format."""
        return self.partitions(whole=False)

    def batches(self, columns: Sequence[str] | None = None, rows: int | None = ROWS) -> Iterator[pa.Table]:
        """The rows as blocks of some columns; ``rows`` None: one block of all rows."""
        for partition in self.partitions(whole=rows is None):
            yield from partition.batches(columns, rows)

    def checked_partitions(self, n: int | None = None) -> list[CheckedPartition]:
        """The rows in their order for other processes: in about ``n`` partitions, or as many as suit the file."""
        if self.file.original != self.path:
            raise DataError(
                code="not-read-in-batches",
                message=f"{self.label} is no plain file of UTF-8, which parts need",
                advice="decompress it, save it as UTF-8",
            )
        (state,) = self._state
        return [CheckedPartition(self.label, self.path, state, partition) for partition in self.partitions_to_send(n)]

    def state(self) -> list[FileState]:
        """Of every file its path, size, time of change and number now, which are others when it has changed."""
        return [] if self.file.original is None else [file_state(self.file.original)]


def _bytes_of_value(kind: pa.DataType) -> int:
    """About how many bytes a value takes."""
    try:
        return max(1, int(kind.bit_width) // 8)
    except ValueError:  # text may be of any length
        return 32


def sliced(table: pa.Table, rows: int | None) -> Iterator[pa.Table]:
    """A block, cut where it holds more rows than are wanted."""
    if rows is None:
        yield table
        return
    for first in range(0, table.num_rows, rows):
        yield table.slice(first, rows)


def check_schema(schema: pa.Schema, label: str) -> None:
    """Refuse two columns of one name, and columns that hold lists or raw bytes."""
    import pyarrow as pa

    check_names(schema.names, label)
    for column in schema:
        inner = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if pa.types.is_nested(inner):
            raise DataError(
                code="column-type-not-read",
                message=f"column {column.name!r} of {label} holds {column.type}",
                advice="drop it or make it plain columns",
            )
        is_binary = pa.types.is_binary(inner) or pa.types.is_large_binary(inner)
        is_binary = is_binary or pa.types.is_fixed_size_binary(inner) or str(inner) == "binary_view"
        if is_binary:
            raise DataError(
                code="column-type-not-read",
                message=f"column {column.name!r} of {label} holds raw bytes",
                advice="drop it or make it text",
            )


def native_file(path: Path, mode: str = "rb") -> pa.OSFile:
    """The file opened by pyarrow; its name may be no UTF-8 text.

    It is read and not mapped: were it cut while it is mapped, the next look at it would end the process.
    """
    import pyarrow as pa

    return pa.OSFile(os.fsencode(path), mode)


def line_starts(path: Path, first: int, size: int) -> list[int]:
    """Where ranges of whole lines of about ``size`` bytes begin, from ``first`` on, and where the last one ends."""
    starts = [first]
    end = path.stat().st_size
    with open(path, "rb") as file:
        while starts[-1] + size < end:
            file.seek(starts[-1] + size)
            file.readline()
            starts.append(file.tell())
    return [*starts, end] if starts[-1] < end else starts
