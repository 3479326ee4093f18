"""What a selection is made from: a table or a path, split into features and target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.attributes import cached_property
from bitsieve.common.errors import Sentence, Setting
from bitsieve.common.messages import allowed_names, quoted
from bitsieve.common.progress import phase
from bitsieve.files.npz import ArrayTable

if TYPE_CHECKING:
    import narwhals as nw
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Features:
    """Features and target of one data set.

    Attributes
    ----------
    X : ndarray or table of shape (n_samples, n_features)
        What a selector is fitted on: without the target.
    y : ndarray or series of shape (n_samples,), or 2-D array or table of several targets
    names : list of str
        One a feature; ``x0, x1, ...`` where the data has none.
    target : str
        The target's name; of several the names with commas between them.
    kept : ndarray or table
        What reduced data is taken from: ``X`` in the kind that was given.
    whole : table, ArrayTable or None
        The table of a file with its target, for writing a reduced one.
    targets : tuple of str
        The columns of ``whole`` that are the target.
    weights : ndarray of int64 or None
        How many times each sample stands; samples of weight 0 are no longer in ``X`` and ``y``.
    weight : str or None
        The name of the weights.
    """

    X: Any
    y: Any
    names: list[str]
    target: str
    kept: Any
    whole: Any = None
    targets: tuple[str, ...] = ()
    weights: NDArray[np.int64] | None = None
    weight: str | None = None

    @property
    def n_samples(self) -> int:
        return len(self.y)

    def fit_weights(self, selector: Any, method: str) -> dict[str, Any]:
        """What ``fit`` of a selector gets beside X and y: the weights, if there are any and the method takes them."""
        from sklearn.utils.validation import has_fit_parameter

        if self.weights is None:
            return {}
        if not has_fit_parameter(selector, "sample_weight"):
            refusal = f"method {method!r} takes no ", Setting("sample_weight"), ": leave it out, or repeat the rows"
            raise ValueError(Sentence(*refusal))
        return {"sample_weight": self.weights}

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


def read_features(data: Any, target: Any = None, sample_weight: Any = None) -> Features:
    """Split ``data`` (a table or a path) into features, target and weights.

    Parameters
    ----------
    data : array-like of shape (n_samples, n_features), dataframe, or path
    target : str or array-like of shape (n_samples,), optional
        A column of ``data``, which is then no feature, or the values themselves; or a list of columns. A .npz file's is
        ``y`` by default.
    sample_weight : str or array-like of shape (n_samples,), optional
        A column of ``data``, which is then no feature, or the values themselves.
    """
    phase("reading")
    if isinstance(data, (str, PathLike)):
        from bitsieve.files.read import read_table

        data = read_table(data)
    if isinstance(data, ArrayTable):
        features = _from_npz(data, target, sample_weight)
    elif _is_table(data):
        features = _from_table(data, target, sample_weight)
    else:
        features = _from_array(data, target, sample_weight)
    if not features.names:
        raise ValueError(f"the data holds only the target {features.target!r}: at least one feature is needed")
    if features.n_samples < 2:
        raise ValueError(f"the data has {features.n_samples} sample: at least 2 are needed to tell anything apart")
    return features


def _is_table(data: Any) -> bool:
    import narwhals as nw

    return nw.dependencies.is_into_dataframe(data) or isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)


def _from_npz(table: ArrayTable, target: Any, sample_weight: Any) -> Features:
    names = table.names
    if _column_names(target, [*names, "y"], len(table.X)) or isinstance(sample_weight, str):
        return _from_table(_as_arrow(table), "y" if target is None else target, sample_weight)
    if target is None or (isinstance(target, str) and target == "y" and "y" not in names):
        X, y, name = table.X, table.y, "y"
    elif isinstance(target, str):
        at = _position(target, [*names, "y"], "target")
        X, y, name = np.delete(table.X, at, axis=1), table.X[:, at], target
        names = [*names[:at], *names[at + 1 :]]
    else:
        X, name = table.X, "target"
        y = _values(target, len(X))
    if name in names:
        raise ValueError(f"the target and a feature are both named {name!r}: give the feature another name")
    whole = ArrayTable(X, y, names)
    # A table carries the names into the selector and into every message about a column.
    named = X if names == [f"x{j}" for j in range(len(names))] else _arrow_columns(X, names)
    return _weighed(Features(named, y, names, name, kept=X, whole=whole, targets=(name,)), sample_weight, None)


def _as_arrow(table: ArrayTable) -> Any:
    if "y" in table.names:
        raise ValueError("the target and a feature are both named 'y': give the feature another name")
    import pyarrow as pa

    return _arrow_columns(table.X, table.names).append_column("y", pa.array(table.y))


def _arrow_columns(X: NDArray, names: list[str]) -> Any:
    import pyarrow as pa

    return pa.table([pa.array(X[:, j]) for j in range(X.shape[1])], names=names)


def _from_table(data: Any, target: Any, sample_weight: Any) -> Features:
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
    several = _column_names(target, columns, len(frame))
    if len(several) == 1:
        target = several[0]
    if len(several) > 1:
        taken = [_position(column, columns, "target") for column in several]
        if len(set(taken)) < len(taken):
            raise ValueError(f"the targets {quoted(several)} name a column twice: name each once")
        y = frame[:, taken].to_native()
        name = ", ".join(map(str, several))
    elif isinstance(target, Hashable) and not _is_series(target):
        taken = [_position(target, columns, "target")]
        y, name = frame[:, taken[0]].to_native(), str(target)
    else:
        taken = []
        y, name = _values(target, len(frame)), str(getattr(target, "name", None) or "target")
    targets = tuple(str(columns[j]) for j in taken)
    weight = None
    if isinstance(sample_weight, str):
        at = _position(sample_weight, columns, "weight")
        if at in taken:
            raise ValueError(f"column {sample_weight!r} cannot be both the target and the weight")
        taken, weight, sample_weight = [*taken, at], sample_weight, frame[:, at].to_native()
    others = frame[:, [j for j in range(len(columns)) if j not in set(taken)]]
    native = others.to_native()
    names = [str(label) for label in others.columns]
    features = Features(native, y, names, name, kept=native, whole=data, targets=targets)
    return _weighed(features, sample_weight, weight)


def _from_array(data: Any, target: Any, sample_weight: Any) -> Features:
    if hasattr(data, "toarray"):
        raise ValueError("the data is a sparse matrix: give it dense, as data.toarray()")
    X = np.asarray(data)
    if X.ndim != 2:
        raise ValueError(f"the data has shape {X.shape}: it must be samples x features")
    if target is None or isinstance(target, str):
        raise ValueError("the data is an array, whose columns have no names: give the target as an array of its values")
    if isinstance(sample_weight, str):
        raise ValueError("the data is an array, whose columns have no names: give sample_weight as an array")
    names = [f"x{j}" for j in range(X.shape[1])]
    return _weighed(Features(X, _values(target, len(X)), names, "target", kept=X), sample_weight, None)


def _weighed(features: Features, sample_weight: Any, weight: str | None) -> Features:
    """The features with their weights, and without the samples of weight 0."""
    if sample_weight is None:
        return features
    from bitsieve.table.weights import weigh

    weights, X, y = weigh(sample_weight, features.X, features.y)
    return replace(features, X=X, y=y, weights=weights, weight=weight or "sample_weight")


def _column_names(target: Any, columns: list[Any], n_samples: int) -> list[str]:
    """The names of a target that is a list of columns; empty for one that is a column or holds a value a sample."""
    if not isinstance(target, (list, tuple)) or not target or not all(isinstance(part, str) for part in target):
        return []
    return list(target) if len(target) != n_samples or set(target) <= set(columns) else []


def _check_unique(labels: list[Any]) -> None:
    twice = [label for label, number in Counter(labels).items() if number > 1]
    if twice:
        raise ValueError(f"several columns are named {quoted(twice)}: give every column its name")


def _position(wanted: Any, columns: list[Any], what: str) -> int:
    if wanted in columns:
        return columns.index(wanted)
    names = [str(column) for column in columns]
    raise ValueError(f"there is no column {str(wanted)!r} for the {what}: {allowed_names(str(wanted), names)}")


def _is_series(values: Any) -> bool:
    import narwhals as nw

    return nw.dependencies.is_into_series(values)


def _values(target: Any, n_samples: int) -> Any:
    """A target given by its values: a series as it is, anything else as an array."""
    y = target if _is_series(target) else np.asarray(target)
    shape = np.shape(y) if isinstance(y, np.ndarray) else (len(y),)
    if len(shape) not in (1, 2):
        raise ValueError(f"the target has shape {shape}: it must be one value a sample, or a row of them")
    if len(y) != n_samples:
        raise ValueError(f"the target has {len(y):,} values but the data has {n_samples:,} rows: they must be as many")
    return y
