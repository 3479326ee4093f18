"""How the packed engine lays features out, and what that makes cheap to count.

Features are counted eight at a time: the eight that share the registers of the processor are a SIMD group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.lazy import cached_property
from bitsieve.counts.hints import CostHints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve import _native

LANES = 8  # features of a SIMD group
COUNTERS_WIDTH = 16  # SIMD groups a block with packed counters: what the counters leave of the second-level cache
BLOCK_BYTES = 256 << 10  # planes of one side of a matrix block: half of a common second-level cache


class PackedLayout(CostHints):
    """The SIMD groups of a packed table of codes.

    Parameters
    ----------
    packed : _native.Packed
    arities : ndarray of int32, shape (n_features,)
    n_samples, n_classes : int
    """

    def __init__(self, packed: _native.Packed, arities: NDArray[np.int32], n_samples: int, n_classes: int) -> None:
        self.packed, self.n_features = packed, len(arities)
        self.all_groups = np.arange(packed.n_simd_groups, dtype=np.int64)
        codes = arities.astype(np.float64)
        inner = np.minimum((codes - 1) ** 2 * 1e-3, 0.6)  # ns a sample and pair
        cells = np.minimum(codes**2 * (n_classes + 1), 3.0 * n_samples)
        self.row_seconds = float((inner * n_samples + 0.7 * cells).sum()) * 1e-9

    @cached_property
    def group_of(self) -> NDArray[np.int64]:
        """The SIMD group of every feature."""
        return self.packed.simd_groups()

    def groups_of(self, columns: NDArray[np.intp] | None) -> NDArray[np.int64]:
        """The SIMD groups that hold ``columns``; None: all."""
        return self.all_groups if columns is None else np.unique(self.group_of[columns])

    def seconds(self, n_rows: int, groups: NDArray[np.int64]) -> float:
        """A rough prediction of the time of ``n_rows`` rows of pair sums over the columns of some SIMD groups."""
        return self.row_seconds * n_rows * len(groups) / len(self.all_groups)

    def companions(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """``columns`` and those of the same SIMD groups, ascending."""
        wanted = np.zeros(len(self.all_groups), bool)
        wanted[self.group_of[columns]] = True
        return np.flatnonzero(wanted[self.group_of])

    def scattered(self, columns: NDArray[np.intp]) -> bool:
        """Whether the SIMD groups between the first and the last of ``columns`` hold mostly other columns."""
        groups = self.group_of[columns]
        return int(groups.max() - groups.min()) > 2 * (len(columns) // LANES + 1)

    def matrix_blocks(self, columns: NDArray[np.intp], threads: int) -> list[list[int]]:
        """Upper-triangle blocks [i0, i1, j0, j1) of SIMD groups; the columns of one fit the second-level cache."""
        groups = self.group_of[columns]
        first, last = int(groups.min()), int(groups.max()) + 1
        group_bytes = max(self.packed.nbytes // len(self.all_groups), 1)
        width = int(np.clip(BLOCK_BYTES // group_bytes, 1, 256))
        height = max(width, min(64, -(-(last - first) // (8 * threads))))
        if self.packed.uses_counters:  # rows are independent; each prepares its samples for a whole block
            width, height = COUNTERS_WIDTH, 2
        return [
            [i, min(i + height, last), j, min(j + width, last)]
            for j in range(first, last, width)
            for i in range(first, min(j + width, last), height)
        ]
