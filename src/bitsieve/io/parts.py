"""One way to read every format: what is known before a row is read, then blocks of rows, again and again."""

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
class Given:
    """A file that is to be read."""

    path: Path  # where its bytes are, perhaps in a copy
    label: str  # what messages call it
    original: Path | None  # None: standard input
    copies: Copies | Spool  # as long as this is there, so are the copies
    inside: str | None = None  # the name of a table in it


class Rows(Protocol):
    """Some rows of a file; any process can be sent them that finds the file under the same path."""

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        """Some columns in their order, about so many rows at a time; None: all columns, all rows."""


@dataclass(frozen=True)
class Range:
    """Some rows of a file, which must not have changed since it was opened."""

    label: str
    path: Path
    state: FileState
    rows: Rows

    def batches(self, columns: Sequence[str] | None = None, rows: int | None = ROWS) -> Iterator[pa.Table]:
        """Some columns in their order, about so many rows at a time."""
        check_unchanged(self.label, self.state, file_state(self.path))
        yield from self.rows.batches(columns, rows)
        check_unchanged(self.label, self.state, file_state(self.path))


class ColumnParts(ABC):
    """A file, a folder of files, or a stored stream; ``diagnostics`` are what was noticed, read or not."""

    def __init__(self, given: Given, diagnostics: list[Diagnostic], kind: str = "") -> None:
        self.kind = kind  # the name of the format, where the first bytes say it
        self.given, self.path, self.label, self.diagnostics = given, given.path, given.label, diagnostics
        self._state = [] if given.original is None else [file_state(given.original)]

    @property
    @abstractmethod
    def names(self) -> Sequence[str]:
        """Of the columns, known before any row is read, but for JSON."""

    @property
    @abstractmethod
    def types(self) -> Mapping[str, pa.DataType]:
        """The types of the columns; of text, found by reading all rows once."""

    @property
    def row_bytes(self) -> int:
        """About how much memory a row takes."""
        return sum(map(_width, self.types.values()))

    @property
    @abstractmethod
    def n_rows(self) -> int | None:
        """The number of rows; None where only reading all of them finds it."""

    @abstractmethod
    def pieces(self, *, whole: bool) -> Sequence[Rows]:
        """The rows as they are read in this process; ``whole``: as one block."""

    def portions(self, n: int | None) -> Sequence[Rows]:
        """The rows in about ``n`` pieces for other processes; None: in pieces of the size that suits the format."""
        return self.pieces(whole=False)

    def batches(self, columns: Sequence[str] | None = None, rows: int | None = ROWS) -> Iterator[pa.Table]:
        """The rows as blocks of some columns; ``rows`` None: one block of all rows."""
        for piece in self.pieces(whole=rows is None):
            yield from piece.batches(columns, rows)

    def ranges(self, n: int | None = None) -> list[Range]:
        """Parts of the rows in their order, for other processes: about ``n``, or as many as suit the file."""
        if self.given.original != self.path:
            raise DataError(
                code="not-read-in-batches",
                message=f"{self.label} is no plain file of UTF-8, which parts need",
                advice="decompress it, save it as UTF-8",
            )
        return [Range(self.label, self.path, self._state[0], piece) for piece in self.portions(n)]

    def state(self) -> list[FileState]:
        """Of every file its path, size, time of change and number now, which are others when it has changed."""
        return [] if self.given.original is None else [file_state(self.given.original)]


def _width(kind: pa.DataType) -> int:
    """About how many bytes a value takes."""
    try:
        return max(1, int(kind.bit_width) // 8)
    except ValueError:  # text, of which nobody knows how long it is
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
        binary = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
        if any(test(inner) for test in binary) or str(inner) == "binary_view":
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
    starts, end = [first], path.stat().st_size
    with open(path, "rb") as file:
        while starts[-1] + size < end:
            file.seek(starts[-1] + size)
            file.readline()
            starts.append(file.tell())
    return [*starts, end] if starts[-1] < end else starts
