"""Conditional mutual information maximisation."""

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
