"""What columns tell about the class when a whole set of others is known together: ``I(Xi;C|Z)``, Z the set's strata.

With ``S`` the sums over the tables named below, ``I(Xi;C|Z) = (S_z - S_zc - S_xz + S_xzc) / unit``: in bits, not
clipped, by the terms of the source (plug-in or Miller-Madow; a stratum of one sample adds nothing by either). It can
only fall to 0 as the strata become single samples, however informative the column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.attributes import cached_property

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.counts.source import Strata
    from bitsieve.information.pairwise import PairwiseInformation


class Given:
    """Information beside a set of features, all of them known.

    Parameters
    ----------
    information : PairwiseInformation
    strata : Strata, optional
        Of the set; by default of the empty one.
    """

    def __init__(self, information: PairwiseInformation, strata: Strata | None = None) -> None:
        self.information = information
        self.strata = information.source.strata() if strata is None else strata

    def refine(self, feature: int) -> Given:
        """Beside the set and one more feature."""
        return Given(self.information, self.strata.refine(feature))

    @cached_property
    def _alone(self) -> tuple[int, int]:
        return self.strata.alone()

    @property
    def class_entropy(self) -> float:
        """H(C|Z), what is still unknown of the class."""
        z, zc = self._alone
        return (z - zc) / self.information.source.terms.unit

    def conditional_relevance(self, columns: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
        """I(Xi;C|Z) of ``columns`` (None: all)."""
        z, zc = self._alone
        xz, xzc = self.strata.sums(columns)
        return self.information.bits(xzc - xz + (z - zc))

    def shuffled_relevance(self, feature: int, seeds: NDArray[np.uint64]) -> NDArray[np.float64]:
        """I(Xi;C|Z) after each of several shuffles of the feature within the strata, one for every seed."""
        z, zc = self._alone
        xz, _ = self.strata.sums(np.array([feature]))
        return self.information.bits(self.strata.shuffled_sums(feature, seeds) - xz + (z - zc))
