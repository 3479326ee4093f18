"""A selection that was made already, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bitsieve.dataset.take_columns import WantedColumns
from bitsieve.utils.arrays import Flags
from bitsieve.utils.types import ColumnLike, TableLike


class SelectedColumns(SelectorMixin, BaseEstimator):
    """Keep columns that were selected before: what :meth:`Selection.to_sklearn` returns.

    It is fitted when it is made, and ``fit`` changes nothing: a pipeline may be fitted again on other rows. Columns are
    taken by name from a frame, in any order and beside others, and by position from an array.

    Parameters
    ----------
    support : sequence of bool, length n_features
        Which columns are kept.
    feature_names : sequence of str, length n_features, optional
        The names of all columns.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns that were selected from.
    feature_names_in_ : ndarray of str, shape (n_features,)
        Their names, where they have names.

    Examples
    --------
    >>> from bitsieve import SelectedColumns
    >>> SelectedColumns([True, False, True]).fit_transform([[1, 2, 3], [4, 5, 6]]).tolist()
    [[1, 3], [4, 6]]
    """

    def __init__(self, support: Sequence[bool], feature_names: Sequence[str] | None = None) -> None:
        self.support = support
        self.feature_names = feature_names

    def fit(self, X: TableLike, y: ColumnLike = None) -> Self:
        """Check that the selected columns are there, and take the names of a frame where ``feature_names`` is None.

        Parameters
        ----------
        X : array-like or dataframe
        y : object, optional
            Not used.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Columns are missing: all of them are named.
        """
        self._set_fitted()
        self._wanted().take(X)
        if self.feature_names is None:
            validate_data(self, X, reset=True, skip_check_array=True)
        return self

    def transform(self, X: TableLike) -> TableLike:
        """Keep the selected columns, in the order of ``support``.

        Parameters
        ----------
        X : array-like or dataframe

        Returns
        -------
        X_selected : of the kind of X, shape (n_samples, k)

        Raises
        ------
        ValueError
            Columns are missing: all of them are named.
        """
        check_is_fitted(self)
        return self._wanted().take(X)

    def _set_fitted(self) -> Self:
        """Set the fitted attributes, which follow from the parameters."""
        self.n_features_in_ = len(self.support)
        if self.feature_names is not None:
            self.feature_names_in_ = np.array(list(self.feature_names), object)
        return self

    def _wanted(self) -> WantedColumns:
        indices = np.flatnonzero(self.support)
        names = self.feature_names
        labels = [f"x{j}" if names is None else names[j] for j in indices.tolist()]
        return WantedColumns(labels, indices, len(self.support), names is not None)

    def _get_support_mask(self) -> Flags:
        check_is_fitted(self)
        return np.array(self.support, bool)
