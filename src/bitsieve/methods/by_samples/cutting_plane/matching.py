"""The columns of a cut: a set of at most B columns with large scores, of which no two are correlated.

The greedy matching takes the columns by falling score, and leaves out those that are correlated with a column taken
before. Correlation is not transitive, so that another set may be better. The best set is a maximum-weight independent
set, with weights w_j, the squared scores.

The exact matching finds it among a list of the best columns. The linear relaxation has two kinds of constraints: at
most B columns, with dual price lambda, and at most one column of each clique of correlated columns, each with a dual
price. Its optimum bounds all sets. With ``r_j = w_j - lambda - (prices of the cliques of j)``

- no set with a listed column of r_j < 0 is better than ``bound + r_j``,
- no set with a column outside the list is better than ``bound - (lambda - w_j)``.

Few columns can be in a better set than the one at hand, and branch and bound decides among these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.methods.by_samples.cutting_plane.columns import ColumnVectors, Indices
from bitsieve.utils.arrays import Floats
from bitsieve.utils.choice import TIE, rank

Neighbours = list[set[int]]

RANKED_AT_ONCE = 4  # times the budget: columns that are ranked at first
MIN_CHUNK = 32  # columns whose correlations are computed together, at least
NO_COLUMNS = np.empty(0, np.intp)
# Of the exact matching:
MAX_LISTED = 4000  # columns
MAX_NODES = 20_000  # of branch and bound
SCALE = 1e4  # the largest weight in the solver, whose tolerances are absolute, 1e-6
EXACT = 1e-8  # relative differences of the value that those tolerances may cause


def leading(scores: Floats, count: int) -> Indices:
    """The first ``count`` columns by falling score, a tie to the lowest; columns of score 0 are left out."""
    count = min(count, int(np.count_nonzero(scores > TIE)))
    if count == 0:
        return NO_COLUMNS
    last_score = np.partition(scores, len(scores) - count)[len(scores) - count]
    candidates = np.flatnonzero(scores >= max(last_score - TIE, TIE))
    return candidates[rank(scores[candidates])][:count]


def match(
    columns: ColumnVectors,
    scores: Floats,
    budget: int,
    min_correlation: float | None,
    represented: Indices = NO_COLUMNS,
) -> Indices:
    """The greedy matching: the best columns, at most ``budget``, that are not correlated with a better one of them.

    Two columns are correlated if ``|rho|`` is ``min_correlation`` or more; None means no two are. Other columns that
    are correlated with a ``represented`` column are left out too.
    """
    if min_correlation is None:
        return leading(scores, budget)
    chosen: list[int] = []
    ranked = leading(scores, RANKED_AT_ONCE * budget)
    n_seen = 0
    while len(chosen) < budget:
        if n_seen == len(ranked):
            ranked = leading(scores, 2 * n_seen)
            if n_seen == len(ranked):
                break
        chunk = ranked[n_seen : n_seen + max(2 * budget, n_seen, MIN_CHUNK)]
        excluding = np.union1d(chosen, represented).astype(np.intp)
        chosen += _uncorrelated(columns, excluding, chunk, min_correlation)
        n_seen += len(chunk)
    return np.array(chosen[:budget], np.intp)


def _uncorrelated(columns: ColumnVectors, excluding: Indices, chunk: Indices, min_correlation: float) -> list[int]:
    """The columns of a chunk that are correlated neither with ``excluding`` columns nor with a result before them."""
    pairs = columns.correlated(np.concatenate([excluding, chunk]), min_correlation, among=chunk)
    index_in_chunk = {column: i for i, column in enumerate(chunk.tolist())}
    partners: list[list[int]] = [[] for _ in chunk]
    is_blocked = np.zeros(len(chunk), bool)
    for column, other in zip(pairs.column.tolist(), pairs.chosen.tolist(), strict=True):
        if other >= len(excluding):
            partners[other - len(excluding)].append(index_in_chunk[column])
        elif column != excluding[other]:
            is_blocked[index_in_chunk[column]] = True
    uncorrelated: list[int] = []
    for i, column in enumerate(chunk.tolist()):
        if not is_blocked[i]:
            uncorrelated.append(column)
            is_blocked[partners[i]] = True
    return uncorrelated


class ExactMatch(NamedTuple):
    """A set of columns, and how good any other set can be."""

    columns: Indices  # by falling score
    gap: float  # another set has a sum of squared scores that is larger by this share of it at most


def match_exactly(columns: ColumnVectors, scores: Floats, budget: int, min_correlation: float) -> ExactMatch:
    """The columns of the largest sum of squared scores, at most ``budget``, of which no two are correlated.

    The gap is 0 where the set is proved to be the best, but for differences of 1e-8 of the sum.
    """
    greedy = match(columns, scores, budget, min_correlation)
    if len(greedy) == 0:
        return ExactMatch(greedy, 0.0)
    largest = float(scores.max())
    best = greedy
    best_value = float(np.square(scores[greedy] / largest).sum())

    # Lengthen the list until no set with a column outside it can be better than the greedy set.
    n_listed = 2 * int((scores >= scores[greedy].min() - TIE).sum())
    relaxation = _relax(columns, scores, min(n_listed, MAX_LISTED), budget, min_correlation)
    while relaxation.bound_outside > best_value and len(relaxation.listed) == n_listed:
        n_listed *= 2
        relaxation = _relax(columns, scores, min(n_listed, MAX_LISTED), budget, min_correlation)

    problem = relaxation.problem
    bound = max(problem.bound, relaxation.bound_outside)
    if problem.bound > best_value * (1 + EXACT):
        indices, bound_inside = problem.solve(best_value)
        bound = max(bound_inside, relaxation.bound_outside)
        value = float(problem.weights[indices].sum())
        if value > best_value:
            best = relaxation.listed[indices]
            best_value = value
    gap = bound / best_value - 1
    return ExactMatch(best, gap if gap > EXACT else 0.0)


class _Relaxation(NamedTuple):
    """The linear relaxation over a list of the best columns."""

    listed: Indices
    problem: _Problem
    bound_outside: float  # no set with a column outside the list has a larger sum of weights


def _relax(columns: ColumnVectors, scores: Floats, n_listed: int, budget: int, min_correlation: float) -> _Relaxation:
    """The relaxation over the ``n_listed`` best columns. Weights are squared scores, the largest of them 1."""
    largest = float(scores.max())
    listed = leading(scores, n_listed)
    weights = np.square(scores[listed] / largest)
    problem = _Problem(weights, _neighbours(columns, listed, min_correlation), budget)
    one_more = leading(scores, len(listed) + 1)
    bound_outside = 0.0
    if len(one_more) > len(listed):
        weight_outside = float((scores[one_more[-1]] / largest) ** 2)
        bound_outside = problem.bound_with(weight_outside) if weight_outside else 0.0
    return _Relaxation(listed, problem, bound_outside)


def _neighbours(columns: ColumnVectors, listed: Indices, min_correlation: float) -> Neighbours:
    """For every listed column the indices, in the list, of the columns that are correlated with it."""
    pairs = columns.correlated(listed, min_correlation, among=listed)
    index_in_list = {column: i for i, column in enumerate(listed.tolist())}
    neighbours: Neighbours = [set() for _ in listed]
    for column, other in zip(pairs.column.tolist(), pairs.chosen.tolist(), strict=True):
        index = index_in_list[column]
        if index != other:
            neighbours[other].add(index)
            neighbours[index].add(other)
    return neighbours


class _Problem:
    """The linear relaxation over listed columns, and branch and bound over those that can be in a better set."""

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
        # Any prices >= 0 give an upper bound, if the positive r_j are added to it.
        self.excess = weights - self.limits.T @ prices  # r_j
        self.bound = float(prices @ self.upper + np.maximum(self.excess, 0.0).sum())

    def bound_with(self, weight: float) -> float:
        """An upper bound of all sets with a column outside the list, where no such column has more than this weight."""
        max_outside = 1 if weight <= self.price else self.budget
        return self.bound + (weight - self.price) * max_outside

    def solve(self, value: float) -> tuple[Indices, float]:
        """The indices of the best set, if it is better than ``value``, and an upper bound of all sets."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        can_improve = np.flatnonzero(self.bound + np.minimum(self.excess, 0.0) >= value)
        solution = milp(
            -SCALE * self.weights[can_improve],
            constraints=LinearConstraint(self.limits[:, can_improve], ub=self.upper),
            integrality=np.ones(len(can_improve)),
            bounds=Bounds(0, 1),
            options={"node_limit": MAX_NODES, "mip_rel_gap": 0.0},
        )
        if solution.x is None:
            return np.empty(0, np.intp), self.bound
        chosen = self._lowest(can_improve[solution.x > 0.5].tolist())
        return chosen, min(self.bound, -solution.mip_dual_bound / SCALE)

    def _lowest(self, chosen: list[int]) -> Indices:
        """The set with every member replaced by the lowest column of the same weight, if it fits the others."""
        members = set(chosen)
        for member in sorted(chosen):
            for lower in range(member):
                is_equal = self.weights[lower] >= self.weights[member] - TIE
                correlated_members = (self.neighbours[lower] & members) - {member}
                if is_equal and lower not in members and not correlated_members:
                    members.remove(member)
                    members.add(lower)
                    break
        return np.array(sorted(members), np.intp)


def _cliques(neighbours: Neighbours) -> list[list[int]]:
    """Cliques that together hold every edge; each edge that is in no clique yet is grown to one, in order."""
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
