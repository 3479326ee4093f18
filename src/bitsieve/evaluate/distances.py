"""Nearest means and nearest neighbours for several numbers of columns: each column adds to the squared distances."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from bitsieve.evaluate.prefix import Labels, Predictions
from bitsieve.utils.arrays import Columns, Floats, Values

BLOCK_BYTES = 1 << 20  # distances that are computed at once: about what a second-level cache holds
VOTING_NEIGHBORS = 3
AVERAGED_NEIGHBORS = 10  # a mean of ten adds a tenth of the noise variance of the target, a mean of three a third


def nearest_mean(train: Floats, labels: Labels, test: Floats, n_columns: Columns, /) -> Predictions:
    """Predict the class with the nearest mean; of means equally near the lower class."""
    classes, codes = np.unique(labels, return_inverse=True)
    class_sizes = np.bincount(codes)
    used_columns = train[:, : n_columns[-1]].T
    means = np.stack([np.bincount(codes, column) / class_sizes for column in used_columns], axis=1)

    def nearest_code(distances: Floats) -> Columns:
        return np.asarray(distances.argmin(axis=1))

    for predicted_codes in _predictions(nearest_code, means, test, n_columns, np.intp):
        yield classes[predicted_codes]


def nearest_neighbors(train: Floats, labels: Labels, test: Floats, n_columns: Columns, /) -> Predictions:
    """Predict the majority of the three nearest neighbours; ties go to the earlier neighbour and the lower class."""
    classes, codes = np.unique(labels, return_inverse=True)
    one_hot_codes = np.zeros((len(train), len(classes)), np.uint8)
    one_hot_codes[np.arange(len(train)), codes] = 1

    def majority_code(distances: Floats) -> Columns:
        neighbors = _nearest(distances, VOTING_NEIGHBORS)
        votes = one_hot_codes[neighbors].sum(axis=1)
        return np.asarray(votes.argmax(axis=1))

    for predicted_codes in _predictions(majority_code, train, test, n_columns, np.intp):
        yield classes[predicted_codes]


def mean_of_neighbors(train: Floats, values: Labels, test: Floats, n_columns: Columns, /) -> Predictions:
    """Predict the mean of the ten nearest neighbours; of those equally near the earlier ones."""

    def mean(distances: Floats) -> Floats:
        neighbors = _nearest(distances, AVERAGED_NEIGHBORS)
        return np.asarray(values[neighbors].mean(axis=1))

    yield from _predictions(mean, train, test, n_columns, np.float64)


def _predictions(
    predict: Callable[[Floats], Values],
    points: Floats,
    test: Floats,
    n_columns: Columns,
    dtype: type[np.generic],
) -> Values:
    """Predict test samples, block by block, from their distances to points.

    ``predict`` takes squared distances of shape (n_block, n_points). The predictions have shape
    (len(n_columns), n_test).
    """
    block_rows = max(1, BLOCK_BYTES // (8 * len(points)))
    predictions: Values = np.empty((len(n_columns), len(test)), dtype)
    for start in range(0, len(test), block_rows):
        block = slice(start, start + block_rows)
        for i, distances in enumerate(_squared_distances(points, test[block], n_columns)):
            predictions[i, block] = predict(distances)
    return predictions


def _squared_distances(points: Floats, test: Floats, n_columns: Columns) -> Iterator[Floats]:
    """Yield the squared distances in the first n columns, shape (n_test, n_points), for every n in ``n_columns``.

    It is the same array each time, to which the squares of further columns are added.
    """
    distances = np.zeros((len(test), len(points)))
    difference = np.empty_like(distances)
    n_added = 0
    for n in n_columns:
        for j in range(n_added, n):
            np.subtract.outer(test[:, j], points[:, j], out=difference)
            distances += np.square(difference, out=difference)
        n_added = n
        yield distances


def _nearest(distances: Floats, k: int) -> Columns:
    """The indices of the k smallest distances in each row, shape (n_rows, k); of equal ones the first.

    ``distances`` is overwritten on the way, and has its values again at the end.
    """
    rows = np.arange(len(distances))
    k = min(k, distances.shape[1])
    nearest = np.empty((len(distances), k), np.intp)
    overwritten = np.empty(nearest.shape)
    for i in range(k):
        columns = distances.argmin(axis=1)
        nearest[:, i] = columns
        overwritten[:, i] = distances[rows, columns]
        distances[rows, columns] = np.inf
    np.put_along_axis(distances, nearest, overwritten, axis=1)
    return nearest
