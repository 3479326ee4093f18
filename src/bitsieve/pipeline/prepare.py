"""Which columns a method gets: those without values, identifiers, and what is excluded are dropped, with a note."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeAlias

import numpy as np

from bitsieve.dataset.column_info import ColumnInfo, TextParsing, empty_columns, identifiers
from bitsieve.dataset.identifiers import FEW_ROWS
from bitsieve.dataset.table import Table, TableT
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError, renamed
from bitsieve.discretization.base import Binning
from bitsieve.information.protocol import Information
from bitsieve.methods.constraints import Candidates, Constraints, check_constraints, is_given, resolve
from bitsieve.methods.method import Method, constants_last
from bitsieve.pipeline import notes
from bitsieve.utils.choice import rank
from bitsieve.utils.defaults import N_FEATURES
from bitsieve.utils.messages import quoted
from bitsieve.utils.parameters import check_choice, check_integer, fewer_columns, whole_number

Reason: TypeAlias = Literal["empty", "identifier", "excluded", "counted"]  # "counted": dropped when counts were saved
IDENTIFIERS = ("drop", "keep")


@dataclass(frozen=True)
class ColumnChoice:
    """What a user says of columns: which are selected first, which are dropped, and what becomes of identifiers."""

    include: Sequence[Any] = ()
    exclude: Sequence[Any] = ()
    constraints: Constraints | None = None
    identifiers: str = "drop"

    def __post_init__(self) -> None:
        check_constraints(self.constraints)
        check_choice("identifiers", self.identifiers, IDENTIFIERS)
        if self.constraints is not None and is_given(self.include):
            raise UserError(
                code="contradicting-parameters",
                message="constraints are given, so put include into them",
                advice="Constraints(must_include=...)",
            )


@dataclass(frozen=True)
class Prepared(Generic[TableT]):
    """A table for a method: its dropped columns hold one value, so that none is chosen."""

    original: TableT  # as it was read
    table: TableT
    dropped: Mapping[int, Reason]
    constraints: Constraints | None  # what is included, excluded and grouped; None: nothing
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def n_left(self) -> int:
        """How many columns are left."""
        return self.table.n_features - len(self.dropped)


def prepare(
    table: TableT,
    choice: ColumnChoice,
    *,
    may_constrain: bool = True,  # whether the method takes constraints
    orders: bool = True,  # whether included columns are selected first, and not only kept
    binner: Binning | None = None,
) -> Prepared[TableT]:
    """Drop the columns without values, identifiers, and those that are excluded."""
    constraints = choice.constraints
    if constraints is None:
        constraints = Constraints(choice.include)
    with renamed("must_include", "include"):
        named = resolve(Constraints(choice.include, choice.exclude), table.names, table.target.names)
    candidates = resolve(constraints, table.names, table.target.names)
    included = resolve(Constraints(constraints.must_include), table.names).must_include
    _refuse_dropped_by_counts(table, included)
    if named.exclude and not table.leaves_out and not may_constrain:
        raise UserError(
            code="exclude-not-supported",
            message="this method takes no excluded columns here",
            advice="leave them out of the data",
        )
    columns = table.summarize(binner)
    if orders and not may_constrain:
        _refuse_order(constraints, [table.names[j] for j in included if not columns[j].is_identifier])

    dropped: dict[int, Reason] = dict.fromkeys(empty_columns(columns), "empty")
    dropped |= dict.fromkeys(named.exclude, "excluded")
    dropped |= dict.fromkeys(table.left_out, "counted")
    if len(dropped) == table.n_features:
        raise UserError(
            code="no-features",
            message="no column is left",
            advice="every one is empty or excluded",
        )
    grouped = np.flatnonzero(candidates.sizes[candidates.of_column] > 1).tolist()
    dropped_identifiers = _identifiers(columns, dropped, {*included, *grouped}, choice.identifiers)
    dropped |= dict.fromkeys(dropped_identifiers, "identifier")

    never_noted = {*named.exclude, *candidates.exclude}
    diagnostics = _diagnostics(table, columns, dropped_identifiers, never_noted)
    if _has_group_of_one(constraints.groups, candidates):
        diagnostics.append(notes.group_of_one())
    has_constraints = any(map(is_given, (constraints.must_include, constraints.exclude, constraints.groups)))
    return Prepared(
        original=table,
        table=table.without(sorted(dropped)),
        dropped=dict(sorted(dropped.items())),
        constraints=constraints if has_constraints and may_constrain else None,
        diagnostics=diagnostics,
    )


def _identifiers(
    columns: Sequence[ColumnInfo], dropped: Mapping[int, Reason], requested: set[int], rule: str
) -> list[int]:
    """The columns to drop that name or number the rows; none where nothing else would be left."""
    if rule == "keep":
        return []
    to_drop = [j for j in identifiers(columns) if j not in requested and j not in dropped]
    return to_drop if len(dropped) + len(to_drop) < len(columns) else []


def _refuse_dropped_by_counts(table: Table, included: Sequence[int]) -> None:
    """Raise ValueError where a column is included that saved counts are not of."""
    absent = [table.names[j] for j in included if j in table.left_out]
    if absent:
        raise UserError(
            code="not-in-saved-counts",
            message=f"left out when the rows were counted: {quoted(absent)}",
            advice="count again with {include}",
            fix={"include": absent},
            columns=absent,
        )


def settle_number(
    prepared: Prepared[Any], n_features_to_select: int | float | str | None, method: Method, *, has_rule: bool
) -> tuple[int | float | str | None, list[Diagnostic]]:
    """The number of features to select, by default 20, or all where there are fewer; a note on that.

    A share, and "auto", stay as they are, and so does a value that is not allowed, which the method refuses. A rule
    that stops by itself looks at all columns by default.
    """
    ends_by_itself = isinstance(n_features_to_select, str | None) and n_features_to_select in method.ends_with
    if ends_by_itself:
        return n_features_to_select, []
    number = whole_number(n_features_to_select)
    if n_features_to_select is not None and number is None:
        return n_features_to_select, []
    candidates = constraints_on(prepared.table, prepared.constraints)
    n_open = candidates.n_open
    kind = "columns and groups" if candidates.grouped else f"feature{'s' * (n_open != 1)}"
    table_has = f"the table has {n_open:,} {kind}{' left' if n_open < len(candidates.sizes) else ''}"
    if n_features_to_select is None and has_rule:
        return n_open, []
    if n_features_to_select is None and n_open < N_FEATURES:
        return n_open, [fewer_columns(table_has, f"the default of {N_FEATURES}")]
    if n_features_to_select is None:
        return max(N_FEATURES, len(candidates.must_include)), []
    if number is not None and number > n_open:
        return n_open, [fewer_columns(table_has, f"the {number:,} requested")]
    return n_features_to_select, []


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


def _has_group_of_one(groups: Any, candidates: Candidates) -> bool:
    return is_given(groups) and bool(len(groups) > (candidates.sizes > 1).sum())


def check_screen(
    screen: Any, method: Method, asked: Any, parameters: Mapping[str, Any], prepared: Prepared[Any]
) -> None:
    """Refuse a screen that is no number, or beside which something does not hold."""
    least = max(1, int(asked * prepared.table.n_features)) if isinstance(asked, float) else asked
    check_integer("screen", screen, least if isinstance(least, int) else 1, why="as many as are selected, or more")
    if "stopping" in method.parameters and (asked == "auto" or parameters.get("stopping") is not None):
        raise ParameterError(
            "screen", screen, "leave it out: a stopping rule must look at all columns", code="contradicting-parameters"
        )
    if prepared.constraints is not None and is_given(prepared.constraints.groups):
        raise ParameterError(
            "screen", screen, "leave it out: groups of columns are not screened", code="contradicting-parameters"
        )
    if not prepared.table.leaves_out:
        raise ParameterError(
            "screen", screen, "give the rows: saved counts are of all columns", code="rows-not-in-memory"
        )


def screened_out(prepared: Prepared[Any], information: Information, screen: int) -> list[int]:
    """The columns that are neither among the ``screen`` ones of the largest I(Xi;C) nor included nor dropped."""
    order = constants_last(rank(information.relevance), information.varies)
    included = resolve(prepared.constraints, prepared.table.names).must_include
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
    table: Table, columns: Sequence[ColumnInfo], dropped_identifiers: Sequence[int], excluded: Collection[int]
) -> list[Diagnostic]:
    """How text was read, which columns are left out that nobody excluded, and what numbers may mean something else."""
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
        for sentinel in () if j in dropped else column.sentinels:
            diagnostics.append(
                notes.sentinel(str(table.names[j]), sentinel.value, sentinel.n_rows, sentinel.low, sentinel.high)
            )
    for j, column in enumerate(columns):
        if column.has_name_of_code and column.parsing is None and j not in dropped:
            diagnostics.append(notes.named_like_identifier(str(table.names[j])))
    return diagnostics


def on_dropped(
    table: Table, empty: Sequence[int], identifiers: Sequence[int], keep: dict[str, object]
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
