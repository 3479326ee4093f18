"""Dominant sets: known graphs, the conditions of a strict local maximum, and both dynamics alike."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from bitsieve.optimize import dominant_sets as infection
from bitsieve.optimize.dominant_sets import DYNAMICS, SimilarityMatrix, SimilarityRows, dominant_sets

both = pytest.mark.parametrize("find", DYNAMICS.values(), ids=DYNAMICS.keys())


def graph(n, edges):
    matrix = np.zeros((n, n))
    for i, j, weight in edges:
        matrix[i, j] = matrix[j, i] = weight
    return matrix


def cliques(sizes, n_outliers=0, seed=0, *, within=(0.7, 0.9), between=(0.0, 0.15)):
    """Things of planted groups, similar within and hardly between, and outliers that are similar to nothing."""
    random = np.random.default_rng(seed)
    labels = np.concatenate([np.repeat(np.arange(len(sizes)), sizes), -1 - np.arange(n_outliers)])
    labels = random.permutation(labels)
    same = labels[:, None] == labels
    matrix = np.triu(np.where(same, random.uniform(*within, same.shape), random.uniform(*between, same.shape)), 1)
    return matrix + matrix.T, labels


def sets_of(matrix, find):
    return [found.members.tolist() for found in dominant_sets(SimilarityMatrix(matrix), find)]


@both
def test_the_papers_figure_1(find):
    """Edges within {F1, F2, F3} weigh 0.6, 0.7 and 0.9, all others 0.05 to 0.25."""
    outside = [0.05, 0.1, 0.25, 0.2, 0.15, 0.05, 0.1]
    others = [(i, j) for i in range(5) for j in range(max(i + 1, 3), 5)]
    edges = [(0, 1, 0.6), (0, 2, 0.7), (1, 2, 0.9), *((i, j, w) for (i, j), w in zip(others, outside, strict=True))]
    assert sets_of(graph(5, edges), find) == [[0, 1, 2], [3, 4]]


@both
def test_a_triangle_by_hand(find):
    """With equal edges w the maximum is at equal weights: u'Wu / 2 = w (1 - 1 / 3) / 2."""
    (found,) = dominant_sets(SimilarityMatrix(graph(3, [(0, 1, 0.6), (0, 2, 0.6), (1, 2, 0.6)])), find)
    assert found.members.tolist() == [0, 1, 2]
    assert found.weights == pytest.approx([1 / 3] * 3, abs=1e-9)  # the dynamics end within that
    assert found.cohesiveness == pytest.approx(0.2, abs=1e-9)


@both
def test_planted_cliques_and_outliers(find):
    matrix, labels = cliques([9, 5], n_outliers=4)
    first, second, *rest = sets_of(matrix, find)
    assert first == np.flatnonzero(labels == 0).tolist()
    assert second == np.flatnonzero(labels == 1).tolist()
    assert sorted(chain.from_iterable(rest)) == np.flatnonzero(labels < 0).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_both_dynamics_find_the_same(seed):
    matrix, _ = cliques([6, 4, 3], n_outliers=3, seed=seed)
    one, other = (sets_of(matrix, find) for find in DYNAMICS.values())
    assert one == other


@both
@pytest.mark.parametrize("seed", range(3))
def test_conditions_of_a_strict_local_maximum(find, seed):
    """Payoffs are equal inside and no greater outside, and x'Wx is concave along the support's face."""
    matrix, _ = cliques([7, 6, 5], seed=seed, between=(0.0, 0.4))
    u = find(SimilarityMatrix(matrix), np.arange(18), matrix.sum(axis=0))
    support = u > 0
    payoffs, value = matrix @ u, u @ matrix @ u
    assert u.sum() == pytest.approx(1)
    # Replicator dynamics stop when a step moves less than 1e-12: the payoffs are then equal to about the root of that.
    assert payoffs[support] == pytest.approx(value, abs=1e-6)
    assert (payoffs[~support] <= value + 1e-6).all()
    inside = matrix[np.ix_(support, support)]
    centre = np.eye(len(inside)) - 1 / len(inside)
    assert np.sort(np.linalg.eigvalsh(centre @ inside @ centre))[-2] < 0  # the largest is the 0 of the direction 1


