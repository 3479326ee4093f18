"""How far the scores of a selection may have moved because sites rounded their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from bitsieve.diagnostics import Diagnostic
from bitsieve.engines.rounded_counts import drawn_counts, rounded_counts
from bitsieve.engines.saved_counts import SavedCounts, SavedCountsDataset
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.notes import job_notes
from bitsieve.pipeline.prepare import prepare_selection
from bitsieve.pipeline.run import run
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.progress import phase

N_REPEATS = 20  # their range held 75 to 87 % of the information values of simulated sites
MAX_COLUMNS = 20  # the first so many columns of the list have an interval


@dataclass(frozen=True, eq=False)
class RoundingCost:
    """Where the scores of the first ranks are without rounding, by repeats of the rounding."""

    low: Floats  # by rank; there are fewer than selected columns, if some repeats selected fewer
    high: Floats
    n_same_orders: int  # repeats in which rounding did not change the order of the columns


def rounding_cost(fit: Fit, parts: Sequence[SavedCounts]) -> RoundingCost:
    """Round counts like the saved ones again, and see how far the scores move.

    In each repeat, counts that may have been rounded to the saved ones are drawn for each site, and rounded. The method
    runs on the sum of both, among the columns that were selected. With s the score on the saved counts, and m_1, m_2,
    ... the changes of the score at the same rank by rounding, the interval is ``[s - max(m), s - min(m)]``.
    """
    selected = fit.result.selected[: max(MAX_COLUMNS, len(fit.selection.columns.include))]
    unselected = np.setdiff1d(np.arange(fit.table.n_features), selected)
    parts = [part.without(unselected.tolist()) for part in parts]
    random = np.random.default_rng(0)
    report = phase("repeating the rounding")
    changes = []
    n_same_orders = 0
    for repeat in range(N_REPEATS):
        drawn = [drawn_counts(part, random) for part in parts]
        rounded = [_rounded_again(part, like) for part, like in zip(drawn, parts, strict=True)]
        order, scores = _selection_among(fit, reduce(add, drawn), len(selected))
        order_if_rounded, scores_if_rounded = _selection_among(fit, reduce(add, rounded), len(selected))
        n_scores = min(len(scores), len(scores_if_rounded))
        changes.append(scores_if_rounded[:n_scores] - scores[:n_scores])
        n_same_orders += order.tolist() == order_if_rounded.tolist()
        report(repeat + 1, N_REPEATS)
    n_ranks = min(map(len, changes))
    changes_of_ranks = np.array([change[:n_ranks] for change in changes])
    scores = fit.result.scores[:n_ranks]
    return RoundingCost(
        low=scores - changes_of_ranks.max(axis=0),
        high=scores - changes_of_ranks.min(axis=0),
        n_same_orders=n_same_orders,
    )


def _rounded_again(counts: SavedCounts, like: SavedCounts) -> SavedCounts:
    """Counts of a site, rounded as those that it saved; exact, if those are."""
    for base in like.rounding_bases:
        counts = rounded_counts(counts, base)
    return counts


def _selection_among(fit: Fit, counts: SavedCounts, n_features: int) -> tuple[Columns, Floats]:
    """What the method of a fit selects from other counts, in which few columns are left."""
    selection = replace(fit.selection, n_features_to_select=n_features, screen=None)
    table = SavedCountsDataset(counts)
    prepared = prepare_selection(table, selection, fit.prepared.requested_discretization, fit.execution)
    result = run(prepared, fit.execution).result
    return result.selected, result.scores


def note_on_rounding(fit: Fit, parts: Sequence[SavedCounts]) -> Diagnostic:
    """The note on counts of sites of which some are rounded."""
    bases = sorted({base for part in parts for base in part.rounding_bases})
    if not len(fit.result.selected):
        return job_notes.rounded_counts(bases, [], 0, N_REPEATS)
    cost = rounding_cost(fit, parts)
    ranges = list(zip(cost.low.tolist(), cost.high.tolist(), strict=True))
    return job_notes.rounded_counts(bases, ranges, cost.n_same_orders, N_REPEATS)
