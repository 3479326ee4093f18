"""Tables in numpy's .npz archives: ``X`` (or the pieces of a sparse matrix), ``y`` and optional ``feature_names``."""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.messages import one_line, quoted
from bitsieve.files.errors import DataError, check_names

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

    from numpy.typing import NDArray

SPARSE_PIECES = ("data", "indices", "indptr", "shape")
MAX_DENSE_BYTES = 2 << 30


@dataclass(frozen=True)
class ArrayTable:
    """A table of arrays.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    names : list of str
        One name a column; ``x0, x1, ...`` where the file has none.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    names: list[str]


def read_npz(path: Path) -> ArrayTable:
    """Read ``X`` and ``y`` as they are stored; sparse pieces become a dense ``X`` of at most 2 GiB."""
    with open(path, "rb") as file, _opened(file, path) as archive:
        stored = archive.files
        if not stored:
            raise DataError(f"{str(path)!r} is a zip archive without arrays: .npz, Parquet, Arrow or CSV is read")
        sparse = all(piece in stored for piece in SPARSE_PIECES)
        for name in () if sparse else ("X",):
            if name not in stored:
                raise DataError(f"{str(path)!r} has no array 'X', only {quoted(stored)}: store X and y")
        if "y" not in stored:
            raise DataError(f"{str(path)!r} has no array 'y', only {quoted(stored)}: store X and y")
        y = _array(archive, "y", path)
        X = _array(archive, "X", path) if "X" in stored else _dense(archive, path)
        names = _array(archive, "feature_names", path) if "feature_names" in stored else None
    if X.ndim != 2:
        raise DataError(f"X of {str(path)!r} has shape {X.shape}: it must be samples x features")
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise DataError(f"y of {str(path)!r} has shape {y.shape}: it must be one value a sample")
    if len(X) != len(y):
        raise DataError(f"X of {str(path)!r} has {len(X):,} rows but y has {len(y):,} values: they must be as many")
    if len(X) == 0:
        raise DataError(f"{str(path)!r} has no rows: nothing to select from")
    if X.shape[1] == 0:
        raise DataError(f"X of {str(path)!r} has no columns: nothing to select from")
    return ArrayTable(X, y, _names(names, X.shape[1], path))


def _opened(file: IO[bytes], path: Path) -> np.lib.npyio.NpzFile:
    try:
        archive: np.lib.npyio.NpzFile = np.load(file, allow_pickle=False)
        return archive
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"cannot read {str(path)!r} as .npz: {one_line(error)}") from None


def _array(archive: np.lib.npyio.NpzFile, name: str, path: Path) -> NDArray[Any]:
    try:
        array = archive[name]
    except ValueError as error:
        if "pickle" not in str(error):
            raise DataError(f"cannot read array {name!r} of {str(path)!r}: {one_line(error)}") from None
        raise DataError(
            f"array {name!r} of {str(path)!r} holds Python objects, which are not read: store numbers or strings"
        ) from None
    except (OSError, EOFError, KeyError, zlib.error, zipfile.BadZipFile) as error:
        raise DataError(f"cannot read array {name!r} of {str(path)!r}: {one_line(error)}") from None
    if not isinstance(array, np.ndarray):
        raise DataError(f"{name!r} of {str(path)!r} is not an array: store X and y with numpy.savez")
    if array.dtype.kind not in "biufUSMm":
        raise DataError(f"array {name!r} of {str(path)!r} has type {array.dtype}: store numbers or strings")
    return array


def _dense(archive: np.lib.npyio.NpzFile, path: Path) -> NDArray[Any]:
    from scipy import sparse

    layout = "csr"
    if "format" in archive.files:  # as scipy.sparse.save_npz writes it
        stored = archive["format"].item()
        layout = stored.decode() if isinstance(stored, bytes) else str(stored)
    if layout not in ("csr", "csc"):
        raise DataError(f"the sparse X of {str(path)!r} is stored as {layout!r}: store it as 'csr' or 'csc'")
    data, indices, indptr, shape = (_array(archive, piece, path) for piece in SPARSE_PIECES)
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or (shape.astype(np.int64) < 0).any():
        raise DataError(f"shape of the sparse X of {str(path)!r} is {shape.tolist()}: it must be two counts")
    n_samples, n_features = (int(size) for size in shape)
    size = n_samples * n_features * data.dtype.itemsize
    if size > MAX_DENSE_BYTES:
        raise DataError(
            f"the sparse X of {str(path)!r}, {n_samples:,} x {n_features:,} of {data.dtype}, takes "
            f"{size / 2**30:,.1f} GiB when dense, above the limit of 2 GiB: keep fewer columns or rows"
        )
    kind = sparse.csr_matrix if layout == "csr" else sparse.csc_matrix
    try:
        # int64 first: indices stored in a byte or two would wrap in scipy's checks
        matrix = kind((data, indices.astype(np.int64), indptr.astype(np.int64)), shape=(n_samples, n_features))
        matrix.check_format(full_check=True)
    except (ValueError, IndexError, TypeError) as error:
        raise DataError(f"the sparse X of {str(path)!r} is broken: {one_line(error)}") from None
    return np.asarray(matrix.toarray())


def _names(stored: NDArray[Any] | None, n_features: int, path: Path) -> list[str]:
    if stored is None:
        return [f"x{j}" for j in range(n_features)]
    if stored.shape != (n_features,):
        raise DataError(
            f"feature_names of {str(path)!r} has shape {stored.shape} but X has {n_features:,} columns: "
            f"store one name a column"
        )
    names = [name.decode() if isinstance(name, bytes) else str(name) for name in stored.tolist()]
    check_names(names, path)
    return names
