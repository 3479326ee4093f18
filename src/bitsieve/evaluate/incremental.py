"""Models that are asked again and again while features are added, and use what they computed before.

Of nearest means and neighbours squared distances are updated feature by feature, in blocks of test samples. Of the
linear discriminant and of ridge regression the products of all features are counted once; those of the first k are
their leading part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import softmax
from sklearn.linear_model import Ridge

Floats = NDArray[np.float64]

BLOCK_BYTES = 1 << 20  # of a matrix that is worked on at once: about what a second-level cache holds
NEIGHBORS = 3  # that vote for a class
AVERAGED = 10  # neighbours of which a quantity is the mean: a tenth of the variance of its noise is added, not a third
RIDGE = 1e-6  # times the mean variance, on the diagonal: columns that depend on each other are allowed


def nearest_mean(train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]) -> Iterator[NDArray[Any]]:
    """Predictions of the nearest class mean after each number of columns; of means equally near the lower class."""
    classes, codes = np.unique(labels, return_inverse=True)
    sizes = np.bincount(codes)
    means = np.stack([np.bincount(codes, column) / sizes for column in train[:, : stops[-1]].T], axis=1)
    yield from classes[_decided(lambda distances: distances.argmin(axis=1), means, test, stops)]


def nearest_neighbors(
    train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]
) -> Iterator[NDArray[Any]]:
    """Of three nearest neighbours: of equally near ones the earlier, of classes with as many votes the lower."""
    classes, codes = np.unique(labels, return_inverse=True)
    members = np.zeros((len(train), len(classes)), np.uint8)
    members[np.arange(len(train)), codes] = 1
    yield from classes[
        _decided(
            lambda distances: members[_nearest(distances, NEIGHBORS)].sum(axis=1).argmax(axis=1), train, test, stops
        )
    ]


def mean_of_neighbors(train: Floats, values: Floats, test: Floats, stops: NDArray[np.intp]) -> Iterator[Floats]:
    """The mean of ten nearest neighbours after each number of columns; of those equally near the earlier ones."""
    yield from _decided(
        lambda distances: values[_nearest(distances, AVERAGED)].mean(axis=1), train, test, stops, np.float64
    )


def _decided(
    decide: Callable[[Floats], NDArray[Any]],
    points: Floats,
    test: Floats,
    stops: NDArray[np.intp],
    dtype: type[np.generic] = np.intp,
) -> NDArray[Any]:
    """What ``decide`` makes of the distances of test samples to points after each stop, shape (n_stops, n_test)."""
    rows = max(1, BLOCK_BYTES // (8 * len(points)))
    found: NDArray[Any] = np.empty((len(stops), len(test)), dtype)
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


def _nearest(distances: Floats, k: int) -> NDArray[np.intp]:
    """The k columns that are nearest to each row, shape (n_rows, k); ``distances`` are as before in the end."""
    rows = np.arange(len(distances))
    nearest = np.empty((len(distances), min(k, distances.shape[1])), np.intp)
    taken = np.empty(nearest.shape)
    for place in range(nearest.shape[1]):
        found = distances.argmin(axis=1)  # of equal ones the first
        nearest[:, place], taken[:, place] = found, distances[rows, found]
        distances[rows, found] = np.inf
    np.put_along_axis(distances, nearest, taken, axis=1)
    return nearest


def linear_discriminant(
    train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]
) -> Iterator[NDArray[Any]]:
    """Predictions of the linear discriminant after each number of columns."""
    classes = np.unique(labels)
    for values in _values(train, labels, test, stops):
        yield classes[values.argmax(axis=1)]


def discriminant_scores(
    train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]
) -> Iterator[NDArray[Any]]:
    """The probability of every class code after each number of columns, of two classes the logarithm of the odds."""
    classes = np.unique(labels)
    for values in _values(train, labels, test, stops):
        every = np.zeros((len(test), int(classes[-1]) + 1))
        # The odds do not round to certainty, as probabilities do.
        every[:, classes] = values - values[:, ::-1] if len(classes) == 2 else softmax(values, axis=1)
        yield every


def _values(train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]) -> Iterator[Floats]:
    """The discriminant function of every class after each number of columns, shape (n_test, n_classes)."""
    classes, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    width = int(stops[-1])
    train, test = train[:, :width], test[:, :width]
    means = np.array([train[codes == code].mean(axis=0) for code in range(len(classes))])
    within = train - means[codes]
    covariance = within.T @ within / max(1, len(train) - len(classes))
    covariance[np.diag_indices(width)] += RIDGE * (np.trace(covariance) / width or 1.0)
    for stop in stops:
        weights = cho_solve(cho_factor(covariance[:stop, :stop]), means[:, :stop].T)
        constant = np.log(sizes / len(train)) - (means[:, :stop].T * weights).sum(axis=0) / 2
        yield test[:, :stop] @ weights + constant


def ridge(train: Floats, values: Floats, test: Floats, stops: NDArray[np.intp]) -> Iterator[Floats]:
    """Predictions of ridge regression (scikit-learn's, alpha = 1) after each number of columns."""
    model, width = Ridge(), int(stops[-1])
    ordered = np.ascontiguousarray
    if width > len(train):  # products of samples are then fewer than those of columns
        yield from (model.fit(ordered(train[:, :stop]), values).predict(ordered(test[:, :stop])) for stop in stops)
        return
    means, level = train[:, :width].mean(axis=0), values.mean()
    centred = train[:, :width] - means
    products, with_values = centred.T @ centred, centred.T @ (values - level)
    products[np.diag_indices(width)] += model.alpha
    for stop in stops:
        weights = cho_solve(cho_factor(products[:stop, :stop]), with_values[:stop])
        yield level + (test[:, :stop] - means[:stop]) @ weights
