"""Columns of the data, and what their names and values are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from bitsieve.dataset.copies import Copy, CopyKind
from bitsieve.dataset.dataset import Approximation
from bitsieve.diagnostics import Diagnostic
from bitsieve.options import type_without
from bitsieve.utils.column_names import ColumnNames
from bitsieve.utils.messages import quoted, quoted_groups
from bitsieve.utils.note_lines import MAX_NAMES

MAX_LISTED = 3
MAX_EXCLUDED = 5  # columns that an advice names


def empty(names: Sequence[str]) -> Diagnostic:
    """Columns have no values."""
    start = _columns(names, "has no values", "have no values")
    return Diagnostic(code="empty", message=f"{start}: left out", columns=tuple(names))


def constant(names: Sequence[str]) -> Diagnostic:
    """Columns have one value."""
    return Diagnostic(code="constant", message=_columns_listed(names, "is constant", "are constant"), columns=names)


def identifier_dropped(names: Sequence[str], fix: dict[str, object]) -> Diagnostic:
    """Columns name or number the rows; ``fix`` keeps them."""
    (parameter,) = fix
    start = _columns(names, "looks like an identifier", "look like identifiers")
    pronoun = "it" if len(names) == 1 else "them"
    return Diagnostic(
        code="identifier-dropped",
        message=f"{start}: left out, as nearly every row has a different value",
        advice=f"to keep {pronoun}, add {{{parameter}}}",
        fix=fix,
        columns=tuple(names),
    )


def identifier_kept(names: Sequence[str]) -> Diagnostic:
    """Columns that look like identifiers are ranked, too."""
    why = "(more than half as many different values as rows: informative here, useless on new rows)"
    return Diagnostic(
        code="identifier-kept",
        message=_columns_listed(names, f"looks like an identifier {why}", f"look like identifiers {why}"),
        columns=tuple(names),
        severity="warning",
    )


def named_like_identifier(name: str) -> Diagnostic:
    """A column of whole numbers has the name of a code."""
    return Diagnostic(
        code="named-like-identifier",
        message=f"column {name!r} is named like an identifier, but was read as numbers",
        advice="to make each number a category, add {column_types}",
        fix={"column_types": {name: "category"}},
        columns=(name,),
    )


def row_counter(names: Sequence[str]) -> Diagnostic:
    """Selected columns rise from row to row."""
    why = "the rows, which looks informative when they are sorted"
    return Diagnostic(
        code="row-counter",
        message=_columns_listed(names, f"only counts {why}", f"only count {why}"),
        columns=tuple(names),
        severity="warning",
    )


def names_alike(groups: Sequence[Sequence[str]]) -> Diagnostic:
    """Columns have nearly the same name."""
    return Diagnostic(
        code="names-alike",
        message=f"names of columns differ in case or blanks only: {quoted_groups(groups, MAX_LISTED)}",
        advice="check that a column is not in the table twice",
        columns=list(chain.from_iterable(groups)),
    )


def values_alike(name: str, groups: Sequence[Sequence[str]]) -> Diagnostic:
    """Values of a column of text differ in upper and lower case or in blanks only; ``groups`` are those that do."""
    return Diagnostic(
        code="values-alike",
        message=f"column {name!r} has values that differ in case or blanks only: {quoted_groups(groups, MAX_LISTED)}",
        advice="give them one spelling if they mean the same",
        columns=(name,),
    )


def sentinel(
    name: str, value: float, n_rows: int, low: float, high: float, all_sentinels: Sequence[float]
) -> Diagnostic:
    """A number unlike all others, such as -999, may stand for a missing value.

    ``all_sentinels`` are those of the column, which has one type.
    """
    return Diagnostic(
        code="sentinel",
        message=f"column {name!r} holds {value:g} in {n_rows:,} rows, unlike its other values ({low:g} to {high:g})",
        advice="if it means a missing value, add {column_types}",
        fix={"column_types": {name: type_without(all_sentinels)}},
        columns=(name,),
        severity="warning",
    )


def missing_kept(names: Sequence[str]) -> Diagnostic:
    """Missing values count as a bin."""
    start = _columns(names, "has missing values", "have missing values")
    return Diagnostic(
        code="missing-kept",
        message=f"{start}, which get a separate bin",
        advice="to raise an error instead, add {missing}",
        fix={"missing": "error"},
        columns=tuple(names),
    )


def bins_of_each_stratum(n_bins: int) -> Diagnostic:
    """Numbers are cut within the strata by quantiles, in place of one set of cuts by the classes."""
    return Diagnostic(
        code="bins-of-each-stratum",
        message=f"numbers are cut into {n_bins:,} bins of equal frequency in each stratum, whose cuts are its own",
        advice="{n_bins} says how many",
        fix={"n_bins": n_bins},
    )


def copies(pairs: Sequence[Copy], kinds: Sequence[CopyKind], names: Sequence[object]) -> Diagnostic:
    """Columns repeat an earlier one; ``kinds`` are those of the first pairs, which are listed."""
    listed = []
    for copy, kind in zip(pairs[: len(kinds)], kinds, strict=True):
        name = str(names[copy.column])
        original = str(names[copy.original])
        if kind == "same values":
            listed.append(f"{name!r} has the values of {original!r}")
        elif kind == "linear":
            listed.append(f"{name!r} is a linear function of {original!r}")
        else:
            listed.append(f"{name!r} recodes {original!r} one to one")
    more = f", and {len(pairs) - len(listed):,} more" if len(pairs) > len(listed) else ""
    start = "1 column repeats another one" if len(pairs) == 1 else f"{len(pairs):,} columns repeat another one"
    repeated = ColumnNames(names, [copy.column for copy in pairs])
    return Diagnostic(
        code="copies",
        message=f"{start}: {', '.join(listed)}{more}",
        advice="one of each is enough, add {exclude}",
        fix={"exclude": repeated[:MAX_EXCLUDED]},
        columns=repeated,
    )


def text_in_tables(column: str, text_tables: Sequence[str], other_tables: Sequence[str]) -> Diagnostic:
    """A column holds text in some tables, and numbers or times in others."""
    return Diagnostic(
        code="kind-changed",
        severity="warning",
        message=f"column {column!r} holds text in {quoted(text_tables)}, and not in {quoted(other_tables)}",
        columns=(column,),
    )


def drifting_excluded(names: Sequence[str], max_drift: float) -> Diagnostic:
    """Columns are left out as their distribution moves with the period."""
    shift = f"more than {max_drift:g} bits between the periods"
    return Diagnostic(
        code="drift-excluded",
        message=_columns_listed(names, f"is left out as it moves by {shift}", f"are left out as they move by {shift}"),
        columns=tuple(names),
    )


def group_of_one() -> Diagnostic:
    """A group has fewer than two columns."""
    return Diagnostic(
        code="group-of-one",
        message="a group of fewer than two columns changes nothing",
        advice="name all columns that are taken together",
    )


def many_values(names: Sequence[str], has_estimator: bool) -> Diagnostic:
    """Columns have so many values that chance makes a good part of their information."""
    have = "1 column has" if len(names) == 1 else f"{len(names):,} columns have"
    their = "its" if len(names) == 1 else "their"
    return Diagnostic(
        code="many-values",
        message=(
            f"{have} so many different values that chance alone makes 10 % or more of {their} information: "
            f"{quoted(names, MAX_NAMES)}"
        ),
        advice=f"group {their} values" + (", or compare with {estimator}" if has_estimator else ""),
        fix={"estimator": "corrected"} if has_estimator else {},
        columns=tuple(names),
    )


def mostly_chance(name: str, n_values: int, n_rows: int) -> Diagnostic:
    """At least half of the information of a column with few rows for each value is chance."""
    return Diagnostic(
        code="mostly-chance",
        message=(
            f"{quoted([name])} has {n_values:,} values in {n_rows:,} rows: at least half of its information about the "
            "target is chance"
        ),
        advice="group its values, or add {exclude}",
        fix={"exclude": [name]},
        columns=(name,),
        severity="warning",
    )


def binned_on_sample(names: Sequence[str], approximation: Approximation) -> Diagnostic:
    """The bins of columns were found on a part of their values."""
    have = f"{len(names):,} columns have" if len(names) > 1 else "1 column has"
    sample = "a sample of the rows"
    advice = ""
    if approximation.from_intervals:
        sample = "intervals of them"
    elif approximation.rows_in_memory is not None:
        sample = f"a sample of {approximation.rows_in_memory:,} rows, as many as the memory holds"
        advice = "give more {memory} for a larger sample"
    certainty = "" if approximation.from_intervals else ", 99 times in 100"
    return Diagnostic(
        code="binned-on-sample",
        message=(
            f"{have} too many different numbers to count them all, so the bins were found on {sample}; the ranks of "
            f"the edges are off by at most {approximation.rank_error:.2%} of the rows{certainty}: "
            f"{quoted(names, MAX_NAMES)}"
        ),
        advice=advice,
        columns=tuple(names),
    )


def _columns(names: Sequence[str], singular: str, plural: str) -> str:
    if len(names) == 1:
        return f"column {names[0]!r} {singular}"
    return f"{len(names):,} columns {plural} ({quoted(names, MAX_NAMES)})"


def _columns_listed(names: Sequence[str], singular: str, plural: str) -> str:
    if len(names) == 1:
        return f"column {names[0]!r} {singular}"
    return f"{len(names):,} columns {plural}: {quoted(names, MAX_NAMES)}"
