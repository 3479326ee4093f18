"""RCFS: the best set against all sets, scatters against their definition, clusters against average linkage by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score

from bitsieve.methods.by_samples.rcfs import correlation_clusters, most_separable, scatters
from bitsieve.methods.by_samples.rows import centre


def all_sets(clusters, k):
    everything = combinations(range(len(clusters)), k)
    return [list(subset) for subset in everything if len({clusters[j] for j in subset}) == k]


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_clusters=st.integers(2, 6),
    scale=st.sampled_from([1.0, 1e3, 1e7]),
    data=st.data(),
)
def test_no_set_is_better(seed, n_clusters, scale, data):
    k = data.draw(st.integers(1, n_clusters))
    random = np.random.default_rng(seed)
    clusters = np.concatenate([np.arange(n_clusters), random.integers(0, n_clusters, 8 - n_clusters)])
    total = scale ** random.uniform(-1, 1, 8)
    between = total * random.random(8)
    chosen = most_separable(between, total, clusters, k)
    assert len(set(clusters[chosen])) == k
    reached = between[chosen].sum() / total[chosen].sum()
    best = max(between[s].sum() / total[s].sum() for s in all_sets(clusters, k))
    assert reached >= best - 2e-10  # what ties may cost, 1e-10, and rounding


def test_by_hand():
    """Clusters {0, 1} and {2, 3}; b = 3 4 1 2 of t = 4 8 9 20. The sets {0,2} {0,3} {1,2} {1,3} reach 4/13, 5/24,
    5/17 and 6/28: the best is {0, 2}, although 1 and 3 have the larger b."""
    between, total = np.array([3.0, 4, 1, 2]), np.array([4.0, 8, 9, 20])
    assert most_separable(between, total, np.array([0, 0, 1, 1]), 2).tolist() == [0, 2]
    assert most_separable(between, total, np.array([0, 0, 1, 1]), 1).tolist() == [0]


def test_ties_go_to_the_lowest_column():
    between, total = np.array([1.0, 1, 1, 1]), np.full(4, 2.0)
    assert most_separable(between, total, np.array([1, 0, 1, 0]), 2).tolist() == [0, 1]
    assert most_separable(between, total, np.array([0, 0, 1, 2]), 2).tolist() == [0, 2]


def test_nothing_separates():
    assert most_separable(np.zeros(3), np.ones(3), np.arange(3), 2).tolist() == [0, 1]


def test_columns_that_do_not_vary_within_classes():
    between = np.array([0.1, 1.0, 0.2, 3.0])
    assert most_separable(between, np.array([1.0, 1.0, 1.0, 3.0]), np.arange(4), 2).tolist() == [1, 3]


def test_scatters_by_their_definition():
    random = np.random.default_rng(0)
    numbers, classes = random.standard_normal((30, 4)) * [1, 10, 1e-3, 5] + [0, 100, 3, -2], random.integers(0, 3, 30)
    centred = centre(numbers)
    between, total = scatters(centred, classes)
    unit = 4.0**centred.exponents
    mean = numbers.mean(axis=0)
    groups = [numbers[classes == c] for c in range(3)]
    s_b = sum(len(group) * (group.mean(axis=0) - mean) ** 2 for group in groups)
    s_w = sum(((group - group.mean(axis=0)) ** 2).sum(axis=0) for group in groups)
    # Deviations of 1e-3 around 3: nearly four digits of sixteen are lost, twice over in a square.
    np.testing.assert_allclose(between * unit, s_b, rtol=1e-10)
    np.testing.assert_allclose((total - between) * unit, s_w, rtol=1e-10)


@pytest.mark.parametrize("size", [1e-300, 1e300, 1.7e308])
def test_numbers_of_any_size(size):
    random = np.random.default_rng(1)
    numbers, classes = random.uniform(-1, 1, (20, 3)), random.integers(0, 2, 20)
    between, total = scatters(centre(numbers), classes)
    far_between, far_total = scatters(centre(numbers * size), classes)
    np.testing.assert_allclose(far_between / far_total, between / total, rtol=1e-12)  # sizes are no powers of two


def columns_of_two_groups():
    """Columns 0 2 4 follow one latent number and 1 3 another, with signs."""
    random = np.random.default_rng(2)
    latent = random.standard_normal((200, 2))
    numbers = latent[:, [0, 1, 0, 1, 0]] * [1, -2, -3, 4, 5] + 0.3 * random.standard_normal((200, 5)) * [1, 2, 3, 4, 5]
    return centre(numbers).values


def test_clusters_of_correlated_columns():
    values = columns_of_two_groups()
    for n_clusters in (2, None):
        clusters = correlation_clusters(values, n_clusters)
        assert clusters[0] == clusters[2] == clusters[4] != clusters[1] == clusters[3]
    assert len(set(correlation_clusters(values, 4))) == 4
    assert correlation_clusters(values, 5).tolist() == [0, 1, 2, 3, 4]
    assert correlation_clusters(values, None, min_clusters=7).tolist() == [0, 1, 2, 3, 4]
    assert len(set(correlation_clusters(values, None, min_clusters=3))) == 3
    assert correlation_clusters(values, 1).tolist() == [0] * 5


def test_as_many_clusters_as_asked_for_where_all_are_equally_far():
    """Copies: a cut at one height would merge all of them at once."""
    copies = np.repeat(columns_of_two_groups()[:, :2], 5, axis=1)
    for n_clusters in range(1, 11):
        clusters = correlation_clusters(copies, n_clusters)
        assert sorted(set(clusters.tolist())) == list(range(n_clusters))
        assert n_clusters == 1 or not set(clusters[:5]) & set(clusters[5:])


@pytest.mark.parametrize("n_clusters", [2, 3, 7, 20])
def test_clusters_of_another_program(n_clusters):
    random = np.random.default_rng(3)
    values = centre(random.standard_normal((50, 6)) @ random.standard_normal((6, 40))).values
    model = AgglomerativeClustering(n_clusters, metric="precomputed", linkage="average")
    theirs = model.fit_predict(1 - np.abs(np.corrcoef(values.T)))
    assert adjusted_rand_score(correlation_clusters(values, n_clusters), theirs) == 1


def test_average_linkage_by_hand():
    """Four columns by their angles, |rho| = |cos|: 0, 40, 65 and 115 degrees. Distances 1 - |cos|: (0,40) .234,
    (40,65) .094, (65,115) .357, (0,65) .577, (0,115) .577, (40,115) .741. First {40, 65}; from it 0 is
    (.234 + .577)/2 = .406 away, 115 (.357 + .741)/2 = .549, and 0 from 115 .577: so {0, 40, 65}, then 115 at
    (.577 + .741 + .357)/3 = .558 > .5. By single linkage 115 would have joined at .357."""
    angles = np.deg2rad([0, 40, 65, 115])
    # Two orthogonal centred columns span the plane.
    plane = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]]) / 2
    values = plane @ np.array([np.cos(angles), np.sin(angles)])
    three, two = correlation_clusters(values, 3), correlation_clusters(values, 2)
    assert three[1] == three[2]
    assert len(set(three)) == 3
    assert two[0] == two[1] == two[2] != two[3]
    assert correlation_clusters(values, None).tolist() == two.tolist()
