"""Criteria that are quotients of information."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve.methods.by_counts.criteria.base import Criterion, MinimumCriterion, check_weight
from bitsieve.utils.arrays import Floats
from bitsieve.utils.docstrings import cites_its_paper

ROUNDING = 1e-12  # bits: smaller quantities are the rounding of 0


@cites_its_paper
@dataclass(frozen=True)
class MIQ(Criterion):
    """Relevance over the mean redundancy: ``J(i|S) = I(Xi;C) / (eps + (1/#S) sum_s I(Xi;Xs))``.

    Scores are ratios, not bits. By decision ``x/0 = inf`` and ``0/0 = 0``. Quantities of less than 1e-12 bit, which
    is what rounding leaves of an exact 0, count as 0.

    Parameters
    ----------
    eps : float, default 0.0
        Added to the denominator (the authors used 0.01). By "miller-madow" the redundancy of independent columns may
        be 0 or less: their quotients are infinite without ``eps``. "corrected" divides by plug-in redundancy.
    """

    name = "miq"
    title = "Mutual information quotient"
    formula = "I(Xi;C) / mean_s I(Xi;Xs)"
    paper = "Ding, Peng 2003"
    required_tables = "pairs"
    quantity = "divisor"
    unit = "ratio"

    eps: float = 0.0

    def __post_init__(self) -> None:
        check_weight("eps", self.eps, "cannot be added to a denominator")

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) / (eps + mean I(Xi;Xs))."""
        numerator = np.where(relevance > ROUNDING, relevance, 0.0)
        denominator = self.eps + np.where(folded > ROUNDING * n_selected, folded / n_selected, 0.0)
        quotient = np.where(numerator > 0, np.inf, 0.0)
        return np.divide(numerator, denominator, out=quotient, where=denominator > 0)


@cites_its_paper
@dataclass(frozen=True)
class DISR(Criterion):
    """The sum of normalised joint relevances: ``J(i|S) = sum_s I(Xi,Xs;C) / H(Xi,Xs,C)``.

    The terms are those of jmi. Their normalisation works against its preference for features of many codes. Scores are
    ratios between 0 and #S, not bits; the first is still I(Xi;C). A constant pair counts 0 if the class is constant.
    """

    name = "disr"
    title = "Double input symmetrical relevance"
    formula = "sum_s I(Xi,Xs;C) / H(Xi,Xs,C)"
    paper = "Meyer, Bontempi 2006"
    unit = "ratio"
    required_tables = "class pairs"
    quantity = "symmetric_relevance"


@cites_its_paper
@dataclass(frozen=True)
class NJMIM(MinimumCriterion):
    """The least normalised joint relevance: ``J(i|S) = min_s I(Xi,Xs;C) / H(Xi,Xs,C)``.

    The minimum where disr has the sum. Scores are ratios between 0 and 1, not bits; the first is still I(Xi;C).
    """

    name = "njmim"
    title = "Normalised joint mutual information maximisation"
    formula = "min_s I(Xi,Xs;C) / H(Xi,Xs,C)"
    paper = "Bennasar, Hicks, Setchi 2015"
    unit = "ratio"
    quantity = "symmetric_relevance"
