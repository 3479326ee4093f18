"""What the counts say of the columns that a method selected."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bitsieve.counts.tables import entropy_terms
from bitsieve.dataset.dataset import Dataset
from bitsieve.engines.local import search_of
from bitsieve.information.evidence import carries_information, leaks
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.stopping.independence import ENOUGH_REACHED
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.options import DiscretizationOptions
from bitsieve.pipeline.discretize import Counted, discretize
from bitsieve.pipeline.fit import CountEvidence, Fit
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.choice import TIE
from bitsieve.utils.lazy import Later
from bitsieve.utils.progress import phase

CELLS_OF_A_TEST = 2 * 10**7  # to cut and count, a quarter of a second
MOST_OF_A_TEST = 200
LEVEL = 0.025  # of the test; the other half of 0.05 is that of columns that are informative together
MOST_TESTED = int(CELLS_OF_A_TEST * LEVEL)  # values of a table


def has_no_information(relevance: Floats, informative: Later[Flags]) -> bool:
    """Whether no selected column is informative about the class, alone or with another."""
    return len(relevance) > 0 and relevance.max() <= TIE and not informative.value.any()


def count_evidence(counted: Counted, selected: Columns, information: Information | None = None) -> CountEvidence:
    """What the counts say of the selected columns, by the plug-in information where no other is given."""
    information = information or counted.information
    overlap_with, overlap = overlaps(information, selected)
    source = counted.information.source
    return CountEvidence(
        binner=counted.binner,
        relevance=information.relevance,
        overlap_with=overlap_with,
        overlap=overlap,
        informative=carries_information(counted.information, selected),
        leaks=leaks(counted.information),
        class_sizes=source.class_sizes,
        tables=source.tables(None, selected, True),
    )


def with_evidence(fit: Fit) -> Fit:
    """The fit with evidence from counts, and with shuffles where these decide what is more informative than chance."""
    selected, n_jobs = fit.result.selected, fit.execution.n_jobs
    evidence = fit.evidence
    if evidence is None:
        evidence = count_evidence(discretize(fit.table, _discretization_of_evidence(fit), fit.execution), selected)
    informative = evidence.informative.value.copy()
    by_shuffles = informative_by_shuffles(fit.table, evidence.binner, selected[~informative], n_jobs)
    if by_shuffles is not None:
        informative[~informative] = by_shuffles
    return replace(
        fit, evidence=replace(evidence, informative=Later(lambda: informative), is_sure=by_shuffles is not None)
    )


def _discretization_of_evidence(fit: Fit) -> DiscretizationOptions:
    """The discretization for the evidence of a method that counts nothing itself."""
    options = fit.discretization
    if isinstance(options.binning, str) and fit.takes_missing:
        # The method took missing values as they are, and so must the counts.
        return replace(options, missing=options.missing or "bin")
    return options


def overlaps(information: Information, selected: Columns) -> tuple[Columns, Floats]:
    """The index of the earlier feature that each selected feature shares most with, and I of the two in bits.

    The first feature has -1 and nan.
    """
    k = len(selected)
    overlap_with = np.full(k, -1, np.intp)
    overlap = np.full(k, np.nan)
    if k > 1:
        shared = information.matrix("redundancy", columns=selected)
        shared[np.triu_indices(k)] = -np.inf  # only columns selected earlier are compared
        nearest = shared.argmax(axis=1)[1:]
        overlap_with[1:] = selected[nearest]
        overlap[1:] = shared[np.arange(1, k), nearest]
    return overlap_with, overlap


def informative_by_shuffles(table: Dataset, binner: Any, columns: Columns, n_jobs: int | None = None) -> Flags | None:
    """Whether each of ``columns`` beats the best column of the table after permutations of the class.

    So the test is corrected for the number of columns. None means that the permutations would take too long.
    """
    if not len(columns):
        return np.zeros(0, bool)
    rows = table.rows
    if rows is None:
        return None
    n_values = rows.total_weight * rows.n_features
    if n_values > MOST_TESTED:
        return None
    affordable = min(MOST_OF_A_TEST, CELLS_OF_A_TEST // max(1, n_values))
    phase("shuffling the target")
    search = RepeatedSearch(
        search_of(rows, binner), (), np.arange(rows.n_features), entropy_terms(rows.total_weight), n_jobs
    )
    figures = np.array([search.figure(column) for column in columns.tolist()])
    n_as_good = np.zeros(len(columns), np.int64)  # shuffles after which the best column is as good
    n_shuffles = 0
    random = np.random.default_rng(0)
    while n_shuffles < affordable and (n_as_good < ENOUGH_REACHED).any():
        n_in_batch = min(max(2 * ENOUGH_REACHED, n_shuffles), affordable - n_shuffles)
        best = search.best_after_shuffles(random.integers(0, 2**64, n_in_batch, dtype=np.uint64))
        n_as_good += (best <= figures[:, None]).sum(axis=1)
        n_shuffles += n_in_batch
    return (1 + n_as_good) / (1 + n_shuffles) <= LEVEL
