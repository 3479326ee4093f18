"""I(F;C) of whole sets by Parzen windows: the plain definition, interactions of three features, odd classes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.methods.by_samples.parzen.test_pairs import KERNELS, density, uneven_columns

from bitsieve.counts.kernels import ENVIRONMENT_VARIABLE
from bitsieve.methods.by_samples.dominant_sets import choose_from_sets
from bitsieve.methods.by_samples.parzen.joint import JointInformation, mean_log2
from bitsieve.methods.by_samples.parzen.pairs import ParzenPairs
from bitsieve.methods.by_samples.parzen.second_order import SecondOrderInformation
from bitsieve.methods.by_samples.parzen.windows import width
from bitsieve.methods.by_samples.rows import standardize

SIZES = np.array([60, 35, 55])
EXACT = 1e-9  # rounding: a thousand steps of 1e-16 on exponents of some hundreds


def defined(values, columns, sizes, *, posterior, bandwidth="scott"):
    points, classes = values[columns].T, np.repeat(np.arange(len(sizes)), sizes)
    d, n = len(columns), len(points)
    densities = [density(points[classes == c], points, width(bandwidth, size, d)) for c, size in enumerate(sizes)]
    shares = sizes / n
    mixed = shares @ densities
    if posterior:
        given = shares[:, None] * densities / mixed
        told = np.where(given > 0, given * np.log2(np.where(given > 0, given, 1)), 0).sum(axis=0)
        return -(shares * np.log2(shares)).sum() + told.mean()
    return np.log2(np.array(densities)[classes, np.arange(n)] / mixed).mean()


@pytest.mark.parametrize("posterior", [False, True])
@pytest.mark.parametrize("bandwidth", ["scott", "log", 0.7])
def test_definition(posterior, bandwidth):
    values = uneven_columns()
    joint, chosen = JointInformation(values, SIZES, bandwidth, posterior=posterior), []
    for feature in (3, 0, 1, 4):
        left = np.setdiff1d(np.arange(5), chosen)
        expected = [defined(values, [*chosen, int(j)], SIZES, posterior=posterior, bandwidth=bandwidth) for j in left]
        assert joint.information(left) == pytest.approx(expected, abs=EXACT)
        joint.add(feature)
        chosen.append(feature)


@pytest.mark.parametrize("kernel", KERNELS)
def test_same_bits_on_any_instruction_set_and_threads(kernel, monkeypatch):
    values = uneven_columns()

    def run(kernel, n_jobs):
        monkeypatch.setenv(ENVIRONMENT_VARIABLE, kernel)
        return choose_from_sets([np.arange(5)], JointInformation(values, SIZES, n_jobs=n_jobs), 5)

    plain, other = run("portable", None), run(kernel, 3)
    assert other.order.tolist() == plain.order.tolist()
    assert other.scores.tobytes() == plain.scores.tobytes()


def test_candidates_in_parts(monkeypatch):
    values = uneven_columns()
    whole = JointInformation(values, SIZES).information(np.arange(5))
    monkeypatch.setattr("bitsieve.methods.by_samples.parzen.joint.MAX_DENSITY_BYTES", 1)
    assert JointInformation(values, SIZES).information(np.arange(5)).tobytes() == whole.tobytes()


def signs(n=400, seed=0):
    """Three features whose signs' product is the class, and a fourth that tells a little by itself."""
    random = np.random.default_rng(seed)
    codes = random.choice([-1.0, 1.0], (n, 3))
    y = codes.prod(axis=1) > 0
    X = np.column_stack([codes + 0.1 * random.standard_normal((n, 3)), random.standard_normal(n) + 0.2 * y])
    order = np.argsort(y, kind="stable")
    return standardize(X)[:, order], np.bincount(y)


def test_interaction_of_three_is_seen_by_the_whole_and_missed_by_the_second_order():
    values, sizes = signs()
    joint, second = JointInformation(values, sizes, 0.3), SecondOrderInformation(values, sizes, 0.3)
    for scores in (joint, second):
        scores.add(0)
        scores.add(1)
    assert joint.information(np.array([2]))[0] > 0.9  # of 1 bit
    assert joint.information(np.array([2]))[0] > joint.information(np.array([3]))[0] + 0.5
    assert abs(second.information(np.array([2]))[0]) < 0.25


def test_second_order_is_the_sum_of_its_terms():
    values = uneven_columns()
    second = SecondOrderInformation(values, SIZES, n_jobs=2)
    alone = JointInformation(values, SIZES).information(np.arange(5))
    ends = np.cumsum([0, *SIZES])
    within = [ParzenPairs(values[:, a:b]) for a, b in itertools.pairwise(ends)]

    def pair(i, j):
        at = np.array([j])
        shared = ParzenPairs(values).information(i, at)[0]
        return sum(size / 150 * each.information(i, at)[0] for size, each in zip(SIZES, within, strict=True)) - shared

    assert second.information(np.arange(5)) == pytest.approx(alone, abs=EXACT)
    second.add(2)
    second.add(4)
    expected = alone[[2, 4, 1]].sum() + pair(2, 4) + pair(2, 1) + pair(4, 1)
    assert second.information(np.array([1]))[0] == pytest.approx(expected, abs=EXACT)


def test_classes_of_one_sample_and_more_features_than_samples():
    """The ridge keeps every covariance regular; each value stays between 0 and H(C) where the bound is exact."""
    values = standardize(np.random.default_rng(0).standard_normal((12, 20)))
    sizes = np.array([1, 5, 6])
    found = choose_from_sets([np.arange(20)], JointInformation(values, sizes), 20)
    assert sorted(found.order.tolist()) == list(range(20))
    assert np.isfinite(found.scores).all()


def test_duplicates_add_nothing():
    random = np.random.default_rng(0)
    x = random.standard_normal(200)
    y = np.sort(random.integers(0, 2, 200))
    x += y
    values = standardize(np.column_stack([x, x, random.standard_normal(200) + y]))
    found = choose_from_sets([np.arange(3)], JointInformation(values, np.bincount(y)), 3)
    assert found.order.tolist() == [2, 0, 1]
    assert found.scores[2] < 0.1 < found.scores[1]


def test_sets_one_after_another_and_until_negative():
    class Table:
        """I(S;C) = the sum of these numbers."""

        reached, worth = 0.0, np.array([0.1, 0.5, 0.5, -0.2, 0.3])

        def information(self, candidates):
            return self.reached + self.worth[candidates]

        def add(self, feature):
            self.reached += self.worth[feature]

    sets = [np.array([2, 3]), np.array([0, 1, 4])]
    assert choose_from_sets(sets, Table(), 4).order.tolist() == [2, 3, 1, 4]
    assert choose_from_sets(sets, Table(), 9).scores == pytest.approx([0.5, -0.2, 0.5, 0.3, 0.1])
    assert choose_from_sets(sets, Table(), 9, until_negative=True).order.tolist() == [2]


def test_mean_log2():
    values = 1 + 3 * np.random.default_rng(0).random(1001)
    assert mean_log2(values) == pytest.approx(np.log2(values).mean(), abs=1e-14)
