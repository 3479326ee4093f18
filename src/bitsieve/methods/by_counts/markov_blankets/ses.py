"""Statistically equivalent signatures: max-min selection that keeps the columns interchangeable with each member.

V. Lagani, G. Athineou, A. Farcomeni, M. Tsagris, I. Tsamardinos, "Feature selection with the R package MXM:
discovering statistically equivalent feature subsets", Journal of Statistical Software 80, 2017, 7, pp. 1-25.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bitsieve.information.independence import TestResult
from bitsieve.methods.by_counts.markov_blankets.local import SeparatingSets, dependent_alone
from bitsieve.methods.by_counts.markov_blankets.mmpc import weaker
from bitsieve.methods.by_counts.markov_blankets.search import Ranked, Search, strongest


@dataclass(frozen=True)
class Signatures:
    """Members, and the columns that the tests could not tell apart from each. One column of every queue is a signature.

    A queue begins with its member.
    """

    members: list[int] = field(default_factory=list)
    queues: dict[int, list[int]] = field(default_factory=dict)
    separating_sets: SeparatingSets = field(default_factory=dict)


def ses(search: Search) -> Signatures:
    """The signatures by SES.

    As in MMPC the next member is the column whose largest p over the subsets of the members is the smallest, and
    members are tested again. Where a set Z separates a column c from the target, c joins the queue of the first w in Z
    that c separates from the target, together with the rest of Z.
    """
    signatures = Signatures()
    weakest: dict[int, TestResult] = dict(dependent_alone(search, signatures.separating_sets))
    signatures.queues.update((column, [column]) for column in weakest)
    while True:
        candidates = [column for column in weakest if column not in signatures.members]
        if not candidates:
            break
        best = strongest([Ranked(column, weakest[column]) for column in candidates])
        search.enter(best.variable, (), best.result)
        signatures.members.append(best.variable)
        for column in sorted(weakest):
            if column != best.variable:
                _test_again(search, signatures, weakest, column, best.variable)
    queues_of_members = {member: signatures.queues[member] for member in signatures.members}
    return replace(signatures, queues=queues_of_members)


def _test_again(search: Search, signatures: Signatures, weakest: dict[int, TestResult], column: int, last: int) -> None:
    """Test a column given all subsets of the members that contain ``last``; drop it at the first that separates it."""
    earlier = sorted(member for member in signatures.members if member not in (column, last))
    for subset in search.subsets(earlier, with_all_of=[last]):
        result = search.test(column, subset)
        if search.depends(result):
            weakest[column] = weaker(weakest[column], result)
            continue
        _join_queue(search, signatures, column, subset)
        signatures.separating_sets[column] = subset
        del weakest[column]
        if column in signatures.members:
            signatures.members.remove(column)
            search.leave(column, subset, result)
        return


def _join_queue(search: Search, signatures: Signatures, column: int, separating_set: tuple[int, ...]) -> None:
    """Add the queue of a column to that of the first member of its separating set that it can replace."""
    for member in separating_set:
        others = [other for other in separating_set if other != member]
        if search.is_independent(member, [*others, column]):
            signatures.queues[member] += signatures.queues[column]
            return
