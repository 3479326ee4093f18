"""The columns of a table that decide its target by themselves."""

from __future__ import annotations

from typing import Literal

import numpy as np

from bitsieve.dataset.dataset import Dataset
from bitsieve.discretization.base import Binning
from bitsieve.discretization.within_strata import required_strata, rows_by_stratum
from bitsieve.information.leaks import MAX_OTHER_SHARE, MIN_SAMPLES, Leak, leaks
from bitsieve.pipeline.discretize import CountedTable
from bitsieve.utils.arrays import Floats


def leaks_of(counted_table: CountedTable) -> list[Leak]:
    """The columns that nearly decide the target, the best first: copies of a quantity, and those of :func:`leaks`.

    Of a time to an event they decide whether there is an event, or the interval of its time.
    """
    copies = _copies_of_quantity(counted_table)
    copied_columns = {leak.column for leak in copies}

    def has_intervals(column: int) -> bool:
        return _has_intervals(counted_table.table, counted_table.binner, column)

    information = counted_table.information.about_classes
    others = leaks(information, has_intervals)
    return copies + [leak for leak in others if leak.column not in copied_columns]


def _has_intervals(table: Dataset, binner: Binning, column: int) -> bool:
    """Whether two codes or more of a column stand for several numbers each.

    They do not where a column of two numbers was cut between them, nor where one number, such as 0, stands against all
    others. Where the rows are not in memory, every column that was cut has intervals.
    """
    rows = table.rows
    if rows is None:
        return len(binner.bin_edges_[column]) > 0
    if not rows.is_numeric(column):
        return False
    numbers = rows.numeric(column)
    if not binner.bins_within:
        return _several_intervals(numbers, binner.bin_edges_[column], binner.side, rows.is_sparse)
    for rows_of_stratum, edges in zip(rows_by_stratum(required_strata(rows)), binner.bin_edges_of_strata_, strict=True):
        if _several_intervals(numbers[rows_of_stratum], edges[column], binner.side):
            return True
    return False


def _several_intervals(
    numbers: Floats, edges: Floats, side: Literal["left", "right"], has_code_of_zero: bool = False
) -> bool:
    """Whether two intervals or more between the edges hold several different numbers each."""
    if not len(edges):
        return False
    different = np.unique(numbers)
    different = different[~np.isnan(different)]
    if has_code_of_zero:
        different = different[different != 0]
    n_numbers = np.bincount(np.searchsorted(edges, different, side=side))
    return int((n_numbers > 1).sum()) > 1


def _copies_of_quantity(counted_table: CountedTable) -> list[Leak]:
    """The columns that rise or fall with a quantity throughout, as the same quantity in another unit does.

    There are none where the rows are not in memory.
    """
    rows = counted_table.table.rows
    information = counted_table.information
    if rows is None or rows.target.values is None or rows.n_samples < MIN_SAMPLES:
        return []
    quantity = rows.target.values
    candidates = np.flatnonzero(information.relevance > MAX_OTHER_SHARE * information.class_entropy)
    copies = []
    for column in candidates.tolist():
        if not rows.is_numeric(column):
            continue
        numbers = rows.numeric(column)
        if _rises_with(numbers, quantity) or _rises_with(-numbers, quantity):
            copies.append(Leak(column, share=1.0, share_of_rows=1.0))
    return copies


def _rises_with(numbers: Floats, quantity: Floats) -> bool:
    """Whether no number is smaller than that of a row with a smaller quantity. A missing number is not."""
    sorted_numbers = numbers[np.lexsort((numbers, quantity))]
    return bool((np.diff(sorted_numbers) >= 0).all())
