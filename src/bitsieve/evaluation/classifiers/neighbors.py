"""Three nearest neighbours, their squared distances updated feature by feature.

Of samples at the same distance the earlier one is nearer; of classes with as many votes the lower one wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.evaluation.classifiers.blocks import in_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NEIGHBORS = 3


def nearest_neighbors(
    train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]
) -> Iterator[NDArray[Any]]:
    """Predictions of three nearest neighbours after each number of columns."""
    classes, codes = np.unique(labels, return_inverse=True)
    members = np.zeros((len(train), len(classes)), np.uint8)
    members[np.arange(len(train)), codes] = 1
    yield from classes[in_blocks(lambda block: _updated(train, members, block, stops), test, len(train), len(stops))]


def _updated(
    train: Floats, members: NDArray[np.uint8], test: Floats, stops: NDArray[np.intp]
) -> Iterator[NDArray[np.intp]]:
    distances = np.zeros((len(test), len(train)))
    difference = np.empty_like(distances)
    start = 0
    for stop in stops:
        for j in range(start, stop):
            np.subtract.outer(test[:, j], train[:, j], out=difference)
            distances += np.square(difference, out=difference)
        start = stop
        yield members[_nearest(distances)].sum(axis=1).argmax(axis=1)


def _nearest(distances: Floats) -> NDArray[np.intp]:
    """The columns that are nearest to each row, shape (n_rows, NEIGHBORS); ``distances`` are as before in the end."""
    rows = np.arange(len(distances))
    nearest = np.empty((len(distances), min(NEIGHBORS, distances.shape[1])), np.intp)
    taken = np.empty(nearest.shape)
    for place in range(nearest.shape[1]):
        found = distances.argmin(axis=1)  # of equal ones the first
        nearest[:, place], taken[:, place] = found, distances[rows, found]
        distances[rows, found] = np.inf
    np.put_along_axis(distances, nearest, taken, axis=1)
    return nearest
