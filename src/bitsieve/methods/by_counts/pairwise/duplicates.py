"""Columns that are duplicates of each other up to the names of their codes.

Xi and Xj are such duplicates if and only if ``I(Xi;Xj) = H(Xi) = H(Xj)``; their information about anything is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 1 << 22  # comparisons at once


def first_duplicates(redundancy: NDArray[np.float64]) -> NDArray[np.intp]:
    """For every column the lowest column that it duplicates, mostly itself.

    Parameters
    ----------
    redundancy : ndarray of shape (n, n)
        I(Xi;Xj), H(Xi) on the diagonal; made of integers, so that equal information is equal to the last bit.

    Notes
    -----
    Cost: n^2 comparisons.
    """
    n = len(redundancy)
    entropy = np.diagonal(redundancy)
    first = np.empty(n, np.intp)
    step = max(1, BLOCK // n)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        of_rows = entropy[rows, None]
        first[rows] = np.argmax((redundancy[rows] == of_rows) & (entropy == of_rows), axis=1)
    return first
