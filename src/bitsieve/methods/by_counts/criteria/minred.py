"""Minimum redundancy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitsieve.methods.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats


@dataclass(frozen=True)
class MinRed(Criterion):
    """The negative mean redundancy, whatever the relevance: ``J(i|S) = -(1/#S) sum_s I(Xi;Xs)``.

    What mrmr takes from the relevance, alone: only the first feature is chosen for what it tells about the class.

    References
    ----------
    W. Duch, "Filter methods", in Feature Extraction: Foundations and Applications, Springer 2006.
    doi:10.1007/978-3-540-35488-8_4
    """

    name = "minred"
    title = "Minimum redundancy"
    formula = "-mean_s I(Xi;Xs)"
    paper = "Duch 2006"
    needs = "pairs"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Less the sum of I(Xi;Xs)."""
        return folded - pair.redundancy

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """The mean."""
        return folded / n_selected
