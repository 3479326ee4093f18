"""What the columns of a table hold: their kind, what is missing, and what makes one useless or suspicious."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bitsieve.data.encoding import Encoded
from bitsieve.data.table import TableInMemory


class ColumnQuality(NamedTuple):
    """One column.

    Attributes
    ----------
    kind : {"numbers", "whole numbers", "categories"}
    n_missing, n_distinct : int
        Rows without a value, and different values.
    constant, identifier : bool
        Whether it has one value at most; whether nearly every row has a value of its own that is no measurement.
    duplicate_of : int
        The first column with the same values in every row, or -1.
    """

    kind: str
    n_missing: int
    n_distinct: int
    constant: bool
    identifier: bool
    duplicate_of: int


def column_quality(table: TableInMemory) -> list[ColumnQuality]:
    """Look at every column. Cost: O(n) a column."""
    first: dict[bytes, int] = {}
    names_of_rows = set(table.profile().identifiers)
    return [_look(table.values(j), j, j in names_of_rows, first) for j in range(table.n_features)]


def _look(values: NDArray[Any] | Encoded, j: int, identifier: bool, first: dict[bytes, int]) -> ColumnQuality:
    if isinstance(values, Encoded):
        kind, n_distinct = "categories", len(values.categories)
        n_missing = int((values.codes < 0).sum())
        key = b"c" + repr(values.categories.tolist()).encode() + values.codes.tobytes()
    else:
        numbers = np.ascontiguousarray(values)
        missing = np.isnan(numbers) if numbers.dtype.kind == "f" else np.zeros(len(numbers), bool)
        there = numbers[~missing] if missing.any() else numbers
        n_missing, n_distinct = int(missing.sum()), pc.count_distinct(pa.array(there)).as_py()
        whole = numbers.dtype.kind != "f" or bool((there == np.floor(there)).all())
        kind = "whole numbers" if whole else "numbers"
        key = b"n" + (numbers.astype(np.float64) + 0.0).tobytes()  # -0 is 0
    constant = n_distinct + (n_missing > 0) <= 1
    same = first.setdefault(_digest(key), j)
    return ColumnQuality(kind, n_missing, n_distinct, constant, identifier, -1 if same == j else same)


def _digest(key: bytes) -> bytes:
    from hashlib import blake2b

    return blake2b(key, digest_size=20).digest()
