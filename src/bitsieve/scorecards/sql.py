"""The SQL statement of a scorecard, for seven dialects."""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.dataset.plain_text import Plain
from bitsieve.diagnostics import UserError
from bitsieve.io.dialect import MARKERS
from bitsieve.scorecards.card import Card, CardColumn, CategoryKind
from bitsieve.scorecards.monotone_binner import is_number_in_text
from bitsieve.scorecards.sql_comparisons import Comparison, NumberComparison, TextTimeComparison, TimestampComparison
from bitsieve.scorecards.sql_dialects import DIALECTS, LARGEST_EXACT, Dialect, number_text
from bitsieve.utils.parameters import check_choice

BOOLEANS = {"True": "TRUE", "False": "FALSE"}
MAX_REASONS = 5  # why there is no SQL, in one message


def statement(card: Card, dialect_name: str = "ansi", table: str = "rows") -> str:
    """The statement that selects every row of a table with the points of its columns, and their sum as ``score``.

    The points stand first, as SQLite and DuckDB take the first of two columns of one name: the table may have a column
    ``age_points`` of its own. Other databases refuse that table.

    Raises
    ------
    UserError
        If the dialect is not known, or has no statement for a column.
    """
    check_choice("dialect", dialect_name, tuple(DIALECTS))
    dialect = DIALECTS[dialect_name]
    _refuse_columns_without_sql(card, dialect)
    names = [dialect.identifier(f"{column.name}_points") for column in card.columns]
    cases = [f"{_case_of(column, dialect)} AS {name}" for column, name in zip(card.columns, names, strict=True)]
    summands = list(names)
    if card.points.base_points:
        summands.insert(0, number_text(card.intercept_points))
    listed_cases = ",\n".join(cases)
    points = "points" if table.lower() != "points" else "points_of_rows"
    return (
        f"WITH {points} AS (\nSELECT\n{listed_cases},\n  t.*\nFROM {dialect.identifier(table)} t\n)\n"
        f"SELECT {points}.*, {' + '.join(summands)} AS score\nFROM {points}"
    )


def _refuse_columns_without_sql(card: Card, dialect: Dialect) -> None:
    reason_of_column = {column.name: _why_there_is_no_sql(column, dialect) for column in card.columns}
    refused = [name for name, reason in reason_of_column.items() if reason]
    if refused:
        reasons = "; ".join(f"column {name!r} {reason_of_column[name]}" for name in refused[:MAX_REASONS])
        n_more = len(refused) - MAX_REASONS
        more = f"; and {n_more:,} more" if n_more > 0 else ""
        raise UserError(
            code="no-sql",
            message=f"SQL for {dialect.name} is not possible: {reasons}{more}",
            advice="give numbers, or dates such as 2024-05-31, in place of them, or leave them out by {exclude}",
            fix={"exclude": refused},
            columns=refused,
        )


def _why_there_is_no_sql(column: CardColumn, dialect: Dialect) -> str:
    """Why a dialect has no statement for a column; empty if it has one."""
    text_format = column.text_format
    if column.time_kind == "durations":
        return "holds durations or times of day"
    is_text_of_dates = isinstance(text_format, Plain) and text_format.time is not None
    if text_format is not None and not is_text_of_dates:
        return f"holds text that is read as {text_format.what}"
    if column.time_kind == "zoned dates" and not dialect.zoned_timestamp:
        return "holds dates with a time zone"
    if column.time_kind is not None and not all(map(float.is_integer, _numbers_of_bins(column))):
        return "has bins that end between two microseconds"
    return ""


def _numbers_of_bins(column: CardColumn) -> list[float]:
    """The edges and the special values of a column of numbers or dates."""
    edges = column.bins.merged.edges
    assert edges is not None  # a column of numbers
    special_values = [*column.bins.fixed.special_values, *column.bins.fixed.absent_special_values]
    return [*edges.tolist(), *map(float, special_values)]


