"""Features as a classifier gets them: numbers are scaled, categories become a column of zeros and ones each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.utils.arrays import Columns, Flags, Floats

MAX_CATEGORIES = 100  # that become columns; the rare ones beyond have none
ROUNDING = 1e-12  # a standard deviation below this share of the largest value is the rounding of the mean


@dataclass(frozen=True)
class NumericFeatures:
    """Features in order of choice, as columns of numbers."""

    values: Floats  # (n_samples, n_columns), in Fortran order
    n_columns: Columns  # ``values[:, : n_columns[i]]`` are the columns of the first i + 1 features
    is_numeric: Flags  # False for features of categories, which take several columns

    def rows(self, rows: Columns) -> Floats:
        """The values of some samples, in Fortran order."""
        return np.asfortranarray(self.values[rows])


def encode_features(
    table: InMemoryDataset, order: Columns, training_rows: Columns, *, centred: bool = True
) -> NumericFeatures:
    """Encode the features ``order`` of all samples.

    Means, scales and the most frequent 100 categories are learned from ``training_rows``. Numbers are standardised;
    if not ``centred``, they are divided by their largest absolute value instead. A missing number becomes the mean.
    """
    columns: list[Floats] = []
    n_columns = np.zeros(len(order), np.intp)
    is_numeric = np.zeros(len(order), bool)
    for i, j in enumerate(order):
        is_numeric[i] = table.is_numeric(j)
        if not is_numeric[i]:
            columns.extend(_indicators(table.categorical(j).codes, training_rows))
        elif centred:
            columns.append(_standardised(table.numeric(j), training_rows))
        else:
            columns.append(_divided_by_largest(table.numeric(j), training_rows))
        n_columns[i] = len(columns)
    return NumericFeatures(np.array(columns).T, n_columns, is_numeric)


def _standardised(values: Floats, training_rows: Columns) -> Floats:
    present = _present(values, training_rows)
    mean = present.mean() if len(present) else 0.0
    deviation = present.std() if len(present) else 0.0
    largest = np.abs(present).max(initial=0.0)
    centred = _with_missing_as(mean, values) - mean
    if deviation <= ROUNDING * largest:
        return np.asarray(centred)
    return np.asarray(centred / deviation)


def _divided_by_largest(values: Floats, training_rows: Columns) -> Floats:
    present = _present(values, training_rows)
    mean = present.mean() if len(present) else 0.0
    largest = np.abs(present).max(initial=0.0)
    values = _with_missing_as(mean, values)
    return values / largest if largest > 0 else values


def _present(values: Floats, rows: Columns) -> Floats:
    """The values of some rows that are not missing."""
    values = values[rows]
    return values[~np.isnan(values)]


def _with_missing_as(mean: float, values: Floats) -> Floats:
    is_missing = np.isnan(values)
    return np.where(is_missing, mean, values) if is_missing.any() else values


def _indicators(codes: NDArray[np.int32], training_rows: Columns) -> list[Floats]:
    """A column of zeros and ones for each of the most frequent categories; of two categories one column."""
    categories, frequencies = np.unique(codes[training_rows], return_counts=True)
    most_frequent_first = np.argsort(-frequencies, kind="stable")
    categories = np.sort(categories[most_frequent_first[:MAX_CATEGORIES]])
    if len(categories) == 2:
        categories = categories[1:]
    return [(codes == code).astype(np.float64) for code in categories]
