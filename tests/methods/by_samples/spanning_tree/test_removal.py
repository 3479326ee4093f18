"""Which features are left when the most dependent ones go."""

import numpy as np
import pytest

from bitsieve.methods.by_samples.spanning_tree.dependency import by_removal, by_total


def symmetric(n, seed):
    matrix = np.triu(np.random.default_rng(seed).random((n, n)), 1)
    return matrix + matrix.T


def test_once_sorted_by_total():
    matrix = symmetric(9, 0)
    order, totals = by_total(matrix)
    assert np.array_equal(order, np.argsort(matrix.sum(axis=1)))
    assert np.array_equal(totals, matrix.sum(axis=1)[order])


def test_removal_computes_the_totals_of_those_left_again():
    matrix = symmetric(9, 1)
    order, totals = by_removal(matrix)
    left = list(range(9))
    for place in range(8, -1, -1):
        sums = matrix[np.ix_(left, left)].sum(axis=1)
        worst = max(f for f, total in zip(left, sums, strict=True) if total >= sums.max() - 1e-10)
        assert order[place] == worst
        assert totals[place] == pytest.approx(sums.max(), abs=1e-12)  # by subtraction, here by addition
        left.remove(worst)


def test_of_two_copies_removal_keeps_one():
    # 0 and 1 are copies of each other; 2 depends a little on everything.
    matrix = np.array([[0, 0.9, 0.1, 0], [0.9, 0, 0.1, 0], [0.1, 0.1, 0, 0.3], [0, 0, 0.3, 0]])
    assert set(by_total(matrix)[0][:2].tolist()) == {2, 3}
    assert 0 in by_removal(matrix)[0][:2]


@pytest.mark.parametrize("rule", [by_total, by_removal])
def test_of_equal_totals_the_higher_index_goes_first(rule):
    assert rule(np.ones((5, 5)) - np.eye(5))[0].tolist() == [0, 1, 2, 3, 4]
    assert rule(np.zeros((1, 1)))[0].tolist() == [0]
