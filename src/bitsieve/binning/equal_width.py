"""Bins of one width."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bitsieve.binning.base import Binner
from bitsieve.common.parameters import check_integer
from bitsieve.table.cuts import equal_width_cuts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from bitsieve.common.parameters import Rule
    from bitsieve.table.table import Table

_CHUNK = 1 << 18  # cuts found at once: bounds the memory


class EqualWidthBinner(Binner):
    """Cut the range of every numeric column into bins of one width.

    A value v gets the code ``min(floor((v - min) / (max - min) * n_bins), n_bins - 1)``, so a value on a cut goes
    right; min and max are those seen when fitting, and values beyond them go to the outer bins. A constant column is
    one bin; bins may be empty. The edges are the smallest floats of their bins by that formula in float64. Costs
    O(n) a column.

    Parameters
    ----------
    n_bins : int, default=10
        Bins of a column, 2 to 65,535.
    missing : {"error", "bin"}, default="error"
        What missing values are: an error that names the columns, or a code of their own, the last one of every
        column (NaN takes no part in cutting).
    n_jobs : int or None, default=None
        Threads; None is 1, -1 is every core. The result does not depend on it.

    Attributes
    ----------
    bin_edges_ : list of ndarray of float64
        Inner edges of every column, ascending; empty for a categorical column and for one that was left whole.
    categories_ : list of ndarray or None
        Sorted values of every categorical column, None for a numeric one.
    n_bins_ : ndarray of int, shape (n_features,)
        Codes of every column; with ``missing="bin"`` the code of the missing values is one of them.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they are strings.

    Examples
    --------
    >>> from bitsieve.binning import EqualWidthBinner
    >>> binner = EqualWidthBinner(n_bins=2).fit([[1.0], [2.0], [3.0], [10.0]])
    >>> binner.bin_edges_[0].tolist(), binner.transform([[3.0], [5.5]]).ravel().tolist()
    ([5.5], [0, 1])
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"n_bins": partial(check_integer, low=2, high=65_535)}
    _side = "right"

    def __init__(self, *, n_bins: int = 10, missing: str = "error", n_jobs: int | None = None) -> None:
        self.n_bins = n_bins
        self.missing = missing
        self.n_jobs = n_jobs

    def _finish(self, table: Table) -> None:
        varying = [j for j, span in enumerate(self.bin_edges_) if len(span)]
        chunk = max(1, _CHUNK // self.n_bins)
        for first in range(0, len(varying), chunk):
            some = varying[first : first + chunk]
            low, high = np.array([self.bin_edges_[j] for j in some]).T
            for j, cuts in zip(some, equal_width_cuts(low, high, self.n_bins), strict=True):
                self.n_bins_[j] += len(cuts) - len(self.bin_edges_[j])
                self.bin_edges_[j] = cuts.copy()

    def _cutter(self, table: Table) -> Callable[..., NDArray[np.float64]]:
        return _span


def _span(values: NDArray[np.float64], missing: NDArray[np.bool_] | None) -> NDArray[np.float64]:
    """Smallest and largest value of a column that varies; all columns are then cut at once."""
    if not len(values) or values.min() == values.max():
        return np.empty(0)
    return np.array([values.min(), values.max()])
