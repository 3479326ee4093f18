"""Mutual information feature selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitsieve.methods.by_counts.criteria.base import Criterion, check_weight

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats


@dataclass(frozen=True)
class MIFS(Criterion):
    """Relevance less the summed redundancy: ``J(i|S) = I(Xi;C) - beta sum_s I(Xi;Xs)``.

    Parameters
    ----------
    beta : float, default 1.0
        Weight of the redundancy; 0 gives mim, 1/#S would give mrmr.

    References
    ----------
    R. Battiti, "Using mutual information for selecting features in supervised neural net learning", IEEE
    Transactions on Neural Networks 5(4), 1994. doi:10.1109/72.298224
    """

    name = "mifs"
    title = "Mutual information feature selection"
    formula = "I(Xi;C) - beta sum_s I(Xi;Xs)"
    paper = "Battiti 1994"
    needs = "pairs"

    beta: float = 1.0

    def __post_init__(self) -> None:
        check_weight("beta", self.beta)

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi;Xs)."""
        return folded + pair.redundancy

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) - beta sum I(Xi;Xs)."""
        return relevance - self.beta * folded
