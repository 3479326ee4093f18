"""Redundancy matching against the algorithm to the letter, and the two theorems that it rests on."""

from __future__ import annotations

import numpy as np
import pytest
from cutting_plane_reference import match_literally, standardized
from hypothesis import given, settings
from hypothesis import strategies as st

from bitsieve.methods.by_samples.cutting_plane.columns import DenseColumns
from bitsieve.methods.by_samples.cutting_plane.matching import leading, match
from bitsieve.methods.by_samples.cutting_plane.search import affiliate
from bitsieve.utils.choice import TIE, rank


def cosines(F, weights):
    return np.abs(F.T @ weights) / np.linalg.norm(weights)


@pytest.mark.each_value
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("tau", [0.05, 0.25, 0.6])
@pytest.mark.parametrize("budget", [1, 7, 60])
def test_supports_and_groups_are_those_of_the_algorithm(columns_of, grouped, seed, tau, budget):
    """With its test that breaks the scan off and without; B larger than the table is allowed here."""
    X, y = grouped(50, 60, seed)
    F = standardized(X)
    random = np.random.default_rng(seed)
    weights = y * random.dirichlet(np.ones(50))
    support, groups = match_literally(F, weights, budget, tau)
    assert (support, groups) == match_literally(F, weights, budget, tau, with_break=False)
    columns = columns_of(X)
    chosen = match(columns, cosines(F, weights), budget, 1 - tau)
    assert chosen.tolist() == support
    found = affiliate(columns, chosen, [chosen], 1 - tau)
    assert [sorted(members.tolist()) for members in found.members] == groups
    for j, members, correlations in zip(chosen, found.members, found.correlations, strict=True):
        np.testing.assert_allclose(correlations, F[:, members].T @ F[:, j], atol=1e-12)
        assert (np.diff(np.abs(correlations)) <= TIE).all()  # the nearest first


def test_without_correlations_the_best_ranked_are_taken(columns_of, grouped):
    X, y = grouped(50, 30, 0)
    scores = cosines(standardized(X), y)
    expected = [j for j in np.argsort(-scores, kind="stable") if scores[j] > TIE][:12]
    assert match(columns_of(X), scores, 12, None).tolist() == expected


@pytest.mark.parametrize("least", [0.75, None])
def test_columns_of_score_0_are_never_taken(columns_of, least):
    X = np.eye(6)[:, [0, 1, 2, 2]]
    scores = np.array([0.5, 0.0, 1e-14, 0.2])
    assert match(columns_of(X), scores, 4, least).tolist() == [0, 3]


def test_ties_go_to_the_lowest_column(columns_of):
    x, z = np.array([1.0, 0, 1, 0, 2, 0]), np.array([0.0, 1, 1, 0, 0, 3])
    columns = columns_of(np.stack([z, x, -2 * x, z, x], axis=1))
    assert match(columns, np.full(5, 0.5), 5, 0.75).tolist() == [0, 1]
    assert match(columns, np.array([0.1, 0.5, 0.5 + 1e-12, 0.1, 0.5]), 1, 0.75).tolist() == [1]


def test_columns_in_represented_groups_are_left_out(columns_of):
    x, z, w = np.array([1.0, 0, 1, 0, 2, 0]), np.array([0.0, 1, 1, 0, 0, 3]), np.array([5.0, 0, 0, 1, 0, 0])
    columns = columns_of(np.stack([x, z, -x, z, w], axis=1))
    scores = np.array([0.3, 0.2, 0.9, 0.8, 0.1])
    assert match(columns, scores, 3, 0.75).tolist() == [2, 3, 4]
    assert match(columns, scores, 3, 0.75, np.array([0, 1])).tolist() == [0, 1, 4]


def test_long_groups_are_passed_over(monkeypatch, columns_of):
    """The next support may rank far below: what is looked at grows until it is met."""
    monkeypatch.setattr("bitsieve.methods.by_samples.cutting_plane.matching.MIN_CHUNK", 2)
    random = np.random.default_rng(0)
    x = random.standard_normal(30)
    X = np.column_stack([x[:, None] + 0.01 * random.standard_normal((30, 200)), random.standard_normal((30, 3))])
    columns = columns_of(X)
    assert match(columns, np.linspace(1, 0.1, 203), 3, 0.75).tolist() == [0, 200, 201]


@settings(max_examples=200, deadline=None)
@given(values=st.lists(st.integers(0, 8), min_size=1, max_size=40), count=st.integers(1, 45), noise=st.booleans())
def test_leading_ones_are_those_of_the_ranking(values, count, noise):
    scores = np.array(values) / 8
    if noise:  # far below what counts as a tie
        scores = scores + 1e-13 * np.random.default_rng(0).random(len(scores)) * (scores > 0)
    expected = [j for j in rank(scores).tolist() if scores[j] > TIE][:count]
    assert leading(scores, count).tolist() == expected


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 10**9), noise=st.floats(0, 2), n=st.integers(3, 12))
def test_proposition_1_and_theorem_1(seed, noise, n):
    """Columns correlated by 1 - tau or more differ in score by at most sqrt(2 tau) |alpha|."""
    random = np.random.default_rng(seed)
    x = random.standard_normal(n)
    F = standardized(np.stack([x, random.choice([-1, 1]) * x + noise * random.standard_normal(n)], axis=1))
    tau = 1 - abs(F[:, 0] @ F[:, 1])
    weights = random.standard_normal(n)
    first, second = np.abs(F.T @ weights)
    bound = np.sqrt(2 * max(tau, 0.0)) * np.linalg.norm(weights)
    assert abs(first - second) <= bound + 1e-7 * np.linalg.norm(weights)  # the root of a rounding of tau
    assert min(first, second) >= max(first, second) - bound - 1e-7 * np.linalg.norm(weights)


def test_the_union_over_cuts(columns_of):
    """A column goes to the first support of each cut with which it is correlated."""
    x, z = np.array([1.0, 0, 1, 0, 2, 0, 0, 1]), np.array([0.0, 1, 1, 0, 0, 3, 1, 0])
    random = np.random.default_rng(0)
    near = lambda v: v + 0.05 * random.standard_normal(8)  # noqa: E731
    X = np.stack([near(x), near(z), near(x), near(z), near(x)], axis=1)
    columns, support = columns_of(X), np.array([0, 1, 2])
    found = affiliate(columns, support, [np.array([0, 1]), np.array([2, 1])], 0.75)
    assert [sorted(members.tolist()) for members in found.members] == [[2, 4], [3], [0, 4]]


def test_a_block_of_columns_at_a_time(grouped, monkeypatch):
    X, y = grouped(50, 60, 1)
    whole = match(DenseColumns(X), cosines(standardized(X), y), 20, 0.75)
    monkeypatch.setattr("bitsieve.methods.by_samples.cutting_plane.columns.DENSE_VALUES", 50 * 9)
    monkeypatch.setattr("bitsieve.methods.by_samples.cutting_plane.matching.MIN_CHUNK", 1)
    assert match(DenseColumns(X, n_jobs=2), cosines(standardized(X), y), 20, 0.75).tolist() == whole.tolist()
