"""How far apart the classes lie in the selected features, for their spread: J."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

SINGULAR = 1e-10  # share of a column's spread within classes below which the columns before it explain it


def separability(values: ArrayLike, classes: ArrayLike, counts: ArrayLike | None = None) -> NDArray[np.float64]:
    """``J = |Sw + Sb| / |Sw| = prod (1 + lambda)`` of the first k columns, for every k of ``counts``.

    Sw is the scatter within the classes, Sb between them, lambda the eigenvalues of ``inv(Sw) Sb``. The determinants of
    all leading parts come from one triangular factor of each matrix. J does not depend on the scale of the columns, and
    grows with every column.

    Parameters
    ----------
    values : array-like of float, shape (n_samples, n_columns)
        In order of choice.
    classes : array-like, shape (n_samples,)
    counts : array-like of int, optional
        By default all columns at once.

    Returns
    -------
    ndarray of float, shape (len(counts),)
        1 for no column; nan where Sw is singular: more columns than samples less classes, or a column that others
        determine within the classes.
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
