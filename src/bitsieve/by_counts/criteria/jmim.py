"""Joint mutual information maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Floats
    from bitsieve.information.protocol import PairInformation


@dataclass(frozen=True)
class JMIM(Criterion):
    """The least information of the candidate together with a chosen feature: ``J(i|S) = min_s I(Xi,Xs;C)``.

    The minimum where jmi has the sum: ``min_s [I(Xs;C) + I(Xi;C|Xs)]``, so a weak chosen feature caps every candidate.
    A score never increases, so stale scores bound fresh ones.

    References
    ----------
    M. Bennasar, Y. Hicks, R. Setchi, "Feature selection using joint mutual information maximisation", Expert Systems
    with Applications 42(22), 2015. doi:10.1016/j.eswa.2015.07.007
    """

    name = "jmim"
    title = "Joint mutual information maximisation"
    formula = "min_s I(Xi,Xs;C)"
    paper = "Bennasar, Hicks, Setchi 2015"
    needs = "class pairs"
    start = float("inf")
    never_increases = True

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Minimum of I(Xi,Xs;C)."""
        return np.minimum(folded, pair.joint_relevance)
