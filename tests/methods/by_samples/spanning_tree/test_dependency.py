"""The dependency of two features given the class: the algorithm as it is told, the integral it estimates, the draws."""

import numpy as np
import pytest
from tests.methods.by_samples.spanning_tree.densities import conditional_dependency, dependency_bound, draw_classes

from bitsieve.methods.by_samples.spanning_tree.dependency import PRIORS, Draw, dependency_matrix
from bitsieve.methods.by_samples.spanning_tree.tree import RankedColumns, edges_between, minimum_spanning_tree

MEANS = [(0.0, 0.0), (1.5, -1.0)]


def data(n_samples=101, n_columns=4, n_classes=3, seed=0):
    random = np.random.default_rng(seed)
    numbers = random.normal(size=(n_samples, n_columns))
    numbers[:, 1] += numbers[:, 0]
    classes = random.integers(0, n_classes, n_samples)
    return numbers + classes[:, None], classes, Draw.of(classes, random)


def algorithm_1(x, y, classes, draw, priors):
    """Step by step as in the paper: edges by class, delta, and the sum over the classes."""
    n_classes, n = classes.max() + 1, len(draw.original)
    points = np.vstack(
        [np.column_stack([x, y])[draw.original], np.column_stack([x[draw.permuted], y[draw.partner]])],
    )
    first, second = classes[draw.original], classes[draw.permuted]
    labels = np.concatenate([first, n_classes + second])
    cross = edges_between(minimum_spanning_tree(points), labels, 2 * n_classes)[:n_classes, n_classes:]
    in_first, in_second = (np.bincount(own, minlength=n_classes) for own in (first, second))
    total = 0.0
    for z in range(n_classes):
        for y_ in range(n_classes):
            if in_first[z] and in_second[y_]:
                delta = n * cross[z, y_] / (2 * in_first[z] * in_second[y_])
                if priors == "halves":
                    total += in_first[z] / n * in_second[y_] / n * delta
                else:
                    total += np.mean(classes == z) * np.mean(classes == y_) * delta
    return 1 - 2 * total


@pytest.mark.parametrize("priors", PRIORS)
@pytest.mark.parametrize("grid", [False, True])
def test_every_pair_is_algorithm_1(priors, grid):
    numbers, classes, draw = data()
    if grid:
        numbers = np.round(numbers)
    matrix = dependency_matrix(RankedColumns.of(numbers), classes, [draw], priors=priors)
    assert np.array_equal(matrix, matrix.T)
    assert (np.diagonal(matrix) == 0).all()
    for s in range(4):
        for t in range(s + 1, 4):
            expected = algorithm_1(numbers[:, s], numbers[:, t], classes, draw, priors)
            assert matrix[s, t] == pytest.approx(expected, rel=1e-12, abs=1e-12)  # sums in two orders


def test_with_priors_of_the_halves_a_bound_is_one_less_the_share_of_cross_edges():
    numbers, classes, draw = data()
    bound = dependency_matrix(RankedColumns.of(numbers), classes, [draw])[0, 1]
    edges = (1 - bound) * len(draw.original)
    assert edges == pytest.approx(round(edges), abs=1e-9)  # a whole number, through a division


def test_a_class_that_one_half_lacks_does_not_break_the_bound():
    numbers, classes, draw = data(n_samples=40)
    classes[draw.original] %= 2
    classes[draw.permuted[0]] = 2  # alone: its own partner
    draw = Draw(draw.original, draw.permuted, draw.permuted)
    for priors in PRIORS:
        bound = dependency_matrix(RankedColumns.of(numbers), classes, [draw], priors=priors)[0, 1]
        assert bound == pytest.approx(algorithm_1(numbers[:, 0], numbers[:, 1], classes, draw, priors), abs=1e-12)


