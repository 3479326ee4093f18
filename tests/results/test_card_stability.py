"""The stability index of a scorecard as text: a line a column, what moved, and what it is compared with."""

from __future__ import annotations

import pandas as pd
import pytest

from bitsieve.results.card_stability import CardStability

FRAME = pd.DataFrame(
    {
        "column": ["amount", "age"],
        "psi": [12.5, 0.0125],
        "chance": [0.01, 10.0],
        "p": [0.001, 0.3],
        "bins": [12, 4],
        "word": ["moved", "stable"],
    }
)


@pytest.mark.parametrize(
    ("old_file", "beside"), [(None, "the rows of the development"), ("old.csv", "'old.csv'")], ids=str
)
def test_lines_of_columns_and_what_they_are_compared_with(old_file, beside):
    lines = str(CardStability.of_frame(FRAME, "new.csv", old_file)).splitlines()
    assert lines[:3] == [
        "column      psi   chance      p  bins",
        "amount  12.5000   0.0100  0.001    12  moved",
        "age      0.0125  10.0000    0.3     4  stable",
    ]
    assert lines[4:] == [
        "1 of 2 columns of the scorecard moved: psi of at least 0.1",
        f"psi of 'new.csv' beside {beside}; chance: its mean where nothing has moved",
    ]
