"""Normal scores of codes in closed form."""

from __future__ import annotations

import numpy as np

from bitsieve.methods.by_counts.dependent.normal_scores import normal_scores


def test_normal_scores_of_two_codes():
    """Standardised, two values are those of the 0/1 variable, whatever the quantiles."""
    codes = np.array([0, 0, 0, 1])
    expected = (codes - 0.25) / np.sqrt(0.25 * 0.75)
    np.testing.assert_allclose(normal_scores(codes), expected, rtol=1e-14)  # a few roundings


def test_normal_scores_rise_with_the_codes_and_are_symmetric():
    scores = normal_scores(np.repeat(np.arange(7), 10))
    assert (np.diff(scores[::10]) > 0).all()
    np.testing.assert_allclose(scores, -scores[::-1], atol=1e-14)  # quantiles of p and 1 - p, each rounded
