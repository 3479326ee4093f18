"""Breiman's waveforms against their definition."""

from __future__ import annotations

import numpy as np
import pytest

from papers.data.waveform import MIXED, make_waveform, triangles


def test_triangles():
    first, second, third = triangles()
    assert first.tolist() == [0] * 5 + [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1] + [0] * 5 + []
    assert (second[4:] == first[:-4]).all()
    assert (third[:-4] == first[4:]).all()


def test_means_of_the_classes():
    X, y = make_waveform(60_000, n_noise=19, random_state=0)
    for label, pair in enumerate(MIXED):
        expected = np.concatenate([triangles()[pair].mean(axis=0), np.zeros(19)])
        # Deviations of a mean of 20,000 values of deviation 2 at most: 0.014; five of them.
        assert np.abs(X[y == label].mean(axis=0) - expected).max() < 0.07


def test_seeded():
    a, b, c = (make_waveform(50, random_state=seed)[0] for seed in (1, 1, 2))
    assert (a == b).all()
    assert (a != c).any()
    assert a.shape == (50, 21)


@pytest.mark.parametrize("n", [0, 1.5, True])
def test_sizes_are_refused(n):
    with pytest.raises(ValueError, match=f"n_samples={n} is not allowed: give a whole number from 1"):
        make_waveform(n)
