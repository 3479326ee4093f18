"""Linear models of scikit-learn, imported when called, of normal scores with mean 0 and variance 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.utils.arrays import Floats

N_FOLDS = 5  # of the cross-validation that finds the penalty of the lasso


class LassoFit(NamedTuple):
    """A lasso without an intercept."""

    weights: Floats  # of every column
    penalty: float


def shrunk_covariance(scores: Floats) -> Floats:
    """The covariance of the columns by Ledoit and Wolf, positive definite."""
    from sklearn.covariance import LedoitWolf

    covariance: Floats = LedoitWolf(assume_centered=True).fit(scores).covariance_
    return covariance


def shrunk_precision(scores: Floats) -> Floats:
    """The inverse of :func:`shrunk_covariance`."""
    from sklearn.covariance import LedoitWolf

    precision: Floats = LedoitWolf(assume_centered=True).fit(scores).precision_
    return precision


def lasso_by_cross_validation(scores: Floats, class_values: Floats) -> LassoFit:
    """The lasso with the penalty of the smallest error in folds; the rows lie class by class."""
    from sklearn.linear_model import LassoCV
    from sklearn.model_selection import PredefinedSplit

    folds = PredefinedSplit(np.arange(len(scores)) % N_FOLDS)  # with equal shares of each class
    lasso = LassoCV(cv=folds, fit_intercept=False).fit(scores, class_values)
    return LassoFit(lasso.coef_, float(lasso.alpha_))


def lasso_weights(scores: Floats, class_values: Floats, penalty: float) -> Floats:
    """The weights of the lasso with that penalty."""
    from sklearn.linear_model import Lasso

    weights: Floats = Lasso(penalty, fit_intercept=False).fit(scores, class_values).coef_
    return weights
