"""The mean entropy terms over all shuffles: against their definition, and interpolated between nodes."""

from __future__ import annotations

from fractions import Fraction
from math import comb, log, log2, sqrt

import numpy as np
import pytest
from scipy.stats import hypergeom
from tests.cover import quick_and_slow
from tests.definitions import expected_term_by_series, expected_term_by_summation

from bitsieve.counts.tables import make_entropy_terms
from bitsieve.information.margins import CubicInterpolation, expected_terms, nodes_of

SERIES_FROM = 64  # samples expected in a cell
ROUNDING = 1e-13  # a quantity is a sum of some hundred terms, each right to 2^-52 of itself


def mean_term(n_samples, a, b):
    """The mean of ``n log2 n`` over all draws of a of N samples, b of them marked: by the letter of the definition."""
    draws = Fraction(0)
    for n in range(max(0, a + b - n_samples), min(a, b) + 1):
        chance = Fraction(comb(b, n) * comb(n_samples - b, a - n), comb(n_samples, a))
        draws += chance * Fraction(n * log2(n) if n else 0.0)
    return float(draws)


@pytest.mark.parametrize("n_samples", [1, 2, 7, 40])
def test_mean_terms_by_their_definition(n_samples):
    margins = np.arange(n_samples + 1)
    found = expected_terms(n_samples, margins, margins)
    per_unit = 2.0 ** make_entropy_terms(n_samples).shift
    wanted = [[mean_term(n_samples, a, b) for b in margins.tolist()] for a in margins.tolist()]
    assert found / per_unit == pytest.approx(np.array(wanted), abs=ROUNDING * n_samples)
    assert np.array_equal(found, found.T)


@pytest.mark.parametrize("n_samples", [300, 5_000])
def test_the_series_has_the_moments_of_the_hypergeometric_distribution(n_samples):
    """Mean, variance, skewness and kurtosis are those of scipy."""
    a, b = np.array([n_samples // 2, n_samples // 3, n_samples - 7]), np.array([n_samples // 2, 280, n_samples // 2])
    mean, second, skewness, kurtosis = hypergeom.stats(n_samples, a, b, moments="mvsk")
    third, fourth = skewness * second**1.5, (kurtosis + 3) * second**2
    beyond = second / (2 * mean) - third / (6 * mean**2) + fourth / (12 * mean**3)
    found = [expected_terms(n_samples, a[[i]], b[[i]])[0, 0] for i in range(3)]
    wanted = mean * np.log2(mean) + beyond / log(2)
    # The terms are rounded to 2^-shift; a kurtosis that is wrong by a tenth of a normal one moves them by 1e-6.
    assert np.array(found) / 2.0 ** make_entropy_terms(n_samples).shift == pytest.approx(wanted, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("n_samples", [300, 5_000, 200_000])
def test_the_series_is_as_right_as_the_page_on_numbers_says(n_samples):
    """From 64 samples expected in a cell: the remainder of Taylor's series, by the moments of a binomial variable."""
    a = np.unique(np.geomspace(SERIES_FROM + 1, n_samples - 1, 12).astype(np.int64))
    b = np.minimum(np.ceil(SERIES_FROM * n_samples / a).astype(np.int64), n_samples - 1)
    expected = a * b / n_samples
    kept = expected >= SERIES_FROM
    found = np.array([expected_terms(n_samples, a[[i]], b[[i]])[0, 0] for i in np.flatnonzero(kept)])
    found = found / 2.0 ** make_entropy_terms(n_samples).shift
    for i, (x, y, mean) in enumerate(zip(a[kept].tolist(), b[kept].tolist(), expected[kept].tolist(), strict=True)):
        fourth, sixth = 3 * mean**2 + mean, 15 * mean**3 + 25 * mean**2 + mean
        bound = sqrt(fourth * sixth) / (4 * mean**4) / log(2)
        low = max(0, x + y - n_samples)
        chances = np.ones(min(x, y) - low + 1)
        for n in range(low, min(x, y)):  # of n + 1, relative to that of the least
            ratio = (x - n) * (y - n) / ((n + 1) * (n_samples - x - y + n + 1))
            chances[n - low + 1] = chances[n - low] * ratio
            if chances[n - low + 1] > 1e200:
                chances[: n - low + 2] /= chances[n - low + 1]
        counts = np.arange(low, min(x, y) + 1)
        exact = (chances * counts * np.log2(np.maximum(counts, 1))).sum() / chances.sum()
        assert abs(found[i] - exact) < bound / 50  # measured: a hundredth of the bound


@pytest.mark.parametrize("n_samples", quick_and_slow([640, 1000, 4099], quick={640}, reason="more cells"))
def test_a_series_takes_over_where_64_samples_are_expected_in_a_cell(n_samples):
    """As the documents say: there exactly, and nowhere below."""
    b = np.arange(1, n_samples, n_samples // 40)
    a = -(-64 * n_samples // b)  # the least with 64 expected
    shift = make_entropy_terms(n_samples).shift
    for first, way in ((a, expected_term_by_series), (a - 1, expected_term_by_summation)):
        inside = (first > 0) & (first < n_samples)
        for x, y in zip(first[inside].tolist(), b[inside].tolist(), strict=True):
            found = expected_terms(n_samples, np.array([x]), np.array([y]))
            assert found.tolist() == [[int(np.rint(way(n_samples, x, y, shift)))]]


def test_interpolation_is_exact_for_cubics():
    nodes = np.array([0, 1, 2, 3, 5, 8, 13, 21])
    counts = np.arange(1, 22)
    interpolation = CubicInterpolation.between(nodes, counts)
    assert counts[interpolation.is_node].tolist() == nodes[1:].tolist()

    def cubic(x):
        return 2 * x**3 - 5 * x**2 + x - 7

    values = (interpolation.weights * cubic(interpolation.nodes[interpolation.stencil])).sum(axis=0)
    assert values == pytest.approx(cubic(counts), rel=1e-12)  # a few products of rounded quotients


@pytest.mark.parametrize("n_samples", [1, 1023, 1024, 1025, 4096, 10**6 + 3, 2**30])
def test_every_small_count_is_a_node_and_32_of_every_doubling_are(n_samples):
    nodes = nodes_of(n_samples)
    small = min(n_samples, 1023) + 1
    assert nodes[:small].tolist() == list(range(small))
    assert nodes[-1] == n_samples
    assert (np.diff(nodes) > 0).all()
    # a rounding at each end; past the first doubling few are more than the 32
    assert (nodes[small:] <= np.floor(nodes[small - 1 : -1] * 2 ** (1 / 32)) + 1).all()
    assert len(nodes) <= 1024 + 6 + 32 * max(0.0, np.log2(n_samples / 1024)) + 1
