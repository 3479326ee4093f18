"""Similarities of pairs of columns by straight lines: the size of their correlation, and the error of regression.

    rho:    W = |rho|
    error:  W = 1 - e / max e,   e = (var_i + var_j) / 2 * (1 - rho^2)

e is the mean, over both directions, of the squared error left when one column is predicted by the other; it depends on
the columns' units. The largest e of all pairs becomes similarity 0.

C. R. Rao, "Linear statistical inference and its applications", Wiley 1973.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from bitsieve.methods.by_samples.rows import centre

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

AT_ONCE = 16  # rows in one product


class Correlations:
    """|rho| of columns that vary, given as rows of mean 0 and standard deviation 1."""

    def __init__(self, standardized: Floats) -> None:
        self._values = standardized

    def rows(self, first: int, last: int) -> Floats:
        """Rows of W; 0 on the diagonal."""
        with threadpool_limits(1):  # a product's bits depend on the number of threads
            out = np.abs(self._values[first:last] @ self._values.T)
        out = np.minimum(out / self._values.shape[1], 1.0)
        out[np.arange(last - first), np.arange(first, last)] = 0.0
        return np.asarray(out)


class RegressionErrors:
    """1 - e / max e of columns that vary: twice the cost of :class:`Correlations`, as the largest e comes first.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n_samples, n_features)
        In their own units.
    standardized : ndarray of float64, shape (n_features, n_samples)
    """

    def __init__(self, numbers: Floats, standardized: Floats) -> None:
        self._correlations = Correlations(standardized)
        values, exponents = centre(numbers)
        # One unit for all, in which the largest variance is near 1: W does not depend on it.
        variances = np.add.reduce(values * values, axis=0) / len(values)
        self._variances = np.ldexp(variances, np.maximum(2 * (exponents - exponents.max()), -1000))
        n = len(self._variances)
        blocks = range(0, n, AT_ONCE)
        self._largest = max((float(self._errors(a, min(a + AT_ONCE, n)).max()) for a in blocks), default=0.0)

    def rows(self, first: int, last: int) -> Floats:
        """Rows of W; 0 on the diagonal."""
        errors = self._errors(first, last)
        out = 1.0 - errors / self._largest if self._largest > 0 else np.ones_like(errors)
        out[np.arange(last - first), np.arange(first, last)] = 0.0
        return out

    def _errors(self, first: int, last: int) -> Floats:
        rho = self._correlations.rows(first, last)
        rho[np.arange(last - first), np.arange(first, last)] = 1.0
        return (self._variances[first:last, None] + self._variances) / 2 * (1.0 - rho * rho)
