"""The table of what five rules would take."""

from __future__ import annotations

import numpy as np

from bitsieve.results.how_many import Answer, HowMany, NullBand

ANSWERS = (
    Answer("shuffles", 1_200, ["a", "b", "c", "d"], "more than chance"),
    Answer("stability", 0, [], "in most halves"),
    Answer("knockoffs", None, [], "not asked"),
)


def test_three_names_a_dash_for_none_and_a_dash_for_what_was_not_asked():
    band = NullBand([], np.empty(0), np.empty(0), np.empty(0))
    result = HowMany(list(ANSWERS), "", band)
    assert result.rows() == [
        ("shuffles", "1,200", "'a', 'b', 'c' and 1 more", "more than chance"),
        ("stability", "0", "-", "in most halves"),
        ("knockoffs", "-", "-", "not asked"),
    ]
