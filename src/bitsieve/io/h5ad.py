"""Files of AnnData (.h5ad), read by h5py: a matrix of cells by genes, its layers, and annotations of the cells."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bitsieve.io.annotated import AnnotatedMatrix
from bitsieve.io.errors import DataError, in_one_line
from bitsieve.io.npz import ArrayFile
from bitsieve.utils.arrays import Flags, Values
from bitsieve.utils.messages import quoted

SPARSE_TYPES = ("csr_matrix", "csc_matrix")


class H5adFile(ArrayFile):
    """A file of AnnData. Its columns are those of ``X``, or of a layer: ``cells.h5ad/counts``."""

    refusal = (
        "an .h5ad file, which is not read in batches: give it without a limit of memory and a spool, or write its rows "
        "as Parquet"
    )

    def read(self) -> AnnotatedMatrix:
        with in_one_line(f"cannot read {self.label} as .h5ad"), _opened(self.path, self.label) as file:
            for name in ("obs", "var"):
                if name not in file:
                    raise DataError(
                        code="not-a-table",
                        message=f"{self.label} is an HDF5 file, but not one of AnnData: it has no {name!r}",
                        advice="save the table as .h5ad, Parquet or CSV",
                    )
            X = _matrix(_layer(file, self.file.table, self.label), self.label)
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
    """A matrix as it is stored: dense, or as compressed rows or columns."""
    if not _is_group(stored):
        return stored[()]
    from scipy import sparse

    kind = str(stored.attrs.get("encoding-type", ""))
    if kind not in SPARSE_TYPES:
        raise DataError(
            code="cannot-read",
            message=f"the matrix of {label} is stored as {kind!r}",
            advice=f"store it as an array, or as one of {quoted(list(SPARSE_TYPES))}",
        )
    make = sparse.csr_array if kind == "csr_matrix" else sparse.csc_array
    shape = tuple(int(size) for size in stored.attrs["shape"])
    matrix = make((stored["data"][()], stored["indices"][()], stored["indptr"][()]), shape=shape)
    matrix.check_format(full_check=True)
    return matrix


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
