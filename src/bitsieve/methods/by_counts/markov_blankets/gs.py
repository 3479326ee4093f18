"""Grow-shrink: add the first column that depends on the target given the blanket, until there is none; then remove.

D. Margaritis, S. Thrun, "Bayesian network induction via local neighborhoods", Advances in Neural Information
Processing Systems 12, 1999, pp. 505-511.
"""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.methods.by_counts.markov_blankets.search import Search, by_strength


def gs(search: Search) -> list[int]:
    """The blanket by grow-shrink, which goes through the columns by p of their test with the target alone."""
    order = [ranked.variable for ranked in by_strength(search.test_each(search.candidates, []))]
    return grow_and_shrink(search, order)


def grow_and_shrink(search: Search, order: Sequence[int]) -> list[int]:
    """The blanket by grow-shrink through the columns in this order."""
    blanket = list(search.start)
    while _grow_by_one(search, order, blanket):
        pass
    while _shrink_by_one(search, blanket):
        pass
    return blanket


def _grow_by_one(search: Search, order: Sequence[int], blanket: list[int]) -> bool:
    """Add the first column in the order that depends on the target given the blanket; False if there is none."""
    if not search.may_condition_on(len(blanket)):
        return False
    candidates = [column for column in order if column not in blanket]
    tests = search.test_each(candidates, blanket)
    dependent = {ranked.variable for ranked in search.dependent(tests)}
    for column, result in tests:
        if column in dependent:
            search.enter(column, blanket, result)
            blanket.append(column)
            return True
    return False


def _shrink_by_one(search: Search, blanket: list[int]) -> bool:
    """Remove the first member that is independent of the target given the others; False if there is none."""
    for member in blanket:
        others = [other for other in blanket if other != member]
        result = search.test(member, others)
        if not search.depends(result):
            search.leave(member, others, result)
            blanket.remove(member)
            return True
    return False
