"""Text files of sparse rows: a label, then ``column:value`` for every value that is not 0 (libsvm, svmlight)."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.messages import one_line
from bitsieve.common.names import NumberedNames
from bitsieve.files.errors import DataError
from bitsieve.files.npz import ArrayTable

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

ENDINGS = (".libsvm", ".svmlight", ".svm")
_ROW = re.compile(rb"[^\s,;:]+(\s+qid:\d+)?(\s+\d+:[^\s:,;]+)+\s*(#.*)?")
_HEAD = 1 << 16  # bytes that are looked at


def is_libsvm(path: Path) -> bool:
    """Whether a text file holds sparse rows: by its ending, or by its first row."""
    if path.suffix.lower() in ENDINGS:
        return True
    with open(path, "rb") as file:
        lines = (line.strip() for line in file.read(_HEAD).splitlines())
    first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    return _ROW.fullmatch(first) is not None


def read_libsvm(path: Path) -> ArrayTable:
    """Read the sparse rows of a file; columns are counted from 1, or from 0 where the file has a column 0.

    Raises
    ------
    DataError
        The file holds something else, has several labels a row, no rows, or no columns.
    """
    with open(path, "rb") as file:
        X, y = sparse_rows(file, path)
    y = labels(y, X.nnz, path)
    first = first_column(int(X.indices.min()))
    X.indices -= first
    X = type(X)((X.data, X.indices, X.indptr), shape=(X.shape[0], X.shape[1] - first))
    return ArrayTable(X, y, NumberedNames(X.shape[1]))


def sparse_rows(file: IO[bytes], path: Path) -> tuple[Any, NDArray[np.float64]]:
    """The rows of a text as CSR, with the numbers of columns that it has, each row ascending; and the labels.

    Raises
    ------
    DataError
        The text holds something else, or has several labels a row.
    """
    from sklearn.datasets import load_svmlight_file

    try:
        return load_svmlight_file(file, zero_based=True)
    except (ValueError, OverflowError, MemoryError) as error:
        raise DataError(
            f"cannot read {str(path)!r} as libsvm: {one_line(error)}; "
            "a row is a label, a number, and column:value pairs"
        ) from None


def first_column(least: int) -> int:
    """The number from which columns are counted, where ``least`` is the least of a file: 1, or 0 where it has that."""
    return min(least, 1)


def labels(y: NDArray[np.float64], n_values: int, path: Path) -> NDArray[Any]:
    """The labels of all rows, whole numbers as integers.

    Raises
    ------
    DataError
        There are no rows, or no values.
    """
    if not len(y):
        raise DataError(f"{str(path)!r} has no rows: nothing to select from")
    if not n_values:
        raise DataError(f"{str(path)!r} has no values but zeros: nothing to select from")
    whole = np.isfinite(y).all() and (y == np.rint(y)).all() and (np.abs(y) < 2**53).all()
    return y.astype(np.int64) if whole else y
