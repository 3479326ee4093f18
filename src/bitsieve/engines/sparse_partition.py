"""A partition of the samples of sparse columns: its largest part is the rest that is not visited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.lazy import cached_property
from bitsieve.counts.joint_codes import JointCodes
from bitsieve.engines.sparse_division import Division

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.counts.terms import Terms
    from bitsieve.engines.sparse import SparseSource

    Integers = NDArray[np.int64]


class SparsePartition(JointCodes):
    """A partition of the samples of a :class:`~bitsieve.engines.sparse.SparseSource`."""

    source: SparseSource

    def refine(self, feature: int) -> SparsePartition:
        """The partition by the same features and one more."""
        finer = super().refine(feature)
        return SparsePartition(self.source, finer.part, finer.keys)

    def sums(self, terms: Terms, columns: NDArray[np.intp]) -> tuple[Integers, Integers]:
        """``S_xz`` and ``S_xzc`` of ``columns``."""
        everything = len(columns) == self.source.n_features and bool((np.diff(columns) == 1).all())
        xz, xzc = self.source.division_sums(terms, self._division, None if everything else columns, True)
        assert xzc is not None
        return xz, xzc

    @cached_property
    def _division(self) -> Division:
        """The rows outside the largest part, by their parts."""
        source = self.source
        part = self.part
        if source.row_weights is not None:
            part = part[np.cumsum(source.row_weights) - source.row_weights]  # the first sample of every row
        row = np.flatnonzero(part != np.bincount(part).argmax()).astype(np.int32)
        return Division.of(row, part[row], source.row_classes[row])
