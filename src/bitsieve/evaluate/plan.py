"""The plan of a comparison: every part of it made and checked before the work begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.survival import SurvivalTarget
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic, ParameterError
from bitsieve.evaluate.encoding import NumericFeatures, encode_features
from bitsieve.evaluate.feature_counts import FeatureCounts, feature_counts
from bitsieve.evaluate.folds import Fold, FoldsLike
from bitsieve.evaluate.judge import make_judge
from bitsieve.evaluate.methods import Methods, make_selectors
from bitsieve.evaluate.prefix import PredictFromPrefixes
from bitsieve.evaluate.times import check_methods_take_times, check_no_entry, constant_prediction
from bitsieve.information import ANY_EFFECT, COMMON, ESTIMATORS_OF_EFFECT
from bitsieve.methods.registry import find_method, is_greedy
from bitsieve.metrics.measures import KINDS_OF_TARGET, Loss, Measure, Predicted
from bitsieve.metrics.times import check_scikit_survival
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
    judge = make_judge(
        table,
        predicted,
        scoring=options.scoring,
        folds=options.folds,
        classifier=options.classifier,
        random_state=options.random_state,
    )
    plan = Plan(
        options=options,
        table=prepared.table,
        table_with_categories=prepared.table.with_small_integers_as_categories(execution.n_jobs),
        is_array_of_small_integers=prepared.table.is_array_of_small_integers(execution.n_jobs),
        selectors=selectors,
        counts=counts,
        classifier=judge.model_name,
        predict=judge.predict,
        measure=judge.measure,
        loss=judge.loss,
        folds=judge.folds,
        discretization=discretization,
        diagnostics=[
            *table.diagnostics,
            *prepared.diagnostics,
            *on_copies(prepared),
            *notes_on_counts,
            *judge.notes_on_model,
            *judge.notes_on_measure,
            *on_target(table),
            *on_strata(prepared.table, effect),
        ],
    )
    all_rows, discretization_of_all_rows = plan.settle_categories(discretization)
    check_numbers_are_cut(all_rows, discretization_of_all_rows)
    counted_table = discretize(all_rows, discretization_of_all_rows, execution)
    plan.diagnostics.extend(on_bins_within(counted_table.binner, discretization))
    plan.diagnostics.extend(on_leaks(leaks_of(counted_table), prepared.table))
    plan.diagnostics.extend(judge.notes_on_folds)
    return plan


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
