"""The plan of a comparison: every part of it made and checked before the work begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.quantity import TIMES
from bitsieve.dataset.survival import SurvivalTarget
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.evaluate.encoding import NumericFeatures, encode_features
from bitsieve.evaluate.folds import Fold, FoldsLike, make_folds
from bitsieve.evaluate.methods import Methods, make_selectors
from bitsieve.evaluate.models import Model, default_model, make_model
from bitsieve.evaluate.notes import errors_in_microseconds, fewer_measured, unequal_classes
from bitsieve.evaluate.prefix import PredictFromPrefixes
from bitsieve.evaluate.times import check_methods_take_times, check_no_entry, constant_prediction
from bitsieve.information import ANY_EFFECT, COMMON, ESTIMATORS_OF_EFFECT
from bitsieve.methods.registry import find_method, is_greedy
from bitsieve.metrics.measures import (
    ACCURACY,
    CONCORDANCE,
    KINDS_OF_TARGET,
    R2,
    Loss,
    Measure,
    Predicted,
    default_measure,
    make_measure,
)
from bitsieve.metrics.times import IntegratedBrier, check_scikit_survival, has_comparable_pairs
from bitsieve.options import PAPER, ColumnOptions, DiscretizationOptions, ExecutionOptions
from bitsieve.pipeline.bins_within import check_numbers_are_cut, on_bins_within
from bitsieve.pipeline.diagnose import on_copies, on_leaks, refuse_constant_data
from bitsieve.pipeline.discretize import binning_parameters, discretize
from bitsieve.pipeline.leaks import leaks_of
from bitsieve.pipeline.prepare import prepare
from bitsieve.pipeline.strata import check_strata, on_strata
from bitsieve.pipeline.survival import check_effect_of_survival
from bitsieve.pipeline.target import on_target
from bitsieve.utils.arrays import Columns, Floats, Values
from bitsieve.utils.defaults import BINNING, COMPARED
from bitsieve.utils.messages import advice_on_choice
from bitsieve.utils.parameters import check_choice, check_flag, check_integer
from bitsieve.utils.types import NameOrIndex

PROTOCOLS = ("nested", PAPER)
DEFAULT_METHODS = COMPARED
DEFAULT_COUNTS = range(10, 101)
FEW_FEATURES = 20  # of at most so many, errors are measured from one feature on
MIN_BRIER_TIMES = 2  # the Brier score is integrated between two times at least

#: A number of features, or several; None for the default ones.
FeatureCounts: TypeAlias = int | Iterable[int] | None


@dataclass(frozen=True, kw_only=True)
class ComparisonOptions:
    """What is compared, and how; the fields are the parameters of :func:`bitsieve.compare` of the same names.

    ``penalties``, in bits by column, are made of the drift of the columns.
    """

    methods: Methods = DEFAULT_METHODS
    features: FeatureCounts = None
    classifier: str | BaseEstimator | None = None
    scoring: str | None = None
    folds: FoldsLike = None
    protocol: str = "nested"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    baselines: bool = False
    random_state: int = 0
    bounds: bool = False
    effect: str = ANY_EFFECT  # of the features within strata
    penalties: Mapping[NameOrIndex, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise ParameterError(
                "protocol",
                self.protocol,
                advice_on_choice(str(self.protocol), PROTOCOLS),
                "is not known",
                code="unknown-name",
            )
        check_integer("random_state", self.random_state, 0, 2**32 - 1)
        check_flag("bounds", self.bounds)
        check_choice("effect", self.effect, tuple(ESTIMATORS_OF_EFFECT))


@dataclass(frozen=True)
class Plan:
    """A comparison, ready to run."""

    options: ComparisonOptions
    table: InMemoryDataset  # prepared
    table_with_categories: InMemoryDataset  # the same, with columns of integers in a small range as categories
    is_array_of_small_integers: bool  # whether the table is an array that needs no bins
    selectors: dict[str, BaseEstimator]  # by label; unfitted, each ranks as many features as the largest count
    counts: Columns  # numbers of features, ascending
    classifier: str
    predict: PredictFromPrefixes  # predicts what the loss compares with the truth
    measure: Measure
    loss: Loss
    folds: list[Fold]
    discretization: DiscretizationOptions
    diagnostics: list[Diagnostic]

    @property
    def ranks_once(self) -> bool:
        """Whether each method ranks once for all folds, on all samples, as in the papers."""
        return self.options.protocol == PAPER

    @property
    def target(self) -> Target:
        return self.table.target

    def settle_categories(self, options: DiscretizationOptions) -> tuple[InMemoryDataset, DiscretizationOptions]:
        """The table and the discretization for a method on counts, as ``fit`` would settle both for all rows.

        Integers in a small range are categories, unless the options say how to bin them.
        """
        if not options.leaves_codes_open:
            return self.table, options
        if self.is_array_of_small_integers:
            return self.table, replace(options, binning="none")
        return self.table_with_categories, options

    def learning_rows(self, fold: Fold) -> Columns:
        """The samples from which a fold learns scales, means and categories."""
        return np.arange(self.table.n_samples) if self.ranks_once else fold.train

    def encode(self, columns: Columns, fold: Fold) -> NumericFeatures:
        """Features as the classifier gets them: standardised, or as in the papers divided by their largest value."""
        return encode_features(self.table, columns, self.learning_rows(fold), centred=not self.ranks_once)

    def baseline_errors(self) -> Columns | Floats:
        """The errors of a constant prediction in every fold, shape (n_folds,).

        The constant is the largest class of all samples, or the mean of a quantity over the training samples. A
        measure of scores gets the shares of the classes in the training samples as the scores of every sample.
        """
        errors = [self.loss(self._constant_prediction(fold), self.target.truth[fold.test]) for fold in self.folds]
        return np.array(errors)

    def _constant_prediction(self, fold: Fold) -> Values:
        truth = self.target.truth
        if self.measure.predicts == "times":
            return constant_prediction(self.loss, truth[fold.train], len(fold.test))
        if self.measure.predicts == "quantity":
            return np.full(len(fold.test), truth[fold.train].mean())
        if self.measure.takes_scores:
            class_shares = np.bincount(truth[fold.train], minlength=self.target.n_classes) / len(fold.train)
            return np.tile(class_shares, (len(fold.test), 1))
        return np.full(len(fold.test), np.bincount(truth).argmax())


def make_plan(
    table: InMemoryDataset,
    options: ComparisonOptions,
    columns: ColumnOptions,
    discretization: DiscretizationOptions,
    execution: ExecutionOptions,
) -> Plan:
    """Prepare a table once for all folds, check every part of a comparison, and put the parts together.

    If ``discretization.binning`` is None, the protocol decides the rule.
    """
    predicted = predicted_of(table.target)
    if options.bounds and predicted != "classes":
        advice = "leave it out, or give classes as the target"
        problem = f"needs classes, and the target {KINDS_OF_TARGET[predicted]}"
        raise ParameterError("bounds", True, advice, problem, code="wrong-kind-of-target")
    if isinstance(table.target, SurvivalTarget):
        check_scikit_survival()
        check_no_entry(table.target)
    discretization = _settle_binning(discretization, options.protocol, table.target)
    dense_table = table.dense()
    refuse_constant_data(dense_table)
    prepared = prepare(dense_table, columns, discretization, execution)
    counts, notes_on_counts = feature_counts(options.features, prepared.n_left)
    selectors = make_selectors(
        _compared_methods(options, predicted),
        int(counts[-1]),
        binning_parameters(discretization),
        options.random_state,
        options.parameters,
        as_published=options.protocol == PAPER,
        penalties=options.penalties,
        effect=options.effect,
    )
    if predicted == "times":
        check_methods_take_times(selectors)
    effect = _checked_effect(prepared.table, selectors)
    measure, folds, notes_on_folds = _choose_measure(table, options, predicted)
    model_name, model, notes_on_model = _choose_model(table, options, measure, predicted)
    loss = measure.loss_for(table.target.truth)
    predict = _predictor(model_name, model, measure, loss)
    _refuse_small_tests(folds, measure, loss, table.target)
    plan = Plan(
        options=options,
        table=prepared.table,
        table_with_categories=prepared.table.with_small_integers_as_categories(execution.n_jobs),
        is_array_of_small_integers=prepared.table.is_array_of_small_integers(execution.n_jobs),
        selectors=selectors,
        counts=counts,
        classifier=model_name,
        predict=predict,
        measure=measure,
        loss=loss,
        folds=folds,
        discretization=discretization,
        diagnostics=[
            *table.diagnostics,
            *prepared.diagnostics,
            *on_copies(prepared),
            *notes_on_counts,
            *notes_on_model,
            *_on_measure(table.target, options, measure),
            *on_target(table),
            *on_strata(prepared.table, effect),
        ],
    )
    all_rows, discretization_of_all_rows = plan.settle_categories(discretization)
    check_numbers_are_cut(all_rows, discretization_of_all_rows)
    counted_table = discretize(all_rows, discretization_of_all_rows, execution)
    plan.diagnostics.extend(on_bins_within(counted_table.binner, discretization))
    plan.diagnostics.extend(on_leaks(leaks_of(counted_table), prepared.table))
    plan.diagnostics.extend(notes_on_folds)
    return plan


def _choose_measure(
    table: InMemoryDataset, options: ComparisonOptions, predicted: Predicted
) -> tuple[Measure, list[Fold], list[Diagnostic]]:
    """The measure of errors, the folds, and the notes on the folds.

    By default the measure suits the target. It is accuracy if a fold tests on one class only, as a measure of scores
    is not defined there.
    """
    class_sizes = np.bincount(table.target.codes)
    if options.scoring is None:
        measure = default_measure(predicted, class_sizes)
    else:
        measure = make_measure(options.scoring, predicted, len(class_sizes))
    folds, notes_on_folds = make_folds(
        table.target,
        options.folds,
        options.random_state,
        table.groups,
        stratified=measure.takes_scores or predicted == "times",
        strata=table.several_strata,
    )
    if options.scoring is None and measure.takes_scores and _tests_on_one_class(folds, table.target.codes):
        measure = ACCURACY
    return measure, folds, notes_on_folds


def _choose_model(
    table: InMemoryDataset, options: ComparisonOptions, measure: Measure, predicted: Predicted
) -> tuple[str, Model, list[Diagnostic]]:
    """The name of the model, the model, and the notes on a default one."""
    diagnostics: list[Diagnostic] = []
    classifier = options.classifier
    if classifier is None and options.scoring is None and measure.takes_scores:
        classifier = "lda"  # the scores of a support vector machine are nearly random if one class is rare
    elif classifier is None:
        classifier, diagnostics = default_model(table.n_samples, predicted)
    name, model = make_model(classifier, predicted, options.random_state)
    return name, model, diagnostics


def _on_measure(target: Target, options: ComparisonOptions, measure: Measure) -> list[Diagnostic]:
    """The notes on errors in a unit of time, and on a default measure that is not accuracy or R2."""
    diagnostics = []
    if target.unit and target.is_quantity and not measure.is_share:
        diagnostics.append(errors_in_microseconds(TIMES[target.unit]))
    if options.scoring is None and measure not in (ACCURACY, R2, CONCORDANCE):
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


def feature_counts(features: FeatureCounts, n_features: int) -> tuple[Columns, list[Diagnostic]]:
    """The requested numbers of features that the table has, ascending, and a note if larger ones were requested.

    By default they are 10 to 100, or all from 1 if the table has at most 20 features.
    """
    if features is not None:
        requested = _whole_numbers(features)
    elif n_features <= FEW_FEATURES:
        requested = np.arange(1, n_features + 1)
    else:
        requested = np.array(DEFAULT_COUNTS)
    counts = np.unique(requested[requested <= n_features])
    largest = int(requested.max())
    noun = "feature" if n_features == 1 else "features"
    size_of_table = f"the table has {n_features:,} {noun}"
    if not len(counts):
        raise UserError(
            code="too-many-features",
            message=f"features begin at {requested.min():,} but {size_of_table}",
            advice="ask for fewer",
        )
    notes = []
    if largest > n_features:
        measured_counts = f"{counts[0]:,}"
        if len(counts) > 1:
            measured_counts += f" to {counts[-1]:,}"
        notes.append(fewer_measured(size_of_table, measured_counts, largest))
    return counts.astype(np.intp), notes


def _whole_numbers(features: FeatureCounts) -> Values:
    numbers = list(features) if isinstance(features, Iterable) else [features]
    array = np.asarray(numbers)
    if not len(numbers) or array.ndim != 1 or array.dtype.kind not in "iu" or array.min() < 1:
        raise ParameterError("features", numbers, "give whole numbers from 1, such as range(10, 101)")
    return array


def predicted_of(target: Target) -> Predicted:
    """What a model predicts of a target."""
    if isinstance(target, SurvivalTarget):
        return "times"
    return "quantity" if target.is_quantity else "classes"


def _compared_methods(options: ComparisonOptions, predicted: Predicted) -> Methods:
    """The methods that are compared: of the default ones those that take the target, and the effect of the strata."""
    if options.methods is not DEFAULT_METHODS:  # methods that were asked for are refused later, and not left out
        return options.methods
    names = list(DEFAULT_METHODS)
    if predicted == "times":
        names = [name for name in names if find_method(name).takes_survival]
    if options.effect == COMMON:
        names = [name for name in names if is_greedy(name)]
    return names


def _checked_effect(table: InMemoryDataset, selectors: Mapping[str, BaseEstimator]) -> str:
    """Check the effects of the strata by which the methods rank; the common one if all rank by it, else any."""
    effects = {selector.get_params(deep=False).get("effect", ANY_EFFECT) for selector in selectors.values()}
    for effect in sorted(effects):
        if isinstance(table.target, SurvivalTarget):
            check_effect_of_survival(effect)
        check_strata(table, effect)
    return ANY_EFFECT if ANY_EFFECT in effects else COMMON


def _settle_binning(options: DiscretizationOptions, protocol: str, target: Target) -> DiscretizationOptions:
    """Choose the rule that bins columns, if the options leave it open.

    Under the protocol of the papers classes are binned by MDL, and columns without a cut at their median.
    """
    if options.binning is not None:
        return options
    if protocol == PAPER and not target.n_classes_of_quantity:
        return replace(options, binning="mdl", uncut=options.uncut or "median")
    return replace(options, binning=BINNING)
