"""Forward selection of the smallest sum of error bounds over the pairs of classes."""

from itertools import combinations

import numpy as np
import pytest

from bitsieve.methods.by_samples.spanning_tree.bayes_error import ClassPairs, forward_selection, two_class_bounds
from bitsieve.methods.by_samples.spanning_tree.tree import RankedColumns, edges_between, minimum_spanning_tree


def data(grid=False):
    random = np.random.default_rng(0)
    classes = random.integers(0, 3, 150)
    numbers = random.normal(size=(150, 7))
    numbers[:, 4] += 2 * (classes == 1)
    numbers[:, 2] += 2 * (classes == 2)
    return (np.round(numbers) if grid else numbers), classes


def bound_sum(numbers, classes, chosen, weighted):
    total = 0.0
    for a, b in combinations(range(classes.max() + 1), 2):
        pair = (classes == a) | (classes == b)
        is_b = (classes[pair] == b).astype(int)
        cross = edges_between(minimum_spanning_tree(numbers[pair][:, chosen]), is_b, 2)[0, 1]
        upper = two_class_bounds(cross, int((is_b == 0).sum()), int(is_b.sum()))[1]
        total += upper * (pair.mean() if weighted else 1.0)
    return total


@pytest.mark.parametrize("grid", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_step_takes_the_smallest_sum(grid, weighted):
    numbers, classes = data(grid)
    order, sums = forward_selection(ClassPairs(RankedColumns.of(numbers), classes, weighted), 4)
    chosen = []
    for feature, value in zip(order.tolist(), sums.tolist(), strict=True):
        tried = {f: bound_sum(numbers, classes, [*chosen, f], weighted) for f in range(7) if f not in chosen}
        assert value == pytest.approx(min(tried.values()), abs=1e-10)  # sums in two orders
        assert feature == min(f for f, bound in tried.items() if bound <= value + 1e-10)
        chosen.append(feature)
    if not grid:
        assert set(chosen[:2]) == {2, 4}


def test_the_bits_do_not_depend_on_the_threads_and_progress_ends_at_all():
    numbers, classes = data()
    columns = RankedColumns.of(numbers)
    steps = []
    one = forward_selection(ClassPairs(columns, classes), 7)
    two = forward_selection(ClassPairs(columns, classes), 7, n_jobs=3, progress=lambda *step: steps.append(step))
    assert np.array_equal(one[0], two[0])
    assert np.array_equal(one[1], two[1])
    assert steps == sorted(steps)
    assert steps[-1] == (28, 28)


def test_constant_columns_tie_and_the_lowest_is_taken():
    numbers, classes = data()
    numbers[:, [1, 3, 6]] = 5.0
    order, _ = forward_selection(ClassPairs(RankedColumns.of(numbers[:, [6, 3, 1]]), classes), 3)
    assert order.tolist() == [0, 1, 2]
