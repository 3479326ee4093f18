"""Unit vectors whose first entries have a given sum: projection, retraction, and Newton's method, which climbs."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.optimize.sphere import QuadraticOnSpheres, Tangent, climb, inner, multipliers, normalised, retract

ROUNDING = 1e-12  # of sums of some hundred products of numbers near 1


def some_vectors(n=40, r=5, total=-7.0, seed=0):
    return retract(np.random.default_rng(seed).standard_normal((n, r)), total)


@pytest.mark.parametrize("total", [-40 + 1e-6, -39.0, -7.5, 0.0, 12.0, 39.0, 40 - 1e-6])
@pytest.mark.parametrize("r", [1, 2, 6])
def test_retraction_reaches_the_set(total, r):
    moved = retract(np.random.default_rng(1).standard_normal((40, r)) + 0.3, total)
    assert np.abs((moved**2).sum(axis=1) - 1).max() <= ROUNDING
    if r > 1:  # in one dimension only sums of signs can be reached
        assert abs(moved[:, 0].sum() - total) <= ROUNDING


def test_retraction_leaves_the_set_alone():
    vectors = some_vectors()
    assert np.abs(retract(vectors, -7.0) - vectors).max() <= ROUNDING


def test_retraction_follows_a_tangent_to_the_second_order():
    vectors = some_vectors()
    direction = Tangent(vectors).project(np.random.default_rng(2).standard_normal(vectors.shape))
    errors = [np.abs(retract(vectors + t * direction, -7.0) - vectors - t * direction).max() for t in (1e-2, 1e-3)]
    assert errors[1] <= errors[0] / 50  # second order: a tenth of the step, a hundredth of the error


def test_projection():
    vectors = some_vectors()
    tangent = Tangent(vectors)
    random = np.random.default_rng(3)
    given, other = random.standard_normal((2, *vectors.shape))
    kept = tangent.project(given)
    assert np.abs((kept * vectors).sum(axis=1)).max() <= ROUNDING
    assert abs(kept[:, 0].sum()) <= ROUNDING
    assert np.abs(tangent.project(kept) - kept).max() <= ROUNDING
    assert abs(inner(kept, other) - inner(given, tangent.project(other))) <= ROUNDING  # it is symmetric


def test_vectors_on_the_first_axis_have_no_multiplier():
    vectors = np.column_stack([np.ones(4), np.zeros((4, 2))])
    assert Tangent(vectors).multiplier(np.ones((4, 3))) == 0
    assert Tangent(vectors).project(vectors).tolist() == np.zeros((4, 3)).tolist()


def test_a_row_of_zeros_becomes_the_first_axis():
    assert normalised(np.array([[0.0, 0.0], [3.0, 4.0]])).tolist() == [[1, 0], [0.6, 0.8]]


def problem(n=30, total=-10.0, r=6, seed=0):
    random = np.random.default_rng(seed)
    matrix = random.standard_normal((n, n))
    vectors = retract(random.standard_normal((n, r)), total)
    return QuadraticOnSpheres(matrix + matrix.T, total), vectors


def test_value_by_definition():
    objective, vectors = problem()
    value, _ = objective.value_and_gradient(vectors)
    expected = (objective.matrix * (vectors @ vectors.T)).sum() + 2 * objective.matrix.sum(axis=1) @ vectors[:, 0]
    assert abs(value - expected) <= 1e-10  # two orders of adding 900 numbers near 1


def test_gradient_by_differences():
    objective, vectors = problem()
    _, gradient = objective.value_and_gradient(vectors)
    direction = np.random.default_rng(1).standard_normal(vectors.shape)
    h = 1e-4
    ahead, behind = (objective.value_and_gradient(vectors + t * direction)[0] for t in (h, -h))
    # f is quadratic, so the central difference is exact but for rounding: 1e-13 over h
    assert abs((ahead - behind) / (2 * h) - inner(gradient, direction)) <= 1e-7


@pytest.mark.parametrize("seed", range(4))
def test_ends_stationary_and_higher(seed):
    objective, vectors = problem(seed=seed)
    end = climb(objective, vectors, 1e-9)
    assert objective.value_and_gradient(end)[0] > objective.value_and_gradient(vectors)[0]
    _, gradient = objective.value_and_gradient(end)
    # A step of the least gain that the value (some 500) can show, 1e-13, where curvatures are near 10: 1e-6.
    assert np.abs(Tangent(end).project(gradient)).max() <= 1e-5
    total, lengths = multipliers(end, gradient)
    rest = gradient - 2 * lengths[:, None] * end
    rest[:, 0] -= total
    assert np.abs(rest).max() <= 1e-5  # as above
    assert abs(end[:, 0].sum() - objective.total) <= 1e-12  # rounding of 30 cosines


def test_nowhere_to_go():
    objective = QuadraticOnSpheres(np.zeros((5, 5)), 1.0)
    vectors = retract(np.random.default_rng(0).standard_normal((5, 3)), 1.0)
    assert climb(objective, vectors, 1e-9) is vectors
