"""Columns that decide the class by themselves, such as one that is filled in after the outcome."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import NamedTuple

import numpy as np

from bitsieve.information.evidence import n_columns_tried
from bitsieve.information.log_tails import log_tails
from bitsieve.information.margins import expected_information
from bitsieve.information.protocol import Information

LEAK_SHARE = 0.9  # a column may be a leak if it determines so much of the entropy of the class, corrected for chance
MAX_OTHER_SHARE = 0.5  # if another column determines more, no column of intervals is a leak
LEVEL = 0.025  # the p-value of a leak is at most so large, after it is multiplied by the number of columns
MIN_SAMPLES = 20  # with fewer, even a column that repeats the class may do so by chance


class Leak(NamedTuple):
    """A column, and how much of the class it decides."""

    column: int
    share: float  # of the entropy of the class, corrected for chance
    share_of_rows: float  # in which the class is the most frequent one of the column's code


def leaks(information: Information, has_intervals: Callable[[int], bool]) -> list[Leak]:
    """Columns that nearly decide the class by themselves, the best first.

    A leak determines at least 0.9 of the class: ``(I(X;C) - E) / (H(C) - E)``, E the mean of I(X;C) over all
    permutations of the class (adjusted mutual information). It is more than chance among all n columns: ``n p`` is at
    most 0.025 for the p-value of ``I(X;C) = 0``.

    - A column whose codes are values (categories, zero or not, missing or not) is a leak whatever the others determine.
    - A column whose codes are intervals of numbers (``has_intervals(column)``) is no leak if another column, itself no
      leak, determines more than half of the class: several numbers that each nearly separate the classes are common.

    There is no leak in fewer than 20 samples, nor if more than half of the columns would be leaks.
    """
    source = information.source
    entropy = information.class_entropy
    if source.n_samples < MIN_SAMPLES or entropy <= 0:
        return []
    plug_in_share = information.relevance / entropy  # an upper bound of the corrected share
    if plug_in_share.max() <= LEAK_SHARE:
        return []
    max_log_p = log(LEVEL / n_columns_tried(information))
    leaking: list[Leak] = []
    has_other_column = False  # whether a column that is no leak determines more than half of the class
    for column in np.argsort(-plug_in_share, kind="stable").tolist():
        if plug_in_share[column] <= MAX_OTHER_SHARE:
            break
        (table,) = source.tables(None, np.array([column]), True)
        counts = table.dense().reshape(-1, source.n_classes)
        expected = expected_information(counts.sum(axis=1), source.class_sizes)
        share = 0.0
        if expected < entropy:
            share = float((information.relevance[column] - expected) / (entropy - expected))
        if share >= LEAK_SHARE and log_tails([table])[0] <= max_log_p:
            share_of_rows = float(counts.max(axis=1).sum() / source.n_samples)
            leaking.append(Leak(column, share, share_of_rows))
        elif share > MAX_OTHER_SHARE:
            has_other_column = True
    if has_other_column:
        leaking = [leak for leak in leaking if not has_intervals(leak.column)]
    if 2 * len(leaking) > len(plug_in_share):
        return []
    return sorted(leaking, key=lambda leak: (-leak.share, leak.column))
