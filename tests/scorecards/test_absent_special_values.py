"""A special value that no column has is named, and so is the one that a forgotten sign stands for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bitsieve import MonotoneBinner
from bitsieve.dataset.read import read_xy
from bitsieve.scorecards.absent_special_values import notes_on_absent_special_values

TARGET = np.arange(60) % 2
TABLE = pd.DataFrame(
    {
        "income": np.where(np.arange(60) % 10 == 3, -999, np.arange(60)),
        "debt": np.where(np.arange(60) % 10 == 4, 9999, np.arange(60)),
        "city": np.where(np.arange(60) % 3 == 0, "unknown", "Rome"),
    }
)


def diagnostics_on(special_values):
    table = read_xy(TABLE, TARGET)
    binner = MonotoneBinner(special_values=special_values).fit_table(table)
    return notes_on_absent_special_values(table, binner)


def notes_on(special_values):
    return [(note.parameters, note.fix, note.columns) for note in diagnostics_on(special_values)]


@pytest.mark.parametrize(
    "special_values",
    [
        None,
        [-999, 9999, "unknown"],
        {"income": [-999]},
        {"income": [-999, 9999], "*": [9999]},
        {"city": ["unknown"], "*": [9999]},
    ],
)
def test_values_that_occur_have_no_note(special_values):
    assert notes_on(special_values) == []


def test_absent_values_of_all_columns():
    absent = {"special_values": [77]}
    wrong_sign = {"special_values": [999]}
    assert notes_on([77, 999, -999]) == [
        (wrong_sign, {"special_values": [-999]}, ["income"]),
        (absent, {}, []),
    ]


def test_absent_values_of_one_column():
    assert notes_on({"income": [999.0, 9999], "city": ["none"], "*": [9999]}) == [
        ({"special_values": {"income": [999]}}, {"special_values": {"income": [-999]}}, ["income"]),
        ({"special_values": {"city": ["none"]}}, {}, []),
    ]


def test_the_message_says_where_the_value_is_absent_and_what_to_do():
    of_all = diagnostics_on([77, 999, -999])
    of_one = diagnostics_on({"income": [999, 9999], "*": [9999]})
    assert [(note.message, note.advice) for note in of_all + of_one] == [
        ("is in no column", "did you mean {special_values}?"),
        ("is in no column", "leave it out"),
        ("is not in that column", "did you mean {special_values}?"),
    ]
