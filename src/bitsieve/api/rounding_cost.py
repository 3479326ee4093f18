"""How far the scores of a selection may have moved because sites rounded their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from bitsieve.diagnostics import Diagnostic
from bitsieve.engines.rounded_counts import drawn_counts, rounded_counts
from bitsieve.engines.saved_counts import SavedCounts
from bitsieve.engines.saved_counts_dataset import SavedCountsDataset
from bitsieve.methods.method import MethodResult
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.notes import job_notes
from bitsieve.pipeline.prepare import prepare_selection
from bitsieve.pipeline.run import run
from bitsieve.utils.arrays import Floats
from bitsieve.utils.progress import phase

N_REPEATS = 20  # their range held 75 to 87 % of the information values of simulated sites
MAX_COLUMNS = 20  # at most: the first columns of the list, which have an interval


@dataclass(frozen=True, eq=False)
class RoundingCost:
    """Where the scores of the first ranks are without rounding, by repeats of the rounding."""

    low: Floats  # by rank; there are fewer than selected columns, if some repeats selected fewer
    high: Floats
    n_same_orders: int  # repeats in which rounding did not change the order of the columns


def rounding_cost(fit: Fit, site_counts: Sequence[SavedCounts]) -> RoundingCost:
    """Round counts like the saved ones again, and see how far the scores move.

    In each repeat, counts that may have been rounded to the saved ones are drawn for each site, and rounded. The method
    runs on the sum of both, among the columns that were selected. With s the score on the saved counts, and m_1, m_2,
    ... the changes of the score at the same rank by rounding, the interval is ``[s - max(m), s - min(m)]``.
    """
    n_columns = max(MAX_COLUMNS, len(fit.selection.columns.include))  # a repeat must select all of ``include``, too
    columns = fit.result.selected[:n_columns]
    other_columns = np.setdiff1d(np.arange(fit.table.n_features), columns)
    saved = [counts.without(other_columns.tolist()) for counts in site_counts]
    random = np.random.default_rng(0)
    report = phase("repeating the rounding")
    changes = []
    n_same_orders = 0
    for repeat in range(N_REPEATS):
        drawn = [drawn_counts(counts, random) for counts in saved]
        rounded = [_rounded_again(counts, like.rounding_bases) for counts, like in zip(drawn, saved, strict=True)]
        before = _select(fit, reduce(add, drawn), len(columns))
        after = _select(fit, reduce(add, rounded), len(columns))
        n_scores = min(len(before.scores), len(after.scores))
        changes.append(after.scores[:n_scores] - before.scores[:n_scores])
        if np.array_equal(before.selected, after.selected):
            n_same_orders += 1
        report(repeat + 1, N_REPEATS)
    n_ranks = min(map(len, changes))
    changes_by_rank = np.array([change[:n_ranks] for change in changes])  # shape (n_repeats, n_ranks)
    scores = fit.result.scores[:n_ranks]
    return RoundingCost(
        low=scores - changes_by_rank.max(axis=0),
        high=scores - changes_by_rank.min(axis=0),
        n_same_orders=n_same_orders,
    )


def _rounded_again(counts: SavedCounts, bases: Sequence[int]) -> SavedCounts:
    """Round the counts of a site to multiples of each base; without a base they stay exact."""
    for base in bases:
        counts = rounded_counts(counts, base)
    return counts


def _select(fit: Fit, counts: SavedCounts, n_features: int) -> MethodResult:
    """Run the method of a fit on other counts, which few columns have, within the strata of the fit."""
    selection = replace(fit.selection, n_features_to_select=n_features, screen=None)
    table = SavedCountsDataset(counts, within_strata=fit.table.class_counts_of_strata is not None)
    prepared = prepare_selection(table, selection, fit.prepared.requested_discretization, fit.execution)
    return run(prepared, fit.execution).result


def note_on_rounding(fit: Fit, site_counts: Sequence[SavedCounts]) -> Diagnostic:
    """The note on counts of sites of which some are rounded."""
    bases = sorted({base for counts in site_counts for base in counts.rounding_bases})
    if len(fit.result.selected) == 0:
        return job_notes.rounded_counts(bases, [], 0, N_REPEATS)
    cost = rounding_cost(fit, site_counts)
    ranges = list(zip(cost.low.tolist(), cost.high.tolist(), strict=True))
    return job_notes.rounded_counts(bases, ranges, cost.n_same_orders, N_REPEATS)
