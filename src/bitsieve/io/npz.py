"""Tables in .npz archives: ``X`` or the arrays of a sparse matrix, and perhaps ``y`` and ``feature_names``."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO, Any, ClassVar

import numpy as np

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.annotated import AnnotatedMatrix
from bitsieve.io.column_file import InputFile
from bitsieve.io.errors import DataError, FileState, check_names, check_width, in_one_line
from bitsieve.utils.arrays import Values
from bitsieve.utils.column_names import NumberedNames
from bitsieve.utils.memory import available_bytes
from bitsieve.utils.messages import quoted
from bitsieve.utils.types import TableLike

SPARSE_MEMBERS = ("data", "indices", "indptr", "shape")
MEMBERS_OF_OTHER_FORMATS = ("data", "format", "shape")  # that scipy stores, such as of "coo", which are refused
#: The functions that read the header of an array, by the version of the format
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
READABLE_KINDS = "biufUSMm"  # of numpy's types: numbers, truth values, text, times


@dataclass(frozen=True, eq=False)
class ArrayTable:
    """A table of arrays."""

    X: TableLike  # ndarray, csr_array or csc_array of shape (n_samples, n_features)
    y: Values | None  # shape (n_samples,); None where the file has none
    names: Sequence[str]  # one for each column; ``x0, x1, ...`` where the file has none

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of ``X``."""
        n_samples, n_features = self.X.shape
        return int(n_samples), int(n_features)

    def column(self, name: str) -> Values:
        """One column of ``X``, dense."""
        column = self.X[:, [self.names.index(name)]]
        if not isinstance(column, np.ndarray):
            column = column.toarray()
        return np.asarray(column[:, 0])


class ArrayFile(ABC):
    """A file of arrays, which are read at once. ``diagnostics`` are what was noticed in it."""

    refusal: ClassVar[str]  # the message where a file of columns is needed: what the file is and what to do

    def __init__(self, file: InputFile, diagnostics: list[Diagnostic], kind: str = "") -> None:
        self.file = file  # its copies exist as long as this object
        self.path = file.path
        self.label = file.label
        self.diagnostics = diagnostics
        self.initial_state = file.initial_state

    def state(self) -> list[FileState]:
        """The state of the file; see :func:`file_state`."""
        return self.file.state()

    @abstractmethod
    def read(self) -> ArrayTable | AnnotatedMatrix:
        """Read all rows."""


class NpzFile(ArrayFile):
    """An archive of numpy."""

    refusal = (
        "an .npz file, which is not read in batches: give it without a limit of memory and a spool, or write it as "
        "Parquet"
    )

    def read(self) -> ArrayTable:
        return read_npz(self.path, self.label)


def read_npz(path: Path, label: str, *, with_names: bool = True) -> ArrayTable:
    """Read ``X`` as it is stored, dense or sparse, and ``y`` and ``feature_names`` if they are there."""
    with open(path, "rb") as file, _opened(file, label) as archive:
        members = archive.files
        file_names = [] if archive.zip is None else archive.zip.namelist()
        if not any(name.endswith(".npy") for name in file_names):
            raise DataError(
                code="cannot-read",
                message=f"{label} is a zip archive without arrays",
                advice=".npz, Parquet, Arrow or CSV is read",
            )
        y = _array(archive, "y", label) if "y" in members else None
        if "X" in members:
            X = _array(archive, "X", label)
        elif _is_sparse(members):
            X = _sparse(archive, label)
        else:
            raise DataError(
                code="cannot-read",
                message=f"{label} has no array 'X', only {quoted(members)}",
                advice="store X and y",
            )
        names = None
        if with_names and "feature_names" in members:
            names = _array(archive, "feature_names", label)
    if X.ndim != 2:
        raise DataError(
            code="wrong-shape",
            message=f"X of {label} has shape {X.shape}",
            advice="it must be samples x features",
        )
    if y is not None:
        y = _one_value_a_sample(y, X.shape, label)
    n_samples, n_features = X.shape
    if not n_samples:
        raise DataError(
            code="empty-data",
            message=f"{label} has no rows",
            advice="nothing to select from",
        )
    if not n_features:
        raise DataError(
            code="empty-data",
            message=f"X of {label} has no columns",
            advice="nothing to select from",
        )
    return ArrayTable(X, y, _names(names, n_features, label))


def _is_sparse(members: Sequence[str]) -> bool:
    """Whether an archive holds a sparse matrix, in any format of scipy."""
    return all(member in members for member in SPARSE_MEMBERS) or all(
        member in members for member in MEMBERS_OF_OTHER_FORMATS
    )


