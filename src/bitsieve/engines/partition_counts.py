"""What is counted in one packed partition, and how the counts of several are added up.

Workers call these functions, one of them for every request of a method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from math import prod
from operator import add
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.packed import PackedSource, dense_cells
from bitsieve.counts.tables import DENSE_CELLS, ContingencyTable, has_all_cells
from bitsieve.engines.pair_tables import Shape
from bitsieve.utils.arrays import Columns, Integers


@dataclass(frozen=True, eq=False)
class TableBlock:
    """The contingency tables of one partition, of shapes that are the same in all partitions."""

    #: Every cell of the tables of at most ``DENSE_CELLS`` cells, one table after the other. A count is at most the
    #: number of samples, 2**31, so that uint32 is enough, and half the bytes travel.
    small: NDArray[np.uint32]
    large: Sequence[ContingencyTable]  # the other tables, by the cells that are not empty

    def __sizeof__(self) -> int:
        n_bytes = object.__sizeof__(self) + self.small.nbytes
        for table in self.large:
            n_bytes += table.counts.nbytes
            if table.cells is not None:
                n_bytes += table.cells.nbytes
        return n_bytes

    def __add__(self, other: TableBlock) -> TableBlock:
        """Add the tables of another partition."""
        large = [first + second for first, second in zip(self.large, other.large, strict=True)]
        return TableBlock(self.small + other.small, large)

    def tables(self, shapes: Sequence[Shape]) -> list[ContingencyTable]:
        """The tables, given the shape of each."""
        counts = self.small.astype(np.int64)
        large = iter(self.large)
        start = 0
        tables = []
        for shape in shapes:
            if not has_all_cells(shape):
                tables.append(next(large))
                continue
            end = start + prod(shape)
            tables.append(ContingencyTable(shape, counts[start:end]))
            start = end
        return tables


def sum_of(blocks: Sequence[TableBlock]) -> TableBlock:
    """Add the tables of several partitions."""
    return reduce(add, blocks)


class Sizes(NamedTuple):
    """The sizes of a source of counts: of one partition, or of several together."""

    n_samples: int
    arities: NDArray[np.int32]
    class_sizes: Integers


def sizes_of(packed: PackedSource) -> Sizes:
    """The sizes of one partition."""
    return Sizes(packed.n_samples, packed.arities, packed.class_sizes)


def merged_sizes(partitions: Sequence[Sizes]) -> Sizes:
    """The sizes of several partitions together."""
    n_classes = max(len(partition.class_sizes) for partition in partitions)
    class_sizes = np.zeros(n_classes, np.int64)
    for partition in partitions:
        class_sizes[: len(partition.class_sizes)] += partition.class_sizes
    arities = reduce(np.maximum, (partition.arities for partition in partitions))
    n_samples = sum(partition.n_samples for partition in partitions)
    return Sizes(n_samples, arities, class_sizes)


def count_tables(
    packed: PackedSource, *, pivot: int | None, columns: Columns, n_first: int, n_codes: Integers, n_classes: int
) -> TableBlock:
    """Count the tables of feature ``pivot``, if any, with each column in one partition.

    ``n_first`` is the number of codes of the pivot (1 without a pivot), and ``n_codes`` that of each column. Codes and
    classes are those of all samples. ``n_classes`` is 1 for tables without classes.
    """
    shapes = [(n_first, codes, n_classes) for codes in n_codes.tolist()]
    is_small = np.array([has_all_cells(shape) for shape in shapes], bool)
    cells = dense_cells(packed.packed, pivot, columns[is_small], n_first, n_codes[is_small], n_classes)
    large: list[ContingencyTable] = []
    if not is_small.all():
        first = np.zeros(packed.n_samples, np.int64) if pivot is None else packed.codes(pivot).astype(np.int64)
        for j in np.flatnonzero(~is_small).tolist():
            large.append(_table(packed, first, shapes[j], int(columns[j])))
    return TableBlock(cells.astype(np.uint32), large)


def count_single_columns(packed: PackedSource, *, n_codes: Integers, n_classes: int) -> TableBlock:
    """Count the table of every column with the class in one partition."""
    columns = np.arange(len(n_codes))
    return count_tables(packed, pivot=None, columns=columns, n_first=1, n_codes=n_codes, n_classes=n_classes)


def count_tables_of_all_pairs(packed: PackedSource, *, n_codes: Integers, n_classes: int) -> TableBlock:
    """Count the tables of all pairs of columns with the class in one partition, as :class:`PairTables` orders them."""
    blocks = []
    for pivot, n_first in enumerate(n_codes.tolist()):
        columns = np.arange(pivot, len(n_codes))
        blocks.append(
            count_tables(
                packed, pivot=pivot, columns=columns, n_first=n_first, n_codes=n_codes[columns], n_classes=n_classes
            )
        )
    large = list(chain.from_iterable(block.large for block in blocks))
    return TableBlock(np.concatenate([block.small for block in blocks]), large)


# Conditioning on columns divides the samples into groups of equal codes in these columns.


def count_groups(
    packed: PackedSource,
    group: NDArray[np.uint32],
    *,
    n_groups: int,
    columns: Columns | None,
    n_codes: Integers,
    n_classes: int,
) -> TableBlock:
    """Count the tables of the group of every sample with each of ``columns``; None: with no column."""
    first = group.astype(np.int64)
    columns_or_none: list[int | None] = [None] if columns is None else list(columns.tolist())
    small: list[Integers] = [np.empty(0, np.int64)]
    large: list[ContingencyTable] = []
    for column, codes in zip(columns_or_none, n_codes.tolist(), strict=True):
        table = _table(packed, first, (n_groups, codes, n_classes), column)
        if table.cells is None:
            small.append(table.counts)
        else:
            large.append(table)
    return TableBlock(np.concatenate(small).astype(np.uint32), large)


def one_group(packed: PackedSource) -> NDArray[np.uint32]:
    """Put all samples into group 0."""
    return np.zeros(packed.n_samples, np.uint32)


def pairs_that_occur(
    packed: PackedSource, group: NDArray[np.uint32], *, n_groups: int, column: int, n_codes: int
) -> Integers:
    """The numbers ``group * n_codes + code`` that occur, ascending."""
    pairs = group.astype(np.int64) * n_codes + packed.codes(column)
    if n_groups * n_codes > DENSE_CELLS:
        return np.unique(pairs)
    occurs = np.zeros(n_groups * n_codes, bool)
    occurs[pairs] = True
    return np.flatnonzero(occurs)


def union_of(partitions: Sequence[Integers]) -> Integers:
    """The numbers that occur in any partition, ascending."""
    return np.unique(np.concatenate(partitions))


def refined_group(
    packed: PackedSource, group: NDArray[np.uint32], *, column: int, n_codes: int, pairs: Integers
) -> NDArray[np.uint32]:
    """The group of every sample once groups are split by one more column: the index of its pair among ``pairs``."""
    pair_of_sample = group.astype(np.int64) * n_codes + packed.codes(column)
    return np.searchsorted(pairs, pair_of_sample).astype(np.uint32)


def join(packed: PackedSource, *groups: NDArray[np.uint32]) -> PackedSource:
    """Pack one column for each way to group the samples."""
    codes = np.empty((packed.n_samples, len(groups)), np.uint16, order="F")
    for j, group in enumerate(groups):
        codes[:, j] = group
    return PackedSource(codes, _classes(packed), n_classes=packed.n_classes)


def _classes(packed: PackedSource) -> Integers:
    """The class of every sample, made anew: kept, it would take more memory than the packed samples."""
    return np.repeat(np.arange(packed.n_classes), packed.class_sizes)


def _table(packed: PackedSource, first: Integers, shape: Shape, column: int | None) -> ContingencyTable:
    """The table of ``first``, one column (None: no column) and, if the shape has classes, the classes."""
    _, n_codes, n_classes = shape
    cells = first * n_codes
    if column is not None:
        cells += packed.codes(column)
    if n_classes > 1:
        cells = cells * n_classes + _classes(packed)
    return ContingencyTable.of_samples(shape, cells)
