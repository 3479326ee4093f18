"""What explains a selection: the relevance of every feature, and which chosen features tell the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bitsieve.information.evidence import carries_information
from bitsieve.selection.worth import told_by_shuffles
from bitsieve.selectors.fitting import count_table, overlaps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bitsieve.data.table import Table
    from bitsieve.engines.in_parts import TableInParts
    from bitsieve.selectors.fitting import Fitted


class Explanation(NamedTuple):
    """I(Xi;C) of every feature, and of every selected one the largest I(Xi;Xs) with one chosen before it, in bits.

    ``binner`` made the codes that were counted; ``overlap_with`` is -1 and ``overlap`` NaN for the first feature;
    ``informative`` says which selected features tell more than chance, at least those; ``is_sure``: and no others.
    """

    binner: Any
    relevance: NDArray[np.float64]
    overlap_with: NDArray[np.intp]
    overlap: NDArray[np.float64]
    informative: NDArray[np.bool_]
    is_sure: bool


def explanation(fitted: Fitted, table: Table | TableInParts, binning: Any, n_jobs: int | None) -> Explanation:
    """The explanation of what a method found; ``binning`` is for one that counts nothing itself."""
    selected = fitted.found.selected
    if fitted.counted is not None:
        binner, relevance, informative = fitted.counted.binner, fitted.relevance, fitted.informative
        nearest, shared = fitted.overlap_with, fitted.overlap
    else:
        counted = count_table(table, binning, n_jobs)
        binner, information = counted.binner, counted.information
        relevance, informative = information.relevance, carries_information(information, selected)
        nearest, shared = overlaps(information, selected)
    told = told_by_shuffles(table, binner, selected[~informative], n_jobs)
    if told is not None:
        informative = informative.copy()
        informative[~informative] = told
    return Explanation(binner, relevance, nearest, shared, informative, told is not None)
