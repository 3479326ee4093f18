"""How relevant columns look by chance: their relevance after the classes are shuffled, or the events drawn anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from bitsieve.counts.search import Labels, Units, shuffled
from bitsieve.counts.source import CountSource
from bitsieve.counts.sparse import SparseCodes
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.discretization.base import Binning
from bitsieve.engines.local import binner_of, count, make_source, strata_of_samples
from bitsieve.information import ANY_EFFECT, information_of
from bitsieve.information.survival import CorrectedSurvivalInformation, SurvivalInformation
from bitsieve.utils.arrays import Columns, Floats, Integers

MAX_SHUFFLED_CELLS = 200_000_000  # cells of the table times shuffles
MIN_SHUFFLES = 10
MAX_SHUFFLES = 40
MAX_TOTAL_WEIGHT = 1_000_000  # rows of a table whose weights are written out
LABELS_AT_ONCE = 1 << 24  # classes of shuffled samples that are held
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
    for i, (columns, source) in enumerate(sources_after_shuffles(table, binner, n_shuffles, n_jobs)):
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


def sources_after_shuffles(
    table: InMemoryDataset, binner: Binning, n_shuffles: int, n_jobs: int | None
) -> Iterator[tuple[Columns, CountSource]]:
    """Yield the columns that may have several codes after a shuffle of the classes, and their counts.

    Weights are written out, and samples of one group are shuffled together. A shuffle after which there is no such
    column is left out.
    """
    if table.weights is not None:
        table = _with_repeated_rows(table)
    rule = binner_of(table, binner, n_jobs)
    shuffles = _shuffled_classes(table, n_shuffles)
    if rule.requires != "classes":  # the codes stay as they are
        all_columns = np.arange(table.n_features)
        codes = rule.fit_table(table).codes(table)
        n_classes = table.target.n_classes
        for labels in shuffles:
            source = make_source(codes, labels, n_classes=n_classes, arities=rule.arities, n_jobs=n_jobs)
            table_with_labels = replace(table, y=replace(table.target, codes=labels))
            source.strata = strata_of_samples(table_with_labels, in_class_order=not isinstance(codes, SparseCodes))
            yield all_columns, source
        return
    batch_size = max(1, LABELS_AT_ONCE // table.n_samples)
    while batch := list(islice(shuffles, batch_size)):
        has_codes = rule.columns_with_codes(table, np.array(batch, np.int32))
        for labels, has_code in zip(batch, has_codes, strict=True):
            columns = np.flatnonzero(has_code)
            if len(columns):
                table_with_labels = replace(_with_columns(table, columns), y=replace(table.target, codes=labels))
                yield columns, count(table_with_labels, rule, n_jobs)[1]


def _with_columns(table: InMemoryDataset, columns: Columns) -> InMemoryDataset:
    """The table with some of its columns. All of them are the table itself, which may be sparse."""
    if len(columns) == table.n_features:
        return table
    return replace(
        table,
        columns=[table.values(j) for j in columns.tolist()],
        names=[table.names[j] for j in columns.tolist()],
        feature_names=None,
        original=None,
        dropped=(),
        text_meanings={},
    )


def _with_repeated_rows(table: InMemoryDataset) -> InMemoryDataset:
    """The table without weights: every row stands as often as its weight says."""
    rows = np.repeat(np.arange(table.n_samples), np.asarray(table.weights))
    return replace(table.take(rows), weights=None)


def _shuffled_classes(table: InMemoryDataset, n_shuffles: int) -> Iterator[Labels]:
    """Yield the class codes after each shuffle."""
    codes = table.target.codes
    if table.strata is not None:
        for seed in range(n_shuffles):
            (shuffled_codes,) = shuffled(codes, table.strata, np.array([seed], np.uint64))
            yield shuffled_codes
        return
    if table.groups is None:
        random = np.random.default_rng(0)
        for _ in range(n_shuffles):
            yield random.permutation(codes)
        return
    units = Units.of(table.groups, codes)
    one_part = np.zeros(table.n_samples, np.int64)
    for seed in range(n_shuffles):
        (shuffled_codes,) = units.shuffled(codes, one_part, np.array([seed], np.uint64))
        yield shuffled_codes
