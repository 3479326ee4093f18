"""Which columns a method gets: those without values, identifiers, and what is excluded are dropped, with a note."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeAlias

import numpy as np

from bitsieve.dataset.column_info import ColumnInfo, TextParsing, empty_columns, identifiers
from bitsieve.dataset.dataset import Dataset, DatasetT
from bitsieve.dataset.identifiers import FEW_ROWS
from bitsieve.diagnostics import ParameterError
from bitsieve.discretization.base import Binning
from bitsieve.information.protocol import Information
from bitsieve.methods.constraints import Candidates, Constraints, check_constraints, is_given, resolve
from bitsieve.methods.method import Method, constants_last
from bitsieve.utils.choice import rank
from bitsieve.utils.defaults import N_FEATURES
from bitsieve.utils.messages import Sentence, Setting, quoted, renamed
from bitsieve.utils.parameters import check_choice, check_integer, whole_number

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
            raise ValueError("constraints are given, so put include into them: Constraints(must_include=...)")


@dataclass(frozen=True)
class Prepared(Generic[DatasetT]):
    """A table for a method: its dropped columns hold one value, so that none is chosen."""

    original: DatasetT  # as it was read
    table: DatasetT
    dropped: Mapping[int, Reason]
    constraints: Constraints | None  # what is included, excluded and grouped; None: nothing
    notes: list[str] = field(default_factory=list)

    @property
    def n_left(self) -> int:
        """How many columns are left."""
        return self.table.n_features - len(self.dropped)


def prepare(
    table: DatasetT,
    choice: ColumnChoice,
    *,
    may_constrain: bool = True,  # whether the method takes constraints
    orders: bool = True,  # whether included columns are selected first, and not only kept
    binner: Binning | None = None,
) -> Prepared[DatasetT]:
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
        raise ValueError("this method takes no excluded columns here: leave them out of the data")
    columns = table.summarize(binner)
    if orders and not may_constrain:
        _refuse_order(constraints, [table.names[j] for j in included if not columns[j].is_identifier])

    dropped: dict[int, Reason] = dict.fromkeys(empty_columns(columns), "empty")
    dropped |= dict.fromkeys(named.exclude, "excluded")
    dropped |= dict.fromkeys(table.left_out, "counted")
    if len(dropped) == table.n_features:
        raise ValueError("no column is left: every one is empty or excluded")
    grouped = np.flatnonzero(candidates.sizes[candidates.of_column] > 1).tolist()
    dropped_identifiers = _identifiers(columns, dropped, {*included, *grouped}, choice.identifiers)
    dropped |= dict.fromkeys(dropped_identifiers, "identifier")

    never_noted = {*named.exclude, *candidates.exclude}
    notes = [*_notes(table, columns, dropped_identifiers, never_noted), *_on_groups(constraints.groups, candidates)]
    has_constraints = any(map(is_given, (constraints.must_include, constraints.exclude, constraints.groups)))
    return Prepared(
        original=table,
        table=table.without(sorted(dropped)),
        dropped=dict(sorted(dropped.items())),
        constraints=constraints if has_constraints and may_constrain else None,
        notes=notes,
    )


def _identifiers(
    columns: Sequence[ColumnInfo], dropped: Mapping[int, Reason], requested: set[int], rule: str
) -> list[int]:
    """The columns to drop that name or number the rows; none where nothing else would be left."""
    if rule == "keep":
        return []
    to_drop = [j for j in identifiers(columns) if j not in requested and j not in dropped]
    return to_drop if len(dropped) + len(to_drop) < len(columns) else []


def _refuse_dropped_by_counts(table: Dataset, included: Sequence[int]) -> None:
    """Raise ValueError where a column is included that saved counts are not of."""
    absent = [table.names[j] for j in included if j in table.left_out]
    if absent:
        what = f"left out when the rows were counted: {quoted(absent)}; count again with "
        raise ValueError(Sentence(what, Setting("include", absent)))


def settle_number(
    prepared: Prepared[Any], n_features_to_select: int | float | str | None, method: Method, *, has_rule: bool
) -> tuple[int | float | str | None, list[str]]:
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
        return n_open, [f"{table_has}, fewer than {N_FEATURES}: all are ranked"]
    if n_features_to_select is None:
        return max(N_FEATURES, len(candidates.must_include)), []
    if number is not None and number > n_open:
        return n_open, [f"{table_has}, fewer than the {number:,} asked for: all are ranked"]
    return n_features_to_select, []


def constraints_on(table: Dataset, constraints: Constraints | None) -> Candidates:
    """The candidates of a method that takes constraints: columns that a table has dropped are none."""
    if not table.left_out:
        return resolve(constraints, table.names)
    constraints = Constraints() if constraints is None else constraints
    candidates = resolve(constraints, table.names)
    grouped = candidates.sizes[candidates.of_column] > 1
    included = {*candidates.must_include}
    dropped = [j for j in table.left_out if not grouped[j] and int(candidates.of_column[j]) not in included]
    return resolve(replace(constraints, exclude=[*constraints.exclude, *dropped]), table.names)


def _on_groups(groups: Any, candidates: Candidates) -> list[str]:
    """A note on groups that are none."""
    few = is_given(groups) and len(groups) > (candidates.sizes > 1).sum()
    return ["a group of fewer than two columns changes nothing: name all that are taken together"] if few else []


def check_screen(
    screen: Any, method: Method, asked: Any, parameters: Mapping[str, Any], prepared: Prepared[Any]
) -> None:
    """Refuse a screen that is no number, or beside which something does not hold."""
    least = max(1, int(asked * prepared.table.n_features)) if isinstance(asked, float) else asked
    check_integer("screen", screen, least if isinstance(least, int) else 1, why="as many as are selected, or more")
    if "stopping" in method.parameters and (asked == "auto" or parameters.get("stopping") is not None):
        raise ParameterError("screen", screen, "leave it out: a stopping rule must look at all columns")
    if prepared.constraints is not None and is_given(prepared.constraints.groups):
        raise ParameterError("screen", screen, "leave it out: groups of columns are not screened")
    if not prepared.table.leaves_out:
        raise ParameterError("screen", screen, "give the rows: saved counts are of all columns")


def screened_out(prepared: Prepared[Any], information: Information, screen: int) -> list[int]:
    """The columns that are neither among the ``screen`` ones of the largest I(Xi;C) nor included nor dropped."""
    order = constants_last(rank(information.relevance), information.varies)
    included = resolve(prepared.constraints, prepared.table.names).must_include
    return sorted({*order[screen:].tolist()} - {*included, *prepared.dropped})


def note_on_screen(screen: int, n_out: int) -> str:
    """How many columns a screen took from the method."""
    ran = f"the method ran on the {screen:,} columns of the largest relevance"
    return Sentence(f"{ran}, and {n_out:,} others were left out: ", Setting("screen", screen))


def _refuse_order(constraints: Constraints, first: Sequence[str]) -> None:
    """A method without constraints can keep an identifier among its columns, but not select anything first."""
    greedy = "use a greedy method such as cmim"
    if first:
        what = f"this method cannot be made to select {quoted(first)} first: leave "
        raise ValueError(Sentence(what, Setting("include"), f" out, or {greedy}"))
    if constraints.groups:
        raise ValueError(f"this method takes no groups of columns: {greedy}")


def _notes(
    table: Dataset, columns: Sequence[ColumnInfo], dropped_identifiers: Sequence[int], excluded: Collection[int]
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


def notes_on_dropped(table: Dataset, empty: Sequence[int], identifiers: Sequence[int], keep: Setting) -> list[str]:
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


def _about(table: Dataset, columns: Sequence[int], one: str, several: str, ending: str) -> str:
    listed = quoted(table.names[j] for j in columns)
    start = f"column {listed} {one}" if len(columns) == 1 else f"{len(columns):,} columns {several} ({listed})"
    return Sentence(start, ending)
