"""The random part of the estimator: which samples stay as they are, and which are permuted within their class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.ties import TIE, rank
from bitsieve.counts.blocks import run_blocks
from bitsieve.methods.by_samples.spanning_tree.tree import SharedPart, edges_between, minimum_spanning_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bitsieve.methods.by_samples.spanning_tree.tree import RankedColumns

    Samples = NDArray[np.int64]
    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Draw:
    """Two halves of the samples, the second permuted.

    Attributes
    ----------
    original : ndarray of int, shape (n,)
        The samples that are left as they are.
    permuted : ndarray of int, shape (n,)
        The others, without the odd one out; they give the first of the two features.
    partner : ndarray of int, shape (n,)
        The sample of the same class that gives the second feature instead: ``permuted``, shuffled within each class. A
        sample without another one of its class among ``permuted`` is its own partner.
    """

    original: Samples
    permuted: Samples
    partner: Samples

    @classmethod
    def of(cls, classes: NDArray[np.integer], random: np.random.RandomState | np.random.Generator) -> Draw:
        """A draw at random; the halves need not have the same number of samples of a class."""
        half = len(classes) // 2
        order = random.permutation(len(classes)).astype(np.int64)
        permuted = order[half : 2 * half]
        own = classes[permuted]
        partner = np.empty_like(permuted)
        partner[np.argsort(own, kind="stable")] = permuted[np.lexsort((random.random(half), own))]
        return cls(order[:half], permuted, partner)


PRIORS = ("halves", "pooled")
BLOCK_POINTS = 1 << 15  # of all trees of one block: some 10 ms


def class_weights(draw: Draw, classes: NDArray[np.integer], priors: str) -> tuple[Floats, Floats]:
    """What the samples of the two halves weigh, so that ``1 - (weight of the cross edges) / n`` is the bound.

    The bound is ``1 - 2 sum_yz p_y p_z delta_yz`` with ``delta_yz = n R_zy / (2 n'_z n_y)``, where ``R_zy`` counts the
    edges between original samples of class z and permuted ones of class y, ``n'_z`` and ``n_y`` are their numbers and n
    their sum over the classes. ``halves`` takes ``p_z = n'_z / n`` and ``p_y = n_y / n``, each from its own half, and
    all weights are 1; ``pooled`` takes the frequencies among all samples.
    """
    half = len(draw.original)
    if priors == "halves":
        return np.ones(half), np.ones(half)
    frequency = np.bincount(classes) / len(classes)
    halves = classes[draw.original], classes[draw.permuted]
    first, second = (frequency[own] * half / np.bincount(own)[own] for own in halves)
    return first, second


def dependency(x: Floats, y: Floats, classes: NDArray[np.integer], draw: Draw, priors: str) -> float:
    """The bound for one pair, where x and y may have several dimensions each, shape (n_samples, n_dimensions).

    Given one class it is the geometric mutual information itself.
    """
    first, second = classes[draw.original], classes[draw.permuted]
    points = np.vstack(
        [np.hstack([x[draw.original], y[draw.original]]), np.hstack([x[draw.permuted], y[draw.partner]])],
    )
    n_classes = int(classes.max()) + 1
    between = edges_between(minimum_spanning_tree(points), np.concatenate([first, n_classes + second]), 2 * n_classes)[
        :n_classes, n_classes:
    ]
    by_class = [np.zeros(n_classes), np.zeros(n_classes)]
    for weights, own, of_points in zip(by_class, (first, second), class_weights(draw, classes, priors), strict=True):
        weights[own] = of_points
    return 1.0 - float((by_class[0][:, None] * by_class[1] * between).sum()) / len(first)


def dependency_matrix(
    columns: RankedColumns,
    classes: NDArray[np.integer],
    draws: Sequence[Draw],
    *,
    priors: str = "halves",
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Floats:
    """The lower bound on the conditional geometric mutual information of every two columns given the class.

    Parameters
    ----------
    columns : RankedColumns
    classes : ndarray of int, shape (n_samples,)
    draws : sequence of Draw
        The bound is the mean over them.
    priors : {'halves', 'pooled'}
    n_jobs : int, optional
        Threads; the result is the same to the last bit for any number.
    progress : callable, optional
        Called as ``progress(blocks of pairs done, all)``.

    Returns
    -------
    ndarray of shape (n_columns, n_columns)
        Symmetric, 0 on the diagonal. At most 1; chance puts bounds near 0 a little below it.

    Notes
    -----
    Cost for n columns, N samples, r draws: ``r n (n - 1) / 2`` spanning trees of at most N points in the plane.
    """
    n_columns = len(columns.ranks)
    sums = np.zeros((n_columns, n_columns))
    width = max(1, BLOCK_POINTS // max(1, len(classes)))
    blocks = [
        (s, first, min(first + width, n_columns)) for s in range(n_columns) for first in range(s + 1, n_columns, width)
    ]
    weights = [class_weights(draw, classes, priors) for draw in draws]

    def work(block: tuple[int, int, int]) -> None:
        s, first, last = block
        for draw, (in_first, in_second) in zip(draws, weights, strict=True):
            half = len(draw.original)
            part = SharedPart(
                columns.ranks[s],
                columns.values_of(s)[None],
                np.concatenate([draw.original, draw.permuted]),
                np.concatenate([draw.original, draw.partner]),
                np.concatenate([in_first, np.zeros(half)]),
                np.concatenate([np.zeros(half), in_second]),
            )
            sums[s, first:last] += 1.0 - part.weights(columns, np.arange(first, last)) / half

    run_blocks(work, blocks, n_jobs, progress)
    matrix = sums / len(draws)
    return matrix + matrix.T


def by_total(matrix: Floats) -> tuple[NDArray[np.intp], Floats]:
    """All features by rising total dependency, the total of each; of equal ones the lower index first."""
    totals = matrix.sum(axis=1)
    order = rank(-totals)
    return order, totals[order]


def by_removal(matrix: Floats) -> tuple[NDArray[np.intp], Floats]:
    """All features, the last one removed first: the highest total among those left is removed, again and again.

    Of equal totals the higher index is removed first. Beside the order: the total that each had when it was removed.

    Cost: O(n^2) for n features.
    """
    n = len(matrix)
    totals = matrix.sum(axis=1)
    order = np.empty(n, np.intp)
    at_removal = np.empty(n)
    for place in range(n - 1, -1, -1):
        worst = int(np.flatnonzero(totals >= totals.max() - TIE)[-1])
        order[place], at_removal[place] = worst, totals[worst]
        totals = totals - matrix[worst]
        totals[order[place:]] = -np.inf
    return order, at_removal
