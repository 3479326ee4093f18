"""Parquet, Arrow and Feather files: what was read is checked in full before a value of it is used."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.dialect import unique_names
from bitsieve.io.errors import DataError, in_one_line
from bitsieve.io.parts import INDEX, ColumnParts, Given, Rows, check_schema, native_file, sliced
from bitsieve.io.spool import Spool, no_room
from bitsieve.utils.messages import one_line
from bitsieve.utils.progress import phase

NAMES = {"parquet": "Parquet", "arrow": "Arrow", "stream": "an Arrow stream"}
_BUFFER = 1 << 18  # bytes of a column of Parquet that are read at once
_LONG = 4  # a row group of more blocks is not taken whole
_PAGE = 1 << 17  # rows of a page, which is read whole for any of them


@dataclass(frozen=True)
class Stored:
    """The columns of a file that stores their types; ``places`` are theirs where the file names them otherwise."""

    path: Path
    label: str
    kind: str
    schema: pa.Schema
    places: dict[str, int] | None

    def asked(self, columns: Sequence[str] | None) -> list[str]:
        """The columns that are wanted."""
        return list(self.schema.names if columns is None else columns)

    def chosen(self, block: pa.Table, columns: list[str]) -> pa.Table:
        """Some columns of a block, checked in full."""
        if self.places is None:
            table = block.select(columns)
        else:
            table = block.select([self.places[name] for name in columns]).rename_columns(columns)
        table.validate(full=True)
        return table


class StoredParts(ColumnParts):
    """A file that stores the types of its columns, of a kind that is a key of ``NAMES``."""

    def __init__(self, given: Given, diagnostics: list[Diagnostic], kind: str) -> None:
        super().__init__(given, diagnostics)
        with in_one_line(f"cannot read {self.label} as {NAMES.get(kind, kind)}"):
            schema = self.opened(kind)
        places = [place for place, name in enumerate(schema.names) if not name.startswith(INDEX)]
        old = [schema.names[place] for place in places]
        names = unique_names(old, diagnostics)
        if not names:
            raise DataError(
                code="empty-data",
                message=f"{self.label} has no columns",
                advice="nothing to select from",
            )
        kept = pa.schema([schema.field(place).with_name(name) for place, name in zip(places, names, strict=True)])
        check_schema(kept, self.label)
        renamed = None if names == old else dict(zip(names, places, strict=True))
        self.stored = Stored(self.path, self.label, kind, kept, renamed)

    @abstractmethod
    def opened(self, kind: str) -> pa.Schema:
        """Look at the beginning, or the end, of the file."""

    @property
    def names(self) -> Sequence[str]:
        return list(self.stored.schema.names)

    @property
    def types(self) -> dict[str, pa.DataType]:
        return {field.name: field.type for field in self.stored.schema}


class ArrowParts(StoredParts):
    """An Arrow or Feather file, or a file that holds an Arrow stream."""

    n_rows: int | None = None

    def opened(self, kind: str) -> pa.Schema:
        with native_file(self.path) as file:
            return _reader(file, kind).schema

    def pieces(self, *, whole: bool) -> Sequence[Rows]:
        return [ArrowRows(self.stored)]


@dataclass(frozen=True)
class ArrowRows:
    """The rows of an Arrow file or stream."""

    stored: Stored

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        stored, wanted = self.stored, self.stored.asked(columns)
        with in_one_line(f"cannot read {stored.label} as {NAMES[stored.kind]}"), native_file(stored.path) as file:
            reader = _reader(file, stored.kind)
            if rows is None:
                yield stored.chosen(reader.read_all(), wanted)
                return
            n_batches = getattr(reader, "num_record_batches", None)
            batches = reader if n_batches is None else map(reader.get_batch, range(n_batches))
            for batch in batches:
                yield from sliced(stored.chosen(pa.Table.from_batches([batch]), wanted), rows)


class ParquetParts(StoredParts):
    """A Parquet file, of which row groups are read, by polars where it is installed and knows the types."""

    @property
    def n_rows(self) -> int:
        return sum(self.groups)

    def opened(self, kind: str) -> pa.Schema:
        from pyarrow import parquet

        with native_file(self.path) as opened, parquet.ParquetFile(opened) as file:
            metadata = file.metadata
            self.groups = [metadata.row_group(place).num_rows for place in range(metadata.num_row_groups)]
            return file.schema_arrow

    def pieces(self, *, whole: bool) -> Sequence[Rows]:
        return [RowGroups(self.stored, tuple(self.groups), 0, len(self.groups))]

    def portions(self, n: int | None) -> Sequence[Rows]:
        n_groups = len(self.groups)
        step = 1 if n is None else max(1, -(-n_groups // n))
        groups = tuple(self.groups)
        return [
            RowGroups(self.stored, groups, first, min(first + step, n_groups)) for first in range(0, n_groups, step)
        ]


@dataclass(frozen=True)
class RowGroups:
    """Some row groups of a Parquet file, of ``sizes`` rows each."""

    stored: Stored
    sizes: tuple[int, ...]
    first: int
    end: int

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        stored, wanted = self.stored, self.stored.asked(columns)
        with in_one_line(f"cannot read {stored.label} as {NAMES[stored.kind]}"):
            if rows is not None and self._suits_polars(wanted, rows):
                yield from self._by_polars(wanted, rows)
            else:
                yield from self._by_pyarrow(wanted, rows)

    def _suits_polars(self, wanted: list[str], rows: int) -> bool:
        """Whether polars is there, reads these types as pyarrow does, and the row groups are short enough for it."""
        return (
            find_spec("polars") is not None
            and self.stored.places is None
            and str(self.stored.path).isprintable()  # a name that is not UTF-8 is not
            and (max(self.sizes, default=0) <= _LONG * rows or rows >= _PAGE)
            and all(_is_plain(self.stored.schema.field(name).type) for name in wanted)
        )

    def _by_polars(self, wanted: list[str], rows: int) -> Iterator[pa.Table]:
        import polars

        frame = polars.scan_parquet(self.stored.path, glob=False, hive_partitioning=False).select(wanted)
        schema = pa.schema([self.stored.schema.field(name) for name in wanted]).remove_metadata()
        first = taken = sum(self.sizes[: self.first])
        for place in range(self.first, self.end):
            taken += self.sizes[place]
            if taken - first < rows and place + 1 < self.end:
                continue
            step = (2 if taken - first > _LONG * rows else _LONG) * rows
            for start in range(first, taken, step):
                table = frame.slice(start, min(step, taken - start)).collect()
                if len(table) != min(step, taken - start):
                    raise OSError("it holds fewer rows than it says")
                yield self.stored.chosen(table.rechunk().to_arrow().cast(schema), wanted)  # text has wider offsets
            first = taken

    def _by_pyarrow(self, wanted: list[str], rows: int | None) -> Iterator[pa.Table]:
        from pyarrow import parquet

        # By default all bytes of the row groups are read ahead, and lie in memory beside their numbers.
        how: dict[str, Any] = {"pre_buffer": False, **({} if rows is None else {"buffer_size": _BUFFER})}
        columns = wanted if self.stored.places is None else None
        groups = list(range(self.first, self.end))
        with native_file(self.stored.path) as opened, parquet.ParquetFile(opened, **how) as file:
            if rows is None:
                yield self.stored.chosen(file.read_row_groups(groups, columns=columns), wanted)
                return
            for batch in file.iter_batches(rows, row_groups=groups, columns=columns):
                yield self.stored.chosen(pa.Table.from_batches([batch]), wanted)
                give_back_unused()


def stored_stream(data: Any, parent: Path | None) -> ArrowParts:
    """A stream, which can be read only once, written to a spool in ``parent``, from which it is read again and again.

    The spool is removed with what is returned.
    """
    spool = Spool(parent)
    path, n_rows, label = spool.folder / "stream.arrow", 0, "the stream"
    step = phase("reading the stream")
    try:
        batches = _batches_of(data)
        first = next(batches, None)
        if first is not None:
            check_schema(first.schema, label)
            with native_file(path, "wb") as file, pa.ipc.new_file(file, first.schema) as writer:
                for batch in chain([first], batches):
                    writer.write_batch(batch)
                    n_rows += batch.num_rows
                    step(n_rows, None)
    except OSError as error:
        raise no_room(spool.folder.parent, path.stat().st_size if path.exists() else 0, error) from None
    except pa.ArrowException as error:
        raise DataError(
            code="cannot-read",
            message=f"cannot read the stream: {one_line(error)}",
        ) from None
    if not n_rows:
        raise DataError(
            code="empty-data",
            message="the stream has no rows",
            advice="nothing to select from",
        )
    parts = ArrowParts(Given(path, label, None, spool), [], "arrow")
    parts.n_rows = n_rows
    return parts


def _batches_of(data: Any) -> Iterator[pa.RecordBatch]:
    if hasattr(data, "__arrow_c_stream__"):
        yield from pa.RecordBatchReader.from_stream(data)
    elif hasattr(data, "scanner"):  # a pyarrow dataset
        yield from data.scanner().to_reader()
    else:  # a polars LazyFrame
        for frame in data.collect_batches(maintain_order=True):
            yield from frame.to_arrow().to_batches()


def _reader(file: pa.OSFile, kind: str) -> pa.RecordBatchFileReader | pa.RecordBatchStreamReader:
    return (pa.ipc.open_file if kind == "arrow" else pa.ipc.open_stream)(file)


def _is_plain(kind: pa.DataType) -> bool:
    """Whether polars reads a type as pyarrow does."""
    tests = (pa.types.is_integer, pa.types.is_float32, pa.types.is_float64, pa.types.is_boolean, pa.types.is_string)
    return any(test(kind) for test in tests)


def give_back_unused() -> None:
    """Return to the system what Arrow keeps of memory for later."""
    pa.default_memory_pool().release_unused()
