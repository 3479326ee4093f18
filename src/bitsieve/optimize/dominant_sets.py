"""Dominant sets of items with similarities W: clusters that are found, and taken away, one after another.

A dominant set is the support of a local maximum of ``x'Wx`` over the weights x on the simplex (x >= 0, sum 1). Two
procedures find one, both from equal weights:

- Infection and immunisation: the item of the largest ``|r_i|``, ``r = Wx - x'Wx``, gains weight where ``r_i > 0`` and
  loses it where ``r_i < 0``; the length of the step maximises x'Wx in closed form.
- Replicator dynamics: ``x_i <- x_i (Wx)_i / x'Wx``.

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
from bitsieve.utils.libraries import threadpool_limits

Dynamics = Callable[["Similarity", Columns, Floats], Floats]

TOLERANCE = 1e-9  # infection ends where |r_i| is at most this share of x'Wx; smaller weights count as 0
MAX_START = 1024  # of more items, only this many start with weight: those with the largest sums of similarities
MAX_ROUNDS = 20  # Wx is computed anew this often at most, to remove the rounding of the updates
STEADY_DISTANCE = 1e-12  # L1 distance of the weights of two steps at which replicator dynamics ends
MAX_REPLICATOR_STEPS = 200_000
MIN_SUPPORT_WEIGHT = 1e-5  # smaller weights of replicator dynamics are on their way to 0
NEGLIGIBLE = 1e-12  # a sum of similarities that is rounding, as a share of the largest sum of all items


class SimilarityMatrix:
    """A symmetric matrix in memory, of any float type; its diagonal must be 0."""

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix
        self.n = len(matrix)

    def row(self, i: int) -> Matrix:
        """The similarities of item i to all items, shape (n,)."""
        return np.asarray(self.matrix[i])

    def sums(self) -> Floats:
        return np.asarray(np.add.reduce(self.matrix, axis=1, dtype=np.float64))


class SimilarityRows:
    """Rows of similarities that are computed on demand: a least recently used cache of ``memory`` bytes.

    ``compute_rows(first, last)`` computes rows, in blocks of ``rows_at_once``.
    """

    matrix = None

    def __init__(
        self,
        compute_rows: Callable[[int, int], Floats],
        n: int,
        memory: int,
        rows_at_once: int = 1,
        progress: Progress = None,
    ) -> None:
        self.n = n
        self._compute_rows = compute_rows
        self._rows_at_once = rows_at_once
        self._progress = progress
        self._max_cached = max(1, memory // (8 * n))
        self._cache: OrderedDict[int, Floats] = OrderedDict()

    def row(self, i: int) -> Floats:
        if i in self._cache:
            self._cache.move_to_end(i)
            return self._cache[i]
        first = i - i % self._rows_at_once
        block = self._compute_rows(first, min(first + self._rows_at_once, self.n))
        row: Floats = block[i - first].copy()
        self._add_to_cache(i, row)
        return row

    def sums(self) -> Floats:
        """The sum of every row."""
        out = np.empty(self.n)
        for first in range(0, self.n, self._rows_at_once):
            last = min(first + self._rows_at_once, self.n)
            for i, row in enumerate(self._compute_rows(first, last), first):
                out[i] = np.add.reduce(row)
                self._add_to_cache(i, row.copy())
            if self._progress is not None:
                self._progress(last, self.n)
        return out

    def _add_to_cache(self, i: int, row: Floats) -> None:
        if len(self._cache) >= self._max_cached:
            self._cache.popitem(last=False)
        self._cache[i] = row


Similarity = SimilarityMatrix | SimilarityRows


def submatrix(similarity: Similarity, members: Columns) -> Floats:
    """The similarities among m members, shape (m, m)."""
    out = np.empty((len(members), len(members)))
    for index, member in enumerate(members.tolist()):
        out[index] = similarity.row(member)[members]
    return out


def infection_immunization(similarity: Similarity, remaining: Columns, sums: Floats) -> Floats:
    """The weights of a dominant set of the ``remaining`` items, 0 for items outside it.

    ``sums[i]`` is the sum of the similarities of item ``remaining[i]`` to all remaining ones. Of more than 1,024 items,
    the 1,024 with the largest sums are solved first and give the start: every item that has weight takes a step.
    """
    m = len(remaining)
    if m <= MAX_START:
        weights = np.full(m, 1 / m)
        gains = sums / m
    else:
        start = np.sort(top(sums, MAX_START))
        start_matrix = SimilarityMatrix(submatrix(similarity, remaining[start]))
        weights = np.zeros(m)
        weights[start] = infection_immunization(start_matrix, np.arange(MAX_START), start_matrix.sums())
        gains = _gains(similarity, remaining, weights)
    for _ in range(MAX_ROUNDS):
        weights, n_steps = _climb(similarity, remaining, weights, gains)
        if not n_steps:
            break
        weights /= np.add.reduce(weights)
        gains = _gains(similarity, remaining, weights)
    return weights


def _gains(similarity: Similarity, remaining: Columns, weights: Floats) -> Floats:
    """Wx, from the rows of the items that have weight."""
    gains = np.zeros(len(remaining))
    for i in np.flatnonzero(weights).tolist():
        gains += weights[i] * similarity.row(int(remaining[i]))[remaining]
    return gains


def _climb(similarity: Similarity, remaining: Columns, weights: Floats, gains: Floats) -> tuple[Floats, int]:
    """Take infection steps until no item differs from the average: the weights, and the number of steps."""
    weights = weights.copy()
    gains = gains.copy()
    max_steps = 100_000 + 100 * len(remaining)
    for n_steps in range(max_steps):
        i, length, leaves = _native.infection_step(weights, gains, TOLERANCE)
        if i < 0:
            return weights, n_steps
        change = length * similarity.row(int(remaining[i]))[remaining]
        _native.infect(weights, gains, i, length, leaves, np.asarray(change, np.float64))
    return weights, max_steps


def replicator(similarity: Similarity, remaining: Columns, sums: Floats) -> Floats:
    """The weights of :func:`infection_immunization`, by replicator dynamics. Cost: O(m^2) a step for m items."""
    weights = np.full(len(remaining), 1 / len(remaining))
    if len(remaining) > 1:
        matrix = submatrix(similarity, remaining)
        with threadpool_limits(1):  # a product's bits depend on the number of threads
            for _ in range(MAX_REPLICATOR_STEPS):
                gains = matrix @ weights
                previous = weights
                weights = weights * gains
                weights /= np.add.reduce(weights)
                if np.add.reduce(np.abs(weights - previous)) < STEADY_DISTANCE:
                    break
    weights[weights <= MIN_SUPPORT_WEIGHT] = 0.0
    weights /= np.add.reduce(weights)
    return weights


DYNAMICS: dict[str, Dynamics] = {"infection": infection_immunization, "replicator": replicator}


class DominantSet(NamedTuple):
    """A cluster of similar items."""

    members: Columns
    weights: Floats  # u of each member: positive, of sum 1
    cohesiveness: float  # u'Wu / 2; 0 of a single item


def dominant_sets(
    similarity: Similarity, find: Dynamics = infection_immunization, progress: Progress = None
) -> list[DominantSet]:
    """Divide all items into dominant sets, in the order in which ``find`` finds them.

    An item that is similar to none of the remaining ones is a set of its own.
    """
    remaining = np.arange(similarity.n)
    sums = similarity.sums()
    negligible = NEGLIGIBLE * max(float(sums.max(initial=0.0)), 1e-300)
    sets: list[DominantSet] = []
    while len(remaining) and float(sums.max()) > negligible:
        weights = find(similarity, remaining, sums)
        support = np.flatnonzero(weights)
        members = remaining[support]
        member_weights = weights[support]
        mean_similarity = 0.0  # u'Wu
        sums_to_members = np.zeros(len(remaining))
        for member, weight in zip(members.tolist(), member_weights.tolist(), strict=True):
            row = similarity.row(member)[remaining]
            sums_to_members += row
            mean_similarity += weight * float(np.add.reduce(row[support] * member_weights))
        sets.append(DominantSet(members, member_weights, mean_similarity / 2))

        is_outside = np.ones(len(remaining), bool)
        is_outside[support] = False
        remaining = remaining[is_outside]
        sums = (sums - sums_to_members)[is_outside]
        if progress is not None:
            progress(similarity.n - len(remaining), similarity.n)
    sets += [DominantSet(np.array([i], np.intp), np.ones(1), 0.0) for i in remaining.tolist()]
    return sets
