"""What text was read as: numbers, dates, truth values or categories."""

from __future__ import annotations

from bitsieve.dataset.column_info import (
    BOOLEANS_IN_WORDS,
    MARKED_NUMBERS,
    PLAIN_NUMBERS,
    SEVERAL_UNITS,
    TextParsing,
)
from bitsieve.diagnostics import Diagnostic, literal
from bitsieve.utils.messages import number_and_noun


def text_read(name: str, parsing: TextParsing) -> Diagnostic:
    """Text of a column was read as numbers, times or truth values."""
    return Diagnostic(
        code="text-read",
        message=read_as(f"column {name!r}", parsing),
        advice="to keep the text, add {column_types}",
        fix={"column_types": {name: "category"}},
        columns=(name,),
    )


def text_as_categories(name: str, parsing: TextParsing) -> Diagnostic:
    """Text of digits was not read as numbers, as its leading zeros or points mean something."""
    return Diagnostic(
        code="text-as-categories",
        message=(
            f"column {name!r} holds {parsing.what} such as {parsing.example!r}, with leading zeros, points or a plus: "
            "taken as categories"
        ),
        advice="for numbers add {column_types}",
        fix={"column_types": {name: "number"}},
        columns=(name,),
    )


def ambiguous_dates(name: str, parsing: TextParsing) -> Diagnostic:
    """Dates may begin with the day or with the month."""
    return Diagnostic(
        code="ambiguous-dates",
        message=(
            f"column {name!r} holds dates such as {parsing.example!r}, which may begin with the day or the month: "
            "taken as categories"
        ),
        advice="for dates add {column_types}",
        fix={"column_types": {name: "day-first"}},
        columns=(name,),
        severity="warning",
    )


def numbers_with_text(name: str, parsing: TextParsing) -> Diagnostic:
    """Nearly all values of a column of text are numbers."""
    result = "taken as categories" if parsing.what == MARKED_NUMBERS else "read as missing"
    if parsing.marked:
        others = ", the others as missing" if parsing.n_unread > parsing.n_marked else ""
        advice = f"to read {literal(parsing.readings)}{others}, add {{column_types}}"
    else:
        advice = "to read them as missing, add {column_types}"
    return Diagnostic(
        code="numbers-with-text",
        message=(
            f"column {name!r} holds numbers in {number_and_noun(parsing.n_read, 'row')} "
            f"and other text in {parsing.n_unread:,}, which is {result}: {parsing.listed}"
        ),
        advice=advice,
        fix={"column_types": {name: "number"}},
        columns=(name,),
        severity="warning",
    )


def two_formats(name: str, parsing: TextParsing) -> Diagnostic:
    """The numbers or the dates of a column are written in two ways."""
    other = parsing.unread[0][0]
    return Diagnostic(
        code="two-formats",
        message=(
            f"column {name!r} holds {parsing.what}, such as {parsing.example!r} ({parsing.n_read:,}) and "
            f"{other!r} ({parsing.n_unread:,}): taken as categories"
        ),
        advice="write them in one way",
        columns=(name,),
        severity="warning",
    )


def mixed_units(name: str, parsing: TextParsing) -> Diagnostic:
    """The numbers of a column have several units, which are not converted."""
    result = "taken as categories"
    if parsing.what != SEVERAL_UNITS:
        result = f"{number_and_noun(parsing.n_unread, 'row')} read as missing"
    return Diagnostic(
        code="mixed-units",
        message=f"column {name!r} holds numbers in several units: {parsing.listed_units}: {result}",
        advice="convert them to one unit",
        columns=(name,),
        severity="warning",
    )


def target_text_read(name: str, parsing: TextParsing) -> Diagnostic:
    """Text of the target was read as numbers, times or truth values."""
    return Diagnostic(
        code="target-text-read",
        message=read_as(f"target {name!r}", parsing),
        advice="to keep the text as classes, add {repair}",
        fix={"repair": False},
    )


def read_as(where: str, parsing: TextParsing) -> str:
    """What text was read as, and which text was read as missing."""
    n_rows = number_and_noun(parsing.n_read, "row")
    unread_text = ""
    if parsing.n_unread:
        unread_text = f"; {parsing.n_unread:,} with other text as missing: {parsing.listed}"
    if parsing.marked and parsing.marked_are_read:
        return f"{where} holds {parsing.what}: read as numbers in {n_rows}, such as {parsing.readings}{unread_text}"
    if parsing.what == PLAIN_NUMBERS and parsing.n_unread == 1:
        return f"1 value of {where} is not a number: {parsing.listed}: read as missing"
    if parsing.what == PLAIN_NUMBERS and parsing.n_unread > 1:
        return f"{parsing.n_unread:,} values of {where} are not numbers: {parsing.listed}: read as missing"
    text = f"{where} holds {parsing.what} such as {parsing.example!r}: read as {_kind_read(parsing.what)}"
    if not parsing.n_unread:
        return text
    return f"{text} in {n_rows}{unread_text}"


def _kind_read(what: str) -> str:
    """What text of a format becomes; ``what`` is the text in words, as in :class:`TextParsing`."""
    if what == BOOLEANS_IN_WORDS:
        return "yes and no"
    if what.startswith(("dates", "times", "durations")):
        return "times"
    return "numbers"
