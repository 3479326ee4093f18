"""Bounds on the Bayes error hold the truth between them."""

import numpy as np
import pytest
from tests.methods.by_samples.spanning_tree.densities import bayes_error, draw_classes

from bitsieve.methods.by_samples.spanning_tree.bayes_error import (
    divergence,
    global_bounds,
    pairwise_bounds,
    two_class_bounds,
)


def test_the_formulas_on_one_count():
    m, n, cross = 30, 20, 12.0
    assert divergence(cross, m, n) == pytest.approx(1 - 12 * 50 / 1200)
    lower, upper = two_class_bounds(cross, m, n)
    assert upper == pytest.approx(cross / (m + n))
    assert lower == pytest.approx(0.5 - np.sqrt(1 - 2 * cross / (m + n)) / 2)
    assert lower <= upper


def test_more_cross_edges_than_chance_count_as_no_divergence():
    assert divergence(40.0, 20, 20) < 0
    lower, upper = two_class_bounds(np.array([20.0, 40.0]), 20, 20)
    assert lower.tolist() == [0.5, 0.5]
    assert upper.tolist() == [0.5, 0.5]
    assert two_class_bounds(40.0, 10, 30)[1] == pytest.approx(2 * 0.25 * 0.75)


def test_for_two_classes_one_tree_and_a_tree_for_each_pair_are_the_same():
    points, classes = draw_classes(301, [(0, 0), (1, 1)], 0.0, np.random.default_rng(0))
    # Two ways to write one number.
    assert pairwise_bounds(points, classes, 2) == pytest.approx(global_bounds(points, classes, 2), rel=1e-12)


@pytest.mark.parametrize("bounds", [pairwise_bounds, global_bounds])
@pytest.mark.parametrize("means", [[(0, 0), (2, 0)], [(0, 0), (2, 0), (1, 2)], [(0, 0), (1, 0), (0, 1), (1, 1)]])
def test_the_truth_lies_between(bounds, means):
    points, classes = draw_classes(4000, means, 0.0, np.random.default_rng(1))
    truth = bayes_error(means)
    lower, upper = bounds(points, classes, len(means))
    assert lower - 0.01 <= truth <= upper + 0.01


def test_one_tree_bounds_tighter_than_a_tree_for_each_pair():
    means = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 2)]
    points, classes = draw_classes(3000, means, 0.0, np.random.default_rng(2))
    one, pairs = global_bounds(points, classes, 5), pairwise_bounds(points, classes, 5)
    assert one.upper - one.lower < pairs.upper - pairs.lower


@pytest.mark.parametrize("bounds", [pairwise_bounds, global_bounds])
def test_equal_points_leave_chance_and_distant_classes_nothing(bounds):
    classes = np.tile([0, 1, 2], 40)
    assert bounds(np.zeros((120, 2)), classes, 3).upper >= 2 / 3 - 1e-12
    lower, upper = bounds(1000.0 * classes[:, None] + np.random.default_rng(3).random((120, 1)), classes, 3)
    assert 0 <= lower <= upper <= 3 / 120 + 1e-12
