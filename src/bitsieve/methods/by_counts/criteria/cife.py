"""Conditional infomax feature extraction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitsieve.methods.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats


@dataclass(frozen=True)
class CIFE(Criterion):
    """Relevance less the class-relevant redundancy: ``J(i|S) = I(Xi;C) - sum_s [I(Xi;Xs) - I(Xi;Xs|C)]``.

    Equal to ``(1 - #S) I(Xi;C) + sum_s I(Xi;C|Xs)``: the redundancy comes to outweigh relevance as S grows.

    References
    ----------
    D. Lin, X. Tang, "Conditional infomax learning: an integrated framework for feature extraction and fusion",
    ECCV 2006. doi:10.1007/11744023_6
    """

    name = "cife"
    title = "Conditional infomax feature extraction"
    formula = "I(Xi;C) - sum_s [I(Xi;Xs) - I(Xi;Xs|C)]"
    paper = "Lin, Tang 2006"
    needs = "class pairs"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi;Xs) - I(Xi;Xs|C)."""
        return folded + (pair.redundancy - pair.conditional_redundancy)

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) less the sum."""
        return relevance - folded
