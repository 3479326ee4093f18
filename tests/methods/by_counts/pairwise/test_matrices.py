"""Symmetric uncertainty of all pairs, whole or a few rows at a time: the same numbers, and those of the definition."""

from __future__ import annotations

import pytest

from bitsieve.methods.by_counts.pairwise.matrices import uncertainty_matrix, uncertainty_rows


@pytest.fixture
def table(make_table):
    codes, classes = make_table(90, 7, n_codes=4, seed=11)
    codes[:, 3] = 0  # a constant, which shares nothing
    codes[:, 6] = 3 - codes[:, 1]  # another name for the same
    return codes, classes


def test_entries_against_the_definition(information_of, brute, table):
    codes, _ = table
    matrix = uncertainty_matrix(information_of(*table))
    for i in range(7):
        for j in range(7):
            sums = brute.entropy(codes[:, i]) + brute.entropy(codes[:, j])
            shared = brute.mutual_information(codes[:, i], codes[:, j])
            expected = 2 * shared / sums if i != j and sums > 0 else 0.0
            assert abs(matrix[i, j] - expected) <= 1e-12  # sums of at most 16 logarithms each
    assert matrix[1, 6] == 1


def test_some_rows_are_those_of_the_whole(information_of, table):
    information = information_of(*table)
    matrix = uncertainty_matrix(information)
    for first in range(7):
        for last in range(first, 8):
            rows = uncertainty_rows(information, first, last)
            assert rows.shape == (last - first, 7)
            assert rows.tobytes() == matrix[first:last].tobytes()
