"""The tie rule, and ranking by it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitsieve.utils.choice import TIE, pick, rank, top

INF = float("inf")


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [
        ([1.0], 0),
        ([0.0, 2.0, 1.0], 1),
        ([2.0, 2.0, 2.0], 0),
        ([0.0, 1.0, 1.0 + 0.9e-10], 1),  # within the tie
        ([0.0, 1.0, 1.0 + 1.1e-10], 2),
        ([-3.0, -1.0, -2.0], 1),
        ([-INF, -5.0, -INF], 1),
        ([3.0, INF, INF], 1),
        ([-INF, 0.0, -1e-17], 1),
        ([-1e-17, 0.0], 0),  # rounding of nothing is no score
    ],
)
def test_pick(scores, chosen):
    assert pick(np.array(scores)) == chosen


@pytest.mark.parametrize(
    ("values", "order"),
    [
        ([], []),
        ([1.0], [0]),
        ([0.1, 0.5, 0.3], [1, 2, 0]),
        ([0.5, 0.5, 0.5], [0, 1, 2]),
        ([0.5, 0.7, 0.5 + 0.5e-10, 0.7 + 0.5e-10], [1, 3, 0, 2]),
        ([0.0, 1e-17, -1e-17, 1.0], [3, 0, 1, 2]),
        # A run is measured from its first, so that a long chain of small steps does not become one tie.
        ([0.0, 0.6e-10, 1.2e-10, 1.8e-10], [2, 3, 0, 1]),
    ],
)
def test_rank(values, order):
    assert rank(np.array(values)).tolist() == order


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_rank_is_repeated_pick(levels, random):
    """Where equal scores differ by rounding only, ranking is choosing again and again."""
    values = np.array([level / 7 + random.choice([0.0, 1e-16, -1e-16]) for level in levels])
    left, chosen = values.copy(), []
    for _ in values:
        chosen.append(pick(left))
        left[chosen[-1]] = -np.inf
    assert rank(values).tolist() == chosen == sorted(range(len(levels)), key=lambda i: (-levels[i], i))


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(0, 40), max_size=30))
def test_runs_begin_where_the_last_ends(steps):
    """By its definition: a run holds all values within a tie of its first, and its members stand by index."""
    values = np.array(steps) * 0.3e-10
    left, expected = sorted(range(len(values)), key=lambda i: -values[i]), []
    while left:
        run = [i for i in left if values[i] >= values[left[0]] - TIE]
        expected += sorted(run)
        left = left[len(run) :]
    assert rank(values).tolist() == expected


def test_a_long_ranking_is_made_at_once():
    """Half a million values, each its own run: a walk from run to run that looked at all of them took hours."""
    values = np.random.default_rng(0).random(500_000)
    assert (np.diff(values[rank(values)]) <= TIE).all()


def test_tie_is_as_documented():
    assert TIE == 1e-10


@pytest.mark.parametrize("k", [1, 3, 9, 10])
def test_top_is_the_head_of_the_rank(k):
    values = np.array([0.5, 0.1, 0.5 + 5e-11, 0.9, 0.1, -0.3, 0.5 - 5e-11, 0.1, 0.9 - 8e-11, -0.3])
    assert top(values, k).tolist() == rank(values)[:k].tolist()
