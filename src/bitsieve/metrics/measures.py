"""Measures by which a comparison judges predictions, by name: accuracy, r2 and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.metrics.losses import (
    absolute_errors,
    root_mean_square_error,
    short_of_auc,
    short_of_balanced_accuracy,
    short_of_f1,
    short_of_rank_correlation,
    squared_errors,
    wrong_classes,
)
from bitsieve.metrics.scorers import (
    DECISION_SCORERS,
    PROBABILITY_SCORERS,
    QUANTITY_SCORERS,
    TWO_CLASS_SCORERS,
    UNBOUNDED_SCORERS,
    ScorerLoss,
    scorer_names,
)
from bitsieve.metrics.times import IntegratedBrier, ShortOfUno, short_of_concordance
from bitsieve.utils.arrays import Values
from bitsieve.utils.messages import advice_on_choice

Loss = Callable[[Values, Values], float]
Predicted = Literal["classes", "quantity", "times"]  # times to an event

BASELINES = {"classes": "majority class", "quantity": "mean", "times": "equal risks"}
KINDS_OF_TARGET = {"classes": "has classes", "quantity": "is a quantity", "times": "is a time to an event"}
LARGE_CLASS = 0.8  # share of the samples in the largest class above which the default measure is not the accuracy


@dataclass(frozen=True)
class Measure:
    """A measure of predictions: its loss, and how the error is displayed. The error is the loss per sample.

    Either ``loss`` or ``make_loss`` is set.
    """

    name: str
    loss: Loss | None  # called with predicted and true values
    about: str  # what the error is, in words
    predicts: Predicted = "classes"
    is_share: bool = True  # whether errors are displayed in percent; else they have the unit of the quantity
    takes_scores: bool = False  # whether the loss takes a score for each class in place of predicted classes
    takes_probabilities: bool = False  # whether these scores must be probabilities
    needs_all_classes: bool = False  # whether every class must occur in the training and the test part of a fold
    classes_allowed: Literal["any", "two", "more than two"] = "any"
    min_test_samples: int = 1  # in a fold
    divides_by_variance: bool = False  # whether the loss is divided by the variance of all true values
    make_loss: Callable[[Values], Loss] | None = None  # makes the loss from the true values of all samples
    takes_curves: bool = False  # whether the loss takes survival curves in place of risks

    @property
    def unit(self) -> str:
        """The unit that is displayed after an error."""
        return " %" if self.is_share else ""

    @property
    def baseline(self) -> str:
        """The name of the prediction that uses no columns."""
        return BASELINES[self.predicts]

    def text(self, error: float | None) -> str:
        """The error as text, without the unit; "-" for None."""
        if error is None:
            return "-"
        if self.is_share:
            return f"{100 * error:.1f}"
        return f"{error:.4g}"

    def loss_for(self, values: Values) -> Loss:
        """The loss for a table in which the true values of all samples are ``values``."""
        if self.make_loss is not None:
            return self.make_loss(values)
        loss = self.loss
        assert loss is not None
        if not self.divides_by_variance:
            return loss
        with np.errstate(over="ignore", invalid="ignore"):
            variance = float(values.var())
        if not 0 < variance < np.inf:
            raise UserError(
                code="values-too-large",
                message="the target is too large or varies too little to be squared",
                advice="give it in another unit",
            )
        return lambda predicted, truth: loss(predicted, truth) / variance


ACCURACY = Measure(
    "accuracy",
    wrong_classes,
    about="1 - accuracy, the share of wrong classes",
)
BALANCED_ACCURACY = Measure(
    "balanced_accuracy",
    short_of_balanced_accuracy,
    about="1 - balanced_accuracy",
)
F1_MACRO = Measure(
    "f1_macro",
    short_of_f1,
    about="1 - f1_macro",
)
ROC_AUC = Measure(
    "roc_auc",
    short_of_auc,
    about="1 - roc_auc",
    takes_scores=True,
)
R2 = Measure(
    "r2",
    squared_errors,
    about="1 - r2, the share of the variance that is not predicted",
    predicts="quantity",
    divides_by_variance=True,
)
MEAN_ABSOLUTE_ERROR = Measure(
    "mae",
    absolute_errors,
    about="the mean absolute error",
    predicts="quantity",
    is_share=False,
)
ROOT_MEAN_SQUARE_ERROR = Measure(
    "rmse",
    root_mean_square_error,
    about="the root mean square error",
    predicts="quantity",
    is_share=False,
    min_test_samples=2,
)
RANK_CORRELATION = Measure(
    "rank_correlation",
    short_of_rank_correlation,
    about="1 - rank_correlation (Spearman)",
    predicts="quantity",
    min_test_samples=2,
)
CONCORDANCE = Measure(
    "concordance",
    short_of_concordance,
    about="1 - concordance (Harrell)",
    predicts="times",
    min_test_samples=2,
)
UNO = Measure(
    "uno",
    None,
    about="1 - concordance (Uno)",
    predicts="times",
    min_test_samples=2,
    make_loss=ShortOfUno,
)
INTEGRATED_BRIER = Measure(
    "integrated_brier",
    None,
    about="the integrated Brier score of the shares without event",
    predicts="times",
    is_share=False,
    min_test_samples=2,
    make_loss=IntegratedBrier,
    takes_curves=True,
)
MEASURES = {
    measure.name: measure
    for measure in (
        ACCURACY,
        BALANCED_ACCURACY,
        F1_MACRO,
        ROC_AUC,
        R2,
        MEAN_ABSOLUTE_ERROR,
        ROOT_MEAN_SQUARE_ERROR,
        RANK_CORRELATION,
        CONCORDANCE,
        UNO,
        INTEGRATED_BRIER,
    )
}


def find_measure(name: str) -> Measure:
    """The measure with this name: one of ``MEASURES``, or one that is made from a scorer of scikit-learn."""
    if name in MEASURES:
        return MEASURES[name]
    is_loss = name.startswith("neg_")
    is_share = not is_loss and name not in UNBOUNDED_SCORERS
    about = f"1 - {name}" if is_share else f"{name} with the other sign"
    if name in TWO_CLASS_SCORERS:
        about += ", for the second of the two classes"
    takes_probabilities = name in PROBABILITY_SCORERS
    takes_scores = takes_probabilities or name in DECISION_SCORERS
    classes_allowed: Literal["any", "two", "more than two"] = "any"
    if name in TWO_CLASS_SCORERS:
        classes_allowed = "two"
    elif name == "top_k_accuracy":
        classes_allowed = "more than two"
    return Measure(
        name,
        ScorerLoss(name, best=1 if is_share else 0),
        about,
        predicts="quantity" if name in QUANTITY_SCORERS else "classes",
        is_share=is_share,
        takes_scores=takes_scores,
        takes_probabilities=takes_probabilities,
        needs_all_classes=takes_scores,
        classes_allowed=classes_allowed,
    )


def make_measure(scoring: str, predicts: Predicted = "classes", n_classes: int = 2) -> Measure:
    """The measure with the name ``scoring``.

    Raises ParameterError if there is no such measure, if it does not fit what the model ``predicts``, or if it is not
    for this number of classes.
    """
    measures = {name: find_measure(name) for name in [*MEASURES, *scorer_names()]}
    fitting = [name for name, measure in measures.items() if measure.predicts == predicts]
    if scoring not in measures:
        raise ParameterError(
            "scoring", scoring, advice_on_choice(str(scoring), fitting), "is not known", code="unknown-name"
        )
    measure = measures[scoring]
    if measure.predicts != predicts:
        raise does_not_fit("scoring", scoring, fitting, predicts)
    if predicts != "classes" or measure.classes_allowed == "any":
        return measure
    allows_two_classes = measure.classes_allowed == "two"
    if allows_two_classes != (n_classes == 2):
        raise ParameterError(
            "scoring",
            scoring,
            "give another, such as roc_auc",
            f"is for {measure.classes_allowed} classes, and the target has {n_classes:,}",
            code="wrong-kind-of-target",
        )
    return measure


def default_measure(predicts: Predicted, class_sizes: NDArray[np.integer]) -> Measure:
    """The measure that is used by default: concordance for times to an event, r2 for a quantity, else by the classes.

    Where no class has more than 80 % of the samples it is the accuracy. Otherwise a constant prediction is nearly as
    accurate as any: then it is roc_auc for two classes, and balanced_accuracy for more.
    """
    if predicts == "times":
        return CONCORDANCE
    if predicts == "quantity":
        return R2
    if class_sizes.max() <= LARGE_CLASS * class_sizes.sum():
        return ACCURACY
    return ROC_AUC if len(class_sizes) == 2 else BALANCED_ACCURACY


def does_not_fit(parameter: str, name: str, fitting: Iterable[str], predicts: Predicted) -> ParameterError:
    """The error for a measure or a model that is for another kind of target."""
    target = KINDS_OF_TARGET[predicts]
    advice = f"choose one of {', '.join(fitting)}"
    fix = {}
    if predicts == "classes":
        advice += "; if the target is a number to predict, add {target_kind}"
        fix = {"target_kind": "quantity"}
    return ParameterError(
        parameter, name, advice, f"does not fit, as the target {target}", code="wrong-kind-of-target", fix=fix
    )
