"""Tables of text for a terminal."""

from __future__ import annotations

from bitsieve.utils.terminal_text import aligned, p_of_logarithm


def test_aligned_columns_with_wide_letters():
    text = aligned(("n", "name"), [("1", "広い"), ("10", "e\u0301te\u0301"), ("100", "plain")], right=(True, False))
    assert text.splitlines() == ["  n  name", "  1  広い", " 10  e\u0301te\u0301", "100  plain"]


def test_a_p_too_small_for_a_float_is_a_power_of_e():
    assert [p_of_logarithm(log_p) for log_p in (0.0, -3.0, -2000.4)] == ["1", "0.0498", "e^-2000"]
