"""Words for messages: one line, quoted and nearest names, and messages that know which parameters they name."""

from __future__ import annotations

import warnings

import pytest

from bitsieve.diagnostics import Diagnostic
from bitsieve.utils.messages import (
    BitsieveWarning,
    aligned,
    allowed_names,
    nearest,
    one_line,
    quoted,
    warn,
)


def test_one_line():
    assert one_line("first\n  second\tthird ") == "first second third"


def test_quoted_names_are_limited():
    assert quoted(["a"]) == "'a'"
    assert quoted("abcde") == "'a', 'b', 'c', 'd', 'e'"
    assert quoted([f"x{j}" for j in range(1005)]) == "'x0', 'x1', 'x2', 'x3', 'x4' and 1,000 more"


def test_nearest_names():
    names = ["Income", "outcome", "age", "income "]
    assert nearest("income", names) == ["Income", "income ", "outcome"]
    assert nearest("zzz", names) == []
    assert nearest("score", ["postcode", "Score (1-5)", "x"])[0] == "Score (1-5)"
    assert nearest("sc", ["Score (1-5)"]) == []
    assert allowed_names("agee", names) == "did you mean 'age'?"
    assert allowed_names("zzz", names) == "it is one of 'Income', 'outcome', 'age', 'income '"


def test_aligned_columns_with_wide_letters():
    text = aligned(("n", "name"), [("1", "広い"), ("10", "e\u0301te\u0301"), ("100", "plain")], right=(True, False))
    assert text.splitlines() == ["  n  name", "  1  広い", " 10  e\u0301te\u0301", "100  plain"]


def give_note(message="the note"):
    return warn(Diagnostic(code="constant", message=message))


@pytest.mark.parametrize(
    ("action", "parameters", "is_shown"),
    [
        ("always", {}, True),
        ("ignore", {}, False),
        ("ignore", {"category": BitsieveWarning}, False),
        ("ignore", {"category": DeprecationWarning}, True),
        ("ignore", {"message": "the note"}, False),
        ("ignore", {"message": "another"}, True),
        ("ignore", {"module": __name__}, False),
        ("ignore", {"module": "another"}, True),
        ("ignore", {"lineno": 1}, True),
    ],
)
def test_warn_returns_what_python_does(action, parameters, is_shown):
    shown = []
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: shown.append((str(message), warnings.showwarning))
        warnings.simplefilter("always")
        warnings.filterwarnings(action, **parameters)
        show = warnings.showwarning
        assert give_note() == is_shown
    assert shown == [("the note", show)] * is_shown


def test_a_repeated_note_is_shown_once_by_the_default_filter():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        results = [give_note(message) for message in ("first", "first", "second")]
    assert results == [True, False, True]
    assert [str(warning.message) for warning in caught] == ["first", "second"]
