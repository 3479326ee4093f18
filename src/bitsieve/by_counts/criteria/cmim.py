"""Conditional mutual information maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Floats
    from bitsieve.information.protocol import PairInformation


@dataclass(frozen=True)
class CMIM(Criterion):
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
    needs = "class pairs"
    start = float("inf")
    never_increases = True

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Minimum of I(Xi;C|Xs)."""
        return np.minimum(folded, pair.conditional_relevance)
