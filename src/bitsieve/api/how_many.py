"""How many columns to take: five rules side by side, and what each choice adds beside chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from bitsieve.counts.tables import entropy_terms
from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.dataset.read import read_data
from bitsieve.diagnostics import ParameterError
from bitsieve.discretization.registry import make_binner
from bitsieve.engines.local import search_of
from bitsieve.evaluate.selector_cv import SelectorCV
from bitsieve.methods.by_counts.stopping.knockoffs import KnockoffStopping
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.methods.registry import find_method, is_greedy
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.diagnose import on_copies, on_leaks, on_rows, on_target, refuse_constant_data
from bitsieve.pipeline.discretize import (
    Counted,
    binning_parameter,
    count_table,
    discretize,
    take_few_numbers_as_categories,
)
from bitsieve.pipeline.leaks import leaks_of
from bitsieve.pipeline.prepare import prepare
from bitsieve.results.comparison import about_error
from bitsieve.results.how_many import Answer, HowMany, NullBand
from bitsieve.selectors.forward import ForwardSelector, KnockoffSelector
from bitsieve.selectors.stability import StabilitySelector
from bitsieve.utils.arrays import Columns
from bitsieve.utils.defaults import BINNING, ESTIMATOR, HOW_MANY_METHOD
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.parameters import check_integer
from bitsieve.utils.progress import phase

MAX_COLUMNS = 30  # that cross-validation tries, and that the figure shows
N_SHUFFLES = 40
MAX_VALUES_COUNTED = 3 * 10**8  # rows x columns x shuffles: some seconds


@proposes_right_names
def how_many(
    data: Any,
    target: Any = None,
    *,
    sample_weight: Any = None,
    weight_kind: str = "frequency",
    groups: Any = None,
    method: str = HOW_MANY_METHOD,
    estimator: str = ESTIMATOR,
    include: Sequence[Any] = (),
    exclude: Sequence[Any] = (),
    identifiers: str = "drop",
    binning: Any = BINNING,
    n_bins: int | None = None,
    uncut: str | None = None,
    missing: str | None = None,
    target_bins: int | str | None = None,
    target_kind: str | None = None,
    drop_missing_target: bool = True,
    repair: bool = True,
    column_types: Mapping[Any, str] | None = None,
    classifier: Any = None,
    scoring: str | None = None,
    folds: Any = None,
    n_pairs: int = 50,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> HowMany:
    """Ask five rules how many columns a greedy method should take.

    Shuffles take columns while each adds more to all before than chance (:class:`PermutationStopping`); the false
    discovery rate takes the largest list of which a tenth is expected to be false (:class:`FalseDiscoveryStopping`);
    stability keeps what is chosen from most halves of the samples (:class:`StabilitySelector`); cross-validation takes
    the fewest, of 30 at most, with an error within one standard error of the least (:class:`SelectorCV`); knockoffs
    take what is relevant given all other columns (:class:`KnockoffSelector`), at least 13 columns or none.

    Parameters
    ----------
    data, target, sample_weight, weight_kind, groups
        As for :func:`bitsieve.select`; folds and halves keep groups together, and knockoffs have no answer with them.
        Cross-validation is left out where there are weights: copies of a sample would be learned from and tested on.
    method : str, default="jmi"
        A greedy one of :func:`bitsieve.list_methods`.
    estimator : {"plug-in", "corrected", "miller-madow", "shrinkage"}, default="corrected"
        Of the method, as for :class:`ForwardSelector`; the tests of the rules are of plug-in information.
    include, exclude : sequence of column, optional
        As for :func:`bitsieve.compare`: identifiers that are kept, and columns that are left out.
    identifiers : {"drop", "keep"}, default="drop"
        As for :func:`bitsieve.select`.
    binning : {"auto", "mdl", "quantile", "uniform", "none"} or binner, default="auto"
    n_bins, uncut, missing, target_bins, target_kind, drop_missing_target, repair, column_types
        As for :func:`bitsieve.select`.
    classifier, scoring, folds
        As for :func:`bitsieve.compare`.
    n_pairs : int, default=50
        Pairs of halves for stability.
    random_state : int, default=0
    n_jobs : int, optional
        Threads; the result is the same for any number.

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
    >>> found = bitsieve.how_many(X, y, classifier="ncm", n_pairs=10)
    >>> [answer.n_features for answer in found.answers]
    [4, 11, 2, 5, None]
    """
    read = ReadOptions(
        target=target,
        sample_weight=sample_weight,
        weight_kind=weight_kind,
        groups=groups,
        target_kind=target_kind,
        target_bins=target_bins,
        drop_missing_target=drop_missing_target,
        repair=repair,
        column_types=column_types,
        exclude=exclude,
    )
    discretization = DiscretizationOptions(binning=binning, n_bins=n_bins, uncut=uncut, missing=missing)
    columns = ColumnOptions(include=include, exclude=exclude, identifiers=identifiers)
    rules = RuleOptions(
        method=method,
        estimator=estimator,
        classifier=classifier,
        scoring=scoring,
        folds=folds,
        n_pairs=n_pairs,
        random_state=random_state,
    )
    result = ask_rules(data, read, ExecutionOptions(n_jobs=n_jobs), discretization, columns, rules)
    result.diagnostics.warn()
    return result


@dataclass(frozen=True, kw_only=True, eq=False)
class RuleOptions:
    """What the rules are asked with; the fields are the parameters of :func:`how_many` of the same names."""

    method: str
    estimator: str
    classifier: Any
    scoring: str | None
    folds: Any
    n_pairs: int
    random_state: int

    def __post_init__(self) -> None:
        if not is_greedy(self.method):
            problem = "does not choose one feature at a time"
            raise ParameterError("method", self.method, "give a method that does, such as 'jmi'", problem)
        check_integer("random_state", self.random_state, 0, 2**32 - 1)


def ask_rules(
    data: Any,
    read: ReadOptions,
    execution: ExecutionOptions,
    discretization: DiscretizationOptions,
    columns: ColumnOptions,
    rules: RuleOptions,
) -> HowMany:
    """What :func:`how_many` returns, from its options."""
    data_table = read_data(data, read)
    refuse_constant_data(data_table)
    prepared = prepare(data_table, columns, discretization, execution)
    table = prepared.table
    coded_table, settled = take_few_numbers_as_categories(table, find_method(rules.method), discretization, execution)
    forward = ForwardSelector(
        max(1, round(prepared.n_left**0.5)),
        criterion=rules.method,
        estimator=rules.estimator,
        binning=binning_parameter(settled, execution.n_jobs),
    )
    counted = discretize(coded_table, settled, execution)
    cross_validated = _cross_validate(table, forward, prepared.n_left, rules, execution)
    answers = [
        _by_shuffles(counted, forward, execution),
        _by_false_discovery_rate(counted, forward, execution),
        _by_stability(counted.table, forward, rules, execution),
        _by_cross_validation(cross_validated, table.names),
        _by_knockoffs(counted, prepared.n_left, rules, execution),
    ]
    largest_answer = max(answer.n_features or 0 for answer in answers)
    n_in_figure = min(2 + largest_answer, MAX_COLUMNS)
    n_in_figure = min(max(3, n_in_figure), prepared.n_left)
    order = clone(forward).set_params(n_features_to_select=n_in_figure).fit_counted(counted).selected_
    band = null_band(counted, order, rules.random_state, execution.n_jobs)
    diagnostics = Diagnostics(
        [
            *data_table.diagnostics,
            *prepared.diagnostics,
            *on_copies(prepared),
            *on_target(table),
            *on_rows(table),
            *on_leaks(leaks_of(counted), table),
        ]
    )
    scoring = None
    error_without_columns = None
    if cross_validated is not None:
        scoring = cross_validated.comparison_.measure.name
        error_without_columns = float(cross_validated.comparison_.outer().majority)
    return HowMany(
        answers=answers,
        reading=reading(answers, table.target.is_quantity),
        band=band,
        diagnostics=diagnostics,
        target=table.target.name,
        scoring=scoring,
        error_without_columns=error_without_columns,
    )


def _by_shuffles(counted: Counted, forward: ForwardSelector, execution: ExecutionOptions) -> Answer:
    """The columns that a greedy choice takes while each adds more than chance to all before it."""
    selector = clone(forward).set_params(n_features_to_select="auto", stopping="permutation", n_jobs=execution.n_jobs)
    selected = selector.fit_counted(counted).selected_
    return _answer(counted.table.names, "shuffles", selected, "each adds more than chance to all before it")


def _by_false_discovery_rate(counted: Counted, forward: ForwardSelector, execution: ExecutionOptions) -> Answer:
    """The largest list of which a tenth is expected to be false."""
    selector = clone(forward).set_params(n_features_to_select="auto", stopping="fdr", n_jobs=execution.n_jobs)
    selected = selector.fit_counted(counted).selected_
    return _answer(counted.table.names, "false discovery rate", selected, "no more than a tenth of the list is false")


def _by_knockoffs(counted: Counted, n_left: int, rules: RuleOptions, execution: ExecutionOptions) -> Answer:
    """The columns that beat their knockoffs; by three quantile bins if the bins of the counts looked at the class."""
    if "independent" not in counted.table.capabilities:
        return Answer("knockoffs", None, [], "not with groups: this rule assumes that the rows are independent")
    minimum = KnockoffStopping().least_columns
    if n_left < minimum:
        why = f"not with so few columns: this rule takes no fewer than {minimum:,}, and the table has {n_left:,}"
        return Answer("knockoffs", None, [], why)
    bins = ""
    if counted.information.source.search is not None:
        bins = "; by three quantile bins"
        rule = make_binner("quantile", n_bins=3, missing=counted.binner.missing)
        counted = count_table(counted.table, rule, execution.n_jobs)
    selector = KnockoffSelector(random_state=rules.random_state, n_jobs=execution.n_jobs).fit_counted(counted)
    if not len(selector.selected_):
        why = f"fewer than {minimum:,} columns clearly beat their knockoffs, and this rule takes no fewer{bins}"
        return Answer("knockoffs", None, [], why)
    why = f"each beats its knockoff given all others, no more than a tenth of the list is false{bins}"
    return _answer(counted.table.names, "knockoffs", selector.selected_, why)


def _by_stability(table: Dataset, forward: ForwardSelector, rules: RuleOptions, execution: ExecutionOptions) -> Answer:
    """The columns that are chosen from most halves of the samples."""
    selector = StabilitySelector(
        forward, n_pairs=rules.n_pairs, random_state=rules.random_state, n_jobs=execution.n_jobs
    )
    selector.fit_table(table)
    if selector.threshold_ > 1:
        chosen = f"{selector.n_chosen_:.2g} of {table.n_features:,}"
        why = f"not with so few columns: each half chooses {chosen}, and some would be kept by chance"
        return Answer("stability", None, [], why)
    frequency = f"chosen from {100 * selector.threshold_:.0f} % of the halves"
    condition = "if all uninformative columns are chosen equally often"
    bound = f"at most {selector.expected_false_:.2g} of them expected to be uninformative ({condition})"
    return _answer(table.names, "stability", selector.selected_, f"{frequency}, {bound}")


def _cross_validate(
    table: InMemoryDataset, forward: ForwardSelector, n_left: int, rules: RuleOptions, execution: ExecutionOptions
) -> SelectorCV | None:
    """Choose the number of columns by their errors in folds. None for rows with weights, which folds would copy."""
    if table.weights is not None:
        return None
    selector = SelectorCV(
        methods={rules.method: forward},
        features=range(1, min(MAX_COLUMNS, n_left) + 1),
        classifier=rules.classifier,
        scoring=rules.scoring,
        folds=rules.folds,
        random_state=rules.random_state,
        n_jobs=execution.n_jobs,
    )
    selector.fit_table(table)
    return selector


def _by_cross_validation(selector: SelectorCV | None, names: Sequence[str]) -> Answer:
    """The fewest columns with an error within one standard error of the least."""
    rule = "cross-validation"
    if selector is None:
        return Answer(rule, None, [], "not with weights: copies of a sample would be learned from and tested on")
    outer = selector.comparison_.outer()
    error = "; ".join(about_error(selector.comparison_))
    if not outer.is_better:
        return Answer(rule, 0, [], f"{outer}; {error}")
    why = f"within one standard error of the smallest; {outer}; {error}"
    return _answer(names, rule, selector.selected_, why)


def _answer(names: Sequence[str], rule: str, columns: Columns, why: str) -> Answer:
    return Answer(rule, len(columns), [names[j] for j in columns], why)


def reading(answers: list[Answer], is_quantity: bool = False) -> str:
    """One sentence on what the difference of the answers means."""
    target = "target" if is_quantity else "class"
    model = "regressor" if is_quantity else "classifier"
    shuffles, rate, stable, errors = [answer.n_features for answer in answers[:4]]
    n_informative = max(shuffles or 0, rate or 0)
    text = f"{_columns(n_informative)} shown to be informative about the {target}"
    if stable is not None:
        text += f", and {_columns(stable)} chosen from most halves of the samples"
    if errors is None:
        return f"{text}."
    if not errors:
        more = f"a {model} is not shown to do better with columns than without"
    elif errors < n_informative:
        more = (
            f"take {n_informative:,} to learn what matters, and {errors:,} to predict, "
            f"as the others are redundant with these"
        )
    elif errors > n_informative:
        n_weak = errors - n_informative
        are = "are" if n_weak > 1 else "is"
        more = f"cross-validation prefers {errors:,}, of which {n_weak:,} {are} not shown to be informative"
    else:
        more = f"a {model} needs no more than {errors:,}"
    return f"{text}: {more}."


def _columns(number: int) -> str:
    if number == 0:
        return "no column is"
    return "1 column is" if number == 1 else f"{number:,} columns are"


def null_band(counted: Counted, order: Columns, random_state: int, n_jobs: int | None) -> NullBand:
    """What each column of a greedy choice adds, and the 5 and 95 % limits of the most that one adds after shuffles.

    The choice is followed as far as some seconds of shuffles reach.
    """
    phase("shuffling")
    table = counted.table.required_rows()
    entropies = entropy_terms(table.total_weight)
    search = search_of(table, counted.binner)
    affordable = MAX_VALUES_COUNTED // (N_SHUFFLES * table.total_weight * table.n_features)
    order = order[: max(1, affordable)]
    bits = np.zeros(len(order))
    low = np.zeros(len(order))
    high = np.zeros(len(order))
    for n_chosen, column in enumerate(order.tolist()):
        chosen = order[:n_chosen]
        candidates = np.setdiff1d(np.arange(table.n_features), chosen)
        greedy_step = RepeatedSearch(search, tuple(chosen.tolist()), candidates, entropies, n_jobs)
        seeds = np.random.default_rng([random_state, n_chosen]).integers(0, 2**64, N_SHUFFLES, dtype=np.uint64)
        bits[n_chosen] = greedy_step.bits(column)
        low[n_chosen], high[n_chosen] = np.quantile(greedy_step.most_bits_after_shuffles(seeds), [0.05, 0.95])
    return NullBand([table.names[column] for column in order], bits, low, high)
