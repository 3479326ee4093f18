"""The information of features about the class, conditional on a whole set Z of other features.

With ``S`` the sums over the tables named below, ``I(Xi;C|Z) = (S_z - S_zc - S_xz + S_xzc) / B``, B the sum that
amounts to one bit: in bits, not clipped, by the terms of the estimator (plug-in or Miller-Madow). A sample that shares
its joint value of Z with no other carries no information by either, so that I(Xi;C|Z) falls to 0 as such samples become
more, however informative the feature.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.attributes import cached_property

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.counts import Columns, Floats
    from bitsieve.counts.partition import Partition
    from bitsieve.counts.terms import Terms


class ConditionalInformation:
    """Information conditional on a set Z of features: by the terms of an estimator, the samples divided by Z."""

    def __init__(self, terms: Terms, partition: Partition) -> None:
        self.terms, self.partition = terms, partition
        self.n_samples = terms.n_samples

    def refine(self, feature: int) -> ConditionalInformation:
        """Conditional on the set and one more feature."""
        return ConditionalInformation(self.terms, self.partition.refine(feature))

    @cached_property
    def _known(self) -> int:
        """``S_z - S_zc``."""
        z, zc = self.partition.marginal_sums(self.terms)
        return z - zc

    @property
    def class_entropy(self) -> float:
        """H(C|Z)."""
        return self._known / self.terms.per_bit

    def conditional_relevance(self, columns: Columns | None = None) -> Floats:
        """I(Xi;C|Z) of ``columns`` (None: all)."""
        chosen = np.arange(self.partition.source.n_features) if columns is None else columns
        xz, xzc = self.partition.sums(self.terms, chosen)
        return (xzc - xz + self._known) / self.terms.per_bit

    def shuffled_relevance(self, feature: int, seeds: NDArray[np.uint64]) -> Floats:
        """I(Xi;C|Z) after each of several shuffles of the feature among samples of equal Z, one for every seed."""
        xz, _ = self.partition.sums(self.terms, np.array([feature]))
        return (self.partition.shuffled_sums(self.terms, feature, seeds) - xz + self._known) / self.terms.per_bit

    def least_expected(self, feature: int) -> float:
        """The least expected count, without dependence, of a cell of the tables that the degrees of freedom count."""
        return self.partition.least_expected(feature)

    def degrees_of_freedom(self, feature: int) -> int:
        """``(codes - 1) (classes - 1)`` over the codes and classes that occur at each value of Z, summed."""
        return self.partition.degrees_of_freedom(feature)
