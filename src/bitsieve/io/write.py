"""Reduced tables into files: the format of the ending, the types of the input."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.io.errors import DataError
from bitsieve.io.npz import ArrayTable
from bitsieve.io.output import check_output, write_text, writing

if TYPE_CHECKING:
    import pyarrow as pa

WRITTEN = (".parquet", ".csv", ".tsv", ".arrow", ".feather", ".npz")
ROWS_WRITTEN = (".parquet", ".csv", ".json")


def write_table(table: pa.Table | ArrayTable, path: str | PathLike[str], target: str) -> None:
    """Write ``table``, whose column ``target`` is the target (``y`` in .npz), in the format of the ending."""
    with writing(path) as file:
        _write(table, file, Path(path).suffix.lower(), target)


def write_rows(table: pa.Table, path: str | PathLike[str]) -> None:
    """Write a small table of results in the format of the ending: Parquet, CSV, or JSON as a list of rows."""
    check_output(path, ROWS_WRITTEN)
    # a value that is no number, which equals nothing, is written as none
    rows = [{name: None if value != value else value for name, value in row.items()} for row in table.to_pylist()]
    if Path(path).suffix.lower() == ".json":
        write_text(path, json.dumps(rows, indent=1))
    else:
        write_table(table.from_pylist(rows, schema=table.schema), path, "")


def _write(table: pa.Table | ArrayTable, file: IO[bytes], ending: str, target: str) -> None:
    if ending == ".npz":
        arrays = _to_arrays(table, target)
        np.savez_compressed(file, **_pieces(arrays.X), y=arrays.y, feature_names=np.array(arrays.names))
        return
    import pyarrow as pa

    columns: Any = table
    if isinstance(table, ArrayTable):
        given = (*map(table.column, table.names), table.y)
        native = [array.astype(array.dtype.newbyteorder("="), copy=False) for array in given]  # as Arrow needs them
        columns = pa.table([pa.array(array) for array in native], names=[*table.names, target])
    if ending == ".parquet":
        from pyarrow import parquet

        parquet.write_table(columns, file)
    elif ending in (".csv", ".tsv"):
        from pyarrow import csv

        kinds = [pa.large_string() if kind == pa.string_view() else kind for kind in columns.schema.types]
        plain = columns.cast(pa.schema(zip(columns.column_names, kinds, strict=True)))
        csv.write_csv(plain, file, csv.WriteOptions(delimiter="," if ending == ".csv" else "\t"))
    else:
        with pa.ipc.new_file(file, columns.schema) as writer:
            writer.write_table(columns)


def _pieces(X: Any) -> dict[str, Any]:
    """``X``, or what scipy stores of a sparse one."""
    if isinstance(X, np.ndarray):
        return {"X": X}
    kept = X if X.format in ("csr", "csc") else X.tocsr()
    pieces = {name: getattr(kept, name) for name in ("data", "indices", "indptr")}
    return {**pieces, "shape": np.array(kept.shape), "format": np.array(kept.format.encode("ascii"))}


def _to_arrays(table: pa.Table | ArrayTable, target: str) -> ArrayTable:
    if isinstance(table, ArrayTable):
        return table
    for field in table.schema:
        if field.name != target and not _is_plain(field.type):
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


def _numbers(column: pa.ChunkedArray) -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_boolean(column.type) and column.null_count:
        column = column.cast(pa.float64())
    return np.asarray(column.to_numpy())


def _labels(column: pa.ChunkedArray) -> NDArray[Any]:
    if _is_plain(column.type):
        return np.asarray(column.to_numpy())
    return np.asarray(column.cast("string").to_numpy(), dtype=str)


def _is_plain(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers or truth values, which an array of numpy holds."""
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))
