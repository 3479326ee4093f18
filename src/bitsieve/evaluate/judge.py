"""How selections are judged: the measure of errors, the folds, and the model whose errors are measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.quantity import TIMES
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.evaluate.folds import Fold, FoldsLike, make_folds
from bitsieve.evaluate.models import Model, default_model, make_model
from bitsieve.evaluate.notes import errors_in_microseconds, unequal_classes
from bitsieve.evaluate.prefix import PredictFromPrefixes
from bitsieve.metrics.measures import (
    ACCURACY,
    CONCORDANCE,
    R2,
    Loss,
    Measure,
    Predicted,
    default_measure,
    make_measure,
)
from bitsieve.metrics.times import IntegratedBrier, has_comparable_pairs

MIN_BRIER_TIMES = 2  # the Brier score is integrated between two times at least


@dataclass(frozen=True, kw_only=True)
class Judge:
    """A model whose errors are measured, and how. The notes are on what was chosen by default."""

    measure: Measure
    loss: Loss
    folds: list[Fold]
    model_name: str
    predict: PredictFromPrefixes  # predicts what the loss compares with the truth
    notes_on_folds: list[Diagnostic]
    notes_on_model: list[Diagnostic]
    notes_on_measure: list[Diagnostic]


def make_judge(
    table: InMemoryDataset,
    predicted: Predicted,
    *,
    scoring: str | None,
    folds: FoldsLike,
    classifier: str | BaseEstimator | None,
    random_state: int,
) -> Judge:
    """Choose the measure, the folds and the model. What is None is chosen by the target.

    Raises
    ------
    UserError
        The model cannot predict what the measure needs, or a fold is too small for the measure.
    """
    target = table.target
    measure = _chosen_measure(scoring, predicted, target)
    chosen_folds, notes_on_folds = make_folds(
        target,
        folds,
        random_state,
        table.groups,
        stratified=measure.takes_scores or predicted == "times",
        strata=table.several_strata,
    )
    if scoring is None and measure.takes_scores and _tests_on_one_class(chosen_folds, target.codes):
        measure = ACCURACY  # scores of one class have no measure
    notes_on_model: list[Diagnostic] = []
    if classifier is None and scoring is None and measure.takes_scores:
        classifier = "lda"  # the scores of a support vector machine are nearly random if one class is rare
    elif classifier is None:
        classifier, notes_on_model = default_model(table.n_samples, predicted)
    model_name, model = make_model(classifier, predicted, random_state)
    loss = measure.loss_for(target.truth)
    predict = _predictor(model_name, model, measure, loss)
    _refuse_small_tests(chosen_folds, measure, loss, target)
    return Judge(
        measure=measure,
        loss=loss,
        folds=chosen_folds,
        model_name=model_name,
        predict=predict,
        notes_on_folds=notes_on_folds,
        notes_on_model=notes_on_model,
        notes_on_measure=_notes_on_measure(target, measure, was_chosen=scoring is not None),
    )


def _chosen_measure(scoring: str | None, predicted: Predicted, target: Target) -> Measure:
    class_sizes = np.bincount(target.codes)
    if scoring is None:
        return default_measure(predicted, class_sizes)
    return make_measure(scoring, predicted, len(class_sizes))


def _notes_on_measure(target: Target, measure: Measure, *, was_chosen: bool) -> list[Diagnostic]:
    """The notes on errors in a unit of time, and on a default measure that is not accuracy or R2.

    ``was_chosen`` says whether the user chose the measure.
    """
    diagnostics = []
    if target.unit and target.is_quantity and not measure.is_share:
        diagnostics.append(errors_in_microseconds(TIMES[target.unit]))
    if not was_chosen and measure not in (ACCURACY, R2, CONCORDANCE):
        class_sizes = np.bincount(target.codes)
        diagnostics.append(unequal_classes(measure.name, class_sizes.max() / class_sizes.sum()))
    return diagnostics


def _predictor(name: str, model: Model, measure: Measure, loss: Loss) -> PredictFromPrefixes:
    """What predicts the values, scores or classes that a measure needs."""
    if isinstance(loss, IntegratedBrier):
        predictor = model.curves(loss.times)
    elif measure.predicts == "times":
        predictor = model.risk
    elif measure.predicts == "quantity":
        predictor = model.regress
    elif measure.takes_probabilities:
        predictor = model.probabilities
    elif measure.takes_scores:
        predictor = model.score
    else:
        predictor = model.predict
    if predictor is not None:
        return predictor
    fitting_classifier = "lda"
    if measure.takes_curves:
        problem = f"has no predict_survival_function, and {measure.name} needs it"
        fitting_classifier = "cox"
    elif measure.takes_probabilities:
        problem = f"has no predict_proba, and {measure.name} needs probabilities"
    else:
        problem = f"has neither decision_function nor predict_proba, and {measure.name} needs scores"
    raise UserError(
        code="classifier-without-scores",
        message=f"classifier {name} {problem}",
        advice="give {classifier}, or another {scoring}",
        fix={"classifier": fitting_classifier},
    )


def _tests_on_one_class(folds: list[Fold], codes: NDArray[np.int32]) -> bool:
    """Whether the test part of a fold has one class only."""
    return any(len(np.unique(codes[fold.test])) == 1 for fold in folds)


def _refuse_small_tests(folds: list[Fold], measure: Measure, loss: Loss, target: Target) -> None:
    """Refuse a fold that has too few samples, events or classes for the measure to be defined."""
    for number, fold in enumerate(folds, 1):
        problem = _problem_of_fold(fold, measure, loss, target)
        if problem:
            raise UserError(
                code="small-test",
                message=f"fold {number:,} tests on {problem}",
                advice="give fewer folds, such as {folds}, or another {scoring}",
                fix={"folds": 5},
            )


def _problem_of_fold(fold: Fold, measure: Measure, loss: Loss, target: Target) -> str:
    """What the fold tests on, if the measure is not defined for that; else empty."""
    truth = target.truth[fold.test]
    if len(fold.test) < measure.min_test_samples:
        return f"one sample only, which has no {measure.name}"
    if measure.predicts == "times" and not has_comparable_pairs(truth):
        return "samples of which none has an event before the time of another"
    if isinstance(loss, IntegratedBrier) and loss.times_followed(truth).sum() < MIN_BRIER_TIMES:
        return f"samples that were followed for too short a time, for which {measure.name} is not defined"
    codes = target.codes
    n_classes_tested = len(np.unique(codes[fold.test]))
    if measure.takes_scores and n_classes_tested == 1:
        return "one class only, which has no AUC"
    n_classes = int(codes.max()) + 1
    if measure.needs_all_classes and n_classes_tested < n_classes:
        return f"some of the {n_classes:,} classes only, and {measure.name} needs all"
    if measure.needs_all_classes and len(np.unique(codes[fold.train])) < n_classes:
        return f"classes that it does not learn from, and {measure.name} needs all"
    return ""
