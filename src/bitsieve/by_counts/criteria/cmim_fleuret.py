"""Conditional mutual information maximisation, capped by relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Floats
    from bitsieve.information.protocol import PairInformation


@dataclass(frozen=True)
class CMIMFleuret(Criterion):
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
    needs = "class pairs"
    start = float("inf")
    never_increases = True

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Minimum of I(Xi;C|Xs)."""
        return np.minimum(folded, pair.conditional_relevance)

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """The lesser of I(Xi;C) and the minimum."""
        return np.minimum(relevance, folded)
