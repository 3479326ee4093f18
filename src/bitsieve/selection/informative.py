"""Which features are informative: relevance, overlap, and a test by shuffles where a bound is not enough."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from bitsieve.common.arrays import Columns, Flags
from bitsieve.counts.tables import entropy_terms
from bitsieve.data.table import Table, TableInMemory
from bitsieve.engines.local import search_of
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.methods.by_counts.stopping.rules import LAST
from bitsieve.selectors.fitting import Explained, Fitted, count_table, explain_by

AFFORDED = 2 * 10**7  # values to cut and count, a quarter of a second
MOST_SHUFFLES = 200
LEVEL = 0.025  # the other half of 0.05 is that of columns that are informative together


def informative_by_shuffles(table: Table, binner: Any, columns: Columns, n_jobs: int | None = None) -> Flags | None:
    """Whether each of k columns has more information about the class than the best of all columns when it is shuffled.

    The result has shape (k,); it is None where shuffles would take too long, or the rows are not in memory. Whatever
    looked at the class, such as cuts by description length, is repeated after every shuffle. Shuffles end when ten of
    them reached the information of every column, or their cost would be noticed: a column counts if at most a share of
    0.025 did.
    """
    if not len(columns):
        return np.zeros(0, bool)
    if not table.in_memory:
        return None
    table = cast(TableInMemory, table)
    values = table.total_weight * table.n_features
    afforded = min(MOST_SHUFFLES, AFFORDED // max(1, values))
    if afforded < 1 / LEVEL:
        return None
    step = RepeatedSearch(
        search_of(table, binner), (), np.arange(table.n_features), entropy_terms(table.total_weight), n_jobs
    )
    figures = np.array([step.figure(column) for column in columns.tolist()])
    reached, made, seeds = np.zeros(len(columns), np.int64), 0, np.random.default_rng(0)
    while made < afforded and (reached < LAST).any():
        batch = min(max(2 * LAST, made), afforded - made)
        best = step.best_after_shuffles(seeds.integers(0, 2**64, batch, dtype=np.uint64))
        reached += (best <= figures[:, None]).sum(axis=1)
        made += batch
    return (1 + reached) / (1 + made) <= LEVEL


def explanation(fitted: Fitted, table: Table, binning: Any, n_jobs: int | None) -> Explained:
    """The explanation of what a method found; ``binning`` is for one that counts nothing itself."""
    selected = fitted.found.selected
    explained = fitted.explained or explain_by(count_table(table, binning, n_jobs), selected)
    informative = explained.informative.copy()
    by_shuffles = informative_by_shuffles(table, explained.binner, selected[~informative], n_jobs)
    if by_shuffles is not None:
        informative[~informative] = by_shuffles
    return explained._replace(informative=informative, is_sure=by_shuffles is not None)
