"""Stopping rules that find their whole list of columns at once, with a rate of false columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bitsieve.information import information_of
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.stopping.base import StoppingOutcome, StoppingRule
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.terminal_text import different_numbers

BENJAMINI_HOCHBERG = "benjamini-hochberg"
BENJAMINI_YEKUTIELI = "benjamini-yekutieli"
HOLM = "holm"
RATE_ADJUSTMENTS = (BENJAMINI_HOCHBERG, BENJAMINI_YEKUTIELI)
ADJUSTMENTS = (*RATE_ADJUSTMENTS, HOLM)


def number_of_tests(n: int, adjustment: str) -> float:
    """n c: how many tests p of n columns is corrected for; ``c = 1 + 1/2 + ... + 1/n`` by Benjamini and Yekutieli."""
    if adjustment == BENJAMINI_YEKUTIELI:
        return n * float((1 / np.arange(1, n + 1)).sum())
    return n


def adjusted(p: Floats, adjustment: str) -> Floats:
    """The smallest level at which each of some p is taken: of a rate, or (Holm) of the chance of any false one."""
    n = len(p)
    order = np.argsort(p, kind="stable")
    ranks = np.arange(1, n + 1)
    levels = np.empty(n)
    if adjustment == HOLM:
        levels[order] = np.minimum(1.0, np.maximum.accumulate((n + 1 - ranks) * p[order]))
    else:
        rates = number_of_tests(n, adjustment) * p[order] / ranks
        levels[order] = np.minimum(1.0, np.minimum.accumulate(rates[::-1])[::-1])
    return levels


@dataclass(frozen=True)
class TestedColumns:
    """The columns that a rule tested, of the smallest rate first: the first ``n_accepted`` are its list."""

    __test__ = False  # for pytest, which takes the name for a test

    columns: Columns
    rates: Floats
    n_accepted: int
    neighbours: Sequence[Columns] | None = None  # of every column in the tree of the columns, where there is one
    untested: Columns = field(default_factory=lambda: np.empty(0, np.intp))  # determined by their neighbours


@dataclass(frozen=True)
class ListStopping(StoppingRule):
    """A rule that finds its whole list at once; the criterion only says in which order its columns are chosen."""

    unit: ClassVar[str] = "rate"
    value_name: ClassVar[str] = "false discovery rate"  # in messages
    level: float = 0.1

    def stops(self, value: float) -> bool:
        """Whether a rate exceeds the level."""
        return value > self.level

    def reason(self, value: float, basis: str = "") -> str:
        """The rate and the level."""
        value_text = f"{value:.2g}"
        if float(value_text) <= self.level:  # rounding hides the difference
            value_text, _ = different_numbers(value, self.level)
        return f"{self.value_name} {value_text} > {self.level:g}"

    @abstractmethod
    def test_columns(self, information: Information, tried: Flags, chosen: list[int]) -> TestedColumns:
        """The list among the columns tried, beside those chosen already; the information is plug-in."""

    def monitor(self, information: Information) -> ListMonitor:
        return ListMonitor(information, self)


class ListMonitor:
    """Finds the list of a rule at the first choice, and refuses all columns that are not in it."""

    def __init__(self, information: Information, rule: ListStopping) -> None:
        self.rule = rule
        self.information = information_of("plug-in", information.source, information.effect)
        self.chosen: list[int] = []
        self.tested: TestedColumns | None = None  # None before the first choice
        self.accepted: dict[int, float] = {}  # the rate of every column of the list
        self.is_complete = False  # whether every column of the list was chosen
        self.only_constants_left = False

    def refuses(self, candidate: int, score: float, tried: Flags | None) -> bool:
        """Whether the candidate is not in the list. One that must be included is accepted: ``tried`` is None."""
        if tried is not None:
            if self.tested is None:
                self._find_list(tried)
            if candidate not in self.accepted:
                return True
        self.chosen.append(candidate)
        return False

    def _find_list(self, tried: Flags) -> None:
        self.tested = self.rule.test_columns(self.information, tried, self.chosen)
        columns = self.tested.columns[: self.tested.n_accepted].tolist()
        rates = self.tested.rates[: self.tested.n_accepted].tolist()
        self.accepted = dict(zip(columns, rates, strict=True))

    def others(self, candidates: Flags) -> Flags:
        """The candidates left after a refusal that are in the list."""
        in_list = np.zeros_like(candidates)
        in_list[list(self.accepted)] = True
        left = in_list & candidates
        self.is_complete = not left.any()
        return left

    def ends_at_constants(self) -> bool:
        """A rule never lets a constant column pass."""
        self.only_constants_left = True
        return True

    def outcome(self) -> StoppingOutcome:
        """The rates of the choices, and the column that comes nearest to the list where that is complete."""
        values = np.array([self.accepted.get(column, np.nan) for column in self.chosen])
        tested = self.tested
        if tested is None:
            return StoppingOutcome(
                values=values, only_constants_left=self.only_constants_left, untested=np.empty(0, np.intp)
            )
        neighbours = None
        if tested.neighbours is not None:
            neighbours = [tested.neighbours[column] for column in self.chosen]
        refused = None
        refused_rate = np.nan
        is_refusal = self.is_complete and tested.n_accepted < len(tested.columns)
        if is_refusal:
            refused = int(tested.columns[tested.n_accepted])
            refused_rate = float(tested.rates[tested.n_accepted])
        return StoppingOutcome(
            values=values,
            refused=refused,
            value=refused_rate,
            only_constants_left=self.only_constants_left and not is_refusal,
            neighbours=neighbours,
            untested=tested.untested,
        )
