"""What selectors by linear classifiers share: dense and sparse tables as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from bitsieve.common.errors import ParameterError
from bitsieve.common.parameters import check_number
from bitsieve.data.columns import read_columns
from bitsieve.data.encoding import Encoded
from bitsieve.data.extents import check_values
from bitsieve.data.sparse import SparseTable, read_sparse
from bitsieve.methods.method import ROWS
from bitsieve.selectors.sample_selector import SampleSelector
from bitsieve.selectors.sampled import numbers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.data.table import Table

LARGEST = 1e300  # of a value: beyond, sums of a few overflow


def check_above_zero(name: str, value: Any) -> None:
    """Refuse what is no number above 0."""
    if not check_number(name, value, 0) > 0:
        raise ParameterError(name, value, "give a number above 0")


def read_sparse_columns(estimator: Any, X: Any, *, reset: bool) -> Any:
    """The values of a sparse matrix or array as CSC, no entry twice; ``reset`` as in scikit-learn's validation.

    Raises
    ------
    ValueError
        If values are missing, infinite or too large.
    """
    return values_of(read_sparse(X, estimator=estimator, reset=reset), "")


def values_of(table: Table, method: str) -> Any:
    """The values of a table as numbers: a 2-D array of any numeric type and layout, or CSC.

    Raises
    ------
    ValueError
        If values are missing, infinite or too large, or a column holds more than two categories.
    """
    if isinstance(table, SparseTable):
        table.check_finite(allow_missing=False, instead="impute them first, or drop the rows")
        _refuse_large(table.value)
        return table.stored
    if table.matrix is None:
        values = numbers_of(table, method)[0]
    else:
        check_values(table, allow_missing=False, instead="impute them first, or drop the rows")
        values = table.matrix
    _refuse_large(values)
    return values


def columns_of(estimator: Any, X: Any, columns: NDArray[np.intp], categories: dict[int, NDArray[Any]]) -> Any:
    """Some columns of a new table as numbers, dense or sparse; ``categories`` are those that were fitted, by column.

    Raises
    ------
    ValueError
        If the table has other columns, or values are missing or infinite.
    """
    if issparse(X):
        return read_sparse_columns(estimator, X, reset=False)[:, columns]
    table = read_columns(X, estimator=estimator, reset=False)
    check_values(table, allow_missing=False, instead="impute them first, or drop the rows")
    values = np.empty((table.n_samples, len(columns)))
    for place, j in enumerate(columns.tolist()):
        column = table.values(j)
        if j in categories and isinstance(column, Encoded):
            values[:, place] = np.asarray(column.categories == categories[j][-1], bool)[column.codes]
        else:
            values[:, place] = table.numeric(j)
    return values


class LinearSelector(SampleSelector):
    """Base of the selectors by linear classifiers, which take sparse tables too."""

    requires = ROWS


def _refuse_large(values: NDArray[Any]) -> None:
    if values.dtype.kind != "f" or values.dtype.itemsize < 8:
        return
    largest = float(max(-values.min(initial=0.0), values.max(initial=0.0)))
    if largest > LARGEST:
        raise ValueError(f"values of up to {largest:.3g} are too large to be added up: divide their columns first")
