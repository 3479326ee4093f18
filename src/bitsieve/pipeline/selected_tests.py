"""Tests of each selected column: is it informative alone, or given all other selected columns?"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log
from typing import Literal, NamedTuple, Self, get_args

import numpy as np

from bitsieve.counts.source import CountSource
from bitsieve.information.evidence import log_codings, n_columns_tried
from bitsieve.information.log_tails import log_tails_of_pairs
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.information.protocol import ConditionalInformation, Information
from bitsieve.methods.by_counts.stopping.significance import (
    TestOfColumn,
    are_informative_within_strata,
    is_informative_by_bound,
    is_informative_given,
)
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.lazy import Lazy

InformativeState = Literal["alone", "with others", "by rule", "not shown", "not tested"]
INFORMATIVE_STATES: tuple[InformativeState, ...] = get_args(InformativeState)
LEVEL = 0.025  # the level of each of the two tests
MAX_CODES_CONDITIONED = 10**9  # rows x selected columns x columns tested given the others, which take some seconds
MAX_CODES_SHUFFLED = 4 * 10**9  # rows x shuffles of all selected columns, which take about 4 seconds
MIN_ROWS_A_COMBINATION = 5  # with fewer rows for each combination of the other columns, a test that fails says little


class SelectedTests(NamedTuple):
    """Tests of each of k selected columns; every field has shape (k,)."""

    is_informative_alone: Flags  # whether I(X;C) is more than chance
    is_informative_given_others: Flags  # whether I(X;C|S) is, S all others; False where X is informative alone
    is_conclusive: Flags  # False where neither is shown, and the rows are too few to test the column given the others

    @classmethod
    def of_none(cls, n_columns: int) -> Self:
        """What is known of columns that were not tested."""
        none = np.zeros(n_columns, bool)
        return cls(is_informative_alone=none, is_informative_given_others=none, is_conclusive=none)


def tests_of_selected(information: Information, columns: Columns) -> Lazy[SelectedTests]:
    """Test each selected column alone; where that shows nothing, given all other selected columns, later ones too.

    With n columns to choose from, a column is informative alone if ``n p <= 0.025`` for the p-value of ``I(X;C) = 0``
    (:func:`~bitsieve.information.log_tails.log_tails`), and given the others S if that of ``I(X;C|S) = 0`` is
    (:func:`~bitsieve.methods.by_counts.stopping.significance.is_informative_given`). Where a column was cut by the
    class, p is multiplied by the number of possible cuts.

    A test given the others that fails is conclusive if there are five samples or more for each combination of the
    values of the others, or the column has one code only. The tests are made when they are first needed, from a copy
    of the columns; at once where a copy would be large.
    """
    source = information.source
    if "survival" in source.capabilities:
        return Lazy(lambda: _tests_by_log_rank(information, columns))
    penalty = log_codings(source, columns)
    n_tried = n_columns_tried(information)
    column_copy = source.copy_of_columns(columns)
    if column_copy is None:
        tests = _test_selected(source, columns, penalty, n_tried)
        return Lazy(lambda: tests)
    positions = np.arange(len(columns))
    return Lazy(lambda: _test_selected(column_copy, positions, penalty, n_tried))


def _tests_by_log_rank(information: Information, columns: Columns) -> SelectedTests:
    """Test each column by itself; where the target is a time to an event no column is tested given others."""
    from bitsieve.information.log_rank import has_unequal_hazards

    return SelectedTests(
        is_informative_alone=has_unequal_hazards(information, columns, LEVEL),
        is_informative_given_others=np.zeros(len(columns), bool),
        is_conclusive=np.ones(len(columns), bool),
    )


def _test_selected(source: CountSource, columns: Columns, penalty: Floats, n_tried: int) -> SelectedTests:
    """:func:`tests_of_selected`; ``penalty`` is added to the logarithm of each p-value."""
    information: PlugInInformation = PlugInInformation(source)
    test = _affordable_test(source, len(columns), n_tried)
    if source.n_strata <= 1:
        is_informative_alone = _test_alone(source, columns, penalty, n_tried)
    else:
        from bitsieve.information.within_strata import PlugInWithinStrata

        information = PlugInWithinStrata(source)
        is_informative_alone = are_informative_within_strata(information, columns, penalty, n_tried, LEVEL, test)
    is_in_doubt = ~is_informative_alone & information.varies[columns]
    is_informative_given_others = np.zeros(len(columns), bool)
    is_conclusive = np.ones(len(columns), bool)
    if len(columns) > 1 and is_in_doubt.any():
        is_informative_given_others, is_conclusive = _test_given_others(
            information, columns, is_in_doubt, penalty, n_tried, test
        )
    return SelectedTests(
        is_informative_alone=is_informative_alone,
        is_informative_given_others=is_informative_given_others,
        is_conclusive=is_conclusive,
    )


def _affordable_test(source: CountSource, n_columns: int, n_tried: int) -> TestOfColumn:
    """The test of a column: by shuffles, where those of all columns take seconds at most; else by a bound."""
    shuffles_of_column = ceil(2 * n_tried / LEVEL)  # as many as a p of the corrected level needs
    if n_columns * shuffles_of_column * source.n_samples <= MAX_CODES_SHUFFLED:
        return is_informative_given
    return is_informative_by_bound


def _test_alone(source: CountSource, columns: Columns, penalty: Floats, n_tried: int) -> Flags:
    """Whether each column is more informative than chance by itself."""
    is_informative: Flags = log_tails_of_pairs(source, [(None, columns)]) + penalty <= log(LEVEL / n_tried)
    return is_informative


def _test_given_others(
    information: PlugInInformation,
    columns: Columns,
    is_in_doubt: Flags,
    penalty: Floats,
    n_tried: int,
    test: TestOfColumn,
) -> tuple[Flags, Flags]:
    """Whether each column in doubt is informative given all others, and whether the test of each is conclusive."""
    source = information.source
    is_informative = np.zeros(len(columns), bool)
    is_conclusive = ~is_in_doubt
    n_codes = source.n_samples * len(columns) * int(is_in_doubt.sum())
    if "partition" not in source.capabilities or n_codes > MAX_CODES_CONDITIONED:
        return is_informative, is_conclusive
    is_tested = is_in_doubt & np.isfinite(penalty)  # where rows come in groups, no column is
    for i, conditional in _given_all_others(information, columns, is_tested):
        is_informative[i] = test(conditional, int(columns[i]), float(penalty[i]), n_tried, LEVEL)
        n_combinations = conditional.partition.n_parts
        is_conclusive[i] = is_informative[i] or MIN_ROWS_A_COMBINATION * n_combinations <= source.n_samples
    return is_informative, is_conclusive


def _given_all_others(
    information: PlugInInformation, columns: Columns, is_tested: Flags
) -> Iterator[tuple[int, ConditionalInformation]]:
    """The index of each tested column, and information conditional on all other columns.

    The samples are divided by the columns in their order, so that the partition by those before a column is made once.
    """
    given_earlier = information.conditional()
    for i in range(len(columns)):
        if not is_tested[i:].any():
            return
        if is_tested[i]:
            conditional = given_earlier
            for later_column in columns[i + 1 :].tolist():
                conditional = conditional.refine(later_column)
            yield i, conditional
        given_earlier = given_earlier.refine(int(columns[i]))
