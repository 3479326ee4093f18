"""Contingency tables of samples in partitions: each is counted where it lies, and the tables of all are added."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from bitsieve.counts.checks import check_joint_values
from bitsieve.counts.source import ConditioningSource, Partition, refined
from bitsieve.counts.tables import MAX_SAMPLES, ContingencyTable
from bitsieve.diagnostics import UserError
from bitsieve.engines.data_partitions import DataPartitions
from bitsieve.engines.pair_tables import PairTables, pairs_have_at_most, shapes_of_pairs
from bitsieve.engines.partition_counts import (
    count_groups,
    count_single_columns,
    count_tables,
    count_tables_of_all_pairs,
    join,
    merged_sizes,
    one_group,
    pairs_that_occur,
    refined_group,
    sizes_of,
    sum_of,
    union_of,
)
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.lazy import cached_property


class PartitionedSource(ConditioningSource):
    """Contingency tables of samples in packed partitions: one task for each partition, then a tree of sums.

    Few pairs of columns are all counted when the first is asked for, so that a greedy search takes one pass for single
    columns and one for pairs, however many features it selects. Many pairs are counted as they are asked for.

    There are at least ``n_classes`` classes, also where some of them have no sample.
    """

    def __init__(self, partitions: DataPartitions, n_classes: int = 1) -> None:
        self.partitions = partitions.with_samples()
        sizes = self.partitions.total("facts", sizes_of, merged_sizes)
        if sizes.n_samples > MAX_SAMPLES:
            raise UserError(
                code="too-many-rows",
                message=f"the data has {sizes.n_samples:,} samples",
                advice=f"at most {MAX_SAMPLES:,} are supported, draw a sample of them",
            )
        self.n_samples = sizes.n_samples
        self.n_features = len(sizes.arities)
        self.arities = sizes.arities
        self.n_classes = max(n_classes, len(sizes.class_sizes))
        self.class_sizes = np.zeros(self.n_classes, np.int64)
        self.class_sizes[: len(sizes.class_sizes)] = sizes.class_sizes
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
        work = partial(count_tables_of_all_pairs, n_codes=self.arities.astype(np.int64), n_classes=self.n_classes)
        block = self.partitions.total("count", work, sum_of)
        return PairTables(self.n_features, block.tables(shapes_of_pairs(self.arities, self.n_classes)))

    def _count(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        """Count the tables of one request in a pass over the samples."""
        n_first = 1 if pivot is None else int(self.arities[pivot])
        n_codes = self.arities[columns].astype(np.int64)
        n_classes = self.n_classes if by_class else 1
        work = partial(
            count_tables,
            pivot=pivot,
            columns=np.asarray(columns),
            n_first=n_first,
            n_codes=n_codes,
            n_classes=n_classes,
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
