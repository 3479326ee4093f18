"""What the counts say of the columns that a method selected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve.discretization.base import Binning
from bitsieve.information.evidence import Leak, carries_information, leaks
from bitsieve.information.protocol import Information
from bitsieve.pipeline.counting import Counted
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.choice import TIE
from bitsieve.utils.lazy import Later


@dataclass(frozen=True)
class CountEvidence:
    """What the counts say of selected columns; relevance is of every column of the table."""

    binner: Binning
    relevance: Floats
    overlap_with: Columns  # of each selected column, the one before it that it shares most with; -1 for the first
    overlap: Floats
    informative: Later[Flags]  # whether each selected column is more informative than chance
    leaks: list[Leak]
    is_sure: bool = False  # whether no other selected column is more informative than chance


def nothing_informative(relevance: Floats, informative: Later[Flags]) -> list[str]:
    """A note where no selected column is informative about the class, alone or with another."""
    k = len(relevance)
    if not k or relevance.max() > TIE or informative.value.any():
        return []
    what = "column has" if k == 1 else f"{k:,} columns have"
    return [f"the selected {what} no information about the target (relevance 0): any other would do as well"]


def count_evidence(counted: Counted, selected: Columns, information: Information | None = None) -> CountEvidence:
    """What the counts say of the selected columns, by the plug-in information where no other is given."""
    information = information or counted.information
    overlap_with, overlap = overlaps(information, selected)
    return CountEvidence(
        binner=counted.binner,
        relevance=information.relevance,
        overlap_with=overlap_with,
        overlap=overlap,
        informative=carries_information(counted.information, selected),
        leaks=leaks(counted.information),
    )


def overlaps(information: Information, selected: Columns) -> tuple[Columns, Floats]:
    """For every selected feature the earlier one with the largest I(Xi;Xs), and that; -1 and nan for the first."""
    nearest, overlap = np.full(len(selected), -1, np.intp), np.full(len(selected), np.nan)
    if len(selected) > 1:
        shared = information.matrix("redundancy", columns=selected)
        shared[np.triu_indices(len(selected))] = -np.inf
        places = shared.argmax(axis=1)[1:]
        nearest[1:], overlap[1:] = selected[places], shared[np.arange(1, len(selected)), places]
    return nearest, overlap
