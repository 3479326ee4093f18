"""The pairs and triples of columns that carry the most about the target together, and what chance gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from bitsieve.counts.source import CountSource
from bitsieve.counts.tuples import ORDERS, STATISTICS
from bitsieve.dataset.data_kinds import library_of
from bitsieve.dataset.dataset import Dataset
from bitsieve.diagnostics import ParameterError
from bitsieve.methods.by_counts.interactions import Chance, Interacting, Search
from bitsieve.options import DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.counting import count_for_tuples, discretizer_for_tuples, strata_of
from bitsieve.pipeline.diagnose import explain_target, refuse_constant_data
from bitsieve.pipeline.prepare import ColumnChoice, prepare
from bitsieve.pipeline.reading import plan_reading
from bitsieve.results.interactions import Interactions
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.defaults import INTERACTIONS_BINNING
from bitsieve.utils.docstrings import cites
from bitsieve.utils.messages import Sentence, Setting, warn_of
from bitsieve.utils.parameters import check_choice, check_integer, check_threads, with_hints
from bitsieve.utils.progress import phase, shown

MOST_SHUFFLES = 10**5
MOST_TOP = 10**7
MANY_VALUES, SHARE_OF_CHANCE = 10, 0.05  # of a column, and of H(C) that a tuple with it has by chance
RATES_BY = ("shuffles", "contrasts")
WITHOUT_SHUFFLES = Sentence(
    "the strongest of so many tuples are strong by chance: for p, add ",
    Setting("n_shuffles", 99),
    ", each of which takes as long as the search",
)


@cites("Anastassiou 2007", "McGill 1954", "Jakulin 2005", "Mnich, Rudnicki 2020")
@with_hints({"y": "target", "threads": "n_jobs", "seed": "random_state"})
def interactions(
    data: Any,
    target: Any = None,
    *,
    order: int = 2,
    top: int = 100,
    statistic: str = "synergy",
    n_shuffles: int | None = None,
    screen: int | None = None,
    strata: Any = None,
    rate_by: str = "shuffles",
    random_state: int = 0,
    sample_weight: Any = None,
    include: Sequence[Any] = (),
    exclude: Sequence[Any] = (),
    binning: Any = INTERACTIONS_BINNING,
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
    include, exclude : sequence of column, optional
        Identifiers that are kept, and columns that are left out.
    binning : {"quantile", "uniform", "mdl", "none"} or binner, default="quantile"
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
    >>> found = bitsieve.interactions(X, y, statistic="joint", top=2)
    >>> found.tuples[0]
    ('flavanoids', 'color_intensity')
    """
    search = Search(order, statistic, top, screen)
    _check(search, n_shuffles, rate_by, strata, random_state, n_jobs)
    read = ReadOptions(
        target=target,
        sample_weight=sample_weight,
        target_kind=target_kind,
        target_bins=target_bins,
        drop_missing_target=drop_missing_target,
        header=header,
        repair=repair,
        column_types=column_types,
    )
    execution = ExecutionOptions(engine=engine, memory=memory, spool=spool, push_down=False, n_jobs=n_jobs)
    discretization = DiscretizationOptions(binning=binning, n_bins=n_bins, uncut=uncut, missing=missing)
    plan = plan_reading(data, "jmi", read, execution)
    with shown(verbose):
        table = plan.open(read)
        strata, column = strata_of(table, strata)
        choice = ColumnChoice(include=include, exclude=[*exclude, *column])
        source, notes = _counted(table, choice, discretization, order, n_jobs)
        searched = _searched(search, source, n_shuffles, rate_by, random_state, strata)
    return _labelled(*searched, table, search, notes)


def _counted(
    table: Dataset, choice: ColumnChoice, discretization: DiscretizationOptions, order: int, n_jobs: int | None
) -> tuple[CountSource, list[str]]:
    """The counts of the columns that are searched, and notes on the others."""
    refuse_constant_data(table)
    rule = discretizer_for_tuples(discretization, order, n_jobs)
    prepared = prepare(table, choice, may_constrain=False, orders=False, binner=rule)
    _, source = count_for_tuples(prepared.table, discretization, rule, n_jobs)
    columns = sorted(set(np.flatnonzero(source.arities < 2).tolist()) - prepared.dropped.keys())
    what = "1 column has" if len(columns) == 1 else f"{len(columns):,} columns have"
    constant = f"{what} one value, or one bin, in every row ({table.quoted(columns)}): in no tuple"
    return source, [*prepared.notes, *([constant] if columns else []), *_on_many_values(table, source, order)]


