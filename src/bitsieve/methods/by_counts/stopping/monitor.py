"""A stopping rule at work: it tests every choice, conditional on all that was chosen before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve.information.plug_in import PlugInInformation
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.methods.by_counts.stopping.rules import StoppingRule
from bitsieve.utils.arrays import Columns, Flags, Floats


@dataclass(frozen=True)
class StoppingOutcome:
    """What a stopping rule found.

    ``values`` (k,): its value for every choice it accepted, nan for those that were not tested. ``refused``: where it
    accepted none of those left, the one that the criterion preferred, or that came nearest; else None. ``value``: its
    value, else nan. ``exhausted``: whether only constant columns were left. ``given``: the columns that each choice was
    tested given, where a rule says so; ``untested``: those that nothing could be tested of, given such columns.
    """

    values: Floats
    refused: int | None
    value: float
    exhausted: bool
    given: list[Columns] | None = None
    untested: Columns | None = None


class StoppingMonitor:
    """Applies a rule by the plug-in information, conditional on all features chosen before.

    The criterion's best candidate that the rule accepts is chosen; the search ends where it accepts none.
    """

    def __init__(self, information: Information, rule: StoppingRule) -> None:
        self.rule, self.source = rule, information.source
        self.given = PlugInInformation(self.source).conditional()
        self.varies = information.varies
        self.tried = information.varies
        self.chosen: list[int] = []
        self.values: list[float] = []
        self.step: RepeatedSearch | None = None
        self.ranks: Floats | None = None
        self.refused: int | None = None
        self.value: float = np.nan
        self.exhausted = False

    def refuses(self, candidate: int, score: float, tried: Flags | None) -> bool:
        """Whether this choice among those ``tried`` is not made; None: it is not tested."""
        value = np.nan
        if tried is not None:
            self.latest, self.tried = candidate, tried
            value = self.rule.value(self.given, candidate, self.n_candidates, self._step())
            if self.rule.stops(value):
                if self.refused is None:
                    self.refused, self.value = candidate, value
                return True
        self.refused, self.value, self.step, self.ranks = None, np.nan, None, None
        self.chosen.append(candidate)
        self.values.append(value)
        self.given = self.given.refine(candidate)
        return False

    def others(self, candidates: Flags) -> Flags:
        """Those of the candidates left after a refusal that the rule may accept."""
        screen = getattr(self.rule, "screen", None)
        if screen is None:  # a rule of a user's own
            return candidates
        if self.ranks is None:
            columns = np.append(np.flatnonzero(candidates), self.latest)
            self.ranks = np.full(len(candidates), np.inf)
            self.ranks[columns] = screen(self.given, columns, self.n_candidates, self._by_rank)
        return candidates & (self.ranks < (self.ranks[self.latest] if self._by_rank else np.inf))

    @property
    def _by_rank(self) -> bool:
        """Whether the best of all columns is compared, so that none behind a refused one can pass."""
        return self.source.search is not None and self.source.search.units is None

    @property
    def n_candidates(self) -> int:
        """How many columns there are to choose from."""
        return int((self.tried & self.varies).sum())

    def _step(self) -> RepeatedSearch | None:
        """The step as it is repeated with shuffled classes, where the codes were made with a look at the classes."""
        source = self.source
        if source.search is not None and self.step is None:
            tried = np.flatnonzero(self.tried)
            self.step = RepeatedSearch(source.search, tuple(self.chosen), tried, self.given.terms, source.n_jobs)
        return self.step

    def ends_at_constants(self) -> bool:
        """A rule never lets a constant column pass."""
        self.exhausted = True
        return True

    def outcome(self) -> StoppingOutcome:
        """What was found."""
        return StoppingOutcome(np.array(self.values), self.refused, self.value, self.exhausted)
