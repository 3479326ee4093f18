"""The conditional dependency of features given the class, for all pairs: Algorithm 1 of Yasaei Sekeh and Hero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

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

PRIORS = ("halves", "pooled")
BLOCK_POINTS = 1 << 15  # of all trees of one block: some 10 ms


def gmi(
    samples: Samples,
    k: int,
    *,
    removal: str = "sorted",
    relevance: float | None = None,
    priors: str = "halves",
    n_repeats: int = 1,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> MethodResult:
    """Leave out the columns that depend most on the others; see :class:`bitsieve.GMI`."""
    n_features = samples.n_features
    n_relevant = samples.n_features
    if relevance is not None and (n_relevant := check_kept("relevance", relevance, n_features)) < k:
        raise ParameterError("relevance", relevance, f"keep as many features as are selected, {k:,}, or more")
    if samples.n_samples < 4:
        raise UserError(
            code="too-few-rows",
            message=f"GMI halves the samples and needs at least 4 of them, and there are {samples.n_samples:,}",
        )
    numbers, varies = samples.numbers()
    varying = np.flatnonzero(varies)
    relevant, less = _by_relevance(numbers[:, varying], samples.classes, n_relevant, n_jobs)
    kept = varying[relevant]
    others = varying[less]
    random = make_random(random_state)
    matrix = dependency_matrix(
        RankedColumns.of(numbers[:, kept]),
        samples.classes,
        [Draw.of(samples.classes, random) for _ in range(n_repeats)],
        priors=priors,
        n_jobs=n_jobs,
        progress=phase("comparing pairs of features"),
    )
    order, totals = RULES[removal](matrix)
    dependency = np.zeros((n_features, n_features))
    scores = np.zeros(n_features)
    dependency[np.ix_(kept, kept)] = matrix
    dependency[others] = dependency[:, others] = np.nan
    scores[kept[order]] = totals
    scores[others] = np.nan
    return rank_all(np.concatenate([kept[order], others]), varies, scores, k, dependency_=dependency)


def check_kept(name: str, value: Any, n_features: int = NO_LIMIT) -> int:
    """How many features a number, or a share inside 0 and 1, of so many is."""
    if isinstance(value, float) and 0 < value < 1:
        return max(1, int(value * n_features))
    return check_integer(name, value, 1, n_features, "or a share between 0 and 1")


def _by_relevance(
    numbers: Floats, classes: NDArray[np.int32], n_kept: int, n_jobs: int | None
) -> tuple[Columns, Columns]:
    """The columns that are kept, ascending, and the others, most relevant first."""
    n_columns = numbers.shape[1]
    if n_kept >= n_columns:
        return np.arange(n_columns), np.empty(0, np.intp)
    pairs = ClassPairs(RankedColumns.of(numbers), classes)
    order = rank(-pairs.bound_sums(np.arange(n_columns), n_jobs, phase("measuring relevance")))
    return np.sort(order[:n_kept]), order[n_kept:]


@dataclass(frozen=True)
class Draw:
    """Two halves of the samples, the second permuted within the classes."""

    original: Integers  # the samples that are left as they are
    permuted: Integers  # the others, without the odd one out; they give the first of the two features
    partner: Integers  # the samples of the same classes that give the second feature instead: permuted, shuffled

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


def class_weights(draw: Draw, classes: NDArray[np.integer], priors: str) -> tuple[Floats, Floats]:
    """What the samples of the halves weigh: 1 for "halves", or by the frequencies of classes among all for "pooled"."""
    half = len(draw.original)
    if priors == "halves":
        return np.ones(half), np.ones(half)
    frequency = np.bincount(classes) / len(classes)
    halves = classes[draw.original], classes[draw.permuted]
    first, second = (frequency[own] * half / np.bincount(own)[own] for own in halves)
    return first, second


def dependency(x: Floats, y: Floats, classes: NDArray[np.integer], draw: Draw, priors: str) -> float:
    """The bound for one pair, where x and y may have several dimensions each, shape (n_samples, n_dimensions)."""
    first = classes[draw.original]
    second = classes[draw.permuted]
    points = np.vstack(
        [np.hstack([x[draw.original], y[draw.original]]), np.hstack([x[draw.permuted], y[draw.partner]])]
    )
    n_classes = int(classes.max()) + 1
    halves = np.concatenate([first, n_classes + second])
    between = edges_between(minimum_spanning_tree(points), halves, 2 * n_classes)[:n_classes, n_classes:]
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
    progress: Progress = None,
) -> Floats:
    """The lower bound on the information of every two columns given the class, the mean over the draws."""
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


def by_total(matrix: Floats) -> tuple[Columns, Floats]:
    """All features by rising total dependency, the total of each; of equal ones the lower index first."""
    totals = matrix.sum(axis=1)
    order = rank(-totals)
    return order, totals[order]


def by_removal(matrix: Floats) -> tuple[Columns, Floats]:
    """All features, the last one removed first: of those left always the (last) one of the highest total."""
    n = len(matrix)
    totals = matrix.sum(axis=1)
    order = np.empty(n, np.intp)
    at_removal = np.empty(n)
    for place in range(n - 1, -1, -1):
        worst = int(np.flatnonzero(totals >= totals.max() - TIE)[-1])
        order[place] = worst
        at_removal[place] = totals[worst]
        totals = totals - matrix[worst]
        totals[order[place:]] = -np.inf
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
