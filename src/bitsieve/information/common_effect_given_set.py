"""The common effect of features given a set of columns, and its shuffles within the strata and the set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import Partition
from bitsieve.counts.tables import ContingencyTable, column_blocks
from bitsieve.information.common_effect_bits import CommonEffectBits
from bitsieve.information.protocol import ConditionalInformation
from bitsieve.information.stratum_tables import ColumnTables, TableQuantity, batches_of_tables
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.lazy import cached_property

CODES_PER_SAMPLE = 40  # how long a shuffle takes: see `ConditionalInformation.codes_per_sample`


class _Cells(NamedTuple):
    """The occupied cells of a table of parts, codes of a feature and classes. Arrays have shape (n_cells,)."""

    joint_value: Integers  # of Z and the feature, numbered from 0
    part: Integers
    label: Integers
    counts: Integers
    n_classes: int

    def can_change(self) -> Flags:
        """Whether shuffles may change each cell. They change nothing in a part of one code, or of one class."""
        has_codes = _has_several(self.part, self.joint_value)
        has_classes = _has_several(self.part, self.label)
        return has_codes[self.part] & has_classes[self.part]


class CommonEffectConditional(ConditionalInformation):
    """The common effect of features given a set Z of columns: that of X and Z less that of Z.

    The parts of the partition are the strata, divided by the joint values of Z.
    """

    codes_per_sample: ClassVar[int] = CODES_PER_SAMPLE

    def __init__(self, estimate: CommonEffectBits, partition: Partition) -> None:
        super().__init__(estimate.entropy_terms, partition)
        self.estimate = estimate
        self._latest_cells: dict[int, _Cells] = {}  # the cells of the feature that was counted last, by feature

    def refine(self, feature: int) -> CommonEffectConditional:
        return CommonEffectConditional(self.estimate, self.partition.refine(feature))

    @cached_property
    def _stratum_of_part(self) -> Integers:
        _, stratum = np.unique(self.partition.keys[:, 0], return_inverse=True)
        return stratum.reshape(-1).astype(np.int64)

    @cached_property
    def _value_of_part(self) -> Integers:
        """The number of the joint value of Z in every part."""
        _, value = np.unique(self.partition.keys[:, 1:], axis=0, return_inverse=True)
        return value.reshape(-1).astype(np.int64)

    @property
    def n_combinations(self) -> int:
        """How many combinations of values of Z there are; samples of all strata are compared in each."""
        return int(self._value_of_part.max()) + 1

    def conditional_relevance(self, columns: Columns | None = None) -> Floats:
        chosen = np.arange(self.partition.source.n_features) if columns is None else columns
        return self._quantity_given_set(self.estimate.bits, chosen)

    def _quantity_given_set(self, quantity: TableQuantity, columns: Columns) -> Floats:
        """A quantity of Z with each of ``columns``, less that of Z alone."""
        source = self.partition.source
        (table_of_set,) = self.partition.tables(None, True)
        quantity_of_set = quantity(self._column_tables([self._cells(table_of_set)]))
        quantities = [np.zeros(0)]
        for block in column_blocks(self.partition.n_parts, source.arities[columns], source.n_classes, self.n_samples):
            tables = self.partition.tables(columns[block], True)
            for batch in batches_of_tables(tables):
                quantities.append(quantity(self._column_tables([self._cells(table) for table in batch])))
        return np.concatenate(quantities) - quantity_of_set

    def _cells_of_feature(self, feature: int) -> _Cells:
        """The cells of a feature; cached until another feature is asked for."""
        if feature not in self._latest_cells:
            (table,) = self.partition.tables(np.array([feature]), True)
            self._latest_cells = {feature: self._cells(table)}
        return self._latest_cells[feature]

    def _cells(self, table: ContingencyTable) -> _Cells:
        """The occupied cells of a table of parts, codes and classes."""
        _, n_codes, n_classes = table.shape
        cells, counts = table.occupied()
        part, code, label = np.unravel_index(cells, table.shape)
        _, joint_value = np.unique(self._value_of_part[part] * n_codes + code, return_inverse=True)
        return _Cells(joint_value.reshape(-1).astype(np.int64), part, label, counts, n_classes)

    def _column_tables(self, cells_of_columns: Sequence[_Cells]) -> ColumnTables:
        """The tables of the joint values of Z and each column."""
        n_strata = len(self.estimate.weights.stratum_sizes)
        class_tables = []
        stratum_tables = []
        for cells in cells_of_columns:
            n_values = int(cells.joint_value.max()) + 1
            value_and_class = cells.joint_value * cells.n_classes + cells.label
            value_and_stratum = cells.joint_value * n_strata + self._stratum_of_part[cells.part]
            class_tables.append(
                ContingencyTable.of_cells((1, n_values, cells.n_classes), value_and_class, cells.counts)
            )
            stratum_tables.append(ContingencyTable.of_cells((1, n_values, n_strata), value_and_stratum, cells.counts))
        return ColumnTables.of_tables(class_tables, stratum_tables)

    def shuffled_relevance(self, feature: int, seeds: NDArray[np.uint64]) -> Floats:
        cells = self._cells_of_feature(feature)
        tables = self._column_tables([cells])
        expected = self.estimate.weights.expected_counts(tables.stratum_table)
        observed = tables.observed()
        divergences = np.empty(len(seeds), np.int64)
        for i, shuffled in enumerate(_shuffled_counts(cells, observed, seeds)):
            divergences[i] = self.estimate.divergences(shuffled, expected, tables.starts)[0]

        # Shuffles leave every E as it is, and with it the mean by chance: the divergence alone changes.
        relevance = self.conditional_relevance(np.array([feature]))
        (divergence,) = self.estimate.divergences(observed, expected, tables.starts)
        change: Floats = (divergences - divergence) / self.entropy_terms.per_bit
        return relevance + change

    def test_statistics(self, columns: Columns) -> Floats:
        """G over its mean by chance, times the degrees of freedom. Columns are ordered by it before any shuffle.

        It does not follow chi-squared closely enough for a p-value.
        """
        bits = np.maximum(0.0, self._quantity_given_set(self.estimate.plug_in_bits, columns))
        by_chance = self._quantity_given_set(self.estimate.chance_bits, columns)
        freedom = np.array([self.degrees_of_freedom(column) for column in columns.tolist()], np.float64)
        return np.divide(bits * freedom, by_chance, out=np.zeros(len(columns)), where=by_chance > 0)

    def degrees_of_freedom(self, feature: int) -> int:
        """The sum over all values of Z of ``(codes - 1) (classes - 1)``, of the samples that shuffles may change."""
        cells = self._cells_of_feature(feature)
        can_change = cells.can_change()
        value_of_set = self._value_of_part[cells.part[can_change]]
        n_codes = _n_distinct(value_of_set, cells.joint_value[can_change])
        n_labels = _n_distinct(value_of_set, cells.label[can_change])
        freedom = (n_codes - 1) * (n_labels - 1)
        return int(freedom[n_codes > 0].sum())

    def least_expected(self, feature: int) -> float:
        """0: chi-squared does not hold, and p is found by shuffles."""
        return 0.0


def _shuffled_counts(cells: _Cells, observed: Integers, seeds: NDArray[np.uint64]) -> Iterator[Integers]:
    """O of every joint value and class, shape as ``observed``, after each shuffle of the values within the parts."""
    can_change = cells.can_change()
    cell_of_sample = np.repeat(np.flatnonzero(can_change), cells.counts[can_change])  # in the order of the parts
    value = cells.joint_value[cell_of_sample]
    label = cells.label[cell_of_sample]
    part = cells.part[cell_of_sample]

    def counts_of_samples(values: Integers) -> Integers:
        """How many of the samples have each joint value and class, if ``values`` are their joint values."""
        counts = np.bincount(values * cells.n_classes + label, minlength=observed.size)
        return counts.reshape(observed.shape)

    unchanged = observed - counts_of_samples(value)
    for seed in seeds.tolist():
        random_keys = np.random.default_rng(seed).random(len(part))  # below 1, so that every sample stays in its part
        order = np.argsort(part + random_keys, kind="stable")
        yield unchanged + counts_of_samples(value[order])


def _n_distinct(group: Integers, values: Integers) -> Integers:
    """How many different values each group has."""
    n_values = int(values.max(initial=0)) + 1
    distinct = np.unique(group * n_values + values)
    return np.bincount(distinct // n_values)


def _has_several(part: Integers, values: Integers) -> Flags:
    """Whether each part has several values."""
    return np.asarray(_n_distinct(part, values) > 1)
