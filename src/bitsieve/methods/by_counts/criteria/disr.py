"""Double input symmetrical relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitsieve.methods.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats


@dataclass(frozen=True)
class DISR(Criterion):
    """The joint relevance of jmi, each normalised: ``J(i|S) = sum_s I(Xi,Xs;C) / H(Xi,Xs,C)``.

    Against the liking of jmi for features of many codes. Scores are ratios between 0 and #S, not
    bits; the first is still I(Xi;C). A pair that is constant, with a constant class, counts for 0.

    References
    ----------
    P. E. Meyer, G. Bontempi, "On the use of variable complementarity for feature selection in cancer classification",
    EvoWorkshops 2006. doi:10.1007/11732242_9
    """

    name = "disr"
    title = "Double input symmetrical relevance"
    formula = "sum_s I(Xi,Xs;C) / H(Xi,Xs,C)"
    paper = "Meyer, Bontempi 2006"
    unit = "ratio"
    needs = "class pairs"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi,Xs;C) / H(Xi,Xs,C)."""
        return folded + pair.symmetric_relevance
