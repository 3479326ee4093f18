"""What counting and summing are by definition: tables of joint counts, and sums of their entropy terms."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bitsieve.counts.reference import term
from bitsieve.utils.arrays import Integers


def joint_table(x: ArrayLike, y: ArrayLike, c: ArrayLike, shape: tuple[int, int, int]) -> Integers:
    """Counts of every (code of x, code of y, class), by one ``np.add.at``."""
    table = np.zeros(shape, dtype=np.int64)
    np.add.at(table, (np.asarray(x), np.asarray(y), np.asarray(c)), 1)
    return table


def term_sum(table: ArrayLike, shift: int) -> int:
    """Sum of the terms of all cells of a table."""
    counts, times = np.unique(np.asarray(table), return_counts=True)
    return sum(term(int(c), shift) * int(k) for c, k in zip(counts, times, strict=True))