def test_the_mean_over_draws():
    numbers, classes, _ = data()
    random = np.random.default_rng(5)
    draws = [Draw.of(classes, random) for _ in range(3)]
    columns = RankedColumns.of(numbers)
    singles = [dependency_matrix(columns, classes, [draw]) for draw in draws]
    # Sums divided by three in two orders.
    assert dependency_matrix(columns, classes, draws) == pytest.approx(np.mean(singles, axis=0), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_the_bits_do_not_depend_on_the_threads(n_jobs):
    numbers, classes, draw = data(n_samples=500, n_columns=12)
    columns = RankedColumns.of(np.round(numbers, 1))
    steps = []
    one = dependency_matrix(columns, classes, [draw], priors="pooled")

    def step(done, total):
        steps.append((done, total))

    many = dependency_matrix(columns, classes, [draw], priors="pooled", n_jobs=n_jobs, progress=step)
    assert np.array_equal(one, many)
    assert steps == [(i, len(steps)) for i in range(1, len(steps) + 1)]


def test_the_order_of_the_samples_does_not_matter_given_the_draw():
    numbers, classes, draw = data()
    order = np.random.default_rng(1).permutation(len(classes))
    place = np.argsort(order)
    moved = Draw(place[draw.original[::-1]], place[draw.permuted], place[draw.partner])
    one = dependency_matrix(RankedColumns.of(numbers), classes, [draw])
    other = dependency_matrix(RankedColumns.of(numbers[order]), classes[order], [moved])
    assert np.array_equal(one, other)


def test_features_independent_within_the_classes_have_none():
    random = np.random.default_rng(6)
    numbers, classes = draw_classes(3000, MEANS, 0.0, random)
    bounds = [
        dependency_matrix(RankedColumns.of(numbers), classes, [Draw.of(classes, random)])[0, 1] for _ in range(10)
    ]
    assert abs(np.mean(bounds)) < 4 * np.std(bounds) / np.sqrt(len(bounds))


def test_a_feature_and_its_copy_depend_wholly():
    x = np.random.default_rng(7).normal(size=1000)
    classes = np.zeros(1000, int)
    draw = Draw.of(classes, np.random.default_rng(8))
    bound = dependency_matrix(RankedColumns.of(np.column_stack([x, x])), classes, [draw])[0, 1]
    assert bound > 0.85  # the permuted points fill a square, the others its diagonal


@pytest.mark.parametrize("correlation", [0.6, 0.9])
def test_the_estimate_comes_near_the_integral(correlation):
    random = np.random.default_rng(9)
    truth = dependency_bound(MEANS, correlation)
    errors = {}
    for n_samples in (200, 3000):
        bounds = []
        for _ in range(12):
            numbers, classes = draw_classes(n_samples, MEANS, correlation, random)
            bounds.append(
                dependency_matrix(RankedColumns.of(numbers), classes, [Draw.of(classes, random)])[0, 1],
            )
        errors[n_samples] = np.mean((np.array(bounds) - truth) ** 2)
    assert errors[3000] < errors[200] / 5
    assert errors[3000] < 0.02**2


def test_the_bound_is_below_the_conditional_dependency():
    for correlation in (0.3, 0.6, 0.9):
        assert dependency_bound(MEANS, correlation) <= conditional_dependency(MEANS, correlation) + 1e-9


def test_on_few_distinct_values_the_estimate_is_that_of_the_frequencies():
    """Equal points count by expectation, so the bound goes to the divergence of the two discrete distributions."""
    random = np.random.default_rng(10)
    n = 20_000
    x = random.integers(0, 3, n)
    y = np.where(random.random(n) < 0.5, x, random.integers(0, 3, n))
    classes = random.integers(0, 2, n)
    numbers = np.column_stack([x, y]).astype(float)
    bound = dependency_matrix(RankedColumns.of(numbers), classes, [Draw.of(classes, random)])[0, 1]
    joint = np.full((3, 3), 1 / 18) + np.eye(3) / 6
    product = np.full((3, 3), 1 / 9)
    truth = 1 - 2 * (joint * product / (joint + product)).sum()
    assert truth > 0.05
    assert bound == pytest.approx(truth, abs=0.01)
