"""The order of columns without a cut: a test of their ranks decides it, behind the columns that add information."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bitsieve.dataset.rank_test import RankTest
from bitsieve.diagnostics import Diagnostic
from bitsieve.methods.by_counts.criteria import make_criterion
from bitsieve.methods.constraints import Candidates
from bitsieve.methods.method import GreedyStep, MethodResult
from bitsieve.pipeline.discretize import CountedTable
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.notes import selection_notes
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.utils.arrays import Columns, Flags
from bitsieve.utils.choice import TIE, rank


class UncutRanking(NamedTuple):
    """The result of a method after the columns without a cut were ordered."""

    result: MethodResult
    rank_tests: Mapping[int, RankTest] | None  # of selected columns, by column; None if no column can be tested


def rank_uncut_columns(
    result: MethodResult,
    counted_table: CountedTable,
    selection: SelectionOptions,
    candidates: Candidates | None,
    n_jobs: int | None,
) -> UncutRanking:
    """Rank the columns without a cut by the statistic of :func:`~bitsieve.dataset.rank_test.rank_tests`.

    A column without a cut has one code and so no information by the counts: the method ranks such columns last, in the
    order of the table. Here they follow the columns that add information, and precede those that add none. Their score
    is 0. A selection that a stopping rule ends, or that takes columns in groups, stays as it is.
    """
    is_greedy = "criterion" in selection.parameters
    if not is_greedy or selection.is_tested or candidates is None or candidates.grouped:
        return UncutRanking(result, {})
    adds_information = _add_information(result, counted_table, selection, len(candidates.must_include))
    if adds_information.all():
        return UncutRanking(result, {})
    informative = result.selected[adds_information]
    uncut = _uncut_candidates(counted_table, candidates)
    uncut = uncut[~np.isin(uncut, informative)]
    if not len(uncut):
        return UncutRanking(result, {})
    tests = None
    if not counted_table.has_several_strata:  # the ranks of all rows differ between strata
        tests = counted_table.table.rank_tests(uncut.tolist(), n_jobs)
    if tests is None:
        return UncutRanking(result, None)

    largest_first = rank(np.array([test.statistic for test in tests]))
    others = result.selected[~adds_information]
    others = others[~np.isin(others, uncut)]
    n_selected = len(result.selected)
    order = np.concatenate([informative, uncut[largest_first], others])[:n_selected]
    test_of_column = dict(zip(uncut.tolist(), tests, strict=True))
    tests_of_selected = {j: test_of_column[j] for j in order.tolist() if j in test_of_column}
    return UncutRanking(_in_order(result, order, tests_of_selected), tests_of_selected)


def _in_order(result: MethodResult, order: Columns, uncut: Container[int]) -> MethodResult:
    """The result with its selected columns in this order. Columns without a cut get a score of 0 and no runner-up.

    A column whose runner-up is now before it has no runner-up either.
    """
    columns_before: set[int] = set()
    score_of_column = dict(zip(result.selected.tolist(), result.scores.tolist(), strict=True))
    step_of_column = {int(step.winner[0]): step for step in result.steps}
    scores = []
    steps = []
    for column in order.tolist():
        if column in uncut:
            scores.append(0.0)
            steps.append(GreedyStep(winner=np.array([column])))
        else:
            scores.append(score_of_column[column])
            step = step_of_column[column]
            has_second_before = not columns_before.isdisjoint(step.runner_up.tolist())
            steps.append(GreedyStep(winner=step.winner) if has_second_before else step)
        columns_before.add(column)
    return replace(result, order=order, scores=np.array(scores), steps=steps)


def _add_information(
    result: MethodResult, counted_table: CountedTable, selection: SelectionOptions, n_included: int
) -> Flags:
    """Whether each selected column adds information by its score, or was to be included.

    Some criteria have scores that are not the information that a column adds. By these, all columns that vary count.
    """
    if make_criterion(selection.parameters["criterion"]).is_gain:
        adds_information = result.scores > TIE
    else:
        adds_information = counted_table.information.varies[result.selected].copy()
    adds_information[:n_included] = True
    return adds_information


def _uncut_candidates(counted_table: CountedTable, candidates: Candidates) -> Columns:
    """The columns without a cut that may be selected, and are not constant."""
    table = counted_table.table
    edges = counted_table.binner.bin_edges_
    uncut = counted_table.binner.columns_without_cut
    is_cut_at_median = edges.lengths[uncut] > 0
    is_unselectable = np.isin(uncut, [*table.dropped, *candidates.exclude])
    uncut = uncut[~is_cut_at_median & ~is_unselectable]
    return np.setdiff1d(uncut, table.constant_columns(uncut.tolist()))


def on_uncut(fit: Fit) -> list[Diagnostic]:
    """Which selected columns have no cut, so that a test of their ranks orders them.

    There is no note if all selected columns are ordered so: another one says that none has information.
    """
    if fit.rank_tests is None:
        counts = fit.table.class_counts_of_strata
        has_several_strata = counts is not None and len(counts) > 1
        return [selection_notes.uncut_within_strata() if has_several_strata else selection_notes.ordered_by_position()]
    if not fit.rank_tests or len(fit.rank_tests) == len(fit.result.selected):
        return []
    statistic_name = "(N - 1) rho^2" if fit.table.target.kind == "binned" else "H"
    names = [str(fit.table.names[j]) for j in fit.rank_tests]
    return [selection_notes.ordered_by_ranks(names, list(fit.rank_tests.values()), statistic_name)]
