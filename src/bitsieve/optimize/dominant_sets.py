"""Dominant sets: the supports of local maxima of x'Wx on the simplex, taken off one after another.

Infection and immunisation: the thing that differs most from the average, ``r = Wx - x'Wx``, gains weight or loses it;
each step goes to the greatest x'Wx in closed form. Replicator dynamics: ``x_i <- x_i (Wx)_i / x'Wx``.
S. Rota Bulo, M. Pelillo, I. M. Bomze 2011, doi:10.1016/j.cviu.2010.12.004
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bitsieve import _native
from bitsieve.utils.arrays import Columns, Floats, Matrix, Progress
from bitsieve.utils.choice import top
from bitsieve.utils.lazy import threadpool_limits

Dynamics = Callable[["Similarity", Columns, Floats], Floats]

TOLERANCE = 1e-9  # of r as a share of x'Wx, and of weights
MOST_START = 1024  # of more things, so many begin with weight: those with the largest sums
ROUNDS = 20  # times that rounding is taken out of r before what is reached has to do
SETTLED = 1e-12  # L1 distance of two steps
MOST_STEPS = 200_000
SUPPORT = 1e-5  # weights up to this are on their way to 0
NONE_LEFT = 1e-12  # a sum of similarities that is rounding, as a share of the first sums


class SimilarityMatrix:
    """A symmetric matrix in memory, of any float type; its diagonal must be 0."""

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix
        self.n = len(matrix)

    def row(self, i: int) -> Matrix:
        """The similarity of one to all, shape (n,)."""
        return np.asarray(self.matrix[i])

    def sums(self) -> Floats:
        return np.asarray(np.add.reduce(self.matrix, axis=1, dtype=np.float64))


class SimilarityRows:
    """Rows that ``make(first, last)`` gives, ``at_once`` in a block; the last used are kept in ``memory`` bytes."""

    matrix = None

    def __init__(
        self, make: Callable[[int, int], Floats], n: int, memory: int, at_once: int = 1, progress: Progress = None
    ) -> None:
        self.n = n
        self._make = make
        self._at_once = at_once
        self._progress = progress
        self._room = max(1, memory // (8 * n))
        self._kept: OrderedDict[int, Floats] = OrderedDict()

    def row(self, i: int) -> Floats:
        if i in self._kept:
            self._kept.move_to_end(i)
            return self._kept[i]
        first = i - i % self._at_once
        block = self._make(first, min(first + self._at_once, self.n))
        self._keep(i, block[i - first].copy())
        return self._kept[i]

    def sums(self) -> Floats:
        """The sum of every row: each is made once."""
        out = np.empty(self.n)
        for first in range(0, self.n, self._at_once):
            last = min(first + self._at_once, self.n)
            for i, row in enumerate(self._make(first, last), first):
                out[i] = np.add.reduce(row)
                self._keep(i, row.copy())
            if self._progress is not None:
                self._progress(last, self.n)
        return out

    def _keep(self, i: int, row: Floats) -> None:
        if len(self._kept) >= self._room:
            self._kept.popitem(last=False)
        self._kept[i] = row


Similarity = SimilarityMatrix | SimilarityRows


def among(similarity: Similarity, members: Columns) -> Floats:
    """The rows and columns of some members, shape (m, m)."""
    out = np.empty((len(members), len(members)))
    for index, member in enumerate(members.tolist()):
        out[index] = similarity.row(member)[members]
    return out


def infection_immunization(similarity: Similarity, left: Columns, sums: Floats) -> Floats:
    """Weights of those left, from equal ones; 0 for what is not in the support. ``sums`` are over all that are left.

    Of many, the equilibrium among those with the largest sums comes first: each that begins with weight takes a step.
    """
    m = len(left)
    if m <= MOST_START:
        weights = np.full(m, 1 / m)
        gains = sums / m
    else:
        begin = np.sort(top(sums, MOST_START))
        start_matrix = SimilarityMatrix(among(similarity, left[begin]))
        weights = np.zeros(m)
        weights[begin] = infection_immunization(start_matrix, np.arange(MOST_START), start_matrix.sums())
        gains = _gains(similarity, left, weights)
    for _ in range(ROUNDS):
        weights, steps = _climb(similarity, left, weights, gains)
        if not steps:
            break
        weights /= np.add.reduce(weights)
        gains = _gains(similarity, left, weights)
    return weights


def _gains(similarity: Similarity, left: Columns, weights: Floats) -> Floats:
    """Wx from the rows of the support."""
    gains = np.zeros(len(left))
    for i in np.flatnonzero(weights).tolist():
        gains += weights[i] * similarity.row(int(left[i]))[left]
    return gains


def _climb(similarity: Similarity, left: Columns, weights: Floats, gains: Floats) -> tuple[Floats, int]:
    """Steps until the equilibrium is reached, and their number."""
    weights = weights.copy()
    gains = gains.copy()
    max_steps = 100_000 + 100 * len(left)
    for step in range(max_steps):
        i, length, leaves = _native.infection_step(weights, gains, TOLERANCE)
        if i < 0:
            return weights, step
        change = length * similarity.row(int(left[i]))[left]
        _native.infect(weights, gains, i, length, leaves, np.asarray(change, np.float64))
    return weights, max_steps


def replicator(similarity: Similarity, left: Columns, sums: Floats) -> Floats:
    """The weights of :func:`infection_immunization`, by replicator dynamics: O(m^2) a step for m left."""
    weights = np.full(len(left), 1 / len(left))
    if len(left) > 1:
        matrix = among(similarity, left)
        with threadpool_limits(1):  # a product's bits depend on the number of threads
            for _ in range(MOST_STEPS):
                gains = matrix @ weights
                last = weights
                weights = weights * gains
                weights /= np.add.reduce(weights)
                if np.add.reduce(np.abs(weights - last)) < SETTLED:
                    break
    weights[weights <= SUPPORT] = 0.0
    weights /= np.add.reduce(weights)
    return weights


DYNAMICS: dict[str, Dynamics] = {"infection": infection_immunization, "replicator": replicator}


class DominantSet(NamedTuple):
    """A set, its weights u (positive, of sum 1), and its cohesiveness u'Wu / 2; 0 for a single one."""

    members: Columns
    weights: Floats
    cohesiveness: float


def dominant_sets(
    similarity: Similarity, find: Dynamics = infection_immunization, progress: Progress = None
) -> list[DominantSet]:
    """Take off dominant sets until every thing is in one; what is similar to nothing left is a set of its own."""
    left = np.arange(similarity.n)
    sums = similarity.sums()
    negligible = NONE_LEFT * max(float(sums.max(initial=0.0)), 1e-300)
    sets: list[DominantSet] = []
    while len(left) and float(sums.max()) > negligible:
        weights = find(similarity, left, sums)
        support = np.flatnonzero(weights)
        members = left[support]
        weights_of_members = weights[support]
        is_left = np.ones(len(left), bool)
        is_left[support] = False
        mean = 0.0
        removed = np.zeros(len(left))
        for member, weight in zip(members.tolist(), weights_of_members.tolist(), strict=True):
            row = similarity.row(member)[left]
            removed += row
            mean += weight * float(np.add.reduce(row[support] * weights_of_members))
        sets.append(DominantSet(members, weights_of_members, mean / 2))
        left = left[is_left]
        sums = (sums - removed)[is_left]
        if progress is not None:
            progress(similarity.n - len(left), similarity.n)
    sets += [DominantSet(np.array([i], np.intp), np.ones(1), 0.0) for i in left.tolist()]
    return sets
