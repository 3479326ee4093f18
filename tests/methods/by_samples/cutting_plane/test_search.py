"""The outer loop: planted groups are found, the objective rises, the order of columns and blocks do not matter."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from cutting_plane_reference import match_literally, solve_by_cones, standardized
from scipy import sparse
from tests.cover import quick_and_slow

from bitsieve.methods.by_samples.cutting_plane.columns import DenseColumns, SparseColumns
from bitsieve.methods.by_samples.cutting_plane.search import TOLERANCE, Settings, affiliate, search
from papers.data.correlated_groups import make_correlated_groups
from papers.data.sparse_groups import make_sparse_groups

SETTINGS = Settings(n_features=12, per_cut=6, max_cuts=10, C=1.0, min_correlation=0.75)


def signs_of(y):
    return np.where(y == y.max(), 1.0, -1.0)[:, None]


def literal_loop(X, signs, settings, tau):
    """Algorithm 1 with a conic solver; the cuts, and the optimum over them after each."""
    F, alpha = standardized(X), np.full(len(X), 1 / len(X))
    cuts, values = [], []
    for _ in range(settings.max_cuts):
        cut, _ = match_literally(F, signs[:, 0] * alpha, settings.per_cut, tau)
        violation = ((F[:, cut].T @ (signs[:, 0] * alpha)) ** 2).sum() / 2 + alpha @ alpha / (2 * settings.C)
        if values and violation - values[-1] <= TOLERANCE * values[-1]:
            break
        cuts.append(cut)
        members = np.array([np.isin(np.arange(X.shape[1]), one) for one in cuts])
        value, found = solve_by_cones(F, signs, members, settings.C)
        values.append(value)
        alpha = found[:, 0]
    return cuts, values


@pytest.mark.each_value
@pytest.mark.parametrize("seed", range(3))
def test_cuts_are_those_of_the_literal_algorithm(columns_of, grouped, seed):
    """The first two cuts in every place; of later ones the conic solver's rounding may turn a tie: the optimum."""
    X, y = grouped(80, 40, seed)
    settings = replace(SETTINGS, n_features=40, max_cuts=4, per_cut=5)
    cuts, values = literal_loop(X, signs_of(y), settings, 0.25)
    found = search(columns_of(X), signs_of(y), settings)
    assert [cut.tolist() for cut in found.cuts[:2]] == cuts[:2]
    np.testing.assert_allclose(found.objective[:3], values[:3], rtol=1e-4)
    union = list(dict.fromkeys(j for cut in found.cuts for j in cut.tolist()))
    assert found.support.tolist() == union


@pytest.mark.slow("many searches")
@pytest.mark.parametrize(
    ("matching", "C"),
    quick_and_slow(
        product(["greedy", "disjoint", "exact"], [0.1, 10.0]),
        quick={("greedy", 10.0), ("disjoint", 0.1), ("exact", 0.1)},
        reason="the same matching at another price",
    ),
)
def test_the_objective_rises_and_the_gap_is_closed(columns_of, grouped, matching, C):
    X, y = grouped(100, 60, 4)
    found = search(columns_of(X), signs_of(y), replace(SETTINGS, n_features=30, per_cut=4, C=C, matching=matching))
    assert (np.diff(found.objective) >= -1e-8 * np.array(found.objective[1:])).all()  # what the gaps allow
    assert found.gap <= 1e-8
    assert len(found.cuts) == len(found.objective) >= 2
    assert all(len(set(cut.tolist())) == len(cut) for cut in found.cuts)


@pytest.mark.each_value
@pytest.mark.parametrize("wanted", [1, 5, 17])
@pytest.mark.parametrize("per_cut", [1, 3, 17])
@pytest.mark.parametrize("max_cuts", quick_and_slow([1, 2, 10], quick={2}, reason="fewer and more cuts"))
def test_as_many_as_are_wanted_where_there_are(columns_of, grouped, wanted, per_cut, max_cuts):
    X, y = grouped(100, 60, 4)
    settings = replace(SETTINGS, n_features=wanted, per_cut=min(per_cut, wanted), max_cuts=max_cuts)
    found = search(columns_of(X), signs_of(y), settings)
    assert len(found.support) == len(set(found.support.tolist())) == wanted == len(found.scores)
    assert len(found.cuts) <= max_cuts
    assert found.weights.shape == (wanted, 1)


