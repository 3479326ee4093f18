"""The least information of candidates over the features chosen so far, searched for its largest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.counts.minima import Minima
    from bitsieve.information.from_sums import SumInformation

LINEAR = ("conditional_relevance", "joint_relevance")  # whose sums differ from S_isc - S_is by what s alone tells


class InformationMinima:
    """``min_s I(Xi;C|Xs)``, or ``min_s I(Xi,Xs;C)``, over the features s that were added.

    Parameters
    ----------
    information : SumInformation
    quantity : str
        One of ``LINEAR``.
    sums : Minima
    """

    def __init__(self, information: SumInformation, quantity: str, sums: Minima) -> None:
        self.information, self.quantity, self.sums = information, quantity, sums

    def add(self, feature: int) -> None:
        """One more s."""
        info = self.information
        if self.quantity == "joint_relevance":
            offset = info.total - info.class_sum
        else:
            alone, with_class = info.marginals
            offset = int(alone[feature]) - int(with_class[feature])
        self.sums.add(feature, offset)

    def best(self, candidates: NDArray[np.bool_]) -> tuple[int, float]:
        """The candidate of the largest minimum, and that minimum in bits."""
        chosen, least = self.sums.largest(candidates)
        return chosen, least / self.information.terms.per_bit


def information_minima(information: SumInformation, quantity: str, capped: bool) -> InformationMinima | None:
    """The minima of a quantity of pairs, at most the relevance if ``capped``; None where there is no quick way."""
    if quantity not in LINEAR:
        return None
    alone, with_class = information.marginals
    start = np.full(information.n_features, np.iinfo(np.int64).max)
    if capped:
        start = information.total - alone - information.class_sum + with_class
    sums = information.source.minima(information.terms, start)
    return None if sums is None else InformationMinima(information, quantity, sums)
