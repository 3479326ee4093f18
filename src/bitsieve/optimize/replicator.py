"""Replicator dynamics on the simplex: ``x_i <- x_i (Wx)_i / x'Wx`` raises x'Wx until it is a local maximum.

Weights of what does not belong to the support shrink at a geometric rate and are never 0, so the support is read off
by a threshold.

M. Pavan, M. Pelillo, "A new graph-theoretic approach to clustering and segmentation", CVPR 2003.
doi:10.1109/CVPR.2003.1211348
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from bitsieve.optimize.similarity import among

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.optimize.similarity import Similarity

    Floats = NDArray[np.float64]

SETTLED = 1e-12  # L1 distance of two steps
MOST_STEPS = 200_000
SUPPORT = 1e-5  # weights up to this are on their way to 0


def replicator(similarity: Similarity, left: NDArray[np.intp], sums: Floats) -> Floats:
    """Weights of those left, from equal ones; 0 for what is not in the support.

    Parameters
    ----------
    similarity : Similarity
    left : ndarray of int
    sums : ndarray of float
        Of each of them, the similarities with all others that are left; not all are 0.

    Notes
    -----
    Cost: O(m^2) a step for m left. Memory: m x m numbers.
    """
    weights = np.full(len(left), 1 / len(left))
    if len(left) > 1:
        matrix = among(similarity, left)
        with threadpool_limits(1):  # a product's bits depend on the number of threads
            for _ in range(MOST_STEPS):
                gains = matrix @ weights
                last, weights = weights, weights * gains
                weights /= np.add.reduce(weights)
                if np.add.reduce(np.abs(weights - last)) < SETTLED:
                    break
    weights[weights <= SUPPORT] = 0.0
    return weights / np.add.reduce(weights)
