"""How much selected features say the same: their mean absolute correlation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def redundancy_rates(values: ArrayLike, counts: ArrayLike | None = None) -> NDArray[np.float64]:
    """Mean absolute correlation of the first k columns, for every k of ``counts``.

    ``2 / (k (k - 1)) sum_{i<j} |rho_ij|``, between 0 and 1. The redundancy rate that is sometimes printed with the
    factor ``1 / (k (k - 1))`` over the pairs i > j is half of it. A constant column correlates with none.

    Parameters
    ----------
    values : array-like of float, shape (n_samples, n_columns)
        In order of choice.
    counts : array-like of int, optional
        By default all columns at once.

    Returns
    -------
    ndarray of float, shape (len(counts),)
        nan for fewer than two columns.
    """
    table = np.asarray(values, np.float64)
    n_columns = table.shape[1]
    k = np.atleast_1d(np.asarray(n_columns if counts is None else counts, np.intp))
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
