"""Which columns carry more information about the class than chance."""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, lgamma, log, pi
from typing import Any, NamedTuple

import numpy as np

from bitsieve.counts.source import CountSource
from bitsieve.counts.tables import ContingencyTable, OccupiedCells, column_blocks, make_entropy_terms
from bitsieve.information.margins import expected_terms
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.information.protocol import Information
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Values
from bitsieve.utils.lazy import Lazy

PIVOTS_AT_ONCE = 256  # conditioning columns whose pairs with all others are screened at once
PIVOT_BATCH_EDGES = (8, 24, 56, 120)  # pivots are tested in batches: a column found informative is not in the next
CELLS_AT_ONCE = 1 << 18  # cells of the tables that are tested at once
MIN_EXPECTED = 5  # the tail of chi-squared holds if every cell expects at least so many samples
SMALLEST_TAIL = 1e-290
SMALLEST_LOG_TAIL = log(SMALLEST_TAIL)  # a smaller tail is replaced by a bound
ROUNDING = 1e-12  # the relative rounding error of the logarithm of a tail is smaller
PRIOR_COUNT = 0.5  # samples that each class has in every cell before any is counted (Krichevsky and Trofimov)


def carries_information(information: Information, columns: Columns, level: float = 0.05) -> Lazy[Flags]:
    """Whether each of some columns carries more information about the class than chance, alone or given another.

    With n columns to choose from, column i is informative if ``n p <= level / 2`` for the p-value of ``I(Xi;C) = 0``,
    or ``n^2 p <= level / 2`` for the p-value of ``I(Xi;C|Xj) = 0`` given any other column j of the list (Bonferroni).
    So among columns of pure noise one is called informative in at most ``level`` of all data sets. Where columns were
    cut by the class, p is multiplied by the number of possible cuts; where samples belong together in groups, no column
    is called informative.

    ``information`` is the plug-in information of all n columns. The answer is computed when it is first needed, from a
    copy of the columns; at once where a copy would be large.
    """
    source = information.source
    if "survival" in source.capabilities:
        from bitsieve.information.log_rank import has_unequal_hazards

        return Lazy(lambda: has_unequal_hazards(information, columns, level / 2))
    chosen, index = np.unique(columns, return_inverse=True)
    penalty = log_codings(source, chosen)
    n_tried = n_columns_tried(information)
    column_copy = source.copy_of_columns(chosen)
    if column_copy is not None:
        information = PlugInInformation(column_copy)
        chosen = np.arange(len(chosen))

    def compute() -> Flags:
        return _are_informative(information, chosen, penalty, n_tried, level)[index]

    if column_copy is not None:
        return Lazy(compute)
    is_informative = compute()
    return Lazy(lambda: is_informative)


def are_informative_alone(information: Information, level: float) -> Flags:
    """Whether each column carries more information about the class than chance by itself.

    Its p-value of ``I(Xi;C) = 0``, multiplied by the number of columns to choose from, is at most ``level``. Where
    columns were cut by the class, p is multiplied by the number of possible cuts, too. ``information`` may be any
    estimate: the counts are tested.
    """
    source = information.source
    limit = log(level / n_columns_tried(information))
    may_pass = columns_that_may_pass(PlugInInformation(source), limit)
    is_informative = np.zeros(information.n_features, bool)
    if len(may_pass):
        log_p = log_tails_of_pairs(source, [(None, may_pass)]) + log_codings(source, may_pass)
        is_informative[may_pass] = log_p <= limit
    return is_informative


def columns_that_may_pass(plug_in: PlugInInformation, limit: float) -> Columns:
    """The columns whose G would be significant with one degree of freedom: ``log p <= limit``."""
    g = np.maximum(0.0, 2 * log(2) * plug_in.source.n_samples * plug_in.relevance)
    return np.flatnonzero(plug_in.varies & (_log_tail_bound_of_one_degree(g) <= limit))


