"""Mutual information feature selection under uniform information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitsieve.methods.by_counts.criteria.base import Criterion, check_weight

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats


@dataclass(frozen=True)
class MIFSU(Criterion):
    """Relevance less weighted redundancy: ``J(i|S) = I(Xi;C) - beta sum_s [I(Xs;C)/H(Xs)] I(Xi;Xs)``.

    The sum of mifs, each redundancy weighted by the share of the chosen feature's entropy that tells about the class. A
    chosen feature that is constant counts for nothing.

    Parameters
    ----------
    beta : float, default 1.0
        Weight of the redundancy; 0 gives mim.

    References
    ----------
    N. Kwak, C.-H. Choi, "Input feature selection for classification problems", IEEE Transactions on Neural Networks
    13(1), 2002. doi:10.1109/72.977291
    """

    name = "mifsu"
    title = "Mutual information feature selection under uniform information"
    formula = "I(Xi;C) - beta sum_s [I(Xs;C)/H(Xs)] I(Xi;Xs)"
    paper = "Kwak, Choi 2002"
    needs = "pairs"

    beta: float = 1.0

    def __post_init__(self) -> None:
        check_weight("beta", self.beta)

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of [I(Xs;C)/H(Xs)] I(Xi;Xs)."""
        information, pivot = pair.information, pair.pivot
        entropy = information.entropy[pivot]
        share = information.relevance[pivot] / entropy if entropy > 0 else 0.0
        return folded + share * pair.redundancy

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) - beta times the sum."""
        return relevance - self.beta * folded
