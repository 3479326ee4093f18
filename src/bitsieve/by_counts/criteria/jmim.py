"""Joint mutual information maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Floats, Needs
    from bitsieve.information.protocol import PairInformation


@dataclass(frozen=True)
class JMIM:
    """The least information of the candidate together with a chosen feature: ``J(i|S) = min_s I(Xi,Xs;C)``.

    The minimum where jmi has the sum: ``min_s [I(Xs;C) + I(Xi;C|Xs)]``, so a weak chosen feature caps every candidate.
    A score never increases, so stale scores bound fresh ones.

    References
    ----------
    M. Bennasar, Y. Hicks, R. Setchi, "Feature selection using joint mutual information maximisation", Expert Systems
    with Applications 42(22), 2015. doi:10.1016/j.eswa.2015.07.007
    """

    name: ClassVar[str] = "jmim"
    title: ClassVar[str] = "Joint mutual information maximisation"
    formula: ClassVar[str] = "min_s I(Xi,Xs;C)"
    paper: ClassVar[str] = "Bennasar, Hicks, Setchi 2015"
    unit: ClassVar[str] = "bits"
    needs: ClassVar[Needs] = "class pairs"
    start: ClassVar[float] = float("inf")
    never_increases: ClassVar[bool] = True

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Minimum of I(Xi,Xs;C)."""
        return np.minimum(folded, pair.joint_relevance)

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """The minimum itself."""
        return folded