def _one_value_a_sample(y: Values, shape_of_X: tuple[int, ...], label: str) -> Values:
    """The target of samples, which may be stored as one column."""
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise DataError(
            code="wrong-shape",
            message=f"y of {label} has shape {y.shape}",
            advice="it must be one value a sample",
        )
    n_samples, n_features = shape_of_X
    if n_samples != len(y):
        advice = "both must have the same number of rows"
        if n_features == len(y):
            advice = "X has a sample in each column: store X.T"
        raise DataError(
            code="lengths-differ",
            message=f"X of {label} has {n_samples:,} rows but y has {len(y):,} values",
            advice=advice,
        )
    return y


def _opened(file: IO[bytes], label: str) -> np.lib.npyio.NpzFile:
    with in_one_line(f"cannot read {label} as .npz"):
        archive: np.lib.npyio.NpzFile = np.load(file, allow_pickle=False)
        return archive


def _array(archive: np.lib.npyio.NpzFile, name: str, label: str) -> Values:
    with in_one_line(f"cannot read array {name!r} of {label}"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's parser warns of broken headers
        _check_member(archive, name, label)
        array = archive[name]
    if not isinstance(array, np.ndarray):
        raise DataError(
            code="column-type-not-read",
            message=f"{name!r} of {label} is not an array",
            advice="store X and y with numpy.savez",
        )
    return array


def _check_member(archive: np.lib.npyio.NpzFile, name: str, label: str) -> None:
    """Refuse an array of objects, or one whose header declares another size than is stored, before it takes memory."""
    assert archive.zip is not None  # it is open
    stored = archive.zip.getinfo(name if name in archive.zip.namelist() else f"{name}.npy")
    with archive.zip.open(stored) as file:
        version = np.lib.format.read_magic(file)
        read_header = HEADERS.get(version)
        if read_header is None:
            raise ValueError(f"version {version[0]}.{version[1]} of the format is not read")
        shape, _, kind = read_header(file)
        if kind.kind == "O":
            raise DataError(
                code="column-type-not-read",
                message=f"array {name!r} of {label} holds Python objects, which are not read",
                advice="store numbers or strings",
            )
        if kind.kind not in READABLE_KINDS:
            raise DataError(
                code="column-type-not-read",
                message=f"array {name!r} of {label} has type {kind}",
                advice="store numbers or strings",
            )
        n_bytes = prod(shape) * kind.itemsize
        if min(shape, default=0) < 0 or file.tell() + n_bytes != stored.file_size:
            raise ValueError(f"its header declares {n_bytes:,} bytes of values, which is not what is stored")
    if n_bytes > available_bytes():
        raise DataError(
            code="not-enough-memory",
            message=(
                f"array {name!r} of {label}, {' x '.join(f'{size:,}' for size in shape)} of {kind}, takes "
                f"{n_bytes / 2**30:,.1f} GiB, more than the memory that is free"
            ),
            advice="keep fewer columns or rows",
        )


def _sparse(archive: np.lib.npyio.NpzFile, label: str) -> Any:
    from scipy import sparse

    layout = "csr"
    if "format" in archive.files:  # as scipy.sparse.save_npz writes it
        stored = _array(archive, "format", label)
        if stored.size != 1:
            raise DataError(
                code="wrong-shape",
                message=f"the format of the sparse X of {label} has shape {stored.shape}",
                advice="store it as 'csr'",
            )
        layout = _text(stored.item())
    if layout not in ("csr", "csc"):
        raise DataError(
            code="cannot-read",
            message=f"the sparse X of {label} is stored as {layout!r}",
            advice="store it as 'csr' or 'csc'",
        )
    data = _array(archive, "data", label)
    shape = _array(archive, "shape", label)
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or (shape.astype(np.int64) < 0).any():
        raise DataError(
            code="wrong-shape",
            message=f"shape of the sparse X of {label} is {shape.tolist()}",
            advice="it must be two counts",
        )
    n_samples, n_features = (int(size) for size in shape)
    check_width(n_features, data.size, label)
    indices = _array(archive, "indices", label)
    indptr = _array(archive, "indptr", label)
    kind = sparse.csr_array if layout == "csr" else sparse.csc_array
    with in_one_line(f"the sparse X of {label} is broken"):
        # int64 first: indices stored in a byte or two would wrap in scipy's checks
        matrix = kind((data, indices.astype(np.int64), indptr.astype(np.int64)), shape=(n_samples, n_features))
        matrix.check_format(full_check=True)
        return matrix


def _names(stored: Values | None, n_features: int, label: str) -> Sequence[str]:
    if stored is None:
        return NumberedNames(n_features)
    if stored.shape != (n_features,):
        raise DataError(
            code="lengths-differ",
            message=f"feature_names of {label} has shape {stored.shape} but X has {n_features:,} columns",
            advice="store one name a column",
        )
    names = [_text(name) for name in stored.tolist()]
    check_names(names, label)
    return names


def _text(name: Any) -> str:
    return name.decode(errors="backslashreplace") if isinstance(name, bytes) else str(name)
