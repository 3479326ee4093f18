"""Mutual information maximisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitsieve.methods.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats


@dataclass(frozen=True)
class MIM(Criterion):
    """Relevance alone: ``J(i) = I(Xi;C)``.

    Also called maxRel. Blind to redundancy: duplicates are chosen together.

    References
    ----------
    D. D. Lewis, "Feature selection and feature extraction for text categorization", Speech and Natural Language
    Workshop, 1992.
    """

    name = "mim"
    title = "Mutual information maximisation"
    formula = "I(Xi;C)"
    paper = "Lewis 1992"
    needs = "marginals"
    never_increases = True

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Nothing to fold."""
        return folded

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C)."""
        return relevance
