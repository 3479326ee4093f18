"""What all searches for a Markov blanket share: tests, the rule for ties, and a record of what entered and left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import log
from typing import NamedTuple

from bitsieve.information.independence import IndependenceTests, TestResult

FDR = "fdr"
CORRECTIONS = (None, FDR)
RELATIVE_TIE = 1e-9  # between logarithms of p or statistics: far above rounding, far below any difference that matters


class Ranked(NamedTuple):
    """A variable and its test with the target."""

    variable: int
    result: TestResult


class Move(NamedTuple):
    """A variable that entered the blanket or left it, and the test that decided."""

    variable: int
    enters: bool
    condition: tuple[int, ...]
    log_p: float
    is_executed: bool  # False: it left because too few samples are there for the test, so that its p counts as 1


@dataclass(frozen=True)
class Search:
    """A search for the blanket of ``target`` among ``candidates``, in their order.

    A test that lets a variable enter is conditional on at most ``max_conditioning`` others; None sets no limit.
    ``correction`` is "fdr" where p of columns that may enter is corrected for their number; see :meth:`dependent`.
    ``start`` are the members that a search for a whole blanket begins with. They may leave as others do.
    """

    tests: IndependenceTests
    target: int
    candidates: Sequence[int]
    level: float
    max_conditioning: int | None = None
    correction: str | None = None
    start: Sequence[int] = ()
    moves: list[Move] = field(default_factory=list)

    @property
    def log_level(self) -> float:
        """The logarithm of the level, with which logarithms of p are compared."""
        return log(self.level)

    def of_target(self, target: int) -> Search:
        """The same search for another target, among all other variables."""
        variables = sorted([*self.candidates, self.target])
        others = [variable for variable in variables if variable != target]
        return Search(self.tests, target, others, self.level, self.max_conditioning, self.correction)

    def may_condition_on(self, n_variables: int) -> bool:
        """Whether a test may be conditional on ``n_variables`` variables."""
        return self.max_conditioning is None or n_variables <= self.max_conditioning

    def test(self, variable: int, condition: Sequence[int]) -> TestResult:
        """The test of a variable and the target given others."""
        return self.tests.test(self.target, variable, condition)

    def test_each(self, variables: Sequence[int], condition: Sequence[int]) -> list[Ranked]:
        """The tests of several variables and the target given others."""
        results = self.tests.test_each(self.target, variables, condition)
        return [Ranked(variable, result) for variable, result in zip(variables, results, strict=True)]

    def depends(self, result: TestResult) -> bool:
        """Whether p is at most the level."""
        return result.log_p <= self.log_level

    def dependent(self, tests: Sequence[Ranked]) -> list[Ranked]:
        """The variables that depend on the target by tests that were made together, the strongest first.

        With the correction, p of rank i of n tests is multiplied by :func:`log_corrections` before it is compared with
        the level.
        """
        ordered = by_strength(tests)
        if self.correction is None:
            return [ranked for ranked in ordered if self.depends(ranked.result)]
        return [
            ranked
            for ranked, log_correction in zip(ordered, log_corrections(len(ordered)), strict=True)
            if ranked.result.log_p + log_correction <= self.log_level
        ]

    def is_independent(self, variable: int, condition: Sequence[int]) -> bool:
        """Whether p of a variable and the target given others is above the level."""
        return not self.depends(self.test(variable, condition))

    def enter(self, variable: int, condition: Sequence[int], result: TestResult) -> None:
        """Record that a variable entered the blanket."""
        self._record(variable, True, condition, result)

    def leave(self, variable: int, condition: Sequence[int], result: TestResult) -> None:
        """Record that a variable left the blanket."""
        self._record(variable, False, condition, result)

    def _record(self, variable: int, enters: bool, condition: Sequence[int], result: TestResult) -> None:
        self.moves.append(Move(variable, enters, tuple(sorted(condition)), result.log_p, result.is_executed))

    def may_leave(self, blanket: Sequence[int]) -> bool:
        """Whether members of a blanket are tested again: a single one is not, unless the search began with it."""
        return len(blanket) > 1 or any(member in self.start for member in blanket)

    def without_independent(self, blanket: Sequence[int], fixed: Sequence[int]) -> list[int]:
        """Remove, in one pass, every member that is independent of the target given the members that remain.

        Members in ``fixed`` are not tested; see also :meth:`may_leave`.
        """
        remaining = list(blanket)
        for member in blanket:
            if member in fixed or not self.may_leave(remaining):
                continue
            others = [other for other in remaining if other != member]
            result = self.test(member, others)
            if not self.depends(result):
                remaining = others
                self.leave(member, others, result)
        return remaining

    def separating_set(self, variable: int, others: Sequence[int], min_size: int = 0) -> tuple[int, ...] | None:
        """The first subset of ``others`` given which a variable is independent of the target; None if there is none."""
        for subset in self.subsets(others, min_size):
            if self.is_independent(variable, subset):
                return subset
        return None

    def subsets(
        self, variables: Sequence[int], min_size: int = 0, with_all_of: Sequence[int] = ()
    ) -> Iterator[tuple[int, ...]]:
        """The subsets of variables, smallest first, each with ``with_all_of`` added, up to the limit of a test."""
        for size in range(min_size, len(variables) + 1):
            if not self.may_condition_on(size + len(with_all_of)):
                return
            for subset in combinations(variables, size):
                yield (*subset, *with_all_of)


def log_corrections(n_tests: int) -> list[float]:
    """The logarithms of ``n / i (1 + 1/2 + ... + 1/n)`` for the ranks i of n tests (Benjamini and Yekutieli)."""
    ranks = range(1, n_tests + 1)
    harmonic_sum = sum(1 / rank for rank in ranks)
    return [log(n_tests) + log(harmonic_sum) - log(rank) for rank in ranks]


def by_strength(tests: Sequence[Ranked]) -> list[Ranked]:
    """Tests by ascending p. Where logarithms of p are tied, the larger statistic comes first, then the lower column.

    Logarithms are tied with the smallest of them if they are within 1e-9 of it, relative to its size.
    """
    ascending = sorted(tests, key=lambda ranked: ranked.result.log_p)
    ordered: list[Ranked] = []
    start = 0
    while start < len(ascending):
        first = ascending[start].result.log_p
        tie = first + RELATIVE_TIE * max(1.0, abs(first))
        end = start + 1
        while end < len(ascending) and ascending[end].result.log_p <= tie:
            end += 1
        tied = ascending[start:end]
        ordered += tied if len(tied) == 1 else _by_statistic(tied)
        start = end
    return ordered


def _by_statistic(tests: Sequence[Ranked]) -> list[Ranked]:
    """Tests by falling statistic; by column where statistics are equal but for rounding."""
    falling = sorted(tests, key=lambda ranked: -ranked.result.statistic)
    ordered: list[Ranked] = []
    start = 0
    while start < len(falling):
        tie = falling[start].result.statistic * (1 - RELATIVE_TIE)
        end = start + 1
        while end < len(falling) and falling[end].result.statistic >= tie:
            end += 1
        ordered += sorted(falling[start:end], key=lambda ranked: ranked.variable)
        start = end
    return ordered


def strongest(tests: Sequence[Ranked]) -> Ranked:
    """The test of the smallest p, by the order of :func:`by_strength`."""
    return by_strength(tests)[0]
