"""Joint mutual information maximisation."""

from __future__ import annotations

from dataclasses import dataclass

from bitsieve.methods.by_counts.criteria.base import MinimumCriterion


@dataclass(frozen=True)
class JMIM(MinimumCriterion):
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
    quantity = "joint_relevance"
