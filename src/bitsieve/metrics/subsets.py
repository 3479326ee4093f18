"""Measures of a set of selected columns: their redundancy, and how well they separate the classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bitsieve.utils.arrays import Floats

SINGULAR = 1e-10  # a pivot of a column, as a share of its spread within classes, below which it is linearly dependent


def redundancy_rates(values: ArrayLike, counts: ArrayLike | None = None) -> Floats:
    """The mean |correlation| among the first k columns, for every k of ``counts`` (None: for all columns).

    ``2 / (k (k - 1)) sum_{i<j} |rho_ij|``, nan for fewer than two columns. A constant column has correlation 0. Some
    papers print half of it.
    """
    table = np.asarray(values, np.float64)
    k = np.atleast_1d(np.asarray(table.shape[1] if counts is None else counts, np.intp))
    centred = table - table.mean(axis=0)
    lengths = np.sqrt(np.square(centred).sum(axis=0))
    varies = lengths > 1e-12 * np.abs(table).max(axis=0, initial=0.0)  # else the length is rounding of the mean
    centred = np.where(varies, centred / np.where(varies, lengths, 1.0), 0.0)
    correlation = np.abs(centred.T @ centred)
    correlation_sums = np.concatenate([[0.0], np.cumsum(np.triu(correlation, 1).sum(axis=0))])  # by k
    n_pairs = k * (k - 1) / 2
    rates = np.full(len(k), np.nan)
    np.divide(correlation_sums[k], n_pairs, out=rates, where=n_pairs > 0)
    return rates


def separability(values: ArrayLike, classes: ArrayLike, counts: ArrayLike | None = None) -> Floats:
    """How well the first k columns separate the classes, for every k of ``counts`` (None: for all columns).

    ``J = |Sw + Sb| / |Sw|``, with Sw the scatter within and Sb that between the classes; nan where Sw is singular. The
    determinants of all k come from one triangular factor each, as products of its first k squared pivots.
    """
    table = np.asarray(values, np.float64)
    k = np.atleast_1d(np.asarray(table.shape[1] if counts is None else counts, np.intp))
    _, codes = np.unique(np.asarray(classes), return_inverse=True)
    sizes = np.bincount(codes)
    means = np.array([np.bincount(codes, column) / sizes for column in table.T]).reshape(-1, len(sizes)).T
    within = table - means[codes]
    spread = np.sqrt(np.square(within).sum(axis=0))
    spread[spread == 0] = 1.0
    within /= spread  # so that the test for singularity does not depend on the units of the columns
    total = (table - table.mean(axis=0)) / spread
    log_ratio = np.concatenate([[0.0], np.cumsum(_log_pivots(total) - _log_pivots(within))])
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(log_ratio[k]))


def _log_pivots(columns: Floats) -> Floats:
    """The logarithms of the pivots of ``columns' columns``, from a QR factor; nan from the first pivot that is 0 on."""
    n_samples, n_columns = columns.shape
    triangle = np.linalg.qr(columns, mode="r")
    pivots = np.zeros(n_columns)
    pivots[: min(n_samples, n_columns)] = np.square(np.diagonal(triangle))
    is_zero = pivots <= SINGULAR
    logs = np.log(np.where(is_zero, 1.0, pivots))
    return np.where(np.logical_or.accumulate(is_zero), np.nan, logs)
