"""Original features as numbers, learned from given rows alone: for classifiers, and for selectors of scikit-learn.

A missing number is the mean of those that are there. A categorical feature becomes one 0/1 column a category (a single
column where it has two), a missing value one of them; categories beyond the hundred most frequent ones have none.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import f_classif

from bitsieve.data.table import TableInMemory

Floats = NDArray[np.float64]

MOST_CATEGORIES = 100  # columns a feature


@dataclass(frozen=True)
class NumericFeatures:
    """Features in order of choice, as columns of numbers: ``values[:, : ends[i]]`` are the first ``i + 1`` of them."""

    values: Floats  # (n_samples, n_columns), in Fortran order
    ends: NDArray[np.intp]
    numeric: NDArray[np.bool_]  # which features are one number each

    def rows(self, rows: NDArray[np.intp]) -> Floats:
        """The values of some samples, in Fortran order."""
        return np.asfortranarray(self.values[rows])


def encode_features(
    table: TableInMemory, order: NDArray[np.intp], learned_from: NDArray[np.intp], *, centred: bool = True
) -> NumericFeatures:
    """The features ``order`` of all samples, with scale, mean and categories of the samples ``learned_from``.

    Numbers are standardised where they are ``centred``, else divided by their largest absolute value.
    """
    parts: list[Floats] = []
    ends = np.zeros(len(order), np.intp)
    numeric = np.zeros(len(order), bool)
    for place, j in enumerate(order):
        numeric[place] = table.is_numeric(j)
        if numeric[place]:
            parts.append(_number(table.numeric(j), learned_from, centred))
        else:
            parts.extend(_categories(table.categorical(j).codes, learned_from))
        ends[place] = len(parts)
    return NumericFeatures(np.array(parts).T, ends, numeric)


def _number(values: Floats, learned_from: NDArray[np.intp], centred: bool) -> Floats:
    learned = values[learned_from]
    learned = learned[~np.isnan(learned)]
    mean = learned.mean() if len(learned) else 0.0
    if np.isnan(values).any():
        values = np.where(np.isnan(values), mean, values)
    largest = np.abs(learned).max(initial=0.0)
    if not centred:
        return values / largest if largest > 0 else values
    spread = learned.std() if len(learned) else 0.0
    if spread <= 1e-12 * largest:  # no more than the rounding of the mean leaves
        return np.asarray(values - mean)
    return np.asarray((values - mean) / spread)


def _categories(codes: NDArray[np.int32], learned_from: NDArray[np.intp]) -> list[Floats]:
    known, times = np.unique(codes[learned_from], return_counts=True)
    known = np.sort(known[np.argsort(-times, kind="stable")[:MOST_CATEGORIES]])
    return [(codes == code).astype(np.float64) for code in (known[1:] if len(known) == 2 else known)]


class Foreign(BaseEstimator):
    """A selector of scikit-learn that ranks features; one of several columns comes where its best column does."""

    def __init__(self, selector: Any) -> None:
        self.selector = selector

    def fit_table(self, table: TableInMemory) -> Foreign:
        kept = np.setdiff1d(np.arange(table.n_features), table.left_out)
        target = table.target
        if target.is_quantity and getattr(self.selector, "score_func", None) is f_classif:
            raise ValueError("f_classif is a test of classes, and the target is a quantity: give f_regression")
        made = encode_features(table, kept, np.arange(table.n_samples))
        with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            warnings.filterwarnings("ignore", "Features .* are constant", UserWarning)  # they come last
            fitted = clone(self.selector).fit(made.values, target.truth)
        scores = _scores(fitted)
        starts = np.concatenate([[0], made.ends[:-1]])
        best = np.maximum.reduceat(np.where(np.isnan(scores), -np.inf, scores), starts)
        self.selected_ = kept[np.argsort(-best, kind="stable")]
        return self


def is_foreign(method: Any) -> bool:
    """Whether a method is a selector of scikit-learn."""
    return all(hasattr(method, name) for name in ("fit", "get_support", "get_params")) and not isinstance(method, type)


def _scores(fitted: Any) -> NDArray[np.float64]:
    """Of every column: ``scores_``, else ``ranking_``, else importances of ``estimator_``, else whether it is kept."""
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
