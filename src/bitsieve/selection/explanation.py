"""What explains a selection: the relevance of every feature, and which chosen features tell the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bitsieve.information.evidence import carries_information
from bitsieve.selectors.counted import CountSelector, count_table, overlaps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bitsieve.table.table import Table


class Explanation(NamedTuple):
    """I(Xi;C) of every feature, and of every selected one the largest I(Xi;Xs) with one chosen before it, in bits.

    ``binner`` made the codes that were counted; ``overlap_with`` is -1 and ``overlap`` NaN for the first feature;
    ``informative`` says which selected features tell more than chance.
    """

    binner: Any
    relevance: NDArray[np.float64]
    overlap_with: NDArray[np.intp]
    overlap: NDArray[np.float64]
    informative: NDArray[np.bool_]


def explanation(selector: Any, table: Table, binning: Any, n_jobs: int | None) -> Explanation:
    """The explanation of a fitted selector; ``binning`` is for one that counts nothing itself."""
    if isinstance(selector, CountSelector):
        names = "binner_", "relevance_", "overlap_with_", "overlap_", "informative_"
        return Explanation(*(getattr(selector, name) for name in names))
    counted = count_table(table, binning, n_jobs)
    information = counted.information
    selected = selector.selected_
    informative = carries_information(information, selected)
    return Explanation(counted.binner, information.relevance, *overlaps(information, selected), informative)
