"""The cells of the tables of all pairs of columns with the class, in one array.

The tables of the pairs (0, 0), (0, 1), ..., (1, 1), (1, 2), ... stand one after the other, each in C order.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Integers

CELL_BYTES = 8
MAX_CELLS = 1 << 28  # all tables together, which take 2 GiB


def n_cells(arities: NDArray[np.int32], n_classes: int) -> int:
    """Cells of the tables of all pairs with the class."""
    return int(first_cells(arities, n_classes)[-1])


def check_cells(total: int, n_columns: int) -> None:
    """Refuse tables of more cells than fit into memory."""
    if total > MAX_CELLS:
        raise UserError(
            code="table-too-large",
            message=(f"the tables of all pairs of {n_columns:,} columns have {total:,} cells, more than {MAX_CELLS:,}"),
            advice="give fewer columns or bins",
        )


def first_cells(arities: NDArray[np.int32], n_classes: int) -> Integers:
    """The first cell of the tables of each column with itself and those after it; at the end the number of cells.

    Column i with m_i codes takes ``m_i (m_i + m_(i+1) + ...) n_classes`` cells.
    """
    codes = arities.astype(np.int64)
    codes_from = codes[::-1].cumsum()[::-1]  # of each column and those after it
    return np.concatenate([[0], np.cumsum(codes * codes_from * n_classes)])


def each_table(cells: Integers, arities: NDArray[np.int32], n_classes: int) -> Iterator[tuple[int, int, Integers]]:
    """Every pair of columns i <= j, and its table: a view of ``cells`` of shape (codes of i, codes of j, classes)."""
    start = 0
    for i in range(len(arities)):
        for j in range(i, len(arities)):
            shape = (int(arities[i]), int(arities[j]), n_classes)
            end = start + prod(shape)
            yield i, j, cells[start:end].reshape(shape)
            start = end
