"""Any table to columns: numbers (NaN = missing) or codes of categories, each column read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.common.lazy import issparse
from bitsieve.common.messages import quoted
from bitsieve.common.names import NumberedNames
from bitsieve.counts.tables import MAX_SAMPLES
from bitsieve.data.encoding import Encoded, as_array
from bitsieve.data.exact import as_doubles, microseconds
from bitsieve.data.given import with_rows
from bitsieve.data.sparse import StoredColumnsInFiles, read_sparse
from bitsieve.data.table import TableInMemory
from bitsieve.data.target import numpy_of_series
from bitsieve.data.text import TextKinds
from bitsieve.files.spooled_columns import SpooledColumns

_TURNED_AT_ONCE = 1024  # rows of a matrix whose columns are made contiguous


def read_columns(
    X: Any, *, estimator: Any = None, reset: bool = True, text_kinds: TextKinds | None = None
) -> TableInMemory:
    """Read the features of a table, without a target and weights.

    Parameters
    ----------
    X : array-like, pandas or polars frame (lazy, too), pyarrow Table or RecordBatch, scipy.sparse, of shape \
            (n_samples, n_features)
        Booleans, text and categories are categorical; integers, floats, decimals, dates, times and durations are
        numeric. Times count in microseconds (dates and times since 1970-01-01 UTC). Sparse columns are numeric, and
        never made dense.
    estimator : estimator, optional
        Whose ``n_features_in_`` and ``feature_names_in_`` are set (``reset=True``) or checked (``reset=False``).
    reset : bool, default=True
        True when fitting.
    text_kinds : mapping of int to type or None, optional
        Of some of the rows of a table, by their places its columns of text that are numbers or times in all rows, with
        their types where these are known. By default the text decides.

    Raises
    ------
    ValueError
        If the table is empty, not two-dimensional, has columns of the same name or columns that can not be read.
    """
    X = with_rows(X)
    if isinstance(X, SpooledColumns):
        return TableInMemory(StoredColumnsInFiles(X), NumberedNames(X.shape[1]))
    if issparse(X):
        read = read_sparse(X if estimator is None else _validated(estimator, X, reset, accept_sparse="csc"))
        return TableInMemory(read, NumberedNames(len(read)))
    if not isinstance(X, np.ndarray):
        labels = check_unique(X)
        frame = nw.from_native(X, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            if estimator is not None and all(frame.shape):
                _validated(estimator, X, reset, skip_check_array=True)
            return _read_frame(frame, labels or list(frame.columns), text_kinds)
    if isinstance(X, (list, tuple, np.ma.MaskedArray)):
        X = as_array(X)
    X = X if estimator is None else _validated(estimator, X, reset, dtype=None)
    return _read_array(np.asarray(X), text_kinds)


def _validated(estimator: Any, X: Any, reset: bool, **how: Any) -> Any:
    """The features as scikit-learn checks them, which sets, or compares, what the estimator keeps of their names."""
    from sklearn.utils.validation import validate_data

    if not how.get("skip_check_array"):
        how["ensure_all_finite"] = False
    return validate_data(estimator, X, reset=reset, **how)


def _read_array(X: NDArray[Any], text_kinds: TextKinds | None) -> TableInMemory:
    if X.ndim != 2:
        raise ValueError(f"the data has shape {X.shape}: it must be samples x features")
    n_samples, n_features = X.shape
    _check_size(n_samples, n_features)
    names = NumberedNames(n_features)
    kind = X.dtype.kind
    if kind == "c":
        raise ValueError("Complex data not supported: give real numbers")
    if kind in "iuf":
        return TableInMemory(as_doubles(X, lambda j: f"column {names[j]!r}"), names)
    if kind in "mM":
        return TableInMemory(_microseconds(X, names), names)
    if kind == "b":
        return TableInMemory(_encode_booleans(X), names)
    from bitsieve.data.arrow import array_of_objects, columns_of_arrow

    arrays = [array_of_objects(X[:, j], name) for j, name in enumerate(names)]
    return TableInMemory(columns_of_arrow(arrays, names, range(X.shape[1]), text_kinds), names)


def _encode_booleans(X: NDArray[np.bool_]) -> list[Encoded]:
    """The columns of a matrix of truth values as categories."""
    _, low, high = _native.extent(X.view(np.uint8), False)
    codes = np.empty(X.shape, np.int32, order="F")
    at_once = len(X) if X.flags.f_contiguous else _TURNED_AT_ONCE  # all rows that are turned take ten times as long
    for first in range(0, len(X), at_once):
        some = slice(first, first + at_once)
        codes[some] = X[some] ^ low.astype(bool)
    occurring = {(0, 0): np.array([False]), (0, 1): np.array([False, True]), (1, 1): np.array([True])}
    ends = zip(low.tolist(), high.tolist(), strict=True)
    return [Encoded(codes[:, j], occurring[of]) for j, of in enumerate(ends)]


def _microseconds(X: NDArray[Any], names: Sequence[str]) -> NDArray[np.float64]:
    """Times as microseconds."""
    known = ~np.isnat(X)
    if np.datetime_data(X.dtype)[0] in ("ns", "ps", "fs", "as"):
        ticks = X.astype(f"{X.dtype.kind}8[ns]").view(np.int64)
        return np.column_stack([microseconds(ticks[:, j], known[:, j], name) for j, name in enumerate(names)])
    return np.where(known, X.astype(f"{X.dtype.kind}8[us]").view(np.int64), np.nan)


def check_unique(X: Any) -> list[Any]:
    """The column names of a table of a kind that does not see to it that they differ; of others none.

    Raises
    ------
    ValueError
        If two columns have the same name.
    """
    labels = list(getattr(X, "column_names", ()) if not hasattr(X, "iloc") else getattr(X, "columns", ()))
    check_labels(labels)
    return labels


def check_labels(labels: Sequence[Any]) -> None:
    """Refuse two columns of the same name."""
    twice = [label for label, count in Counter(labels).items() if count > 1]
    if twice:
        raise ValueError(f"several columns are named {quoted(twice)}: give every column a name of its own")


def _read_frame(frame: nw.DataFrame[Any], labels: list[Any], text_kinds: TextKinds | None) -> TableInMemory:
    _check_size(*frame.shape)
    names = [str(label) for label in labels]
    columns = _columns_of_frame(frame, names, text_kinds)
    strings = all(isinstance(label, str) for label in labels)
    return TableInMemory(columns, names, np.asarray(labels, dtype=object) if strings else None)


def _columns_of_frame(
    frame: nw.DataFrame[Any], names: Sequence[str], text_kinds: TextKinds | None
) -> list[NDArray[Any] | Encoded]:
    """Numbers column by column; text and categories in blocks, by way of Arrow."""
    columns: list[Any] = [None] * len(names)
    others = []
    for j, series in enumerate(frame.iter_columns()):
        kind = series.dtype
        if kind.is_integer() or kind.is_float():
            values = numpy_of_series(series)
            if values.dtype.kind in "iu" or (values.dtype.kind == "f" and kind.is_float()):
                columns[j] = values
                continue
        others.append((j, series))
    if others:
        from bitsieve.data.arrow import array_of_objects, columns_of_arrow

        places = [j for j, _ in others]
        arrays = [
            array_of_objects(series.to_list(), names[j]) if series.dtype == nw.Object else series.to_arrow()
            for j, series in others
        ]
        found = columns_of_arrow(arrays, [names[j] for j in places], places, text_kinds)
        for j, column in zip(places, found, strict=True):
            columns[j] = column
    return columns


def _check_size(n_samples: int, n_features: int) -> None:
    if not n_samples or not n_features:
        raise ValueError(f"X has {n_samples} samples and {n_features} columns: at least one of each is required")
    if n_samples > MAX_SAMPLES:
        raise ValueError(f"X has {n_samples:,} samples: at most {MAX_SAMPLES:,} are supported, draw a sample of them")


def all_missing(values: NDArray[Any]) -> bool:
    """Whether every number is missing."""
    return values.dtype.kind == "f" and bool(np.isnan(values).all())
