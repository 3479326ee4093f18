"""I(S + f;C) of candidates beside the whole set S of chosen features, from counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bitsieve.information.protocol import Information


class WholeSetInformation:
    """``I(S + f;C) = I(S;C) + I(f;C|S)``, the samples divided by the joint value of S."""

    def __init__(self, information: Information) -> None:
        self._given = information.conditional()
        self._reached = 0.0

    def information(self, candidates: NDArray[np.intp]) -> NDArray[np.float64]:
        """I(S + f;C) of every candidate, in bits."""
        return self._reached + self._given.conditional_relevance(candidates)

    def add(self, feature: int) -> None:
        """Put a feature into S."""
        self._given = self._given.refine(feature)
        self._reached = self._given.information.class_entropy - self._given.class_entropy
