"""Copies of a fitted rule of binning for counts: with more categories, in another order, or with one code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy

import numpy as np

from bitsieve.discretization.base import Binning
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.utils.arrays import Integers, Values


def with_categories(binner: Binning, categories_of_column: Mapping[int, Values]) -> Binning:
    """A copy of a fitted rule with these categories, by column index; other columns keep their bins."""
    has_missing_code = binner.missing == "bin"  # the last code of every column
    categories = list(binner.categories_)
    extended_binner = copy(binner)
    extended_binner.categories_ = categories
    extended_binner.n_bins_ = binner.n_bins_.copy()
    for j, values in categories_of_column.items():
        categories[j] = values
        extended_binner.n_bins_[j] = len(values) + has_missing_code
    return extended_binner


def with_columns_in_order(binner: Binning, order: Integers) -> Binning:
    """A copy of a fitted rule whose column j is column ``order[j]`` of the rule."""
    reordered = copy(binner)
    reordered.bin_edges_ = binner.bin_edges_.take(order)
    reordered.n_bins_ = binner.n_bins_[order]
    reordered.categories_ = [binner.categories_[j] for j in order.tolist()]
    reordered.feature_names_in_ = binner.feature_names_in_[order]
    if binner.requires == "classes":
        reordered.uncut_ = np.flatnonzero(np.isin(order, binner.uncut_))
    return reordered


def with_one_code(binner: Binning, columns: Sequence[int]) -> Binning:
    """A copy of a fitted rule with one code for every value of these columns."""
    pooled = copy(binner)
    pooled.n_bins_ = binner.n_bins_.copy()
    pooled.n_bins_[columns] = 1
    pooled.categories_ = list(binner.categories_)
    edges = list(binner.bin_edges_)
    for j in columns:
        pooled.categories_[j] = np.zeros(1, np.uint8)
        edges[j] = np.empty(0)
    pooled.bin_edges_ = RaggedArray.from_arrays(edges)
    return pooled
