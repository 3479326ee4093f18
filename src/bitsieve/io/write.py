"""Writing of tables. The ending of the file decides the format; columns keep the types of the input."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.io.errors import DataError
from bitsieve.io.formats import writer_of
from bitsieve.io.npz import ArrayTable
from bitsieve.io.output import check_output, write_text, writing

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_WRITTEN = (".parquet", ".csv", ".json")


def write_table(table: pa.Table | ArrayTable, path: str | PathLike[str], target: str) -> None:
    """Write ``table``, whose column ``target`` is the target (``y`` in .npz), in the format of the ending."""
    write = writer_of(Path(path).suffix.lower())
    with writing(path) as file:
        write(table, file, target)


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
    from pyarrow import parquet

    parquet.write_table(_as_arrow(table, target), file)


def write_csv(table: pa.Table | ArrayTable, file: IO[bytes], target: str, delimiter: str = ",") -> None:
    """Write a table to an open file of CSV."""
    import pyarrow as pa
    from pyarrow import csv

    columns = _as_arrow(table, target)
    kinds = [pa.large_string() if kind == pa.string_view() else kind for kind in columns.schema.types]
    writable = columns.cast(pa.schema(zip(columns.column_names, kinds, strict=True)))
    csv.write_csv(writable, file, csv.WriteOptions(delimiter=delimiter))


def write_tsv(table: pa.Table | ArrayTable, file: IO[bytes], target: str) -> None:
    """Write a table to an open file of TSV."""
    write_csv(table, file, target, delimiter="\t")


def write_arrow(table: pa.Table | ArrayTable, file: IO[bytes], target: str) -> None:
    """Write a table to an open file of Arrow (Feather version 2)."""
    import pyarrow as pa

    columns = _as_arrow(table, target)
    with pa.ipc.new_file(file, columns.schema) as writer:
        writer.write_table(columns)


def write_npz(table: pa.Table | ArrayTable, file: IO[bytes], target: str) -> None:
    """Write a table to an open .npz archive: ``X``, ``y`` and ``feature_names``."""
    arrays = _as_arrays(table, target)
    np.savez_compressed(file, **_stored_arrays(arrays.X), y=arrays.y, feature_names=np.array(arrays.names))


def _as_arrow(table: pa.Table | ArrayTable, target: str) -> Any:
    import pyarrow as pa

    if not isinstance(table, ArrayTable):
        return table
    arrays = [*(table.column(name) for name in table.names), table.y]
    native = [array.astype(array.dtype.newbyteorder("="), copy=False) for array in arrays]  # as Arrow needs them
    return pa.table([pa.array(array) for array in native], names=[*table.names, target])


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
    return ArrayTable(X, _labels(table[target]), names)


def _stored_arrays(X: Any) -> dict[str, Any]:
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


def _numbers(column: pa.ChunkedArray) -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_boolean(column.type) and column.null_count:
        column = column.cast(pa.float64())
    return np.asarray(column.to_numpy())


def _labels(column: pa.ChunkedArray) -> NDArray[Any]:
    if _is_numeric(column.type):
        return np.asarray(column.to_numpy())
    return np.asarray(column.cast("string").to_numpy(), dtype=str)


def _is_numeric(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers or truth values, which an array of numpy holds."""
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))
