"""How many columns to take: five rules side by side, and what each choice adds beside chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bitsieve.counts.tables import entropy_terms
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.read import read_data
from bitsieve.discretization.registry import make_binner, make_discretizer
from bitsieve.engines.local import search_of
from bitsieve.evaluate.selector_cv import SelectorCV
from bitsieve.information.evidence import leaks
from bitsieve.methods.by_counts.stopping.knockoffs import KnockoffStopping
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.options import DiscretizationOptions, ReadOptions
from bitsieve.pipeline.counting import Counted, count_table
from bitsieve.pipeline.diagnose import explain_leaks, explain_rows, explain_target, refuse_constant_data
from bitsieve.pipeline.prepare import ColumnChoice, prepare
from bitsieve.results.how_many import Answer, HowMany, NullBand
from bitsieve.selectors.forward import ForwardSelector, KnockoffSelector
from bitsieve.selectors.stability import StabilitySelector
from bitsieve.utils.arrays import Columns
from bitsieve.utils.defaults import BINNING, ESTIMATOR, HOW_MANY_METHOD
from bitsieve.utils.messages import warn_of
from bitsieve.utils.parameters import check_integer
from bitsieve.utils.progress import phase

MOST = 30  # columns that cross-validation tries, and of the figure
N_SHUFFLES = 40
AFFORDED = 3 * 10**8  # values to cut and count, some seconds


def how_many(
    data: Any,
    target: Any = None,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    method: str = HOW_MANY_METHOD,
    estimator: str = ESTIMATOR,
    include: Sequence[Any] = (),
    exclude: Sequence[Any] = (),
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
    take what is relevant given all other columns (:class:`KnockoffSelector`), in draws of 13 columns or more.

    Parameters
    ----------
    data, target, sample_weight, groups
        As for :func:`bitsieve.select`; folds and halves keep groups together, and knockoffs have no answer with them.
        Cross-validation is left out where there are weights: copies of a sample would be learned from and tested on.
    method : str, default="jmi"
        A greedy one of :func:`bitsieve.list_methods`.
    estimator : {"plug-in", "corrected", "miller-madow", "shrinkage"}, default="corrected"
        Of the method, as for :class:`ForwardSelector`; the tests of the rules are of plug-in information.
    include, exclude : sequence of column, optional
        As for :func:`bitsieve.compare`: identifiers that are kept, and columns that are left out.
    binning : {"auto", "mdl", "quantile", "uniform", "none"} or binner, default="auto"
    n_bins, uncut, missing, target_bins, target_kind, drop_missing_target, repair, column_types
        As for :func:`bitsieve.select`.
    classifier, folds
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
    check_integer("random_state", random_state, 0, 2**32 - 1)
    read = ReadOptions(
        target=target,
        sample_weight=sample_weight,
        groups=groups,
        target_kind=target_kind,
        target_bins=target_bins,
        drop_missing_target=drop_missing_target,
        repair=repair,
        column_types=column_types,
    )
    table = read_data(data, read)
    refuse_constant_data(table)
    prepared = prepare(table, ColumnChoice(include=include, exclude=exclude), may_constrain=False, orders=False)
    table = prepared.table
    n_left = prepared.n_left
    discretization = DiscretizationOptions(binning=binning, n_bins=n_bins, uncut=uncut, missing=missing)
    rule = make_discretizer(discretization, n_jobs) if discretization.rule_parameters else binning
    own: Any = {"criterion": method, "estimator": estimator, "binning": rule}
    forward = ForwardSelector(max(1, round(n_left**0.5)), **own)
    drawn: Any = {"random_state": random_state, "n_jobs": n_jobs}
    features = range(1, min(MOST, n_left) + 1)
    folded = SelectorCV(methods={method: forward}, features=features, classifier=classifier, folds=folds, **drawn)
    counted = count_table(table, own["binning"], n_jobs)
    answers = [*_by_rules(counted, {**own, "n_jobs": n_jobs}), _by_stability(table, forward, n_pairs, drawn)]
    answers += [_by_errors(table, folded), _by_knockoffs(counted, n_left, drawn)]
    most = min(n_left, max(3, min(MOST, 2 + max(answer.n_features or 0 for answer in answers))))
    band = null_band(counted, table, ForwardSelector(most, **own).fit_counted(counted).selected_, **drawn)
    return HowMany(answers, reading(answers, table.target.is_quantity), band, _warned(counted, table, prepared.notes))


def _warned(counted: Counted, table: InMemoryDataset, on_columns: list[str]) -> list[str]:
    """What was noticed in the data, as warnings too."""
    notes = [*table.notes, *on_columns, *explain_target(table), *explain_rows(table)]
    notes += explain_leaks(leaks(counted.information), table)
    warn_of(notes)
    return notes


def _by_rules(counted: Counted, own: dict[str, Any]) -> Iterator[Answer]:
    """What shuffles and the false discovery rate take, from the same counts."""
    rules = {
        "permutation": ("shuffles", "each adds more than chance to all before it"),
        "fdr": ("false discovery rate", "no more than a tenth of the list is false"),
    }
    for rule, (name, why) in rules.items():
        fitted = ForwardSelector("auto", stopping=rule, **own).fit_counted(counted)
        yield _answer(counted.table.names, name, fitted.selected_, why)


def _by_knockoffs(counted: Counted, n_left: int, drawn: dict[str, Any]) -> Answer:
    """What beats its knockoff, by few quantile bins where the bins looked at the class."""
    if "independent" not in counted.table.capabilities:
        return Answer("knockoffs", None, [], "not with groups: they take the rows for independent draws")
    least, bins, taken = KnockoffStopping().least_columns, "", np.empty(0, np.intp)
    if n_left >= least:
        if counted.information.source.search is not None:
            binner = make_binner("quantile", n_bins=3, missing=counted.binner.missing)
            counted, bins = count_table(counted.table, binner, drawn["n_jobs"]), "; by three quantile bins"
        taken = KnockoffSelector(**drawn).fit_counted(counted).selected_
    if not len(taken):
        why = f"a draw takes {least:,} columns or more, or none, and the table has {n_left:,}"
        if n_left >= least:
            why = f"not {least:,} columns or more beat their knockoffs clearly, and fewer are never taken{bins}"
        return Answer("knockoffs", None, [], why)
    why = f"each beats its knockoff given all others, no more than a tenth of the list is false{bins}"
    return _answer(counted.table.names, "knockoffs", taken, why)


def _by_stability(table: InMemoryDataset, forward: ForwardSelector, n_pairs: int, drawn: dict[str, Any]) -> Answer:
    selector = StabilitySelector(forward, n_pairs=n_pairs, **drawn).fit_table(table)
    if selector.threshold_ > 1:
        chosen = f"{selector.n_chosen_:.2g} of {table.n_features:,}"
        why = f"not with so few columns: each half chooses {chosen}, and some would be kept by chance"
        return Answer("stability", None, [], why)
    kept = f"chosen from {100 * selector.threshold_:.0f} % of the halves"
    why = f"{kept}, {selector.expected_false_:.2g} false expected at most if columns of noise are alike (exchangeable)"
    return _answer(table.names, "stability", selector.selected_, why)


def _by_errors(table: InMemoryDataset, selector: SelectorCV) -> Answer:
    name = "cross-validation"
    if table.weights is not None:
        return Answer(name, None, [], "not with weights: copies of a sample would be learned from and tested on")
    selector.fit_table(table)
    outer = selector.comparison_.outer()
    if not outer.is_better:
        return Answer(name, 0, [], str(outer))
    about = selector.comparison_.measure.about
    why = f"within one standard error of the least; {outer}{f'; error: {about}' if about else ''}"
    return _answer(table.names, name, selector.selected_, why)


def _answer(names: Sequence[str], rule: str, columns: Columns, why: str) -> Answer:
    return Answer(rule, len(columns), [names[j] for j in columns], why)


def reading(answers: list[Answer], of_quantity: bool = False) -> str:
    """One sentence on what the difference of the answers means."""
    target, model = ("target", "regressor") if of_quantity else ("class", "classifier")
    shuffles, rate, stable, errors, *_ = (answer.n_features for answer in answers)
    shown = max(shuffles or 0, rate or 0)
    text = f"{_columns(shown)} shown to be informative about the {target}"
    if stable is not None:
        text += f", and {_columns(stable)} chosen from most halves of the samples"
    if errors is None:
        return f"{text}."
    if not errors:
        more = f"a {model} does no better with columns than without"
    elif errors < shown:
        more = (
            f"take {shown:,} to learn what matters, and {errors:,} to predict, as the others are redundant with these"
        )
    elif errors > shown:
        weak = f"of which {errors - shown:,} {'are' if errors - shown > 1 else 'is'} too weak to be shown"
        more = f"a {model} does better with {errors:,}, {weak}, or there by chance"
    else:
        more = f"a {model} needs no more than {errors:,}"
    return f"{text}: {more}."


def _columns(number: int) -> str:
    return f"{number:,} columns are" if number > 1 else "1 column is" if number else "no column is"


def null_band(
    counted: Counted, table: InMemoryDataset, order: Columns, random_state: int, n_jobs: int | None
) -> NullBand:
    """The band around the curve of a greedy choice, as far as some seconds of shuffles reach."""
    phase("shuffling")
    terms = entropy_terms(table.total_weight)
    search = search_of(table, counted.binner)
    affordable = AFFORDED // (N_SHUFFLES * table.total_weight * table.n_features)
    order = order[: max(1, affordable)]
    bits, low, high = np.zeros((3, len(order)))
    for place, column in enumerate(order.tolist()):
        left = np.setdiff1d(np.arange(table.n_features), order[:place])
        step = RepeatedSearch(search, tuple(order[:place].tolist()), left, terms, n_jobs)
        seeds = np.random.default_rng([random_state, place]).integers(0, 2**64, N_SHUFFLES, dtype=np.uint64)
        bits[place] = step.bits(column)
        low[place], high[place] = np.quantile(step.most_bits_after_shuffles(seeds), [0.05, 0.95])
    return NullBand([table.names[column] for column in order], bits, low, high)
