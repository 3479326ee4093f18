"""Tests of the independence of columns and the class, by the tables of a column or of two: logarithms of p-values."""

from __future__ import annotations

from collections.abc import Sequence
from math import lgamma
from typing import Any, NamedTuple

import numpy as np

from bitsieve.counts.source import CountSource
from bitsieve.counts.tables import ContingencyTable, OccupiedCells, column_blocks
from bitsieve.information.chi_squared import bounded_log_tail
from bitsieve.utils.arrays import Columns, Flags, Floats, Values

CELLS_AT_ONCE = 1 << 18  # cells of the tables that are tested at once
MIN_EXPECTED = 5  # the tail of chi-squared holds if every cell expects at least so many samples
PRIOR_COUNT = 0.5  # samples that each class has in every cell before any is counted (Krichevsky and Trofimov)


def log_tails_of_pairs(source: CountSource, pairs: Sequence[tuple[int | None, Columns]]) -> Floats:
    """:func:`log_tails` of the tables of each pivot (None: no pivot) with each of its columns, in this order.

    Tables are tested in batches, so that few of them are in memory at once.
    """
    tables: list[ContingencyTable] = []
    batches = [np.empty(0)]
    n_cells = 0
    for pivot, columns in pairs:
        n_first = 1 if pivot is None else int(source.arities[pivot])
        for block in column_blocks(n_first, source.arities[columns], source.n_classes, source.n_samples):
            tables_of_block = source.tables(pivot, columns[block], True)
            if n_cells > CELLS_AT_ONCE:
                batches.append(log_tails(tables))
                tables = []
                n_cells = 0
            tables += tables_of_block
            n_cells += sum(len(table.counts) for table in tables_of_block)
    if tables:
        batches.append(log_tails(tables))
    return np.concatenate(batches)


class CellGroups(NamedTuple):
    """Groups of cells, numbered 0, 1, ... over all tables."""

    group_of_cell: Columns
    size: Values  # the samples of each group
    owner: Columns  # the part that each group lies in; the table, if the groups are parts

    @classmethod
    def of_cells(cls, group: Columns, owner: Columns, counts: Values) -> CellGroups:
        """Group cells with these counts, given the group of each cell and the owner of that group."""
        owner_of_group = np.zeros(int(group.max()) + 1, np.intp)
        owner_of_group[group] = owner
        return cls(group, np.bincount(group, counts), owner_of_group)


