"""Numbers to codes by the inner edges of their bins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Side = Literal["left", "right"]

_FEW_EDGES = 24  # up to here one comparison an edge is faster than a binary search a value


def assign(values: NDArray[np.float64], edges: NDArray[np.float64], side: Side, out: NDArray[Any]) -> None:
    """Write the code of every value: the number of edges below it.

    ``side`` tells where a value on an edge goes. NaN gets some code; the caller overwrites it.
    """
    if len(edges) > _FEW_EDGES:
        out[:] = np.searchsorted(edges, values, side=side)
        return
    out[:] = 0
    beyond = np.greater if side == "left" else np.greater_equal
    for edge in edges:
        out += beyond(values, edge)
