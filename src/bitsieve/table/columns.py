"""Any table to columns: numbers (NaN = missing) or codes of categories, each column read once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from sklearn.utils.validation import validate_data

from bitsieve.common.messages import quoted
from bitsieve.counts.terms import MAX_SAMPLES
from bitsieve.table.encoding import Encoded, encode, occurring

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


class Columns:
    """The columns of a table.

    Attributes
    ----------
    names : list of str
        Column names; ``x0``, ``x1``, ... where the input has none.
    feature_names : ndarray of object or None
        The names as scikit-learn keeps them: None where the input has none, or not all are strings.
    n_samples : int
        Rows of the table.
    weights : ndarray of int64, shape (n_samples,), or None
        How many times each row stands, at least once; None: once.
    """

    weights: NDArray[np.int64] | None = None

    def __init__(
        self,
        data: NDArray[Any] | Sequence[NDArray[Any] | Encoded],
        n_samples: int,
        names: list[str],
        feature_names: NDArray[Any] | None = None,
    ) -> None:
        self._data = data  # a 2-D array of numbers, or one entry for each column
        self.n_samples = n_samples
        self.names = names
        self.feature_names = feature_names

    def __len__(self) -> int:
        return len(self.names)

    @property
    def total_weight(self) -> int:
        """The number of samples, each row as often as it stands."""
        return self.n_samples if self.weights is None else int(self.weights.sum())

    @property
    def matrix(self) -> NDArray[Any] | None:
        """The 2-D array of numbers behind the columns, if there is one."""
        return self._data if isinstance(self._data, np.ndarray) else None

    def values(self, j: int) -> NDArray[Any] | Encoded:
        """Column ``j`` as it was read: a 1-D array of numbers of any type, or :class:`Encoded`."""
        if isinstance(self._data, np.ndarray):
            return self._data[:, j]
        return self._data[j]

    def is_numeric(self, j: int) -> bool:
        """Whether column ``j`` holds numbers or times."""
        return isinstance(self._data, np.ndarray) or not isinstance(self._data[j], Encoded)

    def numeric(self, j: int) -> NDArray[np.float64]:
        """Column ``j`` as contiguous float64, NaN where missing; times are microseconds.

        Raises
        ------
        TypeError
            If the column is categorical.
        """
        values = self.values(j)
        if isinstance(values, Encoded):
            raise TypeError(f"column {self.names[j]!r} is categorical")
        return np.ascontiguousarray(values, dtype=np.float64)

    def categorical(self, j: int) -> Encoded:
        """Codes (-1 = missing) and sorted categories of column ``j``.

        Raises
        ------
        TypeError
            If the column is numeric.
        """
        values = self.values(j)
        if not isinstance(values, Encoded):
            raise TypeError(f"column {self.names[j]!r} is numeric")
        return values

    def take(self, rows: NDArray[np.intp]) -> Columns:
        """The same columns of some of the samples; categories that do not occur among them are gone."""
        if isinstance(self._data, np.ndarray):
            return Columns(self._data[rows], len(rows), self.names, self.feature_names)
        taken = [occurring(v, rows) if isinstance(v, Encoded) else v[rows] for v in self._data]
        return Columns(taken, len(rows), self.names, self.feature_names)

    def quoted(self, which: Iterable[int]) -> str:
        """The names of some columns for a message, the first five of them."""
        return quoted([self.names[j] for j in which])


def read_columns(estimator: Any, X: Any, *, reset: bool) -> Columns:
    """Read a table, and set or check ``n_features_in_`` and ``feature_names_in_`` of an estimator.

    Parameters
    ----------
    estimator : estimator
        Whose attributes are set (``reset=True``) or checked (``reset=False``).
    X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)
        Booleans, text and categories are categorical; integers, floats, decimals, dates, times and durations are
        numeric. Times count in microseconds (dates and times since 1970-01-01 UTC).
    reset : bool
        True when fitting.

    Returns
    -------
    Columns

    Raises
    ------
    ValueError
        If the table is empty, not two-dimensional, has columns of the same name or columns that can not be read.
    """
    labels = _labels(X)
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise ValueError("X is a lazy frame: collect() it first")
    if isinstance(frame, nw.DataFrame):
        return _read_frame(estimator, X, frame, labels or list(frame.columns), reset)
    if isinstance(X, (list, tuple)):
        array = np.asarray(X)
        X = np.asarray(X, dtype=object) if array.dtype.kind in "US" else array  # numbers beside text stay numbers
    X = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)
    return _read_array(np.asarray(X))


def _read_array(X: NDArray[Any]) -> Columns:
    n_samples, n_features = X.shape
    _check_size(n_samples)
    names = [f"x{j}" for j in range(n_features)]
    kind = X.dtype.kind
    if kind in "iuf":
        return Columns(X, n_samples, names)
    if kind in "mM":
        ticks = X.astype("M8[us]" if kind == "M" else "m8[us]").view(np.int64)
        return Columns(np.where(np.isnat(X), np.nan, ticks), n_samples, names)
    if kind == "b":
        return Columns([encode(X[:, j]) for j in range(n_features)], n_samples, names)
    from bitsieve.table.arrow_values import column_of_objects

    return Columns([column_of_objects(X[:, j], name) for j, name in enumerate(names)], n_samples, names)


def _labels(X: Any) -> list[Any]:
    """The column names of a table of a kind that does not see to it that they differ.

    Raises
    ------
    ValueError
        If two columns have the same name.
    """
    labels = list(getattr(X, "column_names", ()) if not hasattr(X, "iloc") else getattr(X, "columns", ()))
    twice = [str(label) for label, count in Counter(labels).items() if count > 1]
    if twice:
        raise ValueError(
            f"column names stand more than once ({len(twice):,}): {quoted(twice)}; give every column a name of its own"
        )
    return labels


def _read_frame(estimator: Any, X: Any, frame: nw.DataFrame[Any], labels: list[Any], reset: bool) -> Columns:
    n_samples, n_features = frame.shape
    if not n_samples or not n_features:
        raise ValueError(f"X has {n_samples} samples and {n_features} columns: at least one of each is required")
    _check_size(n_samples)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    names = [str(label) for label in labels]
    columns = [_read_series(series, name) for series, name in zip(frame.iter_columns(), names, strict=True)]
    strings = all(isinstance(label, str) for label in labels)
    return Columns(columns, n_samples, names, np.asarray(labels, dtype=object) if strings else None)


def _read_series(series: nw.Series[Any], name: str) -> NDArray[Any] | Encoded:
    from bitsieve.table.arrow_values import column_of_arrow, column_of_objects

    if series.dtype.is_integer() or series.dtype.is_float():
        values = series.to_numpy()
        if values.dtype.kind in "iuf":
            return values
    if series.dtype == nw.Object:
        return column_of_objects(series.to_list(), name)
    return column_of_arrow(series.to_arrow(), name)


def _check_size(n_samples: int) -> None:
    if n_samples > MAX_SAMPLES:
        raise ValueError(f"X has {n_samples:,} samples: at most {MAX_SAMPLES:,} are supported, draw a sample of them")