class Cells(NamedTuple):
    """The non-empty cells of several tables, grouped by part, code and label.

    A part z is a first code in a table, a code x is a second code in a part, a label c is a class in a part.
    """

    counts: Values  # n_zxc of every cell
    parts: CellGroups  # of size n_z
    codes: CellGroups  # of size n_zx
    labels: CellGroups  # of size n_zc

    @classmethod
    def of_tables(cls, tables: Sequence[ContingencyTable]) -> Cells:
        """List the cells of tables with the same number of classes."""
        n_classes = tables[0].shape[2]
        n_codes_of_table = np.array([table.shape[1] for table in tables])
        table, cell, counts = OccupiedCells.of_tables(tables)
        n_codes = n_codes_of_table[table]
        # Cells ascend in every table, and so do its parts and, within these, the codes.
        part = _numbered(table, cell // (n_codes * n_classes))
        code = _numbered(part, cell // n_classes)
        _, label = np.unique(part * n_classes + cell % n_classes, return_inverse=True)
        return cls(
            counts=counts,
            parts=CellGroups.of_cells(part, table, counts),
            codes=CellGroups.of_cells(code, part, counts),
            labels=CellGroups.of_cells(label, part, counts),
        )

    def sum_by_table(self, values: Values, part_of_value: Columns, n_tables: int) -> Floats:
        """The sum of values over each table, given the part that each belongs to."""
        return np.bincount(self.parts.owner[part_of_value], values, n_tables).astype(np.float64)


def log_tails(tables: Sequence[ContingencyTable]) -> Floats:
    """Logarithms of p-values of "second code and class are independent given the first code", one a table, at most 0.

    The tail of chi-squared beyond ``G = 2 N ln(2) I(X;C|Z)`` where every cell of a part expects at least 5 samples.
    Else, with ``n_z``, ``n_zc``, ``n_zx`` and ``n_zxc`` the counts of the table and k classes,

        p = prod_z  prod_c n_zc! / n_z!  /  prod_x [G(k/2) / G(n_zx + k/2) prod_c G(n_zxc + 1/2) / G(1/2)]

    with G the gamma function: the chance of these classes when they are shuffled within the parts, relative to that by
    a rule that learns the classes of each code (Krichevsky and Trofimov). Its inverse has a mean of at most 1 over all
    shuffles, so p is at most t in at most a share t of them (Markov), for any number of samples and codes.
    """
    cells = Cells.of_tables(tables)
    n_tables = len(tables)
    n_codes_in_part = np.bincount(cells.codes.owner)
    n_labels_in_part = np.bincount(cells.labels.owner)
    all_parts = np.arange(len(cells.parts.size))
    freedom = cells.sum_by_table((n_codes_in_part - 1) * (n_labels_in_part - 1), all_parts, n_tables)
    both_vary = (n_codes_in_part > 1) & (n_labels_in_part > 1)
    expected = _smallest_expected(cells, both_vary, n_tables)

    log_p = np.where(freedom == 0, 0.0, np.minimum(0.0, _log_p_by_betting(cells, tables[0].shape[2], n_tables)))
    chi_squared_holds = (expected >= MIN_EXPECTED) & (freedom > 0)
    g = _g_statistic(cells, n_tables)
    log_p[chi_squared_holds] = bounded_log_tail(freedom[chi_squared_holds], g[chi_squared_holds])
    return log_p


def _g_statistic(cells: Cells, n_tables: int) -> Floats:
    """``G = 2 sum n_zxc ln(n_zxc n_z / (n_zx n_zc))`` of every table, the sum over its cells."""
    n_z = cells.parts.size[cells.parts.group_of_cell]
    n_zx = cells.codes.size[cells.codes.group_of_cell]
    n_zc = cells.labels.size[cells.labels.group_of_cell]
    log_ratio = np.log(cells.counts * n_z / (n_zx * n_zc))
    return np.maximum(0.0, 2 * cells.sum_by_table(cells.counts * log_ratio, cells.parts.group_of_cell, n_tables))


def _smallest_expected(cells: Cells, is_counted: Flags, n_tables: int) -> Floats:
    """The smallest ``n_zx n_zc / n_z`` of every table, over the parts z that are counted; infinite without any."""
    rarest_code = np.full(len(cells.parts.size), np.inf)
    np.minimum.at(rarest_code, cells.codes.owner, cells.codes.size)
    rarest_label = np.full(len(cells.parts.size), np.inf)
    np.minimum.at(rarest_label, cells.labels.owner, cells.labels.size)
    expected = np.full(n_tables, np.inf)
    smallest_of_part = rarest_code * rarest_label / cells.parts.size
    np.minimum.at(expected, cells.parts.owner[is_counted], smallest_of_part[is_counted])
    return expected


def _log_p_by_betting(cells: Cells, n_classes: int, n_tables: int) -> Floats:
    """The logarithm of the second formula of :func:`log_tails`: that of the first factor less that of the second."""
    all_parts = np.arange(len(cells.parts.size))
    log_shuffled = cells.sum_by_table(_log_gamma(cells.labels.size + 1), cells.labels.owner, n_tables)
    log_shuffled -= cells.sum_by_table(_log_gamma(cells.parts.size + 1), all_parts, n_tables)
    prior_of_code = n_classes * PRIOR_COUNT
    log_of_codes = _log_gamma(prior_of_code) - _log_gamma(cells.codes.size + prior_of_code)
    log_of_cells = _log_gamma(cells.counts + PRIOR_COUNT) - _log_gamma(PRIOR_COUNT)
    log_learned = cells.sum_by_table(log_of_codes, cells.codes.owner, n_tables)
    log_learned += cells.sum_by_table(log_of_cells, cells.parts.group_of_cell, n_tables)
    return log_shuffled - log_learned


def _numbered(outer: Values, inner: Values) -> Columns:
    """Number the distinct pairs of two arrays 0, 1, ... in their order; equal pairs follow each other."""
    is_new = np.zeros(len(outer), np.intp)
    is_new[1:] = (outer[1:] != outer[:-1]) | (inner[1:] != inner[:-1])
    return np.cumsum(is_new)


def _log_gamma(x: Any) -> Floats:
    """The logarithm of the gamma function, computed once for every distinct value."""
    values, index = np.unique(x, return_inverse=True)
    return np.array([lgamma(value) for value in values.tolist()])[index].reshape(np.shape(x))
