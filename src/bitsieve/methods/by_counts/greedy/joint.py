"""Scores of criteria that condition on several chosen features at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.ties import pick

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.information.protocol import Information
    from bitsieve.methods.by_counts.criteria.base import JointCriterion


class JointScores:
    """I(Xi;C|Z) of all candidates, Z the features that the criterion names of those chosen.

    Where Z only grows its partition of the samples is refined further; else it is made afresh.
    """

    def __init__(self, information: Information, criterion: JointCriterion) -> None:
        self.information = information
        self.criterion = criterion
        self.chosen: list[int] = []
        self.known: list[int] = []
        self.given = information.conditional()

    def add(self, feature: int) -> None:
        """Put a feature into S."""
        self.chosen.append(feature)
        wanted = self.criterion.condition(self.chosen)
        grown = len(self.known)
        if wanted[:grown] != self.known:
            self.given, grown = self.information.conditional(), 0
        for other in wanted[grown:]:
            self.given = self.given.refine(other)
        self.known = wanted

    def best(self, candidates: NDArray[np.bool_]) -> tuple[int, float]:
        """The best candidate and its score."""
        scores = self.given.conditional_relevance()
        chosen = pick(np.where(candidates, scores, -np.inf))
        return chosen, float(scores[chosen])
