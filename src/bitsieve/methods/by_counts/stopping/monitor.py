"""A stopping rule at work: it tests every choice, conditional on all that was chosen before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bitsieve.information.plug_in import PlugInInformation
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.methods.by_counts.stopping.rules import StoppingRule


@dataclass(frozen=True)
class StoppingOutcome:
    """What a stopping rule found.

    ``values`` (k,): its value for every choice it accepted, nan for those that were not tested. ``refused``: the
    candidate it stopped at; None where it stopped at none. ``value``: the value of the refused candidate, else nan.
    ``exhausted``: whether only constant columns were left.
    """

    values: NDArray[np.float64]
    refused: int | None
    value: float
    exhausted: bool


class StoppingMonitor:
    """Applies a rule to every choice by the plug-in information, conditional on all features chosen before."""

    def __init__(self, information: Information, rule: StoppingRule) -> None:
        self.rule, self.source = rule, information.source
        self.given = PlugInInformation(self.source).conditional()
        self.varies = information.varies
        self.chosen: list[int] = []
        self.values: list[float] = []
        self.refused: int | None = None
        self.value: float = np.nan
        self.exhausted = False

    def refuses(self, candidate: int, score: float, tried: NDArray[np.bool_] | None) -> bool:
        """Whether the selection ends before this choice among those ``tried``; None: it is not tested."""
        value = np.nan
        if tried is not None:
            value = self._value(candidate, tried)
            if self.rule.stops(value):
                self.refused, self.value = candidate, value
                return True
        self.chosen.append(candidate)
        self.values.append(value)
        self.given = self.given.refine(candidate)
        return False

    def _value(self, candidate: int, tried: NDArray[np.bool_]) -> float:
        n_candidates = int((tried & self.varies).sum())
        source = self.source
        if source.search is None:
            return self.rule.value(self.given, candidate, n_candidates)
        step = RepeatedSearch(source.search, tuple(self.chosen), np.flatnonzero(tried), self.given.terms, source.n_jobs)
        return self.rule.value(self.given, candidate, n_candidates, step)

    def ends_at_constants(self) -> bool:
        """A rule never lets a constant column pass."""
        self.exhausted = True
        return True

    def outcome(self) -> StoppingOutcome:
        """What was found."""
        return StoppingOutcome(np.array(self.values), self.refused, self.value, self.exhausted)
