"""A table from a data frame, an array or a file: features, target and weights are separated and read."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_consistent_length

from bitsieve.common.messages import allowed_names, quoted
from bitsieve.common.names import NumberedNames
from bitsieve.common.parameters import check_flag
from bitsieve.common.progress import phase
from bitsieve.data.columns import check_unique, read_columns, take_columns, with_rows
from bitsieve.data.encoding import as_array
from bitsieve.data.sparse import SpooledTable, read_sparse
from bitsieve.data.target import check_target_bins, read_target
from bitsieve.data.weights import read_weights, zero_where_missing
from bitsieve.files.npz import ArrayTable
from bitsieve.files.spooled_columns import SpooledColumns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bitsieve.data.table import Table


@dataclass(frozen=True, eq=False)
class Given:
    """The data as it was given, all of its rows.

    Attributes
    ----------
    features : ndarray, dataframe, SpooledColumns or sparse matrix or array of shape (n_samples, n_features)
        The features alone.
    whole : dataframe, ArrayTable or None
        The table that held the target, too; None for an array.
    others : tuple of str
        The columns of ``whole`` that are no features: the target, of one or several columns, and the weights.
    weight : str or None
        The name of the frequency weights, "sample_weight" where they were given by their values.
    labels : sequence or None
        What the columns of ``features`` are called in the data, of whatever type; None where they have no names.
    original : lazy frame, RecordBatch or None
        The data, where its rows had to be collected first: selected columns are taken from it.
    """

    features: Any
    whole: Any = None
    others: tuple[str, ...] = ()
    weight: str | None = None
    labels: Sequence[Any] | None = None
    original: Any = None

    def take(self, indices: NDArray[np.intp]) -> Any:
        """The features ``indices`` in that order, in the kind and with the dtypes of the data that was given.

        None where they lie in a spool, as they need not fit into memory.
        """
        if isinstance(self.features, SpooledColumns):
            return None
        if isinstance(self.features, np.ndarray):
            return self.features[:, indices]
        if issparse(self.features):
            return columns_of_sparse(self.features, indices)
        if self.original is not None and self.labels is not None:
            return take_columns(self.original, [self.labels[j] for j in indices])
        import narwhals as nw

        return nw.from_native(self.features, eager_only=True)[:, [int(j) for j in indices]].to_native()

    def with_target(self, names: Sequence[str]) -> Any:
        """Some features of the whole table, then its target and weights, for writing to a file."""
        if not isinstance(self.whole, ArrayTable):
            return self.whole.select([*names, *self.others])
        if len(self.others) > 1:
            return arrow_table(self.whole, [*names, *self.others])
        places = [self.whole.names.index(name) for name in names]
        return ArrayTable(self.whole.X[:, places], array_column(self.whole, self.others[0]), list(names))


def columns_of_sparse(values: Any, columns: Any) -> Any:
    """Some columns of a sparse matrix or array, in its own format."""
    by_index = values if values.format in ("csr", "csc") else values.tocsc()
    return by_index[:, columns].asformat(values.format)


def arrow_table(arrays: ArrayTable, names: Sequence[str]) -> Any:
    """Some columns of a table of arrays, of which ``y`` is one, as an Arrow table."""
    import pyarrow as pa

    return pa.table([pa.array(array_column(arrays, name)) for name in names], names=list(names))


def array_column(arrays: ArrayTable, name: str) -> NDArray[Any]:
    """One feature of a table of arrays, or its ``y``."""
    return arrays.column(name) if name in arrays.names else arrays.y


def read_xy(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    estimator: Any = None,
    reset: bool = True,
    target_name: str = "y",
    target_bins: int | str | None = None,
) -> Table:
    """Read features, target and frequency weights into one table.

    Parameters
    ----------
    X : array-like, pandas or polars DataFrame, pyarrow Table, scipy.sparse, of shape (n_samples, n_features)
        Booleans, text and categories are categorical; integers, floats, decimals, dates, times and durations are
        numeric. Sparse columns are numeric, and never made dense.
    y : array-like, Series or DataFrame, of shape (n_samples,) or (n_samples, n_targets), optional
        Classes of any kind; floats with a fractional part are binned. Several columns are one target.
    sample_weight : array-like of shape (n_samples,), optional
        Whole numbers: how many times each sample counts. Samples of weight 0 are left out.
    estimator : estimator, optional
        Whose ``n_features_in_`` and ``feature_names_in_`` are set, and whose name scikit-learn puts into messages.
    reset : bool, default=True
        False where the columns must be those that the estimator has.
    target_name : str, default="y"
        What messages call the target.
    target_bins : int or "none", optional
        Equal-frequency classes of a target that is a quantity, 5 by default: numbers with a fractional part, or more
        than 100 different whole numbers. A number that is given is obeyed by whole numbers, too, of which more
        different ones occur; "none" takes each number as a class.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        If the features, the target or the weights cannot be read, or are not as many.

    Examples
    --------
    >>> from bitsieve.data.read import read_xy
    >>> table = read_xy([[1.5, "a"], [2.5, "b"], [0.5, "b"]], ["no", "yes", "no"], [2, 0, 3])
    >>> table.numeric(0).tolist(), table.target.labels.tolist(), table.weights.tolist()
    ([1.5, 0.5], ['no'], [2, 3])
    """
    X = with_rows(X)
    if isinstance(X, SpooledColumns):
        table: Table = SpooledTable.of(X)
    else:
        table = (read_sparse if issparse(X) else read_columns)(X, estimator=estimator, reset=reset)
    if y is not None:
        check_consistent_length(X, y)
    weights = read_weights(sample_weight, table.n_samples)
    target = None if y is None else read_target(y, name=target_name, n_bins=target_bins, weights=weights)
    if weights is not None and not weights.all():
        table, weights = table.take(np.flatnonzero(weights)), weights[weights > 0]
    return replace(table, y=target, weights=None if weights is None or (weights == 1).all() else weights)


def read_data(
    data: Any,
    target: Any = None,
    sample_weight: Any = None,
    *,
    target_bins: int | str | None = None,
    drop_missing: bool = False,
    header: bool | None = None,
) -> Table:
    """Split ``data`` into features, target and frequency weights, and read them.

    Parameters
    ----------
    data : array-like or scipy.sparse of shape (n_samples, n_features), dataframe, or path
        numpy, pandas, polars (lazy, too) or pyarrow (table or record batch); or a CSV, TSV, Parquet, Arrow/Feather,
        libsvm or .npz file.
    target : str or array-like of shape (n_samples,), or several, optional
        A column of ``data``, which is then no feature, or the values themselves; or a list of columns. A .npz file's is
        ``y`` by default.
    sample_weight : str or array-like of shape (n_samples,), optional
        A column of ``data``, which is then no feature, or the values themselves.
    target_bins : int or "none", optional
        Equal-frequency classes of a target that is a quantity, 5 by default: numbers with a fractional part, or more
        than 100 different whole numbers. A number that is given is obeyed by whole numbers, too, of which more
        different ones occur; "none" takes each number as a class.
    drop_missing : bool, default=False
        Whether rows without a target are left out; else they are an error.
    header : bool, optional
        Whether the first line of a text file has the names. By default it has, unless it looks like data, which is an
        error.

    Returns
    -------
    Table
        Its ``given`` is the data in the kind that was given.

    Raises
    ------
    ValueError
        If the data cannot be read or split: one line that says what to do.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from bitsieve.data.read import read_data
    >>> table = read_data(pa.table({"a": [1, 2, 1], "b": [0, 0, 1], "class": ["x", "y", "x"]}), "class")
    >>> table.names, table.target.name, table.target.labels.tolist()
    (['a', 'b'], 'class', ['x', 'y'])
    """
    check_target_bins(target_bins)
    check_flag("drop_missing_target", drop_missing)
    of_target = TargetRules(target_bins, drop_missing)
    phase("reading")
    notes: list[str] = []
    if isinstance(data, (str, PathLike)):
        from bitsieve.files.read import read_table

        data = read_table(data, header=header, notes=notes)
    original, data = data, with_rows(data)
    if isinstance(data, ArrayTable) and _is_split(data, target, sample_weight):
        table = _from_sparse_arrays(data, sample_weight, of_target)
    elif isinstance(data, ArrayTable):
        table = _split(_Archive(data), target, sample_weight, of_target)
    elif nw.dependencies.is_into_dataframe(data):
        table = _split(_Frame(data), target, sample_weight, of_target)
    else:
        table = _from_array(data, target, sample_weight, of_target)
    if table.n_samples < 2:
        raise ValueError(f"the data has {table.n_samples} sample: at least 2 are needed to tell anything apart")
    if original is not data and table.given is not None:
        table = replace(table, given=replace(table.given, original=original))
    return replace(table, notes=tuple(notes)) if notes else table


class TargetRules(NamedTuple):
    """How a target is read: the classes of a quantity, and whether rows without a target are left out."""

    bins: int | str | None
    drop_missing: bool

    def read(self, X: Any, y: Any, sample_weight: Any, name: str) -> Table:
        """Features, target and weights as a table."""
        if self.drop_missing:
            sample_weight = zero_where_missing(sample_weight, y)
        return read_xy(X, y, sample_weight, target_name=name, target_bins=self.bins)


class _Frame:
    """A data frame: its columns by their places."""

    def __init__(self, data: Any) -> None:
        check_unique(data)
        frame = nw.from_native(data, eager_only=True)
        self.whole, self.frame = data, frame
        self.names, self.n_samples, self.n_features = frame.columns, len(frame), len(frame.columns)

    def default_target(self) -> Any:
        raise ValueError(f"no target is given: name one of the columns {quoted(self.names)}")

    def column(self, place: int) -> Any:
        return self.frame[:, place].to_native()

    def columns(self, places: list[int]) -> Any:
        return self.frame[:, places].to_native()

    features = columns


class _Archive:
    """The arrays of a .npz file: the columns of ``X``, and ``y`` behind them, which is never a feature."""

    def __init__(self, whole: ArrayTable) -> None:
        self.whole = whole
        self.names, self.n_samples, self.n_features = [*whole.names, "y"], whole.X.shape[0], len(whole.names)

    def default_target(self) -> Any:
        if "y" in self.whole.names:
            raise ValueError("the target and a feature are both named 'y': give the feature another name")
        return "y"

    def column(self, place: int) -> NDArray[Any]:
        return array_column(self.whole, self.names[place])

    def columns(self, places: list[int]) -> Any:
        return arrow_table(self.whole, [self.names[place] for place in places])

    def features(self, places: list[int]) -> Any:
        X = self.whole.X
        if len(places) == self.n_features:
            return X
        return X.columns(places) if isinstance(X, SpooledColumns) else X[:, places]


def _split(source: _Frame | _Archive, target: Any, sample_weight: Any, rules: TargetRules) -> Table:
    """Take the target and the weights out of named columns."""
    names = source.names
    if target is None:
        target = source.default_target()
    several = _column_names(target, names, source.n_samples)
    if len(several) == 1:
        target = several[0]
    if len(several) > 1:
        taken = [_place(column, names, "target") for column in several]
        if len(set(taken)) < len(taken):
            raise ValueError(f"the targets {quoted(several)} name a column twice: name each once")
        y, name = source.columns(taken), ", ".join(map(str, several))
    elif _is_label(target, names):
        taken = [_place(target, names, "target")]
        y, name = source.column(taken[0]), str(target)
    else:
        taken = []
        y, name = _values(target, source.n_samples), str(getattr(target, "name", None) or "target")
    weight = None
    if isinstance(sample_weight, str):
        place = _place(sample_weight, names, "weight")
        if place in taken:
            raise ValueError(f"column {sample_weight!r} cannot be both the target and the weight")
        taken, weight, sample_weight = [*taken, place], sample_weight, source.column(place)
    elif sample_weight is not None:
        weight = "sample_weight"
    left = [place for place in range(source.n_features) if place not in taken]
    if not left:
        raise ValueError(f"the data holds only the target {name!r}: at least one feature is needed")
    features = source.features(left)
    table = rules.read(features, y, sample_weight, name)
    labels = [names[place] for place in left]
    given = Given(features, source.whole, tuple(str(names[place]) for place in taken), weight, labels)
    if isinstance(source, _Frame):
        return replace(table, given=given)
    unnamed = labels == [f"x{j}" for j in range(len(left))]
    return replace(table, names=labels, feature_names=None if unnamed else np.array(labels, object), given=given)


def _is_split(data: ArrayTable, target: Any, sample_weight: Any) -> bool:
    """Whether ``X`` is sparse and holds neither the target nor the weights: its columns need not be gone through."""
    of_y = target is None or (isinstance(target, str) and target == "y")
    is_sparse = issparse(data.X) or isinstance(data.X, SpooledColumns)
    return is_sparse and of_y and "y" not in data.names and not isinstance(sample_weight, str)


def _from_sparse_arrays(data: ArrayTable, sample_weight: Any, rules: TargetRules) -> Table:
    """The columns of a sparse ``X``, which may be too many to go through by name, and ``y``."""
    table = rules.read(data.X, data.y, sample_weight, "y")
    given = Given(data.X, data, ("y",), None if sample_weight is None else "sample_weight")
    if isinstance(data.names, NumberedNames):
        return replace(table, given=given)
    return replace(table, names=data.names, feature_names=np.array(data.names, object), given=given)


def _from_array(data: Any, target: Any, sample_weight: Any, rules: TargetRules) -> Table:
    X = data if issparse(data) else as_array(data)
    if X.ndim != 2:
        raise ValueError(f"the data has shape {X.shape}: it must be samples x features")
    if target is None or isinstance(target, str):
        raise ValueError("the data is an array, whose columns have no names: give the target as an array of its values")
    if isinstance(sample_weight, str):
        raise ValueError("the data is an array, whose columns have no names: give sample_weight as an array")
    y = _values(target, X.shape[0])
    table = rules.read(X, y, sample_weight, "target")
    return replace(table, given=Given(X, weight=None if sample_weight is None else "sample_weight"))


def _column_names(target: Any, columns: list[Any], n_samples: int) -> list[str]:
    """The names of a target that is a list of columns; empty for one that is a column or holds a value a sample."""
    if not isinstance(target, (list, tuple)) or not target or not all(isinstance(part, str) for part in target):
        return []
    return list(target) if len(target) != n_samples or set(target) <= set(columns) else []


def _is_label(target: Any, columns: list[Any]) -> bool:
    """Whether a target is the name of a column, and not a value a sample."""
    if not isinstance(target, Hashable) or nw.dependencies.is_into_series(target):
        return False
    return not isinstance(target, tuple) or target in columns


def _place(wanted: Any, columns: list[Any], what: str) -> int:
    if wanted in columns:
        return columns.index(wanted)
    names = [str(column) for column in columns]
    raise ValueError(f"there is no column {str(wanted)!r} for the {what}: {allowed_names(str(wanted), names)}")


def _values(target: Any, n_samples: int) -> Any:
    """A target given by its values: a series or a frame as it is, anything else as an array."""
    known = nw.dependencies.is_into_series(target) or nw.dependencies.is_into_dataframe(target)
    y = target if known else as_array(target)
    shape = np.shape(y) if isinstance(y, np.ndarray) else (len(y),)
    if len(shape) not in (1, 2):
        raise ValueError(f"the target has shape {shape}: it must be one value a sample, or a row of them")
    if len(y) != n_samples:
        raise ValueError(f"the target has {len(y):,} values but the data has {n_samples:,} rows: they must be as many")
    return y
