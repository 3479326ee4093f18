"""What a comparison is asked to do, its folds and features as numbers included, settled before the work begins."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import f_classif
from sklearn.model_selection import LeaveOneOut, StratifiedGroupKFold, StratifiedKFold

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.quantity import TIMES
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.evaluate.models import Grow, Model, default_model, make_model, seeded
from bitsieve.evaluate.notes import errors_in_microseconds, fewer_folds, fewer_measured
from bitsieve.information.evidence import leaks
from bitsieve.methods.registry import method_name, parameters_of
from bitsieve.metrics.measures import Loss, Measure, Predicted, make_measure
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions
from bitsieve.pipeline.diagnose import on_leaks, on_target, refuse_constant_data
from bitsieve.pipeline.discretize import binning_parameter, discretize
from bitsieve.pipeline.prepare import prepare
from bitsieve.selectors.making import make_selector
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.defaults import BINNING, COMPARED
from bitsieve.utils.messages import choices
from bitsieve.utils.parameters import check_flag, check_integer

FEW_SAMPLES = 100  # below, one sample is left out at a time
MANY_FOLDS = 10
LEAVE_ONE_OUT = "loo"
MOST_CATEGORIES = 100  # columns a feature


@dataclass(frozen=True)
class Fold:
    """Row numbers of the training and of the test part."""

    train: Columns
    test: Columns


def make_folds(
    target: Target, folds: Any = None, random_state: int = 0, groups: Columns | None = None
) -> tuple[list[Fold], list[Diagnostic]]:
    """The folds, and notes on how they were chosen, for :func:`bitsieve.compare`; refused if a class is too small."""
    notes: list[Diagnostic] = []
    split_groups = () if groups is None else (groups,)
    n_units = len(target.codes) if groups is None else len(np.unique(groups))
    if folds is None:
        folds, notes = _by_default(target) if groups is None else (min(MANY_FOLDS, n_units), [])
    strata: NDArray[np.integer] = target.codes
    if isinstance(folds, str):
        if folds.lower() != LEAVE_ONE_OUT:
            raise ParameterError("folds", folds, "give a whole number of folds or 'loo' (leave one out)")
        folds = LeaveOneOut() if groups is None else n_units
    if groups is not None and not hasattr(folds, "split"):  # stratified as far as whole groups allow
        n_folds = check_integer("folds", folds, 2, n_units, "as many as there are groups at most")
        folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=random_state)
    elif not hasattr(folds, "split") and not hasattr(folds, "__iter__"):
        n_folds = check_integer("folds", folds, 2, n_units, "or 'loo'")
        folds, strata = StratifiedKFold(n_folds, shuffle=True, random_state=random_state), _strata(target, n_folds)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        pairs = folds.split(np.zeros((len(strata), 1)), strata, *split_groups) if hasattr(folds, "split") else folds
        made = [Fold(np.asarray(train, np.intp), np.asarray(test, np.intp)) for train, test in pairs]
    _check(made, target)
    return made, notes


def _by_default(target: Target) -> tuple[Any, list[Diagnostic]]:
    if len(target.codes) < FEW_SAMPLES:
        return LEAVE_ONE_OUT, []
    sizes = np.bincount(target.codes)
    smallest = int(sizes.min())
    if smallest >= MANY_FOLDS or target.is_quantity:
        return MANY_FOLDS, []
    label = target.labels[sizes.argmin()]
    n_folds = max(2, smallest)
    return n_folds, [fewer_folds(str(label), smallest, n_folds, MANY_FOLDS)]


def _strata(target: Target, n_folds: int) -> NDArray[np.integer]:
    """The classes; of a quantity ``n_folds`` samples of neighbouring ranks each, those left over in the last."""
    if target.values is not None:
        ranks = np.argsort(np.argsort(target.values, kind="stable"), kind="stable")
        return np.minimum(ranks // n_folds, len(ranks) // n_folds - 1)
    sizes = np.bincount(target.codes)
    smallest = int(sizes.min())
    if smallest < n_folds:
        label = target.labels[sizes.argmin()]
        plural = "s" if smallest != 1 else ""
        fewer = f"give {{folds={smallest}}}" if smallest > 1 else "drop the class"
        raise UserError(
            code="small-class",
            message=f"class {str(label)!r} has {smallest} sample{plural}, fewer than the {n_folds} folds",
            advice=f"{fewer} or {{folds}}",
            fix={"folds": LEAVE_ONE_OUT},
        )
    return target.codes


def _check(folds: list[Fold], target: Target) -> None:
    truth = target.truth
    if not folds:
        raise UserError(
            code="no-folds",
            message="there are no folds",
            advice="give at least one pair of training and test rows",
        )
    for number, fold in enumerate(folds, 1):
        for part, rows in (("training", fold.train), ("test", fold.test)):
            if not len(rows) or rows.min() < 0 or rows.max() >= len(truth):
                raise UserError(
                    code="invalid-fold",
                    message=f"the {part} part of fold {number} is empty or names rows that are not there",
                    advice=f"give rows from 0 to {len(truth) - 1}",
                )
        if len(np.intersect1d(fold.train, fold.test)):
            raise UserError(
                code="invalid-fold",
                message=f"fold {number} tests on samples that it learns from",
                advice="give it disjoint parts",
            )
        if (truth[fold.train] == truth[fold.train[0]]).all():
            value = "value of the target" if target.is_quantity else "class"
            raise UserError(
                code="one-class",
                message=f"fold {number} would learn from one {value} only",
                advice="give other folds or more samples",
            )


PROTOCOLS = ("nested", "paper")
DEFAULT_METHODS = COMPARED
DEFAULT_COUNTS = range(10, 101)
FEW_FEATURES = 20


@dataclass(frozen=True, kw_only=True)
class ComparisonOptions:
    """What is compared, and how; the fields are the parameters of :func:`bitsieve.compare` of the same names."""

    methods: Any = DEFAULT_METHODS
    features: Any = None
    classifier: Any = None
    scoring: str | None = None
    folds: Any = None
    protocol: str = "nested"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    baselines: bool = False
    random_state: int = 0
    bounds: bool = False

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise ParameterError(
                "protocol", self.protocol, choices(str(self.protocol), PROTOCOLS), "is not known", code="unknown-name"
            )
        check_integer("random_state", self.random_state, 0, 2**32 - 1)
        check_flag("bounds", self.bounds)


@dataclass(frozen=True)
class Plan:
    """A comparison, ready to run."""

    options: ComparisonOptions
    table: InMemoryDataset  # prepared
    coded_table: InMemoryDataset  # the same, with columns of few whole numbers as categories
    are_all_codes: bool  # whether all columns of an array are of few whole numbers: none of them is binned
    selectors: dict[str, Any]  # label to an unfitted selector that ranks as many features as the largest count
    counts: Columns  # numbers of features, ascending
    classifier: str
    grow: Grow  # the model in the form by which the loss is measured
    measure: Measure
    loss: Loss
    folds: list[Fold]
    discretization: DiscretizationOptions
    diagnostics: list[Diagnostic]

    @property
    def ranks_once(self) -> bool:
        """Whether each method ranks once for all folds, on all samples, as in the papers."""
        return self.options.protocol == "paper"

    @property
    def target(self) -> Target:
        return self.table.target

    def settled_for(self, options: DiscretizationOptions) -> tuple[InMemoryDataset, DiscretizationOptions]:
        """The table for a method on counts, and its discretization, as ``fit`` settles both for all rows."""
        return _settled_codes(self.table, self.coded_table, self.are_all_codes, options)

    def learned_from(self, fold: Fold) -> Columns:
        """The samples from which scales, means and categories of a fold are learned."""
        return np.arange(self.table.n_samples) if self.ranks_once else fold.train

    def encode(self, columns: Columns, fold: Fold) -> NumericFeatures:
        """Features as the classifier gets them in a fold: standardised, in the papers divided by their largest."""
        return encode_features(self.table, columns, self.learned_from(fold), centred=not self.ranks_once)

    def baseline_errors(self) -> Columns | Floats:
        """The errors in every fold of the class that most of all samples have, or of the mean of those learned from."""
        truth, errors, is_quantity = self.target.truth, [], self.measure.predicts == "quantity"
        for fold in self.folds:
            constant = truth[fold.train].mean() if is_quantity else np.bincount(truth).argmax()
            errors.append(self.loss(np.full(len(fold.test), constant), truth[fold.test]))
        return np.array(errors)


def make_plan(
    table: InMemoryDataset,
    options: ComparisonOptions,
    columns: ColumnOptions,
    discretization: DiscretizationOptions,
    execution: ExecutionOptions,
) -> Plan:
    """Prepare a table once for all folds, check every part of a comparison, and put the parts together.

    A ``binning`` of None in ``discretization`` leaves the rule to the protocol.
    """
    predicts: Predicted = "quantity" if table.target.is_quantity else "classes"
    notes_on_model: list[Diagnostic] = []
    classifier = options.classifier
    if classifier is None:
        classifier, notes_on_model = default_model(table.n_samples, predicts)
    if options.bounds and predicts == "quantity":
        why = "leave it out, or give classes as the target"
        raise ParameterError(
            "bounds", True, why, "needs classes, and the target is a quantity", code="wrong-kind-of-target"
        )
    name, model = make_model(classifier, predicts, options.random_state)
    measure = make_measure(options.scoring, predicts)
    if table.target.unit and predicts == "quantity" and not measure.is_share:
        notes_on_model = [*notes_on_model, errors_in_microseconds(TIMES[table.target.unit])]
    grow = _form(name, model, measure)

    discretization = _settled_discretization(discretization, options.protocol, table.target)
    dense_table = table.dense()
    refuse_constant_data(dense_table)
    prepared = prepare(dense_table, columns, discretization, execution)
    prepared_table = prepared.table
    coded_table, are_all_codes = prepared_table.few_as_codes(execution.n_jobs)

    counts, notes_on_counts = feature_counts(options.features, prepared.n_left)
    folds, notes_on_folds = make_folds(table.target, options.folds, options.random_state, table.groups)
    _refuse_small_tests(folds, measure, table.target.codes)
    counted = discretize(*_settled_codes(prepared_table, coded_table, are_all_codes, discretization), execution)
    return Plan(
        options=options,
        table=prepared_table,
        coded_table=coded_table,
        are_all_codes=are_all_codes,
        selectors=make_selectors(
            options.methods,
            int(counts[-1]),
            binning_parameter(discretization),
            options.random_state,
            options.parameters,
        ),
        counts=counts,
        classifier=name,
        grow=grow,
        measure=measure,
        loss=measure.over(table.target.truth),
        folds=folds,
        discretization=discretization,
        diagnostics=[
            *table.diagnostics,
            *prepared.diagnostics,
            *notes_on_counts,
            *notes_on_model,
            *on_target(table),
            *on_leaks(leaks(counted.information), prepared_table),
            *notes_on_folds,
        ],
    )


def _settled_codes(
    table: InMemoryDataset, coded_table: InMemoryDataset, are_all_codes: bool, options: DiscretizationOptions
) -> tuple[InMemoryDataset, DiscretizationOptions]:
    """Take columns of few whole numbers as categories where the options leave that open."""
    if not options.leaves_codes_open:
        return table, options
    if are_all_codes:
        return table, replace(options, binning="none")
    return coded_table, options


def _form(name: str, model: Model, measure: Measure) -> Grow:
    """The form of a model that a measure needs; ValueError where scores are needed and there are none."""
    form = model.regress if measure.predicts == "quantity" else model.score if measure.by_scores else model.predict
    if form is None:
        raise UserError(
            code="classifier-without-scores",
            message=f"classifier {name} has neither decision_function nor predict_proba, and an AUC needs scores",
            advice="give {classifier}, or another {scoring}",
            fix={"classifier": "lda"},
        )
    return form


def _refuse_small_tests(folds: list[Fold], measure: Measure, codes: NDArray[np.int32]) -> None:
    """Raise ValueError where a fold tests on one class only, or too few samples, where a measure is not defined."""
    for number, fold in enumerate(folds, 1):
        what = ""
        if measure.by_scores and (codes[fold.test] == codes[fold.test[0]]).all():
            what = "one class only, which has no AUC"
        if len(fold.test) < measure.fewest:
            what = f"one sample only, which has no {measure.name}"
        if what:
            raise UserError(
                code="small-test",
                message=f"fold {number:,} tests on {what}",
                advice="give fewer folds, such as {folds}, or another {scoring}",
                fix={"folds": 5},
            )


def make_selectors(
    methods: Any, n_features_to_select: int, binning: Any, random_state: int, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Label to unfitted selector, from names, from a mapping of labels to names or selectors, or from one of them."""
    if isinstance(methods, Mapping):
        named = dict(methods)
    else:
        listed = [methods] if isinstance(methods, str) or not isinstance(methods, Iterable) else list(methods)
        named = {method_name(m) if isinstance(m, str) else " ".join(repr(m).split()): m for m in listed}
        if len(named) < len(listed):
            raise UserError(
                code="given-twice",
                message="a method is given more than once",
                advice="name each once, or give a dict of labels to selectors to compare one method with itself",
            )
    if not named:
        raise UserError(
            code="no-method",
            message="no method is given",
            advice="name at least one, such as 'jmi'",
        )
    accepted = {method: parameters_of(method) for method in named.values() if isinstance(method, str)}
    for name in parameters:
        if not any(name in parameters_of_method for parameters_of_method in accepted.values()):
            raise UserError(
                code="unknown-parameter",
                message=f"none of the methods takes {name!r}",
                advice="'bitsieve methods' lists what each takes",
            )

    def made(method: Any) -> Any:
        if isinstance(method, str):
            own_parameters = {name: value for name, value in parameters.items() if name in accepted[method]}
            return make_selector(method, n_features_to_select, binning=binning, **own_parameters)
        if hasattr(method, "fit_table") and "n_features_to_select" in method.get_params():
            return clone(method).set_params(n_features_to_select=n_features_to_select)
        if is_foreign(method):
            return Foreign(clone(method))
        raise UserError(
            code="no-method",
            message=f"method {method!r} is not allowed",
            advice="give a name of 'bitsieve methods' or a selector",
        )

    return {str(label): seeded(made(method), random_state) for label, method in named.items()}


