"""Forward-backward selection with early dropping: a column that fails a test is out of the run.

G. Borboudakis, I. Tsamardinos, "Forward-backward selection with early dropping", Journal of Machine Learning Research
20, 2019, 8, pp. 1-39.
"""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.methods.by_counts.markov_blankets.search import Ranked, Search, by_strength


def fbed(search: Search, n_extra_runs: int | None = 1) -> list[int]:
    """The blanket by FBED: a run, and ``n_extra_runs`` more (None: until a run adds nothing), then removals."""
    blanket = list(search.start)
    n_runs = 0
    while n_extra_runs is None or n_runs <= n_extra_runs:
        n_runs += 1
        if not _forward_run(search, blanket):
            break
    while search.may_leave(blanket):
        weakest = _weakest(search, blanket)
        if search.depends(weakest.result):
            break
        blanket.remove(weakest.variable)
        search.leave(weakest.variable, blanket, weakest.result)
    return blanket


def _forward_run(search: Search, blanket: list[int]) -> bool:
    """Add the strongest column again and again, among those that have passed every test of the run.

    Return whether a column was added.
    """
    n_before = len(blanket)
    remaining = [column for column in search.candidates if column not in blanket]
    while remaining and search.may_condition_on(len(blanket)):
        dependent = search.dependent(search.test_each(remaining, blanket))
        if not dependent:
            break
        best = dependent[0]
        search.enter(best.variable, blanket, best.result)
        remaining = [ranked.variable for ranked in dependent[1:]]
        blanket.append(best.variable)
    return len(blanket) > n_before


def _weakest(search: Search, blanket: Sequence[int]) -> Ranked:
    """The member with the largest p given the others."""
    tests = []
    for member in blanket:
        others = [other for other in blanket if other != member]
        tests.append(Ranked(member, search.test(member, others)))
    return by_strength(tests)[-1]
