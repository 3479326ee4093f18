"""Counts of rows in memory: a matrix of codes, or the codes of sparse columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.search import ClassSearch, ExchangeableUnits, FixedCodes
from bitsieve.counts.source import CountSource, class_order
from bitsieve.counts.sparse import SparseCodes, SparseSource
from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.dataset.survival import SurvivalTarget
from bitsieve.discretization.base import Binning, BinningLike, ColumnBinning
from bitsieve.discretization.registry import make_binner
from bitsieve.engines.out_of_core import OutOfCoreDataset
from bitsieve.utils.arrays import Integers
from bitsieve.utils.progress import phase


def make_source(
    codes: ArrayLike | SparseCodes,
    classes: ArrayLike | None = None,
    *,
    n_classes: int | None = None,
    weights: ArrayLike | None = None,
    arities: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> CountSource:
    """The source of counts of codes of shape (n_samples, n_features): the one place that chooses a concrete one.

    ``weights`` says how many times each row stands, 1 or more. ``arities`` is one more than the largest code of every
    feature; without it, a pass over the codes finds it.
    """
    if isinstance(codes, SparseCodes):
        return SparseSource(codes, classes, n_classes=n_classes, weights=weights, n_jobs=n_jobs)
    return PackedSource(codes, classes, n_classes=n_classes, weights=weights, arities=arities, n_jobs=n_jobs)


def binner_of(table: Dataset, binning: BinningLike, n_jobs: int | None) -> Binning:
    """The rule for a table, not fitted; in a sparse table zero is a code of its own."""
    binner = make_binner(binning, n_jobs=n_jobs).for_table(table)
    if not table.is_sparse or not isinstance(binner, ColumnBinning):
        return binner
    from bitsieve.discretization.separate_zero import SeparateZeroBinning

    return SeparateZeroBinning(binner, n_jobs=n_jobs)


def count(table: Dataset, binning: BinningLike, n_jobs: int | None = None) -> tuple[Binning, CountSource]:
    """Bin the columns of a table and count their codes, wherever its rows are; the binner is fitted on all rows."""
    binner = binner_of(table, binning, n_jobs)
    if isinstance(table, OutOfCoreDataset):
        return table.count(binner)
    rows = table.required_rows()
    fitted = binner.fit_table(rows)
    return fitted, count_coded(rows, fitted, n_jobs)


def count_coded(table: InMemoryDataset, binner: Binning, n_jobs: int | None = None) -> CountSource:
    """The counts of the codes of a table in memory. The binner was fitted on it."""
    codes = binner.codes(table)
    phase("counting")
    target = table.y
    if isinstance(target, SurvivalTarget):
        from bitsieve.counts.survival import SurvivalSource

        risk_sets = target.risk_sets(table.weights)
        return SurvivalSource(codes, risk_sets, arities=binner.arities, n_jobs=n_jobs)
    source = make_source(
        codes,
        None if target is None else target.codes,
        n_classes=None if target is None else target.n_classes,
        weights=table.weights,
        arities=binner.arities,
        n_jobs=n_jobs,
    )
    source.declared_values = _declared_values(table, binner, source.arities)
    if target is not None:
        search = binner.search(table)
        if search is None and table.groups is not None:
            search = _fixed_codes(table, binner)
        if search is not None:
            source.search = _within_groups_and_strata(search, table)
        source.strata = strata_of_samples(table, in_class_order=not isinstance(codes, SparseCodes))
    return source


def _declared_values(table: InMemoryDataset, binner: Binning, arities: NDArray[np.int32]) -> dict[int, int]:
    """How many values columns of categories could have by their types, a missing value included where it occurs."""
    declared_values = {}
    for j, encoded in table.categories():
        categories = binner.categories_of(j)
        if encoded.n_declared is not None and categories is not None:
            n_codes_of_missing = int(arities[j]) - len(categories)
            declared_values[j] = encoded.n_declared + n_codes_of_missing
    if table.y is not None and table.y.n_declared_classes is not None:
        declared_values[table.n_features] = table.y.n_declared_classes
    return declared_values


def strata_of_samples(table: InMemoryDataset, *, in_class_order: bool) -> Integers | None:
    """The stratum of every sample, in the order that the samples have in the source of the counts."""
    if table.strata is None:
        return None
    if in_class_order:
        row_of_sample, _ = class_order(table.target.codes, table.weights, table.target.n_classes)
        return table.strata[row_of_sample].astype(np.int64)
    return _value_of_sample(table.strata, table.weights).astype(np.int64)


def search_of(table: InMemoryDataset, binner: Binning) -> ClassSearch:
    """What is repeated with shuffled classes: the search of the rule for codes, or codes that stay as they are.

    Shuffles keep groups of samples together, and stay within strata.
    """
    search = binner.search(table) or _fixed_codes(table, binner)
    return _within_groups_and_strata(search, table)


def _fixed_codes(table: InMemoryDataset, binner: Binning) -> FixedCodes:
    return FixedCodes(binner.codes(table), table.target.codes, table.target.n_classes, table.weights)


def _within_groups_and_strata(search: ClassSearch, table: InMemoryDataset) -> ClassSearch:
    """The search, whose shuffles keep the groups of the table together, and stay within its strata."""
    if table.groups is not None:
        search.exchangeable_units = ExchangeableUnits.of(_value_of_sample(table.groups, table.weights), search.classes)
    if table.strata is not None:
        search.strata = _value_of_sample(table.strata, table.weights).astype(np.int64)
    return search


def _value_of_sample(row_values: Integers, weights: Integers | None) -> Integers:
    """The values of the samples, given those of the rows. A row of weight w is w samples."""
    return row_values if weights is None else np.repeat(row_values, weights)