@both
def test_every_thing_is_in_one_set(find):
    matrix, _ = cliques([4, 4], n_outliers=2, seed=3)
    assert sorted(chain.from_iterable(sets_of(matrix, find))) == list(range(10))


@both
def test_nothing_similar_is_single(find):
    found = dominant_sets(SimilarityMatrix(np.zeros((3, 3))), find)
    assert [each.members.tolist() for each in found] == [[0], [1], [2]]
    assert [each.cohesiveness for each in found] == [0, 0, 0]
    assert [each.members.tolist() for each in dominant_sets(SimilarityMatrix(np.zeros((1, 1))), find)] == [[0]]


@both
@pytest.mark.parametrize("seed", range(4))
def test_each_set_is_that_of_what_is_left(find, seed):
    """The order of peeling: what the sets before have left gives the next one, and the same rest."""
    matrix, _ = cliques([3, 8, 5], n_outliers=3, seed=seed, between=(0.0, 0.4))
    found = sets_of(matrix, find)
    left = np.setdiff1d(np.arange(len(matrix)), found[0])
    assert [left[members].tolist() for members in sets_of(matrix[np.ix_(left, left)], find)] == found[1:]


@both
def test_a_later_set_may_be_the_more_cohesive_one(find):
    """From equal weights five at 0.35, of sums 1.4, come before two at 0.9; w (1 - 1 / m) / 2 is 0.14 and 0.225."""
    matrix = graph(7, [(i, j, 0.35) for i in range(5) for j in range(i)] + [(5, 6, 0.9)])
    found = dominant_sets(SimilarityMatrix(matrix), find)
    assert [each.members.tolist() for each in found] == [[0, 1, 2, 3, 4], [5, 6]]
    assert [each.cohesiveness for each in found] == pytest.approx([0.14, 0.225], abs=1e-9)  # the dynamics end there


def test_a_permutation_permutes_the_sets():
    matrix, _ = cliques([6, 5, 4], n_outliers=2, seed=4)
    order = np.random.default_rng(0).permutation(len(matrix))
    plain = [set(each) for each in sets_of(matrix, DYNAMICS["infection"])]
    moved = [set(order[each].tolist()) for each in sets_of(matrix[np.ix_(order, order)], DYNAMICS["infection"])]
    assert moved == plain


@pytest.mark.parametrize("room", [1, 3, 100])
def test_rows_on_demand_give_the_same_bits(room):
    matrix, _ = cliques([9, 8, 4], n_outliers=3, seed=2)
    asked = []

    def make(first, last):
        asked.append(first)
        return matrix[first:last].copy()

    rows = SimilarityRows(make, len(matrix), memory=8 * len(matrix) * room, rows_at_once=4)
    one, other = dominant_sets(SimilarityMatrix(matrix)), dominant_sets(rows)
    assert all(first % 4 == 0 for first in asked)
    assert [each.members.tolist() for each in one] == [each.members.tolist() for each in other]
    assert [each.weights.tobytes() for each in one] == [each.weights.tobytes() for each in other]
    assert len(rows._cache) <= room


def test_more_things_than_begin_with_weight(monkeypatch):
    """The most similar ones come first; the sets are still maxima among all."""
    monkeypatch.setattr(infection, "MAX_START", 12)
    matrix, labels = cliques([10, 9, 8, 7], seed=6)
    found = dominant_sets(SimilarityMatrix(matrix))
    assert sorted(each.members.tolist() for each in found) == sorted(
        np.flatnonzero(labels == label).tolist() for label in range(4)
    )
