"""Contingency tables of integers whose cells are identified, so that tables of parts of the samples add up."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts import Columns, Integers

BLOCK_CELLS = 1 << 22  # of the tables that are held at once where sums are made from them
DENSE_CELLS = 1 << 16  # tables of at most so many cells hold them all, larger ones only those that are not empty
MAX_CELLS = 1 << 62  # cells are numbered by 64-bit integers


@dataclass(frozen=True, eq=False)
class ContingencyTable:
    """How many samples have each combination of a first code, a second code and a class."""

    shape: tuple[int, int, int]  # codes of the first variable (1: none), of the second (1: none), classes (1: pooled)
    counts: Integers  # of all cells in C order, where there are at most ``DENSE_CELLS``; else of those listed
    cells: Integers | None = None  # flat indices of the cells that are not empty, ascending; None: every cell

    @classmethod
    def of_samples(cls, shape: tuple[int, int, int], cell_of_sample: Integers) -> ContingencyTable:
        """Count the samples of every cell, given the flat index of each sample's cell."""
        if has_all_cells(shape):
            return cls(shape, np.bincount(cell_of_sample, minlength=prod(shape)))
        cells, counts = np.unique(cell_of_sample, return_counts=True)
        return cls(_numbered(shape), counts, cells)

    @classmethod
    def of_cells(cls, shape: tuple[int, int, int], cells: Integers, counts: Integers) -> ContingencyTable:
        """Make a table of counts and the flat indices of their cells; counts of one cell are added."""
        if has_all_cells(shape):
            dense = np.zeros(prod(shape), np.int64)
            np.add.at(dense, cells, counts)
            return cls(shape, dense)
        occurring, place = np.unique(cells, return_inverse=True)
        total = np.zeros(len(occurring), np.int64)
        np.add.at(total, place, counts)
        return cls(_numbered(shape), total, occurring)

    def __add__(self, other: ContingencyTable) -> ContingencyTable:
        """The table of both parts of the samples; the shapes must be equal."""
        if self.shape != other.shape:
            raise ValueError(f"tables of shape {self.shape} and {other.shape} do not add up: agree on the codes first")
        if self.cells is None or other.cells is None:
            return ContingencyTable(self.shape, self.counts + other.counts)
        cells, counts = (np.concatenate(pair) for pair in ((self.cells, other.cells), (self.counts, other.counts)))
        return self.of_cells(self.shape, cells, counts)

    def pooled(self) -> ContingencyTable:
        """The table with the classes added up."""
        first, second, n_classes = self.shape
        if n_classes == 1:
            return self
        if self.cells is None:
            return ContingencyTable((first, second, 1), self.counts.reshape(-1, n_classes).sum(axis=1))
        return self.of_cells((first, second, 1), self.cells // n_classes, self.counts)

    def occupied(self) -> tuple[Integers, Integers]:
        """Flat indices of the cells that are not empty, ascending, and their counts."""
        if self.cells is not None:
            return self.cells, self.counts
        cells = np.flatnonzero(self.counts)
        return cells, self.counts[cells]

    def dense(self) -> Integers:
        """All cells as an array of the table's shape."""
        if self.cells is None:
            return self.counts.reshape(self.shape)
        out = np.zeros(prod(self.shape), np.int64)
        out[self.cells] = self.counts
        return out.reshape(self.shape)


class Tables(Protocol):
    """Whatever gives the contingency tables of ``n_features`` columns of codes and one class, to any thread."""

    n_samples: int
    n_features: int
    n_classes: int
    arities: NDArray[np.int32]  # codes of feature i are ``0 .. arities[i] - 1``
    class_sizes: Integers  # samples, shape (n_classes,)
    n_jobs: int | None = None  # threads for work on its counts

    @abstractmethod
    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        """The tables of the pivot (None: no pivot) with each of ``columns``, of shape (codes, codes, classes).

        Tables of portions of the samples add up to those of all samples. ``by_class`` False pools the classes.
        """


def has_all_cells(shape: tuple[int, int, int]) -> bool:
    """Whether a table of this shape holds every cell."""
    return prod(shape) <= DENSE_CELLS


def _numbered(shape: tuple[int, int, int]) -> tuple[int, int, int]:
    if prod(shape) > MAX_CELLS:
        raise ValueError(f"a table of {shape[0]:,} x {shape[1]:,} codes x {shape[2]:,} classes is too large to count")
    return shape


def column_blocks(n_first: int, n_codes: NDArray[np.int32], n_classes: int, n_samples: int) -> Iterator[slice]:
    """Cut columns with so many codes into blocks whose tables with a first variable may be held at once.

    A table of a column holds ``n_first * n_codes * n_classes`` cells, or one for every sample where they are fewer.
    """
    cells = np.cumsum(np.minimum(n_codes.astype(np.float64) * n_first * n_classes, max(n_samples, DENSE_CELLS)))
    first = 0
    while first < len(cells):
        held = cells[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(cells, held + BLOCK_CELLS, side="right")))
        yield slice(first, last)
        first = last
