"""The Markov blanket of the class by any search, the roles of its members, and the columns that may replace them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from bitsieve.information.independence import TestResult
from bitsieve.methods.by_counts.markov_blankets.fast_iamb import fast_iamb
from bitsieve.methods.by_counts.markov_blankets.fbed import fbed
from bitsieve.methods.by_counts.markov_blankets.gs import gs
from bitsieve.methods.by_counts.markov_blankets.hiton_pc import hiton_pc
from bitsieve.methods.by_counts.markov_blankets.iamb import iamb, inter_iamb
from bitsieve.methods.by_counts.markov_blankets.iamb_fdr import iamb_fdr
from bitsieve.methods.by_counts.markov_blankets.local import SeparatingSets
from bitsieve.methods.by_counts.markov_blankets.mmpc import mmpc
from bitsieve.methods.by_counts.markov_blankets.search import Move, Ranked, Search, by_strength
from bitsieve.methods.by_counts.markov_blankets.ses import ses
from bitsieve.methods.by_counts.markov_blankets.spouses import AND, OR, NeighbourGraph, with_spouses

SEARCHES = {"gs": gs, "iamb": iamb, "inter-iamb": inter_iamb, "fast-iamb": fast_iamb, "iamb-fdr": iamb_fdr}
NEIGHBOUR_SEARCHES = {"mmpc": mmpc, "hiton-pc": hiton_pc}
SPOUSE_SEARCHES = {"mmmb": mmpc, "hiton-mb": hiton_pc}
FBED = "fbed"
WITH_SYMMETRY = (*NEIGHBOUR_SEARCHES, *SPOUSE_SEARCHES)  # they search from other columns than the target, too
OVER_SUBSETS = (*WITH_SYMMETRY, "ses")  # their tests are conditional on many subsets
OVER_BLANKETS = ("iamb-fdr", "gs", "iamb", "inter-iamb", "fast-iamb", FBED)  # given the blanket found so far
ALGORITHMS = (*OVER_BLANKETS, *OVER_SUBSETS)
AUTO = "auto"
MAX_SUBSET = 3  # by default the subsets that a search goes through have at most three columns
SYMMETRIES = (AND, OR, None)


class Role(NamedTuple):
    """How a member is related to the target: directly, or only once the columns ``via`` are known."""

    name: str  # "neighbour" or "spouse"
    via: tuple[int, ...] = ()


NEIGHBOUR = Role("neighbour")


@dataclass(frozen=True, kw_only=True)
class BlanketOptions:
    """How a blanket is searched for; the fields are the parameters of :class:`bitsieve.MarkovBlanketSelector`."""

    algorithm: str = "iamb-fdr"
    level: float = 0.05
    max_conditioning: int | str | None = AUTO
    symmetry: str | None = AND
    n_extra_runs: int | None = 1
    correction: str | None = None

    @property
    def conditioning_limit(self) -> int | None:
        """How many columns a test may be conditional on; None if there is no limit."""
        if not isinstance(self.max_conditioning, str):  # the only word is "auto"
            return self.max_conditioning
        return MAX_SUBSET if self.algorithm in OVER_SUBSETS else None


@dataclass(frozen=True, kw_only=True)
class Blanket:
    """The blanket of a target.

    ``deciding_tests`` has one test for every candidate. A member is tested given the other members. Any other candidate
    is tested given its separating set, or given the blanket where no separating set is known.
    """

    members: list[int]  # by rising p
    roles: dict[int, Role] | None  # None where the algorithm gives no roles
    separating_sets: SeparatingSets
    queues: list[list[int]] = field(default_factory=list)  # each a member and the columns interchangeable with it
    deciding_tests: dict[int, TestResult]
    moves: list[Move]


def find_blanket(search: Search, options: BlanketOptions, *, with_roles: bool = False) -> Blanket:
    """Search for the blanket of a target; ``with_roles`` adds tests for roles where the algorithm gives none."""
    members_found = _search_members(search, options)
    members = members_found.members
    roles = members_found.roles
    if roles is None and with_roles:
        roles = _roles_by_tests(search, members)
    deciding_tests = _deciding_tests(search, members, members_found.separating_sets)
    strongest_first = by_strength([Ranked(member, deciding_tests[member]) for member in members])
    return Blanket(
        members=[ranked.variable for ranked in strongest_first],
        roles=roles,
        separating_sets=members_found.separating_sets,
        queues=members_found.queues,
        deciding_tests=deciding_tests,
        moves=search.moves,
    )


@dataclass(frozen=True, kw_only=True)
class _Members:
    """The members of a blanket, and what the algorithm says of them and of other columns."""

    members: list[int]
    separating_sets: SeparatingSets = field(default_factory=dict)
    roles: dict[int, Role] | None = None
    queues: list[list[int]] = field(default_factory=list)


def _search_members(search: Search, options: BlanketOptions) -> _Members:
    """Search by the algorithm that the options name."""
    algorithm = options.algorithm
    if algorithm in SPOUSE_SEARCHES:
        return _neighbours_and_spouses(NeighbourGraph(search, SPOUSE_SEARCHES[algorithm], options.symmetry))
    if algorithm in NEIGHBOUR_SEARCHES:
        return _neighbours(NeighbourGraph(search, NEIGHBOUR_SEARCHES[algorithm], options.symmetry), search.target)
    if algorithm == "ses":
        signatures = ses(search)
        return _Members(
            members=signatures.members,
            separating_sets=signatures.separating_sets,
            queues=list(signatures.queues.values()),
        )
    if algorithm == FBED:
        return _Members(members=fbed(search, n_extra_runs=options.n_extra_runs))
    return _Members(members=SEARCHES[algorithm](search))


def _neighbours_and_spouses(graph: NeighbourGraph) -> _Members:
    by_role = with_spouses(graph)
    roles = dict.fromkeys(by_role.neighbours, NEIGHBOUR)
    for spouse, via in by_role.spouses.items():
        roles[spouse] = Role("spouse", tuple(via))
    return _Members(members=by_role.members, separating_sets=by_role.separating_sets, roles=roles)


def _neighbours(graph: NeighbourGraph, target: int) -> _Members:
    members = graph.neighbours(target)
    return _Members(
        members=members,
        separating_sets=graph.separating_sets(target),
        roles=dict.fromkeys(members, NEIGHBOUR),
    )


def _deciding_tests(search: Search, members: list[int], separating_sets: SeparatingSets) -> dict[int, TestResult]:
    tests = {}
    for member in members:
        tests[member] = search.test(member, [other for other in members if other != member])
    for column, separating_set in separating_sets.items():
        if column not in members:  # spouses are members that have a separating set
            tests[column] = search.test(column, separating_set)
    others = [column for column in search.candidates if column not in tests]
    for column, result in search.test_each(others, members):
        tests[column] = result
    return tests


def _roles_by_tests(search: Search, members: list[int]) -> dict[int, Role]:
    """The roles of the members of a blanket, by tests given subsets of at most three other members.

    A member is a spouse if such a subset separates it from the target. It is related to the target by way of the
    members that make the two dependent again when they join the subset.
    """
    limit = MAX_SUBSET if search.max_conditioning is None else min(MAX_SUBSET, search.max_conditioning)
    subset_search = Search(search.tests, search.target, search.candidates, search.level, limit)
    roles = {}
    for member in members:
        others = [other for other in members if other != member]
        separating_set = subset_search.separating_set(member, others)
        if separating_set is None:
            roles[member] = NEIGHBOUR
            continue
        via = [
            other
            for other in others
            if other not in separating_set and not subset_search.is_independent(member, [*separating_set, other])
        ]
        roles[member] = Role("spouse", tuple(via))
    return roles
