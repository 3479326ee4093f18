"""The format of a column of text is the same after it was saved, and says nothing of other formats."""

from __future__ import annotations

import pytest

from bitsieve.dataset.number_parts import DigitStyle
from bitsieve.dataset.plain_text import Words
from bitsieve.dataset.text_booleans import Booleans
from bitsieve.dataset.text_numbers import Numbers
from bitsieve.dataset.text_times import Dates, Durations
from bitsieve.results.saved.text_formats import format_of, parsing_of

FORMATS = {
    "numbers": [
        Numbers(DigitStyle(",", ".")),
        Numbers(DigitStyle(".", ","), unit="kg", are_integers=True, reads_marks=True, unit_is_optional=True),
    ],
    "dates": [Dates("month-first", zoned=True), Dates("undecided")],
    "durations": [Durations(are_times_of_day=True), Durations(are_times_of_day=False)],
    "booleans": [Booleans()],
}
FIELDS = {
    "numbers": {"decimal", "group", "unit", "is_whole", "reads_marks", "unit_is_optional"},
    "dates": {"order", "has_time_zone"},
    "durations": {"is_time_of_day"},
    "booleans": set(),
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats_stay_the_same_and_have_their_fields_alone(name):
    for text_format in FORMATS[name]:
        parsing = parsing_of(text_format)
        assert parsing.format == name
        assert format_of(parsing) == text_format
        fields = parsing._asdict()
        del fields["format"]
        assert {field for field, value in fields.items() if value} <= FIELDS[name]


def test_categories_have_no_format():
    assert parsing_of(Words()) is None
    assert parsing_of(None) is None
