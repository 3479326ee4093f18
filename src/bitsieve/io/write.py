"""Writing of tables. The ending of the file decides the format; columns keep the types of the input."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np

from bitsieve.io.errors import DataError
from bitsieve.io.formats import batch_writer_of, writer_of
from bitsieve.io.npz import ArrayTable
from bitsieve.io.output import check_output, write_text, writing
from bitsieve.utils.arrays import Values
from bitsieve.utils.types import TableLike

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_WRITTEN = (".parquet", ".csv", ".json")


def write_table(table: pa.Table | ArrayTable, path: str | PathLike[str], target: str) -> None:
    """Write ``table``, whose column ``target`` is the target (``y`` in .npz), in the format of the ending."""
    write = writer_of(Path(path).suffix.lower())
    with writing(path) as file:
        write(table, file, target)


class BatchWriter(Protocol):
    """An open file to which tables of the same columns are written one after another."""

    def write_table(self, table: pa.Table) -> None:
        """Write the next rows."""


def write_batches(
    batches: Iterable[pa.Table], schema: pa.Schema, path: str | PathLike[str] | IO[bytes], target: str
) -> None:
    """Write the rows of all batches in the format of the ending; a .npz alone needs them all in memory.

    To an open file, such as standard output, they are written as CSV.
    """
    import pyarrow as pa

    if not isinstance(path, (str, PathLike)):
        with open_csv(path, schema) as writer:
            for batch in batches:
                writer.write_table(batch)
        return
    open_writer = batch_writer_of(Path(path).suffix.lower())
    if open_writer is None:
        write_table(pa.concat_tables([schema.empty_table(), *batches]), path, target)
        return
    with writing(path) as file, open_writer(file, schema) as writer:
        for batch in batches:
            writer.write_table(batch)


def write_rows(table: pa.Table, path: str | PathLike[str]) -> None:
    """Write a small table of results in the format of the ending: Parquet, CSV, or JSON as a list of rows."""
    check_output(path, ROWS_WRITTEN)
    rows = [{name: _json_value(value) for name, value in row.items()} for row in table.to_pylist()]
    if Path(path).suffix.lower() == ".json":
        write_text(path, json.dumps(rows, indent=1))
    else:
        write_table(table.from_pylist(rows, schema=table.schema), path, "")


def _json_value(value: Any) -> Any:
    """The value for JSON, which has no NaN: None in its place."""
    return None if value != value else value


def write_parquet(table: pa.Table | ArrayTable, file: IO[bytes], target: str) -> None:
    """Write a table to an open file of Parquet."""
    columns = _as_arrow(table, target)
    with open_parquet(file, columns.schema) as writer:
        writer.write_table(columns)


def open_parquet(file: IO[bytes], schema: pa.Schema) -> AbstractContextManager[BatchWriter]:
    """A writer of Parquet to an open file."""
    from pyarrow import parquet

    writer: AbstractContextManager[BatchWriter] = parquet.ParquetWriter(file, schema)
    return writer


def write_csv(table: pa.Table | ArrayTable, file: IO[bytes], target: str) -> None:
    """Write a table to an open file of CSV."""
    columns = _as_arrow(table, target)
    with open_csv(file, columns.schema) as writer:
        writer.write_table(columns)


@contextmanager
def open_csv(file: IO[bytes], schema: pa.Schema, delimiter: str = ",") -> Iterator[BatchWriter]:
    """A writer of CSV to an open file."""
    import pyarrow as pa
    from pyarrow import csv

    kinds = [pa.large_string() if kind == pa.string_view() else kind for kind in schema.types]
    writable = pa.schema(zip(schema.names, kinds, strict=True))
    with csv.CSVWriter(file, writable, write_options=csv.WriteOptions(delimiter=delimiter)) as writer:
        yield _CastingWriter(writer, writable)


class _CastingWriter:
    """A writer that casts tables to a schema first."""

    def __init__(self, writer: BatchWriter, schema: pa.Schema) -> None:
        self._writer = writer
        self._schema = schema

    def write_table(self, table: pa.Table) -> None:
        self._writer.write_table(table.cast(self._schema))


def write_tsv(table: pa.Table | ArrayTable, file: IO[bytes], target: str) -> None:
    """Write a table to an open file of TSV."""
    columns = _as_arrow(table, target)
    with open_tsv(file, columns.schema) as writer:
        writer.write_table(columns)


def open_tsv(file: IO[bytes], schema: pa.Schema) -> AbstractContextManager[BatchWriter]:
    """A writer of TSV to an open file."""
    return open_csv(file, schema, delimiter="\t")


def write_arrow(table: pa.Table | ArrayTable, file: IO[bytes], target: str) -> None:
    """Write a table to an open file of Arrow (Feather version 2)."""
    columns = _as_arrow(table, target)
    with open_arrow(file, columns.schema) as writer:
        writer.write_table(columns)


def open_arrow(file: IO[bytes], schema: pa.Schema) -> AbstractContextManager[BatchWriter]:
    """A writer of Arrow (Feather version 2) to an open file."""
    import pyarrow as pa

    writer: AbstractContextManager[BatchWriter] = pa.ipc.new_file(file, schema)
    return writer


def write_npz(table: pa.Table | ArrayTable, file: IO[bytes], target: str) -> None:
    """Write a table to an open .npz archive: ``X``, ``y`` if there is a target, and ``feature_names``."""
    arrays = _as_arrays(table, target)
    stored = _stored_arrays(arrays.X)
    if arrays.y is not None:
        stored["y"] = arrays.y
    np.savez_compressed(file, **stored, feature_names=np.array(arrays.names))


def _as_arrow(table: pa.Table | ArrayTable, target: str) -> Any:
    import pyarrow as pa

    if not isinstance(table, ArrayTable):
        return table
    arrays = {name: table.column(name) for name in table.names}
    if table.y is not None:
        arrays[target] = table.y
    native = [array.astype(array.dtype.newbyteorder("="), copy=False) for array in arrays.values()]  # as Arrow needs
    return pa.table([pa.array(array) for array in native], names=list(arrays))


def _as_arrays(table: pa.Table | ArrayTable, target: str) -> ArrayTable:
    if isinstance(table, ArrayTable):
        return table
    for field in table.schema:
        if field.name != target and not _is_numeric(field.type):
            raise DataError(
                code="output-format",
                message=f"a .npz holds one array of numbers, but column {field.name!r} is selected and {field.type}",
                advice="write .parquet, .arrow or .csv, or exclude it",
            )
    names = [name for name in table.column_names if name != target]
    columns = [_numbers(table[name]) for name in names]
    X = np.empty((table.num_rows, len(columns)), dtype=np.result_type(*columns))
    for j, column in enumerate(columns):
        X[:, j] = column
    y = _labels(table[target]) if target in table.column_names else None
    return ArrayTable(X, y, names)


def _stored_arrays(X: TableLike) -> dict[str, Any]:
    """The arrays of an archive that hold ``X``; of a sparse one those that scipy stores."""
    if isinstance(X, np.ndarray):
        return {"X": X}
    compressed = X if X.format in ("csr", "csc") else X.tocsr()
    return {
        "data": compressed.data,
        "indices": compressed.indices,
        "indptr": compressed.indptr,
        "shape": np.array(compressed.shape),
        "format": np.array(compressed.format.encode("ascii")),
    }


def _numbers(column: pa.ChunkedArray) -> Values:
    import pyarrow as pa

    if pa.types.is_boolean(column.type) and column.null_count:
        column = column.cast(pa.float64())
    return np.asarray(column.to_numpy())


def _labels(column: pa.ChunkedArray) -> Values:
    if _is_numeric(column.type):
        return np.asarray(column.to_numpy())
    return np.asarray(column.cast("string").to_numpy(), dtype=str)


def _is_numeric(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers or truth values, which an array of numpy holds."""
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))
