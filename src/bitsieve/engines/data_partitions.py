"""Samples that lie in partitions: each is counted where it lies, and the contingency tables of all are added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain
from math import prod
from operator import add
from typing import ClassVar, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.checks import check_joint_values
from bitsieve.counts.packed import PackedSource, dense_cells
from bitsieve.counts.source import ConditioningSource, Partition, refined
from bitsieve.counts.tables import DENSE_CELLS, MAX_SAMPLES, ContingencyTable, has_all_cells
from bitsieve.diagnostics import UserError
from bitsieve.engines.pair_tables import PairTables, Shape, pairs_have_at_most, shapes_of_pairs
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.lazy import cached_property


@dataclass(frozen=True, eq=False)
class TableBlock:
    """The contingency tables of one partition, of shapes that are the same in all partitions."""

    # every cell of the tables of at most ``DENSE_CELLS`` cells, one table after the other. A count is at most the
    # number of samples, 2**31, so uint32 is enough, and half the bytes travel
    small: NDArray[np.uint32]
    large: Sequence[ContingencyTable]  # the other tables, by the cells that are not empty

    def __sizeof__(self) -> int:
        large = sum(table.counts.nbytes + (0 if table.cells is None else table.cells.nbytes) for table in self.large)
        return object.__sizeof__(self) + self.small.nbytes + large

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


Item = TypeVar("Item")
Result = TypeVar("Result")


class DataPartitions(Protocol):
    """One object, or a few, for every partition of the samples; they stay where they are, on a worker or a thread."""

    #: The tables of all pairs of columns are counted in one pass where they list at most so many cells together.
    max_pair_cells: ClassVar[int] = 1 << 17

    def total(self, task: str, work: Callable[..., Result], merge: Callable[[Sequence[Result]], Result]) -> Result:
        """Call ``work`` with the objects of every partition, where they are, and merge the results by a tree.

        ``task`` is the name that the pages of a cluster show.
        """

    def map(self, task: str, work: Callable[..., object]) -> Self:
        """Partitions of what ``work`` returns, which stays where it was made."""

    def zipped(self, other: Self) -> Self:
        """The objects of both, partition by partition."""

    def with_samples(self) -> Self:
        """The packed partitions that have any samples."""

    def numbered(self, n_rows: Sequence[int]) -> Self:
        """The partitions that have rows, with the number of their first row before the other objects.

        ``n_rows`` are the rows of each partition.
        """


class Facts(NamedTuple):
    """The attributes of a count source, as those of one partition or of several."""

    n_samples: int
    arities: NDArray[np.int32]
    class_sizes: Integers


def in_order(lists: Sequence[list[Item]]) -> list[Item]:
    """Join the lists that partitions return, in the order of the partitions."""
    return list(chain.from_iterable(lists))


def has_samples(packed: PackedSource | None, *_: object) -> list[bool]:
    """Whether a partition has samples; a list of one, to be joined with other partitions."""
    return [packed is not None]


def partitions_with_samples(flags: list[bool]) -> list[int]:
    """The indices of the partitions with samples; refused if none has."""
    indices = [i for i, flag in enumerate(flags) if flag]
    if not indices:
        raise UserError(
            code="empty-data",
            message="the data has no samples",
            advice="at least one is required",
        )
    return indices


def facts(packed: PackedSource) -> Facts:
    """The facts of one partition."""
    return Facts(packed.n_samples, packed.arities, packed.class_sizes)


def merged_facts(partitions: Sequence[Facts]) -> Facts:
    """The facts of several partitions together."""
    n_classes = max(len(partition.class_sizes) for partition in partitions)
    class_sizes = np.zeros(n_classes, np.int64)
    for partition in partitions:
        class_sizes[: len(partition.class_sizes)] += partition.class_sizes
    arities = reduce(np.maximum, (partition.arities for partition in partitions))
    n_samples = sum(partition.n_samples for partition in partitions)
    return Facts(n_samples, arities, class_sizes)


def count_pairs(
    packed: PackedSource, *, pivot: int | None, columns: Columns, n_first: int, n_codes: Integers, n_classes: int
) -> TableBlock:
    """Count the tables of feature ``pivot``, if any, with each column in one partition.

    Codes and classes are as of all samples; ``n_classes`` is 1 for tables without classes.
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
    return count_pairs(packed, pivot=None, columns=columns, n_first=1, n_codes=n_codes, n_classes=n_classes)


def count_all_pairs(packed: PackedSource, *, n_codes: Integers, n_classes: int) -> TableBlock:
    """Count the tables of all pairs of columns with the class in one partition, as :class:`PairTables` orders them."""
    blocks = []
    for pivot, n_first in enumerate(n_codes.tolist()):
        columns = np.arange(pivot, len(n_codes))
        blocks.append(
            count_pairs(
                packed, pivot=pivot, columns=columns, n_first=n_first, n_codes=n_codes[columns], n_classes=n_classes
            )
        )
    large = list(chain.from_iterable(block.large for block in blocks))
    return TableBlock(np.concatenate([block.small for block in blocks]), large)


# A partition of the samples, as conditioning needs it, has groups; every sample is in one group. (A partition of the
# rows is what lies in one place.)


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


