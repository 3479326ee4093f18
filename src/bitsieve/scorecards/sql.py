"""The SQL statement of a scorecard, for seven dialects."""

from __future__ import annotations

from dataclasses import dataclass

from bitsieve.diagnostics import UserError
from bitsieve.io.dialect import MARKERS
from bitsieve.scorecards.card import Card, CardColumn
from bitsieve.utils.messages import quoted
from bitsieve.utils.parameters import check_choice


@dataclass(frozen=True)
class Dialect:
    """How a dialect of SQL writes names, text and the test for NaN."""

    name: str
    double: str = "DOUBLE"  # the type of a number of 64 bits
    quote: str = '"'
    escapes_backslash: bool = False  # whether a backslash in text begins an escape
    quote_in_text: str = "''"
    is_nan: str = ""  # with {} for the number; empty where a column cannot hold NaN, or NaN cannot be written
    #: Whether 0.1 is rounded to 32 bits beside a column of such numbers. It then equals its own 0.1, which is larger.
    narrows_literals: bool = False


DIALECTS = {
    "ansi": Dialect("ansi", "DOUBLE PRECISION"),
    "postgres": Dialect(
        "postgres",
        "DOUBLE PRECISION",
        is_nan="CAST({} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)",
    ),
    "duckdb": Dialect("duckdb", is_nan="isnan(CAST({} AS DOUBLE))", narrows_literals=True),
    "sqlite": Dialect("sqlite", "REAL"),
    "snowflake": Dialect(
        "snowflake", "FLOAT", escapes_backslash=True, is_nan="CAST({} AS FLOAT) = CAST('NaN' AS FLOAT)"
    ),
    "bigquery": Dialect(
        "bigquery",
        "FLOAT64",
        quote="`",
        escapes_backslash=True,
        quote_in_text="\\'",
        is_nan="IS_NAN(CAST({} AS FLOAT64))",
    ),
    "spark": Dialect("spark", quote="`", escapes_backslash=True, quote_in_text="\\'", is_nan="isnan({})"),
}
BOOLEANS = {"True": "TRUE", "False": "FALSE"}
LARGEST_EXACT = 2**53  # doubles do not tell larger whole numbers apart


def statement(card: Card, dialect_name: str = "ansi", table: str = "rows") -> str:
    """The statement that selects every row of a table with the points of its columns, and their sum as ``score``.

    The points stand first, as SQLite and DuckDB take the first of two columns of one name: the table may have a column
    ``age_points`` of its own. Other databases refuse that table.

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
    points = "points" if table.lower() != "points" else "points_of_rows"
    return (
        f"WITH {points} AS (\nSELECT\n{listed_cases},\n  t.*\nFROM {_identifier(table, dialect)} t\n)\n"
        f"SELECT {points}.*, {' + '.join(summands)} AS score\nFROM {points}"
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
    fixed = column.bins.fixed
    missing_points = _number(column.points[-1] if fixed.has_missing else column.points_of_unseen)
    lines = [f"WHEN {name} IS NULL THEN {missing_points}"]
    if column.is_numeric:
        if dialect.is_nan:
            lines.append(f"WHEN {dialect.is_nan.format(name)} THEN {missing_points}")
        lines += _conditions_of_numbers(column, name, dialect)
    else:
        if not column.is_boolean:
            markers = [_text(marker, dialect) for marker in MARKERS if marker not in column.bins.bin_of_category]
            lines.append(f"WHEN {name} IN ({', '.join(markers)}) THEN {missing_points}")
        lines += _conditions_of_categories(column, name, dialect)
    indented = "\n    ".join(lines)
    return f"  CASE\n    {indented}\n  END"


def _conditions_of_numbers(column: CardColumn, name: str, dialect: Dialect) -> list[str]:
    edges = column.bins.merged.edges
    assert edges is not None  # a column of numbers
    fixed = column.bins.fixed
    n_merged = len(column.bins.merged.counts)
    special_values = [float(value) for value in fixed.special_values]
    absent_values = [float(value) for value in fixed.absent_special_values]
    number = name
    largest = max(map(abs, [*edges.tolist(), *special_values, *absent_values]), default=0.0)
    if dialect.narrows_literals or largest >= LARGEST_EXACT:
        number = f"CAST({name} AS {dialect.double})"
    lines = []
    for value, points in zip(special_values, column.points[n_merged:], strict=False):
        lines.append(f"WHEN {number} = {_number(value)} THEN {_number(points)}")
    for value in absent_values:
        lines.append(f"WHEN {number} = {_number(value)} THEN {_number(column.points_of_unseen)}")
    for edge, points in zip(edges.tolist(), column.points, strict=False):
        lines.append(f"WHEN {number} <= {_number(edge)} THEN {_number(points)}")
    last_points = column.points_of_unseen if n_merged == 0 else column.points[len(edges)]
    lines.append(f"ELSE {_number(last_points)}")
    return lines


def _conditions_of_categories(column: CardColumn, name: str, dialect: Dialect) -> list[str]:
    points_of_bin = [*column.points.tolist(), column.points_of_unseen]  # the bin of an absent special value is -1
    names_of_bin: dict[int, list[str]] = {}
    for category, category_bin in column.bins.bin_of_category.items():
        names_of_bin.setdefault(category_bin, []).append(category)
    lines = []
    for category_bin, categories in names_of_bin.items():
        if column.is_boolean:
            literals = [BOOLEANS[category] for category in categories if category in BOOLEANS]
        else:
            literals = [_text(category, dialect) for category in categories]
        if literals:
            lines.append(f"WHEN {name} IN ({', '.join(literals)}) THEN {_number(points_of_bin[category_bin])}")
    bin_of_new = column.bins.bin_of_new_category
    lines.append(f"ELSE {_number(points_of_bin[bin_of_new])}")
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


def _number(value: float) -> str:
    """A number with all its digits; a whole one without a point."""
    number = float(value)
    if number.is_integer() and abs(number) < 2**53:
        return str(int(number))
    return repr(number)
