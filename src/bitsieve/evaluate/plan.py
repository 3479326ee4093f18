"""What a comparison is asked to do, its folds and features as numbers included, settled before the work begins."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
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
from bitsieve.diagnostics import ParameterError
from bitsieve.discretization.registry import make_binner, make_discretizer
from bitsieve.evaluate.models import Grow, Model, default_model, make_model, seeded
from bitsieve.information.evidence import leaks
from bitsieve.methods.registry import method_name, parameters_of
from bitsieve.metrics.measures import Loss, Measure, Predicted, make_measure
from bitsieve.options import DiscretizationOptions
from bitsieve.pipeline.counting import count_table
from bitsieve.pipeline.diagnose import explain_leaks, explain_target, refuse_constant_data
from bitsieve.pipeline.prepare import ColumnChoice, prepare
from bitsieve.selectors.making import make_selector
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.defaults import BINNING, COMPARED
from bitsieve.utils.messages import Sentence, Setting, choices
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
) -> tuple[list[Fold], list[str]]:
    """The folds, and notes on how they were chosen, for :func:`bitsieve.compare`; refused if a class is too small."""
    notes: list[str] = []
    given = () if groups is None else (groups,)
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
        pairs = folds.split(np.zeros((len(strata), 1)), strata, *given) if hasattr(folds, "split") else folds
        made = [Fold(np.asarray(train, np.intp), np.asarray(test, np.intp)) for train, test in pairs]
    _check(made, target)
    return made, notes


def _by_default(target: Target) -> tuple[Any, list[str]]:
    if len(target.codes) < FEW_SAMPLES:
        return LEAVE_ONE_OUT, []
    sizes = np.bincount(target.codes)
    smallest = int(sizes.min())
    if smallest >= MANY_FOLDS or target.is_quantity:
        return MANY_FOLDS, []
    label = target.labels[sizes.argmin()]
    return max(2, smallest), [
        f"class {str(label)!r} has {smallest} samples only: {smallest} folds instead of {MANY_FOLDS}"
    ]


def _strata(target: Target, n_folds: int) -> NDArray[np.integer]:
    """The classes; of a quantity ``n_folds`` samples of neighbouring ranks each, those left over in the last."""
    if target.values is not None:
        ranks = np.argsort(np.argsort(target.values, kind="stable"), kind="stable")
        return np.minimum(ranks // n_folds, len(ranks) // n_folds - 1)
    sizes = np.bincount(target.codes)
    smallest = int(sizes.min())
    if smallest < n_folds:
        label = target.labels[sizes.argmin()]
        what = f"class {str(label)!r} has {smallest} sample{'s' * (smallest != 1)}, fewer than the {n_folds} folds: "
        fewer = ("give ", Setting("folds", smallest), " or ") if smallest > 1 else ("drop the class, or give ",)
        raise ValueError(Sentence(what, *fewer, Setting("folds", LEAVE_ONE_OUT)))
    return target.codes


def _check(folds: list[Fold], target: Target) -> None:
    truth = target.truth
    if not folds:
        raise ValueError("there are no folds: give at least one pair of training and test rows")
    for number, fold in enumerate(folds, 1):
        for part, rows in (("training", fold.train), ("test", fold.test)):
            if not len(rows) or rows.min() < 0 or rows.max() >= len(truth):
                raise ValueError(
                    f"the {part} part of fold {number} is empty or names rows that are not there: give rows from 0 to "
                    f"{len(truth) - 1}"
                )
        if len(np.intersect1d(fold.train, fold.test)):
            raise ValueError(f"fold {number} tests on samples that it learns from: give it disjoint parts")
        if (truth[fold.train] == truth[fold.train[0]]).all():
            one = "value of the target" if target.is_quantity else "class"
            raise ValueError(f"fold {number} would learn from one {one} only: give other folds or more samples")


PROTOCOLS = ("nested", "paper")
DEFAULT_METHODS = COMPARED
DEFAULT_COUNTS = range(10, 101)
FEW_FEATURES = 20


@dataclass(frozen=True)
class Question:
    """The parameters of :func:`bitsieve.compare` that say what is compared, as they were given."""

    methods: Any = DEFAULT_METHODS
    features: Any = None
    classifier: Any = None
    scoring: str | None = None
    folds: Any = None
    protocol: str = "nested"
    include: Sequence[Any] = ()
    exclude: Sequence[Any] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    binning: Any = None
    n_bins: int | None = None
    uncut: str | None = None
    missing: str | None = None
    baselines: bool = False
    random_state: int = 0
    bounds: bool = False

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise ParameterError("protocol", self.protocol, choices(str(self.protocol), PROTOCOLS), "is not known")
        check_integer("random_state", self.random_state, 0, 2**32 - 1)
        check_flag("bounds", self.bounds)


@dataclass(frozen=True)
class Plan:
    """A comparison, ready to run."""

    question: Question
    table: InMemoryDataset
    selectors: dict[str, Any]  # label to an unfitted selector that ranks as many features as the largest count
    counts: Columns  # numbers of features, ascending
    classifier: str
    grow: Grow  # the model in the form by which the loss is measured
    measure: Measure
    loss: Loss
    folds: list[Fold]
    binning: Any
    notes: list[str]

    @property
    def ranks_once(self) -> bool:
        """Whether each method ranks once for all folds, on all samples, as in the papers."""
        return self.question.protocol == "paper"

    @property
    def target(self) -> Target:
        return self.table.target

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


def make_plan(table: InMemoryDataset, question: Question) -> Plan:
    """Check every part of a comparison of a table, and put them together."""
    on_model: list[str] = []
    classifier, random_state = question.classifier, question.random_state
    predicts: Predicted = "quantity" if table.target.is_quantity else "classes"
    if classifier is None:
        classifier, on_model = default_model(table.n_samples, predicts)
    if question.bounds and predicts == "quantity":
        why = "leave it out, or give classes as the target"
        raise ParameterError("bounds", True, why, "needs classes, and the target is a quantity")
    name, model = make_model(classifier, predicts, random_state)
    measure = make_measure(question.scoring, predicts)
    if table.target.unit and predicts == "quantity" and not measure.is_share:
        what = f"the target is {TIMES[table.target.unit]}"
        on_model = [*on_model, f"{what}: errors are in microseconds (8.64e+10 are a day)"]
    grow = _form(name, model, measure)
    binner = _binning(question, table.target)
    table = table.dense()
    refuse_constant_data(table)
    choice = ColumnChoice(include=question.include, exclude=question.exclude)
    prepared = prepare(table, choice, may_constrain=False, orders=False)
    counts, on_counts = feature_counts(question.features, prepared.n_left)
    folds, on_folds = make_folds(table.target, question.folds, random_state, table.groups)
    _refuse_small_tests(folds, measure, table.target.codes)
    table = prepared.table
    on_leaks = explain_leaks(leaks(count_table(table, make_binner(missing="bin")).information), table)
    return Plan(
        question,
        table=table,
        selectors=make_selectors(question.methods, int(counts[-1]), binner, random_state, question.parameters),
        counts=counts,
        classifier=name,
        grow=grow,
        measure=measure,
        loss=measure.over(table.target.truth),
        folds=folds,
        binning=binner,
        notes=[*table.notes, *prepared.notes, *on_counts, *on_model, *explain_target(table), *on_leaks, *on_folds],
    )


def _form(name: str, model: Model, measure: Measure) -> Grow:
    """The form of a model that a measure needs; ValueError where scores are needed and there are none."""
    form = model.regress if measure.predicts == "quantity" else model.score if measure.by_scores else model.predict
    if form is None:
        what = f"classifier {name} has neither decision_function nor predict_proba, and an AUC needs scores: give "
        raise ValueError(Sentence(what, Setting("classifier", "lda"), ", or another ", Setting("scoring")))
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
            advice = f"fold {number:,} tests on {what}: give fewer folds, such as "
            raise ValueError(Sentence(advice, Setting("folds", 5), ", or another ", Setting("scoring")))


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
            raise ValueError(
                "a method is given more than once: name each once, or give a dict of labels to selectors to compare "
                "one method with itself"
            )
    if not named:
        raise ValueError("no method is given: name at least one, such as 'jmi'")
    taken = {method: parameters_of(method) for method in named.values() if isinstance(method, str)}
    for name in parameters:
        if not any(name in own for own in taken.values()):
            raise ValueError(f"none of the methods takes {name!r}: 'bitsieve methods' lists what each takes")

    def made(method: Any) -> Any:
        if isinstance(method, str):
            own = {name: value for name, value in parameters.items() if name in taken[method]}
            return make_selector(method, n_features_to_select, binning=binning, **own)
        if hasattr(method, "fit_table") and "n_features_to_select" in method.get_params():
            return clone(method).set_params(n_features_to_select=n_features_to_select)
        if is_foreign(method):
            return Foreign(clone(method))
        raise ValueError(f"method {method!r} is not allowed: give a name of 'bitsieve methods' or a selector")

    return {str(label): seeded(made(method), random_state) for label, method in named.items()}


def feature_counts(features: Any, n_features: int) -> tuple[Columns, list[str]]:
    """The numbers of features asked for, ascending; None: 10 to 100, or, of few, from 1. A note on those too large."""
    if features is None:
        asked = np.arange(1, n_features + 1) if n_features <= FEW_FEATURES else np.array(DEFAULT_COUNTS)
    else:
        asked = _whole_numbers([features] if not isinstance(features, Iterable) else list(features))
    kept = np.unique(asked[asked <= n_features])
    table = f"the table has {n_features:,} feature{'s' * (n_features != 1)}"
    if not len(kept):
        raise ValueError(f"features begin at {asked.min():,} but {table}: ask for no more than there are")
    notes = []
    if asked.max() > n_features:
        measured = f"{kept[0]:,}" if len(kept) == 1 else f"{kept[0]:,} to {kept[-1]:,}"
        notes.append(f"{table}: errors are measured for {measured} features, not up to {asked.max():,}")
    return kept.astype(np.intp), notes


def _whole_numbers(values: list[Any]) -> NDArray[Any]:
    array = np.asarray(values)
    if not len(values) or array.ndim != 1 or array.dtype.kind not in "iu" or array.min() < 1:
        raise ParameterError("features", values, "give whole numbers from 1, such as range(10, 101)")
    return array


def _binning(question: Question, target: Target) -> Any:
    """The binning that was asked for; for classes under the protocol of the papers MDL, and cuts at the median."""
    options = DiscretizationOptions(
        binning=BINNING if question.binning is None else question.binning,
        n_bins=question.n_bins,
        uncut=question.uncut,
        missing=question.missing,
    )
    if question.binning is None and question.protocol == "paper" and not target.n_allowed:
        options = replace(options, binning="mdl", uncut=options.uncut or "median")
    rule = make_discretizer(options)
    return rule if options.rule_parameters else options.binning


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
    for place, j in enumerate(order):
        numeric[place] = table.is_numeric(j)
        if numeric[place]:
            parts.append(_number(table.numeric(j), learned_from, centred))
        else:
            parts.extend(_categories(table.categorical(j).codes, learned_from))
        ends[place] = len(parts)
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
    known, times = np.unique(codes[learned_from], return_counts=True)
    known = np.sort(known[np.argsort(-times, kind="stable")[:MOST_CATEGORIES]])
    return [(codes == code).astype(np.float64) for code in (known[1:] if len(known) == 2 else known)]


class Foreign(BaseEstimator):
    """A selector of scikit-learn that ranks features; one of several columns comes where its best column does."""

    def __init__(self, selector: Any) -> None:
        self.selector = selector

    def fit_table(self, table: InMemoryDataset) -> Foreign:
        kept = np.setdiff1d(np.arange(table.n_features), table.left_out)
        target = table.target
        if target.is_quantity and getattr(self.selector, "score_func", None) is f_classif:
            raise ValueError("f_classif is a test of classes, and the target is a quantity: give f_regression")
        made = encode_features(table, kept, np.arange(table.n_samples))
        with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            warnings.filterwarnings("ignore", "Features .* are constant", UserWarning)  # they come last
            fitted = clone(self.selector).fit(made.values, target.truth)
        scores = _scores(fitted)
        starts = np.concatenate([[0], made.ends[:-1]])
        best = np.maximum.reduceat(np.where(np.isnan(scores), -np.inf, scores), starts)
        self.selected_ = kept[np.argsort(-best, kind="stable")]
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
