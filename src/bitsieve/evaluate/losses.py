"""What counts as an error of a prediction: of classes, and of a quantity.

A loss is the error of some samples times their number, so that the losses of folds add up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.messages import ParameterError, Sentence, Setting, choices

Values = NDArray[Any]
Loss = Callable[[Values, Values], float]
Predicted = Literal["classes", "quantity"]


@dataclass(frozen=True)
class Measure:
    """How predictions are judged: a loss, and how the error, the loss divided by the samples, is shown."""

    name: str
    loss: Loss  # of predicted and true values
    about: str = ""  # what the error is, where that is not plain
    predicts: Predicted = "classes"
    is_share: bool = True  # shown in percent; else in the unit of the quantity
    by_scores: bool = False  # of the classes, where predicted classes are not enough
    fewest: int = 1  # test samples of a fold
    per_variance: bool = False  # whether the loss is divided by the variance of all true values

    @property
    def unit(self) -> str:
        """What stands after an error."""
        return " %" if self.is_share else ""

    @property
    def baseline(self) -> str:
        """What is predicted without columns."""
        return "majority class" if self.predicts == "classes" else "mean"

    def text(self, error: float | None) -> str:
        """An error as it is shown, without the unit."""
        if error is None:
            return "-"
        return f"{100 * error:.1f}" if self.is_share else f"{error:.4g}"

    def over(self, values: Values) -> Loss:
        """The loss where these are the true values of all samples."""
        if not self.per_variance:
            return self.loss
        with np.errstate(over="ignore", invalid="ignore"):
            variance = float(values.var())
        if not 0 < variance < np.inf:
            raise ValueError("the target is too large or varies too little to be squared: give it in another unit")
        return lambda predicted, truth: self.loss(predicted, truth) / variance


def wrong(predicted: Values, truth: Values) -> float:
    """How many samples got the wrong class."""
    return int((predicted != truth).sum())


def unbalanced(predicted: Values, truth: Values) -> float:
    """1 - balanced accuracy: every class that occurs counts as much as another."""
    recalls = [(predicted[truth == label] == label).mean() for label in np.unique(truth)]
    return float(len(truth) * (1 - np.mean(recalls)))


def short_of_f1(predicted: Values, truth: Values) -> float:
    """1 - F1, the mean over the classes that occur or are predicted."""
    scores = []
    for label in np.union1d(predicted, truth):
        hit = int(((predicted == label) & (truth == label)).sum())
        scores.append(2 * hit / int((predicted == label).sum() + (truth == label).sum()))
    return float(len(truth) * (1 - np.mean(scores)))


def short_of_auc(predicted: Values, truth: Values) -> float:
    """1 - AUC, the mean over the classes that occur, each against all others.

    ``predicted`` has one column of scores a class, or class codes: the score of a class is then 1 where it was given.
    """
    from sklearn.metrics import roc_auc_score

    if predicted.ndim == 1:
        predicted = predicted[:, None] == np.arange(truth.max() + 1)
    unknown = np.zeros(len(truth))  # of a class that was not learned: all samples are alike
    areas = [
        roc_auc_score(truth == label, predicted[:, label] if label < predicted.shape[1] else unknown)
        for label in np.unique(truth)
    ]
    return float(len(truth) * (1 - np.mean(areas)))


def squares(predicted: Values, truth: Values) -> float:
    """The sum of squared errors."""
    return float(np.square(predicted - truth).sum())


def absolute(predicted: Values, truth: Values) -> float:
    """The sum of absolute errors."""
    return float(np.abs(predicted - truth).sum())


def root_mean_square(predicted: Values, truth: Values) -> float:
    """The root of the mean squared error."""
    return float(len(truth) * np.sqrt(np.square(predicted - truth).mean()))


def short_of_rank_correlation(predicted: Values, truth: Values) -> float:
    """1 - Spearman's rank correlation, which is 0 where all predictions, or all values, are equal."""
    from scipy.stats import rankdata

    a, b = (rankdata(values) - (len(truth) + 1) / 2 for values in (predicted, truth))
    length = np.sqrt(np.square(a).sum() * np.square(b).sum())
    return float(len(truth) * (1 - (a @ b / length if length else 0.0)))


ACCURACY = Measure("accuracy", wrong)
_OF_VARIANCE = "what r2 falls short of 1, the share of the variance that is not predicted"
R2 = Measure("r2", squares, _OF_VARIANCE, "quantity", per_variance=True)
_OF_RANKS = "what rank_correlation (Spearman) falls short of 1"
MEASURES = {
    measure.name: measure
    for measure in (
        ACCURACY,
        Measure("balanced_accuracy", unbalanced, "what balanced_accuracy falls short of 1"),
        Measure("f1_macro", short_of_f1, "what f1_macro falls short of 1"),
        Measure("roc_auc", short_of_auc, "what roc_auc falls short of 1", by_scores=True),
        R2,
        Measure("mae", absolute, "the mean absolute error", "quantity", is_share=False),
        Measure("rmse", root_mean_square, "the root mean square error", "quantity", is_share=False, fewest=2),
        Measure("rank_correlation", short_of_rank_correlation, _OF_RANKS, "quantity", fewest=2),
    )
}


def make_measure(scoring: str | None, predicts: Predicted = "classes") -> Measure:
    """The measure of a name, by default accuracy, of a quantity r2.

    ValueError if there is no such measure, or it is not for what is predicted.
    """
    if scoring is None:
        return ACCURACY if predicts == "classes" else R2
    fitting = [name for name, measure in MEASURES.items() if measure.predicts == predicts]
    if scoring in MEASURES and scoring not in fitting:
        raise does_not_fit("scoring", scoring, fitting, predicts)
    if scoring not in MEASURES:
        raise ParameterError("scoring", scoring, choices(str(scoring), fitting), "is not known")
    return MEASURES[scoring]


def does_not_fit(parameter: str, given: str, fitting: Iterable[str], predicts: Predicted) -> ParameterError:
    """The error where a measure or a model is for another kind of target."""
    why = f"does not fit, the target {'has classes' if predicts == 'classes' else 'is a quantity'}"
    advice = f"choose one of {', '.join(fitting)}"
    if predicts == "classes":
        taken = "; where numbers are no classes, compare and how_many take ", Setting("target_kind", "quantity")
        advice = Sentence(advice, *taken)
    return ParameterError(parameter, given, advice, why)
