"""What selectors by linear classifiers share: dense and sparse tables as numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_consistent_length, validate_data

from bitsieve.common.errors import ParameterError
from bitsieve.common.parameters import check_number
from bitsieve.selectors.sampled import SampleSelector, numbers_of
from bitsieve.table.columns import read_columns
from bitsieve.table.encoding import Encoded
from bitsieve.table.missing import check_values
from bitsieve.table.target import read_target
from bitsieve.table.weights import read_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.table.table import Table
    from bitsieve.table.target import Target

LARGEST = 1e300  # of a value: beyond, sums of a few overflow


def check_above_zero(name: str, value: Any) -> None:
    """Refuse what is no number above 0."""
    if not check_number(name, value, 0) > 0:
        raise ParameterError(name, value, "give a number above 0")


@dataclass(frozen=True, eq=False)
class SparseTable:
    """A sparse table with its target, as far as a method on samples looks at one.

    Attributes
    ----------
    values : sparse matrix or array of shape (n_samples, n_features)
        CSC, float32 or float64, no entry twice, finite.
    target : Target
    weights : ndarray of int64 or None
    """

    values: Any
    target: Target
    weights: NDArray[np.int64] | None = None

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.values.shape[0]

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.values.shape[1]

    def take(self, rows: NDArray[np.intp]) -> SparseTable:
        """The table of some of the samples."""
        weights = None if self.weights is None else self.weights[rows]
        return SparseTable(self.values.tocsr()[rows].tocsc(), self.target.take(rows), weights)

    def set_names_on(self, estimator: Any) -> None:
        """Set ``n_features_in_``; sparse columns have no names."""
        estimator.n_features_in_ = self.n_features
        if hasattr(estimator, "feature_names_in_"):  # of an earlier fit
            del estimator.feature_names_in_


def read_sparse(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> SparseTable:
    """Read a sparse matrix or array of any kind, its target and its frequency weights.

    float32 and float64 stay what they are; entries that are there twice are added up, on a copy.

    Raises
    ------
    ValueError
        If values are missing, infinite or too large, or X, y and the weights are not as many.
    """
    values = read_sparse_columns(estimator, X, reset=True)
    check_consistent_length(values, y)
    weights = read_weights(sample_weight, values.shape[0])
    table = SparseTable(values, read_target(y, weights=weights), weights)
    if weights is None:
        return table
    if not weights.all():
        kept = np.flatnonzero(weights)  # the target has no samples of weight 0 any more
        table = replace(table, values=values.tocsr()[kept].tocsc(), weights=weights[kept])
    return replace(table, weights=None) if np.all(table.weights == 1) else table


def read_sparse_columns(estimator: Any, X: Any, *, reset: bool) -> Any:
    """The values of a sparse matrix or array as CSC, no entry twice; ``reset`` as in scikit-learn's validation."""
    values = _read_values(estimator, X, "csc", reset=reset)
    if not values.has_canonical_format:
        values = values.copy()
        values.sum_duplicates()
    return values


def values_of(table: Table | SparseTable, method: str) -> Any:
    """The values of a table as numbers: a 2-D array of any numeric type and layout, or CSC.

    Raises
    ------
    ValueError
        If values are missing, infinite or too large, or a column holds more than two categories.
    """
    if isinstance(table, SparseTable):
        return table.values
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
        return _read_values(estimator, X, "csr", reset=False)[:, columns]
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

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Any:
        return read_sparse(self, X, y, sample_weight) if issparse(X) else super()._read(X, y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _read_values(estimator: Any, X: Any, form: str, *, reset: bool) -> Any:
    floats = (np.float64, np.float32)
    values = validate_data(estimator, X, accept_sparse=form, dtype=floats, ensure_all_finite=False, reset=reset)
    with np.errstate(all="ignore"):
        doubtful = not np.isfinite(values.data.sum(dtype=np.float64))
    if doubtful:
        for wrong, what, advice in (
            (np.isnan, "missing values (NaN)", "impute them first, or drop the rows"),
            (np.isinf, "infinite values (inf)", "replace infinity by a finite number, or drop the rows"),
        ):
            held = wrong(values.data)
            if held.any():
                columns = np.unique(values.tocoo().coords[1][held])
                named = ", ".join(repr(f"x{j}") for j in columns[:5]) + (
                    f" and {len(columns) - 5:,} more" if len(columns) > 5 else ""
                )
                verb = "column holds" if len(columns) == 1 else "columns hold"
                raise ValueError(f"{len(columns):,} {verb} {what}: {named}; {advice}")
    _refuse_large(values.data)
    return values


def _refuse_large(values: NDArray[Any]) -> None:
    if values.dtype.kind != "f" or values.dtype.itemsize < 8:
        return
    largest = float(max(-values.min(initial=0.0), values.max(initial=0.0)))
    if largest > LARGEST:
        raise ValueError(f"values of up to {largest:.3g} are too large to be added up: divide their columns first")
