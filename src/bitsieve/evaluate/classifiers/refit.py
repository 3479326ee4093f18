"""Any classifier of scikit-learn, fitted anew for every number of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Refit:
    """A classifier that is fitted anew for every number of columns."""

    classifier: Any

    def __call__(
        self, train: NDArray[np.float64], labels: NDArray[Any], test: NDArray[np.float64], stops: NDArray[np.intp]
    ) -> Iterator[NDArray[Any]]:
        """Predictions after each number of columns."""
        for stop in stops:
            fitted = clone(self.classifier).fit(np.ascontiguousarray(train[:, :stop]), labels)
            yield fitted.predict(np.ascontiguousarray(test[:, :stop]))