def feature_counts(features: Any, n_features: int) -> tuple[Columns, list[Diagnostic]]:
    """The numbers of features asked for, ascending; None: 10 to 100, or, of few, from 1. A note on those too large."""
    if features is None:
        requested = np.arange(1, n_features + 1) if n_features <= FEW_FEATURES else np.array(DEFAULT_COUNTS)
    else:
        requested = _whole_numbers([features] if not isinstance(features, Iterable) else list(features))
    counts = np.unique(requested[requested <= n_features])
    table = f"the table has {n_features:,} feature{'s' * (n_features != 1)}"
    if not len(counts):
        raise UserError(
            code="too-many-features",
            message=f"features begin at {requested.min():,} but {table}",
            advice="ask for no more than there are",
        )
    notes = []
    if requested.max() > n_features:
        measured = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
        notes.append(fewer_measured(table, measured, int(requested.max())))
    return counts.astype(np.intp), notes


def _whole_numbers(values: list[Any]) -> NDArray[Any]:
    array = np.asarray(values)
    if not len(values) or array.ndim != 1 or array.dtype.kind not in "iu" or array.min() < 1:
        raise ParameterError("features", values, "give whole numbers from 1, such as range(10, 101)")
    return array


def _settled_discretization(options: DiscretizationOptions, protocol: str, target: Target) -> DiscretizationOptions:
    """The discretization where the rule is left open: for classes under the protocol of the papers MDL and medians."""
    if options.binning is not None:
        return options
    if protocol == "paper" and not target.n_allowed:
        return replace(options, binning="mdl", uncut=options.uncut or "median")
    return replace(options, binning=BINNING)


