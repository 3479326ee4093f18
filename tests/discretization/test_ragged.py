"""Arrays of different lengths in one."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.discretization.ragged_array import RaggedArray


def lists(ragged):
    return [array.tolist() for array in ragged]


def test_it_is_a_sequence_of_its_arrays():
    ragged = RaggedArray(np.array([3, 1, 4, 1, 5]), np.array([2, 2, 5]))
    assert lists(ragged) == [[3, 1], [], [4, 1, 5]] == [ragged[j].tolist() for j in range(3)]
    assert ragged[-1].tolist() == [4, 1, 5]
    assert lists(ragged[1:]) == [[], [4, 1, 5]]
    assert ragged.lengths.tolist() == [2, 0, 3]
    with pytest.raises(IndexError):
        ragged[3]


def test_taken_and_merged_again_it_is_the_same():
    random = np.random.default_rng(0)
    ends = np.cumsum(random.integers(0, 4, 30))
    ragged = RaggedArray(random.random(int(ends[-1])), ends)
    halves = np.split(random.permutation(30), 2)
    parts = [(half, ragged.take(half)) for half in halves]
    assert lists(ragged.take(halves[0])) == [ragged[j].tolist() for j in halves[0]]
    assert lists(RaggedArray.merged(30, parts)) == lists(ragged)
    assert lists(RaggedArray.merged(31, parts))[30] == []


@pytest.mark.parametrize("indices", [[0, 1, 2], [2, 1, 0], [0, 0, 1], [1, 2, 2], [2, 0]])
def test_arrays_are_taken_in_the_given_order(indices):
    ragged = RaggedArray(np.array([3, 1, 4, 1, 5]), np.array([2, 2, 5]))
    assert lists(ragged.take(np.array(indices))) == [ragged[j].tolist() for j in indices]


@pytest.mark.parametrize(("n_arrays", "is_abbreviated"), [(0, False), (1, False), (3, False), (4, True), (9, True)])
def test_three_arrays_are_shown(n_arrays, is_abbreviated):
    shown = repr(RaggedArray(np.arange(n_arrays) + 10, np.arange(n_arrays) + 1))
    assert ("..." in shown) == is_abbreviated
    assert [str(number) in shown for number in range(10, 10 + n_arrays)] == [j < 3 for j in range(n_arrays)]
