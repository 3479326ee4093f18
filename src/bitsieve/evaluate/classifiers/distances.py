"""Nearest class mean and nearest neighbours, their squared distances updated feature by feature.

Test samples come in blocks, so that their distances fit in a cache, and in memory at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BLOCK_BYTES = 1 << 20  # distances held at once: about what a second-level cache holds
NEIGHBORS = 3


def nearest_mean(train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]) -> Iterator[NDArray[Any]]:
    """Predictions of the nearest class mean after each number of columns; of means equally near the lower class."""
    classes, codes = np.unique(labels, return_inverse=True)
    sizes = np.bincount(codes)
    means = np.stack([np.bincount(codes, column) / sizes for column in train[:, : stops[-1]].T], axis=1)
    yield from classes[_decided(lambda distances: distances.argmin(axis=1), means, test, stops)]


def nearest_neighbors(
    train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]
) -> Iterator[NDArray[Any]]:
    """Predictions of three nearest neighbours after each number of columns.

    Of samples at the same distance the earlier one is nearer; of classes with as many votes the lower one wins.
    """
    classes, codes = np.unique(labels, return_inverse=True)
    members = np.zeros((len(train), len(classes)), np.uint8)
    members[np.arange(len(train)), codes] = 1
    yield from classes[
        _decided(lambda distances: members[_nearest(distances)].sum(axis=1).argmax(axis=1), train, test, stops)
    ]


def _decided(
    decide: Callable[[Floats], NDArray[np.intp]], points: Floats, test: Floats, stops: NDArray[np.intp]
) -> NDArray[np.intp]:
    """What ``decide`` makes of the distances of test samples to points after each stop, shape (n_stops, n_test)."""
    rows = max(1, BLOCK_BYTES // (8 * len(points)))
    found = np.empty((len(stops), len(test)), np.intp)
    for at in range(0, len(test), rows):
        for place, distances in enumerate(_distances(points, test[at : at + rows], stops)):
            found[place, at : at + rows] = decide(distances)
    return found


def _distances(points: Floats, test: Floats, stops: NDArray[np.intp]) -> Iterator[Floats]:
    """Squared distances after each stop, shape (n_test, n_points), in one array that is added to."""
    distances = np.zeros((len(test), len(points)))
    difference = np.empty_like(distances)
    start = 0
    for stop in stops:
        for j in range(start, stop):
            np.subtract.outer(test[:, j], points[:, j], out=difference)
            distances += np.square(difference, out=difference)
        start = stop
        yield distances


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
