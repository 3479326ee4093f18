"""Whether a note is shown as a warning of Python."""

from __future__ import annotations

import warnings

import pytest

from bitsieve.diagnostics import Diagnostic
from bitsieve.utils.note_warnings import BitsieveWarning, warn


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
