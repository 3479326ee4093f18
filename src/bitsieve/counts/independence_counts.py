"""Counts of two variables within strata, the joint values of others: what tests of conditional independence need.

A variable is the index of a column, or ``n_features`` for the class.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bitsieve.counts.independence_codes import IndependenceCodes, Variables
from bitsieve.counts.independence_sums import IndependenceSums, OptionalSums
from bitsieve.counts.source import ConditioningSource, JointCodes, Partition, coded
from bitsieve.counts.tables import ContingencyTable, EntropyTerms, column_blocks
from bitsieve.utils.arrays import Columns, Floats, Integers

MAX_CACHED_PARTS = 1 << 24  # so many part numbers are cached at most; a partition has one for each sample


class IndependenceCounts:
    """Counts pairs of variables within strata, the joint values of some other variables."""

    def __init__(self, source: ConditioningSource, entropy_terms: EntropyTerms) -> None:
        self.source = source
        self.class_variable = source.n_features
        self.n_samples = source.n_samples
        self.entropy_terms = entropy_terms
        self.n_codes = np.append(source.arities.astype(np.int64), source.n_classes)  # by variable
        self._partitions: dict[Variables, Partition] = {}  # by ascending columns
        self._max_partitions = max(8, MAX_CACHED_PARTS // source.n_samples)
        coded_source = coded(source)
        self._codes = None if coded_source is None else IndependenceCodes(coded_source, self.n_codes, entropy_terms)

    def sums(self, x: int, others: Columns, strata: Variables, optional: OptionalSums) -> IndependenceSums:
        """The sums of the tests of x with each of ``others``."""
        if self._codes is not None and self._codes.can_count(x):
            return self._codes.sums(x, others, strata, optional)
        sums = []
        for block in self._blocks(others, strata):
            tables = self.tables(x, block.tolist(), strata)
            sums.append(IndependenceSums.of_tables(tables, self.entropy_terms, optional))
        return IndependenceSums.joined(sums)

    def tables(self, x: int, others: Sequence[int], strata: Variables) -> list[ContingencyTable]:
        """Count one table for each of ``others``, of shape (strata that occur, codes of the other, codes of x)."""
        if x == self.class_variable:
            return self._partition(strata).tables(np.array(others, np.intp), True)
        tables: dict[int, ContingencyTable] = {}
        columns = [y for y in others if y != self.class_variable]
        if columns:
            tables = dict(zip(columns, self._tables_of_columns(x, columns, strata), strict=True))
        if self.class_variable in others:
            (table,) = self._partition(strata).tables(np.array([x]), True)
            tables[self.class_variable] = _exchange_codes_and_classes(table)
        return [tables[y] for y in others]

    def _blocks(self, others: Columns, strata: Variables) -> list[Columns]:
        """Divide variables into blocks whose tables within the strata fit into memory at once."""
        n_codes_of_strata: Floats = self.n_codes[list(strata)].astype(np.float64)
        n_strata = int(min(n_codes_of_strata.prod(), self.n_samples))
        n_codes = self.n_codes[others].astype(np.int32)
        max_codes = int(self.n_codes.max())
        return [others[block] for block in column_blocks(n_strata, n_codes, max_codes, self.n_samples)]

    def _tables_of_columns(self, x: int, columns: list[int], strata: Variables) -> list[ContingencyTable]:
        """The tables of a column x with other columns."""
        by_class = self.class_variable in strata
        columns_of_strata = tuple(column for column in strata if column != self.class_variable)
        partition = self._partition(columns_of_strata).refine(x)
        keys = partition.keys  # one row for each part: its codes in the strata and then of x; rows are ascending
        is_next_stratum = np.zeros(len(keys), bool)
        is_next_stratum[1:] = (keys[1:, :-1] != keys[:-1, :-1]).any(axis=1)
        stratum_of_part = np.cumsum(is_next_stratum)
        n_strata = int(stratum_of_part[-1]) + 1
        code_of_part = keys[:, -1]
        return [
            self._by_stratum(table, x, n_strata, stratum_of_part, code_of_part)
            for table in partition.tables(np.array(columns, np.intp), by_class)
        ]

    def _by_stratum(
        self, table: ContingencyTable, x: int, n_strata: int, stratum_of_part: Integers, code_of_part: Integers
    ) -> ContingencyTable:
        """Rearrange a table of the axes (stratum and x, y, class) to the axes (stratum and class, y, x)."""
        _, n_y, n_classes = table.shape
        n_x = int(self.n_codes[x])
        cells, counts = table.occupied()
        part_and_y, label = np.divmod(cells, n_classes)
        part, y = np.divmod(part_and_y, n_y)
        stratum = stratum_of_part[part] * n_classes + label
        new_cells = (stratum * n_y + y) * n_x + code_of_part[part]
        return ContingencyTable.of_cells((n_strata * n_classes, n_y, n_x), new_cells, counts)

    def _partition(self, columns: Variables) -> Partition:
        """The samples divided by the joint values of columns; recent partitions are cached."""
        if columns in self._partitions:
            return self._partitions[columns]
        if columns:
            partition = self._partition(columns[:-1]).refine(columns[-1])
        else:
            coded_source = coded(self.source)
            # With codes in memory the part of every sample is known, and all tables are counted in one pass.
            partition = self.source.partition() if coded_source is None else JointCodes(coded_source)
        if len(self._partitions) >= self._max_partitions:
            self._partitions.clear()
        self._partitions[columns] = partition
        return partition


def _exchange_codes_and_classes(table: ContingencyTable) -> ContingencyTable:
    """The table with its codes and its classes exchanged."""
    n_strata, n_codes, n_classes = table.shape
    cells, counts = table.occupied()
    stratum_and_code, label = np.divmod(cells, n_classes)
    stratum, code = np.divmod(stratum_and_code, n_codes)
    new_cells = (stratum * n_classes + label) * n_codes + code
    return ContingencyTable.of_cells((n_strata, n_classes, n_codes), new_cells, counts)
