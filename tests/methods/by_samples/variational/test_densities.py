"""Bounds on densities against scipy's kernels and the formulas, and mixed tables."""

from __future__ import annotations

from math import fsum, log2

import numpy as np
import pytest
from scipy.stats import norm

from bitsieve.methods.by_samples.variational.bounds import variational_select
from bitsieve.methods.by_samples.variational.codes import CodeTable, NaiveBound, PairwiseBound
from bitsieve.methods.by_samples.variational.densities import DensityBound, DensityTable

# bits: 2^x of 4e-14 and roundings of some hundred logarithms of size 10, in two programs.
ROUNDING = 1e-11


def problem(seed, n=60):
    random = np.random.default_rng(seed)
    classes = np.sort(random.integers(0, 3, n))
    numbers = random.standard_normal((3, n)) * [[1], [5], [0.1]] + classes * [[1], [0], [0.1]]
    codes = (random.integers(0, 3, (2, n)) + classes * [[1], [0]]) % 3
    return np.vstack([numbers, codes]), np.array([True] * 3 + [False] * 2), classes


def kernel(values, numeric, classes, j, c, dimensions, factor):
    """k(x_n, x_j) of all samples n and the points j of class c."""
    points = values[j, classes == c]
    if not numeric[j]:
        return (values[j][:, None] == points).astype(float)
    width = factor(len(points), dimensions) * points.std(ddof=1)
    return norm.pdf(values[j][:, None], points, width)


def bound_by_formula(values, numeric, classes, chosen, pairwise, factor):
    n = len(classes)
    q = np.empty((n, 3))
    for c in range(3):
        q[:, c] = 1.0
        for place, f in enumerate(chosen):
            if not pairwise or place == 0:
                q[:, c] *= kernel(values, numeric, classes, f, c, int(numeric[f]), factor).mean(axis=1)
                continue
            for s in chosen[:place]:
                dimensions = int(numeric[f]) + int(numeric[s])
                of_s = kernel(values, numeric, classes, s, c, dimensions, factor)
                joint = kernel(values, numeric, classes, f, c, dimensions, factor) * of_s
                margin = of_s.sum(axis=1)
                q[:, c] *= np.where(margin > 0, joint.sum(axis=1) / np.where(margin > 0, margin, 1), 1) ** (1 / place)
    mixed = q @ (np.bincount(classes) / n)
    return fsum(np.log2(q[np.arange(n), classes] / mixed)) / n


FACTORS = {
    "scott": lambda n, d: n ** (-1 / (d + 4)),
    "silverman": lambda n, d: (4 / (d + 2) / n) ** (1 / (d + 4)),
    0.7: lambda n, d: 0.7,
}


