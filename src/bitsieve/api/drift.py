"""The question of drift: which columns change from period to period, and whether their relation to the target does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from bitsieve.counts.source import CountSource, class_order, coded
from bitsieve.dataset.data_kinds import library_of
from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.notes import rows_without_target
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.discretization.base import BinningChoice, BinningLike
from bitsieve.discretization.registry import make_discretizer
from bitsieve.engines.postgres import one_snapshot
from bitsieve.information.drift import Combinations, TableDrift, TestedBits, drift_of_table
from bitsieve.information.drift_of_groups import drift_of_groups
from bitsieve.methods.by_counts.stopping.lists import BENJAMINI_HOCHBERG, adjusted
from bitsieve.methods.method import TABLES
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.discretize import count_by_rule
from bitsieve.pipeline.joined_tables import JoinedTables, check_tables_have_rows, join_tables
from bitsieve.pipeline.notes import row_notes
from bitsieve.pipeline.period_columns import (
    check_period_is_no_group,
    column_list,
    combined_columns,
    missing_column_reported_by_role,
    names_in,
)
from bitsieve.pipeline.periods import FIRST, check_combinations, combinations_of, index_of_reference
from bitsieve.pipeline.prepare import prepare
from bitsieve.pipeline.reading import Requirements, plan_reading
from bitsieve.results.drift import ColumnTest, Drift
from bitsieve.scorecards.stability_index import stability_of_counts
from bitsieve.utils.arrays import Columns, Floats, Integers
from bitsieve.utils.defaults import DRIFT_BINNING, MAX_DRIFT
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.parameters import check_number
from bitsieve.utils.progress import phase, progress_bar
from bitsieve.utils.types import ColumnLike, Label, TableLike

DEFAULT_LEVEL = 0.05
SMOOTHING = 1.0  # rows added to a bin that is empty in one of two periods: the stability index stays finite


@proposes_right_names
def drift(
    data: TableLike,
    period: ColumnLike = None,
    target: ColumnLike = None,
    *,
    reference: Label = FIRST,
    strata: ColumnLike = None,
    max_drift: float = MAX_DRIFT,
    level: float = DEFAULT_LEVEL,
    period_bins: int | None = None,
    sample_weight: ColumnLike = None,
    groups: ColumnLike = None,
    include: Sequence[Label] = (),
    exclude: Sequence[Label] = (),
    identifiers: str = "drop",
    binning: BinningLike = DRIFT_BINNING,
    n_bins: int | None = None,
    missing: str | None = None,
    header: bool | None = None,
    repair: bool = True,
    column_types: Mapping[Any, str] | None = None,
    n_jobs: int | None = None,
    memory: int | str | None = None,
    spool: str | PathLike[str] | None = None,
    engine: str | None = None,
    push_down: bool | None = None,
    verbose: bool = False,
) -> Drift:
    r"""Say which columns move from period to period, and whether they keep their relation to the target.

    With X a column, T the period and Y the target, in bits::

        shift                 I(X;T) = sum_xt (n_xt / N) log2(n_xt N / (n_x n_t))
        shift within classes  I(X;T|Y)
        relation              I(Y;T|X)

    The shift is the generalised Jensen-Shannon divergence of the distributions of X in the periods. A new mix of the
    classes alone moves every relevant column, but not within the classes. The population stability index, for two
    periods of equal size about ``8 ln(2) I(X;T)``, has no correction for chance: in small periods it is large without
    any drift.

    Parameters
    ----------
    data : array-like or scipy.sparse of shape (n_samples, n_features), dataframe, or path
        As for :func:`bitsieve.select`. Without ``period`` a list of tables or paths, each of which is a period.
    period : str or array-like of shape (n_samples,), optional
        The period of each row, such as its month, as a column of ``data`` or as values; at most 100 periods. They come
        in the order of their values: text in that of the alphabet, but names of months and weekdays, such as "jan", in
        that of the calendar.
    target : str, sequence of str, or array-like of shape (n_samples,), optional
        The target, a column of ``data`` if the period is one. Rows without a target are left out.
    reference : label, default="first"
        The period that the stability index compares with, by default the first.
    strata : str, sequence of str, or array-like of shape (n_samples,), optional
        Everything but the stability index is taken within these strata, such as regions, so that a new mix of them is
        no drift.
    max_drift : float, default=0.018
        Bits. For two periods of equal size it is a stability index of 0.1.
    level : float, default=0.05
        A column drifts if its shift, within classes if there is a target, is above ``max_drift`` and its p, adjusted
        for all columns, at most ``level``: in large tables any shift is significant, in small ones any is large.
    period_bins : int, optional
        Bins of equal frequency of periods that are dates or numbers, and of a target that is a quantity.
    sample_weight
        As for :func:`bitsieve.select`; weights are frequencies.
    groups : str or array-like of shape (n_samples,), optional
        Rows with one value here belong together, such as the visits of one patient: chance and p follow from 199
        shuffles of the periods of whole groups, and within groups of several periods of their rows. Rows in memory
        only. The relevance of each period is corrected as if the rows were independent.
    include, exclude, identifiers
        As for :func:`bitsieve.select`.
    binning : {"quantile", "uniform", "none"} or binner, default="quantile"
        How numeric columns become codes. Columns of fewer than 8 whole numbers are codes as they are.
    n_bins, missing, header, repair, column_types
        As for :func:`bitsieve.select`. Missing values are a code of their own, so that more of them are drift.
    n_jobs, memory, spool, engine, push_down, verbose
        As for :func:`bitsieve.select`.

    Returns
    -------
    Drift
        The columns that move most first. ``print`` shows a table, ``to_frame`` has all figures. Information is
        corrected for chance, and may be a little below 0; p is by the scaled test of
        :func:`bitsieve.independence_test`, adjusted for all columns (Benjamini and Hochberg).

    Raises
    ------
    ValueError
        The data, the periods, the target or a parameter cannot be used.

    Notes
    -----
    Cost: one count of every column by the combinations of period, class and stratum that occur, in memory or not; with
    groups 200 of them, with a target 399.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_wine
    >>> X, _ = load_wine(return_X_y=True, as_frame=True)
    >>> X["half"] = ["early", "late"] * 89
    >>> X.loc[X["half"] == "late", "ash"] += 0.5
    >>> bitsieve.drift(X, "half").drifting
    ['ash']
    """
    read = ReadOptions(
        sample_weight=sample_weight,
        groups=groups,
        target_bins=period_bins,
        drop_missing_target=True,
        header=header,
        repair=repair,
        column_types=column_types,
        exclude=exclude,
    )
    execution = ExecutionOptions(engine=engine, memory=memory, spool=spool, push_down=push_down, n_jobs=n_jobs)
    discretization = DiscretizationOptions(binning=binning, n_bins=n_bins, missing=missing)
    columns = ColumnOptions(include=include, exclude=exclude, identifiers=identifiers)
    drift_options = DriftOptions(
        period=period, target=target, strata=strata, reference=reference, max_drift=max_drift, level=level
    )
    with progress_bar(verbose), one_snapshot(data):
        result = find_drift(data, read, execution, discretization, columns, drift_options)
    result.diagnostics.warn()
    return result


@dataclass(frozen=True, kw_only=True, eq=False)
class DriftOptions:
    """What drift is looked for; the fields are the parameters of :func:`drift`."""

    period: ColumnLike
    target: ColumnLike = None
    strata: ColumnLike = None
    reference: Label = FIRST
    max_drift: float = MAX_DRIFT
    level: float = DEFAULT_LEVEL

    def __post_init__(self) -> None:
        check_number("max_drift", self.max_drift, low=0)
        check_number("level", self.level, low=0, high=1)


@dataclass(frozen=True, kw_only=True, eq=False)
class _PeriodCounts:
    """A table counted by period, class and stratum."""

    table: Dataset
    source: CountSource
    columns: Columns  # indices of the columns that are not dropped
    combinations: Combinations
    periods: list[Label]
    target_name: str | None
    groups: Integers | None  # the number of the group of every sample, the samples class by class
    diagnostics: list[Diagnostic]


def find_drift(
    data: TableLike,
    read: ReadOptions,
    execution: ExecutionOptions,
    discretization: DiscretizationOptions,
    columns: ColumnOptions,
    drift_options: DriftOptions,
) -> Drift:
    """Read and count the data, and measure how far each column drifts. The columns that drift most come first."""
    period_counts = _count_by_period(data, read, execution, discretization, columns, drift_options)
    source = period_counts.source
    combinations = period_counts.combinations
    periods = period_counts.periods
    reference = index_of_reference(drift_options.reference, periods)

    phase("counting by period")
    table_drift = _measure(period_counts)
    column_drift = table_drift.columns
    relations = column_drift.relations
    if relations is None:
        order = np.argsort(-column_drift.shift.bits, kind="stable")
        shift_within_classes = None
        relation = None
        relevance = None
        shift_of_target = None
    else:
        order = np.argsort(-relations.shift_within_classes.bits, kind="stable")
        shift_within_classes = _column_test(relations.shift_within_classes, order)
        relation = _column_test(relations.relation, order)
        relevance = relations.relevance[order]
        shift_of_target = table_drift.shift_of_classes
    psi = np.array([_stability_indices(counts, reference) for counts in column_drift.counts_by_period])

    period_sizes = np.bincount(combinations.period, source.class_sizes, len(periods))
    original_data = period_counts.table.original
    first_column = None if original_data is None else original_data.take(np.zeros(1, np.intp))
    return Drift(
        columns=[period_counts.table.labels[j] for j in period_counts.columns[order].tolist()],
        periods=periods,
        period_sizes=period_sizes.astype(np.int64),
        n_samples=period_counts.table.n_samples,
        reference=periods[reference],
        shift=_column_test(column_drift.shift, order),
        shift_within_classes=shift_within_classes,
        relation=relation,
        relevance=relevance,
        shift_of_target=shift_of_target,
        psi=psi[order],
        max_drift=drift_options.max_drift,
        level=drift_options.level,
        target_name=period_counts.target_name,
        n_groups=None if period_counts.groups is None else len(np.unique(period_counts.groups)),
        diagnostics=Diagnostics(period_counts.diagnostics),
        library=library_of(first_column),
    )


def _measure(period_counts: _PeriodCounts) -> TableDrift:
    """The drift of the columns and of the mix of the classes, with the chance of independent rows or of groups."""
    source = period_counts.source
    by_rows = drift_of_table(source, period_counts.combinations, period_counts.columns)
    if period_counts.groups is None:
        return by_rows
    rows = coded(source)
    if rows is None:
        raise UserError(
            code="rows-not-in-memory",
            message="groups need dense rows in memory",
            advice="leave out groups, or give some of the columns as a dense table",
        )
    return drift_of_groups(rows, period_counts.combinations, period_counts.columns, period_counts.groups, by_rows)


def _groups_by_class(table: Dataset) -> Integers | None:
    """The number of the group of every sample, the samples class by class."""
    rows = table.rows
    if rows is None or rows.groups is None:
        return None
    order, _ = class_order(rows.target.codes, rows.weights, rows.target.n_classes)
    return rows.groups[order]


def _count_by_period(
    data: TableLike,
    read: ReadOptions,
    execution: ExecutionOptions,
    discretization: DiscretizationOptions,
    columns: ColumnOptions,
    drift_options: DriftOptions,
) -> _PeriodCounts:
    """Read the data, drop columns, and count the others by period, class and stratum."""
    rule = _rule_without_target(discretization, execution)
    period = drift_options.period
    rows = data
    joined_tables = None
    if period is None:
        joined_tables = join_tables(data, read)
        rows = joined_tables.rows
        period = joined_tables.name_of_period
    check_period_is_no_group(period, read.groups)
    combined = combined_columns(period, drift_options.target, drift_options.strata)
    # The columns of the period are no features, so that excluding them has no effect.
    names_of_period = names_in(column_list(period, are_names=True))
    exclude = [column for column in columns.exclude if column not in names_of_period]
    read_combined = replace(read, target=combined.columns, exclude=exclude)
    with missing_column_reported_by_role(period, drift_options.strata):
        plan = plan_reading(rows, read_combined, execution, Requirements(capabilities=TABLES))
        table = plan.open(read_combined)
    prepared = prepare(table, replace(columns, exclude=exclude), discretization, execution)
    _, source = count_by_rule(prepared.table, rule, discretization, execution)
    combinations, periods = combinations_of(table.target, combined)
    diagnostics = [*table.diagnostics, *prepared.diagnostics]
    if joined_tables is not None:
        if read.sample_weight is None:
            diagnostics = [_without_number_of_table(note, joined_tables, table) for note in diagnostics]
        check_tables_have_rows(joined_tables.names, periods, combined.target_name)
        periods = list(joined_tables.names)
        diagnostics += joined_tables.diagnostics
    check_combinations(combinations, periods, combined.target_name)
    if combined.n_strata and combinations.n_strata == 1:
        diagnostics.append(row_notes.one_stratum())
    retained_columns = [j for j in range(table.n_features) if j not in prepared.dropped]
    return _PeriodCounts(
        table=table,
        source=source,
        columns=np.array(retained_columns, np.intp),
        combinations=combinations,
        periods=periods,
        target_name=combined.target_name,
        groups=_groups_by_class(table),
        diagnostics=diagnostics,
    )


def _without_number_of_table(note: Diagnostic, joined_tables: JoinedTables, table: Dataset) -> Diagnostic:
    """A note on rows without a target does not name the column of the numbers of the tables, which no user gave."""
    if note.code != "rows-without-target":
        return note
    names = [name for name in table.target.names if name != joined_tables.name_of_period]
    n_rows = joined_tables.rows.num_rows
    return rows_without_target(names, n_rows - table.n_samples, n_rows)


def _rule_without_target(discretization: DiscretizationOptions, execution: ExecutionOptions) -> BinningChoice:
    """The rule of binning. Raises ParameterError for a rule that uses the target."""
    rule = make_discretizer(discretization, execution.n_jobs)
    if rule.requires == "classes":
        problem = "cuts by a target, which hides drift"
        advice = "give 'quantile', 'uniform', 'none' or a binner that looks at no target"
        raise ParameterError("binning", discretization.binning, advice, problem, code="target-needed")
    return rule


def _column_test(tested: TestedBits, order: Columns) -> ColumnTest:
    """The bits of the columns, and p adjusted for all columns; column ``order[i]`` comes at place i."""
    p = adjusted(np.exp(tested.log_p), BENJAMINI_HOCHBERG)
    return ColumnTest(bits=tested.bits[order], p=p[order])


def _stability_indices(counts_by_period: Integers, reference: int) -> Floats:
    """The stability index of a column in each period, compared with the reference; 0 in the reference itself."""
    expected = np.ascontiguousarray(counts_by_period[:, reference])
    indices = np.zeros(counts_by_period.shape[1])
    for t in range(len(indices)):
        if t != reference:
            observed = np.ascontiguousarray(counts_by_period[:, t])
            indices[t] = stability_of_counts(expected, observed, SMOOTHING).psi
    return indices
