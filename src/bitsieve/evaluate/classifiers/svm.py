"""The linear support vector machine (libsvm, C = 1, one against one), its Gram matrix updated feature by feature.

A feature adds ``x x'`` to the matrix of inner products, so that one more feature costs one pass over the matrix.
Matrices larger than ``GRAM_BYTES`` are not made: every number of features is then a fit of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from bitsieve.evaluate.classifiers.refit import Refit

Floats = NDArray[np.float64]

SUPPORT_VECTORS = SVC(kernel="linear", C=1.0)
BLOCK_BYTES = 1 << 20  # of a matrix that is added to: about what a second-level cache holds
GRAM_BYTES = 1 << 30


def linear_svm(train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]) -> Iterator[NDArray[Any]]:
    """Predictions of the linear support vector machine after each number of columns."""
    if 8 * len(train) * (len(train) + len(test)) > GRAM_BYTES:
        yield from Refit(SUPPORT_VECTORS)(train, labels, test, stops)
        return
    among_train = np.zeros((len(train), len(train)))
    with_test = np.zeros((len(test), len(train)))
    start = 0
    for stop in stops:
        for j in range(start, stop):
            _add_products(among_train, train[:, j], train[:, j])
            _add_products(with_test, test[:, j], train[:, j])
        start = stop
        yield SVC(kernel="precomputed", C=SUPPORT_VECTORS.C).fit(among_train, labels).predict(with_test)


def _add_products(matrix: Floats, left: Floats, right: Floats) -> None:
    """``matrix += left right'``, in blocks of rows that stay in a cache."""
    rows = max(1, BLOCK_BYTES // (8 * len(right)))
    for start in range(0, len(left), rows):
        matrix[start : start + rows] += np.multiply.outer(left[start : start + rows], right)
