"""Any classifier of scikit-learn, fitted anew for every number of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray


def refit(classifier: Any) -> Callable[..., Iterator[NDArray[Any]]]:
    """The growing form of a classifier that knows no better than a new fit."""

    def grow(
        train: NDArray[np.float64], labels: NDArray[Any], test: NDArray[np.float64], stops: NDArray[np.intp]
    ) -> Iterator[NDArray[Any]]:
        for stop in stops:
            fitted = clone(classifier).fit(np.ascontiguousarray(train[:, :stop]), labels)
            yield fitted.predict(np.ascontiguousarray(test[:, :stop]))

    return grow
