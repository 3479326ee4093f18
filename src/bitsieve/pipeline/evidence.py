"""What the counts say of the columns that a method selected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bitsieve.counts.tables import entropy_terms
from bitsieve.dataset.dataset import Dataset
from bitsieve.discretization.base import Binning
from bitsieve.engines.local import search_of
from bitsieve.information.evidence import Leak, carries_information, leaks
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.stopping.independence import ENOUGH_REACHED
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.pipeline.counting import Counted
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.choice import TIE
from bitsieve.utils.lazy import Later
from bitsieve.utils.progress import phase

CELLS_OF_A_TEST = 2 * 10**7  # to cut and count, a quarter of a second
MOST_OF_A_TEST = 200
LEVEL = 0.025  # of the test; the other half of 0.05 is that of columns that are informative together
MOST_TESTED = int(CELLS_OF_A_TEST * LEVEL)  # values of a table


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


def informative_by_shuffles(table: Dataset, binner: Any, columns: Columns, n_jobs: int | None = None) -> Flags | None:
    """Which columns exceed the best of all after shuffles of the class; None where shuffles would take too long."""
    if not len(columns):
        return np.zeros(0, bool)
    rows = table.rows
    if rows is None:
        return None
    values = rows.total_weight * rows.n_features
    if values > MOST_TESTED:
        return None
    afforded = min(MOST_OF_A_TEST, CELLS_OF_A_TEST // max(1, values))
    phase("shuffling the target")
    step = RepeatedSearch(
        search_of(rows, binner), (), np.arange(rows.n_features), entropy_terms(rows.total_weight), n_jobs
    )
    figures = np.array([step.figure(column) for column in columns.tolist()])
    reached, made, seeds = np.zeros(len(columns), np.int64), 0, np.random.default_rng(0)
    while made < afforded and (reached < ENOUGH_REACHED).any():
        batch = min(max(2 * ENOUGH_REACHED, made), afforded - made)
        best = step.best_after_shuffles(seeds.integers(0, 2**64, batch, dtype=np.uint64))
        reached += (best <= figures[:, None]).sum(axis=1)
        made += batch
    return (1 + reached) / (1 + made) <= LEVEL
