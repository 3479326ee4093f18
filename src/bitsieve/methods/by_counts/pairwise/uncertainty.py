"""The similarity of features as the share of information that they have in common: symmetric uncertainty.

``W_ij = 2 I(Xi;Xj) / (H(Xi) + H(Xj))``, 0 where both do not vary, and 0 on the diagonal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.information.uncertainty import pair_uncertainty

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.information.protocol import Information

    Floats = NDArray[np.float64]


def uncertainty_rows(information: Information, first: int, last: int) -> Floats:
    """Rows of W."""
    out = np.empty((last - first, information.n_features))
    for i in range(first, last):
        row = pair_uncertainty(information.pair(i, by_class=False))
        row[i] = 0.0
        out[i - first] = np.clip(row, 0.0, 1.0)
    return out


def uncertainty_matrix(information: Information, progress: Callable[[int, int], object] | None = None) -> Floats:
    """W of all features, counted pair by pair: the numbers of the rows, bit for bit. Memory: 8 n^2 bytes."""
    out = np.asarray(information.mutual_information_matrix(np.float64, None, progress), np.float64)
    entropy = information.entropy
    for i, row in enumerate(out):
        sums = entropy + entropy[i]
        row[:] = np.clip(np.divide(2 * row, sums, out=np.zeros_like(row), where=sums > 0), 0.0, 1.0)
        row[i] = 0.0
    return out
