"""Columns that cannot tell anything of new rows: those without values, and identifiers of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.data.encoding import Encoded
from bitsieve.data.sparse import SparseTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.data.table import Table

_FEW_ROWS = 20  # in fewer rows a measurement may well differ in every one
_ALMOST_ALL = 0.95  # of the rows have a value of their own
_HEAD = 16  # rows that are looked at first: few columns that are no identifiers differ in all of them


def are_at_hand(table: Any) -> bool:
    """Whether the columns are in memory, each as it is: not in parts, and not made dense when they are asked for."""
    return isinstance(getattr(table, "columns", None), (np.ndarray, list, tuple))


def empty_columns(table: Table) -> list[int]:
    """The columns all of whose values are missing; only those whose first value is are looked at."""
    if isinstance(table, SparseTable):
        return np.flatnonzero(~table.has_zeros & ~table.has_numbers).tolist()
    if not are_at_hand(table):
        return []
    if table.matrix is not None:
        if table.matrix.dtype.kind != "f":
            return []
        return [int(j) for j in np.flatnonzero(np.isnan(table.matrix[0])) if _is_empty(table.values(int(j)))]
    return [j for j, values in enumerate(table.columns) if _is_empty(values)]


def identifiers(table: Table) -> list[int]:
    """The columns with a value of their own in almost every row: text, and whole numbers that count the rows.

    Whole numbers do so if they are n consecutive ones, each once, in any order. In fewer than 20 rows there are none.
    """
    if table.n_samples < _FEW_ROWS or isinstance(table, SparseTable):
        return []
    if table.matrix is not None:
        if table.matrix.dtype.kind not in "iu":
            return []
        head = np.sort(table.matrix[:_HEAD], axis=0)
        places = np.flatnonzero((head[1:] != head[:-1]).all(axis=0))
        return [int(j) for j in places if _numbers_rows(table.matrix[:, j])]
    return [j for j, values in enumerate(table.columns) if _is_identifier(values, table.n_samples)]


def _is_empty(values: NDArray[Any] | Encoded) -> bool:
    if isinstance(values, Encoded):
        return not len(values.categories)
    return values.dtype.kind == "f" and bool(np.isnan(values[0])) and bool(np.isnan(values).all())


def _is_identifier(values: NDArray[Any] | Encoded, n_samples: int) -> bool:
    if isinstance(values, Encoded):
        return len(values.categories) >= _ALMOST_ALL * n_samples
    return values.dtype.kind in "iu" and _numbers_rows(values)


def _numbers_rows(values: NDArray[Any]) -> bool:
    """Whether the values are n consecutive whole numbers, each once."""
    if len(set(values[:_HEAD].tolist())) < min(_HEAD, len(values)):
        return False
    low = int(values.min())
    if int(values.max()) - low != len(values) - 1:
        return False
    return bool(np.bincount((values - values.dtype.type(low)).astype(np.int64)).max() == 1)
