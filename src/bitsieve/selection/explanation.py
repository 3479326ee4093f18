"""What explains a selection: the relevance of every feature, and which chosen features tell the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bitsieve.table.table import Table


@dataclass(frozen=True, eq=False)
class Explanation:
    """Relevance and overlaps of the selected features, from binned columns.

    Attributes
    ----------
    binner : Binner
        What made the codes that were counted.
    relevance : ndarray of shape (n_features,)
        I(Xi;C) of every feature, in bits.
    overlap_with : ndarray of int, shape (k,)
        For every selected feature, the one chosen before it with the largest I(Xi;Xs); -1 for the first.
    overlap : ndarray of shape (k,)
        That information, in bits; NaN for the first.
    """

    binner: Any
    relevance: NDArray[np.float64]
    overlap_with: NDArray[np.intp]
    overlap: NDArray[np.float64]


def explanation(selector: Any, table: Table, binning: Any, n_jobs: int | None) -> Explanation:
    """The explanation of a fitted selector: its own where it counts, else from the table binned for this alone."""
    from bitsieve.selectors.counted import CountSelector, count_table, overlaps

    if isinstance(selector, CountSelector):
        return Explanation(selector.binner_, selector.relevance_, selector.overlap_with_, selector.overlap_)
    counted = count_table(table, binning, n_jobs)
    return Explanation(
        counted.binner, counted.information.relevance, *overlaps(counted.information, selector.selected_)
    )
