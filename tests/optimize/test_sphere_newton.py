"""Newton's method on spheres: gradient, stationary points, and that it climbs."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.optimize.sphere import QuadraticOnSpheres, Tangent, climb, inner, multipliers, retract


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
