"""Incremental association under a limit for the false discovery rate of the blanket.

J. M. Pena, "Learning Gaussian graphical models of gene networks with false discovery rate control", Proceedings of the
6th European Conference on Evolutionary Computation, Machine Learning and Data Mining in Bioinformatics, 2008,
pp. 165-176.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from bitsieve.methods.by_counts.markov_blankets.search import Ranked, Search, by_strength, log_corrections


class _AdjustedTests:
    """All columns by p of their test with the target given the other members, corrected for the number of columns.

    p of rank i of n is multiplied by ``n / i (1 + 1/2 + ... + 1/n)`` (Benjamini and Yekutieli).
    """

    def __init__(self, search: Search, blanket: Sequence[int]) -> None:
        non_members = [column for column in search.candidates if column not in blanket]
        tests = search.test_each(non_members, blanket)
        for member in blanket:
            others = [other for other in blanket if other != member]
            tests.append(Ranked(member, search.test(member, others)))
        self.ranked = by_strength(tests)
        self.passes = {
            column: result.log_p + log_correction <= search.log_level
            for (column, result), log_correction in zip(self.ranked, log_corrections(len(self.ranked)), strict=True)
        }

    def weakest_failing(self, columns: Sequence[int]) -> Ranked | None:
        """The column with the largest p of those among ``columns`` that do not pass; None if all pass."""
        for ranked in reversed(self.ranked):
            if ranked.variable in columns and not self.passes[ranked.variable]:
                return ranked
        return None

    def strongest_passing(self, columns: Set[int]) -> Ranked | None:
        """The column with the smallest p of those among ``columns`` that pass; None if none does."""
        for ranked in self.ranked:
            if ranked.variable in columns and self.passes[ranked.variable]:
                return ranked
        return None


class _GrowingBlanket:
    """The blanket in the course of the search, and which columns may enter or leave it."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.members = list(search.start)
        self.protected = set(search.start)  # they do not leave before a column was added, or none can be
        self._earlier_members = [set(self.members)]
        self._immovable: set[int] = set()
        self._last_added: int | None = None
        self._last_removed: int | None = None

    def removable(self) -> list[int]:
        """The members that may leave."""
        fixed = {*self._immovable, *self.protected, self._last_added}
        return [member for member in self.members if member not in fixed]

    def addable(self) -> set[int]:
        """The columns that may enter: none if no test may be conditional on all members."""
        if not self.search.may_condition_on(len(self.members)):
            return set()
        return {*self.search.candidates}.difference(self.members, self._immovable, {self._last_removed})

    def remove(self, removal: Ranked) -> None:
        """Let a member leave. If that leads back to an earlier blanket, it stays and does not move again."""
        column = removal.variable
        others = [member for member in self.members if member != column]
        if set(others) in self._earlier_members:
            self._immovable.add(column)
            return
        self.search.leave(column, others, removal.result)
        self._last_removed = column
        self._set_members(others)

    def add(self, addition: Ranked) -> None:
        """Let a column enter. If that leads back to an earlier blanket, it does not, and does not move again."""
        column = addition.variable
        if {*self.members, column} in self._earlier_members:
            self._immovable.add(column)
            return
        self.search.enter(column, self.members, addition.result)
        self._last_added = column
        self.protected = set()
        self._set_members([*self.members, column])

    def _set_members(self, members: list[int]) -> None:
        self.members = members
        self._earlier_members.append(set(members))


def iamb_fdr(search: Search) -> list[int]:
    """The blanket by IAMB-FDR: in each step the weakest member that does not pass leaves, or the strongest enters.

    The member that entered last does not leave, and the one that left last does not enter. A step that leads back to an
    earlier blanket is not taken, and its column does not move again. Columns that the search begins with do not leave
    before one was added, or none can be.
    """
    blanket = _GrowingBlanket(search)
    while search.candidates:
        tests = _AdjustedTests(search, blanket.members)
        removal = tests.weakest_failing(blanket.removable())
        if removal is not None:
            blanket.remove(removal)
            continue
        addition = tests.strongest_passing(blanket.addable())
        if addition is not None:
            blanket.add(addition)
        elif blanket.protected:
            blanket.protected = set()
        else:
            break
    return blanket.members
