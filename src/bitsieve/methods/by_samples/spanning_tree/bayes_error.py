"""Bounds on the Bayes error from spanning trees, and forward selection by the smallest sum of upper bounds."""

from __future__ import annotations

from itertools import combinations, product
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.threads import run_blocks
from bitsieve.methods.by_samples.rows import Samples
from bitsieve.methods.by_samples.spanning_tree.tree import (
    RankedColumns,
    SharedPart,
    edges_between,
    minimum_spanning_tree,
)
from bitsieve.methods.method import DENSE_ROWS, Method, MethodResult, constants_last
from bitsieve.utils.arrays import Flags, Floats, Integers, Progress
from bitsieve.utils.choice import pick
from bitsieve.utils.parameters import check_flag
from bitsieve.utils.progress import phase

Classes = NDArray[np.integer]

BLOCK_COLUMNS = 16
Numbers = TypeVar("Numbers", float, "Floats")


class BayesErrorBounds(NamedTuple):
    """Bounds on the error of the best possible classifier."""

    lower: float
    upper: float


def divergence(n_cross: Numbers, m: int, n: int) -> Numbers:
    """The Henze-Penrose divergence ``Dp = 1 - R (m + n) / (2 m n)`` of m and n points with R edges between them."""
    return 1.0 - n_cross * (m + n) / (2.0 * m * n)


def two_class_bounds(n_cross: Numbers, m: int, n: int) -> tuple[Numbers, Numbers]:
    """Bounds on the Bayes error of two classes of m and n points: ``1/2 - sqrt(u)/2`` and ``1/2 - u/2``.

    ``u = 4 p q max(Dp, 0) + (p - q)^2`` with ``p = m / (m + n)`` and ``q = 1 - p``.
    """
    p = m / (m + n)
    q = n / (m + n)
    u = 4.0 * p * q * np.maximum(divergence(n_cross, m, n), 0.0) + (p - q) ** 2
    return 0.5 - np.sqrt(u) / 2.0, 0.5 - u / 2.0


def pairwise_bounds(points: Floats, classes: Classes, n_classes: int) -> BayesErrorBounds:
    """Bounds from a tree for every two classes a, b: ``sum_{a<b} (p_a + p_b) e_ab``, and ``2 / C`` of that."""
    lower = 0.0
    upper = 0.0
    for a, b in combinations(range(n_classes), 2):
        in_pair = np.flatnonzero((classes == a) | (classes == b))
        is_b = classes[in_pair] == b
        between = edges_between(minimum_spanning_tree(points[in_pair]), is_b.astype(np.intp), 2)
        low, high = two_class_bounds(float(between[0, 1]), int((~is_b).sum()), int(is_b.sum()))
        share = len(in_pair) / len(points)
        lower += 2.0 / n_classes * share * float(low)
        upper += share * float(high)
    return BayesErrorBounds(lower, upper)


def global_bounds(points: Floats, classes: Classes, n_classes: int) -> BayesErrorBounds:
    """Bounds from the share s of the edges of one tree, among N samples, that join different classes.

    The Bayes error is from ``(C - 1) / C (1 - sqrt(1 - s C / (C - 1)))`` to s, cut at ``1 - sum_c p_c^2``.
    """
    between = edges_between(minimum_spanning_tree(points), classes, n_classes)
    frequency = np.bincount(classes, minlength=n_classes) / len(points)
    share = min(float(np.triu(between, 1).sum()) / len(points), 1.0 - float((frequency**2).sum()))
    chance_error = (n_classes - 1) / n_classes
    lower = chance_error * (1.0 - max(0.0, 1.0 - share / chance_error) ** 0.5)
    return BayesErrorBounds(lower, share)


#: The functions by the name of the trees: one of all samples, or one of every two classes.
BOUNDS_BY_TREE = {"global": global_bounds, "pairwise": pairwise_bounds}


class _ClassPair(NamedTuple):
    """The samples of two classes."""

    samples: Integers
    is_second: Flags  # whether each of them is of the second class


