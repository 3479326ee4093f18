"""The best set of columns of which no two are correlated, where the greedy one need not be: correlation is not
transitive.

    max sum_j w_j x_j,   sum_j x_j <= B,   sum_{j in Q} x_j <= 1 for cliques Q of correlated columns,   x_j = 0 or 1

is a maximum-weight independent set of at most B columns. With the prices of its linear relaxation, lambda for a place
and r_j = w_j - lambda - (prices of its cliques) for a column, no set with a column outside the list is better than
bound - (lambda - w_j), and none with a listed one of r_j < 0 better than bound + r_j: few columns can matter, and
branch and bound looks at those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array

from bitsieve.common.ties import TIE
from bitsieve.methods.by_samples.cutting_plane.matching import leading, match

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.methods.by_samples.cutting_plane.columns import Columns

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]
    Neighbours = list[set[int]]

MOST = 4000  # columns that are looked at
MAX_NODES = 20_000  # of branch and bound
SCALE = 1e4  # of the largest weight: the solver's tolerances are absolute, 1e-6
EXACT = 1e-8  # relative: what those tolerances may amount to


class ExactMatch(NamedTuple):
    """The columns by falling score, and by how much of its sum of squares another set might be better."""

    columns: Integers
    gap: float


def match_exactly(columns: Columns, scores: Floats, budget: int, least: float) -> ExactMatch:
    """The columns, at most ``budget``, of the largest sum of squared scores of which no two are correlated.

    Parameters
    ----------
    columns : Columns
    scores : ndarray of shape (n_features,)
        Not negative; columns that score 0 are never taken.
    budget : int
    least : float
        Correlation, in absolute value, from which two columns exclude each other.

    Returns
    -------
    ExactMatch
        The gap is 0 where the set is proved to be the best, but for differences of 1e-8 of the sum.

    Notes
    -----
    Cost: correlations among the columns that can matter, at most 4,000; then a linear program, and branch and bound
    over at most 20,000 nodes where the greedy set does not reach its bound.
    """
    greedy = match(columns, scores, budget, least)
    if len(greedy) == 0:
        return ExactMatch(greedy, 0.0)
    unit = float(scores.max())
    reached = float(np.square(scores[greedy] / unit).sum())
    count = 2 * len(leading_through(scores, greedy))
    while True:
        listed = leading(scores, min(count, MOST))
        weights = np.square(scores[listed] / unit)
        problem = _Problem(weights, _neighbours(columns, listed, least), budget)
        following = leading(scores, len(listed) + 1)
        beyond = float((scores[following[-1]] / unit) ** 2) if len(following) > len(listed) else 0.0
        outside = problem.bound_with(beyond) if beyond else 0.0
        if outside <= reached or len(listed) < count:
            break
        count *= 2
    best, bound = greedy, max(problem.bound, outside)
    if problem.bound > reached * (1 + EXACT):
        places, inside = problem.solve(reached)
        bound = max(inside, outside)
        found = listed[places]
        if float(weights[places].sum()) > reached:
            best, reached = found, float(weights[places].sum())
    gap = bound / reached - 1
    return ExactMatch(best, gap if gap > EXACT else 0.0)


def leading_through(scores: Floats, chosen: Integers) -> Integers:
    """The columns that score no less than the least of the chosen ones."""
    return np.flatnonzero(scores >= scores[chosen].min() - TIE)


def _neighbours(columns: Columns, listed: Integers, least: float) -> Neighbours:
    """For every listed column the places of those correlated with it."""
    pairs = columns.correlated(listed, least, among=listed)
    place = {column: i for i, column in enumerate(listed.tolist())}
    neighbours: Neighbours = [set() for _ in listed]
    for column, other in zip(pairs.column.tolist(), pairs.chosen.tolist(), strict=True):
        if place[column] != other:
            neighbours[other].add(place[column])
            neighbours[place[column]].add(other)
    return neighbours


class _Problem:
    """The relaxation over listed columns, and branch and bound over those that can matter."""

    def __init__(self, weights: Floats, neighbours: Neighbours, budget: int) -> None:
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

    def solve(self, reached: float) -> tuple[Integers, float]:
        """The places of the best set and a bound of all, given what is reached already."""
        matter = np.flatnonzero(self.bound + np.minimum(self.excess, 0.0) >= reached)
        found = milp(
            -SCALE * self.weights[matter],
            constraints=LinearConstraint(self.limits[:, matter], ub=self.upper),
            integrality=np.ones(len(matter)),
            bounds=Bounds(0, 1),
            options={"node_limit": MAX_NODES, "mip_rel_gap": 0.0},
        )
        if found.x is None:
            return np.empty(0, np.intp), self.bound
        chosen = self._lowest(matter[found.x > 0.5].tolist())
        return chosen, min(self.bound, -found.mip_dual_bound / SCALE)

    def _lowest(self, chosen: list[int]) -> Integers:
        """The same set with the first of equal columns for each, where it fits the others."""
        members = set(chosen)
        for place in sorted(chosen):
            for other in range(place):
                equal = self.weights[other] >= self.weights[place] - TIE
                if equal and other not in members and not (self.neighbours[other] & members) - {place}:
                    members.remove(place)
                    members.add(other)
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
            clique, common = [first, second], near & neighbours[second]
            while common:
                following = min(common)
                clique.append(following)
                common = common & neighbours[following]
            for member in clique:
                covered[member].update(clique)
            cliques.append(clique)
    return cliques
