"""The information that the selected columns have together, and what as many columns reach by chance."""

from __future__ import annotations

from math import floor
from typing import NamedTuple

import numpy as np

from bitsieve.counts.source import CountSource
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.discretization.base import Binning
from bitsieve.explain.chance import MAX_SHUFFLED_CELLS, MAX_SHUFFLES, MAX_TOTAL_WEIGHT
from bitsieve.explain.contribution import conditional_on
from bitsieve.information import information_of
from bitsieve.information.protocol import Information
from bitsieve.pipeline.discretize import CountedTable
from bitsieve.pipeline.shuffled_tables import sources_after_shuffles
from bitsieve.utils.arrays import Columns
from bitsieve.utils.progress import phase

LEVEL = 0.05
MIN_SHUFFLES = 19  # with fewer, no value is beyond the limit at the level


class JointInformation(NamedTuple):
    """The information of the first n selected columns together about the class, in bits."""

    n_columns: int  # as many as leave five samples for each combination of their values
    bits: float  # I(X1,...,Xn;C), less what shuffles of each column would add on average
    limit: float | None  # what the best n columns exceed after 5 % of the shuffles; None where nothing was shuffled

    @property
    def is_more_than_chance(self) -> bool:
        return self.limit is not None and self.bits > self.limit


def joint_information(counted_table: CountedTable, selected: Columns, n_jobs: int | None) -> JointInformation | None:
    """The joint information of the first selected columns, each added to those before it and corrected for chance.

    By the chain rule it is the sum of I(Xi;C|X1,...,Xi-1), by the estimator "corrected". It is compared with that of
    the best n columns of the table after 19 to 40 shuffles of the classes, chosen greedily by that sum, the columns
    binned anew: of tables of noise about 5 % are said to be informative, however the columns were selected.

    None if the first column alone leaves fewer than five samples for each of its values, or if the source of the counts
    cannot count several columns together. Costs O(n k d) for each shuffle of n columns out of k in d samples.
    """
    source = counted_table.information.source
    if "partition" not in source.capabilities:
        return None
    _, columns = conditional_on(counted_table.information, selected.tolist())
    if not columns:
        return None
    bits = _joint_bits(counted_table.estimated("corrected"), columns)
    rows = counted_table.table.rows
    if rows is None or (rows.weights is not None and rows.total_weight > MAX_TOTAL_WEIGHT):
        return JointInformation(len(columns), bits, None)
    return JointInformation(len(columns), bits, _limit_of_best(rows, counted_table.binner, len(columns), n_jobs))


def _joint_bits(information: Information, columns: Columns | tuple[int, ...]) -> float:
    conditional = information.conditional()
    bits = 0.0
    for column in columns:
        bits += float(conditional.conditional_relevance(np.array([column]))[0])
        conditional = conditional.refine(int(column))
    return bits


def _limit_of_best(table: InMemoryDataset, binner: Binning, n_columns: int, n_jobs: int | None) -> float:
    """What the best ``n_columns`` columns exceed after at most 5 % of the shuffles; the table itself counts as one."""
    n_affordable = MAX_SHUFFLED_CELLS // (table.total_weight * table.n_features * n_columns)
    n_shuffles = min(MAX_SHUFFLES, max(MIN_SHUFFLES, n_affordable))
    best = np.zeros(n_shuffles)
    report_progress = phase("shuffling the target")
    for i, (_, source) in enumerate(sources_after_shuffles(table, binner, n_shuffles, n_jobs)):
        report_progress(i, n_shuffles)
        best[i] = _best_joint_bits(source, n_columns)
    n_beyond = floor(LEVEL * (n_shuffles + 1))
    return float(np.sort(best)[-n_beyond])


def _best_joint_bits(source: CountSource, n_columns: int) -> float:
    """The corrected joint information of at most ``n_columns`` columns, chosen greedily."""
    information = information_of("corrected", source)
    conditional = information.conditional()
    bits = 0.0
    for _ in range(n_columns):
        gains = conditional.conditional_relevance()
        best = int(gains.argmax())
        if gains[best] <= 0:
            break
        bits += float(gains[best])
        conditional = conditional.refine(best)
    return bits
