"""The dialects of SQL in which a scorecard is written."""

from __future__ import annotations

from dataclasses import dataclass

LARGEST_EXACT = 2**53  # doubles do not tell larger whole numbers apart


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
    timestamp: str = "TIMESTAMP"  # the type of dates with a time of day; empty where there is none, and they are text
    zoned_timestamp: str = "TIMESTAMP WITH TIME ZONE"

    def identifier(self, name: str) -> str:
        """The name of a table or a column, in quotes."""
        escaped = name.replace(self.quote, 2 * self.quote)
        if self.name == "bigquery":
            escaped = name.replace("\\", "\\\\").replace("`", "\\`")
        return f"{self.quote}{escaped}{self.quote}"

    def text(self, text: str) -> str:
        """Text in quotes."""
        if self.escapes_backslash:
            text = text.replace("\\", "\\\\")
        escaped = text.replace("'", self.quote_in_text)
        return f"'{escaped}'"


DIALECTS = {
    "ansi": Dialect("ansi", "DOUBLE PRECISION"),
    "postgres": Dialect(
        "postgres",
        "DOUBLE PRECISION",
        is_nan="CAST({} AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)",
    ),
    "duckdb": Dialect("duckdb", is_nan="isnan(CAST({} AS DOUBLE))", narrows_literals=True),
    "sqlite": Dialect("sqlite", "REAL", timestamp="", zoned_timestamp=""),
    "snowflake": Dialect(
        "snowflake",
        "FLOAT",
        escapes_backslash=True,
        is_nan="CAST({} AS FLOAT) = CAST('NaN' AS FLOAT)",
        timestamp="TIMESTAMP_NTZ(6)",
        zoned_timestamp="TIMESTAMP_TZ(6)",
    ),
    "bigquery": Dialect(
        "bigquery",
        "FLOAT64",
        quote="`",
        escapes_backslash=True,
        quote_in_text="\\'",
        is_nan="IS_NAN(CAST({} AS FLOAT64))",
        timestamp="DATETIME",
        zoned_timestamp="TIMESTAMP",
    ),
    "spark": Dialect(
        "spark",
        quote="`",
        escapes_backslash=True,
        quote_in_text="\\'",
        is_nan="isnan({})",
        timestamp="TIMESTAMP_NTZ",
        zoned_timestamp="TIMESTAMP",
    ),
}


def number_text(value: float) -> str:
    """A number with all its digits; a whole one without a point."""
    number = float(value)
    if number.is_integer() and abs(number) < LARGEST_EXACT:
        return str(int(number))
    return repr(number)
