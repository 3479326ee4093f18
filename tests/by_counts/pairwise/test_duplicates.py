"""Columns equal up to the names of their codes, and only those."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.by_counts.pairwise import duplicates as twins
from bitsieve.by_counts.pairwise.duplicates import first_twins
from bitsieve.counts.packed import MemoryCounts
from bitsieve.information import PairwiseInformation


def twins_of(codes, classes):
    return first_twins(PairwiseInformation(MemoryCounts(codes, classes)).mutual_information_matrix()).tolist()


@pytest.mark.parametrize("block", [1, 20, 1 << 22])
def test_found_under_other_names(make_table, monkeypatch, block):
    monkeypatch.setattr(twins, "BLOCK", block)
    codes, classes = make_table(200, 6, n_codes=4, seed=0)
    renamed = np.array([2, 0, 3, 1], np.uint8)
    wide = np.column_stack([codes, renamed[codes[:, 3]], codes[:, 0], renamed[codes[:, 0]]])
    assert twins_of(wide, classes) == [0, 1, 2, 3, 4, 5, 3, 0, 0]


def test_less_than_a_twin_is_none(make_table):
    codes, classes = make_table(200, 5, n_codes=4, seed=1)
    coarser = codes[:, 2] // 2  # a function of column 2, but not the other way round
    almost = codes[:, 3].copy()
    almost[7] = (almost[7] + 1) % 4
    shuffled = np.random.default_rng(0).permutation(codes[:, 4])  # the same entropy
    assert twins_of(np.column_stack([codes, coarser, almost, shuffled]), classes) == list(range(8))
