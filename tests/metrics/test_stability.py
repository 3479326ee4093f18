"""Stability of selections: by hand and by brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bitsieve.metrics.stability import kuncheva, nogueira


def test_stability_by_hand():
    # 4 features, three selections of two: frequencies 1, 2/3, 1/3, 0, variances 0, 1/3, 1/3, 0; 1 - (1/6) / (1/4)
    selections = [[0, 1], [0, 1], [0, 2]]
    assert nogueira(selections, 4) == pytest.approx(1 / 3, abs=1e-15)
    # overlaps 2, 1, 1: (2 * 4 - 4) / 4 = 1 once and 0 twice
    assert kuncheva(selections, 4) == pytest.approx(1 / 3, abs=1e-15)
    # sizes 1 and 3: frequencies 1, 1/2, 1/2, 0, variances 0, 1/2, 1/2, 0
    assert nogueira([[0], [0, 1, 2]], 4) == pytest.approx(0, abs=1e-15)


def test_the_same_selection_is_stable_and_disjoint_ones_are_not():
    assert nogueira([[3, 1]] * 5, 9) == 1
    assert kuncheva([[3, 1]] * 5, 9) == 1
    # r = 0: -k^2 / (k (n - k)) = -k / (n - k)
    assert kuncheva([[0, 1], [2, 3]], 4) == -1
    assert nogueira([[0, 1], [2, 3]], 4) == pytest.approx(-1, abs=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_both_measures_are_one_for_selections_of_one_size(seed):
    random = np.random.default_rng(seed)
    n_features, k = 12, int(random.integers(1, 12))
    selections = [random.choice(n_features, k, replace=False) for _ in range(int(random.integers(2, 7)))]
    pairs = [
        (len(set(a) & set(b)) * n_features - k * k) / (k * (n_features - k)) for a, b in combinations(selections, 2)
    ]
    assert kuncheva(selections, n_features) == pytest.approx(np.mean(pairs), abs=1e-12)  # rounding of few sums
    assert nogueira(selections, n_features) == pytest.approx(np.mean(pairs), abs=1e-12)


def test_stability_that_is_not_defined():
    for selections in ([[0]], [[0, 1], [0, 1]], [[], []], []):
        assert np.isnan(nogueira(selections, 2))
        assert np.isnan(kuncheva(selections, 2))
    assert np.isnan(kuncheva([[0], [0, 1]], 4))
