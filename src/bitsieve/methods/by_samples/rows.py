"""What a method on rows is given: numbers and codes, without the table they came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Rows:
    """The samples of a table, its numeric columns apart from its categorical ones.

    Attributes
    ----------
    numbers : ndarray of float64, shape (n_samples, n_numeric)
        NaN where a value is missing.
    codes : ndarray of int32, shape (n_samples, n_categorical)
        -1 where a value is missing.
    numeric, categorical : ndarray of int
        Which columns of the table these are.
    """

    numbers: NDArray[np.float64]
    codes: NDArray[np.int32]
    numeric: NDArray[np.intp]
    categorical: NDArray[np.intp]

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.numbers)

    @property
    def n_features(self) -> int:
        """Number of columns of the table."""
        return len(self.numeric) + len(self.categorical)

    @property
    def varies(self) -> NDArray[np.bool_]:
        """Which columns have at least two different values, shape (n_features,)."""
        out = np.zeros(self.n_features, bool)
        out[self.numeric] = np.fmin.reduce(self.numbers, axis=0) < np.fmax.reduce(self.numbers, axis=0)
        smallest = np.where(self.codes < 0, np.iinfo(np.int32).max, self.codes).min(axis=0)
        out[self.categorical] = smallest < self.codes.max(axis=0)
        return out
