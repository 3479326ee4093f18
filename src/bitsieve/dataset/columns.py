"""Any table to columns: numbers (NaN = missing) or codes of categories, each column read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.tables import MAX_SAMPLES
from bitsieve.dataset.data_kinds import collect
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import Encoded, as_array, as_doubles, encode_known, times_as_numbers
from bitsieve.dataset.sparse import StoredColumnsInFiles, read_sparse
from bitsieve.dataset.target import is_foreign, numpy_of_series
from bitsieve.dataset.text import Plain, typed_columns
from bitsieve.dataset.text_format import ColumnRules, TextMeaning
from bitsieve.diagnostics import UserError
from bitsieve.io.spooled_columns import SpooledColumns
from bitsieve.utils.arrays import Flags
from bitsieve.utils.lazy import NumberedNames, issparse
from bitsieve.utils.messages import quoted

_TURNED_AT_ONCE = 1024  # rows of a matrix whose columns are made contiguous


def read_columns(
    X: Any, *, estimator: Any = None, reset: bool = True, rules: ColumnRules | None = None
) -> InMemoryDataset:
    """Read the features of a table, without a target and weights.

    Booleans, text and categories are categorical; integers, floats, decimals, dates, times and durations are numeric,
    and so is text that means such. Times count in microseconds (dates and times since 1970-01-01 UTC). Sparse columns
    are numeric, and never made dense. The names that an estimator has are set (``reset``) or compared.
    """
    rules, X = ColumnRules() if rules is None else rules, collect(X)
    in_files = isinstance(X, SpooledColumns)
    if rules.types and (in_files or issparse(X)):
        raise UserError(
            code="parameter-without-effect",
            message="column_types is for dense tables",
            advice="sparse columns hold numbers",
        )
    if in_files:
        return InMemoryDataset(StoredColumnsInFiles(X), NumberedNames(X.shape[1]))
    if issparse(X):
        read = read_sparse(X if estimator is None else _validated(estimator, X, reset, accept_sparse="csc"))
        return InMemoryDataset(read, NumberedNames(len(read)))
    return _as_asked(_read_dense(X, estimator, reset, rules), rules)


def _read_dense(X: Any, estimator: Any, reset: bool, rules: ColumnRules) -> InMemoryDataset:
    if not isinstance(X, np.ndarray):
        labels = check_unique(X)
        frame = nw.from_native(X, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            if estimator is not None and all(frame.shape):
                _validated(estimator, X, reset, skip_check_array=True)
            return _read_frame(frame, labels or list(frame.columns), rules)
    if isinstance(X, (list, tuple, np.ma.MaskedArray)):
        X = as_array(X)
    if reset and isinstance(X, np.ndarray) and X.ndim == 1:
        raise no_table(X.shape)
    X = X if estimator is None else _validated(estimator, X, reset, dtype=None)
    return _read_array(np.asarray(X), rules)


def _as_asked(table: InMemoryDataset, rules: ColumnRules) -> InMemoryDataset:
    """The table with those columns of numbers as categories that were asked for as such."""
    wanted = rules.types_by_index(table.names)
    chosen = {j for j, kind in wanted.items() if kind == "category" and table.is_numeric(j)}
    if not chosen:
        return table
    every = range(table.n_features)
    return replace(table, columns=[encode_known(table.numbers(j)) if j in chosen else table.values(j) for j in every])


def _validated(estimator: Any, X: Any, reset: bool, **how: Any) -> Any:
    """The features as scikit-learn checks them, which sets, or compares, what the estimator keeps of their names."""
    from sklearn.utils.validation import validate_data

    if not how.get("skip_check_array"):
        how["ensure_all_finite"] = False
    return validate_data(estimator, X, reset=reset, **how)


def no_table(shape: tuple[int, ...]) -> UserError:
    """The error for an array that is not of two dimensions."""
    one = "one column is data[[name]], or values.reshape(-1, 1)"
    return UserError(
        code="wrong-shape",
        message=f"the data has shape {shape}",
        advice=f"give a table of samples x features; {one}",
    )


def _read_array(X: NDArray[Any], rules: ColumnRules) -> InMemoryDataset:
    if X.ndim != 2:
        raise no_table(X.shape)
    n_samples, n_features = X.shape
    _check_size(n_samples, n_features)
    names = NumberedNames(n_features)
    kind = X.dtype.kind
    if kind == "c":
        raise UserError(
            code="complex-numbers",
            message="Complex data not supported",
            advice="give real numbers",
        )
    if kind in "iuf":
        return InMemoryDataset(as_doubles(X, lambda j: f"column {names[j]!r}"), names)
    if kind in "mM":
        plain = TextMeaning(Plain(pa.from_numpy_dtype(f"{kind}8[us]")), is_plain=True)
        times = [times_as_numbers(X[:, j], f"column {name!r}") for j, name in enumerate(names)]
        return InMemoryDataset(np.column_stack(times), names, meanings=dict.fromkeys(range(n_features), plain))
    if kind == "b":
        return InMemoryDataset(_encode_booleans(X), names)
    columns, meanings = _columns_with_text(dict(enumerate(X.T)), names, rules)
    return InMemoryDataset([columns[j] for j in range(n_features)], names, meanings=meanings)


def _columns_with_text(
    given: Mapping[int, Any], names: Sequence[str], rules: ColumnRules
) -> tuple[dict[int, NDArray[Any] | Encoded], dict[int, TextMeaning]]:
    """Arrays of objects and series by their places, read by way of Arrow; and what text means."""
    from bitsieve.dataset.arrow import arrow_of, column_of_arrow, is_categorical, mixed_kinds

    places, what = list(given), [f"column {names[j]!r}" for j in given]
    found = [arrow_of(values, of) for values, of in zip(given.values(), what, strict=True)]
    arrays, meanings = typed_columns([array for array, _ in found], places, rules, rules.types_by_index(names))
    for j, array, of, (_, is_mixed) in zip(places, arrays, what, found, strict=True):
        if is_mixed and is_categorical(array.type):
            raise mixed_kinds(of)
        if j not in meanings and pa.types.is_temporal(array.type):
            meanings[j] = TextMeaning(Plain(array.type), is_plain=True)
    return {j: column_of_arrow(array, of) for j, array, of in zip(places, arrays, what, strict=True)}, meanings


def _encode_booleans(X: Flags) -> list[Encoded]:
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


def check_unique(X: Any) -> list[Any]:
    """The column names of a table of a kind that does not see to it that they differ; of others none."""
    labels = list(getattr(X, "column_names", ()) if not hasattr(X, "iloc") else getattr(X, "columns", ()))
    check_labels(labels)
    return labels


def check_labels(labels: Sequence[Any]) -> None:
    """Refuse two columns of the same name."""
    twice = [label for label, count in Counter(labels).items() if count > 1]
    if twice:
        raise UserError(
            code="duplicate-names",
            message=f"several columns are named {quoted(twice)}",
            advice="give every column a name of its own",
        )


def _read_frame(frame: nw.DataFrame[Any], labels: list[Any], rules: ColumnRules) -> InMemoryDataset:
    _check_size(*frame.shape)
    names = [str(label) for label in labels]
    columns: list[Any] = [None] * len(names)
    others = {}
    for j, series in enumerate(frame.iter_columns()):  # numbers column by column; text and categories in blocks
        kind = series.dtype
        if kind.is_integer() or kind.is_float() or is_foreign(series):
            values = numpy_of_series(series)
            if values.dtype.kind == "c":
                raise UserError(
                    code="complex-numbers",
                    message=f"Complex data not supported: column {names[j]!r}",
                    advice="give real numbers",
                )
            if values.dtype.kind in "iu" or (values.dtype.kind == "f" and not kind.is_integer()):
                columns[j] = values
                continue
        others[j] = series
    meanings: dict[int, TextMeaning] = {}
    if others:
        found, meanings = _columns_with_text(others, names, rules)
        for j, column in found.items():
            columns[j] = column
    strings = all(isinstance(label, str) for label in labels)
    return InMemoryDataset(columns, names, np.asarray(labels, dtype=object) if strings else None, meanings=meanings)


def _check_size(n_samples: int, n_features: int) -> None:
    if not n_samples or not n_features:
        raise UserError(
            code="empty-data",
            message=f"X has {n_samples} samples and {n_features} columns",
            advice="at least one of each is required",
        )
    if n_samples > MAX_SAMPLES:
        raise UserError(
            code="too-many-rows",
            message=f"X has {n_samples:,} samples",
            advice=f"at most {MAX_SAMPLES:,} are supported, draw a sample of them",
        )
