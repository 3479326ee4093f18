"""Criteria that take the least of a quantity over the chosen features."""

from __future__ import annotations

from dataclasses import dataclass

from bitsieve.methods.by_counts.criteria.base import MinimumCriterion


@dataclass(frozen=True)
class CMIM(MinimumCriterion):
    """The least information of the candidate about the class given one chosen feature: ``J(i|S) = min_s I(Xi;C|Xs)``.

    The minimum is over S only, as the paper defines it; its algorithm also caps the score by I(Xi;C), which
    differs under synergy. A score never increases, so stale scores bound fresh ones.

    References
    ----------
    F. Fleuret, "Fast binary feature selection with conditional mutual information", Journal of Machine Learning
    Research 5, 2004.
    """

    name = "cmim"
    title = "Conditional mutual information maximisation"
    formula = "min_s I(Xi;C|Xs)"
    paper = "Fleuret 2004"
    quantity = "conditional_relevance"


@dataclass(frozen=True)
class CMIMFleuret(MinimumCriterion):
    """As cmim, and never above the relevance: ``J(i|S) = min(I(Xi;C), min_s I(Xi;C|Xs))``.

    The algorithm of the paper, whose scores start from the relevance; its definition, cmim, has the minimum over S
    only. They differ under synergy, where I(Xi;C|Xs) > I(Xi;C) for every s. A score never increases, so stale scores
    bound fresh ones.

    References
    ----------
    F. Fleuret, "Fast binary feature selection with conditional mutual information", Journal of Machine Learning
    Research 5, 2004.
    """

    name = "cmim_fleuret"
    title = "Conditional mutual information maximisation, capped by relevance"
    formula = "min(I(Xi;C), min_s I(Xi;C|Xs))"
    paper = "Fleuret 2004"
    quantity = "conditional_relevance"
    capped = True


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
