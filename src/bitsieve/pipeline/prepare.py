"""Which columns a method gets: those without values, identifiers, and what is excluded are dropped, with a note."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeAlias

import numpy as np

from bitsieve.dataset.column_info import ColumnInfo, TextParsing, empty_columns, identifiers
from bitsieve.dataset.identifiers import FEW_ROWS
from bitsieve.dataset.table import Table, TableT
from bitsieve.diagnostics import ParameterError
from bitsieve.discretization.registry import make_discretizer
from bitsieve.information.protocol import Information
from bitsieve.methods.constraints import Candidates, Constraints, is_given, resolve
from bitsieve.methods.method import constants_last
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions
from bitsieve.pipeline.discretize import take_few_numbers_as_categories
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.utils.choice import rank
from bitsieve.utils.defaults import N_FEATURES
from bitsieve.utils.messages import Sentence, Setting, quoted, renamed
from bitsieve.utils.parameters import check_integer, whole_number

Reason: TypeAlias = Literal["empty", "identifier", "excluded", "counted"]  # "counted": dropped when counts were saved


@dataclass(frozen=True, kw_only=True)
class Prepared(Generic[TableT]):
    """A table whose dropped columns hold one value in every row, so that none of them is chosen."""

    original: TableT  # as it was read
    table: TableT
    dropped: Mapping[int, Reason]
    discretization: DiscretizationOptions
    notes: list[str] = field(default_factory=list)

    @property
    def n_left(self) -> int:
        """The number of columns that are left."""
        return self.table.n_features - len(self.dropped)


@dataclass(frozen=True, kw_only=True)
class PreparedSelection(Prepared[Table]):
    """A prepared table, and what is to be selected from it.

    ``selection`` has the number of features, which may have been left open, and the constraints that follow from
    ``include``. Of a method on counts the columns of few whole numbers are categories, where the user said nothing of
    their bins.
    """

    selection: SelectionOptions
    requested_discretization: DiscretizationOptions  # as the user gave it
    notes_on_number: list[str] = field(default_factory=list)  # where there are fewer columns than were asked for

    @classmethod
    def of_prepared_table(
        cls, table: Table, selection: SelectionOptions, discretization: DiscretizationOptions
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
    table: TableT,
    columns: ColumnOptions,
    discretization: DiscretizationOptions,
    execution: ExecutionOptions,
) -> Prepared[TableT]:
    """Drop the columns without values, the identifiers, and the columns that are excluded."""
    included = _indices_of_included(table, columns, Constraints(columns.include))
    infos = _summarize(table, discretization, execution)
    return _drop_columns(table, columns, discretization, infos, included, Candidates(np.arange(table.n_features)))


def prepare_selection(
    table: Table,
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
        if is_given(selection.columns.exclude) and not table.leaves_out:
            raise ValueError("this method takes no excluded columns here: leave them out of the data")
    prepared = _drop_columns(table, selection.columns, discretization, infos, included, candidates)

    has_constraints = any(map(is_given, (constraints.must_include, constraints.exclude, constraints.groups)))
    selection = replace(selection, constraints=constraints if has_constraints and selection.takes_constraints else None)
    number, notes_on_number = settle_number(prepared.table, selection)
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
        notes=[*prepared.notes, *_notes_on_groups(constraints.groups, candidates)],
        notes_on_number=notes_on_number,
        selection=selection,
    )


def _indices_of_included(table: Table, columns: ColumnOptions, constraints: Constraints) -> list[int]:
    """The columns that a user named to be included; refused if they are excluded too, or left out of saved counts."""
    with renamed("must_include", "include"):
        resolve(Constraints(columns.include, columns.exclude), table.names, table.target.names)
    included = resolve(Constraints(constraints.must_include), table.names).must_include
    absent = [table.names[j] for j in included if j in table.left_out]
    if absent:
        what = f"left out when the rows were counted: {quoted(absent)}; count again with "
        raise ValueError(Sentence(what, Setting("include", absent)))
    return included


def _summarize(
    table: Table, discretization: DiscretizationOptions, execution: ExecutionOptions
) -> Sequence[ColumnInfo]:
    return table.summarize(make_discretizer(discretization, execution.n_jobs).for_table(table))


def _drop_columns(
    table: TableT,
    columns: ColumnOptions,
    discretization: DiscretizationOptions,
    infos: Sequence[ColumnInfo],
    included: Sequence[int],
    candidates: Candidates,
) -> Prepared[TableT]:
    """Drop columns of a table; identifiers that are included, or are in a group of columns, are not dropped."""
    with renamed("must_include", "include"):
        excluded = resolve(Constraints(exclude=columns.exclude), table.names, table.target.names).exclude
    dropped: dict[int, Reason] = dict.fromkeys(empty_columns(infos), "empty")
    dropped |= dict.fromkeys(excluded, "excluded")
    dropped |= dict.fromkeys(table.left_out, "counted")
    if len(dropped) == table.n_features:
        raise ValueError("no column is left: every one is empty or excluded")
    in_groups = np.flatnonzero(candidates.sizes[candidates.of_column] > 1).tolist()
    dropped_identifiers: list[int] = []
    if columns.identifiers == "drop":
        dropped_identifiers = _identifiers_to_drop(infos, dropped, {*included, *in_groups})
    dropped |= dict.fromkeys(dropped_identifiers, "identifier")
    return Prepared(
        original=table,
        table=table.without(sorted(dropped)),
        dropped=dict(sorted(dropped.items())),
        discretization=discretization,
        notes=_notes(table, infos, dropped_identifiers, {*excluded, *candidates.exclude}),
    )


def _identifiers_to_drop(infos: Sequence[ColumnInfo], dropped: Mapping[int, Reason], retained: set[int]) -> list[int]:
    """The columns to drop that name or number the rows; none where nothing else would be left."""
    to_drop = [j for j in identifiers(infos) if j not in retained and j not in dropped]
    n_left = len(infos) - len(dropped) - len(to_drop)
    return to_drop if n_left > 0 else []


def settle_number(table: Table, selection: SelectionOptions) -> tuple[int | float | str | None, list[str]]:
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
        return n_open, [f"{table_has}, fewer than {N_FEATURES}: all are ranked"]
    if requested is None:
        return max(N_FEATURES, len(candidates.must_include)), []
    if number is not None and number > n_open:
        return n_open, [f"{table_has}, fewer than the {number:,} asked for: all are ranked"]
    return requested, []


def constraints_on(table: Table, constraints: Constraints | None) -> Candidates:
    """The candidates of a method that takes constraints: columns that a table has dropped are none."""
    if not table.left_out:
        return resolve(constraints, table.names)
    constraints = Constraints() if constraints is None else constraints
    candidates = resolve(constraints, table.names)
    grouped = candidates.sizes[candidates.of_column] > 1
    included = {*candidates.must_include}
    dropped = [j for j in table.left_out if not grouped[j] and int(candidates.of_column[j]) not in included]
    return resolve(replace(constraints, exclude=[*constraints.exclude, *dropped]), table.names)


def _notes_on_groups(groups: Any, candidates: Candidates) -> list[str]:
    """A note on groups that are none."""
    few = is_given(groups) and len(groups) > (candidates.sizes > 1).sum()
    return ["a group of fewer than two columns changes nothing: name all that are taken together"] if few else []


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
        raise ParameterError("screen", screen, "leave it out: a stopping rule must look at all columns")
    if selection.constraints is not None and is_given(selection.constraints.groups):
        raise ParameterError("screen", screen, "leave it out: groups of columns are not screened")
    if not prepared.table.leaves_out:
        raise ParameterError("screen", screen, "give the rows: saved counts are of all columns")


def columns_screened_out(prepared: PreparedSelection, information: Information, screen: int) -> list[int]:
    """The columns that are neither among the ``screen`` ones of the largest I(Xi;C) nor included nor dropped."""
    order = constants_last(rank(information.relevance), information.varies)
    included = resolve(prepared.selection.constraints, prepared.table.names).must_include
    return sorted({*order[screen:].tolist()} - {*included, *prepared.dropped})


def _refuse_order(constraints: Constraints, first: Sequence[str]) -> None:
    """A method without constraints can keep an identifier among its columns, but not select anything first."""
    greedy = "use a greedy method such as cmim"
    if first:
        what = f"this method cannot be made to select {quoted(first)} first: leave "
        raise ValueError(Sentence(what, Setting("include"), f" out, or {greedy}"))
    if constraints.groups:
        raise ValueError(f"this method takes no groups of columns: {greedy}")


def _notes(
    table: Table, columns: Sequence[ColumnInfo], dropped_identifiers: Sequence[int], excluded: Collection[int]
) -> list[str]:
    """How text was read, which columns are left out that nobody excluded, and what numbers may mean something else."""
    n_rows, notes = table.n_samples, list[str]()
    if n_rows < FEW_ROWS:
        notes = [f"the table has {n_rows} rows: with fewer than {FEW_ROWS} any column may look informative by chance"]
    notes += [
        _on_text(table.names[j], column.parsing)
        for j, column in enumerate(columns)
        if column.parsing is not None
        and j not in excluded
        and not (j in dropped_identifiers and column.parsing.what == "codes")
    ]
    keep = Setting("include", [table.names[j] for j in dropped_identifiers[:5]])
    empty = empty_columns(columns)
    notes += notes_on_dropped(table, empty, dropped_identifiers, keep)
    dropped = {*empty, *dropped_identifiers, *excluded}
    for j, column in enumerate(columns):
        for sentinel in () if j in dropped else column.sentinels:
            others = f"{sentinel.low:g} to {sentinel.high:g}"
            why = f"far from its other values ({others}): if it means a missing value, replace it"
            notes.append(f"column {table.names[j]!r} holds {sentinel.value:g} in {sentinel.n_rows:,} rows, {why}")
    for j, column in enumerate(columns):
        if column.has_name_of_code and column.parsing is None and j not in dropped:
            what = f"column {table.names[j]!r} holds whole numbers and has the name of a code: read as numbers; "
            notes.append(Sentence(what, "to make each a category, add ", _typed(table.names[j], "category")))
    return notes


def notes_on_dropped(table: Table, empty: Sequence[int], identifiers: Sequence[int], keep: Setting) -> list[str]:
    """Which columns are left out that nobody excluded; ``keep`` is what keeps an identifier."""
    notes = []
    if empty:
        notes.append(_about(table, empty, "has no values", "have no values", ": left out"))
    if identifiers:
        why = ": nearly every row has a value of its own, so left out; to keep such a column, add "
        looks = "looks like an identifier", "look like identifiers"
        notes.append(_about(table, identifiers, *looks, Sentence(why, keep)))
    return notes


def _typed(name: str, kind: str) -> Setting:
    return Setting("column_types", {name: kind})


def _on_text(name: str, account: TextParsing) -> str:
    """How the text of a column was read, and how to have it otherwise."""
    such = f"column {name!r} holds {account.what} such as {account.example!r}"
    if account.what == "codes":
        why = ", of which leading zeros, points or a plus are part: taken as categories; if they are numbers, add "
        return Sentence(such, why, _typed(name, "number"))
    if account.what == "open dates":
        such = f"column {name!r} holds dates such as {account.example!r}, whose day and month nothing tells apart: "
        day, month = _typed(name, "day-first"), _typed(name, "month-first")
        return Sentence(such, "taken as categories; to read them, add ", day, " or ", month)
    return Sentence(
        read_as(f"column {name!r}", account), "; to keep the text as categories, add ", _typed(name, "category")
    )


def read_as(where: str, account: TextParsing) -> str:
    """What text was read as, and what of it was not."""
    if account.what == "numbers" and account.n_unread:
        values = f"{account.n_unread:,} value{'s' * (account.n_unread > 1)} of {where}"
        what = "is not a number" if account.n_unread == 1 else "are not numbers"
        return f"{values} {what}: {account.listed}: read as missing"
    meant = "times" if account.what.startswith(("dates", "times", "durations")) else "numbers"
    meant = "yes and no" if account.what == "booleans in words" else meant
    rest = f"; {account.n_unread:,} with other text as missing: {account.listed}" if account.n_unread else ""
    rows = f"{account.n_read:,} row{'s' * (account.n_read > 1)}"
    return f"{where} holds {account.what} such as {account.example!r}: read as {meant} in {rows}{rest}"


def _about(table: Table, columns: Sequence[int], one: str, several: str, ending: str) -> str:
    listed = quoted(table.names[j] for j in columns)
    start = f"column {listed} {one}" if len(columns) == 1 else f"{len(columns):,} columns {several} ({listed})"
    return Sentence(start, ending)
