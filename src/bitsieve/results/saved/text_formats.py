"""The format by which the text of a column is read, as fields of the file, and back."""

from __future__ import annotations

from bitsieve.dataset.number_parts import DigitStyle
from bitsieve.dataset.text_booleans import Booleans
from bitsieve.dataset.text_format import TextFormat
from bitsieve.dataset.text_numbers import Numbers
from bitsieve.dataset.text_times import Dates, Durations
from bitsieve.results.saved.schema import SavedParsing


def parsing_of(text_format: TextFormat | None) -> SavedParsing | None:
    """The fields of a format; None for plain numbers and times, and for categories."""
    if isinstance(text_format, Numbers):
        return SavedParsing(
            format="numbers",
            decimal=text_format.style.decimal,
            group=text_format.style.group,
            unit=text_format.unit,
            is_whole=text_format.are_integers,
            reads_marks=text_format.reads_marks,
            unit_is_optional=text_format.unit_is_optional,
        )
    if isinstance(text_format, Dates):
        return SavedParsing(format="dates", order=text_format.order, has_time_zone=text_format.zoned)
    if isinstance(text_format, Durations):
        return SavedParsing(format="durations", is_time_of_day=text_format.are_times_of_day)
    if isinstance(text_format, Booleans):
        return SavedParsing(format="booleans")
    return None


def format_of(parsing: SavedParsing) -> TextFormat:
    """The format of these fields."""
    if parsing.format == "numbers":
        return Numbers(
            style=DigitStyle(parsing.decimal, parsing.group),
            unit=parsing.unit,
            are_integers=parsing.is_whole,
            reads_marks=parsing.reads_marks,
            unit_is_optional=parsing.unit_is_optional,
        )
    if parsing.format == "dates":
        return Dates(parsing.order, parsing.has_time_zone)
    if parsing.format == "durations":
        return Durations(parsing.is_time_of_day)
    return Booleans()
