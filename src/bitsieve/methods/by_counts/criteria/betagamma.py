"""Linear family of both redundancies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitsieve.methods.by_counts.criteria.base import Criterion, check_weight

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats


@dataclass(frozen=True)
class BetaGamma(Criterion):
    """Any weights of both redundancies: ``J(i|S) = I(Xi;C) - beta sum_s I(Xi;Xs) + gamma sum_s I(Xi;Xs|C)``.

    (0, 0) is mim, (beta, 0) mifs, (0, 1) condred, (1, 1) cife; where the weights are 1/#S it would be mrmr and emrmr.

    Parameters
    ----------
    beta : float, default 1.0
        Weight of the redundancy.
    gamma : float, default 1.0
        Weight of the redundancy within the classes.

    References
    ----------
    G. Brown, A. Pocock, M.-J. Zhao, M. Lujan, "Conditional likelihood maximisation: a unifying framework for
    information theoretic feature selection", Journal of Machine Learning Research 13, 2012.
    """

    name = "betagamma"
    title = "Linear family of both redundancies"
    formula = "I(Xi;C) - beta sum_s I(Xi;Xs) + gamma sum_s I(Xi;Xs|C)"
    paper = "Brown, Pocock, Zhao, Lujan 2012"
    needs = "class pairs"

    beta: float = 1.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_weight("beta", self.beta)
        check_weight("gamma", self.gamma)

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of beta I(Xi;Xs) - gamma I(Xi;Xs|C)."""
        return folded + (self.beta * pair.redundancy - self.gamma * pair.conditional_redundancy)

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) less the sum."""
        return relevance - folded