def _on_many_values(table: Dataset, source: CountSource, order: int) -> list[str]:
    """A note on columns of so many values that their tuples are strong by chance, and stronger than all others."""
    columns = np.flatnonzero(source.arities > MANY_VALUES).tolist()
    others = float(np.median(source.arities[source.arities > 1])) if columns else 0.0
    shares = source.class_sizes[source.class_sizes > 0] / source.n_samples
    freedom = (source.arities - 1.0) * (others - 1) ** (order - 1) * (source.n_classes - 1)
    bits = freedom / (2 * np.log(2) * source.n_samples)  # by chance
    columns = [j for j in columns if bits[j] >= SHARE_OF_CHANCE * -(shares * np.log2(shares)).sum()]
    if not columns:
        return []
    tuples, one = "pairs" if order == 2 else "triples", len(columns) == 1
    which = f"column{'s' * (not one)} {table.quoted(columns)} {'has' if one else 'have'} so many values that by chance "
    why = f"alone {tuples} with {'it' if one else 'them'} carry some {bits[columns].min():.2g} bits in these rows, and "
    hidden = f"weaker {tuples} of any columns have no small p: group the values, or add "
    return [Sentence(which + why + hidden, Setting("exclude", [table.names[j] for j in columns]))]


def _searched(
    search: Search, source: CountSource, n_shuffles: int | None, rate_by: str, random_state: int, strata: Any
) -> tuple[Interacting, Chance | None, Floats | None]:
    """The strongest tuples, what shuffles give where there are any, and the false discovery rates of the columns."""
    n_shuffles = search.affordable_shuffles(source) if n_shuffles is None else n_shuffles
    found = search.strongest(source, phase("searching"))
    chance = search.after_shuffles(source, n_shuffles, random_state, strata) if n_shuffles else None
    if rate_by == "contrasts":
        return found, chance, search.contrast_rates(source, found, random_state)
    return found, chance, None if chance is None else chance.false_discovery(found.best)


def _check(
    search: Search, n_shuffles: int | None, rate_by: str, strata: Any, random_state: int, n_jobs: int | None
) -> None:
    """Refuse what cannot be searched for, or not in that way."""
    check_integer("order", search.order, *ORDERS)
    check_choice("statistic", search.statistic, STATISTICS)
    check_integer("top", search.n_top, 1, MOST_TOP)
    if search.screen is not None:
        check_integer("screen", search.screen, search.order)
    if n_shuffles is not None:
        check_integer("n_shuffles", n_shuffles, 0, MOST_SHUFFLES)
    check_choice("rate_by", rate_by, RATES_BY)
    if rate_by == "contrasts" and not (search.statistic == "gain" and search.screen is None and strata is None):
        raise ParameterError("rate_by", rate_by, "contrasts need the statistic gain, and neither screen nor strata")
    check_integer("random_state", random_state, 0, 2**32 - 1)
    check_threads("n_jobs", n_jobs)


def _labelled(
    found: Interacting,
    chance: Chance | None,
    rates: Floats | None,
    table: Dataset,
    search: Search,
    on_columns: Sequence[str],
) -> Interactions:
    """What was found, by the names of the columns; its notes are warnings, too."""
    notes = [*table.notes, *on_columns, *explain_target(table), *([WITHOUT_SHUFFLES] if chance is None else [])]
    warn_of(notes)
    given = table.original
    labels = table.names if given is None or given.labels is None else given.labels

    def named(tuples: Columns) -> list[tuple[Any, ...]]:
        return [tuple(labels[j] for j in of) for of in tuples.tolist()]

    listed = np.argsort(-found.best, kind="stable")[: int((found.best_columns[:, 0] >= 0).sum())]
    return Interactions(
        order=search.order,
        statistic=search.statistic,
        tuples=named(found.columns),
        values=found.values,
        p=None if chance is None else chance.of_tuples(found.values),
        columns=[labels[j] for j in listed.tolist()],
        best=found.best[listed],
        best_tuples=named(found.best_columns[listed]),
        columns_p=None if chance is None else chance.of_columns(found.best)[listed],
        false_discovery=None if rates is None else rates[listed],
        n_shuffles=0 if chance is None else len(chance.best),
        n_samples=table.n_samples,
        target_name=table.target.name,
        notes=notes,
        library=library_of(None if given is None else given.take(np.zeros(1, np.intp))),
    )