def n_columns_tried(information: Information) -> int:
    """How many columns there are to choose from: those that vary; where they were cut by the class, all."""
    source = information.source
    n_columns = int(information.varies.sum()) if source.search is None else source.n_features
    return max(1, n_columns)


def log_codings(source: CountSource, columns: Columns) -> Floats:
    """The logarithm of the number of codings that each column might have got; inf where samples come in groups."""
    search = source.search
    if search is None:
        return np.zeros(len(columns))
    if search.exchangeable_units is not None:
        return np.full(len(columns), np.inf)
    return np.array([search.log_codings(int(column)) for column in columns], np.float64)


def _are_informative(information: Information, chosen: Columns, penalty: Floats, n_tried: int, level: float) -> Flags:
    """:func:`carries_information` of the columns ``chosen``; ``penalty`` is added to the logarithm of each p-value."""
    source = information.source
    is_informative: Flags = log_tails_of_pairs(source, [(None, chosen)]) + penalty <= log(level / 2 / n_tried)
    candidates = np.flatnonzero(~is_informative & information.varies[chosen])  # indices in ``chosen``
    if not len(candidates):
        return is_informative
    for first in range(0, len(chosen), PIVOTS_AT_ONCE):
        pivots = np.arange(first, min(first + PIVOTS_AT_ONCE, len(chosen)))  # indices in ``chosen``, too
        # The largest logarithm of p that shows information, of every pivot (row) and candidate (column).
        limit = log(level / 2 / n_tried**2) - penalty[pivots, None] - penalty[candidates]
        is_possible = _may_be_significant(information, chosen, pivots, candidates, limit)
        rows_to_test = np.flatnonzero(is_possible.any(axis=1))
        for rows in np.split(rows_to_test, PIVOT_BATCH_EDGES):
            is_tested = is_possible[rows] & ~is_informative[candidates]
            pairs: list[tuple[int | None, Columns]] = []
            for row, is_tested_with_pivot in zip(rows, is_tested, strict=True):
                pivot_column = int(chosen[pivots[row]])
                pairs.append((pivot_column, chosen[candidates[is_tested_with_pivot]]))
            passes = log_tails_of_pairs(source, pairs) <= limit[rows][is_tested]
            _, tested = np.nonzero(is_tested)  # indices in ``candidates``, pivot by pivot as in ``pairs``
            is_informative[candidates[tested[passes]]] = True
    return is_informative


def _may_be_significant(
    information: Information, chosen: Columns, pivots: Columns, candidates: Columns, limit: Floats
) -> Flags:
    """Whether a lower bound of the logarithm of p of each pivot and candidate is within its limit.

    The bound follows from ``G`` alone: for the same G no p-value is smaller than that of one degree of freedom.
    """
    bits = information.conditional_rows(chosen[pivots], chosen[candidates])
    g = np.maximum(0.0, 2 * log(2) * information.source.n_samples * bits)
    is_other_column = candidates != pivots[:, None]
    is_possible: Flags = is_other_column & (_log_tail_bound_of_one_degree(g) <= limit)  # cheap, and rules out most
    is_possible[is_possible] = _bounded_log_tail(1, g[is_possible]) <= limit[is_possible]
    return is_possible


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
    log_p[chi_squared_holds] = _bounded_log_tail(freedom[chi_squared_holds], g[chi_squared_holds])
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


def log_chi_squared_tail(freedom: Values | int, x: Floats) -> Floats:
    """Logarithms of the tails of chi-squared beyond ``x``, of whole degrees of freedom.

    The tail of one degree is ``erfc(sqrt(x/2))`` and that of two is ``exp(-x/2)``. From f degrees to f + 2 the tail
    grows by ``(x/2)^(f/2) exp(-x/2) / Gamma(f/2 + 1)``.
    """
    shape = np.broadcast_shapes(np.shape(freedom), x.shape)
    degrees = np.broadcast_to(freedom, shape).ravel()
    half = np.broadcast_to(x / 2, shape).ravel()
    tails = np.empty(len(degrees))
    odd = np.flatnonzero(degrees % 2 == 1)
    log_tails_of_one = np.array([_log_erfc(root) for root in np.sqrt(half[odd]).tolist()])
    tails[odd] = _raised_log_tails(log_tails_of_one, 1, degrees[odd], half[odd])
    even = np.flatnonzero(degrees % 2 == 0)
    tails[even] = _raised_log_tails(-half[even], 2, degrees[even], half[even])
    return tails.reshape(shape)


