"""Diagnostics on the bins of columns: columns without a cut, constant columns, categories with many values."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from bitsieve.dataset.dataset import Dataset
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.discretization.base import Binning, n_codes_that_occur
from bitsieve.discretization.mdl import MDLBinning
from bitsieve.pipeline.notes import column_notes, selection_notes
from bitsieve.utils.arrays import Flags, Integers, Values
from bitsieve.utils.column_names import ColumnNames


def on_bins(table: Dataset, binner: Binning, dropped: Collection[int], about_unused_bins: str) -> list[Diagnostic]:
    """Which columns have one bin only, and which nearly one a row. There are no notes on the ``dropped`` columns.

    Raises UserError if every column has one bin, unless the rule leaves a column without a cut in one bin.
    """
    n_bins = n_codes_that_occur(binner, table)
    if (n_bins == 1).all() and not _leaves_columns_uncut(binner):
        raise UserError(
            code="one-bin-only",
            message="every column became one bin, so none has information about the target",
            advice="use more bins",
        )
    is_dropped = np.zeros(len(n_bins), bool)
    is_dropped[list(dropped)] = True
    one_bin_columns = np.flatnonzero(~is_dropped & (n_bins == 1))
    constant = table.constant_columns(one_bin_columns.tolist())
    is_noted = ~is_dropped
    is_noted[constant] = False
    return [
        *_on_columns_without_cut(table, binner, n_bins, is_noted, about_unused_bins),
        *_on_constant_columns(table, constant),
        *_on_nearly_unique_categories(table, binner, n_bins),
    ]


def _leaves_columns_uncut(binner: Binning) -> bool:
    """Whether a column without a cut by the classes stays in one bin; else it is cut at its median."""
    return isinstance(binner, MDLBinning) and binner.uncut == "leave"


def _on_columns_without_cut(
    table: Dataset, binner: Binning, n_bins: Integers, is_noted: Flags, about_unused_bins: str
) -> list[Diagnostic]:
    """Which numeric columns have no cut that separates the classes beyond chance."""
    without_cut = np.asarray(binner.columns_without_cut, np.intp)
    unrelated = without_cut[is_noted[without_cut]]
    stay_uncut = _leaves_columns_uncut(binner)
    if stay_uncut:
        unrelated = unrelated[n_bins[unrelated] == 1]  # with a bin of missing values a column may be related
    if not len(unrelated):
        return []
    n_numeric = sum(_is_numeric(binner.categories_of(j)) for j in np.flatnonzero(is_noted).tolist())
    return [
        selection_notes.no_reliable_relation(
            table.names_of(unrelated.tolist()),
            n_numeric,
            table.target.names,
            about_unused_bins,
            at_median=not stay_uncut,
        )
    ]


def _on_constant_columns(table: Dataset, constant: Sequence[int]) -> list[Diagnostic]:
    if not constant:
        return []
    return [column_notes.constant(ColumnNames(table.names, constant))]


def _on_nearly_unique_categories(table: Dataset, binner: Binning, n_bins: Integers) -> list[Diagnostic]:
    """Which columns of categories have a value of their own in most rows, as an identifier has."""
    nearly_unique = np.flatnonzero((n_bins > 2) & (2 * n_bins > table.n_samples)).tolist()
    identifiers = [j for j in nearly_unique if binner.categories_of(j) is not None]
    if not identifiers:
        return []
    return [column_notes.identifier_kept(table.names_of(identifiers))]


def _is_numeric(categories: Values | None) -> bool:
    """Whether a column that a binner gave these categories holds numbers; None: its numbers were binned."""
    return categories is None or np.asarray(categories).dtype.kind in "iuf"
