"""Selectors on the samples themselves, which see more than counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.data.extents import check_values
from bitsieve.methods.by_samples.rows import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.data.table import Table


@dataclass(frozen=True)
class TableSamples:
    """The samples of a table, as methods on samples take them: see :class:`bitsieve.methods.by_samples.rows.Samples`."""

    table: Table
    method: str
    binning: Any = None
    n_jobs: int | None = None

    @classmethod
    def of(cls, table: Table, method: str, binning: Any, n_jobs: int | None) -> TableSamples:
        """Every sample of a table as often as its weight says; ``method`` is named in messages."""
        return cls(repeated(table), method, binning, n_jobs)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.table.n_samples

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.table.n_features

    @property
    def classes(self) -> NDArray[np.int32]:
        """The class of every sample, a code."""
        return self.table.target.codes

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.table.target.n_classes

    def rows(self, *, takes_missing: bool = False) -> Rows:
        """Numeric columns apart from categorical ones."""
        return rows_of(self.table, takes_missing=takes_missing)

    def numbers(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """All columns as numbers, and which of them vary."""
        return numbers_of(self.table, self.method)


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
