"""The columns of the period, the target and the strata, which are read together.

To count a table by period, class and stratum at once, the three are read as one target of several columns. Its classes
are then the combinations that occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import pyarrow as pa

from bitsieve.dataset.encoding import as_array
from bitsieve.diagnostics import UserError
from bitsieve.options import SurvivalOptions
from bitsieve.utils.types import ColumnLike


class CombinedColumns(NamedTuple):
    """The columns of the period, then those of the target, then those of the strata, as one target of several."""

    columns: ColumnLike  # names, or an Arrow table of values
    n_targets: int
    n_strata: int
    target_name: str | None


def combined_columns(period: ColumnLike, target: ColumnLike, strata: ColumnLike) -> CombinedColumns:
    """The columns of period, target and strata, all by name or all by values."""
    check_period_has_one_role(period, target, strata)
    period_is_named = isinstance(period, str)
    targets = column_list(target, are_names=period_is_named)
    columns_of_strata = column_list(strata, are_names=period_is_named)
    columns = [period, *targets, *columns_of_strata]
    are_names = [isinstance(column, str) for column in columns]
    if all(are_names):
        target_name = ", ".join(targets) if targets else None
        named = columns if len(columns) > 1 else columns[0]
        return CombinedColumns(named, len(targets), len(columns_of_strata), target_name)
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
        return CombinedColumns(period, 0, 0, None)
    names = ["the period"]
    target_name = None
    if targets:
        target_name = str(getattr(target, "name", None) or "target")
        names.append(target_name)
    names += ["strata"] * len(columns_of_strata)
    return CombinedColumns(pa.table(values, names=names), len(targets), len(columns_of_strata), target_name)


def check_period_has_one_role(period: ColumnLike, target: ColumnLike, strata: ColumnLike) -> None:
    """Refuse a column that is named as the period and as the target or a stratum."""
    if not isinstance(period, str):
        return
    others = [*names_in(column_list(target, are_names=True)), *names_in(column_list(strata, are_names=True))]
    if period in others:
        raise UserError(
            code="column-in-two-roles",
            message=f"column {period!r} cannot be both the period and the target or a stratum",
            advice="name another column for one of them",
        )


def check_period_is_no_group(period: ColumnLike, groups: ColumnLike) -> None:
    """Refuse a column that is named as the period and as the groups of rows."""
    if isinstance(period, str) and isinstance(groups, str) and period == groups:
        raise UserError(
            code="column-in-two-roles",
            message=f"column {period!r} cannot be both the period and the groups",
            advice="name another column for one of them",
        )


def column_list(column: ColumnLike, *, are_names: bool) -> list[ColumnLike]:
    """The columns of a list of names; anything else is one column."""
    if column is None:
        return []
    if are_names and isinstance(column, (list, tuple)) and all(isinstance(name, str) for name in column):
        return list(column)
    return [column]


def names_in(columns: Sequence[ColumnLike]) -> list[str]:
    """The columns that are given by name, not by values."""
    return [column for column in columns if isinstance(column, str)]


@contextmanager
def missing_column_reported_by_role(
    period: ColumnLike, strata: ColumnLike, survival: SurvivalOptions | None = None
) -> Iterator[None]:
    """Inside the block, an error on a missing column names the parameter that the user gave it as.

    The period is read as a part of the target, or as a stratum, and a duration and its event as the target, of which
    the error would speak.
    """
    try:
        yield
    except UserError as error:
        diagnostic = error.diagnostic
        role = None
        if diagnostic.code == "unknown-column" and len(diagnostic.columns) == 1:
            role = _role_of_column(diagnostic.columns[0], period, strata, survival)
        if role is None:
            raise
        proposed_column = next(iter(diagnostic.fix.values()), None)
        if role == "event" and proposed_column is not None and survival is not None and survival.event_value:
            proposed_column = f"{proposed_column}={survival.event_value}"
        raise UserError(
            code=diagnostic.code,
            message=f"there is no column {diagnostic.columns[0]!r} for the {role}",
            advice=diagnostic.advice,
            fix={} if proposed_column is None else {role: proposed_column},
            columns=diagnostic.columns,
        ) from None


def _role_of_column(
    column: str, period: ColumnLike, strata: ColumnLike, survival: SurvivalOptions | None
) -> str | None:
    if column in names_in(column_list(period, are_names=True)):
        return "period"
    if column in names_in(column_list(strata, are_names=True)):
        return "strata"
    if survival is None:
        return None
    for role, column_of_role in zip(("duration", "event", "entry"), survival.columns, strict=False):
        if isinstance(column_of_role, str) and column == column_of_role:
            return role
    return None
