"""A stopping rule at work: the strata of what is chosen, and what the rule said of every choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve.information.given import Given

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.by_counts.stopping.base import StoppingRule
    from bitsieve.information.pairwise import PairwiseInformation


class Verdict(NamedTuple):
    """What a stopping rule said.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Its value for every choice it let pass, nan for those that were not judged.
    refused : int or None
        The candidate it stopped at; None where it stopped at none.
    value : float
        The refused candidate's, else nan.
    exhausted : bool
        Whether only constant columns were left.
    """

    values: NDArray[np.float64]
    refused: int | None
    value: float
    exhausted: bool


class Judge:
    """Asks a rule about every choice, beside all that was chosen before."""

    def __init__(self, information: PairwiseInformation, rule: StoppingRule) -> None:
        self.rule = rule
        self.given = Given(information.plug_in())
        self.values: list[float] = []
        self.refused: int | None = None
        self.value = np.nan
        self.only_constants = False

    def refuses(self, candidate: int, n_candidates: int) -> bool:
        """Whether the selection ends before this choice of ``n_candidates``; 0: it is not judged."""
        value = self.rule.value(self.given, candidate, n_candidates) if n_candidates else np.nan
        if n_candidates and self.rule.stops(value):
            self.refused, self.value = candidate, value
            return True
        self.values.append(value)
        self.given = self.given.refine(candidate)
        return False

    def exhausted(self) -> None:
        """Only constant columns are left."""
        self.only_constants = True

    def verdict(self) -> Verdict:
        """All that was said."""
        return Verdict(np.array(self.values), self.refused, float(self.value), self.only_constants)
