"""Original features as numbers that a classifier takes.

A numeric feature is standardised, by its mean and standard deviation, or as in the papers only divided by its largest
absolute value; a missing value is the mean of those that are there. A
categorical feature becomes one 0/1 column a category (a single column where it has two); a missing value is a category
of its own where it occurs in the rows learned from, and a category that does not occur there is 0 in every column, as
are those beyond the hundred most frequent ones. All is learned from given rows alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.data.table import Table

    Floats = NDArray[np.float64]


MOST_CATEGORIES = 100  # columns a feature


@dataclass(frozen=True)
class NumericFeatures:
    """Features in order of choice, as columns of numbers.

    Attributes
    ----------
    values : ndarray of float, shape (n_samples, n_columns), Fortran order
    ends : ndarray of int, shape (n_features,)
        ``values[:, : ends[i]]`` are the first ``i + 1`` features.
    numeric : ndarray of bool, shape (n_features,)
        Which features are one number each.
    """

    values: Floats
    ends: NDArray[np.intp]
    numeric: NDArray[np.bool_]


def encode_features(
    table: Table, order: NDArray[np.intp], learned_from: NDArray[np.intp], *, centred: bool = True
) -> NumericFeatures:
    """The features ``order`` of all samples, with scale, mean and categories of the samples ``learned_from``.

    Parameters
    ----------
    table : Table
    order, learned_from : ndarray of int
    centred : bool, default=True
        Whether numbers are standardised; else they are divided by their largest absolute value.
    """
    parts: list[Floats] = []
    ends = np.zeros(len(order), np.intp)
    numeric = np.zeros(len(order), bool)
    for place, j in enumerate(order):
        numeric[place] = table.is_numeric(j)
        if numeric[place]:
            parts.append(_number(table.numeric(j), learned_from, centred))
        else:
            parts.extend(_categories(table.categorical(j).codes, learned_from))
        ends[place] = len(parts)
    return NumericFeatures(np.array(parts).T, ends, numeric)


def _number(values: Floats, learned_from: NDArray[np.intp], centred: bool) -> Floats:
    learned = values[learned_from]
    learned = learned[~np.isnan(learned)]
    mean = learned.mean() if len(learned) else 0.0
    if np.isnan(values).any():
        values = np.where(np.isnan(values), mean, values)
    largest = np.abs(learned).max(initial=0.0)
    if not centred:
        return values / largest if largest > 0 else values
    spread = learned.std() if len(learned) else 0.0
    if spread <= 1e-12 * largest:  # no more than the rounding of the mean leaves
        return np.asarray(values - mean)
    return np.asarray((values - mean) / spread)


def _categories(codes: NDArray[np.int32], learned_from: NDArray[np.intp]) -> list[Floats]:
    known, times = np.unique(codes[learned_from], return_counts=True)
    known = np.sort(known[np.argsort(-times, kind="stable")[:MOST_CATEGORIES]])
    return [(codes == code).astype(np.float64) for code in (known[1:] if len(known) == 2 else known)]
