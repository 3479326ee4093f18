"""Measures of a selection beside its error: stability over the folds, redundancy, separability of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

SINGULAR = 1e-10  # share of a column's spread within classes below which the columns before it explain it


@dataclass(frozen=True)
class Scored:
    """One method in one fold: its columns in order of choice, and what was measured for every number of them."""

    selected: NDArray[np.intp]
    errors: NDArray[np.intp] | NDArray[np.float64]
    redundancy: NDArray[np.float64]
    separability: NDArray[np.float64]
    seconds_selecting: float
    seconds_classifying: float


def nogueira(selections: Sequence[ArrayLike], n_features: int) -> float:
    """Stability of several selections of any sizes, corrected for chance.

    ``1 - mean_f s_f^2 / [(k/n) (1 - k/n)]``, s_f^2 the unbiased variance over the M selections of "feature f was
    chosen", ``M/(M-1) p_f (1 - p_f)``, k the mean number of features. 1: always the same; 0 on average by chance; nan
    where it is not defined: all selections empty or all whole, or fewer than two.

    S. Nogueira, K. Sechidis, G. Brown, "On the stability of feature selection algorithms", Journal of Machine Learning
    Research 18(174), 2018.
    """
    m = len(selections)
    share = sum(len(np.asarray(chosen)) for chosen in selections) / max(m, 1) / n_features
    if m < 2 or not 0 < share < 1:
        return float("nan")
    frequency = _times_chosen(selections, n_features) / m
    variance = m / (m - 1) * frequency * (1 - frequency)
    return float(1 - variance.mean() / (share * (1 - share)))


def kuncheva(selections: Sequence[ArrayLike], n_features: int) -> float:
    """Mean over all pairs of selections of their overlap beyond chance, ``(r n - k^2) / (k (n - k))``, r shared.

    For selections of one size it is the same number as :func:`nogueira`'s; nan where it is not defined: sizes differ, 0
    or all features, or fewer than two selections.

    L. I. Kuncheva, "A stability index for feature selection", IASTED Artificial Intelligence and Applications, 2007.
    """
    m, sizes = len(selections), {len(np.asarray(chosen)) for chosen in selections}
    k = min(sizes, default=0)
    if m < 2 or len(sizes) > 1 or not 0 < k < n_features:
        return float("nan")
    times = _times_chosen(selections, n_features)
    shared = (times * (times - 1) / 2).sum() / (m * (m - 1) / 2)  # mean over pairs
    return float((shared * n_features - k * k) / (k * (n_features - k)))


def _times_chosen(selections: Sequence[ArrayLike], n_features: int) -> NDArray[np.intp]:
    return np.bincount(np.concatenate([np.asarray(chosen, np.intp) for chosen in selections]), minlength=n_features)


def redundancy_rates(values: ArrayLike, counts: ArrayLike | None = None) -> NDArray[np.float64]:
    """Mean absolute correlation of the first k columns, for every k of ``counts`` (by default all columns).

    ``2 / (k (k - 1)) sum_{i<j} |rho_ij|``, between 0 and 1; nan for fewer than two columns. The redundancy rate that is
    sometimes printed with the factor ``1 / (k (k - 1))`` over the pairs i > j is half of it. A constant column
    correlates with none.
    """
    table = np.asarray(values, np.float64)
    k = np.atleast_1d(np.asarray(table.shape[1] if counts is None else counts, np.intp))
    centred = table - table.mean(axis=0)
    lengths = np.sqrt(np.square(centred).sum(axis=0))
    varies = lengths > 1e-12 * np.abs(table).max(axis=0, initial=0.0)  # more than the rounding of the mean leaves
    centred = np.where(varies, centred / np.where(varies, lengths, 1.0), 0.0)
    correlation = np.abs(centred.T @ centred)
    shared = np.concatenate([[0.0], np.cumsum(np.triu(correlation, 1).sum(axis=0))])  # of the first k columns
    pairs = k * (k - 1) / 2
    rates = np.full(len(k), np.nan)
    np.divide(shared[k], pairs, out=rates, where=pairs > 0)
    return rates


def separability(values: ArrayLike, classes: ArrayLike, counts: ArrayLike | None = None) -> NDArray[np.float64]:
    """``J = |Sw + Sb| / |Sw| = prod (1 + lambda)`` of the first k columns, for every k of ``counts`` (by default all).

    Sw is the scatter within the classes, Sb between them, lambda the eigenvalues of ``inv(Sw) Sb``. The determinants of
    all leading parts come from one triangular factor of each matrix. J does not depend on the scale of the columns, and
    grows with every column. It is 1 for no column, and nan where Sw is singular: more columns than samples less
    classes, or a column that others determine within the classes.
    """
    table = np.asarray(values, np.float64)
    k = np.atleast_1d(np.asarray(table.shape[1] if counts is None else counts, np.intp))
    _, codes = np.unique(np.asarray(classes), return_inverse=True)
    sizes = np.bincount(codes)
    means = np.array([np.bincount(codes, column) / sizes for column in table.T]).reshape(-1, len(sizes)).T
    within = table - means[codes]
    spread = np.sqrt(np.square(within).sum(axis=0))
    spread[spread == 0] = 1.0
    within /= spread  # unit diagonal: what is singular does not depend on the columns' units
    total = (table - table.mean(axis=0)) / spread
    log_ratio = np.concatenate([[0.0], np.cumsum(_log_pivots(total) - _log_pivots(within))])
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(log_ratio[k]))


def _log_pivots(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """log of the pivots of ``columns' columns``, from the triangle of a QR factor; nan from a singular one on."""
    n_samples, n_columns = columns.shape
    triangle = np.linalg.qr(columns, mode="r")
    pivots = np.zeros(n_columns)
    pivots[: min(n_samples, n_columns)] = np.square(np.diagonal(triangle))
    singular = pivots <= SINGULAR
    regular = np.where(singular, 1.0, pivots)
    return np.where(np.logical_or.accumulate(singular), np.nan, np.log(regular))
