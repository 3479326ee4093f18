"""Conditional mutual information maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Floats, Needs
    from bitsieve.information.protocol import PairInformation


@dataclass(frozen=True)
class CMIM:
    """What the candidate still tells when any one chosen feature is known: ``J(i|S) = min_s I(Xi;C|Xs)``.

    The minimum is over S only, as the paper defines it; its algorithm also caps the score by I(Xi;C), which
    differs under synergy. A score never increases, so stale scores bound fresh ones.

    References
    ----------
    F. Fleuret, "Fast binary feature selection with conditional mutual information", Journal of Machine Learning
    Research 5, 2004.
    """

    name: ClassVar[str] = "cmim"
    title: ClassVar[str] = "Conditional mutual information maximisation"
    formula: ClassVar[str] = "min_s I(Xi;C|Xs)"
    paper: ClassVar[str] = "Fleuret 2004"
    unit: ClassVar[str] = "bits"
    needs: ClassVar[Needs] = "class pairs"
    start: ClassVar[float] = float("inf")
    never_increases: ClassVar[bool] = True

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Minimum of I(Xi;C|Xs)."""
        return np.minimum(folded, pair.conditional_relevance)

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """The minimum itself."""
        return folded
