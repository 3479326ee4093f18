"""The tables of columns by class and by stratum, and what shuffles of the class within the strata make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from bitsieve.counts.strata import CountsWithinStrata
from bitsieve.counts.tables import ContingencyTable, joined
from bitsieve.utils.arrays import Floats, Integers

MAX_PAIRS_AT_ONCE = 1 << 16  # pairs of codes whose counts, and expected counts, are in memory together


class ColumnTables(NamedTuple):
    """The tables of the values of columns, by class and by stratum, one column after the other.

    A value may be a joint value of several columns.
    """

    class_table: ContingencyTable  # shape (1, values of all columns, classes)
    stratum_table: ContingencyTable  # shape (1, values of all columns, strata)
    starts: Integers  # where the values of each column start, and where the last end: shape (n_columns + 1,)

    @classmethod
    def of_tables(
        cls, class_tables: Sequence[ContingencyTable], stratum_tables: Sequence[ContingencyTable]
    ) -> ColumnTables:
        """The tables of each column, joined."""
        return cls(joined(class_tables), joined(stratum_tables), value_starts(class_tables))

    def observed(self) -> Integers:
        """O of every value and class, shape (values, classes)."""
        observed: Integers = self.class_table.dense()[0]
        return observed


#: A quantity of each column, from its tables.
TableQuantity: TypeAlias = Callable[[ColumnTables], Floats]


def value_starts(tables: Sequence[ContingencyTable]) -> Integers:
    """Where the values of each table start, one table after the other, and where the last end."""
    return np.cumsum([0, *(table.n_pairs for table in tables)])


def batches_of_tables(tables: Sequence[ContingencyTable]) -> Iterator[Sequence[ContingencyTable]]:
    """Divide tables into batches of at most 65,536 pairs of codes together, or of one table."""
    starts = value_starts(tables)
    first = 0
    while first < len(tables):
        end_of_fitting = int(np.searchsorted(starts, starts[first] + MAX_PAIRS_AT_ONCE, side="right")) - 1
        end = max(first + 1, end_of_fitting)
        yield tables[first:end]
        first = end


@dataclass(frozen=True)
class StratumWeights:
    """The weights of each stratum in the expected counts of each class, and in their variances."""

    expected: Integers  # shape (n_strata, n_classes): n_cs / n_s, in units of ``2**-shift``
    shift: int
    variance: Floats  # shape (n_strata, n_classes): n_cs (n_s - n_cs) / (n_s^2 (n_s - 1))
    stratum_sizes: Integers  # shape (n_strata,): n_s

    @classmethod
    def of_counts(cls, counts: CountsWithinStrata) -> StratumWeights:
        """The weights of the strata of a source of counts."""
        sizes = counts.stratum_sizes
        n_cs = counts.combinations.class_counts(counts.combination_source.class_sizes)
        shift = 62 - int(sizes.sum()).bit_length()  # so that the expected count of all samples is within int64
        share = n_cs / sizes[:, None]
        expected = np.rint(np.ldexp(share, shift)).astype(np.int64)
        variance = share * (1 - share) / np.maximum(sizes - 1, 1)[:, None]
        return cls(expected, shift, variance, sizes)

    def expected_counts(self, table: ContingencyTable) -> Floats:
        """E of every cell and class, shape (cells, classes), from a table of cells by stratum."""
        n_first, n_second, n_strata = table.shape
        if table.cells is None:
            sums = table.counts.reshape(-1, n_strata) @ self.expected
        else:
            cell, stratum = np.divmod(table.cells, n_strata)
            sums = np.zeros((n_first * n_second, self.expected.shape[1]), np.int64)
            np.add.at(sums, cell, table.counts[:, None] * self.expected[stratum])
        return np.ldexp(sums.astype(np.float64), -self.shift)

    def variances(self, table: ContingencyTable) -> Floats:
        """V of every cell and class, shape (cells, classes)."""
        n_first, n_second, n_strata = table.shape
        cells, counts = table.occupied()
        cell, stratum = np.divmod(cells, n_strata)
        n_xs_times_others = (counts * (self.stratum_sizes[stratum] - counts)).astype(np.float64)
        n_cells = n_first * n_second
        variances = np.empty((n_cells, self.variance.shape[1]))
        for label, weights in enumerate(self.variance.T):
            variances[:, label] = np.bincount(cell, n_xs_times_others * weights[stratum], n_cells)
        return variances
