"""From the neighbours of the target to its blanket: neighbours of neighbours that are informative given these.

I. Tsamardinos, C. F. Aliferis, A. Statnikov, "Time and sample efficient discovery of Markov blankets and direct causal
relations", Proceedings of the 9th ACM SIGKDD International Conference, 2003, pp. 673-678 (MMMB).
"""

from __future__ import annotations

from dataclasses import dataclass

from bitsieve.methods.by_counts.markov_blankets.local import Neighbours, NeighbourSearch, SeparatingSets
from bitsieve.methods.by_counts.markov_blankets.search import Search

AND = "and"
OR = "or"


@dataclass(frozen=True)
class NeighboursAndSpouses:
    """A blanket by the roles of its members."""

    neighbours: list[int]
    spouses: dict[int, list[int]]  # by spouse: the neighbours given which it depends on the target
    separating_sets: SeparatingSets

    @property
    def members(self) -> list[int]:
        """The neighbours, and then the spouses."""
        return [*self.neighbours, *self.spouses]


class NeighbourGraph:
    """The neighbours of every variable, by one search from each.

    With ``symmetry`` "and" two variables are neighbours if each is found from the other, with "or" if either is. With
    None the neighbours of a variable are those that its own search finds.
    """

    def __init__(self, search: Search, find: NeighbourSearch, symmetry: str | None) -> None:
        self.search = search
        self.find = find
        self.symmetry = symmetry
        self.variables = sorted([*search.candidates, search.target])
        self._one_sided: dict[int, Neighbours] = {}

    def one_sided(self, variable: int) -> Neighbours:
        """What the search for the neighbours of a variable finds."""
        if variable not in self._one_sided:
            is_target = variable == self.search.target
            search = self.search if is_target else self.search.of_target(variable)
            self._one_sided[variable] = self.find(search)
        return self._one_sided[variable]

    def neighbours(self, variable: int) -> list[int]:
        """The neighbours of a variable."""
        members = self.one_sided(variable).members
        if self.symmetry == AND:
            return [other for other in members if variable in self.one_sided(other).members]
        if self.symmetry == OR:
            others = [other for other in self.variables if other != variable and other not in members]
            return [*members, *(other for other in others if variable in self.one_sided(other).members)]
        return list(members)

    def separating_set(self, variable: int, target: int) -> tuple[int, ...] | None:
        """The set that separates a variable from the target; None if none is known."""
        from_target = self.one_sided(target)
        if variable not in from_target.members:
            return from_target.separating_sets.get(variable)
        return self.one_sided(variable).separating_sets.get(target)

    def separating_sets(self, target: int) -> SeparatingSets:
        """The known separating sets of the variables that are no neighbours of the target."""
        neighbours = self.neighbours(target)
        separating_sets: SeparatingSets = {}
        for variable in self.variables:
            if variable == target or variable in neighbours:
                continue
            separating_set = self.separating_set(variable, target)
            if separating_set is not None:
                separating_sets[variable] = separating_set
        return separating_sets


def with_spouses(graph: NeighbourGraph) -> NeighboursAndSpouses:
    """The blanket of the target of the graph's search.

    A variable D is a spouse by way of the neighbour C if it is a neighbour of C, and depends on the target given C and
    the set that separates the two without C.
    """
    search = graph.search
    target = search.target
    neighbours = graph.neighbours(target)
    spouses: dict[int, list[int]] = {}
    for neighbour in neighbours:
        for other in graph.neighbours(neighbour):
            if other == target or other in neighbours:
                continue
            separating_set = graph.separating_set(other, target)
            if separating_set is None or neighbour in separating_set:
                continue
            condition = (*separating_set, neighbour)
            result = search.test(other, condition)
            if search.depends(result):
                search.enter(other, condition, result)
                spouses.setdefault(other, []).append(neighbour)
    separating_sets = graph.separating_sets(target)
    return NeighboursAndSpouses(neighbours, spouses, separating_sets)
