"""How relevant columns look by chance: their relevance after the classes are shuffled, or the events drawn anew."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.discretization.base import Binning
from bitsieve.information import ANY_EFFECT, information_of
from bitsieve.information.survival import CorrectedSurvivalInformation, SurvivalInformation
from bitsieve.pipeline.shuffled_tables import sources_after_shuffles
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.progress import phase

MAX_SHUFFLED_CELLS = 200_000_000  # cells of the table times shuffles
MIN_SHUFFLES = 10
MAX_SHUFFLES = 40
MAX_TOTAL_WEIGHT = 1_000_000  # rows of a table whose weights are written out
MAX_DRAWN_CELLS = 20_000_000  # times of events x codes of all columns x draws: some seconds


class Chance(NamedTuple):
    """The relevance of columns after shuffles of the classes, or after draws of the events, in bits."""

    n_shuffles: int
    typical: float  # 95 % quantile over all columns and shuffles
    best_low: float  # 5 % quantile of the best of all columns
    best_high: float  # 95 % quantile of the best of all columns
    columns: Floats  # shape (n_features,): 95 % quantile of each column

    def limit(self, column: int) -> float:
        """The relevance that a column would have to exceed, as one of many that were tried."""
        return max(self.best_high, float(self.columns[column]))


def relevance_by_chance(
    table: InMemoryDataset, binner: Binning, estimator: str, n_jobs: int | None, effect: str = ANY_EFFECT
) -> Chance | None:
    """Shuffle the classes 10 to 40 times, bin and count the table anew, and summarize the relevance of its columns.

    Samples of one group are shuffled together, samples in strata within these. Returns None if the total weight exceeds
    a million rows.
    """
    if table.weights is not None and table.total_weight > MAX_TOTAL_WEIGHT:
        return None
    n_affordable = MAX_SHUFFLED_CELLS // (table.total_weight * table.n_features)
    n_shuffles = min(MAX_SHUFFLES, max(MIN_SHUFFLES, n_affordable))
    relevance = np.zeros((n_shuffles, table.n_features))
    report_progress = phase("shuffling the target")
    for i, (columns, source) in enumerate(sources_after_shuffles(table, binner, n_shuffles, n_jobs)):
        report_progress(i, n_shuffles)
        relevance[i, columns] = information_of(estimator, source, effect).relevance

    return _summary(relevance, np.asarray(binner.n_bins_), table.total_weight)


def relevance_by_drawn_events(information: SurvivalInformation) -> Chance | None:
    """Draw the events 10 to 40 times among the rows at risk, and summarize the relevance of all columns.

    The events are drawn anew for every column: the best of columns that are alike is at most as large as the limits
    say. Returns None where 10 draws would take long.
    """
    source = information.source
    n_times = len(source.samples_at_risk.event_times.n_events)
    n_affordable = MAX_DRAWN_CELLS // (n_times * int(source.arities.sum()))
    n_draws = min(MAX_SHUFFLES, n_affordable)
    if n_draws < MIN_SHUFFLES:
        return None
    mean = np.zeros(source.n_features)
    if isinstance(information, CorrectedSurvivalInformation):
        mean = information.chance_of_relevance
    conditional = information.plug_in_conditional()
    relevance = np.zeros((n_draws, source.n_features))
    for column in range(source.n_features):
        seeds = np.random.default_rng(column).integers(0, 2**64, n_draws, dtype=np.uint64)
        relevance[:, column] = conditional.shuffled_relevance(column, seeds) - mean[column]
    return _summary(relevance, source.arities.astype(np.int64), source.n_samples)


def _summary(relevance: Floats, n_codes: Integers, n_rows: int) -> Chance:
    """Summarize the relevance by chance, shape (n_shuffles, n_features), of columns of so many codes."""
    has_few_codes = 2 * n_codes <= n_rows  # others look informative by chance alone
    comparable = relevance[:, has_few_codes] if has_few_codes.any() else relevance
    best_low, best_high = np.quantile(comparable.max(axis=1), [0.05, 0.95])
    return Chance(
        n_shuffles=len(relevance),
        typical=float(np.quantile(comparable, 0.95)),
        best_low=float(best_low),
        best_high=float(best_high),
        columns=np.quantile(relevance, 0.95, axis=0),
    )
