"""The numbers of features for which errors are measured."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.evaluate.notes import fewer_measured
from bitsieve.utils.arrays import Columns, Values

DEFAULT_COUNTS = range(10, 101)
FEW_FEATURES = 20  # of at most so many, errors are measured from one feature on

#: A number of features, or several; None for the default ones.
FeatureCounts: TypeAlias = int | Iterable[int] | None


def feature_counts(features: FeatureCounts, n_features: int) -> tuple[Columns, list[Diagnostic]]:
    """The requested numbers of features that the table has, ascending, and a note if larger ones were requested.

    By default they are 10 to 100, or all from 1 if the table has at most 20 features.
    """
    if features is not None:
        requested = _whole_numbers(features)
    elif n_features <= FEW_FEATURES:
        requested = np.arange(1, n_features + 1)
    else:
        requested = np.array(DEFAULT_COUNTS)
    counts = np.unique(requested[requested <= n_features])
    largest = int(requested.max())
    noun = "feature" if n_features == 1 else "features"
    size_of_table = f"the table has {n_features:,} {noun}"
    if not len(counts):
        raise UserError(
            code="too-many-features",
            message=f"features begin at {requested.min():,} but {size_of_table}",
            advice="ask for fewer",
        )
    notes = []
    if largest > n_features:
        measured_counts = f"{counts[0]:,}"
        if len(counts) > 1:
            measured_counts += f" to {counts[-1]:,}"
        notes.append(fewer_measured(size_of_table, measured_counts, largest))
    return counts.astype(np.intp), notes


def _whole_numbers(features: FeatureCounts) -> Values:
    numbers = list(features) if isinstance(features, Iterable) else [features]
    array = np.asarray(numbers)
    if not len(numbers) or array.ndim != 1 or array.dtype.kind not in "iu" or array.min() < 1:
        raise ParameterError("features", numbers, "give whole numbers from 1, such as range(10, 101)")
    return array
