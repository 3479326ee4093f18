"""Normalised joint mutual information maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Floats
    from bitsieve.information.protocol import PairInformation


@dataclass(frozen=True)
class NJMIM(Criterion):
    """The joint relevance of jmim, each normalised: ``J(i|S) = min_s I(Xi,Xs;C) / H(Xi,Xs,C)``.

    The minimum where disr has the sum. Scores are ratios between 0 and 1, not bits; the first is still I(Xi;C). A
    score never increases, so stale scores bound fresh ones.

    References
    ----------
    M. Bennasar, Y. Hicks, R. Setchi, "Feature selection using joint mutual information maximisation", Expert Systems
    with Applications 42(22), 2015. doi:10.1016/j.eswa.2015.07.007
    """

    name = "njmim"
    title = "Normalised joint mutual information maximisation"
    formula = "min_s I(Xi,Xs;C) / H(Xi,Xs,C)"
    paper = "Bennasar, Hicks, Setchi 2015"
    unit = "ratio"
    needs = "class pairs"
    start = float("inf")
    never_increases = True

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Minimum of I(Xi,Xs;C) / H(Xi,Xs,C)."""
        return np.minimum(folded, pair.symmetric_relevance)
