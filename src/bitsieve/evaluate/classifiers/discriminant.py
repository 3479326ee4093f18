"""Linear discriminant analysis, from means and covariances that are counted once for all numbers of features.

The covariance of the first k features is the leading part of that of all, so that k features cost one product of k by k
matrices and none over the samples: the classifier for many rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import softmax

Floats = NDArray[np.float64]

RIDGE = 1e-6  # times the mean variance, on the diagonal: columns that depend on each other are allowed


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
