"""The groups of the samples, such as the persons of whom there are several rows."""

from __future__ import annotations

import numpy as np

from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.target import without_value
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.types import ColumnLike


def read_groups(
    groups: ColumnLike, n_samples: int, column: str | None = None, weights: Integers | None = None
) -> Columns:
    """The number of the group of every sample. Messages name the column of the groups, where they are one.

    A sample of weight 0 needs no group, and is in group 0.
    """
    what = "groups" if column is None else f"the column {column!r} of the groups"
    values = as_array(groups)
    if values.shape != (n_samples,):
        raise UserError(
            code="wrong-shape",
            message=f"groups has shape {values.shape}",
            advice=f"it must be one value for each of the {n_samples:,} samples",
        )
    counted_rows = np.arange(n_samples) if weights is None else np.flatnonzero(weights)
    values = values[counted_rows]
    n_missing = int(without_value(values).sum())
    if n_missing:
        raise UserError(
            code="missing-values",
            message=f"{what} has no value in {n_missing:,} of {len(values):,} rows",
            advice="give every row a group",
            columns=[] if column is None else [column],
        )
    names, group = np.unique(values.astype(str), return_inverse=True)
    if len(names) < 2:
        raise UserError(
            code="too-few-groups",
            message=f"{what} has one value only",
            advice="at least two are needed to compare one with another",
            columns=[] if column is None else [column],
        )
    group_of_sample = np.zeros(n_samples, np.intp)
    group_of_sample[counted_rows] = group
    return group_of_sample
