"""What the columns of a table hold: their kind, what is missing, and what makes one useless or suspicious."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bitsieve.table.encoding import Encoded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.table.table import Table

IDENTIFYING = 0.5  # of the rows: a category of more different values looks like a name of each row
FEW_ROWS = 10


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


def column_quality(table: Table) -> list[ColumnQuality]:
    """Look at every column. Cost: O(n) a column."""
    first: dict[bytes, int] = {}
    return [_look(table.values(j), j, first) for j in range(table.n_features)]


def _look(values: NDArray[Any] | Encoded, j: int, first: dict[bytes, int]) -> ColumnQuality:
    if isinstance(values, Encoded):
        kind, n_distinct = "categories", len(values.categories)
        n_missing = int((values.codes < 0).sum())
        n_rows, key = len(values.codes), b"c" + repr(values.categories.tolist()).encode() + values.codes.tobytes()
        identifier = n_rows >= FEW_ROWS and n_distinct > IDENTIFYING * n_rows
    else:
        numbers = np.ascontiguousarray(values)
        missing = np.isnan(numbers) if numbers.dtype.kind == "f" else np.zeros(len(numbers), bool)
        there = numbers[~missing] if missing.any() else numbers
        n_rows, n_missing, n_distinct = len(numbers), int(missing.sum()), pc.count_distinct(pa.array(there)).as_py()
        whole = numbers.dtype.kind != "f" or bool((there == np.floor(there)).all())
        kind = "whole numbers" if whole else "numbers"
        key = b"n" + (numbers.astype(np.float64) + 0.0).tobytes()  # -0 is 0
        identifier = whole and _numbers_rows(there, n_rows)
    constant = n_distinct + (n_missing > 0) <= 1
    same = first.setdefault(_digest(key), j)
    return ColumnQuality(kind, n_missing, n_distinct, constant, identifier and not constant, -1 if same == j else same)


def _numbers_rows(there: NDArray[Any], n_rows: int) -> bool:
    """Whether whole numbers number the rows, in any order."""
    if len(there) < n_rows or n_rows < FEW_ROWS:
        return False
    return float(there.max()) - float(there.min()) == n_rows - 1 and len(np.unique(there)) == n_rows


def _digest(key: bytes) -> bytes:
    from hashlib import blake2b

    return blake2b(key, digest_size=20).digest()
