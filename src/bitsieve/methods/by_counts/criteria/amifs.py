"""Adaptive mutual information feature selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.methods.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats


@dataclass(frozen=True)
class AMIFS(Criterion):
    """Relevance less the mean normalised redundancy: ``J(i|S) = I(Xi;C) - (1/#S) sum_s I(Xi;Xs) / min(H(Xi), H(Xs))``.

    The normalised redundancy is 0 for independent features and 1 where one of them determines the other; it is 0 for a
    constant feature. A score is bits less a ratio, so the order depends on the unit, here the bit.

    References
    ----------
    M. Tesmer, P. A. Estevez, "AMIFS: adaptive feature selection by using mutual information", IJCNN 2004.
    doi:10.1109/IJCNN.2004.1379918
    """

    name = "amifs"
    title = "Adaptive mutual information feature selection"
    formula = "I(Xi;C) - mean_s I(Xi;Xs) / min(H(Xi), H(Xs))"
    paper = "Tesmer, Estevez 2004"
    unit = "mixed"
    needs = "pairs"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi;Xs) / min(H(Xi), H(Xs))."""
        entropy = pair.information.entropy
        smaller = np.minimum(pair.of(entropy), entropy[pair.pivot])
        return folded + pair.redundancy / np.where(smaller > 0, smaller, 1.0)  # a constant shares exactly 0

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) less the mean."""
        return relevance - folded / n_selected
