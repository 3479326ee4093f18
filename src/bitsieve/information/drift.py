"""Information about the period of the samples: how far the distribution of a column moves from period to period.

With X a column, T the period, Y the class of the target and S the stratum, in bits:

    I(X;T|S)      the generalised Jensen-Shannon divergence of the periods: the distribution of X moves
    I(X;T|Y,S)    X moves within the classes; a new mix of the classes alone leaves it at 0
    I(Y;T|X,S)    the relation between X and Y changes
    I_t(X;Y|S)    the relevance of X in the samples of the period t alone

The chain rule relates them: ``I(X;T|Y) + I(Y;T) = I(X;T) + I(Y;T|X)``. All follow from one table for every
column: its codes by the combinations of period, class and stratum that occur. Each is corrected by its mean over all
shuffles within what it is conditioned on, and tested by the scaled test of :mod:`bitsieve.information.independence`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bitsieve.counts.independence_sums import sums_of_tables
from bitsieve.counts.source import CountSource
from bitsieve.counts.tables import ContingencyTable, column_blocks, make_entropy_terms
from bitsieve.information.independence import TestOptions, results_of
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers


@dataclass(frozen=True)
class Combinations:
    """What the classes of a source are combined of. Arrays have one number for each class of the source."""

    period: Integers
    label: Integers  # the class of the target; 0 everywhere without a target
    stratum: Integers  # 0 everywhere without strata

    @property
    def n_periods(self) -> int:
        return int(self.period.max()) + 1

    @property
    def n_labels(self) -> int:
        return int(self.label.max()) + 1

    @property
    def n_strata(self) -> int:
        return int(self.stratum.max()) + 1


@dataclass(frozen=True)
class Tested:
    """A corrected information of several columns, and its test."""

    bits: Floats
    log_p: Floats  # natural logarithm


@dataclass(frozen=True)
class RelationDrift:
    """How the relation of several columns to the class of the target moves with the period."""

    within_classes: Tested  # I(X;T|Y,S)
    of_relation: Tested  # I(Y;T|X,S)
    relevance: Floats  # I_t(X;Y|S), shape (n_columns, n_periods)


@dataclass(frozen=True)
class ColumnDrift:
    """How several columns move with the period."""

    of_column: Tested  # I(X;T|S)
    relations: RelationDrift | None  # there are none without a target
    counts_by_period: list[Integers]  # of every column, shape (n_codes, n_periods)


def drift_of_columns(source: CountSource, combinations: Combinations, columns: Columns) -> ColumnDrift:
    """The drift of the columns; they are counted block by block."""
    blocks = []
    for columns_of_block in column_blocks(1, source.arities[columns], source.n_classes, source.n_samples):
        tables = source.tables(None, columns[columns_of_block], True)
        cells_of_columns = [_Cells.of_table(table) for table in tables]
        blocks.append(_drift(cells_of_columns, combinations, source))
    relations = None
    if combinations.n_labels > 1:
        relations = _joined_relations([block.relations for block in blocks if block.relations is not None])
    counts_by_period = []
    for block in blocks:
        counts_by_period += block.counts_by_period
    return ColumnDrift(_joined([block.of_column for block in blocks]), relations, counts_by_period)


def drift_of_classes(source: CountSource, combinations: Combinations) -> float:
    """I(Y;T|S): how much the mix of the classes moves, corrected for chance."""
    shape = (combinations.n_strata, combinations.n_labels, combinations.n_periods)
    cells = (combinations.stratum * shape[1] + combinations.label) * shape[2] + combinations.period
    table = ContingencyTable.of_cells(shape, cells, source.class_sizes)
    return float(_tested([table], source.n_samples).bits[0])


def _joined(blocks: Sequence[Tested]) -> Tested:
    return Tested(np.concatenate([block.bits for block in blocks]), np.concatenate([block.log_p for block in blocks]))


def _joined_relations(blocks: Sequence[RelationDrift]) -> RelationDrift:
    return RelationDrift(
        within_classes=_joined([block.within_classes for block in blocks]),
        of_relation=_joined([block.of_relation for block in blocks]),
        relevance=np.concatenate([block.relevance for block in blocks]),
    )


def _drift(cells_of_columns: list[_Cells], combinations: Combinations, source: CountSource) -> ColumnDrift:
    """The drift of the columns with these cells."""
    period = combinations.period
    n_samples = source.n_samples
    counts_by_period = []
    for cells in cells_of_columns:
        counts = np.zeros((cells.n_codes, combinations.n_periods), np.int64)
        np.add.at(counts, (cells.code, period[cells.combination]), cells.counts)
        counts_by_period.append(counts)
    relations = None
    if combinations.n_labels > 1:
        relevance = np.empty((len(cells_of_columns), combinations.n_periods))
        for t in range(combinations.n_periods):
            n_samples_of_period = int(source.class_sizes[period == t].sum())
            tables = [_relevance(cells.of_combinations(period == t), combinations) for cells in cells_of_columns]
            relevance[:, t] = _tested(tables, n_samples_of_period).bits
        class_and_stratum = combinations.label * combinations.n_strata + combinations.stratum
        shifts_within_classes = [_shift(cells, class_and_stratum, combinations) for cells in cells_of_columns]
        relations_by_period = [_relation(cells, combinations) for cells in cells_of_columns]
        relations = RelationDrift(
            within_classes=_tested(shifts_within_classes, n_samples),
            of_relation=_tested(relations_by_period, n_samples),
            relevance=relevance,
        )
    shifts = [_shift(cells, combinations.stratum, combinations) for cells in cells_of_columns]
    return ColumnDrift(_tested(shifts, n_samples), relations, counts_by_period)


@dataclass(frozen=True)
class _Cells:
    """The cells of a column that occur: its code, the combination, and how many samples have both."""

    n_codes: int
    code: Integers
    combination: Integers
    counts: Integers

    @classmethod
    def of_table(cls, table: ContingencyTable) -> _Cells:
        _, n_codes, n_combinations = table.shape
        cells, counts = table.occupied()
        code, combination = np.divmod(cells, n_combinations)
        return cls(n_codes, code, combination, counts)

    def of_combinations(self, has_combination: Flags) -> _Cells:
        """The cells of the combinations whose flag is set."""
        cells = np.flatnonzero(has_combination[self.combination])
        return _Cells(self.n_codes, self.code[cells], self.combination[cells], self.counts[cells])

    def table(
        self, shape: tuple[int, int, int], condition: Integers, first: Integers, second: Integers
    ) -> ContingencyTable:
        """The table of two variables within a condition, given the values of the three in every cell."""
        _, n_first, n_second = shape
        return ContingencyTable.of_cells(shape, (condition * n_first + first) * n_second + second, self.counts)


def _shift(cells: _Cells, condition: Integers, combinations: Combinations) -> ContingencyTable:
    """The codes of the column by period, within a condition, which has a number for each combination."""
    shape = (int(condition.max()) + 1, cells.n_codes, combinations.n_periods)
    period = combinations.period[cells.combination]
    return cells.table(shape, condition[cells.combination], cells.code, period)


def _relation(cells: _Cells, combinations: Combinations) -> ContingencyTable:
    """The classes by period, within the codes of the column and the strata."""
    shape = (cells.n_codes * combinations.n_strata, combinations.n_labels, combinations.n_periods)
    condition = cells.code * combinations.n_strata + combinations.stratum[cells.combination]
    label = combinations.label[cells.combination]
    return cells.table(shape, condition, label, combinations.period[cells.combination])


def _relevance(cells: _Cells, combinations: Combinations) -> ContingencyTable:
    """The codes of the column by class, within the strata."""
    shape = (combinations.n_strata, cells.n_codes, combinations.n_labels)
    condition = combinations.stratum[cells.combination]
    return cells.table(shape, condition, cells.code, combinations.label[cells.combination])


def _tested(tables: list[ContingencyTable], n_samples: int) -> Tested:
    """The information of the second variable of each table about the third, given the first, and its test."""
    options = TestOptions()
    entropy_terms = make_entropy_terms(n_samples)
    sums = sums_of_tables(tables, entropy_terms, options.optional_sums)
    n_codes, n_classes = np.array([table.shape[1:] for table in tables], np.int64).T
    results = results_of(sums, (1, n_codes, n_classes), entropy_terms, options)
    bits = np.array([result.bits - result.bits_by_chance for result in results], np.float64)
    return Tested(bits, np.array([result.log_p for result in results], np.float64))
