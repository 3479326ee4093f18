"""Joint mutual information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitsieve.methods.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats


@dataclass(frozen=True)
class JMI(Criterion):
    """The information of the candidate together with each chosen feature: ``J(i|S) = sum_s I(Xi,Xs;C)``.

    Chooses in the same order as the extended MRMR, ``I(Xi;C) - mean_s [I(Xi;Xs) - I(Xi;Xs|C)]``.

    References
    ----------
    H. H. Yang, J. Moody, "Data visualization and feature selection: new algorithms for nongaussian data", NIPS 1999.
    """

    name = "jmi"
    title = "Joint mutual information"
    formula = "sum_s I(Xi,Xs;C)"
    paper = "Yang, Moody 1999"
    needs = "class pairs"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi,Xs;C)."""
        return folded + pair.joint_relevance