@dataclass(frozen=True)
class NumericFeatures:
    """Features in order of choice, as columns of numbers: ``values[:, : ends[i]]`` are the first ``i + 1`` of them."""

    values: Floats  # (n_samples, n_columns), in Fortran order
    ends: Columns
    numeric: Flags  # which features are one number each

    def rows(self, rows: Columns) -> Floats:
        """The values of some samples, in Fortran order."""
        return np.asfortranarray(self.values[rows])


def encode_features(
    table: InMemoryDataset, order: Columns, learned_from: Columns, *, centred: bool = True
) -> NumericFeatures:
    """Features of all samples as numbers, with scale, mean and at most 100 categories of some samples."""
    parts: list[Floats] = []
    ends = np.zeros(len(order), np.intp)
    numeric = np.zeros(len(order), bool)
    for i, j in enumerate(order):
        numeric[i] = table.is_numeric(j)
        if numeric[i]:
            parts.append(_number(table.numeric(j), learned_from, centred))
        else:
            parts.extend(_categories(table.categorical(j).codes, learned_from))
        ends[i] = len(parts)
    return NumericFeatures(np.array(parts).T, ends, numeric)


def _number(values: Floats, learned_from: Columns, centred: bool) -> Floats:
    learned = values[learned_from]
    learned = learned[~np.isnan(learned)]
    mean = learned.mean() if len(learned) else 0.0
    if np.isnan(values).any():
        values = np.where(np.isnan(values), mean, values)
    largest = np.abs(learned).max(initial=0.0)
    if not centred:
        return values / largest if largest > 0 else values
    spread = learned.std() if len(learned) else 0.0
    if spread <= 1e-12 * largest:  # no more than the rounding of the mean leaves
        return np.asarray(values - mean)
    return np.asarray((values - mean) / spread)


