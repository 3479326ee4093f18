"""The columns of a cut: the best ranked ones of which no two are correlated.

The greedy matching takes column after column. Correlation is not transitive, so its set need not be the best one, which
is a maximum-weight independent set of at most B columns. With the prices of its linear relaxation over cliques of
correlated columns, lambda for a place and r_j = w_j - lambda - (prices of its cliques) for a column, no set with a
column outside the list is better than bound - (lambda - w_j), and none with a listed one of r_j < 0 better than
bound + r_j: few columns can matter, and branch and bound looks at those.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.methods.by_samples.cutting_plane.columns import Columns, Places
from bitsieve.utils.arrays import Floats
from bitsieve.utils.choice import TIE, rank

Neighbours = list[set[int]]

AHEAD = 4  # columns that are ranked at once, in multiples of those wanted
SMALLEST = 32  # columns looked at together, at least
NONE = np.empty(0, np.intp)
# Of the exact matching:
MOST = 4000  # columns that are looked at
MAX_NODES = 20_000  # of branch and bound
SCALE = 1e4  # of the largest weight: the solver's tolerances are absolute, 1e-6
EXACT = 1e-8  # relative: what those tolerances may amount to


def leading(scores: Floats, count: int) -> Places:
    """The first ``count`` columns by falling score, of equal ones the lowest; those of score 0 are left out."""
    count = min(count, int(np.count_nonzero(scores > TIE)))
    if count == 0:
        return NONE
    level = np.partition(scores, len(scores) - count)[len(scores) - count]
    near = np.flatnonzero(scores >= max(level - TIE, TIE))
    return near[rank(scores[near])][:count]


def match(
    columns: Columns, scores: Floats, budget: int, min_correlation: float | None, represented: Places = NONE
) -> Places:
    """The best ranked columns, at most ``budget`` of them, that are not correlated with a better one.

    Correlated is what has a correlation of ``min_correlation`` or more; None takes the best as they are. Columns that
    are correlated with a ``represented`` one are left out; the represented ones themselves are not.
    """
    if min_correlation is None:
        return leading(scores, budget)
    chosen: list[int] = []
    ranked = leading(scores, AHEAD * budget)
    seen = 0
    while len(chosen) < budget:
        if seen == len(ranked):
            ranked = leading(scores, 2 * seen)
            if seen == len(ranked):
                break
        chunk = ranked[seen : seen + max(2 * budget, seen, SMALLEST)]
        chosen += _uncorrelated(columns, np.union1d(chosen, represented).astype(np.intp), chunk, min_correlation)
        seen += len(chunk)
    return np.array(chosen[:budget], np.intp)


def _uncorrelated(columns: Columns, taken: Places, chunk: Places, min_correlation: float) -> list[int]:
    """Those of the next columns, in their order, correlated neither with one taken nor with one before them."""
    pairs = columns.correlated(np.concatenate([taken, chunk]), min_correlation, among=chunk)
    index_of = {column: i for i, column in enumerate(chunk.tolist())}
    partners: list[list[int]] = [[] for _ in chunk]
    blocked = np.zeros(len(chunk), bool)
    for column, other in zip(pairs.column.tolist(), pairs.chosen.tolist(), strict=True):
        if other >= len(taken):
            partners[other - len(taken)].append(index_of[column])
        elif column != taken[other]:
            blocked[index_of[column]] = True
    free: list[int] = []
    for i, column in enumerate(chunk.tolist()):
        if not blocked[i]:
            free.append(column)
            blocked[partners[i]] = True
    return free


class ExactMatch(NamedTuple):
    """The columns by falling score, and by how much of its sum of squares another set might be better."""

    columns: Places
    gap: float


def match_exactly(columns: Columns, scores: Floats, budget: int, min_correlation: float) -> ExactMatch:
    """The columns of the largest sum of squared scores, at most ``budget``, of which no two are correlated.

    The gap is 0 where the set is proved to be the best, but for differences of 1e-8 of the sum.
    """
    greedy = match(columns, scores, budget, min_correlation)
    if len(greedy) == 0:
        return ExactMatch(greedy, 0.0)
    unit = float(scores.max())
    reached = float(np.square(scores[greedy] / unit).sum())
    count = 2 * int((scores >= scores[greedy].min() - TIE).sum())
    while True:
        listed = leading(scores, min(count, MOST))
        weights = np.square(scores[listed] / unit)
        problem = _Problem(weights, _neighbours(columns, listed, min_correlation), budget)
        following = leading(scores, len(listed) + 1)
        beyond = float((scores[following[-1]] / unit) ** 2) if len(following) > len(listed) else 0.0
        outside = problem.bound_with(beyond) if beyond else 0.0
        if outside <= reached or len(listed) < count:
            break
        count *= 2
    best = greedy
    bound = max(problem.bound, outside)
    if problem.bound > reached * (1 + EXACT):
        indices, inside = problem.solve(reached)
        bound = max(inside, outside)
        improved = listed[indices]
        if float(weights[indices].sum()) > reached:
            best = improved
            reached = float(weights[indices].sum())
    gap = bound / reached - 1
    return ExactMatch(best, gap if gap > EXACT else 0.0)


def _neighbours(columns: Columns, listed: Places, min_correlation: float) -> Neighbours:
    """For every listed column the places of those correlated with it."""
    pairs = columns.correlated(listed, min_correlation, among=listed)
    index_of = {column: i for i, column in enumerate(listed.tolist())}
    neighbours: Neighbours = [set() for _ in listed]
    for column, other in zip(pairs.column.tolist(), pairs.chosen.tolist(), strict=True):
        if index_of[column] != other:
            neighbours[other].add(index_of[column])
            neighbours[index_of[column]].add(other)
    return neighbours


class _Problem:
    """The relaxation over listed columns, and branch and bound over those that can matter."""

    def __init__(self, weights: Floats, neighbours: Neighbours, budget: int) -> None:
        from scipy.optimize import linprog
        from scipy.sparse import csr_array

        self.weights = weights
        self.neighbours = neighbours
        self.budget = budget
        cliques = [*_cliques(neighbours), list(range(len(weights)))]
        sizes = [len(clique) for clique in cliques]
        entries = np.concatenate(cliques)
        start = np.concatenate([[0], np.cumsum(sizes)])
        self.limits = csr_array((np.ones(len(entries)), entries, start), shape=(len(cliques), len(weights)))
        self.upper = np.ones(len(cliques))
        self.upper[-1] = budget
        relaxed = linprog(-SCALE * weights, A_ub=self.limits, b_ub=self.upper, bounds=(0, 1), method="highs")
        prices = np.maximum(-relaxed.ineqlin.marginals / SCALE, 0.0)
        self.price = float(prices[-1])
        # Any prices bound the optimum; what a column is worth beyond those of its limits is added.
        self.excess = weights - self.limits.T @ prices
        self.bound = float(prices @ self.upper + np.maximum(self.excess, 0.0).sum())

    def bound_with(self, weight: float) -> float:
        """What no set reaches that has a column of this weight or less beside listed ones."""
        return self.bound + (weight - self.price) * (1 if weight <= self.price else self.budget)

    def solve(self, reached: float) -> tuple[Places, float]:
        """The places of the best set and a bound of all, given what is reached already."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        matter = np.flatnonzero(self.bound + np.minimum(self.excess, 0.0) >= reached)
        solution = milp(
            -SCALE * self.weights[matter],
            constraints=LinearConstraint(self.limits[:, matter], ub=self.upper),
            integrality=np.ones(len(matter)),
            bounds=Bounds(0, 1),
            options={"node_limit": MAX_NODES, "mip_rel_gap": 0.0},
        )
        if solution.x is None:
            return np.empty(0, np.intp), self.bound
        chosen = self._lowest(matter[solution.x > 0.5].tolist())
        return chosen, min(self.bound, -solution.mip_dual_bound / SCALE)

    def _lowest(self, chosen: list[int]) -> Places:
        """The same set with the first of equal columns for each, where it fits the others."""
        members = set(chosen)
        for member in sorted(chosen):
            for lower in range(member):
                equal = self.weights[lower] >= self.weights[member] - TIE
                if equal and lower not in members and not (self.neighbours[lower] & members) - {member}:
                    members.remove(member)
                    members.add(lower)
                    break
        return np.array(sorted(members), np.intp)


def _cliques(neighbours: Neighbours) -> list[list[int]]:
    """Cliques that together hold every edge: each edge that is in none yet is grown to one, in order."""
    covered: list[set[int]] = [set() for _ in neighbours]
    cliques = []
    for first, near in enumerate(neighbours):
        for second in sorted(near):
            if second < first or second in covered[first]:
                continue
            clique = [first, second]
            common = near & neighbours[second]
            while common:
                following = min(common)
                clique.append(following)
                common = common & neighbours[following]
            for member in clique:
                covered[member].update(clique)
            cliques.append(clique)
    return cliques
