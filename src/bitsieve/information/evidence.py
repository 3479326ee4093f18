"""Which columns carry more information about the class than chance."""

from __future__ import annotations

from math import log

import numpy as np

from bitsieve.counts.source import CountSource
from bitsieve.information.chi_squared import bounded_log_tail, log_tail_bound_of_one_degree
from bitsieve.information.log_tails import log_tails_of_pairs
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.information.protocol import Information
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.lazy import Lazy

PIVOTS_AT_ONCE = 256  # conditioning columns whose pairs with all others are screened at once
PIVOT_BATCH_EDGES = (8, 24, 56, 120)  # pivots are tested in batches: a column found informative is not in the next


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
    return np.flatnonzero(plug_in.varies & (log_tail_bound_of_one_degree(g) <= limit))


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
    is_possible: Flags = is_other_column & (log_tail_bound_of_one_degree(g) <= limit)  # cheap, and rules out most
    is_possible[is_possible] = bounded_log_tail(1, g[is_possible]) <= limit[is_possible]
    return is_possible
