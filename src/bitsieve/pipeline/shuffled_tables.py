"""The counts of a table after its classes are shuffled, its columns binned anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from bitsieve.counts.search import ExchangeableUnits, Labels, Parts, shuffled
from bitsieve.counts.source import CountSource
from bitsieve.counts.sparse import SparseCodes
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.discretization.base import Binning
from bitsieve.engines.local import binner_of, count, make_source, strata_of_samples
from bitsieve.utils.arrays import Columns

LABELS_AT_ONCE = 1 << 24  # classes of shuffled samples that are held


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
    """Yield the class codes after each shuffle, which is within the strata if there are any."""
    codes = table.target.codes
    if table.groups is None and table.strata is None:
        random = np.random.default_rng(0)
        for _ in range(n_shuffles):
            yield random.permutation(codes)
        return
    strata = np.zeros(table.n_samples, np.int64) if table.strata is None else table.strata
    parts = Parts.of(strata)
    units = None if table.groups is None else ExchangeableUnits.of(table.groups, codes)
    for seed in range(n_shuffles):
        seeds = np.array([seed], np.uint64)
        (shuffled_codes,) = shuffled(codes, parts, seeds) if units is None else units.shuffled(codes, strata, seeds)
        yield shuffled_codes