class PartitionedSource(ConditioningSource):
    """Contingency tables of samples in packed partitions: one task for each partition, then a tree of sums.

    Few pairs of columns are all counted when the first is asked for, so that a greedy search takes one pass for single
    columns and one for pairs, however many features it selects. Many pairs are counted as they are asked for.

    There are at least ``n_classes`` classes, also where some of them have no sample.
    """

    def __init__(self, partitions: DataPartitions, n_classes: int = 1) -> None:
        self.partitions = partitions.with_samples()
        merged = self.partitions.total("facts", facts, merged_facts)
        if merged.n_samples > MAX_SAMPLES:
            raise UserError(
                code="too-many-rows",
                message=f"the data has {merged.n_samples:,} samples",
                advice=f"at most {MAX_SAMPLES:,} are supported, draw a sample of them",
            )
        self.n_samples = merged.n_samples
        self.n_features = len(merged.arities)
        self.arities = merged.arities
        self.n_classes = max(n_classes, len(merged.class_sizes))
        self.class_sizes = np.zeros(self.n_classes, np.int64)
        self.class_sizes[: len(merged.class_sizes)] = merged.class_sizes
        self.n_jobs = None

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        if not self._has_few_pairs:
            return self._count(pivot, columns, by_class)
        if pivot is not None:
            return [self._pair_tables.table(pivot, j, by_class) for j in columns.tolist()]
        tables = [self._single_tables[j] for j in columns.tolist()]
        return tables if by_class else [table.pooled() for table in tables]

    @cached_property
    def _has_few_pairs(self) -> bool:
        """Whether the tables of all pairs are counted in one pass."""
        return pairs_have_at_most(self.partitions.max_pair_cells, self.arities, self.n_classes, self.n_samples)

    @cached_property
    def _single_tables(self) -> list[ContingencyTable]:
        """The table of every column with the class."""
        n_codes = self.arities.astype(np.int64)
        work = partial(count_single_columns, n_codes=n_codes, n_classes=self.n_classes)
        block = self.partitions.total("count", work, sum_of)
        return block.tables([(1, codes, self.n_classes) for codes in n_codes.tolist()])

    @cached_property
    def _pair_tables(self) -> PairTables:
        """The tables of all pairs of columns."""
        work = partial(count_all_pairs, n_codes=self.arities.astype(np.int64), n_classes=self.n_classes)
        block = self.partitions.total("count", work, sum_of)
        return PairTables(self.n_features, block.tables(shapes_of_pairs(self.arities, self.n_classes)))

    def _count(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        """Count the tables of one request in a pass over the samples."""
        n_first = 1 if pivot is None else int(self.arities[pivot])
        n_codes = self.arities[columns].astype(np.int64)
        n_classes = self.n_classes if by_class else 1
        work = partial(
            count_pairs, pivot=pivot, columns=np.asarray(columns), n_first=n_first, n_codes=n_codes, n_classes=n_classes
        )
        block = self.partitions.total("count", work, sum_of)
        return block.tables([(n_first, codes, n_classes) for codes in n_codes.tolist()])

    def partition(self) -> GroupedSamples:
        no_columns = np.empty((1, 0), np.int64)
        return GroupedSamples(self, no_columns)

    def joined(self, groups: Sequence[Columns]) -> PartitionedSource:
        partitions = self.partitions
        for columns in groups:
            joint = refined(self.partition(), columns)
            check_joint_values(columns, len(joint.keys))
            partitions = partitions.zipped(joint.group_of_samples)
        return PartitionedSource(partitions.map("join", join), self.n_classes)


class LastTable(NamedTuple):
    """The table of the groups with the column that was asked for last."""

    column: int
    by_class: bool
    table: ContingencyTable


class GroupedSamples(Partition):
    """All samples, in groups of equal codes in some columns; ``keys`` are the codes of each group."""

    source: PartitionedSource

    def __init__(
        self, source: PartitionedSource, keys: Integers, group_of_samples: DataPartitions | None = None
    ) -> None:
        self.source = source
        self._keys = keys
        if group_of_samples is not None:
            self.group_of_samples = group_of_samples
        self._last_table: LastTable | None = None

    @cached_property
    def group_of_samples(self) -> DataPartitions:
        """The group of every sample."""
        return self.source.partitions.map("refine", one_group)

    @property
    def keys(self) -> Integers:
        return self._keys

    def refine(self, feature: int) -> GroupedSamples:
        n_codes = int(self.source.arities[feature])
        samples_and_groups = self.source.partitions.zipped(self.group_of_samples)
        find_pairs = partial(pairs_that_occur, n_groups=len(self.keys), column=feature, n_codes=n_codes)
        pairs = samples_and_groups.total("refine", find_pairs, union_of)
        keys = np.column_stack([self.keys[pairs // n_codes], pairs % n_codes])
        renumber = partial(refined_group, column=feature, n_codes=n_codes, pairs=pairs)
        return GroupedSamples(self.source, keys, samples_and_groups.map("refine", renumber))

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        if columns is None or len(columns) != 1:
            return self._count(columns, by_class)
        # A test of one column asks for its table again with every batch of shuffles.
        last = self._last_table
        if last is None or last.column != columns[0] or last.by_class != by_class:
            (table,) = self._count(columns, by_class)
            last = LastTable(int(columns[0]), by_class, table)
            self._last_table = last
        return [last.table]

    def _count(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        """Count the tables of one request in a pass over the samples."""
        n_groups = len(self.keys)
        n_classes = self.source.n_classes if by_class else 1
        n_codes = np.ones(1, np.int64) if columns is None else self.source.arities[columns].astype(np.int64)
        work = partial(count_groups, n_groups=n_groups, columns=columns, n_codes=n_codes, n_classes=n_classes)
        samples_and_groups = self.source.partitions.zipped(self.group_of_samples)
        block = samples_and_groups.total("count", work, sum_of)
        return block.tables([(n_groups, codes, n_classes) for codes in n_codes.tolist()])
