"""Drop the columns that no method should get: empty ones, identifiers, excluded ones; with a note on each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeAlias

import numpy as np

from bitsieve.dataset.column_info import ColumnInfo, TextParsing, empty_columns, identifiers
from bitsieve.dataset.dataset import Dataset, DatasetT
from bitsieve.dataset.identifiers import FEW_ROWS
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError, renamed
from bitsieve.discretization.registry import make_discretizer
from bitsieve.information.protocol import Information
from bitsieve.methods.constraints import Candidates, Constraints, any_given, is_given, resolve
from bitsieve.methods.method import constants_last
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions
from bitsieve.pipeline import notes
from bitsieve.pipeline.discretize import take_few_numbers_as_categories
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.utils.choice import rank
from bitsieve.utils.defaults import N_FEATURES
from bitsieve.utils.messages import quoted
from bitsieve.utils.parameters import check_integer, fewer_columns, whole_number

Reason: TypeAlias = Literal["empty", "identifier", "excluded", "counted"]  # "counted": dropped when counts were saved


@dataclass(frozen=True, kw_only=True)
class Prepared(Generic[DatasetT]):
    """A table after dropping. Dropped columns keep their place but hold one value, so that no method selects them."""

    original: DatasetT  # as it was read
    table: DatasetT
    dropped: Mapping[int, Reason]
    discretization: DiscretizationOptions
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def n_left(self) -> int:
        """The number of columns that are left."""
        return self.table.n_features - len(self.dropped)


@dataclass(frozen=True, kw_only=True)
class PreparedSelection(Prepared[Dataset]):
    """A prepared table, and what is to be selected from it.

    ``selection`` has the number of features, which may have been left open, and the constraints that follow from
    ``include``. For a method on counts, columns of few different whole numbers are categories, unless the user chose
    how to bin them.
    """

    selection: SelectionOptions
    requested_discretization: DiscretizationOptions  # as the user gave it
    diagnostics_on_number: list[Diagnostic] = field(
        default_factory=list
    )  # where there are fewer columns than were asked for

    @classmethod
    def of_prepared_table(
        cls, table: Dataset, selection: SelectionOptions, discretization: DiscretizationOptions
    ) -> PreparedSelection:
        """The options for a table from which nothing more is to be dropped, such as some rows of a prepared one."""
        return cls(
            original=table,
            table=table,
            dropped={},
            discretization=discretization,
            selection=selection,
            requested_discretization=discretization,
        )


def prepare(
    table: DatasetT,
    columns: ColumnOptions,
    discretization: DiscretizationOptions,
    execution: ExecutionOptions,
) -> Prepared[DatasetT]:
    """Drop the columns without values, the identifiers, and the columns that are excluded."""
    included = _indices_of_included(table, columns, Constraints(columns.include))
    infos = _summarize(table, discretization, execution)
    return _drop_columns(table, columns, discretization, infos, included, Candidates(np.arange(table.n_features)))


def prepare_selection(
    table: Dataset,
    selection: SelectionOptions,
    discretization: DiscretizationOptions,
    execution: ExecutionOptions,
) -> PreparedSelection:
    """Drop the columns that :func:`prepare` drops, and settle what the options leave open.

    These are the constraints, the number of features, and whether columns of few whole numbers are categories.
    """
    constraints = selection.constraints
    if constraints is None:
        constraints = Constraints(selection.columns.include)
    candidates = resolve(constraints, table.names, table.target.names)
    included = _indices_of_included(table, selection.columns, constraints)
    infos = _summarize(table, discretization, execution)
    if not selection.takes_constraints:
        _refuse_order(constraints, [table.names[j] for j in included if not infos[j].is_identifier])
        if is_given(selection.columns.exclude) and not table.can_leave_out:
            raise UserError(
                code="exclude-not-supported",
                message="this method takes no excluded columns here",
                advice="leave them out of the data",
            )
    prepared = _drop_columns(table, selection.columns, discretization, infos, included, candidates)
    diagnostics = list(prepared.diagnostics)
    if _has_group_of_one(constraints.groups, candidates):
        diagnostics.append(notes.group_of_one())

    has_constraints = any_given(constraints) and selection.takes_constraints
    selection = replace(selection, constraints=constraints if has_constraints else None)
    number, diagnostics_on_number = settle_number(prepared.table, selection)
    selection = replace(selection, n_features_to_select=number)
    coded_table, settled_discretization = take_few_numbers_as_categories(
        prepared.table, selection.method, discretization, execution
    )
    return PreparedSelection(
        original=table,
        table=coded_table,
        dropped=prepared.dropped,
        discretization=settled_discretization,
        requested_discretization=discretization,
        diagnostics=diagnostics,
        diagnostics_on_number=diagnostics_on_number,
        selection=selection,
    )


def _indices_of_included(table: Dataset, columns: ColumnOptions, constraints: Constraints) -> list[int]:
    """The columns that a user named to be included; refused if they are excluded too, or left out of saved counts."""
    with renamed("must_include", "include"):
        resolve(Constraints(columns.include, columns.exclude), table.names, table.target.names)
    included = resolve(Constraints(constraints.must_include), table.names).must_include
    absent = [table.names[j] for j in included if j in table.left_out]
    if absent:
        raise UserError(
            code="not-in-saved-counts",
            message=f"left out when the rows were counted: {quoted(absent)}",
            advice="count again with {include}",
            fix={"include": absent},
            columns=absent,
        )
    return included


def _summarize(
    table: Dataset, discretization: DiscretizationOptions, execution: ExecutionOptions
) -> Sequence[ColumnInfo]:
    return table.summarize(make_discretizer(discretization, execution.n_jobs).for_table(table))


def _drop_columns(
    table: DatasetT,
    columns: ColumnOptions,
    discretization: DiscretizationOptions,
    infos: Sequence[ColumnInfo],
    included: Sequence[int],
    candidates: Candidates,
) -> Prepared[DatasetT]:
    """Drop columns of a table; identifiers that are included, or are in a group of columns, are not dropped."""
    with renamed("must_include", "include"):
        excluded = resolve(Constraints(exclude=columns.exclude), table.names, table.target.names).exclude
    dropped: dict[int, Reason] = dict.fromkeys(empty_columns(infos), "empty")
    dropped |= dict.fromkeys(excluded, "excluded")
    dropped |= dict.fromkeys(table.left_out, "counted")
    if len(dropped) == table.n_features:
        raise UserError(
            code="no-features",
            message="no column is left",
            advice="every one is empty or excluded",
        )
    in_groups = np.flatnonzero(candidates.sizes[candidates.candidate_of_column] > 1).tolist()
    dropped_identifiers: list[int] = []
    if columns.identifiers == "drop":
        dropped_identifiers = _identifiers_to_drop(infos, dropped, {*included, *in_groups})
    dropped |= dict.fromkeys(dropped_identifiers, "identifier")
    return Prepared(
        original=table,
        table=table.without(sorted(dropped)),
        dropped=dict(sorted(dropped.items())),
        discretization=discretization,
        diagnostics=_diagnostics(table, infos, dropped_identifiers, {*excluded, *candidates.exclude}),
    )


def _identifiers_to_drop(infos: Sequence[ColumnInfo], dropped: Mapping[int, Reason], retained: set[int]) -> list[int]:
    """The columns to drop that name or number the rows; none where nothing else would be left."""
    to_drop = [j for j in identifiers(infos) if j not in retained and j not in dropped]
    n_left = len(infos) - len(dropped) - len(to_drop)
    return to_drop if n_left > 0 else []


def settle_number(table: Dataset, selection: SelectionOptions) -> tuple[int | float | str | None, list[Diagnostic]]:
    """The number of features to select, by default 20, or all where there are fewer; a note on that.

    A share, and "auto", stay as they are, and so does a value that is not allowed, which the method refuses. A rule
    that stops by itself looks at all columns by default.
    """
    requested = selection.n_features_to_select
    if selection.ends_by_itself:
        return requested, []
    number = whole_number(requested)
    if requested is not None and number is None:
        return requested, []
    candidates = constraints_on(table, selection.constraints)
    n_open = candidates.n_open
    kind = "columns and groups" if candidates.grouped else f"feature{'s' * (n_open != 1)}"
    table_has = f"the table has {n_open:,} {kind}{' left' if n_open < len(candidates.sizes) else ''}"
    if requested is None and selection.stopping is not None:
        return n_open, []
    if requested is None and n_open < N_FEATURES:
        return n_open, [fewer_columns(table_has, f"the default of {N_FEATURES}")]
    if requested is None:
        return max(N_FEATURES, len(candidates.must_include)), []
    if number is not None and number > n_open:
        return n_open, [fewer_columns(table_has, f"the {number:,} requested")]
    return requested, []


def constraints_on(table: Dataset, constraints: Constraints | None) -> Candidates:
    """The candidates for selection, without the columns that the table has dropped, unless they are included."""
    if not table.left_out:
        return resolve(constraints, table.names)
    constraints = Constraints() if constraints is None else constraints
    candidates = resolve(constraints, table.names)
    grouped = candidates.sizes[candidates.candidate_of_column] > 1
    included = {*candidates.must_include}
    dropped = [j for j in table.left_out if not grouped[j] and int(candidates.candidate_of_column[j]) not in included]
    return resolve(replace(constraints, exclude=[*constraints.exclude, *dropped]), table.names)


def _has_group_of_one(groups: Any, candidates: Candidates) -> bool:
    return is_given(groups) and bool(len(groups) > (candidates.sizes > 1).sum())


def check_screen(prepared: PreparedSelection) -> None:
    """Refuse a screen that is no number, or that does not go with the other options."""
    selection, screen = prepared.selection, prepared.selection.screen
    n_features = selection.n_features_to_select
    minimum = 1
    if isinstance(n_features, float):
        minimum = max(1, int(n_features * prepared.table.n_features))
    elif isinstance(n_features, int):
        minimum = n_features
    check_integer("screen", screen, minimum, why="as many as are selected, or more")
    if "stopping" in selection.method.parameters and selection.is_tested:
        raise ParameterError(
            "screen", screen, "leave it out: a stopping rule must look at all columns", code="contradicting-parameters"
        )
    if selection.constraints is not None and is_given(selection.constraints.groups):
        raise ParameterError(
            "screen", screen, "leave it out: groups of columns are not screened", code="contradicting-parameters"
        )
    if not prepared.table.can_leave_out:
        raise ParameterError(
            "screen", screen, "give the rows: saved counts are of all columns", code="rows-not-in-memory"
        )


def columns_screened_out(prepared: PreparedSelection, information: Information, screen: int) -> list[int]:
    """All columns but the ``screen`` most relevant ones, the included ones and the dropped ones."""
    order = constants_last(rank(information.relevance), information.varies)
    included = resolve(prepared.selection.constraints, prepared.table.names).must_include
    return sorted({*order[screen:].tolist()} - {*included, *prepared.dropped})


def _refuse_order(constraints: Constraints, first: Sequence[str]) -> None:
    """A method without constraints can keep an identifier among its columns, but not select anything first."""
    greedy = "use a greedy method such as cmim"
    if first:
        raise UserError(
            code="include-not-supported",
            message=f"this method cannot be made to select {quoted(first)} first",
            advice=f"leave {{include}} out, or {greedy}",
            columns=first,
        )
    if constraints.groups:
        raise UserError(
            code="groups-not-supported",
            message="this method takes no groups of columns",
            advice=f"{greedy}",
        )


def _diagnostics(
    table: Dataset, columns: Sequence[ColumnInfo], dropped_identifiers: Sequence[int], excluded: Collection[int]
) -> list[Diagnostic]:
    """Notes on parsed text, on columns dropped that nobody excluded, on sentinels, and on names like identifiers."""
    diagnostics = list[Diagnostic]()
    if table.n_samples < FEW_ROWS:
        diagnostics.append(notes.few_rows(table.n_samples, FEW_ROWS))
    for j, column in enumerate(columns):
        if column.parsing is None or j in excluded:
            continue
        if j in dropped_identifiers and column.parsing.what == "codes":
            continue
        diagnostics.append(_on_text(str(table.names[j]), column.parsing))
    keep: dict[str, object] = {"include": [table.names[j] for j in dropped_identifiers[:5]]}
    empty = empty_columns(columns)
    diagnostics += on_dropped(table, empty, dropped_identifiers, keep)
    dropped = {*empty, *dropped_identifiers, *excluded}
    for j, column in enumerate(columns):
        if j in dropped:
            continue
        for sentinel in column.sentinels:
            diagnostics.append(
                notes.sentinel(str(table.names[j]), sentinel.value, sentinel.n_rows, sentinel.low, sentinel.high)
            )
    for j, column in enumerate(columns):
        if column.has_name_of_code and column.parsing is None and j not in dropped:
            diagnostics.append(notes.named_like_identifier(str(table.names[j])))
    return diagnostics


def on_dropped(
    table: Dataset, empty: Sequence[int], identifiers: Sequence[int], keep: dict[str, object]
) -> list[Diagnostic]:
    """Which columns are left out that nobody excluded; ``keep`` is the fix that keeps an identifier."""
    diagnostics = []
    if empty:
        diagnostics.append(notes.empty([str(table.names[j]) for j in empty]))
    if identifiers:
        diagnostics.append(notes.identifier_dropped([str(table.names[j]) for j in identifiers], keep))
    return diagnostics


def _on_text(name: str, parsing: TextParsing) -> Diagnostic:
    """How the text of a column was read."""
    if parsing.what == "codes":
        return notes.text_as_categories(name, parsing)
    if parsing.what == "open dates":
        return notes.ambiguous_dates(name, parsing)
    return notes.text_read(name, parsing)
