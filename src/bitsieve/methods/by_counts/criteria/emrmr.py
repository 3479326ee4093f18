"""Extended minimum redundancy, maximum relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitsieve.methods.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats


@dataclass(frozen=True)
class EMRMR(Criterion):
    """Relevance less the mean class-relevant redundancy: ``J(i|S) = I(Xi;C) - (1/#S) sum_s [I(Xi;Xs) - I(Xi;Xs|C)]``.

    Equal to the mean of I(Xi;C|Xs), which is how it is computed, as ``I(Xi;C|Xs) = I(Xi;C) - I(Xi;Xs) + I(Xi;Xs|C)``.
    With ``I(Xi,Xs;C) = I(Xs;C) + I(Xi;C|Xs)`` also ``jmi = #S emrmr + sum_s I(Xs;C)``: both choose in the same order.

    References
    ----------
    N. X. Vinh, J. Chan, S. Romano, J. Bailey, "Effective global approaches for mutual information based feature
    selection", KDD 2014. doi:10.1145/2623330.2623611
    """

    name = "emrmr"
    title = "Extended minimum redundancy, maximum relevance"
    formula = "I(Xi;C) - mean_s [I(Xi;Xs) - I(Xi;Xs|C)]"
    paper = "Vinh, Chan, Romano, Bailey 2014"
    needs = "class pairs"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi;C|Xs)."""
        return folded + pair.conditional_relevance

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """The mean."""
        return folded / n_selected
