"""Files of AnnData (.h5ad), read by h5py: a matrix of cells by genes, its layers, and annotations of the cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bitsieve.io.annotated import AnnotatedMatrix
from bitsieve.io.errors import DataError, check_unchanged, in_one_line
from bitsieve.io.npz import ArrayFile
from bitsieve.io.spool import SpoolAllocator, map_array
from bitsieve.io.spooled_columns import VALUE_BYTES, SpooledColumns, SpooledRows, block_edges
from bitsieve.utils.arrays import Flags, Integers, Values
from bitsieve.utils.memory import check_room
from bitsieve.utils.messages import quoted
from bitsieve.utils.progress import phase
from bitsieve.utils.types import TableLike

SPARSE_TYPES = ("csr_matrix", "csc_matrix")
VALUES_AT_ONCE = 1 << 20  # of a sparse matrix that is read into memory
BYTES_OF_VALUE = 32  # of memory for a value of such a matrix: the value itself, and its codes by column and by row
_ROW = "row"  # names of files in the spool
_VALUE = "value"


class H5adFile(ArrayFile):
    """A file of AnnData. Its columns are those of ``X``, or of a layer: ``cells.h5ad/counts``."""

    refusal = (
        "an .h5ad file, which is read in batches by select and fit alone: give it without a limit of memory and a "
        "spool, or write its rows as Parquet"
    )

    def read(self) -> AnnotatedMatrix:
        return self._read(lambda stored: _matrix(stored, self.label))

    def read_into_files(self, memory: int, parent: Path | None) -> AnnotatedMatrix:
        """Read a sparse matrix in batches, and put its columns into files in a folder that ends with the process.

        About ``memory`` bytes are used at once.
        """
        matrix = self._read(lambda stored: _matrix_in_files(stored, self.label, memory, SpoolAllocator(parent)))
        check_unchanged(self.label, self.initial_state, self.state())
        return matrix

    def _read(self, read_matrix: Callable[[Any], TableLike]) -> AnnotatedMatrix:
        """Read the annotations, and the stored matrix by ``read_matrix``."""
        with in_one_line(f"cannot read {self.label} as .h5ad"), _opened(self.path, self.label) as file:
            for name in ("obs", "var"):
                if name not in file:
                    raise DataError(
                        code="not-a-table",
                        message=f"{self.label} is an HDF5 file, but not one of AnnData: it has no {name!r}",
                        advice="save the table as .h5ad, Parquet or CSV",
                    )
            X = read_matrix(_layer(file, self.file.table, self.label))
            names = _as_array(_index(file["var"])).to_pylist()
            annotations = _annotations(file["obs"], self.label)
        if X.shape != (annotations.num_rows, len(names)):
            raise DataError(
                code="wrong-shape",
                message=f"X of {self.label} has shape {X.shape}, but obs and var {(annotations.num_rows, len(names))}",
                advice="write the file again",
            )
        if not X.shape[0] or not X.shape[1]:
            raise DataError(
                code="empty-data",
                message=f"{self.label} has no cells or no genes",
                advice="nothing to select from",
            )
        return AnnotatedMatrix(X, [str(name) for name in names], annotations)


def _opened(path: Path, label: str) -> Any:
    try:
        import h5py
    except ImportError:
        raise DataError(
            code="package-missing",
            message=f"{label} is an HDF5 file, which is read by h5py",
            advice="pip install 'bitsieve[formats]'",
        ) from None
    return h5py.File(path, "r")


def _is_group(stored: object) -> bool:
    """Whether a stored object is a group of named arrays, and not an array."""
    import h5py

    return isinstance(stored, h5py.Group)


def _layer(file: Any, layer: str | None, label: str) -> Any:
    """``X``, or the layer of this name."""
    layers = list(file["layers"]) if "layers" in file else []
    if layer is not None:
        if layer not in layers:
            raise DataError(
                code="table-not-named",
                message=f"{label} has no such layer",
                advice=f"name one of {quoted(layers)}" if layers else "it has X alone: give the path of the file",
            )
        return file["layers"][layer]
    if "X" not in file:
        raise DataError(
            code="table-not-named",
            message=f"{label} has no X",
            advice=f"name one of its layers {quoted(layers)} behind the path, as FILE/LAYER",
        )
    return file["X"]


def _matrix(stored: Any, label: str) -> Any:
    """A matrix in memory: a dense one as it is stored, a sparse one as compressed columns."""
    if not _is_group(stored):
        return stored[()]
    matrix = StoredMatrix.of_group(stored, label)
    what = f"a selection from the {matrix.n_values:,} values of {label} takes about"
    check_room(BYTES_OF_VALUE * matrix.n_values, what, "give memory, such as memory='2GB', to read it in batches")
    if matrix.has_rows:
        return _columns_of_rows(matrix)
    return _stored_columns(matrix)


def _stored_columns(matrix: StoredMatrix) -> Any:
    """The columns that are stored."""
    from scipy import sparse

    parts = (matrix.group["data"][()], matrix.group["indices"][()], matrix.indptr)
    columns = sparse.csc_array(parts, shape=matrix.shape)
    columns.check_format(full_check=True)
    return columns


def _columns_of_rows(matrix: StoredMatrix) -> Any:
    """The columns of a matrix that is stored by rows, which are read in batches, twice."""
    from scipy import sparse

    n_rows, n_columns = matrix.shape
    report_progress = phase("reading")
    lengths = np.zeros(n_columns, np.int64)
    for batch in matrix.batches(VALUES_AT_ONCE):
        lengths += np.bincount(batch.indices, minlength=n_columns)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    row = np.empty(int(indptr[-1]), np.int32)
    value = np.empty(len(row), matrix.group["data"].dtype)

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
    return sparse.csc_array((value, row, indptr), shape=matrix.shape)


def _matrix_in_files(stored: Any, label: str, memory: int, allocate: SpoolAllocator) -> SpooledColumns:
    """The columns of a sparse matrix in files of a spool, without zeros."""
    if not _is_group(stored):
        raise DataError(
            code="cannot-read",
            message=f"the matrix of {label} is dense, and only sparse ones are read in batches",
            advice="leave out memory and spool, or write its rows as Parquet",
        )
    matrix = StoredMatrix.of_group(stored, label)
    values_at_once = max(1, memory // 4 // VALUE_BYTES)
    if not matrix.has_rows:
        return _spooled_columns(matrix, values_at_once, allocate)
    rows = SpooledRows(allocate.spool)
    report_progress = phase("reading")
    for batch in matrix.batches(values_at_once):
        batch.sum_duplicates()
        rows.add(batch.astype(np.float64))
        report_progress(rows.n_rows, matrix.shape[0])
    rows.widen(matrix.shape[1])
    indptr, row, value = rows.by_column(0, values_at_once, lambda _, size, kind: allocate(size, kind))
    return SpooledColumns(matrix.shape, indptr, np.asarray(row), np.asarray(value), allocate)


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
    row = map_array(spool.folder / _ROW, np.int32, n_values)
    value = map_array(spool.folder / _VALUE, np.float64, n_values)
    return SpooledColumns(matrix.shape, indptr, row, value, allocate)


@dataclass(frozen=True)
class StoredMatrix:
    """A sparse matrix of an open file, which is stored by rows or by columns."""

    group: Any  # with the arrays ``data`` and ``indices``
    shape: tuple[int, int]
    has_rows: bool  # whether it is stored by rows
    indptr: Integers  # where the values of each row, or column, begin, and where the last one ends

    @property
    def n_values(self) -> int:
        """How many values are stored."""
        return int(self.indptr[-1])

    @classmethod
    def of_group(cls, group: Any, label: str) -> StoredMatrix:
        """The matrix that AnnData has stored as a group of arrays."""
        kind = str(group.attrs.get("encoding-type", ""))
        if kind not in SPARSE_TYPES:
            raise DataError(
                code="cannot-read",
                message=f"the matrix of {label} is stored as {kind!r}",
                advice=f"store it as an array, or as one of {quoted(list(SPARSE_TYPES))}",
            )
        n_rows, n_columns = (int(size) for size in group.attrs["shape"])
        has_rows = kind == "csr_matrix"
        indptr = group["indptr"][()].astype(np.int64)
        n_values = len(group["data"])
        is_broken = (
            len(indptr) != (n_rows if has_rows else n_columns) + 1
            or indptr[0] != 0
            or indptr[-1] != n_values
            or len(group["indices"]) != n_values
            or (np.diff(indptr) < 0).any()
        )
        if is_broken:
            raise DataError(
                code="cannot-read",
                message=f"the sparse matrix of {label} is broken: its parts are not of one length",
                advice="write the file again",
            )
        return cls(group, (n_rows, n_columns), has_rows, indptr)

    def batches(self, values_at_once: int) -> Iterator[Any]:
        """Yield the rows in batches of about so many values, as CSR; of a matrix by columns its columns, as rows."""
        from scipy import sparse

        width = self.shape[1] if self.has_rows else self.shape[0]
        for first, end in pairwise(block_edges(self.indptr, values_at_once).tolist()):
            start = int(self.indptr[first])
            stop = int(self.indptr[end])
            parts = (
                self.group["data"][start:stop],
                self.group["indices"][start:stop],
                self.indptr[first : end + 1] - start,
            )
            batch = sparse.csr_array(parts, shape=(end - first, width))
            batch.check_format(full_check=True)
            yield batch


def _index(frame: Any) -> Any:
    """The names of the rows of a stored table."""
    return frame[frame.attrs["_index"]]


def _annotations(obs: Any, label: str) -> pa.Table:
    """The columns of the annotations of the cells, without their index."""
    if not _is_group(obs):
        raise DataError(
            code="cannot-read",
            message=f"{label} was written by an AnnData of before 2020",
            advice="read and write it with a newer one",
        )
    columns = {str(name): _as_array(obs[name]) for name in obs.attrs["column-order"]}
    if not columns:
        n_rows = _index(obs).shape[0]
        return pa.table({"": pa.nulls(n_rows)}).select([])
    return pa.table(columns)


def _as_array(stored: Any) -> pa.Array:
    """A stored column: values, categories by their codes, or values with a mask of those that are missing."""
    if not _is_group(stored):
        return pa.array(_values(stored), from_pandas=True)
    parts: Mapping[str, Any] = stored
    if "categories" in parts:
        codes: Values = parts["codes"][()]
        categories = pa.array(_values(parts["categories"]))
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), categories)
    is_missing: Flags = parts["mask"][()]
    return pa.array(_values(parts["values"]), mask=is_missing)


def _values(stored: Any) -> Values:
    """Numbers, or text as objects."""
    if stored.dtype.kind in "OS":
        return np.asarray(stored.asstr()[()], object)
    return np.asarray(stored[()])