class ClassPairs:
    """The error bounds of every two classes, on the chosen columns together with one candidate column."""

    def __init__(self, columns: RankedColumns, classes: NDArray[np.integer], weighted: bool = False) -> None:
        self.columns = columns
        self._weighted = weighted
        self._pairs: list[_ClassPair] = []
        for a, b in combinations(range(int(classes.max()) + 1), 2):
            samples = np.flatnonzero((classes == a) | (classes == b)).astype(np.int64)
            self._pairs.append(_ClassPair(samples, classes[samples] == b))
        # The joint values of the chosen columns in lexicographic order, and the rank of every sample among them.
        self._values = np.empty((0, 1))
        self._ranks = np.zeros(len(classes), np.uint32)

    def add(self, column: int) -> None:
        """Add a column to the chosen ones."""
        column_values = self.columns.values_of(column)
        joint_codes = self._ranks.astype(np.int64) * len(column_values) + self.columns.ranks[column]
        distinct, ranks = np.unique(joint_codes, return_inverse=True)
        earlier_ranks, column_ranks = np.divmod(distinct, len(column_values))
        self._values = np.ascontiguousarray(np.vstack([self._values[:, earlier_ranks], column_values[column_ranks]]))
        self._ranks = ranks.astype(np.uint32)

    def bound_sums(self, candidates: Integers, n_jobs: int | None, progress: Progress = None) -> Floats:
        """For each candidate, with the chosen columns: the sum over all pairs of classes of the upper bound."""
        bounds = np.empty((len(self._pairs), len(candidates)))
        batches = [slice(first, first + BLOCK_COLUMNS) for first in range(0, len(candidates), BLOCK_COLUMNS)]
        blocks = list(product(range(len(self._pairs)), batches))

        def work(block: tuple[int, slice]) -> None:
            pair_index, batch = block
            samples, is_second = self._pairs[pair_index]
            part = SharedPart(
                ranks=self._ranks,
                values=self._values,
                shared_sample=samples,
                last_sample=samples,
                in_first=(~is_second).astype(np.float64),
                in_second=is_second.astype(np.float64),
            )
            n_second = int(is_second.sum())
            n_cross = part.weights(self.columns, candidates[batch])
            _, upper = two_class_bounds(n_cross, len(samples) - n_second, n_second)
            share = len(samples) / len(self._ranks) if self._weighted else 1.0
            bounds[pair_index, batch] = share * upper

        run_blocks(work, blocks, n_jobs, progress)
        return np.asarray(np.add.reduce(bounds, axis=0))


def forward_selection(
    pairs: ClassPairs, k: int, n_jobs: int | None = None, progress: Progress = None
) -> tuple[Integers, Floats]:
    """Choose k columns, each the one with the smallest sum of bounds together with those before it.

    Returns the columns in order of choice, and the sum of bounds after each choice.
    """
    remaining = np.arange(len(pairs.columns.ranks))
    order = []
    sums = []
    n_tried = 0
    n_to_try = sum(len(remaining) - n_chosen for n_chosen in range(k))

    def report(done: int, n_blocks: int) -> None:
        if progress is not None:
            progress(n_tried + done * len(remaining) // n_blocks, n_to_try)

    for _ in range(k):
        bounds = pairs.bound_sums(remaining, n_jobs, report)
        n_tried += len(remaining)
        index = pick(-bounds)
        order.append(int(remaining[index]))
        sums.append(float(bounds[index]))
        pairs.add(order[-1])
        remaining = np.delete(remaining, index)
    return np.array(order, np.int64), np.array(sums)


def dp(samples: Samples, k: int, *, weighted: bool = False, n_jobs: int | None = None) -> MethodResult:
    """Add the column that makes the sum of the bounds smallest, one at a time; see :class:`bitsieve.DpSelector`."""
    numbers, varies = samples.numbers()
    candidates = np.flatnonzero(varies) if varies.any() else np.arange(samples.n_features)
    pairs = ClassPairs(RankedColumns.of(numbers[:, candidates]), samples.classes, weighted)
    chosen, sums = forward_selection(pairs, min(k, len(candidates)), n_jobs, phase("ranking"))
    selected = constants_last(candidates[chosen], varies)[:k]
    n_constant = len(selected) - len(sums)  # a constant column changes no distance, and so no bound
    return MethodResult(selected, np.concatenate([sums, np.full(n_constant, sums[-1])]))


METHODS = (
    Method(
        name="dp",
        title="Bounds on the Bayes error between every two classes",
        formula="sum over pairs of classes of R / (m + n), R = edges between them in the spanning tree of S and Xi",
        paper="Berisha, Wisler, Hero, Spanias 2016",
        inputs="the values themselves: a spanning tree for every pair of classes, every feature and step",
        cost="O(k^2 n d^2)",
        seconds=lambda n, d, k: 1.5e-9 * k * k * n * d**1.5,
        unit="error",
        selector="bitsieve.selectors.separability:DpSelector",
        run=dp,
        required_capabilities=DENSE_ROWS,
        bins=False,
        rules={"weighted": check_flag},
    ),
)
