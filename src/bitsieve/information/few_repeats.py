"""Categorical columns with few rows for each value, whose information may be chance or the groups of the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.information.margins import expected_information
from bitsieve.information.protocol import Information
from bitsieve.utils.arrays import Columns

MIN_VALUES = 21
MAX_ROWS_PER_VALUE = 10
MIN_ROWS_PER_VALUE = 2  # with fewer the column is nearly an identifier
CHANCE_SHARE = 0.5  # a column is mostly chance if chance makes at least this share of its plug-in information


class FewRepeats(NamedTuple):
    """A column with few rows for each value."""

    column: int
    n_values: int
    is_chance: bool  # whether shuffles of the class leave on average at least half of its plug-in information


def few_repeats(information: Information, columns: Columns) -> list[FewRepeats]:
    """Those of ``columns`` that have over 20 values, and 2 to 10 rows a value on average.

    Chance is the mean of I(X;C) over all permutations of the class. ``information`` is the plug-in information.
    """
    source = information.source
    n_samples = source.n_samples
    repeats = []
    arities = source.arities[columns]
    for column in columns[arities >= MIN_VALUES].tolist():
        (table,) = source.tables(None, np.array([column]), True)
        rows_per_value = table.dense().reshape(-1, source.n_classes).sum(axis=1)
        rows_per_value = rows_per_value[rows_per_value > 0]
        n_values = len(rows_per_value)
        has_few_rows = MIN_ROWS_PER_VALUE * n_values <= n_samples <= MAX_ROWS_PER_VALUE * n_values
        if n_values >= MIN_VALUES and has_few_rows:
            chance = expected_information(rows_per_value, source.class_sizes)
            is_chance = bool(chance >= CHANCE_SHARE * information.relevance[column])
            repeats.append(FewRepeats(column, n_values, is_chance))
    return repeats
