"""Nearest class mean and nearest neighbours, their squared distances updated feature by feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


BLOCK_BYTES = 1 << 20  # distances held at once: about what a second-level cache holds


def in_blocks(
    predict: Callable[[NDArray[np.float64]], Iterator[NDArray[np.intp]]],
    test: NDArray[np.float64],
    n_distances: int,
    n_stops: int,
) -> NDArray[np.intp]:
    """What ``predict`` yields for every stop, for blocks of ``test`` with ``n_distances`` a row: (n_stops, n_test)."""
    rows = max(1, BLOCK_BYTES // (8 * n_distances))
    found = np.empty((n_stops, len(test)), np.intp)
    for at in range(0, len(test), rows):
        for place, winners in enumerate(predict(test[at : at + rows])):
            found[place, at : at + rows] = winners
    return found


def nearest_mean(train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]) -> Iterator[NDArray[Any]]:
    """Predictions of the nearest class mean after each number of columns."""
    classes, codes = np.unique(labels, return_inverse=True)
    sizes = np.bincount(codes)
    means = np.stack([np.bincount(codes, column) / sizes for column in train[:, : stops[-1]].T])
    yield from classes[in_blocks(lambda block: _nearest_means(means, block, stops), test, len(classes), len(stops))]


def _nearest_means(means: Floats, test: Floats, stops: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    distances = np.zeros((len(test), means.shape[1]))
    start = 0
    for stop in stops:
        for j in range(start, stop):
            distances += np.square(np.subtract.outer(test[:, j], means[j]))
        start = stop
        yield distances.argmin(axis=1)


NEIGHBORS = 3


def nearest_neighbors(
    train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]
) -> Iterator[NDArray[Any]]:
    """Predictions of three nearest neighbours after each number of columns."""
    classes, codes = np.unique(labels, return_inverse=True)
    members = np.zeros((len(train), len(classes)), np.uint8)
    members[np.arange(len(train)), codes] = 1
    yield from classes[in_blocks(lambda block: _votes(train, members, block, stops), test, len(train), len(stops))]


def _votes(
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
