"""Feature selectors of scikit-learn as methods of a comparison."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from bitsieve.evaluation.encoding import encode_features

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.data.table import Table


class Foreign(BaseEstimator):
    """A selector of scikit-learn that is fitted on numbers and ranks the features.

    They are ranked by its ``scores_``, else by its ``ranking_``, else by the importances of its fitted ``estimator_``;
    of one that has none of these, what it keeps comes first, by place. A feature of several columns, as a category has,
    stands where its best column does.

    Parameters
    ----------
    selector : scikit-learn selector
    """

    def __init__(self, selector: Any) -> None:
        self.selector = selector

    def fit_table(self, table: Table) -> Foreign:
        """Rank the features of a table.

        Parameters
        ----------
        table : Table
        """
        kept = np.setdiff1d(np.arange(table.n_features), table.blank)
        made = encode_features(table, kept, np.arange(table.n_samples))
        with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            warnings.filterwarnings("ignore", "Features .* are constant", UserWarning)  # they come last
            fitted = clone(self.selector).fit(made.values, table.target.codes)
        values = _values(fitted)
        starts = np.concatenate([[0], made.ends[:-1]])
        best = np.maximum.reduceat(np.where(np.isnan(values), -np.inf, values), starts)
        self.selected_ = kept[np.argsort(-best, kind="stable")]
        return self


def is_foreign(method: Any) -> bool:
    """Whether a method is a selector of scikit-learn."""
    return all(hasattr(method, name) for name in ("fit", "get_support", "get_params")) and not isinstance(method, type)


def _values(fitted: Any) -> NDArray[np.float64]:
    """How much every column is worth to a fitted selector."""
    if getattr(fitted, "scores_", None) is not None and np.ndim(fitted.scores_) == 1:
        return np.asarray(fitted.scores_, np.float64)
    if hasattr(fitted, "ranking_"):
        return -np.asarray(fitted.ranking_, np.float64)
    model = getattr(fitted, "estimator_", None)
    for name in ("feature_importances_", "coef_"):
        if hasattr(model, name):
            importances = np.abs(np.asarray(getattr(model, name), np.float64))
            return importances if importances.ndim == 1 else np.asarray(np.sqrt(np.square(importances).sum(axis=0)))
    return np.asarray(fitted.get_support(), np.float64)
