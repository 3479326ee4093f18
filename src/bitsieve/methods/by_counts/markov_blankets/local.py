"""What the searches for the direct neighbours of the target share: their result, and a pass of removals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bitsieve.methods.by_counts.markov_blankets.search import Ranked, Search

SeparatingSets = dict[int, tuple[int, ...]]


@dataclass(frozen=True)
class Neighbours:
    """The variables that no set of others separates from the target, in the order in which they were found.

    ``separating_sets`` has, for every other variable, the first set given which it was independent of the target.
    """

    members: list[int] = field(default_factory=list)
    separating_sets: SeparatingSets = field(default_factory=dict)


NeighbourSearch = Callable[[Search], Neighbours]


def dependent_alone(search: Search, separating_sets: SeparatingSets) -> list[Ranked]:
    """The columns that depend on the target given nothing, the strongest first.

    The empty set separates the others from the target, which is noted in ``separating_sets``.
    """
    dependent = search.dependent(search.test_each(search.candidates, []))
    columns = {ranked.variable for ranked in dependent}
    separating_sets.update((column, ()) for column in search.candidates if column not in columns)
    return dependent


def remove_separated(search: Search, neighbours: Neighbours) -> None:
    """Remove every member that a subset of the other members separates from the target.

    The subsets are of all members at the beginning, those that were removed meanwhile included.
    """
    all_members = list(neighbours.members)
    for member in all_members:
        others = [other for other in all_members if other != member]
        separating_set = search.separating_set(member, others)
        if separating_set is not None:
            neighbours.members.remove(member)
            neighbours.separating_sets[member] = separating_set
            search.leave(member, separating_set, search.test(member, separating_set))
