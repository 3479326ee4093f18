"""Numbers such as -999 that may be no measurements, and that were not declared as special values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bitsieve.dataset.column_info import Sentinel
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.sentinels import SentinelCounts
from bitsieve.diagnostics import Diagnostic
from bitsieve.discretization.monotone.column_bins import ColumnBins
from bitsieve.scorecards.monotone_binner import time_unit_of
from bitsieve.utils.arrays import Floats, Integers

MIN_SHARE = 0.01  # of the rows of the table
MAX_SHARE = 0.5  # of the rows with a number: a number in most of them, such as 0 for no debt, is an ordinary one
MIN_DISTANCE = 5.0  # interquartile ranges


def notes_on_undeclared_values(table: InMemoryDataset, columns: Sequence[ColumnBins]) -> list[Diagnostic]:
    """Which columns hold numbers that may be no measurements, beside their special values."""
    row_counts = np.ones(table.n_samples, np.int64) if table.weights is None else table.weights
    diagnostics = []
    for j, column in enumerate(columns):
        if not table.is_numeric(j) or time_unit_of(table.text_meanings.get(j)):
            continue
        numbers = table.numeric(j)
        is_special = np.isin(numbers, np.array(column.fixed.special_values, np.float64))
        is_ordinary = ~np.isnan(numbers) & ~is_special
        name = str(table.names[j])
        for sentinel in undeclared_values(numbers[is_ordinary], row_counts[is_ordinary], column.totals.rows):
            diagnostics.append(_undeclared_value(name, sentinel))
    return diagnostics


def undeclared_values(numbers: Floats, row_counts: Integers, n_rows: int) -> list[Sentinel]:
    """The numbers that may be no measurements, of a column of which ``row_counts[i]`` rows hold ``numbers[i]``.

    They are the numbers such as -999 and 9999 that are noted in every table, and the smallest and the largest number if
    they are in more than 1 % of the ``n_rows`` rows of the table and far from the others.
    """
    if not len(numbers):
        return []
    smallest = float(numbers.min())
    largest = float(numbers.max())
    sentinels = list(SentinelCounts.of_values(numbers, smallest, largest, row_counts).sentinels)
    if sentinels:
        return sentinels
    for value in (smallest, largest):
        is_value = numbers == value
        n_rows_of_value = int(row_counts[is_value].sum())
        is_frequent = MIN_SHARE * n_rows < n_rows_of_value <= MAX_SHARE * row_counts.sum()
        if is_frequent and _is_far(value, numbers[~is_value], row_counts[~is_value]):
            others = numbers[~is_value]
            sentinels.append(Sentinel(value, n_rows_of_value, float(others.min()), float(others.max())))
    return sentinels


def _is_far(value: float, others: Floats, row_counts: Integers) -> bool:
    """Whether a value is more than 5 interquartile ranges of the other numbers below or above their quartiles."""
    if not len(others):
        return False
    order = np.argsort(others, kind="stable")
    rows_until = np.cumsum(row_counts[order])
    ranks = rows_until[-1] * np.array([0.25, 0.75])
    first_quartile, third_quartile = others[order][np.searchsorted(rows_until, ranks)].tolist()
    range_of_others = third_quartile - first_quartile
    distance = max(first_quartile - value, value - third_quartile)
    return bool(0 < MIN_DISTANCE * range_of_others < distance)


def _undeclared_value(name: str, sentinel: Sentinel) -> Diagnostic:
    return Diagnostic(
        code="sentinel",
        severity="warning",
        message=(
            f"column {name!r} holds {sentinel.value:g} in {sentinel.n_rows:,} rows, unlike its other values "
            f"({sentinel.low:g} to {sentinel.high:g})"
        ),
        advice="if it is no measurement, declare it by {special_values}",
        fix={"special_values": {name: [_plain(sentinel.value)]}},
        columns=[name],
    )


def _plain(value: float) -> float:
    """A whole number without its point."""
    return int(value) if value.is_integer() else value
