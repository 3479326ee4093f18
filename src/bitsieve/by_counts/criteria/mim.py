"""Mutual information maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Floats, Needs
    from bitsieve.information.protocol import PairInformation


@dataclass(frozen=True)
class MIM:
    """Relevance alone: ``J(i) = I(Xi;C)``.

    Also called maxRel. Blind to redundancy: twins are chosen together.

    References
    ----------
    D. D. Lewis, "Feature selection and feature extraction for text categorization", Speech and Natural Language
    Workshop, 1992.
    """

    name: ClassVar[str] = "mim"
    title: ClassVar[str] = "Mutual information maximisation"
    formula: ClassVar[str] = "I(Xi;C)"
    paper: ClassVar[str] = "Lewis 1992"
    unit: ClassVar[str] = "bits"
    needs: ClassVar[Needs] = "marginals"
    start: ClassVar[float] = 0.0
    never_increases: ClassVar[bool] = True

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Nothing to fold."""
        return folded

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C)."""
        return relevance
