"""Linear models of scikit-learn, imported when called, of normal scores with mean 0 and variance 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bitsieve.counts.threads import run_blocks
from bitsieve.utils.arrays import Flags, Floats
from bitsieve.utils.progress import phase

N_FOLDS = 5  # of the cross-validation that finds the penalty of the lasso
N_PENALTIES = 100
SMALLEST_PENALTY = 1e-3  # as a share of the smallest one with which all weights are 0
PENALTIES_AT_ONCE = 5
MAX_RISE = 1.1  # of the error above the smallest one; no table that was tried has a smaller one after a rise by 1.05


class LassoFit(NamedTuple):
    """A lasso without an intercept."""

    weights: Floats  # of every column
    penalty: float


def shrunk_covariance(scores: Floats) -> Floats:
    """The covariance of the columns by Ledoit and Wolf, positive definite."""
    from sklearn.covariance import LedoitWolf

    covariance: Floats = LedoitWolf(assume_centered=True, store_precision=False).fit(scores).covariance_
    return covariance


def shrunk_precision(scores: Floats) -> Floats:
    """The inverse of :func:`shrunk_covariance`."""
    from sklearn.covariance import LedoitWolf

    precision: Floats = LedoitWolf(assume_centered=True).fit(scores).precision_
    return precision


def lasso_by_cross_validation(scores: Floats, class_values: Floats, n_jobs: int | None) -> LassoFit:
    """The lasso with the penalty of the smallest error in folds; the rows lie class by class.

    The penalties fall until the error is ``MAX_RISE`` times the smallest one. The smaller a penalty, the longer its
    lasso takes: those that are left out, which fit noise, would take most of the time.
    """
    report = phase("fitting the class")
    penalties = _falling_penalties(scores, class_values)
    fold_of_row = np.arange(len(scores)) % N_FOLDS  # with equal shares of each class
    folds = [_Fold(scores, class_values, fold_of_row == fold) for fold in range(N_FOLDS)]
    errors = np.empty(0)
    while len(errors) < N_PENALTIES and not (errors > MAX_RISE * np.minimum.accumulate(errors)).any():
        report(len(errors), N_PENALTIES)
        next_penalties = penalties[len(errors) : len(errors) + PENALTIES_AT_ONCE]
        errors = np.append(errors, _mean_errors(folds, next_penalties, n_jobs))
    penalty = float(penalties[errors.argmin()])
    return LassoFit(lasso_weights(scores, class_values, penalty), penalty)


def _falling_penalties(scores: Floats, class_values: Floats) -> Floats:
    """At equal ratios, from the smallest with which all weights are 0."""
    largest = np.abs(scores.T @ class_values).max() / len(scores)
    largest = max(largest, np.finfo(np.float64).resolution)
    penalties: Floats = np.geomspace(largest, SMALLEST_PENALTY * largest, N_PENALTIES)
    return penalties


def _mean_errors(folds: Sequence[_Fold], penalties: Floats, n_jobs: int | None) -> Floats:
    """The mean over the folds of the error with each of the next penalties."""
    errors_of_folds = np.empty((len(folds), len(penalties)))

    def fit(number: int) -> None:
        errors_of_folds[number] = folds[number].errors(penalties)

    run_blocks(fit, range(len(folds)), n_jobs)
    mean_errors: Floats = errors_of_folds.mean(axis=0)
    return mean_errors


class _Fold:
    """The lasso of the rows that are not in a fold, with falling penalties, and its errors in the fold."""

    def __init__(self, scores: Floats, class_values: Floats, is_in_fold: Flags) -> None:
        self.fitted_scores = np.asfortranarray(scores[~is_in_fold])
        self.fitted_values = class_values[~is_in_fold]
        self.scores = scores[is_in_fold]
        self.values = class_values[is_in_fold]
        n_rows, n_columns = self.fitted_scores.shape
        self.products = self.fitted_scores.T @ self.fitted_scores if n_rows > n_columns else False
        self.weights = np.zeros(n_columns)  # with the last penalty

    def errors(self, penalties: Floats) -> Floats:
        """The mean squared error with each of the next penalties."""
        from sklearn.linear_model import lasso_path

        _, weights, _ = lasso_path(
            self.fitted_scores,
            self.fitted_values,
            alphas=penalties,
            coef_init=self.weights,
            precompute=self.products,
        )
        self.weights = weights[:, -1]
        errors: Floats = ((self.scores @ weights - self.values[:, None]) ** 2).mean(axis=0)
        return errors


def lasso_weights(scores: Floats, class_values: Floats, penalty: float) -> Floats:
    """The weights of the lasso with that penalty."""
    from sklearn.linear_model import Lasso

    weights: Floats = Lasso(penalty, fit_intercept=False).fit(scores, class_values).coef_
    return weights
