"""What a selection is made from: a table or a path, split into features and target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.messages import allowed_names, quoted
from bitsieve.progress import phase

if TYPE_CHECKING:
    import narwhals as nw
    from numpy.typing import NDArray

    from bitsieve.sources.npz import ArrayTable


@dataclass(frozen=True)
class Features:
    """Features and target of one data set.

    Attributes
    ----------
    X : ndarray or table of shape (n_samples, n_features)
        What a selector is fitted on: without the target.
    y : ndarray or series of shape (n_samples,)
    names : list of str
        One a feature; ``x0, x1, ...`` where the data has none.
    target : str
        The target's name.
    kept : ndarray or table
        What reduced data is taken from: ``X`` in the kind that was given.
    whole : table, ArrayTable or None
        The table of a file with its target, for writing a reduced one.
    """

    X: Any
    y: Any
    names: list[str]
    target: str
    kept: Any
    whole: Any = None

    @property
    def n_samples(self) -> int:
        return len(self.y)

    def take(self, indices: NDArray) -> Any:
        """The features ``indices`` in that order, in the kind and with the dtypes of the data that was given."""
        if isinstance(self.kept, np.ndarray):
            return self.kept[:, indices]
        import narwhals as nw

        return nw.from_native(self.kept, eager_only=True)[:, [int(j) for j in indices]].to_native()

    def column(self, index: int) -> NDArray:
        """One feature as an array, values as they are."""
        if isinstance(self.X, np.ndarray):
            return self.X[:, index]
        return np.asarray(self._series[index].to_native())

    @cached_property
    def _series(self) -> list[nw.Series[Any]]:
        import narwhals as nw

        # Taken once: indexing a table by column costs as much as the table is wide.
        return list(nw.from_native(self.X, eager_only=True).iter_columns())


def read_features(data: Any, target: Any = None) -> Features:
    """Split ``data`` (a table or a path) into features and target.

    Parameters
    ----------
    data : array-like of shape (n_samples, n_features), dataframe, or path
    target : str or array-like of shape (n_samples,), optional
        A column of ``data``, which is then no feature, or the values themselves. A .npz file's is ``y`` by default.
    """
    phase("reading")
    if isinstance(data, (str, PathLike)):
        features = _from_file(data, target)
    elif _is_table(data):
        features = _from_table(data, target)
    else:
        features = _from_array(data, target)
    if not features.names:
        raise ValueError(f"the data holds only the target {features.target!r}: at least one feature is needed")
    if features.n_samples < 2:
        raise ValueError(f"the data has {features.n_samples} sample: at least 2 are needed to tell anything apart")
    return features


def _is_table(data: Any) -> bool:
    import narwhals as nw

    return nw.dependencies.is_into_dataframe(data) or isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)


def _from_file(path: str | PathLike[str], target: Any) -> Features:
    from bitsieve.sources.files import read_table
    from bitsieve.sources.npz import ArrayTable

    table = read_table(path)
    if isinstance(table, ArrayTable):
        return _from_npz(table, target)
    return _from_table(table, target)


def _from_npz(table: ArrayTable, target: Any) -> Features:
    names = table.names
    if target is None or (isinstance(target, str) and target == "y" and "y" not in names):
        X, y, name = table.X, table.y, "y"
    elif isinstance(target, str):
        at = _position(target, [*names, "y"])
        X, y, name = np.delete(table.X, at, axis=1), table.X[:, at], target
        names = [*names[:at], *names[at + 1 :]]
    else:
        X, name = table.X, "target"
        y = _values(target, len(X))
    if name in names:
        raise ValueError(f"the target and a feature are both named {name!r}: give the feature another name")
    whole = type(table)(X, y, names)
    named = X
    if names != [f"x{j}" for j in range(len(names))]:
        import pyarrow as pa

        # A table carries the names into the selector and into every message about a column.
        named = pa.table([pa.array(X[:, j]) for j in range(X.shape[1])], names=names)
    return Features(named, y, names, name, kept=X, whole=whole)


def _from_table(data: Any, target: Any) -> Features:
    import narwhals as nw

    labels = list(data.columns) if hasattr(data, "iloc") else None  # pandas: labels may repeat and be no strings
    if labels is not None:
        _check_unique(labels)
    elif hasattr(data, "column_names"):
        _check_unique(list(data.column_names))
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise ValueError("the data is a lazy table: collect() it first")
    columns = frame.columns
    if target is None:
        raise ValueError(f"no target is given: name one of the columns {quoted(columns)}")
    if isinstance(target, Hashable) and not _is_series(target):
        at = _position(target, columns)
        others = frame[:, [j for j in range(len(columns)) if j != at]]
        y = frame[:, at].to_native()
        name = str(target)
    else:
        others, y = frame, _values(target, len(frame))
        name = str(getattr(target, "name", None) or "target")
    native = others.to_native()
    names = [str(label) for label in others.columns]
    return Features(native, y, names, name, kept=native, whole=data)


def _from_array(data: Any, target: Any) -> Features:
    if hasattr(data, "toarray"):
        raise ValueError("the data is a sparse matrix: give it dense, as data.toarray()")
    X = np.asarray(data)
    if X.ndim != 2:
        raise ValueError(f"the data has shape {X.shape}: it must be samples x features")
    if target is None or isinstance(target, str):
        raise ValueError("the data is an array, whose columns have no names: give the target as an array of its values")
    names = [f"x{j}" for j in range(X.shape[1])]
    return Features(X, _values(target, len(X)), names, "target", kept=X)


def _check_unique(labels: list[Any]) -> None:
    twice = [label for label, number in Counter(labels).items() if number > 1]
    if twice:
        raise ValueError(f"several columns are named {quoted(twice)}: give every column its name")


def _position(target: Any, columns: list[Any]) -> int:
    if target in columns:
        return columns.index(target)
    names = [str(column) for column in columns]
    raise ValueError(f"there is no column {str(target)!r} for the target: {allowed_names(str(target), names)}")


def _is_series(values: Any) -> bool:
    import narwhals as nw

    return nw.dependencies.is_into_series(values)


def _values(target: Any, n_samples: int) -> Any:
    """A target given by its values: a series as it is, anything else as an array."""
    y = target if _is_series(target) else np.asarray(target)
    shape = np.shape(y) if isinstance(y, np.ndarray) else (len(y),)
    if len(shape) != 1:
        raise ValueError(f"the target has shape {shape}: it must be one value a sample")
    if len(y) != n_samples:
        raise ValueError(f"the target has {len(y):,} values but the data has {n_samples:,} rows: they must be as many")
    return y
