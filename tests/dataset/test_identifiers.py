"""Identifiers: whether whole numbers number the rows, however these are cut into parts; columns through JSON."""

from __future__ import annotations

import datetime
import json
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitsieve.dataset.column_info import ColumnInfo, Sentinel, TextParsing, empty_columns, identifiers
from bitsieve.dataset.identifiers import FEW_ROWS, RowNumbering, Run, are_names_of_rows, are_numbers_of_rows, row_keys
from bitsieve.dataset.read import read_xy

LOWEST = {"int8": -60, "uint8": 3, "int32": -5, "int64": -(2**63), "uint64": 2**63 - 7}


@st.composite
def whole_numbers(draw):
    """Consecutive whole numbers of any type, in their order or in another one; maybe one of them twice, or one gone."""
    kind = draw(st.sampled_from(sorted(LOWEST)))
    n = draw(st.integers(1, 60))
    order = draw(st.sampled_from(["up", "down", "shuffled"]))
    places = list(range(n)) if order == "up" else list(range(n))[::-1] if order == "down" else None
    places = draw(st.permutations(range(n))) if places is None else places
    if draw(st.booleans()):
        places[draw(st.integers(0, n - 1))] = draw(st.integers(0, n))
    return np.array([LOWEST[kind] + place for place in places], kind)


def in_parts(values, cuts):
    """What is known of the parts between the cuts, merged; None where one part cannot number rows."""
    ends = sorted({0, *(cut for cut in cuts if cut < len(values)), len(values)})
    parts = [RowNumbering.of_rows(values[a:b], a) for a, b in pairwise(ends)]
    return None if None in parts else reduce(add, parts)


def number_rows(values):
    """n consecutive numbers, or n different ones of fewer than n**2 / 28."""
    numbers, n = sorted(values.tolist()), len(values)
    span = numbers[-1] - numbers[0]
    return len(set(numbers)) == n and (span == n - 1 or span < n * n // 28)


def go_by_one(values):
    numbers = values.tolist()
    steps = {after - before for before, after in pairwise(numbers)}
    return len(numbers) >= FEW_ROWS and steps in ({1}, {-1})


@given(whole_numbers(), st.sets(st.integers(1, 60), max_size=6))
def test_numbers_of_rows_against_brute_force(values, cuts):
    assert are_numbers_of_rows(values) == number_rows(values)
    known = in_parts(values, cuts)
    assert (known is not None and known.are_row_numbers) == number_rows(values)
    assert (known is not None and known.is_row_counter) == go_by_one(values)


def test_parts_that_follow_each_other_are_one_run_behind_a_gap():
    parts = [RowNumbering.of_rows(np.arange(a, b) * 10, a) for a, b in [(0, 2), (5, 7), (7, 9)]]
    assert reduce(add, parts).runs == (Run(0, 2, 0, 10), Run(5, 9, 50, 80))


@pytest.mark.parametrize(("kind", "low", "high"), [("int8", -128, 127), ("int16", -300, 300), ("uint8", 0, 255)])
def test_numbers_whose_range_is_beyond_their_type(kind, low, high):
    values = np.random.default_rng(0).permutation(np.arange(low, high + 1)).astype(kind)
    assert are_numbers_of_rows(values)
    assert in_parts(values, [50, 100]).are_row_numbers


def test_keys_are_those_of_splitmix64():
    """The first numbers of the generator of Steele, Lea and Flood (2014), begun at 0."""
    assert row_keys(np.array([1, 2, 3])).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_more_numbers_than_are_summed_at_once():
    n = (1 << 20) + 1
    numbers = np.arange(n)[::-1].copy()
    assert RowNumbering.of_rows(numbers, 0).are_row_numbers
    numbers[n // 2] += 1
    assert not RowNumbering.of_rows(numbers, 0).are_row_numbers


def test_fractions_and_repeated_numbers_number_no_rows():
    assert RowNumbering.of_rows(np.arange(5.0), 0) is None
    assert RowNumbering.of_rows(np.array([1, 2, 1]), 0) is None
    assert RowNumbering.of_rows(np.empty(0, int), 0) is None


def test_columns_through_json():
    columns = [
        ColumnInfo(),
        ColumnInfo(has_values=False, has_missing=True, is_constant=True, is_row_counter=False),
        ColumnInfo(is_identifier=True, has_name_of_code=True),
        ColumnInfo(
            parsing=TextParsing("numbers", "1,5", 29, 1, (("-", 1),)), sentinels=(Sentinel(-99.0, 3, 1.0, 2.0),)
        ),
    ]
    again = [ColumnInfo.from_dict(json.loads(json.dumps(column.to_dict()))) for column in columns]
    assert again == columns
    assert empty_columns(again) == [1]
    assert identifiers(again) == [2]


@pytest.mark.parametrize(("n_rows", "expected"), [(19, []), (20, [0, 1])])
def test_few_rows_have_no_identifiers(n_rows, expected):
    frame = pd.DataFrame({"number": range(n_rows), "name": [f"name {i}" for i in range(n_rows)], "sex": ["f"] * n_rows})
    assert identifiers(read_xy(frame).summarize()) == expected


@pytest.mark.parametrize(
    ("categories", "expected"),
    [
        ([f"a{j}@b.org" for j in range(40)], True),
        ([f"the {j} words of a text that hardly repeats" for j in range(40)], True),
        ([f"word {j}" for j in range(40)], False),
        ([datetime.date(2024, 1, 1) + datetime.timedelta(j) for j in range(40)], False),
    ],
    ids=["addresses", "texts", "words", "dates"],
)
def test_categories_of_most_rows_are_names_if_they_are_addresses_or_texts(categories, expected):
    assert are_names_of_rows(np.array(categories, object), 60) is expected
    assert are_names_of_rows(np.array(categories, object), 40)
