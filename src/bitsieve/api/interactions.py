"""The pairs and triples of columns that carry the most about the target together, and what chance gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from bitsieve.counts.source import CountSource
from bitsieve.counts.tuples import ORDERS, STATISTICS
from bitsieve.dataset.data_kinds import library_of
from bitsieve.dataset.dataset import Dataset
from bitsieve.diagnostics import Diagnostic, ParameterError
from bitsieve.discretization.base import BinningLike
from bitsieve.discretization.registry import make_discretizer
from bitsieve.methods.by_counts.interactions import Chance, Interacting, Search
from bitsieve.methods.method import TABLES
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.diagnose import on_copies, refuse_constant_data
from bitsieve.pipeline.discretize import count_for_tuples, discretization_for_tuples, strata_of
from bitsieve.pipeline.notes import tuple_notes
from bitsieve.pipeline.prepare import Prepared, prepare
from bitsieve.pipeline.reading import Requirements, plan_reading
from bitsieve.pipeline.target import on_target
from bitsieve.results.interactions import Interactions
from bitsieve.utils.arrays import Columns, Floats, Integers
from bitsieve.utils.defaults import INTERACTIONS_BINNING
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.docstrings import cites
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.parameters import check_choice, check_integer
from bitsieve.utils.progress import phase, progress_bar
from bitsieve.utils.types import ColumnLike, Label, TableLike

MAX_SHUFFLES = 10**5
MAX_TOP = 10**7
MANY_VALUES = 10  # of a column
MAX_SHARE_OF_CHANCE = 0.05  # of H(C), that a tuple has by chance
RATES_BY = ("shuffles", "contrasts")


@cites("Anastassiou 2007", "McGill 1954", "Jakulin 2005", "Mnich, Rudnicki 2020")
@proposes_right_names
def interactions(
    data: TableLike,
    target: ColumnLike = None,
    *,
    order: int = 2,
    top: int = 100,
    statistic: str = "synergy",
    n_shuffles: int | None = None,
    screen: int | None = None,
    strata: ColumnLike = None,
    rate_by: str = "shuffles",
    random_state: int = 0,
    sample_weight: ColumnLike = None,
    weight_kind: str = "frequency",
    include: Sequence[Label] = (),
    exclude: Sequence[Label] = (),
    identifiers: str = "drop",
    binning: BinningLike = INTERACTIONS_BINNING,
    n_bins: int | None = None,
    uncut: str | None = None,
    missing: str | None = None,
    target_bins: int | str | None = None,
    target_kind: str | None = None,
    drop_missing_target: bool = True,
    header: bool | None = None,
    repair: bool = True,
    column_types: Mapping[Any, str] | None = None,
    n_jobs: int | None = None,
    memory: int | str | None = None,
    spool: str | PathLike[str] | None = None,
    engine: str | None = None,
    verbose: bool = False,
) -> Interactions:
    """Count all pairs or all triples of columns with the target, and keep the strongest.

    With ``I(S)`` the information of the columns S about the target, in bits, for i, j, k the columns of a triple:

    - "synergy": ``I(ijk) - max(I(ij) + I(k), I(ik) + I(j), I(jk) + I(i), I(i) + I(j) + I(k))``, what the tuple carries
      beyond any division of it into parts (Anastassiou).
    - "interaction": ``I(ijk) - I(ij) - I(ik) - I(jk) + I(i) + I(j) + I(k)``, the interaction information (McGill,
      Jakulin); above 0 is synergy, below 0 redundancy (three copies of one column are above 0, too).
    - "gain": the largest of ``I(Xi;C|Xj,Xk)``; for every column its own (Mnich, Rudnicki).
    - "joint": ``I(ijk)``.

    Of a pair, synergy and interaction are both ``I(ij) - I(i) - I(j)``.

    Parameters
    ----------
    data, target
        As for :func:`bitsieve.select`.
    order : {2, 3}, default=2
        Columns of a tuple.
    top : int, default=100
        How many tuples are kept.
    statistic : {"synergy", "interaction", "gain", "joint"}, default="synergy"
    n_shuffles : int, optional
        Shuffles of the target, from which p follows (Westfall, Young). By default 99 where they take some seconds, else
        none.
    screen : int, optional
        Search among the so many columns only that have the largest ``I(Xi;C|Xj)`` of all pairs. A column that is
        informative in triples alone may be missed.
    strata : str or array-like of shape (n_samples,), optional
        A column, which is then in no tuple, or its values, such as the clinic of each patient: shuffles leave every row
        in its stratum. Dense rows in memory only.
    rate_by : {"shuffles", "contrasts"}, default="shuffles"
        What the false discovery rate of columns follows from: shuffles of the target, or one more search among the
        columns and shuffled copies of some, as in MDFS; the copies need "gain", and neither ``screen`` nor ``strata``.
    random_state : int, default=0
        Same seed, same shuffles, for any number of threads.
    sample_weight : str or array-like of shape (n_samples,), optional
        As for :func:`bitsieve.select`.
    weight_kind : {"frequency", "sampling"}, default="frequency"
        As for :func:`bitsieve.select`.
    include, exclude : sequence of column, optional
        Identifiers that are kept, and columns that are left out.
    identifiers : {"drop", "keep"}, default="drop"
        As for :func:`bitsieve.select`.
    binning : {"quantile", "uniform", "mdl", "monotone", "none"} or binner, default="quantile"
        How numeric columns become codes; of three bins for pairs and two for triples, unless ``n_bins`` says otherwise.
        Columns of fewer than 8 whole numbers are codes as they are.
    n_bins, uncut, missing, target_bins, target_kind, drop_missing_target, header, repair, column_types
        As for :func:`bitsieve.select`.
    n_jobs, memory, spool, engine, verbose
        As for :func:`bitsieve.select`.

    Returns
    -------
    Interactions
        ``print`` shows it as a table. Its notes are warnings, too.

    Raises
    ------
    ValueError
        The data, the target or a parameter cannot be used, or columns of more than 16 codes make too many steps.

    Notes
    -----
    Cost: n(n-1)/2 pairs or n(n-1)(n-2)/6 triples, each d samples read as (codes - 1)^order bits, and again for every
    shuffle. p is for the statement that the target depends on no column at all: a tuple may have a small p because one
    of its columns is informative alone, by "joint" and "gain" above all.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> result = bitsieve.interactions(X, y, statistic="joint", top=2)
    >>> result.tuples[0]
    ('flavanoids', 'color_intensity')
    """
    read = ReadOptions(
        target=target,
        sample_weight=sample_weight,
        weight_kind=weight_kind,
        target_kind=target_kind,
        target_bins=target_bins,
        drop_missing_target=drop_missing_target,
        header=header,
        repair=repair,
        column_types=column_types,
        exclude=exclude,
    )
    execution = ExecutionOptions(engine=engine, memory=memory, spool=spool, push_down=False, n_jobs=n_jobs)
    discretization = DiscretizationOptions(binning=binning, n_bins=n_bins, uncut=uncut, missing=missing)
    columns = ColumnOptions(include=include, exclude=exclude, identifiers=identifiers)
    question = InteractionOptions(
        order=order,
        top=top,
        statistic=statistic,
        n_shuffles=n_shuffles,
        screen=screen,
        strata=strata,
        rate_by=rate_by,
        random_state=random_state,
    )
    with progress_bar(verbose):
        result = search_interactions(data, read, execution, discretization, columns, question)
    result.diagnostics.warn()
    return result


@dataclass(frozen=True, kw_only=True, eq=False)
class InteractionOptions:
    """Which pairs or triples are searched for; the fields are the parameters of :func:`interactions`."""

    order: int
    top: int
    statistic: str
    n_shuffles: int | None
    screen: int | None
    strata: ColumnLike
    rate_by: str
    random_state: int

    def __post_init__(self) -> None:
        check_integer("order", self.order, *ORDERS)
        check_choice("statistic", self.statistic, STATISTICS)
        check_integer("top", self.top, 1, MAX_TOP)
        if self.screen is not None:
            check_integer("screen", self.screen, self.order)
        if self.n_shuffles is not None:
            check_integer("n_shuffles", self.n_shuffles, 0, MAX_SHUFFLES)
        check_choice("rate_by", self.rate_by, RATES_BY)
        allows_contrasts = self.statistic == "gain" and self.screen is None and self.strata is None
        if self.rate_by == "contrasts" and not allows_contrasts:
            advice = "contrasts need the statistic gain, and neither screen nor strata"
            raise ParameterError("rate_by", self.rate_by, advice, code="contradicting-parameters")
        check_integer("random_state", self.random_state, 0, 2**32 - 1)


def search_interactions(
    data: TableLike,
    read: ReadOptions,
    execution: ExecutionOptions,
    discretization: DiscretizationOptions,
    columns: ColumnOptions,
    question: InteractionOptions,
) -> Interactions:
    """What :func:`interactions` returns, from its options."""
    prepared, source, strata = prepare_search(data, read, execution, discretization, columns, question)
    table = prepared.original
    search = Search(question.order, question.statistic, question.top, question.screen)
    strongest = search.strongest(source, phase("searching"))
    n_shuffles = question.n_shuffles
    if n_shuffles is None:
        n_shuffles = search.affordable_shuffles(source)
    chance = search.after_shuffles(source, n_shuffles, question.random_state, strata) if n_shuffles else None
    rates = None
    if question.rate_by == "contrasts":
        rates = search.contrast_rates(source, strongest, question.random_state)
    elif chance is not None:
        rates = chance.false_discovery(strongest.best)
    diagnostics = [
        *table.diagnostics,
        *prepared.diagnostics,
        *on_copies(prepared),
        *_on_constant_columns(prepared, source),
        *_on_many_values(table, source, question.order),
        *on_target(table),
    ]
    if chance is None:
        diagnostics.append(tuple_notes.without_shuffles())
    return _labelled(strongest, chance, rates, table, question, Diagnostics(diagnostics))


def prepare_search(
    data: TableLike,
    read: ReadOptions,
    execution: ExecutionOptions,
    discretization: DiscretizationOptions,
    columns: ColumnOptions,
    question: InteractionOptions,
) -> tuple[Prepared[Dataset], CountSource, Integers | None]:
    """Read the data and drop columns. Return the prepared table, its counts, and the stratum of every row.

    Raises UserError for what would stop the search.
    """
    make_discretizer(discretization, execution.n_jobs)  # refuses a wrong one before the data is read
    plan = plan_reading(data, read, execution, Requirements(capabilities=TABLES))
    table = plan.open(read)
    strata, column_of_strata = strata_of(table, question.strata)
    columns = replace(columns, exclude=[*columns.exclude, *column_of_strata])
    refuse_constant_data(table)
    settled = discretization_for_tuples(discretization, question.order)
    prepared = prepare(table, columns, settled, execution)
    _, source = count_for_tuples(prepared.table, discretization, question.order, execution)
    return prepared, source, strata


def _on_constant_columns(prepared: Prepared[Dataset], source: CountSource) -> list[Diagnostic]:
    """A note on the columns with one code in every row, which are in no tuple."""
    columns = sorted(set(np.flatnonzero(source.arities < 2).tolist()) - prepared.dropped.keys())
    if not columns:
        return []
    return [tuple_notes.constant_in_tuples([str(prepared.original.names[j]) for j in columns])]


def _on_many_values(table: Dataset, source: CountSource, order: int) -> list[Diagnostic]:
    """A note on the columns of so many values that their tuples are strong by chance.

    A tuple of independent columns has about ``(m - 1) (a - 1)^(order - 1) (k - 1) / (2 N ln 2)`` bits: m codes of the
    column, a of the others (the median), k classes, N rows. The note is made from 5 % of H(C) on.
    """
    columns = np.flatnonzero(source.arities > MANY_VALUES)
    if not len(columns):
        return []
    median_arity = float(np.median(source.arities[source.arities > 1]))
    freedom = (source.arities[columns] - 1.0) * (median_arity - 1) ** (order - 1) * (source.n_classes - 1)
    bits_by_chance = freedom / (2 * np.log(2) * source.n_samples)
    class_shares = source.class_sizes[source.class_sizes > 0] / source.n_samples
    class_entropy = -(class_shares * np.log2(class_shares)).sum()
    is_inflated = bits_by_chance >= MAX_SHARE_OF_CHANCE * class_entropy
    if not is_inflated.any():
        return []
    names = [str(table.names[j]) for j in columns[is_inflated]]
    return [tuple_notes.many_values_in_tuples(names, order, float(bits_by_chance[is_inflated].min()))]


def _labelled(
    strongest: Interacting,
    chance: Chance | None,
    rates: Floats | None,
    table: Dataset,
    question: InteractionOptions,
    diagnostics: Diagnostics,
) -> Interactions:
    """The result, with the labels of the columns in place of their indices."""
    original_data = table.original
    labels = table.labels

    def named(tuples: Columns) -> list[tuple[Any, ...]]:
        return [tuple(labels[j] for j in columns) for columns in tuples.tolist()]

    n_listed = int((strongest.best_columns[:, 0] >= 0).sum())  # a column that does not vary is in no tuple
    listed = np.argsort(-strongest.best, kind="stable")[:n_listed]
    return Interactions(
        order=question.order,
        statistic=question.statistic,
        tuples=named(strongest.columns),
        values=strongest.values,
        p=None if chance is None else chance.of_tuples(strongest.values),
        columns=[labels[j] for j in listed.tolist()],
        best=strongest.best[listed],
        best_tuples=named(strongest.best_columns[listed]),
        columns_p=None if chance is None else chance.of_columns(strongest.best)[listed],
        false_discovery=None if rates is None else rates[listed],
        n_shuffles=0 if chance is None else len(chance.best),
        n_samples=table.n_samples,
        target_name=table.target.name,
        diagnostics=diagnostics,
        library=library_of(None if original_data is None else original_data.take(np.zeros(1, np.intp))),
    )
