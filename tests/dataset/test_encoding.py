"""Codes of values among categories, against a dictionary of Python."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.dataset.encoding import Encoded, encode, lookup

KINDS = ["?", "i1", "u1", "i4", ">i4", "i8", "u8", "f8", "U3", "O"]


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_values_among_categories(kind, wide):
    random = np.random.default_rng(0)
    found_missing = 0
    for _ in range(40):
        values = random.integers(0, 2 if kind == "?" else 100, random.integers(1, 50))
        if wide and kind in ("i4", ">i4", "i8", "u8", "f8"):
            values = values * 5_000 * random.choice([1, 100])  # in a table, or searched for
        values = values.astype(kind)
        if kind == "u8":
            values += random.choice([0, 2**63 - 10, 2**64 - 2**30]).astype(np.uint64)
        categories = np.unique(random.choice(values, random.integers(1, len(values) + 1)))
        place = {value: c for c, value in enumerate(categories.tolist())}
        expected = [place.get(value, -1) for value in values.tolist()]
        found_missing += -1 in expected
        assert lookup(values, categories).tolist() == expected
        assert lookup(np.repeat(values, 3)[::3], categories).tolist() == expected  # with gaps between them
        encoded = encode(values)
        codes, all_values = encoded.codes, encoded.categories
        assert all_values[codes].tolist() == values.tolist()
    assert found_missing  # some were looked up in vain


@pytest.mark.parametrize("kind", KINDS)
def test_nothing(kind):
    none, some = np.empty(0, kind), np.ones(3, kind)
    assert lookup(none, none).tolist() == lookup(none, some[:1]).tolist() == []
    assert lookup(some, none).tolist() == [-1, -1, -1]


def test_categories_of_another_type():
    values = np.array([1, -1, 300], np.int16)
    assert lookup(values, np.array([1, 2**63], np.uint64)).tolist() == [0, -1, -1]
    assert lookup(np.array([True, False]), np.array([0, 1])).tolist() == [1, 0]
    assert lookup(np.array([2**64 - 1, 2**63 - 1], np.uint64), np.array([-1, 5])).tolist() == [-1, -1]
    assert lookup(np.array([0.0, 1.5, 1.0]), np.array([0, 1])).tolist() == [0, -1, 1]
    assert lookup(np.array([1, 2]), np.array([0.5, 1.0])).tolist() == [1, -1]


def test_integers_among_more_categories_than_have_a_code_of_16_bits():
    categories = np.arange(70_000)
    values = np.array([0, 65_535, 65_536, 69_999])
    assert lookup(values, categories).tolist() == values.tolist()


def test_some_rows_of_ordered_categories_keep_their_places():
    codes = np.array([0, 1, 2, -1, 2], np.int32)
    values = Encoded(codes, np.array(["high", "low", "mid"], object), n_declared=4, declared_ranks=np.array([3, 0, 1]))
    some = values[np.array([4, 3, 0])]
    assert some.categories.tolist() == ["high", "mid"]
    assert some.codes.tolist() == [1, -1, 0]
    assert some.declared_ranks.tolist() == [3, 1]
    assert some.n_declared == 4
    assert encode(codes)[:2].declared_ranks is None
