"""Tables of text for a terminal."""

from __future__ import annotations

from bitsieve.utils.terminal_text import aligned


def test_aligned_columns_with_wide_letters():
    text = aligned(("n", "name"), [("1", "広い"), ("10", "e\u0301te\u0301"), ("100", "plain")], right=(True, False))
    assert text.splitlines() == ["  n  name", "  1  広い", " 10  e\u0301te\u0301", "100  plain"]
