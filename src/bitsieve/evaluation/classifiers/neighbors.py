"""Three nearest neighbours, their squared distances grown feature by feature.

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
    members = np.zeros((len(train), len(classes)), np.float32)
    members[np.arange(len(train)), codes] = 1
    yield from classes[in_blocks(lambda block: _grow(train, members, block, stops), test, len(train), len(stops))]


def _grow(train: Floats, members: NDArray[np.float32], test: Floats, stops: NDArray[np.intp]) -> Iterator[NDArray[Any]]:
    distances = np.zeros((len(test), len(train)))
    difference = np.empty_like(distances)
    start = 0
    for stop in stops:
        for j in range(start, stop):
            np.subtract.outer(test[:, j], train[:, j], out=difference)
            distances += np.square(difference, out=difference)
        start = stop
        votes = _nearest(distances).astype(np.float32) @ members  # small whole numbers: exact in any order
        yield votes.argmax(axis=1)


def _nearest(distances: Floats) -> NDArray[np.bool_]:
    """Which columns are the nearest of each row, of equally near ones the first."""
    k = min(NEIGHBORS, distances.shape[1])
    furthest = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    nearer, as_near = distances < furthest, distances == furthest
    left = k - nearer.sum(axis=1, keepdims=True)
    if (as_near.sum(axis=1, keepdims=True) > left).any():
        as_near &= np.cumsum(as_near, axis=1) <= left
    return nearer | as_near
