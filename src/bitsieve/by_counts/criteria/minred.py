"""Minimum redundancy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Floats, Needs
    from bitsieve.information.protocol import PairInformation


@dataclass(frozen=True)
class MinRed:
    """The negative mean redundancy, whatever the relevance: ``J(i|S) = -(1/#S) sum_s I(Xi;Xs)``.

    What mrmr takes from the relevance, alone: only the first feature is chosen for what it tells about the class.

    References
    ----------
    W. Duch, "Filter methods", in Feature Extraction: Foundations and Applications, Springer 2006.
    doi:10.1007/978-3-540-35488-8_4
    """

    name: ClassVar[str] = "minred"
    title: ClassVar[str] = "Minimum redundancy"
    formula: ClassVar[str] = "-mean_s I(Xi;Xs)"
    paper: ClassVar[str] = "Duch 2006"
    unit: ClassVar[str] = "bits"
    needs: ClassVar[Needs] = "pairs"
    start: ClassVar[float] = 0.0
    never_increases: ClassVar[bool] = False

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Less the sum of I(Xi;Xs)."""
        return folded - pair.redundancy

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """The mean."""
        return folded / n_selected
