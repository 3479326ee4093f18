"""The dependency of every two features given the class: a lower bound on I(Xi;Xj|C) from spanning trees.

Algorithm 1 of Yasaei Sekeh and Hero. Half of the samples is left as it is. In the other half the second feature is
permuted within each class, so that the two features are independent given the class. In a spanning tree of both halves,
many edges between the halves mean that they look alike: that the features are nearly independent given the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.threads import run_blocks
from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.methods.by_samples.rows import Samples
from bitsieve.methods.by_samples.spanning_tree.bayes_error import ClassPairs
from bitsieve.methods.by_samples.spanning_tree.tree import (
    RankedColumns,
    SharedPart,
    edges_between,
    minimum_spanning_tree,
)
from bitsieve.methods.method import DENSE_ROWS, Method, MethodResult, rank_all
from bitsieve.utils.arrays import Columns, Floats, Integers, Progress
from bitsieve.utils.choice import TIE, rank
from bitsieve.utils.parameters import NO_LIMIT, check_choice, check_integer, made_by, make_random, optional
from bitsieve.utils.progress import phase
from bitsieve.utils.types import RandomState

PRIORS = ("halves", "pooled")
BLOCK_POINTS = 1 << 15  # points of all trees of one block of work: some 10 ms


def gmi(
    samples: Samples,
    k: int,
    *,
    removal: str = "sorted",
    relevance: float | None = None,
    priors: str = "halves",
    n_repeats: int = 1,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> MethodResult:
    """Leave out the columns that depend most on the others; see :class:`bitsieve.GMI`."""
    n_features = samples.n_features
    n_relevant = n_features
    if relevance is not None:
        n_relevant = check_kept("relevance", relevance, n_features)
        if n_relevant < k:
            raise ParameterError("relevance", relevance, f"keep as many features as are selected, {k:,}, or more")
    if samples.n_samples < 4:
        raise UserError(
            code="too-few-rows",
            message=f"GMI halves the samples and needs at least 4 of them, and there are {samples.n_samples:,}",
        )
    numbers, varies = samples.numbers()
    varying = np.flatnonzero(varies)
    relevant_indices, other_indices = _split_by_relevance(numbers[:, varying], samples.classes, n_relevant, n_jobs)
    relevant = varying[relevant_indices]
    others = varying[other_indices]
    random = make_random(random_state)
    draws = [Draw.of(samples.classes, random) for _ in range(n_repeats)]
    matrix = dependency_matrix(
        RankedColumns.of(numbers[:, relevant]),
        samples.classes,
        draws,
        priors=priors,
        n_jobs=n_jobs,
        progress=phase("comparing pairs of features"),
    )
    order, totals = RULES[removal](matrix)
    dependency = np.zeros((n_features, n_features))
    scores = np.zeros(n_features)
    dependency[np.ix_(relevant, relevant)] = matrix
    dependency[others] = np.nan
    dependency[:, others] = np.nan
    scores[relevant[order]] = totals
    scores[others] = np.nan
    return rank_all(np.concatenate([relevant[order], others]), varies, scores, k, dependency_=dependency)


def check_kept(name: str, value: Any, n_features: int = NO_LIMIT) -> int:
    """The number of features that ``value`` means: a whole number, or a share of ``n_features`` inside 0 and 1."""
    if isinstance(value, float) and 0 < value < 1:
        return max(1, int(value * n_features))
    return check_integer(name, value, 1, n_features, "or a share between 0 and 1")


def _split_by_relevance(
    numbers: Floats, classes: NDArray[np.int32], n_relevant: int, n_jobs: int | None
) -> tuple[Columns, Columns]:
    """The most relevant columns, ascending, and the other columns, most relevant first."""
    n_columns = numbers.shape[1]
    if n_relevant >= n_columns:
        return np.arange(n_columns), np.empty(0, np.intp)
    pairs = ClassPairs(RankedColumns.of(numbers), classes)
    order = rank(-pairs.bound_sums(np.arange(n_columns), n_jobs, phase("measuring relevance")))
    return np.sort(order[:n_relevant]), order[n_relevant:]


@dataclass(frozen=True)
class Draw:
    """Two halves of the samples. The points of the second half take their two features from different samples.

    Of an odd number of samples, one is in neither half.
    """

    original: Integers  # the samples of the first half
    permuted: Integers  # the samples of the second half, which give the first feature of its points
    partner: Integers  # these samples, shuffled within their classes: they give the second feature of the same points

    @classmethod
    def of(cls, classes: NDArray[np.integer], random: np.random.RandomState | np.random.Generator) -> Draw:
        """A draw at random; the halves need not have the same number of samples of a class."""
        half = len(classes) // 2
        order = random.permutation(len(classes)).astype(np.int64)
        permuted = order[half : 2 * half]
        own_classes = classes[permuted]
        in_class_order = np.argsort(own_classes, kind="stable")
        shuffled_in_classes = np.lexsort((random.random(half), own_classes))
        partner = np.empty_like(permuted)
        partner[in_class_order] = permuted[shuffled_in_classes]
        return cls(order[:half], permuted, partner)


def class_weights(draw: Draw, classes: NDArray[np.integer], priors: str) -> tuple[Floats, Floats]:
    """The weight of every sample of the first half, and of the second.

    "halves": all weigh 1. "pooled": in each half the weights of a class add up to its share of all samples, times the
    size of the half.
    """
    half = len(draw.original)
    if priors == "halves":
        return np.ones(half), np.ones(half)
    frequency = np.bincount(classes) / len(classes)

    def pooled_weights(own_classes: NDArray[np.integer]) -> Floats:
        return np.asarray(frequency[own_classes] * half / np.bincount(own_classes)[own_classes])

    return pooled_weights(classes[draw.original]), pooled_weights(classes[draw.permuted])


def dependency(x: Floats, y: Floats, classes: NDArray[np.integer], draw: Draw, priors: str) -> float:
    """The bound for one pair, where x and y may have several dimensions each, shape (n_samples, n_dimensions)."""
    first_points = np.hstack([x[draw.original], y[draw.original]])
    second_points = np.hstack([x[draw.permuted], y[draw.partner]])
    first_classes = classes[draw.original]
    second_classes = classes[draw.permuted]
    n_classes = int(classes.max()) + 1

    # Edges between the halves by class: the classes of the second half are numbered after those of the first.
    tree = minimum_spanning_tree(np.vstack([first_points, second_points]))
    labels = np.concatenate([first_classes, n_classes + second_classes])
    n_edges = edges_between(tree, labels, 2 * n_classes)[:n_classes, n_classes:]

    first_weights = np.zeros(n_classes)
    second_weights = np.zeros(n_classes)
    first_point_weights, second_point_weights = class_weights(draw, classes, priors)
    first_weights[first_classes] = first_point_weights
    second_weights[second_classes] = second_point_weights
    return 1.0 - float((first_weights[:, None] * second_weights * n_edges).sum()) / len(first_classes)


class _Block(NamedTuple):
    """A column, and a range of later columns to compare it with."""

    column: int
    first: int
    last: int  # the column after the range


def dependency_matrix(
    columns: RankedColumns,
    classes: NDArray[np.integer],
    draws: Sequence[Draw],
    *,
    priors: str = "halves",
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Floats:
    """The lower bound on the information of every two columns given the class, the mean over the draws."""
    n_columns = len(columns.ranks)
    sums = np.zeros((n_columns, n_columns))
    width = max(1, BLOCK_POINTS // max(1, len(classes)))
    blocks = []
    for column in range(n_columns):
        for first in range(column + 1, n_columns, width):
            blocks.append(_Block(column, first, min(first + width, n_columns)))
    weights_of_draws = [class_weights(draw, classes, priors) for draw in draws]

    def work(block: _Block) -> None:
        column, first, last = block
        for draw, (first_weights, second_weights) in zip(draws, weights_of_draws, strict=True):
            half = len(draw.original)
            part = SharedPart(
                ranks=columns.ranks[column],
                values=columns.values_of(column)[None],
                shared_sample=np.concatenate([draw.original, draw.permuted]),
                last_sample=np.concatenate([draw.original, draw.partner]),
                in_first=np.concatenate([first_weights, np.zeros(half)]),
                in_second=np.concatenate([np.zeros(half), second_weights]),
            )
            sums[column, first:last] += 1.0 - part.weights(columns, np.arange(first, last)) / half

    run_blocks(work, blocks, n_jobs, progress)
    matrix = sums / len(draws)
    return matrix + matrix.T


def by_total(matrix: Floats) -> tuple[Columns, Floats]:
    """All features by rising total dependency, and the total of each; a tie goes to the lower index."""
    totals = matrix.sum(axis=1)
    order = rank(-totals)
    return order, totals[order]


def by_removal(matrix: Floats) -> tuple[Columns, Floats]:
    """All features, in the reverse order of their removal, and the total of each at its removal.

    The feature of the largest total dependency on the remaining ones is removed, of equal ones the last, again and
    again.
    """
    n = len(matrix)
    totals = matrix.sum(axis=1)
    order = np.empty(n, np.intp)
    at_removal = np.empty(n)
    for position in range(n - 1, -1, -1):
        worst = int(np.flatnonzero(totals >= totals.max() - TIE)[-1])
        order[position] = worst
        at_removal[position] = totals[worst]
        totals = totals - matrix[worst]
        totals[order[position:]] = -np.inf
    return order, at_removal


RULES = {"sorted": by_total, "backward": by_removal}
METHODS = (
    Method(
        name="gmi",
        title="Least total dependency on the other features, given the class",
        formula="sum over the others of the bound 1 - R / n on I(Xi;Xt|C), R = cross edges of a spanning tree",
        paper="Yasaei Sekeh, Hero 2019",
        inputs="the values themselves: a spanning tree for every pair of features; n x n numbers",
        cost="O(n^2 d^1.5), n^2 numbers",
        seconds=lambda n, d, k: n * n * min(3.5e-9 * d**1.55, 4e-8 * d**1.25),
        unit="dependency",
        selector="bitsieve.selectors.separability:GMI",
        run=gmi,
        required_capabilities=DENSE_ROWS,
        bins=False,
        rules={
            "removal": partial(check_choice, choices=tuple(RULES)),
            "relevance": optional(check_kept),
            "priors": partial(check_choice, choices=PRIORS),
            "n_repeats": partial(check_integer, low=1),
            "random_state": made_by(make_random),
        },
    ),
)
