"""Arrays of numpy in .npy files, read in blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bitsieve.io.column_file import Partition
from bitsieve.io.errors import DataError
from bitsieve.io.npz import HEADERS, READABLE_KINDS
from bitsieve.io.typed_file import TypedColumns, TypedFile
from bitsieve.utils.column_names import NumberedNames


class NpyFile(TypedFile):
    """A matrix, whose columns are x0, x1, ..., or a structured array, whose fields are the columns."""

    description = "a .npy file"

    def read_schema(self) -> pa.Schema:
        with open(self.path, "rb") as file:
            version = np.lib.format.read_magic(file)
            read_header = HEADERS.get(version)
            if read_header is None:
                raise ValueError(f"version {version[0]}.{version[1]} of the format is not read")
            shape, is_fortran_order, dtype = read_header(file)
            start = file.tell()
        if dtype.hasobject:
            raise DataError(
                code="column-type-not-read",
                message=f"the array of {self.label} holds Python objects, which are not read",
                advice="store numbers or strings",
            )
        n_bytes = prod(shape) * dtype.itemsize
        if min(shape, default=0) < 0 or start + n_bytes != self.path.stat().st_size:
            raise ValueError(f"its header declares {n_bytes:,} bytes of values, which is not what is stored")
        n_axes = 2 if dtype.names is None else 1
        if len(shape) != n_axes:
            raise DataError(
                code="wrong-shape",
                message=f"the array of {self.label} has shape {shape}",
                advice="it must be samples x columns, or one structured value a sample",
            )
        if dtype.names is None:
            column_dtypes = dict.fromkeys(NumberedNames(shape[1]), dtype)
        else:
            column_dtypes = {name: dtype[name] for name in dtype.names}
        for name, column_dtype in column_dtypes.items():
            self._check_dtype(name, column_dtype)
        self.stored_array = _StoredArray(start, shape, dtype, is_fortran_order)
        empty_columns = {name: _arrow_values(np.empty(0, column_dtype)) for name, column_dtype in column_dtypes.items()}
        return pa.table(empty_columns).schema

    def _check_dtype(self, name: str, dtype: np.dtype[Any]) -> None:
        if dtype.kind not in READABLE_KINDS or dtype.shape:
            raise DataError(
                code="column-type-not-read",
                message=f"column {name!r} of {self.label} has type {dtype}",
                advice="store numbers or strings",
            )

    @property
    def n_rows(self) -> int:
        return self.stored_array.shape[0]

    def partitions(self, *, in_one_block: bool) -> Sequence[Partition]:
        return [_NpyRows(self.columns, self.stored_array)]


@dataclass(frozen=True)
class _StoredArray:
    """Where the values of an array lie in its file."""

    start: int  # the offset of the first value
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    is_fortran_order: bool


@dataclass(frozen=True)
class _NpyRows:
    """All rows of an array."""

    columns: TypedColumns
    stored: _StoredArray

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        names = self.columns.names(columns)
        index_of_name = {name: index for index, name in enumerate(self.columns.schema.names)}
        fields = self.stored.dtype.names  # of a structured array; None for a matrix
        for block in self._blocks(rows or max(1, self.stored.shape[0])):
            if fields is None:
                arrays = [_arrow_values(block[:, index_of_name[name]]) for name in names]
            else:
                arrays = [_arrow_values(block[fields[index_of_name[name]]]) for name in names]
            yield pa.table(arrays, names=names)

    def _blocks(self, n_rows: int) -> Iterator[NDArray[Any]]:
        """The array in blocks of rows, one empty block if it has no rows. An array in Fortran order is read at once."""
        first_rows = range(0, max(1, self.stored.shape[0]), n_rows)
        if self.stored.is_fortran_order:
            flat = np.fromfile(self.columns.path, self.stored.dtype, offset=self.stored.start)
            array = flat.reshape(self.stored.shape, order="F")
            for first in first_rows:
                yield array[first : first + n_rows]
            return
        values_per_row = prod(self.stored.shape[1:])
        with open(self.columns.path, "rb") as file:
            file.seek(self.stored.start)
            for first in first_rows:
                n_in_block = min(n_rows, self.stored.shape[0] - first)
                values = np.fromfile(file, self.stored.dtype, count=n_in_block * values_per_row)
                yield values.reshape(n_in_block, *self.stored.shape[1:])


def _arrow_values(values: NDArray[Any]) -> pa.Array:
    """The values of a column; bytes become text."""
    if values.dtype.kind == "S":
        return pa.array(np.char.decode(values, "utf-8", "backslashreplace").astype(object), pa.string())
    if values.dtype.kind == "U":
        return pa.array(values.astype(object), pa.string())
    native = values.astype(values.dtype.newbyteorder("="), copy=False)
    if native.dtype == np.float16 or native.dtype.itemsize > np.dtype(np.float64).itemsize:
        native = native.astype(np.float64)
    return pa.array(np.ascontiguousarray(native))
