"""Incremental association under a limit for the false discovery rate of the blanket.

J. M. Pena, "Learning Gaussian graphical models of gene networks with false discovery rate control", Proceedings of the
6th European Conference on Evolutionary Computation, Machine Learning and Data Mining in Bioinformatics, 2008,
pp. 165-176.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from bitsieve.methods.by_counts.markov_blankets.search import Ranked, Search, by_strength, log_corrections

NO_COLUMN = -1


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


def iamb_fdr(search: Search) -> list[int]:
    """The blanket by IAMB-FDR: in each step the weakest member that does not pass leaves, or the strongest enters.

    The member that entered last does not leave, and the one that left last does not enter. A step that leads back to an
    earlier blanket is not taken, and its column does not move again. Columns that the search begins with do not leave
    before one was added, or none can be.
    """
    blanket = list(search.start)
    earlier_blankets = [set(blanket)]
    immovable: list[int] = []
    protected = list(search.start)
    last_added: int | None = None
    last_removed = NO_COLUMN
    while search.candidates:
        adjusted = _AdjustedTests(search, blanket)
        removable = [member for member in blanket if member not in (*immovable, *protected, last_added)]
        removal = adjusted.weakest_failing(removable)
        if removal is not None:
            column = removal.variable
            others = [member for member in blanket if member != column]
            if set(others) in earlier_blankets:
                immovable.append(column)
                continue
            search.leave(column, others, removal.result)
            blanket = others
            last_removed = column
            earlier_blankets.append(set(blanket))
            continue
        addition = None
        if search.may_condition_on(len(blanket)):
            addable = set(search.candidates).difference(blanket, immovable)
            addable.discard(last_removed)
            addition = adjusted.strongest_passing(addable)
        if addition is None and protected:
            protected = []
            continue
        if addition is None:
            break
        column = addition.variable
        if {*blanket, column} in earlier_blankets:
            immovable.append(column)
            continue
        search.enter(column, blanket, addition.result)
        blanket.append(column)
        last_added = column
        protected = []
        earlier_blankets.append(set(blanket))
    return blanket
