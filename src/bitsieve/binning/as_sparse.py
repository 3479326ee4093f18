"""A table of numbers as a sparse one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csc_array

from bitsieve.table.sparse import SparseTable, read_sparse

if TYPE_CHECKING:
    from bitsieve.table.table import Table


def as_sparse(table: Table) -> SparseTable:
    """A table of numbers as a sparse one.

    Raises
    ------
    ValueError
        If a column holds categories.
    """
    if isinstance(table, SparseTable):
        return table
    words = [j for j in range(table.n_features) if not table.is_numeric(j)]
    if words:
        raise ValueError(f"zero is a code of its own in columns of numbers, but {table.quoted(words)} hold categories")
    columns = [csc_array(table.numeric(j)[:, None]) for j in range(table.n_features)]
    start = np.cumsum([0, *(column.nnz for column in columns)])
    arrays = (np.concatenate([getattr(column, name) for column in columns]) for name in ("data", "indices"))
    sparse = read_sparse(csc_array((*arrays, start), shape=(table.n_samples, table.n_features)))
    return replace(sparse, names=table.names, feature_names=table.feature_names, y=table.y, weights=table.weights)
