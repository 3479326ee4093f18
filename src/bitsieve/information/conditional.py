"""The information of features about the class, conditional on a whole set Z of other features.

With ``S`` the sums over the tables named below, ``I(Xi;C|Z) = (S_z - S_zc - S_xz + S_xzc) / B``, B the sum that
stands for one bit: in bits, not clipped, by the terms of the estimator (plug-in or Miller-Madow). A sample that shares
its joint value of Z with no other carries no information by either, so that I(Xi;C|Z) falls to 0 as such samples become
more, however informative the feature.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.lazy import cached_property

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.counts.partition import Partition
    from bitsieve.information.from_sums import SumInformation


class ConditionalInformation:
    """Information conditional on a set Z of features.

    Parameters
    ----------
    information : SumInformation
    partition : Partition
        The samples divided by the joint value of Z.
    """

    def __init__(self, information: SumInformation, partition: Partition) -> None:
        self.information, self.partition = information, partition

    def refine(self, feature: int) -> ConditionalInformation:
        """Conditional on the set and one more feature."""
        return ConditionalInformation(self.information, self.partition.refine(feature))

    @cached_property
    def _marginals(self) -> tuple[int, int]:
        return self.partition.marginal_sums(self.information.terms)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.information.source.n_samples

    @property
    def class_entropy(self) -> float:
        """H(C|Z)."""
        z, zc = self._marginals
        return (z - zc) / self.information.terms.per_bit

    def conditional_relevance(self, columns: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
        """I(Xi;C|Z) of ``columns`` (None: all)."""
        chosen = np.arange(self.information.n_features) if columns is None else columns
        z, zc = self._marginals
        xz, xzc = self.partition.sums(self.information.terms, chosen)
        return self.information.bits(xzc - xz + (z - zc))

    def shuffled_relevance(self, feature: int, seeds: NDArray[np.uint64]) -> NDArray[np.float64]:
        """I(Xi;C|Z) after each of several shuffles of the feature among samples of equal Z, one for every seed."""
        terms, (z, zc) = self.information.terms, self._marginals
        xz, _ = self.partition.sums(terms, np.array([feature]))
        return self.information.bits(self.partition.shuffled_sums(terms, feature, seeds) - xz + (z - zc))

    def least_expected(self, feature: int) -> float:
        """The least expected count, without dependence, of a cell of the tables that the degrees of freedom count."""
        return self.partition.least_expected(feature)

    def degrees_of_freedom(self, feature: int) -> int:
        """``(codes - 1) (classes - 1)`` over the codes and classes that occur at each value of Z, summed."""
        return self.partition.degrees_of_freedom(feature)
