"""A partition of the samples of the packed engine, refined and summed by native code.

Parts of one sample are dropped: they carry no information. Cost: refining and a sum read every sample that is left
once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.lazy import cached_property
from bitsieve.counts.joint_codes import JointCodes
from bitsieve.counts.partition import Arrangement, Partition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.counts.contingency import ContingencyTable
    from bitsieve.counts.packed import PackedSource
    from bitsieve.counts.terms import Terms

SECONDS_A_SAMPLE = 3e-9  # of one column: measured, a table of few codes


class PackedPartition(Partition):
    """A partition of the samples of a :class:`~bitsieve.counts.packed.PackedSource`.

    Parameters
    ----------
    source : PackedSource
    members : tuple of int
        The conditioning features.
    order, starts : ndarray, optional
        Samples in class order, part by part, and where each part starts; by default one part of all.
    """

    source: PackedSource

    def __init__(
        self,
        source: PackedSource,
        members: tuple[int, ...] = (),
        order: NDArray[np.uint32] | None = None,
        starts: NDArray[np.int64] | None = None,
    ) -> None:
        self.source, self.members = source, members
        self.order = np.arange(source.n_samples, dtype=np.uint32) if order is None else order
        self.starts = np.array([0, source.n_samples], np.int64) if starts is None else starts

    @cached_property
    def _joint(self) -> JointCodes:
        """The same partition with the parts of one sample, for the tables themselves."""
        joint = JointCodes(self.source)
        for member in self.members:
            joint = joint.refine(member)
        return joint

    @property
    def keys(self) -> NDArray[np.int64]:
        """The codes of the conditioning features in every part."""
        return self._joint.keys

    @property
    def n_kept(self) -> int:
        """Samples in parts of at least two."""
        return len(self.order)

    def refine(self, feature: int) -> PackedPartition:
        """The partition by the same features and one more."""
        split = self.source.packed.refine(self.order, self.starts, feature)
        return PackedPartition(self.source, (*self.members, feature), *split)

    def tables(self, columns: NDArray[np.intp] | None, by_class: bool) -> list[ContingencyTable]:
        """The tables of the part with each of ``columns``; None: of the part by itself."""
        return self._joint.tables(columns, by_class)

    def marginal_sums(self, terms: Terms) -> tuple[int, int]:
        """``S_z`` and ``S_zc``."""
        return self.source.packed.partition_marginals(terms.table, terms.shift, self.order, self.starts)

    def sums(self, terms: Terms, columns: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """``S_xz`` and ``S_xzc`` of ``columns``."""
        source = self.source
        xz, xzc = np.empty((2, source.n_features), np.int64)

        def work(groups: NDArray[np.int64]) -> None:
            source.packed.partition_sums(terms.table, terms.shift, self.order, self.starts, groups, xz, xzc)

        groups = source.layout.groups_of(columns)
        source.run_groups(work, 8 * SECONDS_A_SAMPLE * self.n_kept * len(groups), groups)
        return xz[columns], xzc[columns]

    def degrees_of_freedom(self, feature: int) -> int:
        """``(codes - 1) (classes - 1)`` over the codes and classes that occur in each part, summed."""
        return self.source.packed.degrees_of_freedom(self.order, self.starts, feature)

    def arrangement(self, feature: int) -> Arrangement:
        """The codes of a feature, arranged for shuffles within the parts."""
        return Arrangement(*self.source.packed.arrange(self.order, self.starts, feature))
