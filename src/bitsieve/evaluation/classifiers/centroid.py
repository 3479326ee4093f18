"""The nearest class mean, its squared distances grown feature by feature.

Of means equally near the lower class wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def nearest_mean(train: Floats, labels: NDArray[Any], test: Floats, stops: NDArray[np.intp]) -> Iterator[NDArray[Any]]:
    """Predictions of the nearest class mean after each number of columns."""
    classes, codes = np.unique(labels, return_inverse=True)
    sizes = np.bincount(codes)
    distances = np.zeros((len(test), len(classes)))
    start = 0
    for stop in stops:
        for j in range(start, stop):
            means = np.bincount(codes, train[:, j]) / sizes
            distances += np.square(np.subtract.outer(test[:, j], means))
        start = stop
        yield classes[distances.argmin(axis=1)]
