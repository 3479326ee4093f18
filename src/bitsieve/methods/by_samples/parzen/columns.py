"""Standardised columns, the width of Parzen windows, and the rule for singular covariances.

    p(x) = mean_i N(x - x_i; 0, h^2 (S + ridge I))

S is the sample covariance (n - 1) of the points used, columns being standardised by their population standard
deviation; h depends on the number of points N and of dimensions d: ``N^(-1/(d + 4))`` ("scott"), ``1 / ln N`` ("log"),
or a number. The ridge, 1e-6, keeps duplicate columns, columns that do not vary within a class, and fewer points than
dimensions from a singular covariance; it is a standard deviation of 0.001 beside one of 1.

N. Kwak, C.-H. Choi, "Input feature selection by mutual information based on Parzen window", IEEE Transactions on
Pattern Analysis and Machine Intelligence 24(12), 2002. doi:10.1109/TPAMI.2002.1114861
"""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.methods.by_samples.rcfs import centre

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BANDWIDTHS = ("scott", "log")
RIDGE = 1e-6


def standardize(numbers: Floats) -> Floats:
    """Columns of samples, shape (n_samples, n_features), as rows of mean 0 and standard deviation 1; constants are 0.

    The least and the greatest value decide what is constant, so that rounding makes no column vary.
    """
    varies = numbers.min(axis=0, initial=np.inf) < numbers.max(axis=0, initial=-np.inf)
    out = np.zeros(numbers.shape[::-1])
    if varies.any():
        values = centre(numbers[:, varies]).values.T
        spread = np.sqrt(np.add.reduce(values * values, axis=1) / values.shape[1])
        out[varies] = values / spread[:, None]
    return out


def width(bandwidth: str | float, n_points: int, dimensions: int) -> float:
    """The width h of the windows, in standard deviations; of a single point 1."""
    if not isinstance(bandwidth, str):
        return float(bandwidth)
    if n_points < 2:
        return 1.0
    return 1 / log(n_points) if bandwidth == "log" else float(n_points) ** (-1 / (dimensions + 4))


def centred(values: Floats) -> Floats:
    """Rows less their means."""
    return values - (np.add.reduce(values, axis=1) / values.shape[1])[:, None]


def covariances(rows: Floats, row: Floats) -> Floats:
    """Sample covariances of centred rows with one centred row; 0 of a single point."""
    return np.add.reduce(rows * row, axis=1) / max(rows.shape[1] - 1, 1)


def pivot(variance: float, explained: float = 0.0) -> float:
    """The diagonal of the triangular factor: the root of a variance and the ridge, less what others explain of it."""
    return sqrt(max(variance + RIDGE - explained, RIDGE))
