"""Rounding of the relaxation's vectors: the cosines by definition, the best direction, ties."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.methods.by_counts.pairwise.semidefinite import ROUNDINGS, round_factor
from bitsieve.optimize.low_rank_sdp import solve_low_rank
from bitsieve.utils.choice import rank


@pytest.fixture
def relaxed():
    matrix = np.random.default_rng(0).random((12, 12))
    matrix = (matrix + matrix.T) / 2
    return matrix, solve_low_rank(matrix, 4).factor


def draw_of(direction):
    return lambda size: direction[:size]


def cosine(a, b):
    return a @ b / np.sqrt((a @ a) * (b @ b))


def test_cosines_by_definition(relaxed):
    _, factor = relaxed
    y = factor @ factor.T
    direction = np.random.default_rng(1).standard_normal(13)
    by_rows = np.array([cosine(row, direction) for row in y])
    by_factor = np.array([cosine(row, direction[: factor.shape[1]]) for row in factor])
    rounding = 1e-13  # of inner products of 13 entries
    assert np.abs(ROUNDINGS["sphere"](factor, draw_of(direction)) - by_rows[1:]).max() <= rounding
    aligned = ROUNDINGS["align"](factor, draw_of(direction))
    assert np.abs(aligned - np.sign(by_rows[0]) * by_rows[1:]).max() <= rounding
    found = ROUNDINGS["factor"](factor, draw_of(direction))
    assert np.abs(found - np.sign(by_factor[0]) * by_factor[1:]).max() <= rounding


@pytest.mark.parametrize("rounding", ["align", "factor"])
def test_an_aligned_direction_has_no_sign(relaxed, rounding):
    _, factor = relaxed
    direction = np.random.default_rng(2).standard_normal(13)
    there, back = (ROUNDINGS[rounding](factor, draw_of(sign * direction)) for sign in (1, -1))
    assert there.tolist() == back.tolist()


def test_the_literal_rounding_has_one(relaxed):
    _, factor = relaxed
    direction = np.random.default_rng(2).standard_normal(13)
    there, back = (ROUNDINGS["sphere"](factor, draw_of(sign * direction)) for sign in (1, -1))
    assert there.tolist() == (-back).tolist()


@pytest.mark.parametrize("rounding", sorted(ROUNDINGS))
def test_the_best_direction_wins(relaxed, rounding):
    matrix, factor = relaxed
    found = round_factor(matrix, factor, 4, rounding, 30, np.random.default_rng(3).standard_normal)
    assert found.objectives.shape == (30,)
    assert len(set(found.members.tolist())) == 4
    assert abs(matrix[np.ix_(found.members, found.members)].sum() - found.objectives.max()) <= 1e-10  # a tie
    assert set(found.members.tolist()) == set(rank(found.cosines)[:4].tolist())


def test_more_directions_are_never_worse(relaxed):
    matrix, factor = relaxed
    best = [
        round_factor(matrix, factor, 4, "sphere", n, np.random.default_rng(4).standard_normal).objectives.max()
        for n in (1, 5, 50)
    ]
    assert best == sorted(best)


def test_vectors_all_alike():
    """All features are selected: every cosine ties, and the columns come in their order."""
    found = round_factor(np.ones((3, 3)), np.ones((4, 1)), 3, "sphere", 2, np.random.default_rng(0).standard_normal)
    assert found.members.tolist() == [0, 1, 2]
    assert found.objectives.tolist() == [9, 9]
