"""Conditional mutual information maximisation, capped by relevance."""

from __future__ import annotations

from dataclasses import dataclass

from bitsieve.methods.by_counts.criteria.base import MinimumCriterion


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
