"""The best set of uncorrelated columns against all sets, and the paper's proposition 2, which does not hold."""

from __future__ import annotations

import numpy as np
import pytest
from cutting_plane_reference import best_set, standardized
from tests.cover import quick_and_slow

from bitsieve.methods.by_samples.cutting_plane import matching as exact_matching
from bitsieve.methods.by_samples.cutting_plane.columns import DenseColumns
from bitsieve.methods.by_samples.cutting_plane.matching import match, match_exactly


def chain(random, n_samples, n_columns, step):
    """Columns of which each is correlated with the next, less so with the one after."""
    walk = random.standard_normal((n_samples, n_columns + step))
    return np.stack([walk[:, j : j + step].sum(axis=1) for j in range(n_columns)], axis=1)


def test_greedy_matching_is_not_the_best():
    """f1 - f2 - f3 in a chain: rho(1,2) and rho(2,3) are 0.8, rho(1,3) is 0.28. Greedy takes f2, which excludes both
    others; {f1, f3} has the larger sum of squares."""
    angle = np.arccos(0.8)
    basis = standardized(np.random.default_rng(0).standard_normal((20, 2)))
    basis[:, 1] -= basis[:, 0] * (basis[:, 0] @ basis[:, 1])
    basis[:, 1] /= np.linalg.norm(basis[:, 1])
    columns = DenseColumns(
        np.stack([np.cos(a) * basis[:, 0] + np.sin(a) * basis[:, 1] for a in (-angle, 0.0, angle)], axis=1)
    )
    scores = np.abs(columns.products(basis[:, :1])[:, 0])
    np.testing.assert_allclose(scores, [0.8, 1.0, 0.8], atol=1e-12)
    assert match(columns, scores, 2, 0.75).tolist() == [1]
    best = match_exactly(columns, scores, 2, 0.75)
    assert sorted(best.columns.tolist()) == [0, 2]
    assert best.gap == 0
    assert (scores[best.columns] ** 2).sum() == pytest.approx(1.28)
    assert match_exactly(columns, scores, 1, 0.75).columns.tolist() == [1]


@pytest.mark.each_value
@pytest.mark.parametrize("seed", quick_and_slow(range(6), quick=range(2), reason="more seeds"))
@pytest.mark.parametrize("step", [2, 4, 6])
@pytest.mark.parametrize("budget", [2, 5])
def test_no_set_is_better(columns_of, seed, step, budget):
    random = np.random.default_rng(seed)
    X = chain(random, 40, 14, step)[:, random.permutation(14)]
    columns, F = columns_of(X), standardized(X)
    weights = random.standard_normal((40, 1))
    scores = np.abs(columns.products(weights)[:, 0])
    conflicts = np.abs(F.T @ F) >= 0.5
    np.fill_diagonal(conflicts, False)
    best = match_exactly(columns, scores, budget, 0.5)
    assert best.gap == 0
    assert len(best.columns) <= budget
    assert not conflicts[np.ix_(best.columns, best.columns)].any()
    # Sums of the same squares, added up in another order.
    assert (scores[best.columns] ** 2).sum() == pytest.approx(best_set(scores, conflicts, budget), rel=1e-12)


def test_few_columns_are_looked_at_where_few_can_matter(monkeypatch):
    random = np.random.default_rng(0)
    X = np.column_stack([chain(random, 60, 30, 4), 0.01 * random.standard_normal((60, 970))])
    y = X[:, :30].sum(axis=1)
    columns = DenseColumns(X)
    scores = np.abs(columns.products(y[:, None])[:, 0])
    sizes = []
    made = exact_matching._Problem
    monkeypatch.setattr(
        exact_matching, "_Problem", lambda weights, *rest: sizes.append(len(weights)) or made(weights, *rest)
    )
    best = match_exactly(columns, scores, 5, 0.5)
    assert best.gap == 0
    assert sizes[-1] < 500


def test_a_search_that_is_cut_short_says_by_how_much(monkeypatch):
    """Looking at no more columns than greedy matching did, the bound must allow for the others."""
    random = np.random.default_rng(9)
    X = chain(random, 60, 200, 8)
    columns = DenseColumns(X)
    scores = np.abs(columns.products(random.standard_normal((60, 1)))[:, 0])
    whole = match_exactly(columns, scores, 12, 0.5)
    greedy = match(columns, scores, 12, 0.5)
    assert whole.gap == 0
    reached = (scores[whole.columns] ** 2).sum()
    assert reached > (scores[greedy] ** 2).sum() * (1 + 1e-9)
    monkeypatch.setattr(exact_matching, "MAX_LISTED", 14)
    some = match_exactly(columns, scores, 12, 0.5)
    assert some.gap > 0
    assert (scores[some.columns] ** 2).sum() * (1 + some.gap) >= reached


def test_equal_columns_are_taken_by_index():
    random = np.random.default_rng(1)
    X = chain(random, 40, 9, 3)[:, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8]]
    columns = DenseColumns(X)
    scores = np.abs(columns.products(random.standard_normal((40, 1)))[:, 0])
    best = match_exactly(columns, scores, 6, 0.5)
    assert (best.columns % 2 == 0).all()


def test_nothing_scores(columns_of):
    assert match_exactly(columns_of(np.eye(4)), np.zeros(4), 2, 0.75).columns.tolist() == []
