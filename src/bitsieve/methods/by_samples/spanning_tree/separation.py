"""Features by how well every two classes are told apart: forward selection of the smallest sum of error bounds."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.ties import pick
from bitsieve.counts.blocks import run_blocks
from bitsieve.methods.by_samples.spanning_tree.bayes_error import two_class_bounds
from bitsieve.methods.by_samples.spanning_tree.cross_edges import SharedPart

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.methods.by_samples.spanning_tree.cross_edges import RankedColumns

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Progress = Callable[[int, int], object]

BLOCK_COLUMNS = 16


class ClassPairs:
    """The error bounds of every two classes, on some columns and each of the others beside them.

    Parameters
    ----------
    columns : RankedColumns
    classes : ndarray of int, shape (n_samples,)
        Codes ``0, 1, ...``; every class occurs.
    weighted : bool
        Whether the bound of two classes is multiplied by their share of the samples.
    """

    def __init__(self, columns: RankedColumns, classes: NDArray[np.integer], weighted: bool = False) -> None:
        self.columns = columns
        self._weighted = weighted
        self._pairs = []
        for a, b in combinations(range(int(classes.max()) + 1), 2):
            samples = np.flatnonzero((classes == a) | (classes == b)).astype(np.int64)
            self._pairs.append((samples, classes[samples] == b))
        # The chosen columns together: ranks of the samples' values in lexicographic order.
        self._ranks = np.zeros(len(classes), np.uint32)
        self._values = np.empty((0, 1))

    def add(self, column: int) -> None:
        """Take a column into the chosen ones."""
        own = self.columns.values_of(column)
        joined = self._ranks.astype(np.int64) * len(own) + self.columns.ranks[column]
        distinct, ranks = np.unique(joined, return_inverse=True)
        before, last = np.divmod(distinct, len(own))
        self._values = np.ascontiguousarray(np.vstack([self._values[:, before], own[last]]))
        self._ranks = ranks.astype(np.uint32)

    def bound_sums(self, candidates: Integers, n_jobs: int | None, progress: Progress | None = None) -> Floats:
        """For each candidate beside the chosen columns: the sum over the pairs of the upper bound on their error.

        Cost: a spanning tree of the samples of two classes for each candidate and each pair of classes.
        """
        bounds = np.empty((len(self._pairs), len(candidates)))
        blocks = [
            (pair, slice(first, first + BLOCK_COLUMNS))
            for pair in range(len(self._pairs))
            for first in range(0, len(candidates), BLOCK_COLUMNS)
        ]

        def work(block: tuple[int, slice]) -> None:
            pair, some = block
            samples, is_second = self._pairs[pair]
            in_first, in_second = (own.astype(np.float64) for own in (~is_second, is_second))
            part = SharedPart(self._ranks, self._values, samples, samples, in_first, in_second)
            n_second = int(is_second.sum())
            n_cross = part.weights(self.columns, candidates[some])
            share = len(samples) / len(self._ranks) if self._weighted else 1.0
            bounds[pair, some] = share * two_class_bounds(n_cross, len(samples) - n_second, n_second)[1]

        run_blocks(work, blocks, n_jobs, progress)
        return np.add.reduce(bounds, axis=0)


def forward_selection(
    pairs: ClassPairs, k: int, n_jobs: int | None = None, progress: Progress | None = None
) -> tuple[Integers, Floats]:
    """k columns, each of them the one that makes the sum of the bounds smallest beside those before it.

    Equal sums (within 1e-10) go to the lowest column.

    Returns
    -------
    order : ndarray of int, shape (k,)
    sums : ndarray of float, shape (k,)
        The sum of the bounds on the columns chosen so far.

    Notes
    -----
    Cost for n columns, N samples, C classes: ``k n C (C - 1) / 2`` spanning trees of about 2 N / C points.
    """
    left = np.arange(len(pairs.columns.ranks))
    order, sums = [], []
    tried, to_try = 0, sum(len(left) - step for step in range(k))

    def report(done: int, n_blocks: int) -> None:
        if progress is not None:
            progress(tried + done * len(left) // n_blocks, to_try)

    for _ in range(k):
        bounds = pairs.bound_sums(left, n_jobs, report)
        tried += len(left)
        place = pick(-bounds)
        order.append(int(left[place]))
        sums.append(float(bounds[place]))
        pairs.add(order[-1])
        left = np.delete(left, place)
    return np.array(order, np.int64), np.array(sums)