@pytest.mark.each_value
@pytest.mark.parametrize("bandwidth", FACTORS)
@pytest.mark.parametrize("pairwise", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_by_the_formulas(seed, pairwise, bandwidth):
    values, numeric, classes = problem(seed)
    table = DensityTable(values, numeric, np.bincount(classes), bandwidth, None)
    found = variational_select(DensityBound(table, pairwise=pairwise), 5)
    for size in range(1, 6):
        chosen = found.selected[:size].tolist()
        others = [f for f in range(5) if f not in chosen[:-1]]
        expected = [
            bound_by_formula(values, numeric, classes, [*chosen[:-1], f], pairwise, FACTORS[bandwidth]) for f in others
        ]
        assert abs(found.scores[size - 1] - max(expected)) <= ROUNDING
        assert others[int(np.argmax(expected))] == chosen[-1]


@pytest.mark.parametrize("pairwise", [False, True])
def test_categories_alone_are_codes(pairwise):
    """Without numbers the two ways to the bound are one."""
    random = np.random.default_rng(0)
    classes = np.sort(random.integers(0, 3, 100))
    codes = (random.integers(0, 4, (6, 100)) + (classes * (random.random((6, 100)) < 0.5))) % 4
    sizes = np.bincount(classes).astype(np.int64)
    table = DensityTable(codes.astype(float), np.zeros(6, bool), sizes, "scott", None)
    found = variational_select(DensityBound(table, pairwise=pairwise), 6)
    bound = (PairwiseBound if pairwise else NaiveBound)(CodeTable(codes.T.astype(np.uint8), sizes, None))
    expected = variational_select(bound, 6)
    assert found.selected.tolist() == expected.selected.tolist()
    assert np.abs(found.scores - expected.scores).max() <= ROUNDING


def test_conditional_density_integrates_to_one():
    """The margin of the joint estimate is its denominator: over x, p(x|x_s,c) has area 1 at any x_s."""
    random = np.random.default_rng(0)
    grid = np.linspace(-12, 12, 4001)
    a, b = random.standard_normal((2, 30))
    # One class of 30 points, the other of the grid: what the kernels of the first give on the second is its density.
    values = np.vstack([np.concatenate([a, grid]), np.concatenate([b, np.full(len(grid), 0.3)])])
    values[1, 30:] += 1e-9 * grid  # a width within the second class, which nothing here looks at
    table = DensityTable(values, np.ones(2, bool), np.array([30, len(grid)]), "scott", None)
    joint = table.log_kernel_sums("portable", 0, 1, 0, 2) - table.log_kernel_sums("portable", 1, None, 0, 2)
    density = np.exp2(joint[30:] + table.log_kernel_at_zero(0, 0, 2))
    assert abs(np.trapezoid(density, grid) - 1) <= 1e-6  # the ends of the grid


def test_far_points_underflow_nothing():
    """Classes a thousand widths apart: the density of the other is 2^-700000 and not 0, and the bound H(C)."""
    random = np.random.default_rng(0)
    classes = np.repeat([0, 1], 20)
    values = random.standard_normal((2, 40)) + 1000.0 * classes
    table = DensityTable(values, np.ones(2, bool), np.array([20, 20]), "scott", None)
    assert np.isfinite(table.log_kernel_sums("portable", 0, None, 0, 1)).all()
    found = variational_select(DensityBound(table, pairwise=True), 2)
    assert found.scores == pytest.approx([1, 1], abs=ROUNDING)


def test_units_do_not_matter():
    values, numeric, classes = problem(1)
    sizes = np.bincount(classes)
    plain = variational_select(DensityBound(DensityTable(values, numeric, sizes, "scott", None), pairwise=True), 5)
    scaled = values * np.where(numeric, 2.0**10, 1)[:, None]  # a power of two: no rounding differs
    other = variational_select(DensityBound(DensityTable(scaled, numeric, sizes, "scott", None), pairwise=True), 5)
    assert other.selected.tolist() == plain.selected.tolist()
    assert np.abs(other.scores - plain.scores).max() <= ROUNDING


def test_constant_columns_come_last_and_need_no_width():
    values, numeric, classes = problem(2)
    values[[0, 4]] = 7
    for pairwise in (False, True):
        table = DensityTable(values, numeric, np.bincount(classes), "scott", None)
        found = variational_select(DensityBound(table, pairwise=pairwise), 5)
        assert found.selected[3:].tolist() == [0, 4]
        assert found.scores[3:] == pytest.approx(found.scores[2], abs=ROUNDING)


def test_no_width():
    values, numeric, classes = problem(0)
    values[1, classes == 2] = 4.0
    table = DensityTable(values, numeric, np.bincount(classes), "scott", None)
    assert np.argwhere(table.deviations == 0).tolist() == [[1, 2]]


def test_one_point_kernel():
    """The density of one more point at distance u is 2^(-(su)^2) times its height: the normal law's."""
    values, numeric, classes = problem(0)
    table = DensityTable(values, numeric, np.bincount(classes), "scott", None)
    width = values[0, classes == 1].std(ddof=1) * (classes == 1).sum() ** -0.2
    for u in (0.0, 0.3, 2.0):
        log_density = table.log_kernel_at_zero(0, 1, 1) - (table.scale(0, 1, 1) * u) ** 2
        assert abs(log_density - log2(norm.pdf(u, 0, width))) <= 1e-12  # roundings of a handful of operations
