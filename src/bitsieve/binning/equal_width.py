"""Bins of one width."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bitsieve.binning.base import Binner
from bitsieve.common.parameters import check_integer
from bitsieve.table.cuts import equal_width_cuts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from bitsieve.common.parameters import Rule
    from bitsieve.table.extents import NumericBlock
    from bitsieve.table.sparse import SparseTable
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
    bin_edges_ : sequence of ndarray of float64
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
    sees = "ends"
    _side = "right"

    def __init__(self, *, n_bins: int = 10, missing: str = "error", n_jobs: int | None = None) -> None:
        self.n_bins = n_bins
        self.missing = missing
        self.n_jobs = n_jobs

    def _cut(
        self, table: Table, block: NumericBlock, low: NDArray[Any], high: NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        return self._cut_ranges(low, high)

    def _cut_stored(self, table: SparseTable, first: int, last: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        low, high = table.bounds
        return self._cut_ranges(low[first:last], high[first:last])

    def _cut_ranges(self, low: NDArray[Any], high: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The cuts of columns between their smallest and largest numbers."""
        low, high = low.astype(np.float64), high.astype(np.float64)  # whole numbers beyond 2**53 may become one
        varying = np.flatnonzero(low < high)
        chunk = max(1, _CHUNK // self.n_bins)
        cuts = [
            equal_width_cuts(low[some], high[some], self.n_bins).reshape(-1)
            for some in (varying[first : first + chunk] for first in range(0, len(varying), chunk))
        ]
        lengths = np.zeros(len(low), np.int64)
        lengths[varying] = self.n_bins - 1
        return np.concatenate([np.empty(0), *cuts]), np.cumsum(lengths)
