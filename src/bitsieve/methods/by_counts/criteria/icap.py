"""Interaction capping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.methods.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats


@dataclass(frozen=True)
class ICAP(Criterion):
    """Relevance less redundancy, no credit for synergy: ``J(i|S) = I(Xi;C) - sum_s max(0, I(Xi;Xs) - I(Xi;Xs|C))``.

    As cife where every chosen feature takes from what the candidate tells, never above it. A score never increases, as
    no term of the sum is negative: stale scores bound fresh ones.

    References
    ----------
    A. Jakulin, "Machine learning based on attribute interactions", PhD thesis, University of Ljubljana, 2005.
    """

    name = "icap"
    title = "Interaction capping"
    formula = "I(Xi;C) - sum_s max(0, I(Xi;Xs) - I(Xi;Xs|C))"
    paper = "Jakulin 2005"
    needs = "class pairs"
    never_increases = True

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi;Xs) - I(Xi;Xs|C) where positive."""
        return folded + np.maximum(pair.redundancy - pair.conditional_redundancy, 0.0)

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) less the sum."""
        return relevance - folded
