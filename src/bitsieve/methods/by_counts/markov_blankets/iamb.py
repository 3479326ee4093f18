"""Incremental association: add the column most strongly related to the target given the blanket, again and again.

I. Tsamardinos, C. F. Aliferis, A. Statnikov, "Algorithms for large scale Markov blanket discovery", Proceedings of the
16th International FLAIRS Conference, 2003, pp. 376-381.
"""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.methods.by_counts.markov_blankets.search import Ranked, Search


def iamb(search: Search) -> list[int]:
    """The blanket by IAMB: all additions, then one pass of removals, from which the last column added is exempt."""
    blanket = list(search.start)
    last_added: list[int] = []
    while True:
        addition = _strongest_addition(search, blanket)
        if addition is None:
            return search.without_independent(blanket, fixed=last_added)
        search.enter(addition.variable, blanket, addition.result)
        blanket.append(addition.variable)
        last_added = [addition.variable]


def inter_iamb(search: Search) -> list[int]:
    """The blanket by inter-IAMB: a pass of removals follows every addition.

    Additions and removals can go round in circles. A column that leads back to an earlier blanket is taken out, and not
    added again.
    """
    blanket = list(search.start)
    earlier_blankets = [set(blanket)]
    refused: list[int] = []
    while True:
        addition = _strongest_addition(search, blanket, refused)
        if addition is None and blanket == list(search.start):  # no pass has tested these
            return search.without_independent(blanket, fixed=[])
        if addition is None:
            return blanket
        search.enter(addition.variable, blanket, addition.result)
        blanket = search.without_independent([*blanket, addition.variable], fixed=[addition.variable])
        if set(blanket) in earlier_blankets:
            blanket.remove(addition.variable)
            refused.append(addition.variable)
            search.leave(addition.variable, blanket, addition.result)
        else:
            earlier_blankets.append(set(blanket))


def _strongest_addition(search: Search, blanket: Sequence[int], refused: Sequence[int] = ()) -> Ranked | None:
    """The column most strongly related to the target given the blanket; None if no column can be added."""
    candidates = [column for column in search.candidates if column not in blanket and column not in refused]
    if not candidates or not search.may_condition_on(len(blanket)):
        return None
    dependent = search.dependent(search.test_each(candidates, blanket))
    return dependent[0] if dependent else None
