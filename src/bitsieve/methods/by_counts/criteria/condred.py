"""Conditional redundancy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitsieve.methods.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats


@dataclass(frozen=True)
class CondRed(Criterion):
    """Relevance and the redundancy within the classes, as a gain: ``J(i|S) = I(Xi;C) + sum_s I(Xi;Xs|C)``.

    The linear family without its redundancy term: betagamma with beta = 0 and gamma = 1.

    References
    ----------
    G. Brown, A. Pocock, M.-J. Zhao, M. Lujan, "Conditional likelihood maximisation: a unifying framework for
    information theoretic feature selection", Journal of Machine Learning Research 13, 2012.
    """

    name = "condred"
    title = "Conditional redundancy"
    formula = "I(Xi;C) + sum_s I(Xi;Xs|C)"
    paper = "Brown, Pocock, Zhao, Lujan 2012"
    needs = "class pairs"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi;Xs|C)."""
        return folded + pair.conditional_redundancy

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) and the sum."""
        return relevance + folded