def _case_of(column: CardColumn, dialect: Dialect) -> str:
    """The points of a column. The first condition that holds decides: missing and special values come first."""
    name = f"t.{dialect.identifier(column.name)}"
    fixed = column.bins.fixed
    missing_points = number_text(column.points[-1] if fixed.has_missing else column.points_of_unseen)
    lines = [f"WHEN {name} IS NULL THEN {missing_points}"]
    if column.is_numeric:
        comparison = _comparison_of(column, name, dialect)
        lines += [f"WHEN {condition} THEN {missing_points}" for condition in comparison.missing()]
        lines += _conditions_of_numbers(column, comparison)
    else:
        if column.category_kind == "text":
            markers = [dialect.text(marker) for marker in MARKERS if marker not in column.bins.bin_of_category]
            lines.append(f"WHEN {name} IN ({', '.join(markers)}) THEN {missing_points}")
        if column.category_kind == "number" and dialect.is_nan:
            lines.append(f"WHEN {dialect.is_nan.format(name)} THEN {missing_points}")
        lines += _conditions_of_categories(column, name, dialect)
    indented = "\n    ".join(lines)
    return f"  CASE\n    {indented}\n  END"


def _comparison_of(column: CardColumn, name: str, dialect: Dialect) -> Comparison:
    if column.time_kind == "zoned dates":
        return TimestampComparison(name, dialect.zoned_timestamp, "+00:00")
    if column.time_kind == "dates" and dialect.timestamp:
        return TimestampComparison(name, dialect.timestamp, "")
    if column.time_kind == "dates":
        return TextTimeComparison(name)
    largest = max(map(abs, _numbers_of_bins(column)), default=0.0)
    is_cast = dialect.narrows_literals or largest >= LARGEST_EXACT
    return NumberComparison(name, f"CAST({name} AS {dialect.double})" if is_cast else name, dialect.is_nan)


def _conditions_of_numbers(column: CardColumn, comparison: Comparison) -> list[str]:
    edges = column.bins.merged.edges
    assert edges is not None  # a column of numbers
    fixed = column.bins.fixed
    n_merged = len(column.bins.merged.counts)
    lines = []
    for value, points in zip(fixed.special_values, column.points[n_merged:], strict=False):
        lines.append(f"WHEN {comparison.equals(float(value))} THEN {number_text(points)}")
    for value in fixed.absent_special_values:
        lines.append(f"WHEN {comparison.equals(float(value))} THEN {number_text(column.points_of_unseen)}")
    for edge, points in zip(edges.tolist(), column.points, strict=False):
        lines.append(f"WHEN {comparison.is_at_most(edge)} THEN {number_text(points)}")
    last_points = column.points_of_unseen if n_merged == 0 else column.points[len(edges)]
    lines.append(f"ELSE {number_text(last_points)}")
    return lines


def _conditions_of_categories(column: CardColumn, name: str, dialect: Dialect) -> list[str]:
    points_of_bin = [*column.points.tolist(), column.points_of_unseen]  # the bin of an absent special value is -1
    names_of_bin: dict[int, list[str]] = {}
    for category, category_bin in column.bins.bin_of_category.items():
        names_of_bin.setdefault(category_bin, []).append(category)
    lines = []
    for category_bin, categories in names_of_bin.items():
        literals = _literals_of(column.category_kind, categories, dialect)
        if literals:
            lines.append(f"WHEN {name} IN ({', '.join(literals)}) THEN {number_text(points_of_bin[category_bin])}")
    bin_of_new = column.bins.bin_of_new_category
    lines.append(f"ELSE {number_text(points_of_bin[bin_of_new])}")
    return lines


def _literals_of(kind: CategoryKind | None, categories: Sequence[str], dialect: Dialect) -> list[str]:
    """Categories as SQL writes them. Of numbers and booleans "other", the name of the rare ones, is no value."""
    if kind == "boolean":
        return [BOOLEANS[category] for category in categories if category in BOOLEANS]
    if kind == "number":
        return [category for category in categories if is_number_in_text(category)]
    return [dialect.text(category) for category in categories]
