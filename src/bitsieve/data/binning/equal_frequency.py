"""Bins that hold about the same number of samples."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.common.parameters import Rule, check_integer
from bitsieve.data.binning.base import Binning
from bitsieve.data.extents import NumericBlock
from bitsieve.data.table import TableInMemory


class EqualFrequencyBinning(Binning):
    """Bins of about the same number of samples: the rule of :class:`EqualFrequencyBinner`."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"n_bins": partial(check_integer, low=2, high=65_535)}

    def __init__(self, *, n_bins: int = 10, missing: str = "error", n_jobs: int | None = None) -> None:
        self.n_bins = n_bins
        self.missing = missing
        self.n_jobs = n_jobs

    def _cut(
        self, table: TableInMemory, block: NumericBlock, low: NDArray[Any], high: NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        return _native.order_statistic_cuts(block.values, self.n_bins, table.weights)

    def _cut_stored(self, table: TableInMemory, first: int, last: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        stored = table.stored
        return _native.stored_order_cuts(
            stored.start, stored.row, stored.value, first, last, table.n_samples, self.n_bins, table.weights
        )
