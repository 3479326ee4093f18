"""What a method is to beat: the most frequent class, all columns, and the best columns by an F-test each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.feature_selection import SelectKBest

from bitsieve.common.progress import phase
from bitsieve.counts.threads import run_blocks
from bitsieve.evaluation.encoding import encode_features
from bitsieve.evaluation.foreign import Foreign
from bitsieve.evaluation.protocol import Ranking, score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.evaluation.plan import Plan

MAJORITY, ALL_COLUMNS, BEST = "majority class", "all columns", "SelectKBest"
_MOST_CELLS = 10**8  # of a table of which all columns are used


def baseline_errors(plan: Plan, n_jobs: int | None = None) -> dict[str, NDArray[np.float64]]:
    """The errors of every baseline in every fold, of shape (n_folds, n_counts).

    The majority class is that of the samples learned from. All columns are left out where the table has more than 10^8
    values.
    """
    kept = np.setdiff1d(np.arange(plan.table.n_features), plan.table.blank)
    names = [MAJORITY, BEST, *([ALL_COLUMNS] if plan.table.n_samples * len(kept) <= _MOST_CELLS else [])]
    found = {name: np.zeros((len(plan.folds), len(plan.counts))) for name in names}
    step = phase("baselines")

    def work(number: int) -> None:
        fold = plan.folds[number]
        labels, truth = plan.target.codes[fold.train], plan.target.codes[fold.test]
        found[MAJORITY][number] = plan.loss(np.full(len(truth), np.bincount(labels).argmax()), truth)
        rows = np.arange(plan.table.n_samples) if plan.protocol == "paper" else fold.train
        best = Foreign(SelectKBest(k="all")).fit_table(plan.table.take(rows))
        found[BEST][number] = score(plan, fold, {BEST: Ranking(best.selected_, 0.0)})[BEST].errors
        if ALL_COLUMNS in found:
            made = encode_features(plan.table, kept, rows, centred=plan.centred)
            train, test = np.asfortranarray(made.values[fold.train]), np.asfortranarray(made.values[fold.test])
            (predicted,) = plan.grow(train, labels, test, made.ends[-1:])
            found[ALL_COLUMNS][number] = plan.loss(predicted, truth)

    run_blocks(work, range(len(plan.folds)), n_jobs, step)
    return found
