"""How many columns to take: five rules side by side, and what each choice adds beside chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple

from sklearn.base import BaseEstimator, clone

from bitsieve.api.drift_rule import DriftRule, apply_drift_rule
from bitsieve.api.null_band import null_band
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.read import read_data
from bitsieve.dataset.survival import SurvivalTarget, survival_of_target
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.discretization.base import BinningLike
from bitsieve.discretization.registry import make_binner
from bitsieve.evaluate.folds import FoldsLike
from bitsieve.evaluate.plan import predicted_of
from bitsieve.evaluate.selector_cv import SelectorCV
from bitsieve.information import ANY_EFFECT, ESTIMATORS_OF_EFFECT
from bitsieve.information.protocol import BITS_PER_EVENT
from bitsieve.methods.by_counts.forward import check_bins_of_common_effect
from bitsieve.methods.by_counts.stopping.knockoffs import KnockoffStopping
from bitsieve.methods.by_counts.stopping.permutation import PermutationStopping
from bitsieve.methods.constraints import Constraints
from bitsieve.methods.registry import find_method, is_greedy
from bitsieve.metrics.measures import Predicted
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.bins_within import check_numbers_are_cut, on_bins_within
from bitsieve.pipeline.diagnose import on_copies, on_leaks, refuse_constant_data
from bitsieve.pipeline.discretize import (
    CountedTable,
    binning_parameters,
    count_table,
    discretize,
    take_few_numbers_as_categories,
)
from bitsieve.pipeline.leaks import leaks_of
from bitsieve.pipeline.period_columns import missing_column_reported_by_role
from bitsieve.pipeline.prepare import Prepared, prepare
from bitsieve.pipeline.related_rows import on_rows
from bitsieve.pipeline.strata import check_strata, on_strata
from bitsieve.pipeline.survival import check_effect_of_survival, check_survival_of_method
from bitsieve.pipeline.target import on_target
from bitsieve.results.comparison import about_error
from bitsieve.results.how_many import Answer, HowMany, NullBand
from bitsieve.selectors.forward import ForwardSelector, KnockoffSelector
from bitsieve.selectors.stability import StabilitySelector
from bitsieve.utils.arrays import Columns
from bitsieve.utils.defaults import BINNING, ESTIMATOR, HOW_MANY_METHOD
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.parameters import check_choice, check_integer
from bitsieve.utils.progress import progress_bar
from bitsieve.utils.types import ColumnLike, Label, NameOrIndex, TableLike

MAX_COLUMNS = 30  # that cross-validation tries, and that the figure shows
CROSS_VALIDATION = "cross-validation"  # the name of this rule


class Nouns(NamedTuple):
    """What a target, and a model that predicts it, are called."""

    target: str
    model: str


NOUNS: Mapping[Predicted, Nouns] = {
    "classes": Nouns("class", "classifier"),
    "quantity": Nouns("target", "regressor"),
    "times": Nouns("time to the event", "model"),
}


@proposes_right_names
def how_many(
    data: TableLike,
    target: ColumnLike = None,
    *,
    duration: ColumnLike = None,
    event: ColumnLike = None,
    entry: ColumnLike = None,
    n_intervals: int = 1,
    sample_weight: ColumnLike = None,
    weight_kind: str = "frequency",
    groups: ColumnLike = None,
    strata: ColumnLike = None,
    effect: str = ANY_EFFECT,
    period: ColumnLike = None,
    drift: str | None = None,
    max_drift: float | None = None,
    drift_penalty: float | None = None,
    method: str = HOW_MANY_METHOD,
    estimator: str = ESTIMATOR,
    include: Sequence[Label] = (),
    exclude: Sequence[Label] = (),
    identifiers: str = "drop",
    binning: BinningLike = BINNING,
    n_bins: int | None = None,
    uncut: str | None = None,
    bins_within: bool = False,
    missing: str | None = None,
    target_bins: int | str | None = None,
    target_kind: str | None = None,
    drop_missing_target: bool = True,
    repair: bool = True,
    column_types: Mapping[Any, str] | None = None,
    classifier: str | BaseEstimator | None = None,
    scoring: str | None = None,
    folds: FoldsLike = None,
    n_pairs: int = 50,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> HowMany:
    """Ask five rules how many columns a greedy method should take.

    Shuffles take columns while each adds more to all before than chance (:class:`PermutationStopping`); the false
    discovery rate takes the largest list of which a tenth is expected to be false (:class:`FalseDiscoveryStopping`);
    stability keeps what is chosen from most halves of the samples (:class:`StabilitySelector`); cross-validation takes
    the fewest, of 30 at most, with an error within one standard error of the least (:class:`SelectorCV`); knockoffs
    take what is relevant given all other columns (:class:`KnockoffSelector`), at least 10 columns or none.

    Parameters
    ----------
    data, target
        As for :func:`bitsieve.select`.
    duration, event, entry, n_intervals
        Of a time to an event, as for :func:`bitsieve.select`. Knockoffs have no answer then, nor has cross-validation
        with ``entry`` or without scikit-survival.
    sample_weight, weight_kind, groups, strata
        As for :func:`bitsieve.select`; folds and halves keep groups together and divide the classes of each stratum
        evenly, and knockoffs have no answer with groups or strata.
        Cross-validation is left out where there are weights: copies of a sample would be learned from and tested on.
    effect : {"any", "common"}, default="any"
        With "common" all rules look at the effect that the strata have in common, as matched sets need it. This needs
        bins that are made without the target, such as ``binning="quantile"``, and no groups.
    period, drift, max_drift, drift_penalty
        As for :func:`bitsieve.select`.
    method : str, default="jmi"
        A greedy one of :func:`bitsieve.list_methods`.
    estimator : {"plug-in", "corrected", "miller-madow", "shrinkage"}, default="corrected"
        Of the method, as for :class:`ForwardSelector`; the tests of the rules are of plug-in information.
    include, exclude : sequence of column, optional
        As for :func:`bitsieve.compare`: identifiers that are kept, and columns that are left out.
    identifiers : {"drop", "keep"}, default="drop"
        As for :func:`bitsieve.select`.
    binning : {"auto", "mdl", "monotone", "quantile", "uniform", "none"} or binner, default="auto"
    n_bins, uncut, bins_within, missing, target_bins, target_kind, drop_missing_target, repair, column_types
        As for :func:`bitsieve.select`.
    classifier, scoring, folds
        As for :func:`bitsieve.compare`.
    n_pairs : int, default=50
        Pairs of halves for stability.
    random_state : int, default=0
    n_jobs : int, optional
        Threads; the result is the same for any number.
    verbose : bool, default=False
        Whether a line of a terminal or a notebook shows how far the rules are and how long they will take.

    Returns
    -------
    HowMany
        ``print`` shows it as a table; :func:`bitsieve.plot_how_many` draws it. Its notes are warnings, too.

    Raises
    ------
    ValueError
        The data, the target or a parameter cannot be used.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> result = bitsieve.how_many(X, y, classifier="ncm", n_pairs=10)
    >>> [answer.n_features for answer in result.answers]
    [4, 11, 2, 5, None]
    """
    survival = survival_of_target(target, duration, event, entry, n_intervals)
    read = ReadOptions(
        target=target if survival is None else None,
        survival=survival,
        sample_weight=sample_weight,
        weight_kind=weight_kind,
        groups=groups,
        strata=strata,
        target_kind=target_kind,
        target_bins=target_bins,
        drop_missing_target=drop_missing_target,
        repair=repair,
        column_types=column_types,
        exclude=exclude,
    )
    discretization = DiscretizationOptions(
        binning=binning, n_bins=n_bins, uncut=uncut, bins_within=bins_within, missing=missing
    )
    columns = ColumnOptions(include=include, exclude=exclude, identifiers=identifiers)
    rules = RuleOptions(
        method=method,
        estimator=estimator,
        classifier=classifier,
        scoring=scoring,
        folds=folds,
        n_pairs=n_pairs,
        random_state=random_state,
        effect=effect,
    )
    drift_rule = DriftRule.from_parameters(period, drift, max_drift, drift_penalty)
    with progress_bar(verbose):
        result = ask_rules(data, read, ExecutionOptions(n_jobs=n_jobs), discretization, columns, rules, drift_rule)
    result.diagnostics.warn()
    return result


@dataclass(frozen=True, kw_only=True, eq=False)
class RuleOptions:
    """The method and the settings of the rules. The fields are the parameters of :func:`how_many` of these names."""

    method: str
    estimator: str
    classifier: str | BaseEstimator | None
    scoring: str | None
    folds: FoldsLike
    n_pairs: int
    random_state: int
    effect: str = ANY_EFFECT

    def __post_init__(self) -> None:
        if not is_greedy(self.method):
            problem = "does not choose one feature at a time"
            raise ParameterError("method", self.method, "give a method that does, such as 'jmi'", problem)
        check_integer("random_state", self.random_state, 0, 2**32 - 1)
        check_choice("effect", self.effect, tuple(ESTIMATORS_OF_EFFECT))


@dataclass(frozen=True, kw_only=True, eq=False)
class Question:
    """A prepared table, its counts, and the greedy method about which the rules are asked."""

    table: InMemoryDataset  # without its dropped columns
    counted_table: CountedTable
    n_left: int  # columns that are not dropped
    forward: ForwardSelector  # not fitted
    rules: RuleOptions
    n_jobs: int | None

    @property
    def names(self) -> Sequence[str]:
        return self.table.names


def ask_rules(
    data: TableLike,
    read: ReadOptions,
    execution: ExecutionOptions,
    discretization: DiscretizationOptions,
    columns: ColumnOptions,
    rules: RuleOptions,
    drift_rule: DriftRule | None = None,
) -> HowMany:
    """What :func:`how_many` returns, from its options."""
    applied = apply_drift_rule(data, read, execution, columns, drift_rule)
    period = None if drift_rule is None else drift_rule.period
    with missing_column_reported_by_role(period, read.strata, read.survival):
        data_table = read_data(data, applied.read)
    if data_table.is_sparse:
        raise UserError(
            code="dense-rows-needed",
            message="the table is sparse, and two of the five rules need dense rows",
            advice="make it dense if it is small (X.toarray()), or cross-validate by compare, which makes it dense",
        )
    refuse_constant_data(data_table)
    if isinstance(data_table.target, SurvivalTarget):
        check_survival_of_method(find_method(rules.method), rules.estimator, discretization)
        check_effect_of_survival(rules.effect)
    prepared = prepare(data_table, applied.columns, discretization, execution)
    question = _question(prepared, discretization, execution, rules, applied.penalties)
    reason_without_folds = _why_not_cross_validated(question.table)
    if reason_without_folds is None:
        cross_validated = _cross_validate(question)
        comparison = cross_validated.comparison_
        by_cross_validation = _by_cross_validation(cross_validated, question.names)
        scoring = comparison.measure.name
        error_without_columns = float(comparison.outer().majority)
    else:
        by_cross_validation = _no_answer(CROSS_VALIDATION, reason_without_folds)
        scoring = None
        error_without_columns = None
    by_shuffles = _by_shuffles(question)
    by_false_discovery_rate = _by_false_discovery_rate(question)
    by_stability = _by_stability(question)
    by_knockoffs = _by_knockoffs(question)
    answers = [by_shuffles, by_false_discovery_rate, by_stability, by_cross_validation, by_knockoffs]
    target = prepared.table.target
    return HowMany(
        answers=answers,
        reading=sentence_on_answers(
            n_by_shuffles=by_shuffles.n_features,
            n_by_rate=by_false_discovery_rate.n_features,
            n_by_stability=by_stability.n_features,
            n_by_errors=by_cross_validation.n_features,
            predicted=predicted_of(target),
        ),
        band=_band_of_figure(question, answers),
        diagnostics=Diagnostics([*applied.diagnostics, *_diagnostics(prepared, question)]),
        target=target.name,
        scoring=scoring,
        error_without_columns=error_without_columns,
        event=target.event_name if isinstance(target, SurvivalTarget) else None,
        unit=BITS_PER_EVENT if isinstance(target, SurvivalTarget) else "bits",
        strata=read.strata_in_words,
        effect=rules.effect,
    )


def _question(
    prepared: Prepared[InMemoryDataset],
    discretization: DiscretizationOptions,
    execution: ExecutionOptions,
    rules: RuleOptions,
    penalties: Mapping[NameOrIndex, float],
) -> Question:
    """Count the table, and make the selector of the greedy method."""
    check_strata(prepared.table, rules.effect)
    coded_table, coded_discretization = take_few_numbers_as_categories(
        prepared.table, find_method(rules.method), discretization, execution
    )
    check_numbers_are_cut(coded_table, coded_discretization)
    binning = binning_parameters(coded_discretization, execution.n_jobs)
    forward = ForwardSelector(
        max(1, round(prepared.n_left**0.5)),
        criterion=rules.method,
        estimator=rules.estimator,
        binning=binning.binning,
        bins_within=binning.bins_within,
        missing=binning.missing,
        effect=rules.effect,
        constraints=Constraints(penalties=penalties) if penalties else None,
    )
    counted_table = discretize(coded_table, coded_discretization, execution)
    information = counted_table.estimated(rules.estimator, rules.effect)
    check_bins_of_common_effect(information, PermutationStopping())
    return Question(
        table=prepared.table,
        counted_table=counted_table,
        n_left=prepared.n_left,
        forward=forward,
        rules=rules,
        n_jobs=execution.n_jobs,
    )


def _band_of_figure(question: Question, answers: Sequence[Answer]) -> NullBand:
    """What each column adds, for two columns more than the largest answer, at least 3 and at most ``MAX_COLUMNS``."""
    largest_answer = max(answer.n_features or 0 for answer in answers)
    n_features = max(3, min(largest_answer + 2, MAX_COLUMNS))
    n_features = min(n_features, question.n_left)
    selector = clone(question.forward).set_params(n_features_to_select=n_features)
    order = selector.fit_counted(question.counted_table).selected_
    return null_band(question.counted_table, order, question.rules.random_state, question.n_jobs, question.rules.effect)


def _diagnostics(prepared: Prepared[InMemoryDataset], question: Question) -> list[Diagnostic]:
    """What was noticed in the data."""
    table = prepared.table
    return [
        *prepared.original.diagnostics,
        *prepared.diagnostics,
        *on_copies(prepared),
        *on_target(table),
        *on_rows(table),
        *on_strata(table, question.rules.effect),
        *on_bins_within(question.counted_table.binner, prepared.discretization),
        *on_leaks(leaks_of(question.counted_table), table),
    ]


def _by_shuffles(question: Question) -> Answer:
    """The columns that a greedy choice takes while each adds more than chance to all before it."""
    selected = _selected_with(question, "permutation")
    return _answer(question.names, "shuffles", selected, "each adds more than chance to all before it")


def _by_false_discovery_rate(question: Question) -> Answer:
    """The largest list of which a tenth is expected to be false."""
    selected = _selected_with(question, "fdr")
    return _answer(question.names, "false discovery rate", selected, "no more than a tenth of the list is false")


def _selected_with(question: Question, stopping: str) -> Columns:
    """The columns that the greedy method selects until a stopping rule ends it."""
    selector = clone(question.forward)
    selector.set_params(n_features_to_select="auto", stopping=stopping, n_jobs=question.n_jobs)
    selected: Columns = selector.fit_counted(question.counted_table).selected_
    return selected


def _by_knockoffs(question: Question) -> Answer:
    """The columns that beat their knockoffs; by three quantile bins if the bins of the counts looked at the class."""
    rule = "knockoffs"
    counted_table = question.counted_table
    if isinstance(counted_table.table.target, SurvivalTarget):
        return _no_answer(rule, "not for a time to an event: knockoffs are tested by classes")
    if counted_table.has_several_strata:
        return _no_answer(rule, "not within strata: knockoffs are made from all rows")
    if "independent" not in counted_table.table.capabilities:
        return _no_answer(rule, "not with groups: this rule assumes that the rows are independent")
    minimum = KnockoffStopping().min_columns
    if question.n_left < minimum:
        return _no_answer(
            rule,
            f"not with so few columns: this rule takes no fewer than {minimum:,}, and the table has "
            f"{question.n_left:,}",
        )
    about_bins = ""
    if counted_table.information.source.search is not None:
        about_bins = "; by three quantile bins"
        quantiles = make_binner("quantile", n_bins=3, missing=counted_table.binner.missing)
        counted_table = count_table(counted_table.table, quantiles, question.n_jobs)
    selector = KnockoffSelector(random_state=question.rules.random_state, n_jobs=question.n_jobs)
    selector.fit_counted(counted_table)
    if not len(selector.selected_):
        return _no_answer(
            rule,
            f"fewer than {minimum:,} columns clearly beat their knockoffs, and this rule takes no fewer{about_bins}",
        )
    why = f"each beats its knockoff given all others, no more than a tenth of the list is false{about_bins}"
    return _answer(question.names, rule, selector.selected_, why)


def _by_stability(question: Question) -> Answer:
    """The columns that are chosen from most halves of the samples."""
    rule = "stability"
    table = question.counted_table.table
    selector = StabilitySelector(
        question.forward,
        n_pairs=question.rules.n_pairs,
        random_state=question.rules.random_state,
        n_jobs=question.n_jobs,
    )
    selector.fit_table(table)
    if selector.threshold_ > 1:
        chosen = f"{selector.n_chosen_:.2g} of {table.n_features:,}"
        return _no_answer(
            rule, f"not with so few columns: each half chooses {chosen}, and some would be kept by chance"
        )
    frequency = f"chosen from {100 * selector.threshold_:.0f} % of the halves"
    condition = "if all uninformative columns are chosen equally often"
    bound = f"at most {selector.expected_false_:.2g} of them expected to be uninformative ({condition})"
    return _answer(question.names, rule, selector.selected_, f"{frequency}, {bound}")


def _why_not_cross_validated(table: InMemoryDataset) -> str | None:
    """Why folds cannot be made of a table, or its target cannot be predicted; None where both can."""
    if table.weights is not None:
        return "not with weights: copies of a sample would be learned from and tested on"
    if not isinstance(table.target, SurvivalTarget):
        return None
    if table.target.entry is not None:
        return "not with entry: the models of scikit-survival take no late entries"
    if find_spec("sksurv") is None:
        return "not without scikit-survival: pip install 'bitsieve[survival]'"
    return None


def _cross_validate(question: Question) -> SelectorCV:
    """Choose the number of columns by their errors in folds."""
    rules = question.rules
    selector = SelectorCV(
        methods={rules.method: question.forward},
        features=range(1, min(MAX_COLUMNS, question.n_left) + 1),
        classifier=rules.classifier,
        scoring=rules.scoring,
        folds=rules.folds,
        random_state=rules.random_state,
        n_jobs=question.n_jobs,
    )
    selector.fit_table(question.table)
    return selector


def _by_cross_validation(selector: SelectorCV, names: Sequence[str]) -> Answer:
    """The fewest columns with an error within one standard error of the least."""
    outer = selector.comparison_.outer()
    error = "; ".join(about_error(selector.comparison_))
    if not outer.is_better:
        return Answer(CROSS_VALIDATION, 0, [], f"{outer}; {error}")
    why = f"within one standard error of the smallest; {outer}; {error}"
    return _answer(names, CROSS_VALIDATION, selector.selected_, why)


def _answer(names: Sequence[str], rule: str, columns: Columns, why: str) -> Answer:
    return Answer(rule, len(columns), [names[j] for j in columns], why)


def _no_answer(rule: str, why: str) -> Answer:
    return Answer(rule, None, [], why)


def sentence_on_answers(
    *,
    n_by_shuffles: int | None,
    n_by_rate: int | None,
    n_by_stability: int | None,
    n_by_errors: int | None,
    predicted: Predicted,
) -> str:
    """One sentence on what the difference of the answers means. A rule without an answer has None."""
    n_informative = max(n_by_shuffles or 0, n_by_rate or 0)
    nouns = NOUNS[predicted]
    text = f"{_columns_are(n_informative)} shown to be informative about the {nouns.target}"
    if n_by_stability is not None:
        text += f", and {_columns_are(n_by_stability)} chosen from most halves of the samples"
    if n_by_errors is None:
        return f"{text}."
    return f"{text}: {_about_model(nouns.model, n_by_errors, n_informative)}."


def _about_model(model: str, n_features: int, n_informative: int) -> str:
    """What it means that a model does best with ``n_features`` columns."""
    if n_features == 0:
        return f"a {model} is not shown to do better with columns than without"
    if n_features < n_informative:
        return (
            f"take {n_informative:,} to learn what matters, and {n_features:,} to predict, "
            f"as the others are redundant with these"
        )
    if n_features == n_informative:
        return f"a {model} needs no more than {n_features:,}"
    n_weak = n_features - n_informative
    verb = "are" if n_weak > 1 else "is"
    return f"cross-validation prefers {n_features:,}, of which {n_weak:,} {verb} not shown to be informative"


def _columns_are(number: int) -> str:
    if number == 0:
        return "no column is"
    if number == 1:
        return "1 column is"
    return f"{number:,} columns are"
