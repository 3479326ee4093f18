"""Joint mutual information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Floats, Needs
    from bitsieve.information.protocol import PairInformation


@dataclass(frozen=True)
class JMI:
    """The information of the candidate together with each chosen feature: ``J(i|S) = sum_s I(Xi,Xs;C)``.

    Chooses in the same order as the extended MRMR, ``I(Xi;C) - mean_s [I(Xi;Xs) - I(Xi;Xs|C)]``.

    References
    ----------
    H. H. Yang, J. Moody, "Data visualization and feature selection: new algorithms for nongaussian data", NIPS 1999.
    """

    name: ClassVar[str] = "jmi"
    title: ClassVar[str] = "Joint mutual information"
    formula: ClassVar[str] = "sum_s I(Xi,Xs;C)"
    paper: ClassVar[str] = "Yang, Moody 1999"
    unit: ClassVar[str] = "bits"
    needs: ClassVar[Needs] = "class pairs"
    start: ClassVar[float] = 0.0
    never_increases: ClassVar[bool] = False

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi,Xs;C)."""
        return folded + pair.joint_relevance

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """The sum itself."""
        return folded
