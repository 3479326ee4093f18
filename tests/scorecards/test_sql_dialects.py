"""How dialects of SQL write names, text and numbers."""

from __future__ import annotations

import pytest

from bitsieve.scorecards.sql_dialects import DIALECTS, number_text


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.0, "3"), (-0.5, "-0.5"), (2.0**53 - 1, "9007199254740991"), (2.0**53, "9007199254740992.0"), (1e300, "1e+300")],
)
def test_whole_numbers_are_those_that_doubles_tell_apart(value, text):
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("dialect", "name", "text"),
    [
        ("ansi", '"a""`\\"', "'it''s \\'"),
        ("bigquery", '`a"\\`\\\\`', "'it\\'s \\\\'"),
        ("spark", '`a"``\\`', "'it\\'s \\\\'"),
    ],
)
def test_quotes_and_backslashes_are_escaped(dialect, name, text):
    assert DIALECTS[dialect].identifier('a"`\\') == name
    assert DIALECTS[dialect].text("it's \\") == text
