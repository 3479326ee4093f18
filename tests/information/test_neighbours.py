"""Information without bins: the definitions by brute force, closed forms, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma

import bitsieve
from bitsieve.information.neighbours import Variable, between, conditional

NATS = np.log(2)


def distances(variable):
    differences = np.abs(variable.values[:, None] - variable.values)
    return (differences > 0).astype(float) if variable.categorical else differences


def others_within(distance, radius, *, strictly=False):
    near = distance < radius[:, None] if strictly else distance <= radius[:, None]
    np.fill_diagonal(near, False)
    return near.sum(axis=1)


def kth(distance, k):
    return np.sort(distance, axis=1)[:, k]  # place 0 is the sample itself


def numbers(rng, n, *, rounded=None):
    values = rng.normal(size=n)
    return Variable.of(values if rounded is None else values.round(rounded), categorical=False)


@pytest.mark.parametrize("n", [5, 60, 200])
@pytest.mark.parametrize("k", [1, 3])
def test_numbers_without_ties_follow_the_definition_of_kraskov(n, k):
    rng = np.random.default_rng(n)
    x, y = numbers(rng, n), numbers(rng, n)
    radius = kth(np.maximum(distances(x), distances(y)), k)
    near = [digamma(others_within(distances(v), radius, strictly=True) + 1) for v in (x, y)]
    expected = (digamma(k) + digamma(n) - np.mean(near[0] + near[1])) / NATS
    assert between(x, y, k) == pytest.approx(expected, abs=1e-12)  # sums of n numbers of some bits


@pytest.mark.parametrize("k", [1, 3])
def test_numbers_and_classes_follow_the_definition_of_ross(k):
    rng = np.random.default_rng(1)
    codes = rng.choice(4, 120, p=[0.6, 0.3, 0.08, 0.02])
    codes[7] = 9  # a class of one sample, left out
    x, c = numbers(rng, 120), Variable.of(codes, categorical=True)
    kept = np.bincount(codes)[codes] > 1
    distance, labels = distances(x)[np.ix_(kept, kept)], codes[kept]
    terms = []
    for i, label in enumerate(labels):
        own = np.sort(distance[i, labels == label])
        nearest = min(k, len(own) - 1)
        m = (distance[i] < own[nearest]).sum()  # itself among them
        terms.append(digamma(nearest) - digamma(len(own)) - digamma(m))
    expected = (digamma(len(labels)) + np.mean(terms)) / NATS
    assert between(x, c, k) == pytest.approx(expected, abs=1e-12)  # sums of n numbers of some bits
    assert between(c, x, k) == between(x, c, k)


@pytest.mark.parametrize("kinds", ["tied tied", "tied codes", "codes codes", "plain tied"])
def test_values_that_occur_twice_follow_the_definition_of_mesner_and_shalizi(kinds):
    rng = np.random.default_rng(2)
    make = {
        "tied": lambda: numbers(rng, 150, rounded=1),
        "plain": lambda: numbers(rng, 150),
        "codes": lambda: Variable.of(rng.integers(0, 5, 150), categorical=True),
    }
    x, y = (make[kind]() for kind in kinds.split())
    both = np.maximum(distances(x), distances(y))
    radius = kth(both, 3)
    terms = [digamma(others_within(d, radius)) for d in (both, distances(x), distances(y))]
    expected = (digamma(150) + np.mean(terms[0] - terms[1] - terms[2])) / NATS
    assert between(x, y) == pytest.approx(expected, abs=1e-12)  # sums of n numbers of some bits


@pytest.mark.parametrize("given", ["numbers", "codes"])
def test_conditional_information_follows_its_definition(given):
    rng = np.random.default_rng(3)
    x, y = numbers(rng, 150), numbers(rng, 150, rounded=1)
    z = numbers(rng, 150) if given == "numbers" else Variable.of(rng.integers(0, 3, 150), categorical=True)
    dx, dy, dz = distances(x), distances(y), distances(z)
    xyz = np.maximum(np.maximum(dx, dy), dz)
    radius = kth(xyz, 3)
    terms = [digamma(others_within(d, radius)) for d in (xyz, np.maximum(dx, dz), np.maximum(dy, dz), dz)]
    expected = np.mean(terms[0] - terms[1] - terms[2] + terms[3]) / NATS
    assert conditional(x, y, z) == pytest.approx(expected, abs=1e-12)  # sums of n numbers of some bits


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_normal_variables_have_their_closed_form(rho):
    rng = np.random.default_rng(4)
    x, noise = rng.normal(size=(2, 4000))
    y = rho * x + np.sqrt(1 - rho**2) * noise
    found = bitsieve.mutual_information(x[:, None], y, estimator="ksg")[0]
    # over 200 seeds the standard deviation at N = 4,000 was under 0.03 bits
    assert found == pytest.approx(-0.5 * np.log2(1 - rho**2), abs=0.1)


def test_scale_and_place_do_not_matter():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(300, 2)), rng.normal(size=300)
    found = bitsieve.mutual_information(X, y, estimator="ksg")
    scaled = bitsieve.mutual_information(X * 2.0**300, y * 2.0**-300, estimator="ksg")
    assert scaled.tolist() == found.tolist()  # powers of two round nothing


@pytest.mark.parametrize("seed", range(5))
def test_numbers_are_measured_in_their_standard_deviation(seed):
    """Whatever their unit: the same neighbours, and the same distances but for the rounding of a product."""
    values = np.random.default_rng(seed).normal(size=50) ** 3
    for unit in (3.0, 0.01, 2.0**-40, 7e20):
        found = Variable.of(values * unit, categorical=False).values
        np.testing.assert_allclose(found, values / values.std(), rtol=1e-13)  # three roundings and a sum of squares


def test_columns_of_all_kinds_stand_in_the_order_of_the_table():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(6)
    y = rng.choice(["no", "yes"], 400)
    frame = pandas.DataFrame(
        {
            "noise": rng.normal(size=400),
            "word": np.where(rng.random(400) < 0.9, y, "other"),
            "constant": 3.0,
            "shifted": rng.normal(size=400) + 3 * (y == "yes"),
        }
    )
    noise, word, constant, shifted = bitsieve.mutual_information(frame, y, estimator="ksg")
    assert constant == 0
    assert min(word, shifted) > 0.5 > abs(noise)


def test_exclusive_or_is_found_by_the_conditional_matrix():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(600, 3))
    matrix = bitsieve.conditional_mutual_information_matrix(X, X[:, 0] * X[:, 1] > 0, estimator="ksg")
    assert matrix[0, 1] > 0.6 > 0.2 > np.abs(matrix[[0, 1, 2], [0, 1, 2]]).max()
    assert abs(matrix[2, 0]) < 0.2


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"sample_weight": [1] * 6}, "takes no sample_weight: repeat the rows"),
        ({"binning": "quantile"}, "binning='quantile' has no meaning with estimator='ksg': leave it out"),
        ({"X": [[1.0], [np.nan], [2.0], [3.0], [4.0], [5.0]]}, "missing"),
        ({"y": None}, "a target is needed"),
        ({"X": "table.csv", "y": "y"}, "needs all rows at once: give an array or a dataframe"),
    ],
)
def test_what_neighbours_cannot_have_is_refused(changed, message):
    given = {"X": [[1.0], [2.0], [3.0], [5.0], [8.0], [9.0]], "y": [0, 1, 0, 1, 0, 1], **changed}
    with pytest.raises(ValueError, match=message):
        bitsieve.mutual_information(estimator="ksg", **given)


def test_constants_share_nothing_at_a_known_third():
    rng = np.random.default_rng(1)
    constant, x, z = Variable.of(np.ones(30), categorical=False), numbers(rng, 30), numbers(rng, 30)
    assert conditional(constant, x, z) == conditional(x, constant, z) == 0.0


def test_categories_of_one_sample_each_have_no_neighbours():
    names = Variable.of(np.arange(12), categorical=True)
    assert between(numbers(np.random.default_rng(2), 12), names) == 0.0
