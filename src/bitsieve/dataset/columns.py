"""Reading of the features of any table as columns of numbers, with NaN for missing values, or of categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import DTypeLike

from bitsieve import _native
from bitsieve.counts.tables import MAX_SAMPLES
from bitsieve.dataset.arrow import ArrowArray, numpy_of
from bitsieve.dataset.data_kinds import collect, is_arrow_table, refuse_path
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import (
    ColumnValues,
    Encoded,
    as_array,
    as_doubles,
    encode_with_missing,
    times_as_numbers,
    with_nan,
)
from bitsieve.dataset.plain_text import Plain
from bitsieve.dataset.sparse import StoredColumnsInFiles, read_sparse
from bitsieve.dataset.target import is_foreign, numpy_of_series
from bitsieve.dataset.text_columns import check_types_read, typed_columns
from bitsieve.dataset.text_format import ColumnRules, TextMeaning
from bitsieve.diagnostics import NAME_ONLY, UserError
from bitsieve.io.spooled_columns import SpooledColumns
from bitsieve.utils.arrays import Flags, Values
from bitsieve.utils.column_names import NumberedNames
from bitsieve.utils.libraries import issparse
from bitsieve.utils.messages import quoted
from bitsieve.utils.types import Label, TableLike

if TYPE_CHECKING:
    import narwhals as nw
    from sklearn.base import BaseEstimator

_ROWS_TRANSPOSED = 1024  # rows that are transposed at once


def read_columns(
    X: TableLike, *, estimator: BaseEstimator | None = None, reset: bool = True, rules: ColumnRules | None = None
) -> InMemoryDataset:
    """Read the features of a table, without a target and weights.

    Booleans, text and categories are categorical; integers, floats, decimals, dates, times and durations are numeric,
    and so is text that means such. Times count in microseconds (dates and times since 1970-01-01 UTC). Sparse columns
    are numeric, and never made dense. The names of columns that ``estimator`` keeps are set (``reset``) or compared.
    """
    rules = ColumnRules() if rules is None else rules
    refuse_path(X)
    X = collect(X)
    in_files = isinstance(X, SpooledColumns)
    if rules.types and (in_files or issparse(X)):
        raise UserError(
            code="parameter-without-effect",
            message="is for dense tables",
            advice="leave it out: sparse columns hold numbers",
            parameters={"column_types": NAME_ONLY},
        )
    if in_files:
        return InMemoryDataset(StoredColumnsInFiles(X), NumberedNames(X.shape[1]))
    if issparse(X):
        matrix = X if estimator is None else _validated(estimator, X, reset, accept_sparse="csc")
        columns = read_sparse(matrix)
        return InMemoryDataset(columns, NumberedNames(len(columns)))
    return _without_missing_numbers(_with_categories(_read_dense(X, estimator, reset, rules), rules), rules)


def _read_dense(X: TableLike, estimator: BaseEstimator | None, reset: bool, rules: ColumnRules) -> InMemoryDataset:
    if not isinstance(X, np.ndarray):
        labels = check_unique(X)
        if is_arrow_table(X):
            _validate_names(estimator, X, X.shape, reset)
            return _read_arrow(X, labels, rules)
        import narwhals as nw

        frame = nw.from_native(X, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            _validate_names(estimator, X, frame.shape, reset)
            return _read_frame(frame, labels or list(frame.columns), rules)
    if isinstance(X, (list, tuple, np.ma.MaskedArray)):
        X = as_array(X)
    if reset and isinstance(X, np.ndarray) and X.ndim == 1:
        raise no_table(X.shape)
    X = X if estimator is None else _validated(estimator, X, reset, dtype=None)
    aligned = np.require(X, requirements=["ALIGNED"])  # native code takes no other arrays
    return _read_array(aligned, rules)


def _with_categories(table: InMemoryDataset, rules: ColumnRules) -> InMemoryDataset:
    """Take columns of numbers as categories where the user chose that type."""
    kinds = rules.kinds_by_index(table.names)
    categories = {j for j, kind in kinds.items() if kind == "category" and table.is_numeric(j)}
    if not categories:
        return table
    columns = [table.values(j) for j in range(table.n_features)]
    for j in categories:
        columns[j] = encode_with_missing(table.numbers(j))
    return replace(table, columns=columns)


def _without_missing_numbers(table: InMemoryDataset, rules: ColumnRules) -> InMemoryDataset:
    """Make numbers NaN where the user says that they mean a missing value; times and categories have none."""
    missing_numbers = {
        j: numbers
        for j, numbers in rules.missing_numbers_by_index(table.names).items()
        if table.is_numeric(j) and not _holds_times(table, j)
    }
    if not missing_numbers:
        return table
    columns = [table.values(j) for j in range(table.n_features)]
    for j, numbers in missing_numbers.items():
        columns[j] = with_nan(table.numbers(j), numbers, f"column {table.names[j]!r}")
    return replace(table, columns=columns)


def _holds_times(table: InMemoryDataset, j: int) -> bool:
    meaning = table.meaning_of(j)
    return meaning is not None and meaning.format.time is not None


def _validated(
    estimator: BaseEstimator | None,
    X: TableLike,
    reset: bool,
    *,
    dtype: DTypeLike | Literal["numeric"] | None = "numeric",
    accept_sparse: bool | str = False,
) -> TableLike:
    """Check the features as scikit-learn does, which also sets, or compares, the names that the estimator keeps."""
    from sklearn.utils.validation import validate_data

    return validate_data(estimator, X, reset=reset, dtype=dtype, accept_sparse=accept_sparse, ensure_all_finite=False)


def _validate_names(estimator: BaseEstimator | None, X: TableLike, shape: tuple[int, int], reset: bool) -> None:
    """Set, or compare, the names of columns that the estimator keeps. An empty table is refused later."""
    if estimator is None or not all(shape):
        return
    from sklearn.utils.validation import validate_data

    validate_data(estimator, X, reset=reset, skip_check_array=True)


def no_table(shape: tuple[int, ...]) -> UserError:
    """The error for an array that does not have two dimensions."""
    return UserError(
        code="wrong-shape",
        message=f"the data has shape {shape}",
        advice="give a table of samples x features; one column is data[[name]], or values.reshape(-1, 1)",
    )


def _read_array(X: Values, rules: ColumnRules) -> InMemoryDataset:
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
        times = TextMeaning(Plain(pa.from_numpy_dtype(f"{kind}8[us]")), is_plain=True)
        columns_of_times = [times_as_numbers(X[:, j], f"column {name!r}") for j, name in enumerate(names)]
        meanings_of_times = dict.fromkeys(range(n_features), times)
        return InMemoryDataset(np.column_stack(columns_of_times), names, text_meanings=meanings_of_times)
    if kind == "b":
        return InMemoryDataset(_encode_booleans(X), names)
    columns, text_meanings = _columns_with_text(dict(enumerate(X.T)), names, rules)
    return InMemoryDataset([columns[j] for j in range(n_features)], names, text_meanings=text_meanings)


def _columns_with_text(
    objects: Mapping[int, Any], names: Sequence[str], rules: ColumnRules
) -> tuple[dict[int, ColumnValues], dict[int, TextMeaning]]:
    """Read arrays of objects, and series, through Arrow; also return what their text means. Both by column index."""
    from bitsieve.dataset.arrow import arrow_of, column_of_arrow, is_categorical, mixed_kinds, with_declared_values

    labels = {j: f"column {names[j]!r}" for j in objects}
    arrays = []
    is_mixed = {}  # whether a column holds text and numbers
    for j, values in objects.items():
        with _excluding(names[j]):
            array, is_mixed[j] = arrow_of(values, labels[j])
        arrays.append(array)
    typed_arrays, text_meanings = typed_columns(arrays, list(objects), rules, rules.kinds_by_index(names))
    check_types_read(text_meanings, names)
    for j, array in zip(objects, typed_arrays, strict=True):
        if is_mixed[j] and is_categorical(array.type):
            with _excluding(names[j]):
                raise mixed_kinds(labels[j])
        if j not in text_meanings and pa.types.is_temporal(array.type):
            text_meanings[j] = TextMeaning(Plain(array.type), is_plain=True)
    columns = {}
    for j, array in zip(objects, typed_arrays, strict=True):
        with _excluding(names[j]):
            column = column_of_arrow(_filled_where_left_out(array, rules.has_weight), labels[j])
        is_text = j in text_meanings  # which declares no values
        columns[j] = column if is_text else with_declared_values(column, array)
    return columns, text_meanings


def _filled_where_left_out(array: ArrowArray, has_weight: Flags | None) -> ArrowArray:
    """Integers that are missing in rows without weight alone are 0 there, so that they are read as integers.

    These rows are taken out once they are read.
    """
    has_gaps = pa.types.is_integer(array.type) and array.null_count > 0
    if not has_gaps or has_weight is None or len(has_weight) != len(array):
        return array
    is_present = numpy_of(array.is_valid())
    if not is_present[has_weight].all():
        return array
    return array.fill_null(0)


@contextmanager
def _excluding(name: str) -> Iterator[None]:
    """Inside the block, an error that a column cannot be read names it, and proposes to exclude it."""
    try:
        yield
    except UserError as error:
        raise UserError(
            code=error.code,
            message=error.message,
            advice=error.advice,
            fix={"exclude": [name]},
            columns=[name],
        ) from None


def _encode_booleans(X: Flags) -> list[Encoded]:
    """The columns of a matrix of booleans as categories; a column of True alone has one category."""
    _, lows, highs = _native.extent(X.view(np.uint8), False)
    codes = np.empty(X.shape, np.int32, order="F")
    # All rows at once take ten times as long to transpose.
    rows_at_once = len(X) if X.flags.f_contiguous else _ROWS_TRANSPOSED
    for first in range(0, len(X), rows_at_once):
        rows = slice(first, first + rows_at_once)
        codes[rows] = X[rows] ^ lows.astype(bool)
    columns = []
    for j, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True)):
        categories = np.array([bool(low)]) if low == high else np.array([False, True])
        columns.append(Encoded(codes[:, j], categories))
    return columns


def check_unique(X: TableLike) -> list[Label]:
    """Refuse equal column names. Returns the names of a table of pandas or pyarrow, else none."""
    labels = _labels_that_may_be_equal(X)
    check_labels(labels)
    return labels


def _labels_that_may_be_equal(X: TableLike) -> list[Label]:
    if is_arrow_table(X):
        return list(X.column_names)
    import narwhals as nw

    return list(X.columns) if nw.dependencies.is_pandas_like_dataframe(X) else []


def check_labels(labels: Sequence[Label]) -> None:
    """Refuse two columns of the same name."""
    duplicates = [label for label, count in Counter(labels).items() if count > 1]
    if duplicates:
        raise UserError(
            code="duplicate-names",
            message=f"several columns are named {quoted(duplicates)}",
            advice="give every column a different name",
        )


def _read_arrow(arrow_table: pa.Table, labels: list[Label], rules: ColumnRules) -> InMemoryDataset:
    _check_size(*arrow_table.shape)
    arrow_columns = arrow_table.columns
    numbers = [_numbers_of_arrow(column) for column in arrow_columns]
    return _with_objects_read(numbers, arrow_columns, labels, rules)


def _read_frame(frame: nw.DataFrame[Any], labels: list[Label], rules: ColumnRules) -> InMemoryDataset:
    _check_size(*frame.shape)
    all_series = list(frame.iter_columns())
    numbers = [_numbers_of_series(series, str(label)) for series, label in zip(all_series, labels, strict=True)]
    return _with_objects_read(numbers, all_series, labels, rules)


def _with_objects_read(
    numbers: Sequence[Values | None],
    series: Sequence[nw.Series[Any] | pa.ChunkedArray],
    labels: list[Label],
    rules: ColumnRules,
) -> InMemoryDataset:
    """The columns of numbers of a frame, and its others: text, categories and times, which are read together."""
    names = [str(label) for label in labels]
    objects = {j: series[j] for j, column in enumerate(numbers) if column is None}
    read_objects, text_meanings = _columns_that_can_be_read(objects, names, rules)
    columns: list[Any] = list(numbers)
    for j in objects:
        blank = np.zeros(len(series[j]), np.uint8)  # as of every column that is dropped
        columns[j] = read_objects.get(j, blank)
    have_names = all(isinstance(label, str) for label in labels)
    feature_names = np.asarray(labels, dtype=object) if have_names else None
    return InMemoryDataset(columns, names, feature_names, text_meanings=text_meanings)


def _columns_that_can_be_read(
    objects: Mapping[int, nw.Series[Any] | pa.ChunkedArray], names: Sequence[str], rules: ColumnRules
) -> tuple[dict[int, ColumnValues], dict[int, TextMeaning]]:
    """:func:`_columns_with_text` without the columns that the user excludes and that cannot be read."""
    remaining = dict(objects)
    while remaining:
        try:
            return _columns_with_text(remaining, names, rules)
        except UserError as error:
            unread = [j for j in remaining if names[j] in error.columns and names[j] in rules.exclude]
            if not unread:
                raise
            for j in unread:
                del remaining[j]
    return {}, {}


def _numbers_of_arrow(column: pa.ChunkedArray) -> Values | None:
    """Floats, or integers of which none is missing, of an Arrow column; None for others, which are read as objects."""
    kind = column.type
    is_float = pa.types.is_float32(kind) or pa.types.is_float64(kind)
    if is_float or (pa.types.is_integer(kind) and not column.null_count):
        return numpy_of(column)
    return None


def _numbers_of_series(series: nw.Series[Any], name: str) -> Values | None:
    """The numbers of a series; None for a series that must be read through Arrow."""
    kind = series.dtype
    if not (kind.is_integer() or kind.is_float() or is_foreign(series)):
        return None
    values = numpy_of_series(series)
    if values.dtype.kind == "c":
        raise UserError(
            code="complex-numbers",
            message=f"Complex data not supported: column {name!r}",
            advice="give real numbers",
        )
    has_missing_integers = values.dtype.kind == "f" and kind.is_integer()  # large ones lose digits as floats
    if values.dtype.kind in "iuf" and not has_missing_integers:
        return values
    return None


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
