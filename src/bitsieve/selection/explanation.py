"""What explains a selection: the relevance of every feature, and which chosen features tell the same."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.data.table import Table
from bitsieve.selection.worth import told_by_shuffles
from bitsieve.selectors.fitting import Fitted, count_table, explain_by


class Explanation(NamedTuple):
    """As :class:`bitsieve.selectors.fitting.Explained`, and whether ``informative`` names all features that are."""

    binner: Any
    relevance: NDArray[np.float64]
    overlap_with: NDArray[np.intp]
    overlap: NDArray[np.float64]
    informative: NDArray[np.bool_]
    is_sure: bool


def explanation(fitted: Fitted, table: Table, binning: Any, n_jobs: int | None) -> Explanation:
    """The explanation of what a method found; ``binning`` is for one that counts nothing itself."""
    selected = fitted.found.selected
    explained = fitted.explained or explain_by(count_table(table, binning, n_jobs), selected)
    informative = explained.informative.copy()
    told = told_by_shuffles(table, explained.binner, selected[~informative], n_jobs)
    if told is not None:
        informative[~informative] = told
    return Explanation(*explained._replace(informative=informative), told is not None)
