"""Edges between classes: counts where all points differ, expectations over what lengths leave open elsewhere."""

import numpy as np
import pytest

from bitsieve.methods.by_samples.spanning_tree.tree import (
    RankedColumns,
    SharedPart,
    edges_between,
    minimum_spanning_tree,
)


def counted(points, classes, order):
    """Edges between classes of Kruskal's tree on points in this order, equal lengths by (i, j)."""
    points, classes = points[order], classes[order]
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    pairs = sorted((squared[i, j], i, j) for j in range(len(points)) for i in range(j))
    group, found = np.arange(len(points)), np.zeros((classes.max() + 1,) * 2)
    for _, i, j in pairs:
        if group[i] != group[j]:
            group[group == group[j]] = group[i]
            found[classes[i], classes[j]] += 1
            found[classes[j], classes[i]] += classes[i] != classes[j]
    return found


def test_points_that_all_differ_are_counted():
    random = np.random.default_rng(0)
    points, classes = random.normal(size=(60, 2)), random.integers(0, 3, 60)
    between = edges_between(minimum_spanning_tree(points), classes, 3)
    assert np.array_equal(between, counted(points, classes, np.arange(60)))


def test_equal_points_give_the_mean_over_all_orders_of_the_points():
    random = np.random.default_rng(1)
    # Places so far apart, each from its neighbour by another length, that only the points of a place are in question.
    points = np.array([0.0, 1.0, 3.0, 7.0])[random.integers(0, 4, 14)][:, None] * [1.0, 1.0]
    classes = random.integers(0, 2, 14)
    expected = edges_between(minimum_spanning_tree(points), classes, 2)
    draws = np.array([counted(points, classes, random.permutation(14)) for _ in range(600)])
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - expected) <= 4 * error + 1e-12).all()
    assert (draws.std(axis=0) > 0).any()


def test_every_edge_is_counted_once():
    random = np.random.default_rng(2)
    points, classes = random.integers(0, 5, (200, 2)).astype(float), random.integers(0, 4, 200)
    between = edges_between(minimum_spanning_tree(points), classes, 4)
    assert np.array_equal(between, between.T)
    assert np.triu(between).sum() == pytest.approx(199, rel=1e-12)  # a sum of fractions
    assert (between >= 0).all()


def test_a_sample_beside_itself_moved_far_away_has_one_cross_edge():
    points = np.random.default_rng(3).normal(size=(50, 3))
    both = np.vstack([points, points + 1000.0])
    assert edges_between(minimum_spanning_tree(both), np.repeat([0, 1], 50), 2)[0, 1] == 1


@pytest.mark.parametrize("grid", [False, True])
def test_the_edges_for_many_last_columns_are_those_of_each_tree(grid):
    random = np.random.default_rng(4)
    numbers = random.integers(0, 6, (90, 4)).astype(float) if grid else random.normal(size=(90, 4))
    columns = RankedColumns.of(numbers)
    is_second = random.random(90) < 0.4
    last_sample = random.permutation(90)
    part = SharedPart(
        columns.ranks[0],
        columns.values_of(0)[None],
        np.arange(90),
        last_sample,
        (~is_second).astype(float),
        is_second.astype(float),
    )
    expected = []
    for j in (1, 2, 3):
        tree = minimum_spanning_tree(np.column_stack([numbers[:, 0], numbers[last_sample, j]]))
        expected.append(edges_between(tree, is_second.astype(int), 2)[0, 1])
    # Sums of fractions in two orders.
    assert part.weights(columns, [1, 2, 3]) == pytest.approx(expected, rel=1e-12)


def test_ranks_name_the_values():
    numbers = np.array([[3.0, -1.0], [2.0, -1.0], [3.0, 7.5]])
    columns = RankedColumns.of(numbers)
    assert columns.ranks.tolist() == [[1, 0, 1], [0, 0, 1]]
    for j in range(2):
        assert np.array_equal(columns.values_of(j)[columns.ranks[j]], numbers[:, j])
