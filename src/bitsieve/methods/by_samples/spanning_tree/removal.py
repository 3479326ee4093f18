"""Which features go first: those of the highest total dependency on the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.ties import TIE, rank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def by_total(matrix: Floats) -> tuple[NDArray[np.intp], Floats]:
    """All features by rising total dependency, the total of each; of equal ones the lower index first."""
    totals = matrix.sum(axis=1)
    order = rank(-totals)
    return order, totals[order]


def by_removal(matrix: Floats) -> tuple[NDArray[np.intp], Floats]:
    """All features, the last one removed first: the highest total among those left is removed, again and again.

    Of equal totals the higher index is removed first. Beside the order: the total that each had when it was removed.

    Cost: O(n^2) for n features.
    """
    n = len(matrix)
    totals = matrix.sum(axis=1)
    order = np.empty(n, np.intp)
    at_removal = np.empty(n)
    for place in range(n - 1, -1, -1):
        worst = int(np.flatnonzero(totals >= totals.max() - TIE)[-1])
        order[place], at_removal[place] = worst, totals[worst]
        totals = totals - matrix[worst]
        totals[order[place:]] = -np.inf
    return order, at_removal
