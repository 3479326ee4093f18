"""How the distribution of columns, and their relation to the target, changes from period to period.

With X a column, T the period, Y the class of the target and S the stratum, in bits:

    I(X;T|S)      how far the distribution of X differs between the periods: the generalised Jensen-Shannon divergence
    I(X;T|Y,S)    how far it differs within the classes; 0 if only the mix of the classes changes
    I(Y;T|X,S)    how far the relation between X and Y differs
    I_t(X;Y|S)    the relevance of X in the samples of the period t

The chain rule relates them: ``I(X;T|Y) + I(Y;T) = I(X;T) + I(Y;T|X)``.

All follow from one table for each column: its codes by the combinations of period, class and stratum that occur.
Each is corrected for chance: its mean over all shuffles within the condition is subtracted. The scaled test of
:mod:`bitsieve.information.independence` tests it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bitsieve.counts.independence_sums import IndependenceSums
from bitsieve.counts.source import CountSource
from bitsieve.counts.tables import ContingencyTable, column_blocks, make_entropy_terms
from bitsieve.information.independence import NominalShape, TestOptions, results_of
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers


@dataclass(frozen=True)
class Combinations:
    """The period, class and stratum of each combination that occurs. The classes of the source are the combinations.

    Arrays have shape (n_combinations,).
    """

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
class TestedBits:
    """One kind of information of several columns, corrected for chance, and its test. Arrays: shape (n_columns,)."""

    bits: Floats
    log_p: Floats  # natural logarithm


@dataclass(frozen=True)
class RelationDrift:
    """How the relation of several columns to the class of the target changes with the period."""

    shift_within_classes: TestedBits  # I(X;T|Y,S)
    relation: TestedBits  # I(Y;T|X,S)
    relevance: Floats  # I_t(X;Y|S), shape (n_columns, n_periods)


@dataclass(frozen=True)
class ColumnDrift:
    """How the distribution of several columns changes with the period."""

    shift: TestedBits  # I(X;T|S)
    relations: RelationDrift | None  # None without a target
    counts_by_period: list[Integers]  # one array for each column, shape (n_codes, n_periods)


@dataclass(frozen=True)
class TableDrift:
    """How columns, and the mix of the classes, change with the period."""

    columns: ColumnDrift
    shift_of_classes: float | None  # I(Y;T|S), corrected for chance; None without a target


def drift_of_table(source: CountSource, combinations: Combinations, columns: Columns) -> TableDrift:
    """The drift of the columns, and of the classes if there are any."""
    shift_of_classes = None
    if combinations.n_labels > 1:
        shift_of_classes = drift_of_classes(source, combinations)
    return TableDrift(drift_of_columns(source, combinations, columns), shift_of_classes)


def drift_of_columns(source: CountSource, combinations: Combinations, columns: Columns) -> ColumnDrift:
    """The drift of the columns; they are counted block by block."""
    blocks = []
    for columns_of_block in column_blocks(1, source.arities[columns], source.n_classes, source.n_samples):
        tables = source.tables(None, columns[columns_of_block], True)
        cells_of_columns = [_Cells.of_table(table) for table in tables]
        blocks.append(_drift_of_block(cells_of_columns, combinations, source))
    relations = None
    if combinations.n_labels > 1:
        relations = _joined_relations([block.relations for block in blocks if block.relations is not None])
    counts_by_period = []
    for block in blocks:
        counts_by_period += block.counts_by_period
    return ColumnDrift(_joined([block.shift for block in blocks]), relations, counts_by_period)


def drift_of_classes(source: CountSource, combinations: Combinations) -> float:
    """I(Y;T|S): how much the mix of the classes moves, corrected for chance."""
    n_strata = combinations.n_strata
    n_labels = combinations.n_labels
    n_periods = combinations.n_periods
    cells = (combinations.stratum * n_labels + combinations.label) * n_periods + combinations.period
    table = ContingencyTable.of_cells((n_strata, n_labels, n_periods), cells, source.class_sizes)
    return float(_tested_bits([table], source.n_samples).bits[0])


def _joined(blocks: Sequence[TestedBits]) -> TestedBits:
    return TestedBits(
        bits=np.concatenate([block.bits for block in blocks]),
        log_p=np.concatenate([block.log_p for block in blocks]),
    )


def _joined_relations(blocks: Sequence[RelationDrift]) -> RelationDrift:
    return RelationDrift(
        shift_within_classes=_joined([block.shift_within_classes for block in blocks]),
        relation=_joined([block.relation for block in blocks]),
        relevance=np.concatenate([block.relevance for block in blocks]),
    )


def _drift_of_block(cells_of_columns: list[_Cells], combinations: Combinations, source: CountSource) -> ColumnDrift:
    """The drift of a block of columns, from the cells of each."""
    relations = None
    if combinations.n_labels > 1:
        relations = _relation_drift(cells_of_columns, combinations, source)
    tables = [_column_by_period(cells, combinations.stratum, combinations) for cells in cells_of_columns]
    return ColumnDrift(
        shift=_tested_bits(tables, source.n_samples),
        relations=relations,
        counts_by_period=[cells.counts_by_period(combinations) for cells in cells_of_columns],
    )


def _relation_drift(cells_of_columns: list[_Cells], combinations: Combinations, source: CountSource) -> RelationDrift:
    relevance = np.empty((len(cells_of_columns), combinations.n_periods))
    for t in range(combinations.n_periods):
        is_in_period = combinations.period == t
        n_samples_of_period = int(source.class_sizes[is_in_period].sum())
        tables = [_column_by_class(cells.of_combinations(is_in_period), combinations) for cells in cells_of_columns]
        relevance[:, t] = _tested_bits(tables, n_samples_of_period).bits
    class_and_stratum = combinations.label * combinations.n_strata + combinations.stratum
    columns_by_period = [_column_by_period(cells, class_and_stratum, combinations) for cells in cells_of_columns]
    classes_by_period = [_class_by_period(cells, combinations) for cells in cells_of_columns]
    return RelationDrift(
        shift_within_classes=_tested_bits(columns_by_period, source.n_samples),
        relation=_tested_bits(classes_by_period, source.n_samples),
        relevance=relevance,
    )


@dataclass(frozen=True)
class _Cells:
    """The nonempty cells of the table of a column by combination. Arrays have shape (n_cells,)."""

    n_codes: int
    code: Integers
    combination: Integers
    counts: Integers  # how many samples have this code and combination

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

    def counts_by_period(self, combinations: Combinations) -> Integers:
        """How many samples have each code in each period, shape (n_codes, n_periods)."""
        counts = np.zeros((self.n_codes, combinations.n_periods), np.int64)
        np.add.at(counts, (self.code, combinations.period[self.combination]), self.counts)
        return counts

    def table(
        self, shape: tuple[int, int, int], condition: Integers, first: Integers, second: Integers
    ) -> ContingencyTable:
        """The table (condition, first, second), from the values of these three variables in each cell."""
        _, n_first, n_second = shape
        return ContingencyTable.of_cells(shape, (condition * n_first + first) * n_second + second, self.counts)


def _column_by_period(cells: _Cells, condition: Integers, combinations: Combinations) -> ContingencyTable:
    """The table (condition, code, period); ``condition`` has a number for each combination."""
    shape = (int(condition.max()) + 1, cells.n_codes, combinations.n_periods)
    period = combinations.period[cells.combination]
    return cells.table(shape, condition[cells.combination], cells.code, period)


def _class_by_period(cells: _Cells, combinations: Combinations) -> ContingencyTable:
    """The table (code and stratum, class, period)."""
    shape = (cells.n_codes * combinations.n_strata, combinations.n_labels, combinations.n_periods)
    condition = cells.code * combinations.n_strata + combinations.stratum[cells.combination]
    label = combinations.label[cells.combination]
    return cells.table(shape, condition, label, combinations.period[cells.combination])


def _column_by_class(cells: _Cells, combinations: Combinations) -> ContingencyTable:
    """The table (stratum, code, class)."""
    shape = (combinations.n_strata, cells.n_codes, combinations.n_labels)
    condition = combinations.stratum[cells.combination]
    return cells.table(shape, condition, cells.code, combinations.label[cells.combination])


def _tested_bits(tables: list[ContingencyTable], n_samples: int) -> TestedBits:
    """For each table (condition, first, second): the information of first and second, conditional on the condition."""
    options = TestOptions()
    entropy_terms = make_entropy_terms(n_samples)
    sums = IndependenceSums.of_tables(tables, entropy_terms, options.optional_sums)
    n_first, n_second = np.array([table.shape[1:] for table in tables], np.int64).T
    results = results_of(sums, NominalShape(1, n_first, n_second), entropy_terms, options)
    bits = np.array([result.bits - result.bits_by_chance for result in results], np.float64)
    return TestedBits(bits, np.array([result.log_p for result in results], np.float64))
