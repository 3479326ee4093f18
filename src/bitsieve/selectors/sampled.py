"""Selectors on the samples themselves, which see more than counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bitsieve.by_samples.rows import Rows
from bitsieve.data.extents import check_values
from bitsieve.selectors.base import ColumnSelector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.data.table import Table
    from bitsieve.selectors.found import Found


class SampleSelector(ColumnSelector):
    """Base of the selectors on samples; a subclass chooses columns from them."""

    def _fit_table(self, table: Table) -> Self:
        wanted = self._wanted(table)
        return self._keep(table, self._choose(repeated(table), wanted))

    def _choose(self, table: Table, k: Any) -> Found:
        """What the method finds in a table without weights, of so many features to select."""
        raise NotImplementedError


def repeated(table: Table) -> Table:
    """The table with every sample repeated as often as its frequency weight says.

    Neighbours, and sums of floats in their order, are defined for samples one by one: repeating them is the exact way.
    It takes memory and time for the sum of the weights.
    """
    if table.weights is None:
        return table
    return replace(table.take(np.repeat(np.arange(table.n_samples), table.weights)), weights=None)


def rows_of(table: Table, *, takes_missing: bool) -> Rows:
    """The columns as arrays of samples, numeric ones apart from categorical ones.

    Raises
    ------
    ValueError
        If values are infinite, or missing where that is not allowed.
    """
    check_values(table, allow_missing=takes_missing, instead="impute them first, or drop the rows")
    if table.matrix is not None:
        everything = np.arange(table.n_features)
        no_codes = np.empty((table.n_samples, 0), np.int32)
        return Rows(np.array(table.matrix, np.float64, order="C"), no_codes, everything, everything[:0])
    numeric = np.array([j for j in range(table.n_features) if table.is_numeric(j)], np.intp)
    categorical = np.setdiff1d(np.arange(table.n_features), numeric)
    numbers = np.empty((table.n_samples, len(numeric)))
    for place, j in enumerate(numeric):
        numbers[:, place] = table.values(int(j))
    codes = np.empty((table.n_samples, len(categorical)), np.int32)
    for place, j in enumerate(categorical):
        codes[:, place] = table.categorical(int(j)).codes
    return Rows(numbers, codes, numeric, categorical)


def numbers_of(table: Table, method: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """All columns as numbers, shape (n_samples, n_features), and which of them vary; two categories are 0 and 1.

    Raises
    ------
    ValueError
        If values are missing or infinite, or a column holds more than two categories; the ``method`` is named.
    """
    rows = rows_of(table, takes_missing=False)
    wide = rows.categorical[rows.codes.max(axis=0, initial=0) > 1]
    if len(wide):
        raise ValueError(
            f"{method} needs numbers, and {len(wide):,} of the columns hold more than two categories: "
            f"{table.quoted(wide)}; encode them as numbers, or leave them out"
        )
    numbers = np.empty((rows.n_samples, rows.n_features))
    numbers[:, rows.numeric], numbers[:, rows.categorical] = rows.numbers, rows.codes
    return numbers, rows.varies
