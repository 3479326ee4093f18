"""Conditional redundancy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Floats, Needs
    from bitsieve.information.protocol import PairInformation


@dataclass(frozen=True)
class CondRed:
    """Relevance and the redundancy within the classes, as a gain: ``J(i|S) = I(Xi;C) + sum_s I(Xi;Xs|C)``.

    The linear family without its redundancy term: betagamma with beta = 0 and gamma = 1.

    References
    ----------
    G. Brown, A. Pocock, M.-J. Zhao, M. Lujan, "Conditional likelihood maximisation: a unifying framework for
    information theoretic feature selection", Journal of Machine Learning Research 13, 2012.
    """

    name: ClassVar[str] = "condred"
    title: ClassVar[str] = "Conditional redundancy"
    formula: ClassVar[str] = "I(Xi;C) + sum_s I(Xi;Xs|C)"
    paper: ClassVar[str] = "Brown, Pocock, Zhao, Lujan 2012"
    unit: ClassVar[str] = "bits"
    needs: ClassVar[Needs] = "class pairs"
    start: ClassVar[float] = 0.0
    never_increases: ClassVar[bool] = False

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi;Xs|C)."""
        return folded + pair.conditional_redundancy

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) and the sum."""
        return relevance + folded
