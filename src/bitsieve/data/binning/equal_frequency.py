"""Bins that hold about the same number of samples."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from bitsieve import _native
from bitsieve.common.parameters import check_integer
from bitsieve.data.binning.base import Binner

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from bitsieve.common.parameters import Rule
    from bitsieve.data.extents import NumericBlock
    from bitsieve.data.sparse import SparseTable
    from bitsieve.data.table import Table


class EqualFrequencyBinner(Binner):
    """Cut every numeric column into bins of about the same number of samples.

    Cut j = 1, ..., n_bins - 1 of d values is the order statistic of rank ``r = round-half-up(j d / n_bins)``; a value
    on a cut goes left; equal cuts are one and empty bins are removed, so a column may get fewer bins. Costs a
    sort of every column: O(p d log d).

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
    >>> from bitsieve.data.binning import EqualFrequencyBinner
    >>> binner = EqualFrequencyBinner(n_bins=2).fit([[1.0], [2.0], [3.0], [10.0]])
    >>> binner.bin_edges_[0].tolist(), binner.transform([[2.0], [2.5]]).ravel().tolist()
    ([2.0], [0, 1])
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"n_bins": partial(check_integer, low=2, high=65_535)}

    def __init__(self, *, n_bins: int = 10, missing: str = "error", n_jobs: int | None = None) -> None:
        self.n_bins = n_bins
        self.missing = missing
        self.n_jobs = n_jobs

    def _cut(
        self, table: Table, block: NumericBlock, low: NDArray[Any], high: NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        return _native.order_statistic_cuts(block.values, self.n_bins, table.weights)

    def _cut_stored(self, table: SparseTable, first: int, last: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        stored = table.start, table.row, table.value
        return _native.stored_order_cuts(*stored, first, last, table.n_samples, self.n_bins, table.weights)
