"""WOEEncoder: each value becomes the weight of evidence of its bin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import ClassifierTags, Tags, _safe_indexing
from sklearn.utils.validation import check_is_fitted

from bitsieve.diagnostics import ParameterError
from bitsieve.discretization.monotone.division import weights_of_evidence
from bitsieve.scorecards.monotone_binner import MonotoneBinner, check_binner, target_missing
from bitsieve.scorecards.unseen_values import notes_on_unseen_values
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.docstrings import cites
from bitsieve.utils.estimator import Estimator
from bitsieve.utils.parameters import Rule, check_choice, check_number, check_parameters
from bitsieve.utils.types import ColumnLike, TableLike


@cites("Good 1950")
class WOEEncoder(OneToOneFeatureMixin, TransformerMixin, Estimator):
    """Replace each value by the weight of evidence of its bin.

    ``WOE_b = ln((e_b/E) / (n_b/N))`` in nats, with e_b and n_b the rows of bin b with the event and without it: what
    the bin adds to the log-odds of the event. So in a logistic regression on one encoded column the coefficient is 1,
    and the intercept is the log-odds of the event in the whole table. Costs what the binner costs.

    Parameters
    ----------
    binner : MonotoneBinner, optional
        How columns are cut into bins; None is ``MonotoneBinner()``.
    woe_sign : {"event", "non-event"}, default="event"
        Whether a positive weight means more events, or fewer.
    smoothing : float, default=1.0
        The number of rows that are added to a bin, with the event rate of the table.
    smooth : {"empty", "all"}, default="empty"
        Whether they are added to bins in which all rows have one class, or to all bins.
    unseen : {"zero", "error", "worst"}, default="zero"
        What becomes of a missing value or a category that was not there when fitting: the weight 0, an error, or the
        largest weight of the column. A category that was not there joins the rare ones where these have a bin.
    cv : int or splitter of scikit-learn, optional
        The folds of ``fit_transform``: each row gets the weights of the other folds. Without it the weights have seen
        the class of the row, which is optimistic for columns of many categories.

    Attributes
    ----------
    binner_ : MonotoneBinner
        The fitted binner, with the tables of bins.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they are strings.

    Examples
    --------
    >>> from bitsieve import MonotoneBinner, WOEEncoder
    >>> X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]]
    >>> encoder = WOEEncoder(MonotoneBinner(max_n_bins=2)).fit(X, [0, 0, 1, 0, 1, 1, 0, 1])
    >>> encoder.transform([[3.0], [6.5]]).round(3).tolist()
    [[-1.099], [1.099]]
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "woe_sign": partial(check_choice, choices=("event", "non-event")),
        "smoothing": partial(check_number, low=0, high=1e6),
        "smooth": partial(check_choice, choices=("empty", "all")),
        "unseen": partial(check_choice, choices=("zero", "error", "worst")),
    }

    def __init__(
        self,
        binner: MonotoneBinner | None = None,
        *,
        woe_sign: str = "event",
        smoothing: float = 1.0,
        smooth: str = "empty",
        unseen: str = "zero",
        cv: Any = None,
    ) -> None:
        self.binner = binner
        self.woe_sign = woe_sign
        self.smoothing = smoothing
        self.smooth = smooth
        self.unseen = unseen
        self.cv = cv

    def fit(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike = None) -> Self:
        """Find the bins of every column, and their weights of evidence.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            A target of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Frequency weights, whole numbers: how many times each sample counts.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As the binner raises it, or if a parameter is not allowed.
        """
        check_parameters(self)
        check_binner(self.binner)
        if y is None:
            raise target_missing(self)
        self.binner_ = MonotoneBinner() if self.binner is None else clone(self.binner)
        self.binner_.fit(X, y, sample_weight)
        self.n_features_in_ = self.binner_.n_features_in_
        if hasattr(self.binner_, "feature_names_in_"):
            self.feature_names_in_ = self.binner_.feature_names_in_
        return self

    def transform(self, X: TableLike) -> Floats:
        """The weight of evidence of every value, in nats. A warning counts the values that are in no bin.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)

        Returns
        -------
        ndarray of float64, shape (n_samples, n_features)

        Raises
        ------
        ValueError
            If the columns are not those of fit, or hold values that were not there with ``unseen="error"``.
        """
        check_is_fitted(self, "binner_")
        bins = self._bins_of(X)
        weight = "the largest of the column" if self.unseen == "worst" else "0"
        n_unseen = (bins < 0).sum(axis=0).tolist()
        Diagnostics(notes_on_unseen_values(self.binner_.column_names_, n_unseen, weight=weight)).warn()
        return self._weights_of(bins)

    def fit_transform(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike = None) -> Floats:
        """Fit, and encode the same rows; with ``cv`` each row by the weights of the other folds.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.

        Returns
        -------
        ndarray of float64, shape (n_samples, n_features)

        Raises
        ------
        ValueError
            As :meth:`fit` raises it, or if a row is not in one fold of ``cv``.
        """
        self.fit(X, y, sample_weight)
        if self.cv is None:
            return self.transform(X)
        folds = list(check_cv(self.cv, y, classifier=True).split(np.zeros(len(y)), y))
        self._check_folds([rows for _, rows in folds], len(y))
        weights = np.empty((len(y), self.n_features_in_))
        for training_rows, rows in folds:
            encoder = clone(self).set_params(cv=None)
            sample_weight_of_fold = None if sample_weight is None else _safe_indexing(sample_weight, training_rows)
            encoder.fit(_safe_indexing(X, training_rows), _safe_indexing(y, training_rows), sample_weight_of_fold)
            weights[rows] = encoder._weights_of(encoder._bins_of(_safe_indexing(X, rows)))
        return weights

    def _bins_of(self, X: TableLike) -> Integers:
        """The bin of every value; -1 for a value that has none, which is an error with ``unseen="error"``."""
        return self.binner_.transform(X) if self.unseen == "error" else self.binner_.bins_of(X)

    def _check_folds(self, rows_of_folds: Sequence[Integers], n_rows: int) -> None:
        """Refuse folds that leave rows without weights, or give them two."""
        n_folds_of_row = np.bincount(np.concatenate(rows_of_folds), minlength=n_rows)
        if (n_folds_of_row != 1).any():
            raise ParameterError("cv", self.cv, "give folds of which each row is in one, such as cv=5")

    def _weights_of(self, bins: Integers) -> Floats:
        """The weights of evidence of bins; for the bin -1 the weight that ``unseen`` asks for."""
        weights = np.empty(bins.shape)
        for j, column in enumerate(self.binner_.column_bins_):
            woe = weights_of_evidence(column.counts, column.totals, self.smoothing, smooth_all=self.smooth == "all")
            unseen_weight = woe.max() if self.unseen == "worst" else 0.0
            weights[:, j] = np.append(woe, unseen_weight)[bins[:, j]]
        return weights if self.woe_sign == "event" else -weights

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)  # the target has two classes
        tags.transformer_tags.preserves_dtype = []
        return tags
