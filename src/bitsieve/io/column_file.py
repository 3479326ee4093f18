"""Files of columns, of any format: their names and types, and batches of their rows, as often as needed."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.errors import DataError, FileState, check_names, check_unchanged, file_state
from bitsieve.io.spool import Spool
from bitsieve.utils.lazy import cached_property

if TYPE_CHECKING:
    import pyarrow as pa

INDEX = "__index_level_"  # pandas writes its index as columns whose names begin so
ROWS = 1 << 16  # the default number of rows of a batch


class Copies:
    """A folder for plain copies of files. It is made when it is first used, and removed with this object."""

    @cached_property
    def folder(self) -> Path:
        self._spool = Spool()  # the folder is removed with the spool
        return self._spool.folder


@dataclass(frozen=True, eq=False)
class InputFile:
    """A file that is to be read."""

    path: Path  # the file itself, or a plain copy of it
    label: str  # what messages call it
    original: Path | None  # the file itself; None for a copy of a stream, or of what is at an address
    copies: Copies | Spool  # the copies exist as long as this object
    table: str | None = None  # the name of a table in a file with several
    header: bool | None = None  # whether the first line of a text file names the columns; None to find out
    #: The state of the file itself before anything of it was read; empty if ``original`` is None
    initial_state: list[FileState] = field(default_factory=list)

    @classmethod
    def of_path(
        cls, path: Path, label: str | None = None, *, table: str | None = None, header: bool | None = None
    ) -> InputFile:
        """The file at a path, of which nothing has been read. Messages call it ``label``, by default its path."""
        label = repr(str(path)) if label is None else label
        return cls(path, label, path, Copies(), table, header, [file_state(path)])

    def state(self) -> list[FileState]:
        """The state of the file itself now; see :func:`file_state`. Empty if ``original`` is None."""
        return [] if self.original is None else [file_state(self.original)]


class Partition(Protocol):
    """A part of the rows of a file. It can be sent to other processes that find the file under the same path."""

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        """Read ``columns`` in that order, about ``rows`` rows at a time; None for all columns, or all rows."""


@dataclass(frozen=True, eq=False)
class TablePartition:
    """Rows that are in memory already."""

    table: pa.Table

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        table = self.table if columns is None else self.table.select(list(columns))
        yield from sliced(table, rows)


@dataclass(frozen=True, eq=False)
class CheckedPartition:
    """A part of the rows of a file, which must not have changed since it was opened."""

    label: str
    path: Path
    state: FileState
    partition: Partition

    def batches(self, columns: Sequence[str] | None = None, rows: int | None = ROWS) -> Iterator[pa.Table]:
        """Read ``columns`` in that order, about ``rows`` rows at a time."""
        check_unchanged(self.label, self.state, file_state(self.path))
        yield from self.partition.batches(columns, rows)
        check_unchanged(self.label, self.state, file_state(self.path))


class ColumnFile(ABC):
    """A table in a file, in a folder of files, or in a stream that was stored. ``diagnostics`` grows as it is read."""

    def __init__(self, file: InputFile, diagnostics: list[Diagnostic], kind: str = "") -> None:
        self.kind = kind  # the key of its format
        self.file = file
        self.path = file.path
        self.label = file.label
        self.diagnostics = diagnostics
        self.initial_state = file.initial_state

    @property
    @abstractmethod
    def names(self) -> Sequence[str]:
        """The names of the columns. Only a file of JSON must be read for them."""

    @property
    @abstractmethod
    def types(self) -> Mapping[str, pa.DataType]:
        """The types of the columns. A file of text is read once for them."""

    @property
    def types_of_all_rows(self) -> Mapping[str, pa.DataType]:
        """:attr:`types` to which the values of all rows can be cast."""
        return self.types

    @property
    def row_bytes(self) -> int:
        """About how many bytes of memory a row takes."""
        return sum(map(_bytes_of_value, self.types.values()))

    @property
    @abstractmethod
    def n_rows(self) -> int | None:
        """The number of rows; None where it is not known before all rows are read."""

    @abstractmethod
    def partitions(self, *, in_one_block: bool) -> Sequence[Partition]:
        """The partitions that this process reads. ``in_one_block`` says that each will be read in a single batch."""

    def partitions_to_send(self, n: int | None) -> Sequence[Partition]:
        """About ``n`` partitions for other processes; None for as many as suit the format."""
        return self.partitions(in_one_block=False)

    def batches(self, columns: Sequence[str] | None = None, rows: int | None = ROWS) -> Iterator[pa.Table]:
        """Read all rows of ``columns``, about ``rows`` rows at a time; None for one block for each partition."""
        for partition in self.partitions(in_one_block=rows is None):
            yield from partition.batches(columns, rows)

    def checked_partitions(self, n: int | None = None) -> list[CheckedPartition]:
        """About ``n`` partitions for other processes, in the order of the rows; a changed file is refused."""
        if self.file.original != self.path:
            raise DataError(
                code="not-read-in-batches",
                message=f"{self.label} is compressed or not UTF-8, and cannot be read in batches",
                advice="decompress it, or save it as UTF-8",
            )
        (state,) = self.initial_state
        return [CheckedPartition(self.label, self.path, state, partition) for partition in self.partitions_to_send(n)]

    def state(self) -> list[FileState]:
        """The state of every file; see :func:`file_state`."""
        return self.file.state()


def _bytes_of_value(kind: pa.DataType) -> int:
    """About how many bytes a value takes."""
    try:
        return max(1, int(kind.bit_width) // 8)
    except ValueError:  # text may be of any length
        return 32


def sliced(table: pa.Table, rows: int | None) -> Iterator[pa.Table]:
    """Cut a table into batches of ``rows`` rows; None to leave it in one."""
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
        is_variable_binary = pa.types.is_binary(inner) or pa.types.is_large_binary(inner)
        if is_variable_binary or pa.types.is_fixed_size_binary(inner) or str(inner) == "binary_view":
            raise DataError(
                code="column-type-not-read",
                message=f"column {column.name!r} of {label} holds raw bytes",
                advice="drop it or make it text",
            )


def native_file(path: Path, mode: str = "rb") -> pa.OSFile:
    """Open a file by pyarrow, also one whose name is not UTF-8.

    The file is not mapped into memory: the process would be killed if another one shortened it.
    """
    import pyarrow as pa

    return pa.OSFile(os.fsencode(path), mode)


def line_range_offsets(path: Path, first: int, size: int) -> list[int]:
    """The offsets of ranges of complete lines of about ``size`` bytes, from ``first`` on; the last is the end."""
    offsets = [first]
    end = path.stat().st_size
    with open(path, "rb") as file:
        while offsets[-1] + size < end:
            file.seek(offsets[-1] + size)
            file.readline()
            offsets.append(file.tell())
    return [*offsets, end] if offsets[-1] < end else offsets
