"""Selectors on integer tables: bin, count, choose. What is counted once can serve several of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from bitsieve.binning import make_binner
from bitsieve.common.parameters import check_feature_count
from bitsieve.common.progress import phase
from bitsieve.information import Information, make_information
from bitsieve.selectors.base import ColumnSelector
from bitsieve.sources import make_source
from bitsieve.table.columns import read_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.binning.base import Binner
    from bitsieve.table.columns import Columns
    from bitsieve.table.target import Target


@dataclass(frozen=True)
class Counted:
    """A table that is binned and packed for counting.

    Attributes
    ----------
    columns : Columns
    target : Target
    binner : Binner
        Fitted on them.
    information : Information
        The plug-in one. Keeps what was counted, so that a second method does not count it again.
    """

    columns: Columns
    target: Target
    binner: Binner
    information: Information
    _estimated: dict[str, Information] = field(default_factory=dict, repr=False, compare=False)

    def estimated(self, estimator: str) -> Information:
        """The information by an estimator, from the same counts; made once."""
        if estimator == self.information.estimator:
            return self.information
        if estimator not in self._estimated:
            self._estimated[estimator] = make_information(estimator, self.information.source)
        return self._estimated[estimator]


def count_columns(columns: Columns, target: Target, binning: Any, n_jobs: int | None = None) -> Counted:
    """Bin the columns and pack their codes."""
    phase("binning")
    binner = make_binner(binning, n_jobs=n_jobs).fit_columns(columns, target)
    codes = binner.codes(columns)
    phase("counting")
    source = make_source(codes, target.codes, n_classes=target.n_classes, weights=columns.weights, n_jobs=n_jobs)
    return Counted(columns, target, binner, make_information("plug-in", source))


class CountSelector(ColumnSelector):
    """Base of the selectors on integer tables; a subclass chooses columns from counts."""

    n_features_to_select: int | float | str | None
    binning: Any
    n_jobs: int | None
    estimator: str = "plug-in"  # of the information; a parameter where a subclass has it

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Bin the columns, count, and choose features.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)
            Numeric columns are binned; text, categorical and boolean columns are codes as they are.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Classes of any kind; floats with a fractional part are binned into five equal-frequency classes, whose
            edges are kept in ``target_edges_``. Several columns are one target: their combinations are the classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Whole numbers: how many times each sample stands, exactly as if it were repeated; one of weight 0 is absent.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is not allowed, more features are asked for than there are, the target has one class,
            a weight is no whole number, or the columns hold infinite or missing values that the binner was not told to
            keep.
        """
        self._check_parameters()
        columns, target = self._read(X, y, sample_weight)
        self._feature_count(len(columns))  # a wrong number is found out before the work
        return self.fit_counted(count_columns(columns, target, self.binning, self.n_jobs))

    def fit_counted(self, counted: Counted) -> Self:
        """Choose features from a table that is binned and packed already; ``binning`` and ``n_jobs`` have no part.

        Parameters
        ----------
        counted : Counted

        Returns
        -------
        self
        """
        self._check_parameters()
        columns, information = counted.columns, counted.estimated(self.estimator)
        self.n_features_in_ = len(columns)
        if columns.feature_names is not None:
            self.feature_names_in_ = columns.feature_names
        self.binner_ = counted.binner
        self.classes_ = counted.target.labels
        self.target_edges_ = counted.target.edges
        self.relevance_ = information.relevance
        self._choose(information, self._feature_count(len(columns)))
        self.support_ = np.zeros(len(columns), bool)
        self.support_[self.selected_] = True
        self.overlap_with_, self.overlap_ = overlaps(information, self.selected_)
        return self

    def _check_parameters(self) -> None:
        """Raise ValueError for parameters that are wrong whatever the data."""

    def _feature_count(self, n_features: int) -> int:
        """How many to select of so many; raises ValueError where that cannot be."""
        return check_feature_count(self.n_features_to_select, n_features)

    def _choose(self, information: Information, k: int) -> None:
        """Set ``selected_``, ``scores_`` and ``ranking_``."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = getattr(self.binning, "missing", "error") == "bin"
        return tags


def explain_by_counts(selector: Any, X: Any, target: Target, binning: Any, n_jobs: int | None) -> None:
    """Bin and count for the explanation of a selector that works on rows: set its binner, relevance and overlaps."""
    counted = count_columns(read_columns(BaseEstimator(), X, reset=True), target, binning, n_jobs)
    selector.binner_ = counted.binner
    selector.relevance_ = counted.information.relevance
    selector.overlap_with_, selector.overlap_ = overlaps(counted.information, selector.selected_)


def overlaps(information: Information, selected: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """For every selected feature, the one chosen before it with the largest I(Xi;Xs), and that information.

    The first has none: -1 and nan.
    """
    shared = np.full(len(selected), -np.inf)
    nearest = np.full(len(selected), -1, np.intp)
    for place, pivot in enumerate(selected[:-1], 1):
        redundancy = information.pair(int(pivot), selected[place:], by_class=False).redundancy
        closer = place + np.flatnonzero(redundancy > shared[place:])
        shared[closer] = redundancy[closer - place]
        nearest[closer] = pivot
    return nearest, np.where(nearest < 0, np.nan, shared)
