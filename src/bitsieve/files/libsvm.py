"""Text files of sparse rows: a label, then ``column:value`` for every value that is not 0 (libsvm, svmlight)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.messages import one_line
from bitsieve.common.names import NumberedNames
from bitsieve.files.errors import DataError
from bitsieve.files.npz import ArrayTable

if TYPE_CHECKING:
    from pathlib import Path

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
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(str(path))
    except (ValueError, OverflowError, MemoryError) as error:
        raise DataError(
            f"cannot read {str(path)!r} as libsvm: {one_line(error)}; "
            "a row is a label, a number, and column:value pairs"
        ) from None
    if not len(y):
        raise DataError(f"{str(path)!r} has no rows: nothing to select from")
    if not X.nnz:
        raise DataError(f"{str(path)!r} has no values but zeros: nothing to select from")
    whole = np.isfinite(y).all() and (y == np.rint(y)).all() and (np.abs(y) < 2**53).all()
    return ArrayTable(X, y.astype(np.int64) if whole else y, NumberedNames(X.shape[1]))
