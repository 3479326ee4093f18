"""Estimators of scikit-learn that are fitted anew for every number of columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, clone

from bitsieve.evaluate.prefix import Labels, Predictions
from bitsieve.utils.arrays import Columns, Floats


@dataclass(frozen=True)
class Refit:
    """Fit an estimator to the first columns, and predict classes or values."""

    estimator: BaseEstimator

    def __call__(self, train: Floats, labels: Labels, test: Floats, n_columns: Columns, /) -> Predictions:
        for n in n_columns:
            fitted = fit_to_prefix(self.estimator, train, labels, n)
            yield np.asarray(fitted.predict(np.ascontiguousarray(test[:, :n])))


@dataclass(frozen=True)
class RefitScores:
    """Fit a classifier to the first columns, and score the classes.

    Every class code has a column of scores; it is 0 for codes that do not occur in the training samples.
    """

    estimator: BaseEstimator

    def __call__(self, train: Floats, labels: Labels, test: Floats, n_columns: Columns, /) -> Predictions:
        classes = np.unique(labels)
        for n in n_columns:
            fitted = fit_to_prefix(self.estimator, train, labels, n)
            class_scores = _class_scores(fitted, np.ascontiguousarray(test[:, :n]), n_classes=len(classes))
            scores = np.zeros((len(test), int(classes[-1]) + 1))
            scores[:, classes] = class_scores
            yield scores


@dataclass(frozen=True)
class RefitProbabilities:
    """Fit a classifier to the first columns, and predict the probability of every class code.

    It is 0 for codes that do not occur in the training samples.
    """

    estimator: BaseEstimator

    def __call__(self, train: Floats, labels: Labels, test: Floats, n_columns: Columns, /) -> Predictions:
        classes = np.unique(labels)
        for n in n_columns:
            fitted = fit_to_prefix(self.estimator, train, labels, n)
            probabilities = np.zeros((len(test), int(classes[-1]) + 1))
            probabilities[:, classes] = fitted.predict_proba(np.ascontiguousarray(test[:, :n]))
            yield probabilities


def has_probabilities(classifier: BaseEstimator) -> bool:
    return hasattr(classifier, "predict_proba")


def has_scores(classifier: BaseEstimator) -> bool:
    return hasattr(classifier, "decision_function") or hasattr(classifier, "predict_proba")


def fit_to_prefix(estimator: BaseEstimator, train: Floats, labels: Labels, n_columns: int) -> BaseEstimator:
    return clone(estimator).fit(np.ascontiguousarray(train[:, :n_columns]), labels)


def _class_scores(fitted: BaseEstimator, test: Floats, n_classes: int) -> Floats:
    """The scores of the classes, shape (n_test, n_classes).

    Of two classes the decision function is preferred, as it does not round to certainty; of more classes the
    probabilities, which are comparable between classes.
    """
    preferred = "decision_function" if n_classes == 2 else "predict_proba"
    other = "predict_proba" if n_classes == 2 else "decision_function"
    method = preferred if hasattr(fitted, preferred) else other
    scores = np.asarray(getattr(fitted, method)(test))
    if scores.ndim == 1:  # the score of the second of two classes
        return np.stack([-scores, scores], axis=1)
    return scores
