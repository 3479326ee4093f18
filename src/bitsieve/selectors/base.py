"""What every selector shares: read a table and its target; keep and name the selected columns of any table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bitsieve.table.read_xy import read_xy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.table.table import Table


class ColumnSelector(SelectorMixin, BaseEstimator):
    """Base of all selectors; a subclass fits ``selected_``, ``scores_``, ``ranking_`` and ``support_``."""

    support_: NDArray[np.bool_]

    def transform(self, X: Any) -> Any:
        """Keep the selected columns, in their order in X.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)

        Returns
        -------
        X_selected : of the kind of X, shape (n_samples, k)
            Column names and dtypes are those of X.
        """
        check_is_fitted(self)
        frame = nw.from_native(X, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            return super().transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        kept = np.flatnonzero(self.support_).tolist()
        if hasattr(X, "iloc"):
            return X.iloc[:, kept]
        # scikit-learn would make a pandas table of the values alone, without dtypes, and none at all of an Arrow table.
        return frame[:, kept].to_pandas() if self._wants_pandas() else frame[:, kept].to_native()

    def _wants_pandas(self) -> bool:
        own = getattr(self, "_sklearn_output_config", {}).get("transform")  # what set_output keeps
        return (own or get_config()["transform_output"]) == "pandas"

    def _read(self, X: Any, y: Any, sample_weight: Any = None) -> Table:
        """The table of ``fit``; ``n_features_in_`` and ``feature_names_in_`` are set on the way."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        table = read_xy(X, y, sample_weight, estimator=self)
        if table.target.n_classes < 2:
            raise ValueError(
                f"the target has 1 class ({table.target.labels[:1].tolist()[0]!r} for all {table.n_samples:,} "
                "samples): there is nothing to tell apart, give at least two"
            )
        return table

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = tags.target_tags.multi_output = True
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags
