"""Columns as the linear solvers of scikit-learn take them, and the weights that these give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.diagnostics import UserError
from bitsieve.methods.by_samples.rows import refuse_large
from bitsieve.utils.arrays import Floats, Values

if TYPE_CHECKING:
    from scipy.sparse import csc_array

MAX_VALUE = 1e150  # sums of squares of larger numbers overflow, and the solvers never end


def standardised(values: Values | csc_array) -> Floats | csc_array:
    """Dense columns with mean 0 and standard deviation 1; sparse ones as they are, with indices of 32 bits."""
    from scipy.sparse import csc_array
    from sklearn.preprocessing import StandardScaler

    refuse_large(values if isinstance(values, np.ndarray) else values.data, MAX_VALUE)
    if isinstance(values, np.ndarray):
        return np.asarray(StandardScaler().fit_transform(values.astype(np.float64)))
    if values.indptr.dtype == np.int32 == values.indices.dtype:
        return values
    if max(values.nnz, *values.shape) > np.iinfo(np.int32).max:
        raise UserError(
            code="table-too-large",
            message=(f"the table has {values.nnz:,} stored values, and scikit-learn's solvers take at most 2**31 - 1"),
        )
    return csc_array((values.data, values.indices.astype(np.int32), values.indptr.astype(np.int32)), shape=values.shape)


def summed_weights(machine: Any) -> Floats:
    """The weight of every column without sign, summed over the classes."""
    return np.asarray(np.abs(np.atleast_2d(machine.coef_)).sum(axis=0))
