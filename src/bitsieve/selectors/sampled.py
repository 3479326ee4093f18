"""Selectors on rows: what they are given instead of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bitsieve.by_samples.rows import Rows
from bitsieve.common.parameters import check_feature_count
from bitsieve.selectors.base import ColumnSelector
from bitsieve.table.missing import check_values

if TYPE_CHECKING:
    from bitsieve.table.table import Table


def rows_of(table: Table) -> Rows:
    """The columns as arrays of samples, numeric ones apart from categorical ones."""
    numeric = np.array([j for j in range(table.n_features) if table.is_numeric(j)], np.intp)
    categorical = np.setdiff1d(np.arange(table.n_features), numeric)
    numbers = np.empty((table.n_samples, len(numeric)))
    for place, j in enumerate(numeric):
        numbers[:, place] = table.values(int(j))
    codes = np.empty((table.n_samples, len(categorical)), np.int32)
    for place, j in enumerate(categorical):
        codes[:, place] = table.categorical(int(j)).codes
    return Rows(numbers, codes, numeric, categorical)


class SampleSelector(ColumnSelector):
    """Base of the selectors on rows; a subclass chooses columns from them."""

    n_features_to_select: int | float
    _takes_missing = False

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose features from the values as they are.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)
            Text, categorical and boolean columns are categories, all others numbers.
        y : array-like of shape (n_samples,)
            Classes of any kind; floats with a fractional part are binned into five equal-frequency classes, whose
            edges are kept in ``target_edges_``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is not allowed, more features are asked for than there are, the target has one class,
            or the columns hold values that the method cannot use.
        """
        self._check_parameters()  # before the data is read
        return self.fit_table(self._read(X, y))

    def fit_table(self, table: Table) -> Self:
        """Choose features of a table that is read already.

        Parameters
        ----------
        table : Table

        Returns
        -------
        self
        """
        self._check_parameters()
        k = check_feature_count(self.n_features_to_select, table.n_features)
        check_values(table, allow_missing=self._takes_missing, instead="impute them first, or drop the rows")
        table.set_names_on(self)
        self.classes_ = table.target.labels
        self.target_edges_ = table.target.edges
        self._choose(table, k)
        self.support_ = np.zeros(table.n_features, bool)
        self.support_[self.selected_] = True
        return self

    def _check_parameters(self) -> None:
        """Raise ValueError for parameters that are wrong whatever the data."""

    def _choose(self, table: Table, k: int) -> None:
        """Set ``selected_``, ``scores_`` and ``ranking_``."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing
        return tags
