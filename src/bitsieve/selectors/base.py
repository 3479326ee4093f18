"""What every selector that counts shares: read, bin, count, choose; then keep and name columns of any table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from bitsieve.binning import make_binner, read_columns, read_target
from bitsieve.binning.parameters import check_feature_count
from bitsieve.information import PairwiseInformation
from bitsieve.progress import phase
from bitsieve.sources.memory import MemoryCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CountSelector(SelectorMixin, BaseEstimator):
    """Base of the selectors on integer tables; a subclass chooses columns from counts."""

    n_features_to_select: int
    binning: Any
    n_jobs: int | None

    def fit(self, X: Any, y: Any = None) -> Any:
        """Bin the columns, count, and choose features.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)
            Numeric columns are binned; text, categorical and boolean columns are codes as they are.
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
            or the columns hold infinite or missing values that the binner was not told to keep.
        """
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        self._check_parameters()
        columns = read_columns(self, X, reset=True)
        check_consistent_length(X, y)
        k = check_feature_count(self.n_features_to_select, len(columns))
        target = read_target(y)
        if target.n_classes < 2:
            raise ValueError(
                f"the target has 1 class ({target.labels[0]!r} for all {columns.n_samples:,} samples): "
                "there is nothing to tell apart, give at least two"
            )
        phase("binning")
        binner = make_binner(self.binning, n_jobs=self.n_jobs)
        self.binner_ = binner.fit_columns(columns, target)
        self.classes_ = target.labels
        self.target_edges_ = target.edges
        codes = self.binner_.codes(columns)
        phase("counting")
        source = MemoryCounts(codes, target.codes, n_classes=target.n_classes, n_jobs=self.n_jobs)
        information = PairwiseInformation(source)
        self.relevance_ = information.relevance
        self._choose(information, k)
        self.support_ = np.zeros(len(columns), bool)
        self.support_[self.selected_] = True
        self._find_overlaps(information)
        return self

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

    def _check_parameters(self) -> None:
        """Raise ValueError for parameters that are wrong whatever the data."""

    def _choose(self, information: PairwiseInformation, k: int) -> None:
        """Set ``selected_``, ``scores_`` and ``ranking_``."""
        raise NotImplementedError

    def _find_overlaps(self, information: PairwiseInformation) -> None:
        """For every selected feature, the one chosen before it that tells most about it."""
        selected: NDArray[np.intp] = self.selected_
        shared = np.full(len(selected), -np.inf)
        nearest = np.full(len(selected), -1, np.intp)
        for place, pivot in enumerate(selected[:-1], 1):
            redundancy = information.pair(int(pivot), selected[place:], within_classes=False).redundancy
            closer = place + np.flatnonzero(redundancy > shared[place:])
            shared[closer] = redundancy[closer - place]
            nearest[closer] = pivot
        self.overlap_with_ = nearest
        self.overlap_ = np.where(nearest < 0, np.nan, shared)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        binner = self.binning
        tags.input_tags.allow_nan = getattr(binner, "missing", "error") == "bin"
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags
