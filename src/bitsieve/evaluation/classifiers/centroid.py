"""The nearest class mean, its squared distances updated feature by feature.

Of means equally near the lower class wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.evaluation.classifiers.blocks import in_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def nearest_mean(train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]) -> Iterator[NDArray[Any]]:
    """Predictions of the nearest class mean after each number of columns."""
    classes, codes = np.unique(labels, return_inverse=True)
    sizes = np.bincount(codes)
    means = np.stack([np.bincount(codes, column) / sizes for column in train[:, : stops[-1]].T])
    yield from classes[in_blocks(lambda block: _updated(means, block, stops), test, len(classes), len(stops))]


def _updated(means: Floats, test: Floats, stops: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    distances = np.zeros((len(test), means.shape[1]))
    start = 0
    for stop in stops:
        for j in range(start, stop):
            distances += np.square(np.subtract.outer(test[:, j], means[j]))
        start = stop
        yield distances.argmin(axis=1)
