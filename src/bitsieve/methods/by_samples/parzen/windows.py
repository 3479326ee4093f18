"""Gaussian kernels with the covariance of the samples: their width, and the factor of the covariance.

The kernels have the covariance ``h^2 (S + ridge I)``, with S the sample covariance; the ridge keeps it regular where
columns are duplicates or constant. ``S + ridge I`` is factored as ``L L'``, L lower triangular: in coordinates
``L^-1 f`` the kernel is a product of one-dimensional ones. In the code the *loads* are the entries of a row of L left
of the diagonal, and its *pivot* is the entry on it.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from bitsieve.utils.arrays import Floats

BANDWIDTHS = ("scott", "log")
RIDGE = 1e-6


def width(bandwidth: str | float, n_points: int, dimensions: int) -> float:
    """The width h of the windows, in standard deviations; of a single point 1."""
    if not isinstance(bandwidth, str):
        return float(bandwidth)
    if n_points < 2:
        return 1.0
    if bandwidth == "log":
        return 1 / log(n_points)
    return float(float(n_points) ** (-1 / (dimensions + 4)))  # Scott's rule


def covariances(rows: Floats, row: Floats) -> Floats:
    """The sample covariances of centred rows with one centred row; 0 for a single point."""
    return np.asarray(np.add.reduce(rows * row, axis=1) / max(rows.shape[1] - 1, 1))


def pivot(variance: float, explained_variance: float = 0.0) -> float:
    """A diagonal entry of L: the root of ``variance + ridge - explained variance``, which earlier columns explain."""
    return sqrt(max(variance + RIDGE - explained_variance, RIDGE))
