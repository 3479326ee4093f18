"""The ranking of columns by their information value: the bins of each, and what chance makes of them.

``IV = sum_b (e_b/E - n_b/N) ln((e_b/E) / (n_b/N))`` in nats, over the bins of :class:`bitsieve.MonotoneBinner`: e_b and
n_b are the rows of bin b that have the event and those that do not, E and N those of the whole table.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bitsieve.counts.threads import run_blocks, threads_of_block
from bitsieve.dataset.encoding import Encoded
from bitsieve.discretization.monotone.bin_counts import Totals
from bitsieve.discretization.monotone.column_bins import (
    ClassedRows,
    ColumnBins,
    ColumnRules,
    bin_categories,
    bin_numbers,
)
from bitsieve.discretization.monotone.division import BinRules
from bitsieve.discretization.monotone.event import code_of_label
from bitsieve.discretization.monotone.pre_bins import PreBinRules
from bitsieve.methods.by_samples.rows import Rows, Samples
from bitsieve.methods.method import MethodResult, rank_all
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.choice import rank
from bitsieve.utils.progress import phase
from bitsieve.utils.types import Label

LEVEL = 0.05  # columns with a larger p are ranked after all others


def rank_by_information_value(
    samples: Samples,
    k: int,
    *,
    event_class: Label | None,
    max_n_bins: int | None,
    min_bin_share: float,
    n_jobs: int | None,
) -> MethodResult:
    """Rank the columns by their corrected information value; the arguments are those of the selector."""
    rows = samples.rows(takes_missing=True)
    events = _events(samples, event_class)
    values_of_columns = _values_of_columns(samples, rows)
    rules = ColumnRules(BinRules(max_n_bins=max_n_bins, min_bin_share=min_bin_share), PreBinRules())
    n_threads = threads_of_block(samples.n_features, n_jobs)
    iv = np.zeros(samples.n_features)
    iv_corrected = np.zeros(samples.n_features)
    p_values = np.ones(samples.n_features)

    def measure(column: int) -> None:
        values = values_of_columns[column]
        bins_of_events = [_bins(values, samples.classes == event, rules, n_threads) for event in events]
        iv[column] = _mean_over_events([bins.iv for bins in bins_of_events], bins_of_events)
        iv_corrected[column] = _mean_over_events([bins.iv_corrected for bins in bins_of_events], bins_of_events)
        p_values[column] = min(1.0, len(events) * min(bins.p_value for bins in bins_of_events))

    run_blocks(measure, range(samples.n_features), n_jobs, phase("binning"))
    return rank_all(
        _order(iv_corrected, p_values),
        _varies(rows),
        iv_corrected,
        k,
        iv_=iv,
        iv_corrected_=iv_corrected,
        p_values_=p_values,
    )


def _events(samples: Samples, event_class: Label | None) -> list[int]:
    """The classes that are the event, one after the other. One of two is enough, as both give the same values."""
    if event_class is not None:
        return [code_of_label(samples.labels.tolist(), event_class, "event_class")]
    if samples.n_classes == 2:
        return [1]
    return list(range(samples.n_classes))


def _values_of_columns(samples: Samples, rows: Rows) -> list[Floats | Encoded]:
    """The values of each column: its numbers, or its categories."""
    values: list[Floats | Encoded] = [np.empty(0)] * samples.n_features
    for position, column in enumerate(rows.numeric.tolist()):
        values[column] = np.ascontiguousarray(rows.numbers[:, position])
    for column in rows.categorical.tolist():
        categorical = samples.categorical(column)
        assert categorical is not None  # as rows say
        values[column] = categorical
    return values


def _bins(values: Floats | Encoded, is_event: Flags, rules: ColumnRules, n_threads: int) -> ColumnBins:
    """The bins of a column, each with rows of both classes unless that leaves one bin.

    A column that separates the classes has no second bin with rows of both.
    """
    rows = ClassedRows(is_event, None, Totals.of_rows(is_event, None))
    bins = _bins_by_rules(values, rows, rules, n_threads)
    if len(bins.merged.counts) > 1:
        return bins
    rules_without_bounds = replace(rules.bins, min_events=0, min_nonevents=0)
    return _bins_by_rules(values, rows, replace(rules, bins=rules_without_bounds), n_threads)


def _bins_by_rules(values: Floats | Encoded, rows: ClassedRows, rules: ColumnRules, n_threads: int) -> ColumnBins:
    if isinstance(values, Encoded):
        return bin_categories(values, rows, rules)
    return bin_numbers(values, rows, rules, n_threads)


def _mean_over_events(values: list[float], bins_of_events: list[ColumnBins]) -> float:
    """The mean over classes, each weighted by its rows; a single event has its value."""
    n_events = [bins.totals.events for bins in bins_of_events]
    return float(np.average(values, weights=n_events))


def _order(iv_corrected: Floats, p_values: Floats) -> Columns:
    """The columns by falling value: first those that are not chance, then the others. Ties go to the lowest column."""
    order = rank(iv_corrected)
    is_chance = p_values[order] > LEVEL
    return np.concatenate([order[~is_chance], order[is_chance]])


def _varies(rows: Rows) -> Flags:
    """Which columns vary. One with a single value and missing values does, as missing values have their own bin."""
    varies = rows.varies
    is_missing = np.isnan(rows.numbers)
    varies[rows.numeric] |= is_missing.any(axis=0) & ~is_missing.all(axis=0)
    is_missing_code = rows.codes < 0
    varies[rows.categorical] |= is_missing_code.any(axis=0) & ~is_missing_code.all(axis=0)
    return varies
