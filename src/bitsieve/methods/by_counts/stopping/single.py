"""Stopping rules that accept or refuse one candidate at a time, conditional on all columns chosen before."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from bitsieve.information.protocol import ConditionalInformation, Information
from bitsieve.methods.by_counts.stopping.base import StoppingOutcome, StoppingRule
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.utils.arrays import Columns, Flags, Floats


class RuleValue(NamedTuple):
    """The value of a candidate by a rule."""

    value: float
    basis: str = ""  # how the value was computed, if not in the usual way: "by shuffles of the groups"


NOT_TESTED = RuleValue(np.nan)


class SingleStopping(StoppingRule):
    """Accepts or refuses the candidate that a criterion would take next, by I(Xi;C|S)."""

    @abstractmethod
    def value(
        self,
        conditional: ConditionalInformation,
        candidate: int,
        n_candidates: int,
        search: RepeatedSearch | None = None,
    ) -> float:
        """The value of ``candidate``, which the criterion prefers to all others of ``n_candidates``.

        ``search`` is given where the codes were made with a look at the classes: it repeats that with others.
        """

    def evaluate(
        self,
        conditional: ConditionalInformation,
        candidate: int,
        n_candidates: int,
        search: RepeatedSearch | None = None,
    ) -> RuleValue:
        """The value, and how it was found."""
        return RuleValue(self.value(conditional, candidate, n_candidates, search))

    def screen(
        self, conditional: ConditionalInformation, columns: Columns, n_candidates: int, compares_best: bool
    ) -> Floats | None:
        """Rank ``columns`` after a refusal, without a full test: inf for those that would be refused.

        The default, None, says that a rule has no ranks, so that each column is tested.

        With ``compares_best`` the best of all columns is compared, so that a column that is ranked no better than a
        refused one is refused, too.
        """
        return None

    def monitor(self, information: Information) -> SingleMonitor:
        return SingleMonitor(information, self)


class _Choice:
    """What was computed for the choice under way."""

    def __init__(self) -> None:
        self.search: RepeatedSearch | None = None  # the repeated search, once it is needed
        self.ranks: Floats | None = None  # of every column by the rule, once a column was refused
        self.first_refused: int | None = None
        self.first_value = NOT_TESTED


class SingleMonitor:
    """Applies a rule by the plug-in information, conditional on all columns chosen before.

    The criterion's best candidate that the rule accepts is chosen; the search ends where it accepts none.
    """

    def __init__(self, information: Information, rule: SingleStopping) -> None:
        self.rule = rule
        self.source = information.source
        self.varies = information.varies
        self.conditional = information.plug_in_conditional()  # on all columns chosen
        self.chosen: list[int] = []
        self.values: list[float] = []
        self.candidates = information.varies
        self.choice = _Choice()
        self.latest_refused = -1
        self.only_constants_left = False

    def refuses(self, candidate: int, score: float, tried: Flags | None) -> bool:
        """Whether the rule refuses the candidate. One that must be included is accepted untested: ``tried`` is None."""
        evaluation = NOT_TESTED
        if tried is not None:
            self.candidates = tried
            evaluation = self._evaluate(candidate)
            if self.rule.stops(evaluation.value):
                self.latest_refused = candidate
                if self.choice.first_refused is None:
                    self.choice.first_refused = candidate
                    self.choice.first_value = evaluation
                return True
        self._choose(candidate, evaluation.value)
        return False

    def _evaluate(self, candidate: int) -> RuleValue:
        return self.rule.evaluate(self.conditional, candidate, self.n_candidates, self._repeated_search())

    def _screen(self, columns: Columns) -> Floats | None:
        return self.rule.screen(self.conditional, columns, self.n_candidates, self.compares_best)

    def _choose(self, column: int, value: float) -> None:
        self.chosen.append(column)
        self.values.append(value)
        self.conditional = self.conditional.refine(column)
        self.choice = _Choice()

    def others(self, candidates: Flags) -> Flags:
        """The candidates left after a refusal that the rule may accept."""
        ranks = self._ranks(candidates)
        if ranks is None:
            return candidates
        limit = ranks[self.latest_refused] if self.compares_best else np.inf
        return candidates & (ranks < limit)

    def _ranks(self, candidates: Flags) -> Floats | None:
        """The rank of every column, inf for those that would be refused; None for a rule without ranks."""
        if self.choice.ranks is None:
            columns = np.append(np.flatnonzero(candidates), self.latest_refused)
            ranks_of_columns = self._screen(columns)
            if ranks_of_columns is None:
                return None
            ranks = np.full(len(candidates), np.inf)
            ranks[columns] = ranks_of_columns
            self.choice.ranks = ranks
        return self.choice.ranks

    @property
    def compares_best(self) -> bool:
        """Whether the best of all columns is compared, so that no column behind a refused one can pass."""
        return self.source.search is not None and self.source.search.exchangeable_units is None

    @property
    def n_candidates(self) -> int:
        """How many columns there are to choose from."""
        return int((self.candidates & self.varies).sum())

    def _repeated_search(self) -> RepeatedSearch | None:
        """The choice as it is repeated with shuffled classes, where the codes were made with a look at the classes."""
        search = self.source.search
        if search is not None and self.choice.search is None:
            tried = np.flatnonzero(self.candidates)
            self.choice.search = RepeatedSearch(
                search, tuple(self.chosen), tried, self.conditional.entropy_terms, self.source.n_jobs
            )
        return self.choice.search

    def ends_at_constants(self) -> bool:
        """A rule never lets a constant column pass."""
        self.only_constants_left = True
        return True

    def outcome(self) -> StoppingOutcome:
        """What was measured."""
        return StoppingOutcome(
            values=np.array(self.values),
            refused=self.choice.first_refused,
            value=self.choice.first_value.value,
            basis=self.choice.first_value.basis,
            only_constants_left=self.only_constants_left,
        )
