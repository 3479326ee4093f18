"""The SQL statement of a scorecard, for seven dialects."""

from __future__ import annotations

from dataclasses import dataclass

from bitsieve.diagnostics import UserError
from bitsieve.discretization.monotone.column_bins import OTHER
from bitsieve.scorecards.card import Card, CardColumn
from bitsieve.utils.messages import quoted
from bitsieve.utils.parameters import check_choice


@dataclass(frozen=True)
class Dialect:
    """How a dialect of SQL writes names, text and the test for NaN."""

    name: str
    quote: str = '"'
    escapes_backslash: bool = False  # whether a backslash in text begins an escape
    quote_in_text: str = "''"
    is_nan: str = ""  # with {} for the column; empty where a column cannot hold NaN, or NaN cannot be written


DIALECTS = {
    "ansi": Dialect("ansi"),
    "postgres": Dialect("postgres", is_nan="CAST({} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)"),
    "duckdb": Dialect("duckdb", is_nan="isnan(CAST({} AS DOUBLE))"),
    "sqlite": Dialect("sqlite"),
    "snowflake": Dialect("snowflake", escapes_backslash=True, is_nan="CAST({} AS FLOAT) = CAST('NaN' AS FLOAT)"),
    "bigquery": Dialect(
        "bigquery", quote="`", escapes_backslash=True, quote_in_text="\\'", is_nan="IS_NAN(CAST({} AS FLOAT64))"
    ),
    "spark": Dialect("spark", quote="`", escapes_backslash=True, quote_in_text="\\'", is_nan="isnan({})"),
}


def statement(card: Card, dialect_name: str = "ansi", table: str = "rows") -> str:
    """The statement that selects every row of a table with the points of its columns, and their sum as ``score``.

    Raises
    ------
    UserError
        If the dialect is not known, or a column holds dates, or text that was read as numbers.
    """
    check_choice("dialect", dialect_name, tuple(DIALECTS))
    dialect = DIALECTS[dialect_name]
    _refuse_text_and_times(card)
    names = [_identifier(f"{column.name}_points", dialect) for column in card.columns]
    cases = [f"{_case_of(column, dialect)} AS {name}" for column, name in zip(card.columns, names, strict=True)]
    summands = list(names)
    if card.points.base_points:
        summands.insert(0, _number(card.intercept_points))
    listed_cases = ",\n".join(cases)
    return (
        f"WITH points AS (\nSELECT t.*,\n{listed_cases}\nFROM {_identifier(table, dialect)} t\n)\n"
        f"SELECT points.*, {' + '.join(summands)} AS score\nFROM points"
    )


def _refuse_text_and_times(card: Card) -> None:
    refused = [column.name for column in card.columns if column.text_format is not None or column.holds_times]
    if refused:
        columns = f"column {refused[0]!r} holds" if len(refused) == 1 else f"columns {quoted(refused)} hold"
        raise UserError(
            code="no-sql",
            message=f"SQL is for numbers and categories, and {columns} dates, or text read as numbers",
            advice="give numbers in place of them, or leave them out by {exclude}",
            fix={"exclude": refused},
            columns=refused,
        )


def _case_of(column: CardColumn, dialect: Dialect) -> str:
    """The points of a column. The first condition that holds decides: missing and special values come first."""
    name = f"t.{_identifier(column.name, dialect)}"
    lines = []
    fixed = column.bins.fixed
    missing_points = column.points[-1] if fixed.has_missing else column.points_of_unseen
    lines.append(f"WHEN {name} IS NULL THEN {_number(missing_points)}")
    if column.is_numeric and dialect.is_nan:
        lines.append(f"WHEN {dialect.is_nan.format(name)} THEN {_number(missing_points)}")
    n_merged = len(column.bins.merged.counts)
    for position, value in enumerate(fixed.special_values):
        points = column.points[n_merged + position]
        literal = _number(float(value)) if column.is_numeric else _text(str(value), dialect)
        lines.append(f"WHEN {name} = {literal} THEN {_number(points)}")
    if column.is_numeric:
        lines += _intervals(column, name)
    else:
        lines += _groups(column, name, dialect)
    indented = "\n    ".join(lines)
    return f"  CASE\n    {indented}\n  END"


def _intervals(column: CardColumn, name: str) -> list[str]:
    edges = column.bins.merged.edges
    assert edges is not None  # a column of numbers
    lines = []
    for edge, points in zip(edges.tolist(), column.points, strict=False):
        lines.append(f"WHEN {name} <= {_number(edge)} THEN {_number(points)}")
    is_empty = len(column.bins.merged.counts) == 0
    last_points = column.points_of_unseen if is_empty else column.points[len(edges)]
    lines.append(f"ELSE {_number(last_points)}")
    return lines


def _groups(column: CardColumn, name: str, dialect: Dialect) -> list[str]:
    merged = column.bins.merged
    assert merged.groups is not None  # a column of categories
    lines = []
    points_of_others = column.points_of_unseen
    for points, group in zip(column.points, merged.groups, strict=False):
        literals = []
        for category in group:
            if category == OTHER and merged.rare:
                points_of_others = points  # rare categories, and those that were not there
            literals.append(_boolean(category) if column.is_boolean else _text(category, dialect))
        lines.append(f"WHEN {name} IN ({', '.join(literals)}) THEN {_number(points)}")
    lines.append(f"ELSE {_number(points_of_others)}")
    return lines


def _identifier(name: str, dialect: Dialect) -> str:
    escaped = name.replace(dialect.quote, 2 * dialect.quote)
    if dialect.name == "bigquery":
        escaped = name.replace("\\", "\\\\").replace("`", "\\`")
    return f"{dialect.quote}{escaped}{dialect.quote}"


def _text(text: str, dialect: Dialect) -> str:
    if dialect.escapes_backslash:
        text = text.replace("\\", "\\\\")
    escaped = text.replace("'", dialect.quote_in_text)
    return f"'{escaped}'"


def _boolean(category: str) -> str:
    return "TRUE" if category == "True" else "FALSE"


def _number(value: float) -> str:
    """A number with all its digits; a whole one without a point."""
    number = float(value)
    if number.is_integer() and abs(number) < 2**53:
        return str(int(number))
    return repr(number)
