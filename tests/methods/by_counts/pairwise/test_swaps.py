"""Swaps: they never lower the objective, and end where no single swap raises it."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest

from bitsieve.methods.by_counts.pairwise.subsets import TIE, improve_by_swaps


def symmetric(n, seed, dtype=np.float64):
    matrix = np.random.default_rng(seed).random((n, n))
    return ((matrix + matrix.T) / 2).astype(dtype)


def objective(matrix, members):
    return float(matrix[np.ix_(members, members)].sum(dtype=np.float64))


class Swapped(NamedTuple):
    members: np.ndarray
    n_swaps: int


def improve(matrix, members, **parameters):
    """The members, and how many swaps were reported."""
    heard = []
    diagonal = np.diagonal(matrix).astype(float)
    parameters.setdefault("progress", lambda done, most: heard.append(done))
    found = improve_by_swaps(matrix.__getitem__, diagonal, np.array(members), **parameters)
    return Swapped(found, len(heard))


def best_neighbour(matrix, members):
    """The best objective of any subset that differs in one member."""
    outside = sorted(set(range(len(matrix))) - set(members))
    kept = [[*members[:a], j, *members[a + 1 :]] for a in range(len(members)) for j in outside]
    return max(objective(matrix, subset) for subset in kept)


@pytest.mark.each_value
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("k", [1, 2, 5, 11])
@pytest.mark.parametrize("seed", range(4))
def test_ends_where_no_single_swap_raises_the_objective(seed, k, dtype):
    matrix = symmetric(12, seed, dtype)
    start = list(range(k))
    found = improve(matrix, start)
    members = found.members.tolist()
    assert len(set(members)) == k
    after = objective(matrix, members)
    assert after >= objective(matrix, start)
    assert best_neighbour(matrix, members) <= after + TIE + 1e-12  # the rounding of 121 entries
    assert (found.n_swaps == 0) == (members == start)


@pytest.mark.parametrize("seed", range(6))
def test_every_swap_is_the_best_one(seed):
    """One step at a time the objective follows the best neighbour of a brute search, up to the end."""
    matrix = symmetric(10, seed)
    members = [0, 1, 2, 3]
    for _ in range(20):
        found = improve(matrix, members, max_swaps=1)
        if not found.n_swaps:
            assert best_neighbour(matrix, members) <= objective(matrix, members) + TIE + 1e-12
            return
        after = objective(matrix, found.members)
        assert abs(after - best_neighbour(matrix, members)) <= 1e-12  # the rounding of sixteen entries
        assert after > objective(matrix, members)
        members = found.members.tolist()
    raise AssertionError("twenty swaps of four of ten")


@pytest.mark.parametrize("seed", range(5))
def test_a_single_member_becomes_the_largest_diagonal_entry(seed):
    matrix = symmetric(30, seed)
    assert improve(matrix, [7]).members.tolist() == [int(np.argmax(np.diagonal(matrix)))]


def test_never_beyond_the_best_subset():
    matrix = symmetric(9, 3)
    best = max(objective(matrix, list(subset)) for subset in combinations(range(9), 4))
    found = [objective(matrix, improve(matrix, list(start)).members) for start in combinations(range(9), 4)]
    assert max(found) == pytest.approx(best, abs=1e-12)  # the rounding of sixteen entries
    assert len(set(np.round(found, 9))) < 10  # local optima are few


def test_ties_go_to_the_first_place_and_the_lowest_index():
    matrix = np.ones((6, 6))
    matrix[[1, 2], [1, 2]] = 0.0
    matrix[[4, 5], [4, 5]] = 3.0
    found = improve(matrix, [2, 1], max_swaps=1)
    assert found.members.tolist() == [4, 1]
    assert improve(matrix, [2, 1]).members.tolist() == [4, 5]
    assert improve(np.ones((6, 6)), [5, 3]).members.tolist() == [5, 3]


def test_everything_is_a_member():
    assert improve(symmetric(4, 0), [3, 1, 0, 2]).members.tolist() == [3, 1, 0, 2]


def test_rows_are_asked_for_once_a_member():
    matrix = symmetric(40, 2)
    asked = []

    def row(i):
        asked.append(i)
        return matrix[i]

    improve_by_swaps(row, np.diagonal(matrix), np.arange(6))
    n_swaps = improve(matrix, range(6)).n_swaps
    assert n_swaps > 0
    assert len(asked) == 6 + n_swaps
    assert asked[:6] == list(range(6))


def test_the_given_members_are_not_changed():
    members = np.arange(3)
    improve(symmetric(20, 1), members)
    assert members.tolist() == [0, 1, 2]


def test_progress():
    heard = []
    matrix = symmetric(40, 2)
    improve(matrix, range(6), progress=lambda done, most: heard.append((done, most)))
    assert heard == [(swap, 10_000) for swap in range(1, improve(matrix, range(6)).n_swaps + 1)]
