"""The scorers of scikit-learn as measures of predictions that were made before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer, get_scorer_names

from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Values
from bitsieve.utils.messages import one_line

QUANTITY_SCORERS = frozenset(
    {
        "d2_absolute_error_score",
        "explained_variance",
        "neg_max_error",
        "neg_mean_absolute_error",
        "neg_mean_absolute_percentage_error",
        "neg_mean_gamma_deviance",
        "neg_mean_poisson_deviance",
        "neg_mean_squared_error",
        "neg_mean_squared_log_error",
        "neg_median_absolute_error",
        "neg_root_mean_squared_error",
        "neg_root_mean_squared_log_error",
        "r2",
    }
)
PROBABILITY_SCORERS = frozenset(
    {
        "d2_brier_score",
        "d2_log_loss_score",
        "neg_brier_score",
        "neg_log_loss",
        "roc_auc_ovo",
        "roc_auc_ovo_weighted",
        "roc_auc_ovr",
        "roc_auc_ovr_weighted",
    }
)
DECISION_SCORERS = frozenset({"average_precision", "roc_auc", "top_k_accuracy"})
TWO_CLASS_SCORERS = frozenset(
    {"f1", "jaccard", "neg_negative_likelihood_ratio", "positive_likelihood_ratio", "precision", "recall"}
)
UNBOUNDED_SCORERS = frozenset({"mutual_info_score", "positive_likelihood_ratio"})


def scorer_names() -> list[str]:
    """The names of the scorers that judge one target, in alphabetical order.

    Those that end in ``_samples`` are for rows that have several classes each.
    """
    return [name for name in get_scorer_names() if not name.endswith("_samples")]


@dataclass(frozen=True)
class ScorerLoss:
    """``N (best - score)``: how far a scorer falls short of its best value, times the number of samples."""

    name: str
    best: int

    def __call__(self, predicted: Values, truth: Values) -> float:
        try:
            score = float(get_scorer(self.name)(self._estimator(predicted, truth), predicted, truth))
        except ValueError as error:
            raise _undefined(self.name, one_line(error)) from None
        if not np.isfinite(score):
            raise _undefined(self.name, f"it is {score}")
        return len(truth) * (self.best - score)

    def _estimator(self, predicted: Values, truth: Values) -> BaseEstimator:
        if self.name in QUANTITY_SCORERS:
            return _Regressor()
        if self.name in PROBABILITY_SCORERS:
            return _Probabilities(np.arange(predicted.shape[1]))
        if self.name in DECISION_SCORERS:
            return _Scores(np.arange(predicted.shape[1]))
        return _Classes(np.union1d(predicted, truth))


def _undefined(scoring: str, reason: str) -> UserError:
    return UserError(
        code="undefined-score",
        message=f"scoring {scoring!r} has no value for the predictions of a fold: {reason}",
        advice="give another {scoring}, or fewer folds",
    )


# A scorer of scikit-learn takes an estimator and rows. Each of these takes the predictions in place of the rows.


class _Regressor(RegressorMixin, BaseEstimator):
    def fit(self, X: Values, y: Values) -> Self:
        return self

    def predict(self, X: Values) -> Values:
        return X


class _Classifier(ClassifierMixin, BaseEstimator):
    def __init__(self, classes: Values) -> None:
        self.classes = classes
        self.classes_ = classes

    def fit(self, X: Values, y: Values) -> Self:
        return self


class _Classes(_Classifier):
    def predict(self, X: Values) -> Values:
        return X


class _Scores(_Classifier):
    def decision_function(self, X: Values) -> Values:
        if X.shape[1] == 2:
            return np.asarray(X[:, 1] - X[:, 0])
        return X


class _Probabilities(_Classifier):
    def predict_proba(self, X: Values) -> Values:
        return X
