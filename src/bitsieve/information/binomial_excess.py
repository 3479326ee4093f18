"""How far the mean of ``k log2 k`` of a binomial count k is above that of a constant count."""

from __future__ import annotations

from math import log

import numpy as np

from bitsieve import _native
from bitsieve.utils.arrays import Floats, Integers

MANY_EXPECTED = 32  # expected counts from which on a series gives the mean of k log2 k, right to 1e-6
NEGLIGIBLE = 1e-18  # probabilities below this share of the largest add nothing to a sum


def binomial_excess(n: Integers, p: Floats, log2_p: Floats) -> Floats:
    """``E[k log2 k] - n p log2(n p)`` for k binomial, 0 or more; ``n`` and ``p`` are broadcast, p is above 0.

    From 32 expected on it is a Taylor series about the mean m = n p, of which all terms up to ``1 / m^3`` are added up:

        q (1/2 + (1 + p) / (12 m) + 1 / (12 m^2) + (19 - 11 p - p^2 - p^3) / (120 m^3)) / ln 2        q = 1 - p

    Below, it is the sum itself.
    """
    n, p, log2_p = np.broadcast_arrays(n, p, log2_p)
    excess = np.zeros(n.shape)
    mean = n * p
    is_large = mean >= MANY_EXPECTED
    excess[is_large] = excess_by_series(n[is_large], p[is_large])
    is_small = ~is_large & (n > 0) & (p < 1)  # with p = 1 all events are in the cell
    excess[is_small] = excess_by_sum(n[is_small], p[is_small], log2_p[is_small])
    return excess


def excess_by_series(n: Integers, p: Floats) -> Floats:
    """The series of :func:`binomial_excess`."""
    mean = n * p
    series = 1 / 2 + (1 + p) / (12 * mean) + 1 / (12 * mean**2) + (19 - 11 * p - p**2 - p**3) / (120 * mean**3)
    excess: Floats = (1 - p) * series / log(2)
    return excess


def excess_by_sum(n: Integers, p: Floats, log2_p: Floats) -> Floats:
    """The sum over all k that are not negligibly rare, from the mode upwards and downwards.

    P(k + 1) / P(k) = (n - k) p / ((k + 1) (1 - p))
    """
    if not len(n):
        return np.zeros(0)
    log2_of = _native.log2_of_counts(int(n.max()) + 1)
    log2_of[0] = 0.0  # k log2 k is 0 at k = 0
    odds = p / (1.0 - p)
    mode = np.minimum(np.floor((n + 1) * p).astype(np.int64), n)
    probability = np.ones(n.shape)
    total = np.ones(n.shape)
    mean_term = mode * log2_of[mode]

    k = mode.copy()
    while probability.max() > NEGLIGIBLE:  # from the mode upwards
        probability = probability * ((n - k) / (k + 1.0) * odds)
        k = np.minimum(k + 1, n)
        total += probability
        mean_term += probability * (k * log2_of[k])

    probability = np.ones(n.shape)
    k = mode.copy()
    while probability.max() > NEGLIGIBLE:  # from the mode downwards
        probability = probability * (k / ((n - k + 1.0) * odds))
        k = np.maximum(k - 1, 0)
        total += probability
        mean_term += probability * (k * log2_of[k])

    mean = n * p
    excess: Floats = mean_term / total - mean * (log2_of[n] + log2_p)
    return excess
