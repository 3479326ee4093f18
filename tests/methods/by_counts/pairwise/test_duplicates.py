"""Columns equal up to the names of their codes, and only those."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.methods.by_counts.pairwise import quadratic as duplicates
from bitsieve.methods.by_counts.pairwise.quadratic import first_duplicates


@pytest.fixture(scope="module")
def duplicates_of(information_of):
    def find(codes, classes):
        return first_duplicates(information_of(codes, classes).matrix("redundancy")).tolist()

    return find


@pytest.mark.parametrize("block", [1, 20, 1 << 22])
def test_found_under_other_names(duplicates_of, make_table, monkeypatch, block):
    monkeypatch.setattr(duplicates, "BLOCK", block)
    codes, classes = make_table(200, 6, n_codes=4, seed=0)
    renamed = np.array([2, 0, 3, 1], np.uint8)
    wide = np.column_stack([codes, renamed[codes[:, 3]], codes[:, 0], renamed[codes[:, 0]]])
    assert duplicates_of(wide, classes) == [0, 1, 2, 3, 4, 5, 3, 0, 0]


def test_less_than_a_duplicate_is_none(duplicates_of, make_table):
    codes, classes = make_table(200, 5, n_codes=4, seed=1)
    coarser = codes[:, 2] // 2  # a function of column 2, but not the other way round
    almost = codes[:, 3].copy()
    almost[7] = (almost[7] + 1) % 4
    shuffled = np.random.default_rng(0).permutation(codes[:, 4])  # the same entropy
    assert duplicates_of(np.column_stack([codes, coarser, almost, shuffled]), classes) == list(range(8))
