"""Infection and immunisation dynamics on the simplex: local maxima of x'Wx whose support is found in finite time.

With ``r = Wx - x'Wx``, the thing that differs most from the average infects the others: if it fares better, its weight
grows; if it fares worse and has weight, the others grow at its cost, down to 0. Each step goes along that line to the
greatest x'Wx, in closed form, and takes O(n). It ends at a Nash equilibrium, where no r is positive and r is 0 on the
support, measured by ``sum_i min(x_i, -r_i)^2``.

S. Rota Bulo, M. Pelillo, I. M. Bomze, "Graph-based quadratic optimization: a fast evolutionary approach", Computer
Vision and Image Understanding 115(7), 2011. doi:10.1016/j.cviu.2010.12.004
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.ties import top
from bitsieve.optimize.similarity import SimilarityMatrix, among

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.optimize.similarity import Similarity

    Floats = NDArray[np.float64]

TOLERANCE = 1e-9  # of r as a share of x'Wx, and of weights
MOST_START = 1024  # of more things, so many begin with weight: those with the largest sums
ROUNDS = 20  # times that rounding is taken out of r before what is reached has to do


def infection_immunization(similarity: Similarity, left: NDArray[np.intp], sums: Floats) -> Floats:
    """Weights of those left, from equal ones; 0 for what is not in the support.

    Parameters
    ----------
    similarity : Similarity
    left : ndarray of int
    sums : ndarray of float
        Of each of them, the similarities with all others that are left; not all are 0.

    Notes
    -----
    Of more than 1,024 left, the equilibrium among the 1,024 with the largest sums comes first, and goes on among all: a
    step is needed for each that has weight at first and is not in the support.
    Cost: O(m) a step for m left, some more steps than begin with weight. Rows are asked for of those 1,024 and of what
    ever has weight.
    """
    m = len(left)
    if m <= MOST_START:
        weights = np.full(m, 1 / m)
        gains = sums / m
    else:
        begin = np.sort(top(sums, MOST_START))
        some = SimilarityMatrix(among(similarity, left[begin]))
        weights = np.zeros(m)
        weights[begin] = infection_immunization(some, np.arange(MOST_START), some.sums())
        gains = _gains(similarity, left, weights)
    for _ in range(ROUNDS):
        weights, steps = _climb(similarity, left, weights, gains)
        if not steps:
            break
        weights /= np.add.reduce(weights)
        gains = _gains(similarity, left, weights)
    return weights


def _gains(similarity: Similarity, left: NDArray[np.intp], weights: Floats) -> Floats:
    """Wx from the rows of the support."""
    gains = np.zeros(len(left))
    for i in np.flatnonzero(weights).tolist():
        gains += weights[i] * similarity.row(int(left[i]))[left]
    return gains


def _climb(similarity: Similarity, left: NDArray[np.intp], weights: Floats, gains: Floats) -> tuple[Floats, int]:
    """Steps until the equilibrium is reached, and their number."""
    weights, gains = weights.copy(), gains.copy()
    most = 100_000 + 100 * len(left)
    for step in range(most):
        mean = float(np.add.reduce(weights * gains))
        excess = gains - mean
        error = np.minimum(weights, -excess / mean if mean > 0 else -excess)
        if np.add.reduce(error * error) <= TOLERANCE**2:
            return weights, step
        best = int(excess.argmax())
        worst = int(np.where(weights > 0, excess, np.inf).argmin())
        infects = excess[best] >= -excess[worst]
        i = best if infects else worst
        # The line goes on in the direction e_i - x: forwards up to e_i, or back until i has no weight left.
        curve = mean - 2 * float(gains[i])  # (e_i - x)'W(e_i - x), W_ii being 0
        furthest = 1.0 if infects else -float(weights[i]) / (1 - float(weights[i]))
        length = -float(excess[i]) / curve if curve < 0 else furthest
        whole = curve >= 0 or abs(length) >= abs(furthest)
        length = furthest if whole else length
        weights *= 1 - length
        weights[i] += length
        gains *= 1 - length
        gains += length * similarity.row(int(left[i]))[left]
        if whole and not infects:
            weights[i] = 0.0
    return weights, most
