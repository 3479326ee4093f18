"""ReliefF: a column is good if it differs between near samples of different classes and not between those of one.

M. Robnik-Sikonja, I. Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF", Machine Learning 53,
2003. doi:10.1023/A:1025667309714
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.counts.blocks import run_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.methods.by_samples.differences import Differences

    Floats = NDArray[np.float64]
    Samples = NDArray[np.intp]

BLOCK_DISTANCES = 1 << 21  # held at once a thread, 16 MiB; blocks depend on the data alone, and so do all sums
MOST_BLOCK_SAMPLES = 256


def relieff_weights(
    differences: Differences,
    classes: NDArray[np.integer],
    samples: Samples,
    *,
    n_neighbors: int,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Floats:
    """The weight of every column.

    ``W = mean over the samples i of [ - mean diff to the hits + sum_c P(c) / (1 - P(y_i)) mean diff to the misses of
    c ]``: the hits are the ``n_neighbors`` nearest samples of i's own class without itself, the misses those of
    class c, all of them where there are fewer. Ties of distance go to the lowest index.

    Parameters
    ----------
    differences : Differences
    classes : ndarray of int, shape (n_samples,)
        Codes ``0, 1, ...``; every class occurs, and there are at least two.
    samples : ndarray of int
        Those i that are looked at; neighbours are sought among all.
    n_neighbors : int
    n_jobs : int, optional
        Threads; the result is the same to the last bit for any number.
    progress : callable, optional
        Called as ``progress(blocks of samples done, all)``.

    Returns
    -------
    ndarray of shape (n_features,)
        Between -1 and 1; 0 for columns that do not vary.
    """
    n_rows = int(np.clip(BLOCK_DISTANCES // differences.n_samples, 1, MOST_BLOCK_SAMPLES))
    blocks = [samples[first : first + n_rows] for first in range(0, len(samples), n_rows)]
    sums = np.zeros((len(blocks), differences.n_features))

    def work(place: int) -> None:
        neighbours, weights = _neighbours(differences, classes, blocks[place], n_neighbors)
        sums[place] = differences.weighted(blocks[place], neighbours, weights)

    run_blocks(work, range(len(blocks)), n_jobs, progress)
    return np.add.reduce(sums, axis=0) / len(samples)


def _neighbours(
    differences: Differences, classes: NDArray[np.integer], block: Samples, n_neighbors: int
) -> tuple[Samples, Floats]:
    """The neighbours of every sample of a block, class by class, and what each of them weighs."""
    sizes = np.bincount(classes)
    ends = np.cumsum(np.minimum(sizes, n_neighbors))
    neighbours = np.repeat(block[:, None], ends[-1], axis=1)  # itself, at no weight, where there are no more
    weights = np.zeros(neighbours.shape)
    distances = differences.distances(block)
    own = classes[block]
    for c, end in enumerate(ends):
        of_class = np.flatnonzero(classes == c)
        for rows, is_hit in ((np.flatnonzero(own != c), False), (np.flatnonzero(own == c), True)):
            n_found = min(n_neighbors, sizes[c] - is_hit)
            if not len(rows) or not n_found:
                continue
            places = np.s_[rows, end - n_found : end]
            neighbours[places] = differences.nearest(distances, rows, of_class, int(n_found))
            share = -1.0 if is_hit else sizes[c] / (len(classes) - sizes[own[rows]])
            weights[places] = np.reshape(share / n_found, (-1, 1))
    return neighbours, weights
