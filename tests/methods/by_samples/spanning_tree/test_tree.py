"""The spanning tree is the one that plain loops find, whatever the dimension, the ties and the instruction set."""

import numpy as np
import pytest

from bitsieve.counts.kernels import ENVIRONMENT_VARIABLE, available_kernels
from bitsieve.methods.by_samples.spanning_tree.tree import minimum_spanning_tree


def edge_lengths(tree):
    return np.sqrt(((tree.nodes[tree.edges[:, 0]] - tree.nodes[tree.edges[:, 1]]) ** 2).sum(axis=1))


def squared_lengths(points):
    return ((points[:, None] - points) ** 2).sum(axis=2)


def weight_by_prim(points):
    """The weight of a minimum spanning tree of all points, equal ones too, by Prim's algorithm as it is told."""
    lengths = np.sqrt(squared_lengths(points))
    best, joined, weight = lengths[0].copy(), np.zeros(len(points), bool), 0.0
    joined[0] = True
    for _ in range(len(points) - 1):
        newest = np.argmin(np.where(joined, np.inf, best))
        weight += best[newest]
        joined[newest] = True
        best = np.minimum(best, lengths[newest])
    return weight


def edges_by_kruskal(places):
    """Kruskal's algorithm over all pairs by (squared length, lower place, higher place)."""
    squared = squared_lengths(places)
    pairs = sorted((squared[i, j], i, j) for j in range(len(places)) for i in range(j))
    group, edges = list(range(len(places))), set()
    for _, i, j in pairs:
        if group[i] != group[j]:
            edges.add((i, j))
            old, new = group[j], group[i]
            group = [new if g == old else g for g in group]
    return edges


def clouds(n_dimensions, random):
    yield random.normal(size=(150, n_dimensions))
    yield random.integers(0, 4, (150, n_dimensions)).astype(float)
    yield np.repeat(random.random((30, n_dimensions)), 5, axis=0)
    yield np.exp(9 * random.normal(size=(150, n_dimensions)))


@pytest.mark.parametrize("n_dimensions", range(1, 11))
def test_the_weight_is_that_of_prim_by_plain_loops(n_dimensions):
    for points in clouds(n_dimensions, np.random.default_rng(n_dimensions)):
        tree = minimum_spanning_tree(points)
        # Sums of up to 150 lengths in different orders.
        assert edge_lengths(tree).sum() == pytest.approx(weight_by_prim(points), rel=1e-12)


@pytest.mark.parametrize("kernel", available_kernels())
@pytest.mark.parametrize("n_dimensions", [1, 2, 3, 6])
def test_equal_lengths_go_by_lower_then_higher_place_under_every_kernel(kernel, n_dimensions, monkeypatch):
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, kernel)
    random = np.random.default_rng(n_dimensions)
    for points in (random.integers(0, 5, (120, n_dimensions)).astype(float), random.random((120, n_dimensions))):
        tree = minimum_spanning_tree(points)
        assert {tuple(edge) for edge in tree.edges.tolist()} == edges_by_kruskal(tree.nodes)


def test_a_large_grid_is_joined_by_edges_of_length_one():
    x, y = np.divmod(np.arange(70 * 90), 90)
    tree = minimum_spanning_tree(np.column_stack([x, y]).astype(float))
    assert len(tree.edges) == 70 * 90 - 1
    assert (edge_lengths(tree) == 1).all()


def test_the_order_of_the_points_does_not_matter():
    random = np.random.default_rng(3)
    points = random.integers(0, 12, (400, 2)).astype(float)
    order = random.permutation(len(points))
    one, other = minimum_spanning_tree(points), minimum_spanning_tree(points[order])
    assert np.array_equal(one.nodes, other.nodes)
    assert np.array_equal(one.edges, other.edges)
    assert np.array_equal(one.node_of_point[order], other.node_of_point)


def test_scaling_by_a_power_of_two_keeps_the_edges():
    points = np.random.default_rng(4).normal(size=(500, 2))
    one = minimum_spanning_tree(points)
    for scale in (2.0**-300, 2.0**300):
        assert np.array_equal(one.edges, minimum_spanning_tree(points * scale).edges)


@pytest.mark.parametrize("points", [np.zeros((1, 3)), np.full((7, 2), 5.0), np.array([[0.0, -0.0], [-0.0, 0.0]])])
def test_points_that_are_all_equal_are_one_place_without_an_edge(points):
    tree = minimum_spanning_tree(points)
    assert tree.nodes.shape == (1, points.shape[1])
    assert tree.edges.shape == (0, 2)
    assert (tree.node_of_point == 0).all()


@pytest.mark.parametrize(
    ("value", "words"), [(np.nan, "missing or infinite"), (np.inf, "missing or infinite"), (1e200, "rescale")]
)
def test_points_without_finite_distances_are_refused_in_one_line(value, words):
    with pytest.raises(ValueError, match=words) as refused:
        minimum_spanning_tree(np.array([[0.0, 0.0], [1.0, value]]))
    assert "\n" not in str(refused.value)
