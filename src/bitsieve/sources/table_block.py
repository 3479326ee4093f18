"""Contingency tables of many columns as they travel between machines: few arrays, which add up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.counts.contingency import ContingencyTable, has_all_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Shape = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class TableBlock:
    """The tables of a portion of the samples, of shapes that all portions know.

    Attributes
    ----------
    small : ndarray of uint32
        Every cell of the tables of at most ``DENSE_CELLS`` cells, one table after the other. A count is at most the
        number of samples, 2**31, so half the bytes of int64 are enough for the journey.
    large : sequence of ContingencyTable
        The other tables, by the cells that are not empty.
    """

    small: NDArray[np.uint32]
    large: Sequence[ContingencyTable]

    def __sizeof__(self) -> int:
        large = sum(of.counts.nbytes + (0 if of.cells is None else of.cells.nbytes) for of in self.large)
        return object.__sizeof__(self) + self.small.nbytes + large

    def __add__(self, other: TableBlock) -> TableBlock:
        """The tables of both portions together."""
        return TableBlock(self.small + other.small, list(map(add, self.large, other.large)))

    def tables(self, shapes: Sequence[Shape]) -> list[ContingencyTable]:
        """The tables, given the shape of each."""
        counts, large, start = self.small.astype(np.int64), iter(self.large), 0
        tables = []
        for shape in shapes:
            if not has_all_cells(shape):
                tables.append(next(large))
                continue
            end = start + prod(shape)
            tables.append(ContingencyTable(shape, counts[start:end]))
            start = end
        return tables


def added(blocks: Sequence[TableBlock]) -> TableBlock:
    """The tables of several portions together."""
    return reduce(add, blocks)
