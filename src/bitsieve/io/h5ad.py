"""Files of AnnData (.h5ad), read by h5py: a matrix of cells by genes, its layers, and annotations of the cells."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from bitsieve.io.annotated import AnnotatedMatrix
from bitsieve.io.column_file import ColumnFile, InputFile, Partition, sliced
from bitsieve.io.errors import DataError, check_unchanged, check_width, in_one_line
from bitsieve.io.hdf5 import NUMERIC_KINDS, ContentLimit, StoredArray, StoredGroup, open_hdf5
from bitsieve.io.npz import ArrayFile
from bitsieve.io.process import run_in_process
from bitsieve.io.spool import SpoolAllocator, map_array
from bitsieve.io.spooled_columns import VALUE_BYTES, SpooledColumns, SpooledRows, block_edges
from bitsieve.utils.arrays import Flags, Integers, Values
from bitsieve.utils.memory import check_room
from bitsieve.utils.messages import quoted
from bitsieve.utils.progress import phase
from bitsieve.utils.types import TableLike

SPARSE_TYPES = ("csr_matrix", "csc_matrix")
VALUES_AT_ONCE = 1 << 20  # of a sparse matrix that is read into memory
BYTES_OF_VALUE = 20  # of memory for a value of such a matrix: the value, its row, and its codes by column and by row
CATEGORIES_BEFORE_2020 = "__categories"  # a group beside the columns, which are codes
MIN_SECONDS = 60.0  # that the walk over a file may take
BYTES_PER_SECOND = 10e6  # of a file that may take longer than MIN_SECONDS
_ROW = "row"  # names of files in the spool
_VALUE = "value"
Matrix = TypeVar("Matrix")


class H5adFile(ArrayFile):
    """A file of AnnData. Its columns are those of ``X``, or of a layer: ``cells.h5ad/counts``."""

    refusal = (
        "an .h5ad file, which is no file of columns: give one to select, explain, compare or apply, without a limit of "
        "memory and a spool, join several by anndata.concat, or write the rows as Parquet"
    )

    def read(self) -> AnnotatedMatrix:
        return self._read(_matrix)

    def read_into_files(self, memory: int, parent: Path | None) -> AnnotatedMatrix:
        """Read a sparse matrix in batches, and put its columns into files in a folder that ends with the process.

        About ``memory`` bytes are used at once.
        """
        matrix = self._read(lambda stored: _matrix_in_files(stored, memory, SpoolAllocator(parent)))
        check_unchanged(self.label, self.initial_state, self.state())
        return matrix

    def _read(self, read_matrix: Callable[[StoredArray | StoredMatrix], TableLike]) -> AnnotatedMatrix:
        """Read the annotations, and the stored matrix by ``read_matrix``, once a walk over the file has ended."""
        with in_one_line(f"cannot read {self.label} as .h5ad"):
            seconds = max(MIN_SECONDS, self.path.stat().st_size / BYTES_PER_SECOND)
            arguments = [os.fspath(self.path), self.file.table or ""]
            run_in_process("bitsieve.io.h5ad", arguments, seconds, "as HDF5 does where a file is damaged")
            X, names, annotations = self.read_parts(read_matrix)
        return AnnotatedMatrix(X, names, annotations)

    def read_parts(
        self, read_matrix: Callable[[StoredArray | StoredMatrix], Matrix]
    ) -> tuple[Matrix, list[str], pa.Table]:
        """Read the stored matrix by ``read_matrix``, the names of its columns, and the annotations of its rows."""
        with open_hdf5(self.path, self.label) as opened:
            file = StoredGroup(opened, ContentLimit(self.path, self.label))
            for name in ("obs", "var"):
                if name not in file.names():
                    raise DataError(
                        code="not-a-table",
                        message=f"{self.label} is an HDF5 file, but not one of AnnData: it has no {name!r}",
                        advice="save the table as .h5ad, Parquet or CSV",
                    )
            obs = _frame(file, "obs")
            var = _frame(file, "var")
            stored = _layer(file, self.file.table)
            _check_shape(stored.shape, (_n_rows(obs), _n_rows(var)), self.label)
            if isinstance(stored, StoredMatrix):
                check_width(stored.shape[1], stored.n_values, self.label)
            annotations = _annotations(obs)
            names = [str(name) for name in _as_array(_index(var)).to_pylist()]
            return read_matrix(stored), names, annotations


class AnnotatedColumns(ColumnFile):
    """The annotations and the genes of a file of AnnData as columns. Its matrix is in memory; genes become dense."""

    def __init__(self, file: H5adFile) -> None:
        super().__init__(file.file, file.diagnostics)
        self.matrix = file.read()

    @property
    def names(self) -> Sequence[str]:
        return self.matrix.labels

    @property
    def types(self) -> Mapping[str, pa.DataType]:
        types = dict.fromkeys(self.names, pa.from_numpy_dtype(self.matrix.X.dtype))
        for annotation in self.matrix.annotations.schema:
            types[annotation.name] = annotation.type
        return types

    @property
    def n_rows(self) -> int:
        return self.matrix.n_samples

    def partitions(self, *, in_one_block: bool) -> Sequence[Partition]:
        return [AnnotatedRows(self.matrix)]


@dataclass(frozen=True)
class AnnotatedRows:
    """The rows of an annotated matrix."""

    matrix: AnnotatedMatrix

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        table = self.matrix.table(self.matrix.labels if columns is None else columns)
        yield from sliced(table, rows)


def main(path: str, table: str) -> None:
    """Walk over a file, in a process that can be ended: where the file is damaged, HDF5 may read a text for ever.

    All that :meth:`H5adFile.read` reads is read, but for the values of the matrix. An error has no effect: reading the
    file meets it again.
    """
    file = H5adFile(InputFile.of_path(Path(path), table=table or None), [])
    with suppress(Exception):
        file.read_parts(_walk_over_matrix)


def _walk_over_matrix(stored: StoredArray | StoredMatrix) -> None:
    """Let HDF5 find all chunks of a matrix, without their values."""
    arrays = [stored] if isinstance(stored, StoredArray) else [stored.data, stored.indices]
    for array in arrays:
        array.find_chunks()


def _check_shape(shape: tuple[int, ...], annotated: tuple[int, int], label: str) -> None:
    """Refuse a matrix whose shape is not that of its annotations, and one that is empty."""
    if shape != annotated:
        raise DataError(
            code="wrong-shape",
            message=f"X of {label} has shape {shape}, but obs and var {annotated}",
            advice="write the file again",
        )
    if 0 in shape:
        raise DataError(
            code="empty-data",
            message=f"{label} has no cells or no genes",
            advice="nothing to select from",
        )


def _layer(file: StoredGroup, layer: str | None) -> StoredArray | StoredMatrix:
    """``X``, or the layer of this name."""
    label = file.limit.label
    layers = file.subgroup("layers") if "layers" in file.names() else None
    names = [] if layers is None else layers.names()
    if layer is None:
        if "X" not in file.names():
            raise DataError(
                code="table-not-named",
                message=f"{label} has no X",
                advice=f"name one of its layers {quoted(names)} behind the path, as FILE/LAYER",
            )
        return _stored_matrix(file.member("X"))
    if layers is None or layer not in names:
        raise DataError(
            code="table-not-named",
            message=f"{label} has no such layer",
            advice=f"name one of {quoted(names)}" if names else "it has X alone: give the path of the file",
        )
    return _stored_matrix(layers.member(layer))


def _stored_matrix(stored: StoredArray | StoredGroup) -> StoredArray | StoredMatrix:
    """A dense matrix, or the sparse one of a group."""
    if isinstance(stored, StoredGroup):
        return StoredMatrix.of_group(stored)
    if stored.is_text:
        raise DataError(
            code="cannot-read",
            message=f"the matrix of {stored.limit.label} holds text",
            advice="store numbers",
        )
    return stored


def _matrix(stored: StoredArray | StoredMatrix) -> Any:
    """A matrix in memory: a dense one as it is stored, a sparse one as compressed columns."""
    if isinstance(stored, StoredArray):
        return stored.read()
    what = f"a selection from the {stored.n_values:,} values of {stored.label} takes about"
    check_room(BYTES_OF_VALUE * stored.n_values, what, "give memory, such as memory='2GB', to read it in batches")
    if stored.has_rows:
        return _columns_of_rows(stored)
    return _stored_columns(stored)


def _stored_columns(matrix: StoredMatrix) -> Any:
    """The columns that are stored."""
    value = matrix.data.part(0, matrix.n_values)
    row = matrix.indices.part(0, matrix.n_values)
    columns = _compressed_columns(value, row, matrix.indptr, matrix.shape)
    columns.check_format(full_check=True)
    return columns


def _compressed_columns(value: Values, row: Values, indptr: Integers, shape: tuple[int, int]) -> Any:
    """Compressed columns of scipy, which has one type for both ``row`` and ``indptr``: 32 bits where these suffice."""
    from scipy import sparse

    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    return sparse.csc_array((value, row, indptr), shape=shape)


def _columns_of_rows(matrix: StoredMatrix) -> Any:
    """The columns of a matrix that is stored by rows, which are read in batches, twice."""
    n_rows, n_columns = matrix.shape
    report_progress = phase("reading")
    lengths = np.zeros(n_columns, np.int64)
    for batch in matrix.batches(VALUES_AT_ONCE):
        lengths += np.bincount(batch.indices, minlength=n_columns)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    row = np.empty(int(indptr[-1]), np.int32)
    value = np.empty(len(row), matrix.data.dtype)

    next_index = indptr[:-1].copy()  # where the next value of each column goes
    first_row = 0
    for batch in matrix.batches(VALUES_AT_ONCE):
        columns = batch.tocsc()
        lengths_in_batch = np.diff(columns.indptr)
        index = np.repeat(next_index - columns.indptr[:-1], lengths_in_batch) + np.arange(len(columns.indices))
        row[index] = columns.indices + first_row
        value[index] = columns.data
        next_index += lengths_in_batch
        first_row += batch.shape[0]
        report_progress(first_row, n_rows)
    return _compressed_columns(value, row, indptr, matrix.shape)


def _matrix_in_files(stored: StoredArray | StoredMatrix, memory: int, allocate: SpoolAllocator) -> SpooledColumns:
    """The columns of a sparse matrix in files of a spool, without zeros."""
    if isinstance(stored, StoredArray):
        raise DataError(
            code="cannot-read",
            message=f"the matrix of {stored.limit.label} is dense, and only sparse ones are read in batches",
            advice="leave out memory and spool, or write its rows as Parquet",
        )
    values_at_once = max(1, memory // 4 // VALUE_BYTES)
    if not stored.has_rows:
        return _spooled_columns(stored, values_at_once, allocate)
    rows = SpooledRows(allocate.spool)
    report_progress = phase("reading")
    for batch in stored.batches(values_at_once):
        batch.sum_duplicates()
        rows.add(batch.astype(np.float64))
        report_progress(rows.n_rows, stored.shape[0])
    rows.widen(stored.shape[1])
    indptr, row, value = rows.by_column(0, values_at_once, lambda _, size, kind: allocate(size, kind))
    return SpooledColumns(stored.shape, indptr, np.asarray(row), np.asarray(value), allocate)


def _spooled_columns(matrix: StoredMatrix, values_at_once: int, allocate: SpoolAllocator) -> SpooledColumns:
    """The columns of a matrix that is stored by columns."""
    spool = allocate.spool
    lengths = []
    report_progress = phase("reading")
    n_columns = 0
    for batch in matrix.batches(values_at_once):
        batch.sum_duplicates()
        batch.eliminate_zeros()
        spool.append(_ROW, batch.indices.astype(np.int32))
        spool.append(_VALUE, batch.data.astype(np.float64))
        lengths.append(np.diff(batch.indptr).astype(np.int64))
        n_columns += batch.shape[0]
        report_progress(n_columns, matrix.shape[1])
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    n_values = int(indptr[-1])
    row = map_array(spool.folder / _ROW, n_values, np.int32)
    value = map_array(spool.folder / _VALUE, n_values, np.float64)
    return SpooledColumns(matrix.shape, indptr, row, value, allocate)


@dataclass(frozen=True)
class StoredMatrix:
    """A sparse matrix of an open file, which is stored by rows or by columns."""

    data: StoredArray
    indices: StoredArray  # the column of each value of a row, or the row of each value of a column
    indptr: Integers  # where the values of each row, or column, begin, and where the last one ends
    shape: tuple[int, int]
    has_rows: bool  # whether it is stored by rows

    @property
    def n_values(self) -> int:
        """How many values are stored."""
        return int(self.indptr[-1])

    @property
    def label(self) -> str:
        """The file as it is named to the user."""
        return self.data.limit.label

    @classmethod
    def of_group(cls, group: StoredGroup) -> StoredMatrix:
        """The matrix that AnnData has stored as a group of arrays."""
        label = group.limit.label
        kind = group.text_attribute("encoding-type")
        if kind not in SPARSE_TYPES:
            raise DataError(
                code="cannot-read",
                message=f"the matrix of {label} is stored as {quoted([kind])}",
                advice=f"store it as an array, or as one of {quoted(list(SPARSE_TYPES))}",
            )
        shape = group.sizes_attribute("shape")
        has_rows = kind == "csr_matrix"
        data = group.array("data")
        indices = group.array("indices")
        stored_indptr = group.array("indptr")
        n_pointers = shape[0 if has_rows else 1] + 1
        has_lengths = data.shape == indices.shape and len(data.shape) == 1 and stored_indptr.shape == (n_pointers,)
        has_kinds = data.kind in NUMERIC_KINDS and indices.kind in "iu" and stored_indptr.kind in "iu"
        if not has_lengths or not has_kinds or n_pointers < 1:
            raise _broken_matrix(label, "its parts are not of one length, or not of numbers")
        data.limit.add(data.n_bytes + indices.n_bytes)
        indptr = stored_indptr.read().astype(np.int64)
        if indptr[0] != 0 or indptr[-1] != data.shape[0] or (indptr[1:] < indptr[:-1]).any():
            raise _broken_matrix(label, "its indptr does not rise from 0 to the number of values")
        return cls(data, indices, indptr, shape, has_rows)

    def batches(self, values_at_once: int) -> Iterator[Any]:
        """Yield the rows in batches of about so many values, as CSR; of a matrix by columns its columns, as rows."""
        from scipy import sparse

        width = self.shape[1] if self.has_rows else self.shape[0]
        for first, end in pairwise(block_edges(self.indptr, values_at_once).tolist()):
            start = int(self.indptr[first])
            stop = int(self.indptr[end])
            parts = (
                self.data.part(start, stop),
                self.indices.part(start, stop),
                self.indptr[first : end + 1] - start,
            )
            batch = sparse.csr_array(parts, shape=(end - first, width))
            batch.check_format(full_check=True)
            yield batch


def _broken_matrix(label: str, problem: str) -> DataError:
    return DataError(
        code="cannot-read",
        message=f"the sparse matrix of {label} is broken: {problem}",
        advice="write the file again",
    )


def _frame(file: StoredGroup, name: str) -> StoredGroup:
    """The stored table of annotations of cells (obs) or genes (var)."""
    frame = file.member(name)
    if not isinstance(frame, StoredGroup):
        raise DataError(
            code="cannot-read",
            message=f"{file.limit.label} was written by an AnnData of before 2020",
            advice="read and write it with a newer one",
        )
    return frame


def _index(frame: StoredGroup) -> StoredArray | StoredGroup:
    """The names of the rows of a stored table."""
    return frame.member(frame.text_attribute("_index"))


def _n_rows(frame: StoredGroup) -> int:
    """The number of rows of a stored table."""
    index = _index(frame)
    values = index if isinstance(index, StoredArray) else _values_of_group(index)
    if len(values.shape) != 1:
        raise DataError(
            code="wrong-shape",
            message=f"the index of a table of {frame.limit.label} has shape {values.shape}",
            advice="write the file again",
        )
    values.limit.add(values.n_bytes)  # also where the names are not read: as many rows take memory elsewhere
    return values.shape[0]


def _annotations(obs: StoredGroup) -> pa.Table:
    """The columns of the annotations of the cells, without their index, by name.

    Their order, ``column-order``, is not read: HDF5 would unpack all texts of an attribute at once.
    """
    index_name = obs.text_attribute("_index")
    names = sorted(set(obs.names()) - {index_name, CATEGORIES_BEFORE_2020})
    columns = {name: _as_array(obs.member(name)) for name in names}
    if not columns:
        return pa.table({"": pa.nulls(_n_rows(obs))}).select([])
    return pa.table(columns)


def _as_array(stored: StoredArray | StoredGroup) -> pa.Array:
    """A stored column: values, categories by their codes, or values with a mask of those that are missing."""
    if isinstance(stored, StoredArray):
        return pa.array(stored.read(), from_pandas=True)
    values = _values_of_group(stored).read()
    if "categories" in stored.names():
        categories = pa.array(stored.array("categories").read())
        return pa.DictionaryArray.from_arrays(pa.array(values, mask=values < 0), categories)
    is_missing: Flags = stored.array("mask").read()
    return pa.array(values, mask=is_missing)


def _values_of_group(stored: StoredGroup) -> StoredArray:
    """The codes of a column of categories, or the values of a column with a mask."""
    return stored.array("codes" if "categories" in stored.names() else "values")
