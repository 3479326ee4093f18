"""Columns of codes as normal scores, for rules that take the columns for jointly normal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bitsieve.utils.arrays import Floats
from bitsieve.utils.libraries import ndtri

MAX_BINS = 20  # between 20 bins of equal frequency lie 98 % of the variance of a normal variable
MIN_ROWS_OF_BIN = 5


def bins_for_normal_scores(n_samples: int) -> int:
    """Many bins, whose normal scores are near to those of the values."""
    return max(3, min(MAX_BINS, n_samples // MIN_ROWS_OF_BIN))


def normal_scores(codes: NDArray[np.integer]) -> Floats:
    """The quantiles of the normal distribution at the mean ranks of the codes, with mean 0 and variance 1."""
    counts = np.bincount(codes)
    mean_ranks = np.cumsum(counts) - counts / 2
    scores: Floats = ndtri(mean_ranks / len(codes))[codes]
    scores -= scores.mean()
    scores /= scores.std()
    return scores


def normal_scores_of_columns(codes: NDArray[np.integer]) -> Floats:
    """The normal scores of every column, shape (n_samples, n_columns)."""
    return np.column_stack([normal_scores(codes_of_column) for codes_of_column in codes.T])