def test_fewer_where_correlation_leaves_no_more():
    random = np.random.default_rng(0)
    x = random.standard_normal((60, 3))
    X = np.repeat(x, 4, axis=1) + 0.05 * random.standard_normal((60, 12))
    found = search(DenseColumns(X), signs_of(x.sum(axis=1) > 0), replace(SETTINGS, n_features=12, matching="disjoint"))
    assert sorted(found.support // 4) == [0, 1, 2]


@pytest.mark.each_value
@pytest.mark.parametrize(("n_features", "kind"), [(120, "dense"), (2000, "dense"), (120, "sparse"), (2000, "sparse")])
def test_every_group_of_the_paper_s_table_has_one_support(n_features, kind):
    """All groups weigh the same, so that none drowns; the first cut finds each with all of its other members."""
    made = make_correlated_groups(1500, n_features, n_groups=10, n_multiple=4, random_state=0)
    members = [np.flatnonzero(made.groups == g) for g in range(10)]
    shared = np.stack([made.X[:, m] @ np.sign(made.X[:, m].T @ made.X[:, m[0]]) / len(m) for m in members], axis=1)
    y = signs_of(shared.sum(axis=1) > 0)
    columns = DenseColumns(made.X) if kind == "dense" else SparseColumns(sparse.csc_array(made.X))
    found = search(columns, y, replace(SETTINGS, n_features=10, per_cut=10))
    assert sorted(made.groups[found.support].tolist()) == list(range(10))
    groups = affiliate(columns, found.support, found.cuts, 0.75)
    for j, others in zip(found.support, groups.members, strict=True):
        assert sorted([j, *others]) == members[made.groups[j]].tolist()


def test_every_group_of_a_sparse_table_has_one_support():
    made = make_sparse_groups(4000, 20_000, n_nonzeros=40, n_groups=30, random_state=1)
    heavy = np.flatnonzero(np.abs(made.weights) > 0.2)  # the others cannot be told from noise
    columns = SparseColumns(made.X.tocsc())
    found = search(columns, signs_of(made.y), replace(SETTINGS, n_features=len(heavy), per_cut=len(heavy)))
    assert set(made.groups[found.support]) >= set(heavy[np.abs(made.weights[heavy]) > 0.4])
    groups = affiliate(columns, found.support, found.cuts, 0.75)
    for j, others in zip(found.support, groups.members, strict=True):
        if made.groups[j] >= 0:
            assert sorted([j, *others]) == np.flatnonzero(made.groups == made.groups[j]).tolist()
        else:
            assert len(others) == 0


def test_disjoint_groups_have_one_support_over_all_cuts(grouped):
    X, y = grouped(200, 90, 5)
    columns = DenseColumns(X)
    correlation = np.abs(standardized(X).T @ standardized(X))
    settings = replace(SETTINGS, n_features=25, per_cut=5, C=100.0)
    for matching, apart in (("greedy", False), ("disjoint", True)):
        found = search(columns, signs_of(y), replace(settings, matching=matching))
        among = correlation[np.ix_(found.support, found.support)] - np.eye(len(found.support))
        assert (among.max() < 0.75) == apart, matching


@pytest.mark.slow("many searches; golden results hold each")
@pytest.mark.parametrize("matching", ["greedy", "disjoint", "exact"])
def test_dense_and_sparse_permuted_and_in_threads(both_kinds, grouped, matching):
    X, y = grouped(120, 60, 6)
    settings = replace(SETTINGS, n_features=20, per_cut=6, C=10.0, matching=matching)
    order = np.random.default_rng(0).permutation(60)
    dense, by_column = both_kinds(X)
    first = search(dense, signs_of(y), settings)
    for columns, names in (
        (by_column, np.arange(60)),
        (DenseColumns(np.asfortranarray(X), n_jobs=2), np.arange(60)),
        (DenseColumns(X[:, order]), order),
        (SparseColumns(sparse.csc_array(X[:, order]), n_jobs=2), order),
    ):
        other = search(columns, signs_of(y), settings)
        assert names[other.support].tolist() == first.support.tolist()
        np.testing.assert_allclose(other.scores, first.scores, atol=1e-9)
        np.testing.assert_allclose(other.weights, first.weights, atol=1e-7 * np.abs(first.weights).max())
    in_blocks = search(DenseColumns(X, n_jobs=2), signs_of(y), settings)
    assert in_blocks.weights.tobytes() == first.weights.tobytes()  # the number of threads changes no bit


def test_classes_in_several_tasks_choose_together(columns_of, grouped):
    """Three tasks at once: the score of a column is the root of the sum of its squares over them."""
    X, _ = grouped(90, 30, 7)
    signs = np.where(np.arange(90)[:, None] % 3 == np.arange(3), 1.0, -1.0)
    found = search(columns_of(X), signs, replace(SETTINGS, n_features=8, per_cut=4))
    c = standardized(X).T @ signs / 90
    scores = np.sqrt((c**2).sum(axis=1) / (3 / 90))
    assert found.support[0] == np.argmax(scores)
    np.testing.assert_allclose(found.scores[0], scores.max(), rtol=1e-9)
    assert found.weights.shape == (8, 3)


def test_nothing_to_find(columns_of):
    found = search(columns_of(np.ones((6, 3))), signs_of(np.arange(6) % 2), SETTINGS)
    assert len(found.support) == len(found.cuts) == 0
    assert found.weights.shape == (0, 1)