def _log_erfc(x: float) -> float:
    """``ln erfc(x)`` of x from 0, where erfc is too small for a float by its asymptotic series.

    ``erfc(x) = exp(-x^2) / (x sqrt(pi)) (1 - 1 / 2x^2 + 1 3 / (2x^2)^2 - 1 3 5 / (2x^2)^3 + ...)``
    """
    tail = erfc(x)
    if tail > SMALLEST_TAIL:
        return log(tail)
    series = 1.0
    term = 1.0
    for k in range(1, 9):
        term *= -(2 * k - 1) / (2 * x * x)
        series += term
    return log(series) - x * x - log(x * pi**0.5)


def _raised_log_tails(start: Floats, low: int, degrees: Values, half: Floats) -> Floats:
    """Logarithms of tails beyond ``x = 2 half`` of these degrees, from ``start``, those of ``low`` degrees."""
    order = np.argsort(-degrees, kind="stable")
    falling_degrees = degrees[order]
    half = half[order]
    tail = start[order]
    with np.errstate(divide="ignore"):
        log_half = np.log(half)
    max_degrees = int(degrees.max(initial=0))
    for f in range(low, max_degrees, 2):
        n = int(np.searchsorted(-falling_degrees, -f))  # the first n have more than f degrees
        log_term = f / 2 * log_half[:n] - half[:n] - lgamma(f / 2 + 1)
        before = tail[:n].copy()
        tail[:n] = np.minimum(0.0, np.logaddexp(before, log_term))
        terms_only_fall = f > 2 * half.max()
        is_check_due = f % 512 < 3  # a comparison at every step would take as long as the step
        if is_check_due and terms_only_fall and np.array_equal(before, tail[:n]):
            break  # no later term changes a tail
    result = np.empty(len(tail))
    result[order] = tail
    return result


def _log_tail_bound_of_one_degree(x: Floats) -> Floats:
    """A lower bound of the logarithm of the tail of one degree.

    ``erfc(a) > 2 / sqrt(pi) exp(-a^2) / (a + sqrt(a^2 + 2))``
    """
    half: Floats = x / 2
    bound: Floats = log(2 / pi**0.5) - half - np.log(np.sqrt(half) + np.sqrt(half + 2)) - ROUNDING * (1 + half)
    return bound


def _bounded_log_tail(freedom: Values | int, x: Floats) -> Floats:
    """Logarithm of the tail; Chernoff's bound of it where the tail itself is too small for a float."""
    tail = log_chi_squared_tail(freedom, x)
    share = np.maximum(x / freedom, 1.0)
    return np.where(tail > SMALLEST_LOG_TAIL, tail, -freedom / 2 * (share - 1 - np.log(share)))


def _log_gamma(x: Any) -> Floats:
    """The logarithm of the gamma function, computed once for every distinct value."""
    values, index = np.unique(x, return_inverse=True)
    return np.array([lgamma(value) for value in values.tolist()])[index].reshape(np.shape(x))


def expected_information(row_counts: Integers, column_counts: Integers) -> float:
    """The plug-in information of two variables with these counts of their values, in bits, when one is permuted."""
    n = int(row_counts.sum())
    entropy_terms = make_entropy_terms(n)
    rows, n_rows = np.unique(row_counts[row_counts > 0], return_counts=True)
    columns, n_columns = np.unique(column_counts[column_counts > 0], return_counts=True)
    joint = int(n_rows @ expected_terms(n, rows, columns) @ n_columns)
    margins = entropy_terms.sum(row_counts) + entropy_terms.sum(column_counts) - entropy_terms.sum(np.array([n]))
    return (joint - margins) / entropy_terms.per_bit
