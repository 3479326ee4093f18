"""Numeric columns whose values are the shares of a class among their own rows, as target encoding makes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.utils.arrays import Columns, Floats

MIN_VALUES = 5
MAX_DECIMALS = 9  # values with more decimals are taken as not rounded
ROUNDING = 1e-9  # the difference between two computations of one share is smaller


class TargetEncoding(NamedTuple):
    """A column that encodes the target, and the class whose shares its values are."""

    column: int
    class_code: int
    n_values: int


def target_encodings(table: Dataset, columns: Columns) -> list[TargetEncoding]:
    """The columns that encode a class of the target; an empty list if the rows are sparse or not in memory."""
    rows = table.rows
    if rows is None or rows.is_sparse or rows.target.kind != "classes":
        return []
    encodings = [_encoding(rows, j) for j in columns.tolist() if rows.is_numeric(j)]
    return [encoding for encoding in encodings if encoding is not None]


def _encoding(rows: InMemoryDataset, column: int) -> TargetEncoding | None:
    """What a column encodes; None if it is no encoding.

    An encoding has values between 0 and 1: at least five different ones, and at most half as many as rows. Each value
    lies between the share of one class among the rows with this value (plain encoding) and its share among all rows
    (as smoothing shifts it), up to half a unit of the last decimal.
    """
    values = rows.numeric(column)
    is_present = ~np.isnan(values)
    values = values[is_present]
    if not len(values) or values.min() < 0 or values.max() > 1:
        return None
    numbers, number_codes = np.unique(values, return_inverse=True)
    if not MIN_VALUES <= len(numbers) <= len(values) / 2:
        return None
    weights = np.ones(len(values)) if rows.weights is None else rows.weights[is_present]
    rows_per_number = np.bincount(number_codes, weights)
    tolerance = _half_unit(numbers) + ROUNDING
    classes = rows.target.codes[is_present]
    for class_code in range(rows.target.n_classes):
        in_class = weights * (classes == class_code)
        share_of_number = np.bincount(number_codes, in_class) / rows_per_number
        share_of_all = in_class.sum() / weights.sum()
        low = np.minimum(share_of_number, share_of_all)
        high = np.maximum(share_of_number, share_of_all)
        is_between = (low - tolerance <= numbers) & (numbers <= high + tolerance)
        if is_between.all() and np.ptp(share_of_number) > 0:
            return TargetEncoding(column, class_code, len(numbers))
    return None


def _half_unit(numbers: Floats) -> float:
    """Half a unit of the last decimal to which all numbers were rounded; 0 if they were not."""
    for n_decimals in range(MAX_DECIMALS + 1):
        if np.allclose(numbers, np.round(numbers, n_decimals), rtol=0, atol=1e-12):  # the rounding of a double
            return float(0.5 * 10.0**-n_decimals)
    return 0.0
