"""Normalised joint mutual information maximisation."""

from __future__ import annotations

from dataclasses import dataclass

from bitsieve.methods.by_counts.criteria.base import MinimumCriterion


@dataclass(frozen=True)
class NJMIM(MinimumCriterion):
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
    quantity = "symmetric_relevance"
