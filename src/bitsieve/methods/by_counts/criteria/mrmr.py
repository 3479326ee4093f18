"""Minimum redundancy, maximum relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitsieve.methods.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats


@dataclass(frozen=True)
class MRMR(Criterion):
    """Relevance less the mean redundancy: ``J(i|S) = I(Xi;C) - (1/#S) sum_s I(Xi;Xs)``.

    The difference form (MID); its quotient is :class:`~bitsieve.methods.by_counts.criteria.miq.MIQ`.

    References
    ----------
    H. Peng, F. Long, C. Ding, "Feature selection based on mutual information", IEEE Transactions on Pattern
    Analysis and Machine Intelligence 27(8), 2005. doi:10.1109/TPAMI.2005.159
    """

    name = "mrmr"
    title = "Minimum redundancy, maximum relevance"
    formula = "I(Xi;C) - mean_s I(Xi;Xs)"
    paper = "Peng, Long, Ding 2005"
    needs = "pairs"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi;Xs)."""
        return folded + pair.redundancy

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) - mean I(Xi;Xs)."""
        return relevance - folded / n_selected
