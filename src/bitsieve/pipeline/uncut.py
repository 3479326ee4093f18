"""Where no cut separates a column by the classes, a test of its ranks decides its place behind the informative ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from bitsieve.dataset.rank_test import RankTest
from bitsieve.diagnostics import Diagnostic
from bitsieve.methods.by_counts.criteria import make_criterion
from bitsieve.methods.constraints import Candidates
from bitsieve.methods.method import GreedyStep, MethodResult
from bitsieve.pipeline.discretize import Counted
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.utils.arrays import Columns, Flags
from bitsieve.utils.choice import TIE, rank
from bitsieve.utils.messages import quoted

MAX_NAMES = 5  # of columns in one note


@dataclass(frozen=True)
class UncutRanking:
    """A result in which the columns without a cut have their place, and the tests of those that are selected."""

    result: MethodResult
    rank_tests: Mapping[int, RankTest] | None  # by column; None if they cannot be tested: they stand by position


def rank_uncut_columns(
    result: MethodResult, counted: Counted, selection: SelectionOptions, candidates: Candidates | None
) -> UncutRanking:
    """Rank the columns without a cut by the statistic of :func:`~bitsieve.dataset.rank_test.rank_test`.

    By counts they have one code and no information, so that the method leaves them to the end, by position. Here they
    come behind the columns that add information and before those that add none; their score is 0. A selection that a
    stopping rule ends, or that takes columns in groups, stays as it is.
    """
    is_greedy = "criterion" in selection.parameters
    if not is_greedy or selection.is_tested or candidates is None or candidates.grouped:
        return UncutRanking(result, {})
    adds_information = _add_information(result, counted, selection, len(candidates.must_include))
    informative = result.selected[adds_information]
    uncut = _uncut_candidates(counted, candidates)
    uncut = uncut[~np.isin(uncut, informative)]
    n_selected = len(result.scores)
    if not len(uncut) or len(informative) == n_selected:
        return UncutRanking(result, {})
    tests = counted.table.rank_tests(uncut.tolist())
    if tests is None:
        return UncutRanking(result, None)

    by_statistic = rank(np.array([test.statistic for test in tests]))
    others = result.selected[~adds_information]
    others = others[~np.isin(others, uncut)]
    order = np.concatenate([informative, uncut[by_statistic], others])[:n_selected]

    test_of_column = dict(zip(uncut.tolist(), tests, strict=True))
    score_of_column = dict(zip(result.selected.tolist(), result.scores.tolist(), strict=True))
    step_of_column = {int(step.winner[0]): step for step in result.steps}
    scores = []
    steps = []
    for column in order.tolist():
        if column in test_of_column:
            scores.append(0.0)
            steps.append(GreedyStep(winner=np.array([column])))
        else:
            scores.append(score_of_column[column])
            steps.append(step_of_column[column])
    ranked = replace(result, order=order, scores=np.array(scores), steps=steps)
    return UncutRanking(ranked, {j: test_of_column[j] for j in order.tolist() if j in test_of_column})


def _add_information(result: MethodResult, counted: Counted, selection: SelectionOptions, n_included: int) -> Flags:
    """Whether each selected column adds information by its score, or was to be included.

    Where the score is no information that is added, all columns that vary count as adding some.
    """
    if make_criterion(selection.parameters["criterion"]).is_gain:
        adds_information = result.scores > TIE
    else:
        adds_information = counted.information.varies[result.selected].copy()
    adds_information[:n_included] = True
    return adds_information


def _uncut_candidates(counted: Counted, candidates: Candidates) -> Columns:
    """The columns without a cut that may be selected, and are not constant."""
    table = counted.table
    edges = counted.binner.bin_edges_
    not_selectable = {*table.dropped, *candidates.exclude}
    uncut = [
        j
        for j in counted.binner.columns_without_cut.tolist()
        if len(edges[j]) == 0 and j not in not_selectable and not table.is_constant(j)
    ]
    return np.array(uncut, np.intp)


def on_uncut(fit: Fit) -> list[Diagnostic]:
    """Which selected columns have no cut, so that a test of their ranks orders them."""
    if fit.rank_tests is None:
        return [
            Diagnostic(
                code="ordered-by-position",
                message="columns without a cut are in the order of the table: their ranks are not among the counts",
                advice="select from the rows for another order",
            )
        ]
    # Another note says it if no selected column has information.
    if not fit.rank_tests or len(fit.rank_tests) == len(fit.result.selected):
        return []
    statistic_name = "(N - 1) rho^2" if fit.table.target.kind == "binned" else "H"
    names = [str(fit.table.names[j]) for j in fit.rank_tests]
    results = [
        f"{quoted([name])} ({statistic_name} = {test.statistic:.3g}, p = {test.p:.2g})"
        for name, test in zip(names, fit.rank_tests.values(), strict=True)
    ]
    listed = ", ".join(results[:MAX_NAMES])
    if len(results) > MAX_NAMES:
        listed += f" and {len(results) - MAX_NAMES:,} more"
    have = "has no cut and is" if len(results) == 1 else "have no cut and are"
    return [
        Diagnostic(
            code="ordered-by-ranks",
            message=f"{listed} {have} ordered by a test of ranks",
            columns=tuple(names),
        )
    ]
