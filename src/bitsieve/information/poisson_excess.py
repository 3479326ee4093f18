"""How far the mean of ``k log2 k`` of a Poisson count k is above that of a constant count."""

from __future__ import annotations

from math import log

import numpy as np

from bitsieve import _native
from bitsieve.utils.arrays import Floats

SERIES_FROM = 128.0  # from this mean on `poisson_excess` is a series, whose error is below 1e-10
MAX_COUNT = 512  # counts from here on are negligibly rare with a mean below that
NEGLIGIBLE = 1e-18  # probabilities below this share of the largest add nothing to a sum


def poisson_excess(means: Floats) -> Floats:
    """``g(m) = E[k log2 k] - m log2 m``, k a Poisson count of mean m; 0 for a mean of 0.

    For large means it is the series below, else the sum itself. Neither takes a power or a logarithm of numpy, whose
    last bits differ from processor to processor.

        (1/2 + 1/(12 m) + 1/(12 m^2) + 19/(120 m^3) + 9/(20 m^4)) / ln 2
    """
    excess = np.zeros(len(means))
    is_large = means >= SERIES_FROM
    inverse = 1 / means[is_large]
    series = 1 / 2 + inverse * (1 / 12 + inverse * (1 / 12 + inverse * (19 / 120 + inverse * (9 / 20))))
    excess[is_large] = series / log(2)
    is_small = (means > 0) & ~is_large
    excess[is_small] = _excess_by_sum(means[is_small])
    return excess


def _excess_by_sum(mean: Floats) -> Floats:
    """The sum over all k that are not negligibly rare, from the mode upwards and downwards.

    P(k + 1) / P(k) = m / (k + 1)
    """
    log2_of = _native.log2_of_counts(MAX_COUNT)
    log2_of[0] = 0.0  # k log2 k is 0 at k = 0
    mode = np.floor(mean).astype(np.int64)
    total = np.ones(len(mean))
    mean_term = mode * log2_of[mode]

    probability = np.ones(len(mean))
    k = mode
    while probability.max(initial=0.0) > NEGLIGIBLE:  # from the mode upwards
        k = k + 1
        probability = probability * (mean / k)
        total += probability
        mean_term += probability * (k * log2_of[k])

    probability = np.ones(len(mean))
    k = mode
    while probability.max(initial=0.0) > NEGLIGIBLE:  # from the mode downwards
        probability = probability * (k / mean)
        k = np.maximum(k - 1, 0)
        total += probability
        mean_term += probability * (k * log2_of[k])

    excess: Floats = mean_term / total - mean * _native.log2_of_each(mean)
    return excess
