"""The reference, by hand: it is what every kernel is compared with."""

from __future__ import annotations

import numpy as np
import pytest
from tests.definitions import joint_table, term_sum

from bitsieve.counts.reference import term, term_shift


def test_joint_table_counts_every_cell():
    table = joint_table([0, 1, 1, 0, 1], [2, 0, 0, 2, 1], [0, 1, 1, 1, 0], (2, 3, 2))
    assert table.shape == (2, 3, 2)
    assert {tuple(map(int, cell)): int(table[tuple(cell)]) for cell in np.argwhere(table)} == {
        (0, 2, 0): 1,
        (0, 2, 1): 1,
        (1, 0, 1): 2,
        (1, 1, 0): 1,
    }


@pytest.mark.parametrize(
    ("count", "shift", "value"),
    [
        (0, 10, 0),
        (1, 10, 0),
        (2, 0, 2),
        (2, 3, 16),
        (3, 0, 5),  # 3 log2 3 = 4.7548...
        (3, 1, 10),  # 9.5097...
        (4, 0, 8),
        (5, 0, 12),  # 5 log2 5 = 11.6096...
        (7, 2, 79),  # 4 * 7 log2 7 = 78.6059...
        (1024, 5, 10 * 1024 * 32),
    ],
)
def test_term(count, shift, value):
    assert term(count, shift) == value


@pytest.mark.parametrize(
    ("n_samples", "shift"),
    [
        (1, 60),
        (2, 60),  # 2 * 2**60 = 2**61 < 2**62, but not 2 * 2**61
        (3, 59),  # log2(4.7548) = 2.249
        (4, 58),
        (5, 58),  # log2(11.6096) = 3.537
        (1024, 48),  # log2(10240) = 13.32
        (2**31, 26),  # log2(31 * 2**31) = 35.95
    ],
)
def test_term_shift(n_samples, shift):
    assert term_shift(n_samples) == shift


def test_powers_of_two_are_exact():
    """``c log2 c = k 2^k`` is whole: whatever digits the logarithms are computed with, so are the terms."""
    for k in range(1, 32):
        assert [term(2**k, shift) for shift in (0, 7, 31)] == [k << (k + shift) for shift in (0, 7, 31)]
        assert term_shift(2**k) == max(s for s in range(62) if k << (k + s) < 2**62)


def test_term_sum_adds_over_cells():
    assert term_sum([[2, 0, 3], [1, 4, 2]], 0) == 2 + 0 + 5 + 0 + 8 + 2


def test_entropy_of_a_fair_coin_from_the_reference():
    shift = term_shift(8)
    assert term(8, shift) - term_sum([4, 4], shift) == 8 << shift  # one bit, N 2**shift units
