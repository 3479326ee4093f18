"""The contingency tables of all pairs of columns, which one pass over the samples counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.tables import DENSE_CELLS, ContingencyTable

Shape = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class PairTables:
    """The table of every pair of columns and the class, that of a column with itself included."""

    n_features: int
    by_pair: Sequence[ContingencyTable]  # of the columns (0, 0), (0, 1), ..., (1, 1), (1, 2), ...

    def table(self, first: int, second: int, by_class: bool) -> ContingencyTable:
        """The table of two columns, with the classes pooled where ``by_class`` is False."""
        table = self.by_pair[self._index(min(first, second), max(first, second))]
        if not by_class:
            table = table.pooled()
        return table if first <= second else table.transposed()

    def _index(self, lower: int, upper: int) -> int:
        """The index of the pair of columns ``lower <= upper``."""
        pairs_before = lower * self.n_features - lower * (lower - 1) // 2  # pairs whose lower column is before this one
        return pairs_before + upper - lower


def shapes_of_pairs(arities: NDArray[np.int32], n_classes: int) -> list[Shape]:
    """The shapes of the tables of all pairs, in the order of :attr:`PairTables.by_pair`."""
    n_codes = arities.tolist()
    return [(n_first, n_second, n_classes) for j, n_first in enumerate(n_codes) for n_second in n_codes[j:]]


def pairs_have_at_most(max_cells: int, arities: NDArray[np.int32], n_classes: int, n_samples: int) -> bool:
    """Whether the tables of all pairs together list at most ``max_cells`` cells.

    A table that does not store its empty cells lists at most one for every sample.
    """
    max_cells_of_table = max(n_samples, DENSE_CELLS)
    n_codes = arities.astype(np.float64)
    n_cells = 0.0
    for j in range(len(n_codes)):
        n_cells += float(np.minimum(n_codes[j] * n_codes[j:] * n_classes, max_cells_of_table).sum())
        if n_cells > max_cells:
            return False
    return True
