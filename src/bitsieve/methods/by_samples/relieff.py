"""ReliefF: a column is good if it differs between near samples of different classes, and not of the same class.

RReliefF is the same for a quantity: a column is good if it differs where the quantity differs.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.threads import run_blocks
from bitsieve.methods.by_samples.differences import Differences
from bitsieve.methods.by_samples.rows import Samples
from bitsieve.methods.method import DENSE_ROWS, Method, MethodResult, rank_all
from bitsieve.utils.arrays import Columns, Floats, Progress
from bitsieve.utils.choice import rank
from bitsieve.utils.parameters import check_integer, made_by, make_random, optional
from bitsieve.utils.progress import phase
from bitsieve.utils.types import RandomState

# Distances that a thread holds at once, 16 MiB. Blocks depend on the data alone, so sums do not depend on the threads.
BLOCK_DISTANCES = 1 << 21
MAX_BLOCK_SAMPLES = 256
NEIGHBOURS_OF_CLASS = 10  # the default number of neighbours of each class
NEIGHBOURS_OF_QUANTITY = 70  # the default number of neighbours where the target is a quantity


def relieff(
    samples: Samples,
    k: int,
    *,
    n_neighbors: int | None = None,
    n_samples: int | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> MethodResult:
    """Rank the columns by their weights; see :class:`bitsieve.ReliefF`."""
    phase("reading")
    quantity = samples.quantity
    classes = samples.classes
    n_classes = samples.n_classes
    if quantity is not None:  # missing values are drawn from those of all samples: one class
        classes = np.zeros(samples.n_samples, np.int32)
        n_classes = 1
    differences = Differences(samples.rows(takes_missing=True), classes, n_classes)
    chosen = np.arange(samples.n_samples)
    if n_samples is not None and n_samples < samples.n_samples:
        chosen = np.sort(make_random(random_state).permutation(samples.n_samples)[:n_samples])
    progress = phase("comparing neighbours")
    if quantity is None:
        n_neighbors = n_neighbors or NEIGHBOURS_OF_CLASS
        weights = relieff_weights(
            differences, classes, chosen, n_neighbors=n_neighbors, n_jobs=n_jobs, progress=progress
        )
    else:
        n_neighbors = n_neighbors or NEIGHBOURS_OF_QUANTITY
        weights = rrelieff_weights(
            differences, quantity, chosen, n_neighbors=n_neighbors, n_jobs=n_jobs, progress=progress
        )
    return rank_all(rank(weights), differences.varies, weights, k, weights_=weights)


def relieff_weights(
    differences: Differences,
    classes: NDArray[np.integer],
    chosen: Columns,
    *,
    n_neighbors: int,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Floats:
    """The weight of every column, between -1 and 1; the nearest of all samples are found for the ``chosen`` ones.

    ``W = mean over chosen samples of [sum_c P(c) / (1 - P(own class)) mean diff(A) to near samples of class c
    - mean diff(A) to near samples of the own class]``.
    """
    blocks = _blocks(differences, chosen, n_jobs)
    sums = np.zeros((len(blocks), differences.n_features))

    def work(index: int) -> None:
        neighbours, weights = _neighbours(differences, classes, blocks[index], n_neighbors)
        sums[index] = differences.weighted_sums(blocks[index], neighbours, weights)

    run_blocks(work, range(len(blocks)), n_jobs, progress)
    return np.asarray(np.add.reduce(sums, axis=0) / len(chosen))


def rrelieff_weights(
    differences: Differences,
    values: Floats,
    chosen: Columns,
    *,
    n_neighbors: int,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Floats:
    """The weight of every column for a quantity y, between -1 and 1; 0 for columns that do not vary.

    ``W = E[diff(y) diff(A)] / E[diff(y)] - E[(1 - diff(y)) diff(A)] / E[1 - diff(y)]``, E the mean over the ``chosen``
    samples and the nearest others of each: Bayes' rule for the difference of two probabilities of differing.
    """
    scaled = values / np.abs(values).max()
    scaled = scaled / (scaled.max() - scaled.min())
    everyone = np.arange(differences.n_samples)
    k = min(n_neighbors, differences.n_samples - 1)
    blocks = _blocks(differences, chosen, n_jobs)
    sums_by_gap = np.zeros((len(blocks), differences.n_features))
    sums_by_nearness = np.zeros((len(blocks), differences.n_features))
    gap_sums = np.zeros(len(blocks))

    def work(index: int) -> None:
        block = blocks[index]
        neighbours = differences.nearest(differences.distances(block), np.arange(len(block)), everyone, k)
        gaps = np.abs(scaled[block][:, None] - scaled[neighbours])
        gap_sums[index] = np.add.reduce(gaps, axis=None)
        sums_by_gap[index] = differences.weighted_sums(block, neighbours, gaps)
        sums_by_nearness[index] = differences.weighted_sums(block, neighbours, 1.0 - gaps)

    run_blocks(work, range(len(blocks)), n_jobs, progress)
    gap_sum = np.add.reduce(gap_sums)
    weighted_by_gap = np.add.reduce(sums_by_gap, axis=0)
    weighted_by_nearness = np.add.reduce(sums_by_nearness, axis=0)
    nearness_sum = len(chosen) * k - gap_sum  # 0 if one of each pair has the smallest value, the other the largest
    return np.asarray(weighted_by_gap / (gap_sum or 1.0) - weighted_by_nearness / (nearness_sum or 1.0))


def _blocks(differences: Differences, chosen: Columns, n_jobs: int | None) -> list[Columns]:
    """The chosen samples in blocks; if they are all samples and few enough, all distances are computed first."""
    if len(chosen) == differences.n_samples and len(chosen) ** 2 <= 2 * BLOCK_DISTANCES:
        differences.compute_all_distances(n_jobs)
    n_rows = int(np.clip(BLOCK_DISTANCES // differences.n_samples, 1, MAX_BLOCK_SAMPLES))
    return [chosen[first : first + n_rows] for first in range(0, len(chosen), n_rows)]


def _neighbours(
    differences: Differences, classes: NDArray[np.integer], block: Columns, n_neighbors: int
) -> tuple[Columns, Floats]:
    """The neighbours of every sample of a block, class by class, and their weights in the sum of differences.

    A class of few samples leaves slots empty: they hold the sample itself, with weight 0.
    """
    sizes = np.bincount(classes)
    offsets = np.cumsum(np.minimum(sizes, n_neighbors))
    neighbours = np.repeat(block[:, None], offsets[-1], axis=1)
    weights = np.zeros(neighbours.shape)
    distances = differences.distances(block)
    own_classes = classes[block]
    for c, end in enumerate(offsets):
        members = np.flatnonzero(classes == c)

        misses = np.flatnonzero(own_classes != c)  # samples of the block of which class c is another class
        n_misses = min(n_neighbors, sizes[c])
        if len(misses) and n_misses:
            slots = np.s_[misses, end - n_misses : end]
            neighbours[slots] = differences.nearest(distances, misses, members, int(n_misses))
            class_share = sizes[c] / (len(classes) - sizes[own_classes[misses]])
            weights[slots] = np.reshape(class_share / n_misses, (-1, 1))

        hits = np.flatnonzero(own_classes == c)
        n_hits = min(n_neighbors, sizes[c] - 1)  # without the sample itself
        if len(hits) and n_hits:
            slots = np.s_[hits, end - n_hits : end]
            neighbours[slots] = differences.nearest(distances, hits, members, int(n_hits))
            weights[slots] = -1.0 / n_hits
    return neighbours, weights


METHODS = (
    Method(
        name="relieff",
        title="Weights by what differs between near samples",
        formula="mean over samples of [mean diff to near samples of other classes - mean diff to near ones of its own]",
        paper="Robnik-Sikonja, Kononenko 2003",
        inputs="the values themselves: distances of all pairs of samples",
        cost="O(n d^2)",
        seconds=lambda n, d, k: n * d * (5e-8 + 2e-10 * d),
        unit="weight",
        selector="bitsieve.selectors.separability:ReliefF",
        run=relieff,
        required_capabilities=DENSE_ROWS,
        bins=False,
        takes_missing=True,
        rules={
            "n_neighbors": optional(partial(check_integer, low=1)),
            "n_samples": optional(partial(check_integer, low=1)),
            "random_state": made_by(make_random),
        },
    ),
)
