"""Test samples in blocks, so that their distances to all that was learned fit in a cache, and in memory at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

BLOCK_BYTES = 1 << 20  # distances held at once: about what a second-level cache holds


def in_blocks(
    predict: Callable[[NDArray[np.float64]], Iterator[NDArray[np.intp]]],
    test: NDArray[np.float64],
    n_distances: int,
    n_stops: int,
) -> NDArray[np.intp]:
    """What ``predict`` yields for every stop, for blocks of ``test`` with ``n_distances`` a row: (n_stops, n_test)."""
    rows = max(1, BLOCK_BYTES // (8 * n_distances))
    found = np.empty((n_stops, len(test)), np.intp)
    for at in range(0, len(test), rows):
        for place, winners in enumerate(predict(test[at : at + rows])):
            found[place, at : at + rows] = winners
    return found
