from __future__ import annotations

from math import comb

import numpy as np
import pytest

from bitsieve import _native
from bitsieve.information.binomial_excess import MANY_EXPECTED, binomial_excess, excess_by_series, excess_by_sum


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (5, 0.9), (40, 0.5), (100, 0.01), (300, 0.1)])
def test_binomial_excess_of_few_events_is_the_sum(n: int, p: float) -> None:
    exact = sum(comb(n, k) * p**k * (1 - p) ** (n - k) * k * np.log2(k) for k in range(1, n + 1))
    exact -= n * p * np.log2(n * p)
    excess = binomial_excess(np.array([n]), np.array([p]), np.array([_native.log2(p)]))
    assert excess[0] == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("p", [0.05, 0.5, 0.95])
def test_series_of_many_events_is_the_sum(p: float) -> None:
    n = np.array([int(MANY_EXPECTED / p) + 1])
    by_series = binomial_excess(n, np.array([p]), np.array([_native.log2(p)]))
    by_sum = excess_by_sum(n, np.array([p]), np.array([_native.log2(p)]))
    assert by_series == pytest.approx(by_sum, abs=1e-6)  # the terms that the series leaves out


@pytest.mark.parametrize("p", [0.001, 0.1, 0.3])
@pytest.mark.parametrize("mean", [64, 200])
def test_the_series_leaves_out_terms_of_the_fourth_order_alone(p: float, mean: int) -> None:
    n, probability = np.array([round(mean / p)]), np.array([p])
    left_out = excess_by_series(n, probability) - excess_by_sum(n, probability, np.log2(probability))
    assert abs(left_out[0]) < 0.75 / mean**4  # the next term is (9/20 - ...) / (ln 2 mean^4), with 9/20 / ln 2 = 0.65
