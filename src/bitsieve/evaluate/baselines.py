"""The errors of a model without a selection."""

from __future__ import annotations

import numpy as np
from sklearn.feature_selection import SelectKBest, f_classif, f_regression

from bitsieve.counts.threads import run_blocks
from bitsieve.evaluate.folds import Fold
from bitsieve.evaluate.methods import ScikitLearnRanking
from bitsieve.evaluate.plan import Plan
from bitsieve.evaluate.scoring import errors_of_prefixes
from bitsieve.results.comparison import BEST
from bitsieve.utils.arrays import Columns, Floats, Values
from bitsieve.utils.progress import phase

BASELINE_OF_ALL_COLUMNS = "all columns"
MAX_CELLS = 10**8  # of a table on which the baseline of all columns is measured


def baseline_errors(plan: Plan, n_jobs: int | None = None) -> dict[str, Floats]:
    """The errors without a selection, by baseline, each of shape (n_folds, n_counts).

    The baselines are the majority class or the mean, the features of the best F-tests (``SelectKBest``), and all
    columns, if the table is not too large for these.
    """
    columns = np.setdiff1d(np.arange(plan.table.n_features), plan.table.dropped)
    measures_all_columns = plan.table.n_samples * len(columns) <= MAX_CELLS
    shape = (len(plan.folds), len(plan.counts))
    errors: dict[str, Floats] = {}
    errors[plan.measure.baseline] = np.zeros(shape) + plan.baseline_errors()[:, None]
    ranks_by_tests = plan.measure.predicts != "times"  # SelectKBest has no test of times to an event
    if ranks_by_tests:
        errors[BEST] = np.zeros(shape)
    if measures_all_columns:
        errors[BASELINE_OF_ALL_COLUMNS] = np.zeros(shape)
    f_test = f_regression if plan.target.is_quantity else f_classif

    def errors_of(selected: Columns, counts: Columns, fold: Fold) -> Values:
        encoded = plan.encode(selected, fold)
        return errors_of_prefixes(
            plan, fold, encoded.rows(fold.train), encoded.rows(fold.test), encoded.n_columns[counts - 1]
        )

    def run_fold(number: int) -> None:
        fold = plan.folds[number]
        if ranks_by_tests:
            learned_from = plan.table.take(plan.learning_rows(fold))
            best_first = ScikitLearnRanking(SelectKBest(f_test, k="all")).fit_table(learned_from).selected_
            errors[BEST][number] = errors_of(best_first, np.minimum(plan.counts, len(best_first)), fold)
        if measures_all_columns:
            errors[BASELINE_OF_ALL_COLUMNS][number] = errors_of(columns, np.array([len(columns)]), fold)

    run_blocks(run_fold, range(len(plan.folds)), n_jobs, phase("baselines"))
    return errors
