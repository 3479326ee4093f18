"""A stopping rule at work: it tests every choice, conditional on all that was chosen before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.information.plug_in import PlugInInformation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.by_counts.stopping.base import StoppingRule
    from bitsieve.information.protocol import Information


@dataclass(frozen=True)
class StoppingOutcome:
    """What a stopping rule found.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Its value for every choice it accepted, nan for those that were not tested.
    refused : int or None
        The candidate it stopped at; None where it stopped at none.
    value : float
        The value of the refused candidate, else nan.
    exhausted : bool
        Whether only constant columns were left.
    """

    values: NDArray[np.float64]
    refused: int | None
    value: float
    exhausted: bool


class StoppingMonitor:
    """Applies a rule to every choice by the plug-in information, conditional on all features chosen before.

    Parameters
    ----------
    information : Information
    rule : StoppingRule
    """

    def __init__(self, information: Information, rule: StoppingRule) -> None:
        self.rule = rule
        self.given = PlugInInformation(information.source).conditional()
        self.values: list[float] = []
        self.refused: int | None = None
        self.value = np.nan
        self.exhausted = False

    def refuses(self, candidate: int, score: float, n_candidates: int) -> bool:
        """Whether the selection ends before this choice of ``n_candidates``; 0: it is not tested."""
        value = self.rule.value(self.given, candidate, n_candidates) if n_candidates else np.nan
        if n_candidates and self.rule.stops(value):
            self.refused, self.value = candidate, value
            return True
        self.values.append(value)
        self.given = self.given.refine(candidate)
        return False

    def ends_at_constants(self) -> bool:
        """A rule never lets a constant column pass."""
        self.exhausted = True
        return True

    def outcome(self) -> StoppingOutcome:
        """What was found."""
        return StoppingOutcome(np.array(self.values), self.refused, float(self.value), self.exhausted)
