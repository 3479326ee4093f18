"""How far the columns of a table move from period to period, and whether their relation to the target does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Self

import numpy as np
import pyarrow as pa

from bitsieve.dataset.data_kinds import is_path, library_of
from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.discretization.base import BinningLike
from bitsieve.discretization.registry import make_discretizer
from bitsieve.engines.registry import is_stream
from bitsieve.information.drift import Combinations, Tested, drift_of_classes, drift_of_columns
from bitsieve.io.read import STANDARD_INPUT, joined, read_table
from bitsieve.methods.by_counts.stopping.lists import BENJAMINI_HOCHBERG, adjusted
from bitsieve.methods.method import TABLES
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline import notes
from bitsieve.pipeline.discretize import count_by_rule
from bitsieve.pipeline.prepare import prepare
from bitsieve.pipeline.reading import Requirements, plan_reading
from bitsieve.results.drift import ColumnTest, Drift
from bitsieve.scorecards.stability import stability_of_counts
from bitsieve.utils.arrays import Columns, Floats, Integers
from bitsieve.utils.defaults import DRIFT_BINNING, MAX_DRIFT
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.messages import choices, quoted
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.parameters import check_choice, check_number
from bitsieve.utils.progress import phase, progress_bar
from bitsieve.utils.types import ColumnLike, DataFrame, Label, TableLike

FIRST = "first"
EXCLUDE = "exclude"
WITHIN = "within"
RULES = (EXCLUDE, WITHIN)  # that a selection may follow
DEFAULT_LEVEL = 0.05
MAX_PERIODS = 100
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
        The period of each row, such as its month, as a column of ``data`` or as values; at most 100 periods.
    target : str, sequence of str, or array-like of shape (n_samples,), optional
        The target, a column of ``data`` if the period is one. Rows without a target are left out.
    reference : label, default="first"
        The period that the stability index compares with.
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
    sample_weight, include, exclude, identifiers
        As for :func:`bitsieve.select`; weights are frequencies.
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
    Cost: one count of every column by the combinations of period, class and stratum that occur, in memory or not.

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
    question = DriftOptions(
        period=period, target=target, strata=strata, reference=reference, max_drift=max_drift, level=level
    )
    with progress_bar(verbose):
        result = find_drift(data, read, execution, discretization, columns, question)
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


@dataclass(frozen=True)
class _Roles:
    """The columns that the classes are combined of: the period, then those of the target, then the strata."""

    columns: ColumnLike  # as the target of the table: names, or an Arrow table of values
    n_targets: int
    n_strata: int
    target_name: str | None


@dataclass(frozen=True, kw_only=True, eq=False)
class DriftRule:
    """What a selection does about columns that move with the period; the fields are parameters of ``select``."""

    period: ColumnLike
    drift: str = EXCLUDE
    max_drift: float = MAX_DRIFT

    def __post_init__(self) -> None:
        check_choice("drift", self.drift, RULES)
        check_number("max_drift", self.max_drift, low=0)

    @classmethod
    def from_parameters(cls, period: ColumnLike, drift: str | None, max_drift: float | None) -> Self:
        """The rule that the parameters give; at least one of them is not None."""
        if period is None:
            name, value = ("max_drift", max_drift) if drift is None else ("drift", drift)
            problem = "has an effect only with a period"
            raise ParameterError(name, value, "add {period}, or leave it out", problem, fix={"period": "month"})
        return cls(
            period=period,
            drift=EXCLUDE if drift is None else drift,
            max_drift=MAX_DRIFT if max_drift is None else max_drift,
        )


def apply_drift_rule(
    data: TableLike, read: ReadOptions, execution: ExecutionOptions, columns: ColumnOptions, rule: DriftRule
) -> tuple[ReadOptions, ColumnOptions, list[Diagnostic]]:
    """The options of a selection within the periods, or without the columns that drift; the period is no feature.

    To find the columns that drift, the data is read and counted once before.
    """
    if rule.drift == WITHIN:
        strata = [rule.period, *_several(read.strata, are_names=isinstance(rule.period, str))]
        return replace(read, strata=strata[0] if len(strata) == 1 else strata), columns, []
    if read.survival is not None:
        raise UserError(
            code="survival-not-supported",
            message="drift within classes needs a target of classes, and a duration has none",
            advice="use {drift}, or exclude the columns that bitsieve.drift finds without a target",
            fix={"drift": WITHIN},
        )
    _refuse_data_that_is_read_once(data)
    read_for_drift = replace(read, target=None, target_kind=None, target_bins=None, groups=None, strata=None)
    question = DriftOptions(period=rule.period, target=read.target, strata=read.strata, max_drift=rule.max_drift)
    result = find_drift(
        data,
        read_for_drift,
        execution,
        DiscretizationOptions(binning=DRIFT_BINNING),
        replace(columns, identifiers="keep"),
        question,
    )
    excluded = [column for column in result.drifting if column not in columns.include]
    if len(excluded) == len(result.columns):
        raise UserError(
            code="no-features",
            message=f"every column moves by more than {rule.max_drift:g} bits between the periods",
            advice="use {drift}, or allow more bits by max_drift",
            fix={"drift": WITHIN},
        )
    diagnostics = []
    if excluded:
        diagnostics.append(notes.drifting_excluded([str(column) for column in excluded], rule.max_drift))
    period = [rule.period] if isinstance(rule.period, str) else []
    all_excluded = [*columns.exclude, *period, *excluded]
    return replace(read, exclude=all_excluded), replace(columns, exclude=all_excluded), diagnostics


def _refuse_data_that_is_read_once(data: TableLike) -> None:
    is_standard_input = is_path(data) and str(data) == STANDARD_INPUT
    if is_standard_input or is_stream(data):
        raise UserError(
            code="rows-not-in-memory",
            message="to exclude the columns that drift, the data is read twice, and a stream can be read once",
            advice="save it to a file first",
        )


def find_drift(
    data: TableLike,
    read: ReadOptions,
    execution: ExecutionOptions,
    discretization: DiscretizationOptions,
    columns: ColumnOptions,
    question: DriftOptions,
) -> Drift:
    """What :func:`drift` returns, from its options."""
    rule = make_discretizer(discretization, execution.n_jobs)
    if rule.requires == "classes":
        problem = "cuts by a target, which hides drift"
        advice = "give 'quantile', 'uniform', 'none' or a binner that looks at no target"
        raise ParameterError("binning", discretization.binning, advice, problem, code="target-needed")
    joined_tables = None
    if question.period is None:
        joined_tables = _tables_as_periods(data, read)
        data = joined_tables.rows
        question = replace(question, period=joined_tables.name_of_period)
    roles = _roles(question)
    period_names = _names_in([question.period])  # no feature, so that excluding it changes nothing
    exclude = [column for column in columns.exclude if column not in period_names]
    columns = replace(columns, exclude=exclude)
    read = replace(read, target=roles.columns, exclude=exclude)
    try:
        plan = plan_reading(data, read, execution, Requirements(capabilities=TABLES))
        table = plan.open(read)
    except UserError as error:
        raise _with_role_of_column(error, question) from None
    prepared = prepare(table, columns, discretization, execution)
    _, source = count_by_rule(prepared.table, rule, discretization, execution)
    combinations, periods = _combinations(table.target, roles)
    diagnostics = [*table.diagnostics, *prepared.diagnostics]
    if joined_tables is not None:
        _check_tables_have_rows(joined_tables.names, periods, roles.target_name)
        periods = [*joined_tables.names]
        diagnostics += joined_tables.diagnostics
    _check_combinations(combinations, periods, roles)
    reference = _index_of_reference(question.reference, periods)
    remaining = [j for j in range(table.n_features) if j not in prepared.dropped]
    phase("counting by period")
    column_drift = drift_of_columns(source, combinations, np.array(remaining, np.intp))
    relations = column_drift.relations
    deciding = column_drift.of_column if relations is None else relations.within_classes
    order = np.argsort(-deciding.bits, kind="stable")
    within_classes = None
    relation = None
    relevance = None
    shift_of_target = None
    if relations is not None:
        within_classes = _adjusted(relations.within_classes, order)
        relation = _adjusted(relations.of_relation, order)
        relevance = relations.relevance[order]
        shift_of_target = drift_of_classes(source, combinations)
    psi = np.array([_psi(counts, reference) for counts in column_drift.counts_by_period])
    original_data = table.original
    return Drift(
        columns=[table.labels[remaining[i]] for i in order.tolist()],
        periods=periods,
        period_sizes=np.bincount(combinations.period, source.class_sizes, len(periods)).astype(np.int64),
        reference=periods[reference],
        shift=_adjusted(column_drift.of_column, order),
        shift_within_classes=within_classes,
        relation=relation,
        relevance=relevance,
        shift_of_target=shift_of_target,
        psi=psi[order],
        max_drift=question.max_drift,
        level=question.level,
        target_name=roles.target_name,
        diagnostics=Diagnostics(diagnostics),
        library=library_of(None if original_data is None else original_data.take(np.zeros(1, np.intp))),
    )


def _adjusted(tested: Tested, order: Columns) -> ColumnTest:
    """The bits of the columns in an order, and p adjusted for all of them."""
    p = adjusted(np.exp(tested.log_p), BENJAMINI_HOCHBERG)
    return ColumnTest(bits=tested.bits[order], p=p[order])


def _psi(counts_by_period: Integers, reference: int) -> Floats:
    """The stability index of a column in each period beside the reference; 0 for the reference itself."""
    expected = np.ascontiguousarray(counts_by_period[:, reference])
    psi = np.zeros(counts_by_period.shape[1])
    for t in range(len(psi)):
        if t != reference:
            psi[t] = stability_of_counts(expected, np.ascontiguousarray(counts_by_period[:, t]), SMOOTHING).psi
    return psi


def _with_role_of_column(error: UserError, question: DriftOptions) -> UserError:
    """The error on a column that is missing, which is read as a target, by the name of its parameter."""
    diagnostic = error.diagnostic
    if diagnostic.code != "unknown-column" or not diagnostic.columns:
        return error
    (column,) = diagnostic.columns
    if column in _names_in(_several(question.period, are_names=True)):
        role = "period"
    elif column in _names_in(_several(question.strata, are_names=True)):
        role = "strata"
    else:
        return error
    proposed_column = diagnostic.fix.get("target")
    return UserError(
        code=diagnostic.code,
        message=f"there is no column {column!r} for the {role}",
        advice=diagnostic.advice,
        fix={} if proposed_column is None else {role: proposed_column},
        columns=[column],
    )


@dataclass(frozen=True)
class _JoinedTables:
    """Several tables as one, with a column that numbers them."""

    rows: pa.Table
    name_of_period: str  # the column of the numbers
    names: list[str]  # of the tables
    diagnostics: list[Diagnostic]


def _tables_as_periods(data: TableLike, read: ReadOptions) -> _JoinedTables:
    """Join the tables, each of which is a period."""
    import narwhals as nw

    if not isinstance(data, (list, tuple)) or len(data) < 2:
        raise UserError(
            code="period-needed",
            message="no period is given",
            advice="name the column of the period, or give two tables or more as the data",
        )
    tables = []
    names = []
    for number, item in enumerate(data, start=1):
        table = item
        name = f"table {number}"
        if is_path(item):
            table = read_table(item, header=read.header)
            name = str(item)
        if not isinstance(table, pa.Table):
            if not nw.dependencies.is_into_dataframe(table):
                raise UserError(
                    code="data-type-not-read",
                    message=f"{name!r} has no named columns, by which it could be compared",
                    advice="give data frames, or files with names, or one table with a column of periods",
                )
            table = _arrow_table(table, name)
        tables.append(table)
        names.append(name)
    tables = _with_excluded_columns(tables, read.exclude)
    name_of_period = "period"
    while name_of_period in tables[0].column_names:
        name_of_period += "_"
    numbered = []
    for number, table in enumerate(tables):
        _check_same_columns(tables[0], table, names[0], names[number])
        in_order = table.select(tables[0].column_names)
        numbers = pa.array(np.full(table.num_rows, number))
        numbered.append(in_order.append_column(name_of_period, numbers))
    return _JoinedTables(joined(numbered), name_of_period, names, _changed_kinds(tables, names))


def _arrow_table(frame: DataFrame, name: str) -> pa.Table:
    import narwhals as nw

    try:
        return nw.from_native(frame, eager_only=True).to_arrow()
    except nw.exceptions.DuplicateError:
        raise UserError(
            code="duplicate-names",
            message=f"several columns of {name!r} have the same name",
            advice="give every column a name of its own",
        ) from None


def _check_tables_have_rows(names: Sequence[str], numbers: Sequence[Label], target_name: str | None) -> None:
    """Refuse a table without rows, whose number is not among those of the periods."""
    numbers_as_text = {str(number) for number in numbers}
    for number, name in enumerate(names):
        if str(number) not in numbers_as_text:
            condition = "" if target_name is None else f" with a {target_name!r}"
            raise UserError(
                code="empty-data",
                message=f"{name!r} has no rows{condition}",
                advice="leave it out, or give its rows" if target_name is None else "compare without a target",
            )


def _with_excluded_columns(tables: Sequence[pa.Table], exclude: Sequence[Label]) -> list[pa.Table]:
    """The tables, each with all excluded columns, so that only the other columns have to be the same."""
    all_names = {name for table in tables for name in table.column_names}
    excluded = [name for name in exclude if name in all_names]
    completed = []
    for table in tables:
        for name in excluded:
            if name not in table.column_names:
                table = table.append_column(name, pa.nulls(table.num_rows))
        completed.append(table)
    return completed


def _check_same_columns(first: pa.Table, table: pa.Table, first_name: str, name: str) -> None:
    """Refuse a table that lacks columns of the first, or has others."""
    missing = [column for column in first.column_names if column not in table.column_names]
    additional = [column for column in table.column_names if column not in first.column_names]
    problems = []
    if missing:
        problems.append(f"{name!r} lacks {quoted(missing)} of {first_name!r}")
    if additional:
        problems.append(f"{first_name!r} lacks {quoted(additional)} of {name!r}")
    if problems and len(missing) == first.num_columns:
        raise UserError(
            code="columns-differ",
            message=f"{first_name!r} and {name!r} have no column in common",
            advice="give both the same names of columns",
        )
    if problems:
        raise UserError(
            code="columns-differ",
            message=", and ".join(problems),
            advice="give both the same columns, or add {exclude}",
            fix={"exclude": [*missing, *additional]},
        )


def _changed_kinds(tables: Sequence[pa.Table], names: Sequence[str]) -> list[Diagnostic]:
    """A warning on each column that holds text in some of the tables only."""
    diagnostics = []
    for column in tables[0].column_names:
        with_text = []
        without_text = []
        for table, name in zip(tables, names, strict=True):
            column_type = table.schema.field(column).type
            if pa.types.is_string(column_type) or pa.types.is_large_string(column_type):
                with_text.append(name)
            elif not pa.types.is_null(column_type):
                without_text.append(name)
        if with_text and without_text:
            diagnostics.append(notes.text_in_tables(column, with_text, without_text))
    return diagnostics


def _roles(question: DriftOptions) -> _Roles:
    """The columns of period, target and strata, all by name or all by values."""
    period_is_named = isinstance(question.period, str)
    targets = _several(question.target, are_names=period_is_named)
    strata = _several(question.strata, are_names=period_is_named)
    columns = [question.period, *targets, *strata]
    are_names = [isinstance(column, str) for column in columns]
    if period_is_named and question.period in [*_names_in(targets), *_names_in(strata)]:
        raise UserError(
            code="column-in-two-roles",
            message=f"column {question.period!r} cannot be both the period and the target or a stratum",
            advice="name another column for one of them",
        )
    if all(are_names):
        target_name = ", ".join(targets) if targets else None
        named = columns if len(columns) > 1 else columns[0]
        return _Roles(named, len(targets), len(strata), target_name)
    if any(are_names):
        raise UserError(
            code="names-and-values",
            message="the period, the target and the strata are given as names and as values",
            advice="give all as names of columns, or all as values",
        )
    values = [pa.array(as_array(column), from_pandas=True) for column in columns]  # NaN is no value
    lengths = {len(column) for column in values}
    if len(lengths) > 1:
        raise UserError(
            code="lengths-differ",
            message="the period, the target and the strata do not have the same number of values",
            advice="give one value for each row",
        )
    if len(values) == 1:
        return _Roles(question.period, 0, 0, None)
    names = ["the period"]
    target_name = None
    if targets:
        target_name = str(getattr(question.target, "name", None) or "target")
        names.append(target_name)
    names += ["strata"] * len(strata)
    return _Roles(pa.table(values, names=names), len(targets), len(strata), target_name)


def _several(column: ColumnLike, *, are_names: bool) -> list[ColumnLike]:
    """The columns of a list of names; anything else is one column."""
    if column is None:
        return []
    if are_names and isinstance(column, (list, tuple)) and all(isinstance(name, str) for name in column):
        return list(column)
    return [column]


def _names_in(columns: Sequence[ColumnLike]) -> list[str]:
    """The columns that are given by name, not by values."""
    return [column for column in columns if isinstance(column, str)]


def _combinations(target: Target, roles: _Roles) -> tuple[Combinations, list[Label]]:
    """What each class of the table is combined of, and the names of the periods."""
    if roles.n_targets + roles.n_strata == 0:
        nothing = np.zeros(target.n_classes, np.int64)
        return Combinations(np.arange(target.n_classes), nothing, nothing), target.labels.tolist()
    first_stratum = 1 + roles.n_targets
    periods, period = _numbered([label[0] for label in target.labels])
    _, label = _numbered([label[1:first_stratum] for label in target.labels])
    _, stratum = _numbered([label[first_stratum:] for label in target.labels])
    return Combinations(period, label, stratum), periods


def _numbered(values: Sequence[Label]) -> tuple[list[Label], Integers]:
    """The distinct values in the order of their first appearance, and the number of each value among them."""
    distinct = list(dict.fromkeys(values))
    index_of_value = {value: index for index, value in enumerate(distinct)}
    return distinct, np.array([index_of_value[value] for value in values], np.int64)


def _check_combinations(combinations: Combinations, periods: Sequence[Label], roles: _Roles) -> None:
    """Refuse a single period, too many of them, and a target of one class."""
    if roles.n_targets and combinations.n_labels < 2:
        raise UserError(
            code="one-class",
            message=f"the target {roles.target_name!r} has one class only",
            advice="leave it out, or give one with at least two",
        )
    if len(periods) < 2:
        raise UserError(
            code="one-class",
            message=f"there is one period only ({periods[0]!r})",
            advice="give at least two",
        )
    if len(periods) > MAX_PERIODS:
        raise UserError(
            code="too-many-classes",
            message=f"there are {len(periods):,} periods",
            advice=f"at most {MAX_PERIODS:,} are compared: name a column of fewer values, such as the month",
        )


def _index_of_reference(reference: Label, periods: Sequence[Label]) -> int:
    if isinstance(reference, str) and reference == FIRST:
        return 0
    names = [str(period) for period in periods]
    if str(reference) not in names:
        raise ParameterError("reference", reference, choices(str(reference), names))
    return names.index(str(reference))
