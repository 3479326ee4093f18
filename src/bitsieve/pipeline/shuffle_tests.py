"""Tests of columns by shuffles of the class: is a column more informative than the best column after a shuffle?"""

from __future__ import annotations

import numpy as np

from bitsieve.counts.tables import make_entropy_terms
from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.survival import SurvivalTarget
from bitsieve.discretization.base import Binning
from bitsieve.engines.local import count_coded, search_of
from bitsieve.information import COMMON, information_of
from bitsieve.methods.by_counts.stopping.independence import ENOUGH_REACHED
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.pipeline.shuffled_tables import sources_after_shuffles
from bitsieve.utils.arrays import Columns, Flags
from bitsieve.utils.progress import phase

MAX_VALUES_COUNTED = 2 * 10**7  # rows x columns x shuffles: a quarter of a second
MAX_SHUFFLES = 200
#: The time of cuts within strata, for each class, in that of other cuts. Shuffles of tables of noise (500 and 2,000
#: rows, 100 columns, 4 and 20 strata) took 7 to 12 times as long with 2 classes, 9 to 13 with 3, 26 to 32 with 5, and
#: 46 to 61 with 10, in processor seconds on one core of an AMD EPYC with AVX-512.
COST_OF_CUTS_WITHIN_STRATA = 5
MAX_SHUFFLES_OF_COMMON_EFFECT = 79  # of which one may be as good
MAX_TABLES_COUNTED = 5_000  # columns x shuffles for a common effect, which take about a second
SHUFFLE_LEVEL = 0.025  # half of 0.05; the other half is for columns that are informative together
MAX_VALUES_TESTED = int(MAX_VALUES_COUNTED * SHUFFLE_LEVEL)  # rows x columns: beyond, p could not get so small


def informative_by_shuffles(
    table: Dataset, binner: Binning, columns: Columns, n_jobs: int | None = None
) -> Flags | None:
    """Whether each of ``columns`` is more informative than the best column of the table after shuffles of the class.

    Comparing with the best column corrects for the number of columns. ``p = (1 + r) / (1 + s)``, where r of s shuffles
    have a best column that is as good; p is at most 0.025 for an informative column. None if the rows are not in
    memory or are too many for enough shuffles.
    """
    if not len(columns):
        return np.zeros(0, bool)
    rows = table.rows
    if rows is None:
        return None
    if isinstance(rows.target, SurvivalTarget):  # the log-rank test has decided: shuffles would break the censoring
        return np.zeros(len(columns), bool)
    n_values = rows.total_weight * rows.n_features
    if rows.several_strata is not None and binner.requires == "classes":
        n_values *= COST_OF_CUTS_WITHIN_STRATA * rows.target.n_classes
    if n_values > MAX_VALUES_TESTED:
        return None
    max_shuffles = min(MAX_SHUFFLES, MAX_VALUES_COUNTED // max(1, n_values))
    phase("shuffling the target")
    all_columns = np.arange(rows.n_features)
    search = RepeatedSearch(search_of(rows, binner), (), all_columns, make_entropy_terms(rows.total_weight), n_jobs)
    tails = np.array([search.tail(column) for column in columns.tolist()])
    n_as_good = np.zeros(len(columns), np.int64)  # shuffles after which the best column is as good
    n_shuffles = 0
    random = np.random.default_rng(0)
    while n_shuffles < max_shuffles and (n_as_good < ENOUGH_REACHED).any():
        batch_size = max(2 * ENOUGH_REACHED, 3 * n_shuffles)  # few batches, as each sorts the columns
        n_remaining = max_shuffles - n_shuffles
        if n_remaining < 2 * batch_size:
            batch_size = n_remaining
        seeds = random.integers(0, 2**64, batch_size, dtype=np.uint64)
        smallest_tails = search.smallest_tails(seeds)
        n_as_good += (smallest_tails <= tails[:, None]).sum(axis=1)
        n_shuffles += batch_size
    p = (1 + n_as_good) / (1 + n_shuffles)
    return p <= SHUFFLE_LEVEL


def max_values_tested(table: Dataset, effect: str) -> int:
    """Up to how many values (rows x columns) of a table columns are tested by shuffles."""
    if effect == COMMON:
        return min(MAX_VALUES_TESTED, int(MAX_TABLES_COUNTED * SHUFFLE_LEVEL) * table.n_samples)
    return MAX_VALUES_TESTED


def common_effect_by_shuffles(table: Dataset, binner: Binning, columns: Columns, n_jobs: int | None) -> Flags | None:
    """:func:`informative_by_shuffles`, for the effect that all strata have in common.

    Columns are compared by that effect less two standard deviations of chance, which is comparable for few and for many
    codes. None if the rows are not in memory or are too many for enough shuffles.
    """
    rows = table.rows
    if rows is None or rows.weights is not None:
        return None
    if rows.n_samples * rows.n_features > max_values_tested(table, COMMON):
        return None
    n_affordable = min(MAX_TABLES_COUNTED, MAX_VALUES_COUNTED // rows.n_samples) // rows.n_features
    n_shuffles = min(MAX_SHUFFLES_OF_COMMON_EFFECT, n_affordable)
    phase("shuffling the target")
    effects = information_of("corrected", count_coded(rows, binner, n_jobs), COMMON).cautious_relevance[columns]
    n_as_good = np.zeros(len(columns), np.int64)  # shuffles after which the best column is as good
    for _, source in sources_after_shuffles(rows, binner, n_shuffles, n_jobs):
        n_as_good += information_of("corrected", source, COMMON).cautious_relevance.max() >= effects
    p = (1 + n_as_good) / (1 + n_shuffles)
    return p <= SHUFFLE_LEVEL
