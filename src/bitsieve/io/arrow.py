"""Arrow and Feather files, and streams of Arrow, which are stored in such a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from bitsieve.io.column_file import InputFile, Partition, check_schema, native_file, sliced
from bitsieve.io.errors import DataError, in_one_line
from bitsieve.io.spool import Spool, write_error
from bitsieve.io.typed_file import TypedColumns, TypedFile
from bitsieve.utils.progress import phase
from bitsieve.utils.types import TableLike


class ArrowFile(TypedFile):
    """An Arrow or Feather file, or a file that holds an Arrow stream."""

    n_rows: int | None = None

    @property
    def description(self) -> str:
        return "an Arrow stream" if self.kind == "stream" else "Arrow"

    def read_schema(self) -> pa.Schema:
        with native_file(self.path) as opened:
            if self.kind == "stream":
                return pa.ipc.open_stream(opened).schema
            return pa.ipc.open_file(opened).schema

    def partitions(self, *, in_one_block: bool) -> Sequence[Partition]:
        return [ArrowRows(self.columns)]


@dataclass(frozen=True)
class ArrowRows:
    """All rows of an Arrow file or of a stream in a file."""

    columns: TypedColumns

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        names = self.columns.names(columns)
        problem = f"cannot read {self.columns.label} as {self.columns.description}"
        with in_one_line(problem), native_file(self.columns.path) as opened:
            if rows is None:
                yield self.columns.select(_read_all(opened, self.columns.kind), names)
                return
            for batch in _record_batches(opened, self.columns.kind):
                yield from sliced(self.columns.select(pa.Table.from_batches([batch]), names), rows)


def _read_all(opened: pa.OSFile, kind: str) -> pa.Table:
    if kind == "stream":
        return pa.ipc.open_stream(opened).read_all()
    return pa.ipc.open_file(opened).read_all()


def _record_batches(opened: pa.OSFile, kind: str) -> Iterator[pa.RecordBatch]:
    if kind == "stream":
        yield from pa.ipc.open_stream(opened)
        return
    reader = pa.ipc.open_file(opened)
    for index in range(reader.num_record_batches):
        yield reader.get_batch(index)


def stored_stream(data: TableLike, parent: Path | None) -> ArrowFile:
    """Store a stream in a file; see :func:`stored_batches`."""
    return stored_batches(_batches_of(data), "the stream", parent)


def stored_batches(batches: Iterator[pa.RecordBatch], label: str, parent: Path | None) -> ArrowFile:
    """Store batches of rows in a file, since they can be read only once. Messages call them ``label``.

    The file lies in a spool in ``parent``, which is removed with the object that is returned.
    """
    spool = Spool(parent)
    path = spool.folder / "stream.arrow"
    n_rows = 0
    report_progress = phase("reading the stream")
    with in_one_line(f"cannot read {label}"):
        batch = next(batches, None)
        if batch is not None:
            check_schema(batch.schema, label)
            try:
                with native_file(path, "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
                    while batch is not None:
                        writer.write_batch(batch)
                        n_rows += batch.num_rows
                        report_progress(n_rows, None)
                        batch = _next_batch(batches, label)
            except OSError as error:
                raise write_error(spool.folder.parent, path.stat().st_size if path.exists() else 0, error) from None
    if not n_rows:
        raise DataError(
            code="empty-data",
            message=f"{label} has no rows",
            advice="nothing to select from",
        )
    stored = ArrowFile(InputFile(path, label, None, spool), [], "arrow")
    stored.n_rows = n_rows
    return stored


def _next_batch(batches: Iterator[pa.RecordBatch], label: str) -> pa.RecordBatch | None:
    """The next batch; None at the end. An error of the source is one line, and is not taken for one of the disk."""
    with in_one_line(f"cannot read {label}"):
        return next(batches, None)


def _batches_of(data: TableLike) -> Iterator[pa.RecordBatch]:
    if hasattr(data, "__arrow_c_stream__"):
        yield from pa.RecordBatchReader.from_stream(data)
    elif hasattr(data, "scanner"):  # a pyarrow dataset
        yield from data.scanner().to_reader()
    else:  # a polars LazyFrame
        for frame in data.collect_batches(maintain_order=True):
            yield from frame.to_arrow().to_batches()


def give_back_unused() -> None:
    """Return the memory that Arrow holds in reserve to the operating system."""
    pa.default_memory_pool().release_unused()
