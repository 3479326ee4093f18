"""Incremental association that adds several columns at once, as many as there are samples for.

S. Yaramakala, D. Margaritis, "Speculative Markov blanket discovery for optimal feature selection", Proceedings of the
5th IEEE International Conference on Data Mining, 2005, pp. 809-812.
"""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.methods.by_counts.markov_blankets.search import Search

MIN_SAMPLES_PER_CELL = 5


def fast_iamb(search: Search) -> list[int]:
    """The blanket by fast-IAMB.

    In each round the columns that depend on the target given the blanket enter, the strongest first, as long as the
    table of the target, the column and the blanket has five samples a cell on average. Then members leave that are
    independent of the target given the others. A member that leaves in a later round than it entered is not tried
    again. The search ends with a round in which no column depends on the target.
    """
    blanket = list(search.start)
    candidates = [column for column in search.candidates if column not in blanket]
    while candidates and search.may_condition_on(len(blanket)):
        before = list(blanket)
        dependent = search.dependent(search.test_each(candidates, before))
        if not dependent:
            break
        has_enough_samples = True
        for column, result in dependent:
            if not _has_enough_samples(search, column, blanket):
                has_enough_samples = False
                break
            search.enter(column, before, result)
            blanket.append(column)
        grown = blanket
        blanket = search.without_independent(grown, fixed=[])
        if blanket == before:
            break
        if not has_enough_samples and blanket == grown:
            break  # there are too few samples for one more column
        candidates = [column for column in candidates if column not in blanket]
    if blanket == list(search.start):  # no round has tested these
        return search.without_independent(blanket, fixed=[])
    return blanket


def _has_enough_samples(search: Search, column: int, blanket: Sequence[int]) -> bool:
    """Whether there are five samples for every joint value of the target, the column and the blanket."""
    n_cells = search.tests.nominal_cells((search.target, column, *blanket))
    return search.tests.counts.n_samples >= MIN_SAMPLES_PER_CELL * n_cells
