"""What tests ask of notes and errors: their codes, columns and fixes, not their sentences."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from bitsieve import BitsieveWarning, UserError


@contextmanager
def raises_code(code):
    """Inside the block a :class:`UserError` with this code is raised; its ``value`` is there afterwards."""
    with pytest.raises(UserError) as caught:
        yield caught
    assert caught.value.code == code


@contextmanager
def warns_code(code):
    """Inside the block a note with this code is given as a warning."""
    with pytest.warns(BitsieveWarning) as caught:
        yield caught
    assert code in [warning.message.diagnostic.code for warning in caught]


def codes(result):
    """The codes of the notes of a result, in their order."""
    return [diagnostic.code for diagnostic in result.diagnostics]


def noted(result, code):
    """The only note of a result that has a code."""
    (diagnostic,) = (diagnostic for diagnostic in result.diagnostics if diagnostic.code == code)
    return diagnostic