def _categories(codes: NDArray[np.int32], learned_from: Columns) -> list[Floats]:
    categories, frequencies = np.unique(codes[learned_from], return_counts=True)
    categories = np.sort(categories[np.argsort(-frequencies, kind="stable")[:MOST_CATEGORIES]])
    return [(codes == code).astype(np.float64) for code in (categories[1:] if len(categories) == 2 else categories)]


class Foreign(BaseEstimator):
    """A selector of scikit-learn that ranks features; one of several columns comes where its best column does."""

    def __init__(self, selector: Any) -> None:
        self.selector = selector

    def fit_table(self, table: InMemoryDataset) -> Foreign:
        columns = np.setdiff1d(np.arange(table.n_features), table.left_out)
        target = table.target
        if target.is_quantity and getattr(self.selector, "score_func", None) is f_classif:
            raise UserError(
                code="wrong-kind-of-target",
                message="f_classif is a test of classes, and the target is a quantity",
                advice="give f_regression",
            )
        made = encode_features(table, columns, np.arange(table.n_samples))
        with np.errstate(invalid="ignore", divide="ignore"):  # a constant column has no score and comes last
            fitted = clone(self.selector).fit(made.values, target.truth)
        scores = _scores(fitted)
        starts = np.concatenate([[0], made.ends[:-1]])
        best = np.maximum.reduceat(np.where(np.isnan(scores), -np.inf, scores), starts)
        self.selected_ = columns[np.argsort(-best, kind="stable")]
        return self


def is_foreign(method: Any) -> bool:
    """Whether a method is a selector of scikit-learn."""
    return all(hasattr(method, name) for name in ("fit", "get_support", "get_params")) and not isinstance(method, type)


def _scores(fitted: Any) -> Floats:
    """Of every column: ``scores_``, else ``ranking_``, else importances of ``estimator_``, else whether it is kept."""
    if getattr(fitted, "scores_", None) is not None and np.ndim(fitted.scores_) == 1:
        return np.asarray(fitted.scores_, np.float64)
    if hasattr(fitted, "ranking_"):
        return -np.asarray(fitted.ranking_, np.float64)
    model = getattr(fitted, "estimator_", None)
    for name in ("feature_importances_", "coef_"):
        if hasattr(model, name):
            importances = np.abs(np.asarray(getattr(model, name), np.float64))
            return importances if importances.ndim == 1 else np.asarray(np.sqrt(np.square(importances).sum(axis=0)))
    return np.asarray(fitted.get_support(), np.float64)
