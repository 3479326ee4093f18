"""Criteria that are minima over the chosen features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve.information.protocol import Information, PairInformation
from bitsieve.methods.by_counts.criteria.base import Criterion, MinimumCriterion
from bitsieve.utils.arrays import Floats
from bitsieve.utils.choice import Scores
from bitsieve.utils.docstrings import cites_its_paper


@cites_its_paper
@dataclass(frozen=True)
class CMIM(MinimumCriterion):
    """The least information of the candidate about the class given one chosen feature: ``J(i|S) = min_s I(Xi;C|Xs)``.

    The minimum is over S only, as the paper defines it; its algorithm also caps the score by I(Xi;C), which
    differs under synergy.
    """

    name = "cmim"
    title = "Conditional mutual information maximisation"
    formula = "min_s I(Xi;C|Xs)"
    paper = "Fleuret 2004"
    is_gain = True
    quantity = "conditional_relevance"


@cites_its_paper
@dataclass(frozen=True)
class CMIM2(Criterion):
    """The mean of the two smallest ``I(Xi;C|Xs)`` over the chosen features; of one chosen feature, the only one.

    The score of cmim is the smallest of many estimates, and so too small by chance. The mean of two varies less, and is
    still small if two chosen features repeat the candidate. From two chosen features on a score never increases.
    """

    name = "cmim2"
    title = "Conditional mutual information maximisation, mean of the two smallest"
    formula = "mean of the two smallest I(Xi;C|Xs)"
    paper = "Fleuret 2004"
    is_gain = True
    required_tables = "class pairs"
    quantity = "conditional_relevance"
    never_increases = True

    def minima(self, information: Information) -> Scores | None:
        return information.minima(self.quantity, capped=False, n_smallest=2)

    def empty_fold(self, n_features: int) -> Floats:
        """The smallest and the second smallest quantity of every candidate."""
        return np.full((2, n_features), np.inf)

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        smallest: Floats = folded[0]
        second: Floats = folded[1]
        latest = pair.conditional_relevance
        new_second = np.minimum(second, np.maximum(smallest, latest))
        return np.array([np.minimum(smallest, latest), new_second])

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        if n_selected == 1:
            smallest: Floats = folded[0]
            return smallest
        return np.asarray((folded[0] + folded[1]) / 2)


@cites_its_paper
@dataclass(frozen=True)
class CMIMFleuret(MinimumCriterion):
    """As cmim, and never above the relevance: ``J(i|S) = min(I(Xi;C), min_s I(Xi;C|Xs))``.

    The algorithm of the paper, whose scores start from the relevance; its definition, cmim, has the minimum over S
    only. They differ under synergy, where I(Xi;C|Xs) > I(Xi;C) for every s.
    """

    name = "cmim_fleuret"
    title = "Conditional mutual information maximisation, capped by relevance"
    formula = "min(I(Xi;C), min_s I(Xi;C|Xs))"
    paper = "Fleuret 2004"
    is_gain = True
    quantity = "conditional_relevance"
    capped = True


@cites_its_paper
@dataclass(frozen=True)
class JMIM(MinimumCriterion):
    """The least information of the candidate together with a chosen feature: ``J(i|S) = min_s I(Xi,Xs;C)``.

    The minimum where jmi has the sum: ``min_s [I(Xs;C) + I(Xi;C|Xs)]``, so a weak chosen feature caps every candidate.
    """

    name = "jmim"
    title = "Joint mutual information maximisation"
    formula = "min_s I(Xi,Xs;C)"
    paper = "Bennasar, Hicks, Setchi 2015"
    quantity = "joint_relevance"
