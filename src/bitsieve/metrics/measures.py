"""Measures by which a comparison judges predictions, by name: accuracy, r2 and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.metrics.losses import (
    absolute,
    root_mean_square,
    short_of_auc,
    short_of_f1,
    short_of_rank_correlation,
    squares,
    unbalanced,
    wrong,
)
from bitsieve.utils.messages import choices

Values = NDArray[Any]
Loss = Callable[[Values, Values], float]
Predicted = Literal["classes", "quantity"]


@dataclass(frozen=True)
class Measure:
    """A measure of predictions: its loss, and how the error, the loss divided by the samples, is displayed."""

    name: str
    loss: Loss  # of predicted and true values
    about: str = ""  # what the error is, if that does not follow from the name
    predicts: Predicted = "classes"
    is_share: bool = True  # whether errors are displayed in percent; else they have the unit of the quantity
    by_scores: bool = False  # whether the loss takes a score for each class in place of predicted classes
    fewest: int = 1  # test samples that a fold must have
    per_variance: bool = False  # whether the loss is divided by the variance of all true values

    @property
    def unit(self) -> str:
        """The unit that is displayed after an error."""
        return " %" if self.is_share else ""

    @property
    def baseline(self) -> str:
        """The name of the prediction that uses no columns."""
        return "majority class" if self.predicts == "classes" else "mean"

    def text(self, error: float | None) -> str:
        """An error as it is displayed, without the unit."""
        if error is None:
            return "-"
        if self.is_share:
            return f"{100 * error:.1f}"
        return f"{error:.4g}"

    def over(self, values: Values) -> Loss:
        """The loss, divided by the variance of the true ``values`` of all samples if the measure says so."""
        if not self.per_variance:
            return self.loss
        with np.errstate(over="ignore", invalid="ignore"):
            variance = float(values.var())
        if not 0 < variance < np.inf:
            raise UserError(
                code="values-too-large",
                message="the target is too large or varies too little to be squared",
                advice="give it in another unit",
            )
        return lambda predicted, truth: self.loss(predicted, truth) / variance


ACCURACY = Measure("accuracy", wrong)
R2 = Measure(
    "r2",
    squares,
    "what r2 falls short of 1, the share of the variance that is not predicted",
    "quantity",
    per_variance=True,
)
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
        Measure(
            "rank_correlation",
            short_of_rank_correlation,
            "what rank_correlation (Spearman) falls short of 1",
            "quantity",
            fewest=2,
        ),
    )
}


def make_measure(scoring: str | None, predicts: Predicted = "classes") -> Measure:
    """The measure of a name; None means accuracy for classes and r2 for a quantity.

    Raises ValueError if there is no such measure, or it is not for what the model ``predicts``.
    """
    if scoring is None:
        return ACCURACY if predicts == "classes" else R2
    fitting = [name for name, measure in MEASURES.items() if measure.predicts == predicts]
    if scoring in MEASURES and scoring not in fitting:
        raise does_not_fit("scoring", scoring, fitting, predicts)
    if scoring not in MEASURES:
        raise ParameterError("scoring", scoring, choices(str(scoring), fitting), "is not known", code="unknown-name")
    return MEASURES[scoring]


def does_not_fit(parameter: str, name: str, fitting: Iterable[str], predicts: Predicted) -> ParameterError:
    """The error for a measure or a model that is for another kind of target."""
    target = "has classes" if predicts == "classes" else "is a quantity"
    advice = f"choose one of {', '.join(fitting)}"
    fix = {}
    if predicts == "classes":
        advice += "; if the target is a number to predict, add {target_kind}"
        fix = {"target_kind": "quantity"}
    return ParameterError(
        parameter, name, advice, f"does not fit, the target {target}", code="wrong-kind-of-target", fix=fix
    )
