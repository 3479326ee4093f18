"""ReliefF: a column is good if it differs between near samples of different classes; RReliefF: of other values."""

from __future__ import annotations

from functools import partial
from typing import Any

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

BLOCK_DISTANCES = 1 << 21  # held at once a thread, 16 MiB; blocks depend on the data alone, and so do all sums
MOST_BLOCK_SAMPLES = 256
# neighbours by default: of each class, and for a quantity
OF_CLASS = 10
OF_ALL = 70


def relieff(
    samples: Samples,
    k: int,
    *,
    n_neighbors: int | None = None,
    n_samples: int | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> MethodResult:
    """Rank the columns by their weights; see :class:`bitsieve.ReliefF`."""
    phase("reading")
    values = samples.quantity
    # of a quantity a missing value is drawn from all known ones
    classes = samples.classes if values is None else np.zeros(samples.n_samples, np.int32)
    differences = Differences(samples.rows(takes_missing=True), classes, samples.n_classes if values is None else 1)
    chosen = np.arange(samples.n_samples)
    if n_samples is not None and n_samples < samples.n_samples:
        chosen = np.sort(make_random(random_state).permutation(samples.n_samples)[:n_samples])
    how: dict[str, Any] = {"n_jobs": n_jobs, "progress": phase("comparing neighbours")}
    if values is None:
        weights = relieff_weights(differences, classes, chosen, n_neighbors=n_neighbors or OF_CLASS, **how)
    else:
        weights = rrelieff_weights(differences, values, chosen, n_neighbors=n_neighbors or OF_ALL, **how)
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
    """The weight of every column, between -1 and 1, by the neighbours of the ``chosen`` samples among all."""
    blocks = _blocks(differences, chosen, n_jobs)
    sums = np.zeros((len(blocks), differences.n_features))

    def work(index: int) -> None:
        neighbours, weights = _neighbours(differences, classes, blocks[index], n_neighbors)
        sums[index] = differences.weighted(blocks[index], neighbours, weights)

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
    sums = np.zeros((len(blocks), 2, differences.n_features))
    gap_sums = np.zeros(len(blocks))

    def work(index: int) -> None:
        block = blocks[index]
        neighbours = differences.nearest(differences.distances(block), np.arange(len(block)), everyone, k)
        gaps = np.abs(scaled[block][:, None] - scaled[neighbours])
        gap_sums[index] = np.add.reduce(gaps, axis=None)
        for row, weights in enumerate((gaps, 1.0 - gaps)):
            sums[index, row] = differences.weighted(block, neighbours, weights)

    run_blocks(work, range(len(blocks)), n_jobs, progress)
    total = np.add.reduce(gap_sums)
    of_apart, of_near = np.add.reduce(sums, axis=0)
    rest = len(chosen) * k - total  # 0 where all neighbours have the least and the greatest value
    return np.asarray(of_apart / (total or 1.0) - of_near / (rest or 1.0))


def _blocks(differences: Differences, chosen: Columns, n_jobs: int | None) -> list[Columns]:
    if len(chosen) == differences.n_samples and len(chosen) ** 2 <= 2 * BLOCK_DISTANCES:
        differences.compare_all(n_jobs)
    n_rows = int(np.clip(BLOCK_DISTANCES // differences.n_samples, 1, MOST_BLOCK_SAMPLES))
    return [chosen[first : first + n_rows] for first in range(0, len(chosen), n_rows)]


def _neighbours(
    differences: Differences, classes: NDArray[np.integer], block: Columns, n_neighbors: int
) -> tuple[Columns, Floats]:
    """The neighbours of every sample of a block, class by class, and what each of them weighs."""
    sizes = np.bincount(classes)
    offsets = np.cumsum(np.minimum(sizes, n_neighbors))
    neighbours = np.repeat(block[:, None], offsets[-1], axis=1)  # itself, at no weight, where there are no more
    weights = np.zeros(neighbours.shape)
    distances = differences.distances(block)
    classes_of_block = classes[block]
    for c, end in enumerate(offsets):
        of_class = np.flatnonzero(classes == c)
        for rows, is_hit in (
            (np.flatnonzero(classes_of_block != c), False),
            (np.flatnonzero(classes_of_block == c), True),
        ):
            n_found = min(n_neighbors, sizes[c] - is_hit)
            if not len(rows) or not n_found:
                continue
            slots = np.s_[rows, end - n_found : end]
            neighbours[slots] = differences.nearest(distances, rows, of_class, int(n_found))
            share = -1.0 if is_hit else sizes[c] / (len(classes) - sizes[classes_of_block[rows]])
            weights[slots] = np.reshape(share / n_found, (-1, 1))
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
