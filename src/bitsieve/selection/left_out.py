"""Columns that are left out before a method gets them: those without values, identifiers, and what is excluded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bitsieve.dataset.given import Account
from bitsieve.dataset.profile import FEW_ROWS, Profile
from bitsieve.dataset.table import Table
from bitsieve.information.protocol import Information
from bitsieve.methods.constraints import Candidates, Constraints, check_constraints, is_given, resolve
from bitsieve.methods.method import Method, constants_last
from bitsieve.utils.choice import rank
from bitsieve.utils.messages import ParameterError, Sentence, Setting, quoted, renamed
from bitsieve.utils.parameters import check_integer


@dataclass(frozen=True)
class Considered:
    """A table in which columns that are left out hold one value; ``constraints`` are for a method that takes them."""

    table: Table
    left_out: list[int] = field(default_factory=list)
    constraints: Constraints | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def n_left(self) -> int:
        """How many columns are left."""
        return self.table.n_features - len(self.left_out)


def consider(
    table: Table,
    include: Sequence[Any] = (),
    exclude: Sequence[Any] = (),
    constraints: Constraints | None = None,
    *,
    constrains: bool = True,
    orders: bool = True,
    binner: Any = None,
) -> Considered:
    """Leave out empty and excluded columns and identifiers; ``orders``: ``include`` asks for a place, too."""
    check_constraints(constraints)
    if constraints is None:
        constraints = Constraints(include, exclude)
        with renamed("must_include", "include"):
            wanted = resolve(constraints, table.names, table.target.names)
    elif is_given(include) or is_given(exclude):
        raise ValueError("constraints are given, so put include and exclude into them: Constraints(must_include=...)")
    else:
        wanted = resolve(Constraints(constraints.must_include, constraints.exclude), table.names, table.target.names)
    if gone := [table.names[j] for j in wanted.must_include if j in table.left_out]:  # of saved counts
        what = f"left out when the rows were counted: {quoted(gone)}; count again with "
        raise ValueError(Sentence(what, Setting("include", gone)))
    profile, excluded = table.profile(binner), wanted.exclude if table.leaves_out else []
    candidates = resolve(constraints, table.names, table.target.names)
    asked_for = {*wanted.must_include, *np.flatnonzero(candidates.sizes[candidates.of_column] > 1).tolist()}
    if not constrains and wanted.exclude and not table.leaves_out:
        raise ValueError("this method takes no excluded columns here: leave them out of the data")
    if orders and not constrains:
        _refuse_order(constraints, [table.names[j] for j in wanted.must_include if j not in profile.identifiers])
    out_anyway = {*profile.empty, *excluded, *table.left_out}
    if len(out_anyway) == table.n_features:
        raise ValueError("no column is left: every one is empty or excluded")
    identifiers = [j for j in profile.identifiers if j not in asked_for]
    identifiers = identifiers if len(out_anyway.union(identifiers)) < table.n_features else []
    left_out = sorted(out_anyway.union(identifiers))
    never = [*constraints.exclude, *(j for j in left_out if j not in asked_for)]
    asks = constrains and any(map(is_given, (constraints.must_include, never, constraints.groups)))
    given = replace(constraints, exclude=never) if asks else None
    notes = [*_notes(table, profile, identifiers, excluded), *_on_groups(constraints.groups, candidates)]
    return Considered(table.without(left_out), left_out, given, notes)


def _on_groups(groups: Any, candidates: Candidates) -> list[str]:
    """A note on groups that are none."""
    few = is_given(groups) and len(groups) > (candidates.sizes > 1).sum()
    return ["a group of fewer than two columns changes nothing: name all that are taken together"] if few else []


def refuse_more_than_left(asked: Any, considered: Considered) -> None:
    """Raise ValueError where more features are asked for than columns are left."""
    if isinstance(asked, int) and considered.left_out and asked > considered.n_left:
        raise ParameterError("n_features_to_select", asked, f"{considered.n_left:,} columns are left: ask for no more")


def check_screen(
    screen: Any, method: Method, asked: Any, parameters: Mapping[str, Any], considered: Considered
) -> None:
    """Refuse a screen that is no number, or beside which something does not hold."""
    least = max(1, int(asked * considered.table.n_features)) if isinstance(asked, float) else asked
    check_integer("screen", screen, least if isinstance(least, int) else 1, why="as many as are selected, or more")
    if "stopping" in method.parameters and (asked == "auto" or parameters.get("stopping") is not None):
        raise ParameterError("screen", screen, "leave it out: a stopping rule must look at all columns")
    if considered.constraints is not None and is_given(considered.constraints.groups):
        raise ParameterError("screen", screen, "leave it out: groups of columns are not screened")
    if not considered.table.leaves_out:
        raise ParameterError("screen", screen, "give the rows: saved counts are of all columns")


def screened(considered: Considered, information: Information, screen: int) -> list[int]:
    """The columns left that are neither among the ``screen`` ones of the largest I(Xi;C) nor included, and a note."""
    order = constants_last(rank(information.relevance), information.varies)
    kept = {*resolve(considered.constraints, considered.table.names).must_include, *considered.left_out}
    off = sorted({*order[screen:].tolist()} - kept)
    if off:
        ran = f"the method ran on the {screen:,} columns of the largest relevance"
        considered.notes.append(Sentence(f"{ran}, and {len(off):,} others were left out: ", Setting("screen", screen)))
    return off


def _refuse_order(constraints: Constraints, first: Sequence[str]) -> None:
    """A method without constraints can keep an identifier among its columns, but not select anything first."""
    greedy = "use a greedy method such as cmim"
    if first:
        what = f"this method cannot be made to select {quoted(first)} first: leave "
        raise ValueError(Sentence(what, Setting("include"), f" out, or {greedy}"))
    if constraints.groups:
        raise ValueError(f"this method takes no groups of columns: {greedy}")


def _notes(table: Table, profile: Profile, identifiers: Sequence[int], excluded: Sequence[int]) -> list[str]:
    """How text was read, which columns are left out that nobody excluded, and what numbers may mean something else."""
    n_rows, notes = table.n_samples, list[str]()
    if n_rows < FEW_ROWS:
        notes = [f"the table has {n_rows} rows: with fewer than {FEW_ROWS} any column may look informative by chance"]
    notes += [
        _on_text(table.names[j], account)
        for j, account in sorted(profile.accounts.items())
        if j not in excluded and not (j in identifiers and account.what == "codes")
    ]
    if profile.empty:
        notes.append(_about(table, profile.empty, "has no values", "have no values", ": left out"))
    if identifiers:
        keep = Setting("include", [table.names[j] for j in identifiers[:5]])
        why = ": nearly every row has a value of its own, so left out; to keep such a column, add "
        looks = "looks like an identifier", "look like identifiers"
        notes.append(_about(table, identifiers, *looks, Sentence(why, keep)))
    gone, noticed = {*profile.empty, *identifiers, *excluded}, profile.what_is_noticed
    for j, value, times, low, high in noticed.sentinels:
        if j not in gone:
            why = f"far from its other values ({low:g} to {high:g}): if it means a missing value, replace it"
            notes.append(f"column {table.names[j]!r} holds {value:g} in {times:,} rows, {why}")
    for j in noticed.codes:
        if j not in gone and j not in profile.accounts:
            what = f"column {table.names[j]!r} holds whole numbers and has the name of a code: read as numbers; "
            notes.append(Sentence(what, "to make each a category, add ", _typed(table.names[j], "category")))
    return notes


def _typed(name: str, kind: str) -> Setting:
    return Setting("column_types", {name: kind})


def _on_text(name: str, account: Account) -> str:
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


def read_as(where: str, account: Account) -> str:
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
