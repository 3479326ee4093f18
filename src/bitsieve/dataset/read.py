"""A table from a data frame, an array or a file: features, target and weights are separated and read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Number
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.column_info import TextParsing
from bitsieve.dataset.columns import check_unique, no_table, read_columns
from bitsieve.dataset.data_kinds import collect, is_path, take_columns
from bitsieve.dataset.dataset import InMemoryDataset, check_several_rows
from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.notes import rows_without_target
from bitsieve.dataset.original import OriginalData, not_read_again
from bitsieve.dataset.quantity import AS_FOUND, TargetKind
from bitsieve.dataset.roles import Roles, split_columns
from bitsieve.dataset.target import (
    check_read,
    no_row_counts,
    read_groups,
    read_target,
    read_weights,
    zero_where_missing,
)
from bitsieve.dataset.text import target_with_text_read
from bitsieve.dataset.text_format import ColumnRules
from bitsieve.diagnostics import Diagnostic, UserError, literal
from bitsieve.io.npz import ArrayTable
from bitsieve.io.spooled_columns import SpooledColumns
from bitsieve.options import ReadOptions
from bitsieve.utils.arrays import Columns, Flags
from bitsieve.utils.lazy import NumberedNames, issparse
from bitsieve.utils.messages import quoted
from bitsieve.utils.progress import phase


def read_xy(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    *,
    estimator: Any = None,
    reset: bool = True,  # False where the columns must be those that the estimator has
    target_name: str = "y",  # what messages call the target
    said: TargetKind = AS_FOUND,  # what the target is said to be
    rules: ColumnRules | None = None,  # as in :func:`~bitsieve.dataset.columns.read_columns`
    drop_missing: bool = False,  # whether rows without a target are left out
) -> InMemoryDataset:
    """Read features, target and frequency weights into one table."""
    rules, parsings = ColumnRules() if rules is None else rules, dict[str, TextParsing]()
    if y is not None:
        y, parsings = _with_text_read(y, replace(rules, counted=_counted(sample_weight)), drop_missing)
        sample_weight = _of_those_with_target(sample_weight, y) if drop_missing else sample_weight
    counted = _counted(sample_weight)
    table = read_columns(X, estimator=estimator, reset=reset, rules=replace(rules, counted=counted))
    if y is not None and n_rows(y) != table.n_samples:
        raise UserError(
            code="lengths-differ",
            message=f"X has {table.n_samples:,} rows but y has {n_rows(y):,} values",
            advice="they must be as many",
        )
    table = table if groups is None else replace(table, groups=read_groups(groups, table.n_samples))
    weights = read_weights(sample_weight, table.n_samples)
    target = None if y is None else read_target(y, name=target_name, said=said, weights=weights)
    target = None if target is None else replace(target, parsings=parsings)
    if weights is not None and not weights.all():
        table, weights = table.take(np.flatnonzero(weights)), weights[weights > 0]
    diagnostics: tuple[Diagnostic, ...] = ()
    if drop_missing and target is not None and (n_dropped := n_without(y)):
        diagnostics = (rows_without_target(target.names, n_dropped, n_dropped + table.n_samples),)
    weights = None if weights is None or (weights == 1).all() else weights
    return replace(table, y=target, weights=weights, diagnostics=diagnostics)


def _with_text_read(y: Any, rules: ColumnRules, drop_missing: bool) -> tuple[Any, dict[str, TextParsing]]:
    read, parsings = target_with_text_read(y, rules)
    if not drop_missing and any(parsing.has_missing for parsing in parsings.values()):
        return y, {}  # refused for the values that are not there
    check_read(parsings, drop_missing)
    return read, parsings


def _of_those_with_target(sample_weight: Any, y: Any) -> Any:
    """The weights with a zero for every row without a target."""
    weights = zero_where_missing(sample_weight, y)
    if weights is not None and not (as_array(weights) != 0).any():
        raise no_row_counts("the data", weighted=sample_weight is not None, drop_missing=True)
    return weights


def _counted(sample_weight: Any) -> Flags | None:
    """Which rows count for what text means: those whose weight is not 0; None: all."""
    weights = None if sample_weight is None else np.asarray(sample_weight)
    if weights is None or weights.dtype.kind not in "biuf" or weights.all() or weights.ndim != 1:
        return None  # other weights are refused once the columns are read
    return np.asarray(weights != 0)


def n_without(y: Any) -> int:
    """How many rows have no value in a column of their target."""
    weights = zero_where_missing(None, y) if n_rows(y) else None
    return 0 if weights is None else int((weights == 0).sum())


def n_rows(values: Any) -> int:
    """How many rows there are."""
    if hasattr(values, "shape") and len(values.shape):
        return int(values.shape[0])
    return len(values) if hasattr(values, "__len__") else len(np.asarray(values))


def read_data(data: Any, options: ReadOptions) -> InMemoryDataset:
    """Split ``data`` into features, target and frequency weights, and read them.

    The data is an array, a frame, a sparse table or the path of a file. Target, weights and groups are columns of it,
    which then are no features, or values; the target of a .npz file is ``y`` by default.
    """
    target_kind = TargetKind.from_options(options)
    phase("reading")
    diagnostics: list[Diagnostic] = []
    if is_path(data):
        from bitsieve.io.read import read_table

        data = read_table(data, header=options.header, diagnostics=diagnostics)
    original, data = data, collect(data)
    if getattr(data, "shape", None) and not data.shape[0]:
        raise no_row_counts("the data", weighted=False, drop_missing=False)
    if isinstance(data, ArrayTable):
        table = _from_arrays(data, options, target_kind)
    elif nw.dependencies.is_into_dataframe(data):
        table = _from_frame(data, original, options, target_kind)
    else:
        table = _from_array(data, options, target_kind)
    check_several_rows(table)
    if options.groups is not None and table.original is not None:
        groups = options.groups if isinstance(options.groups, str) else "groups"
        table = replace(table, original=replace(table.original, groups=groups))
    return replace(table, diagnostics=(*diagnostics, *table.diagnostics))


def _read_roles(
    source: _Frame | _Archive, roles: Roles, options: ReadOptions, target_kind: TargetKind
) -> InMemoryDataset:
    """The columns of a source by their roles; what is no column of it is given by its values."""
    y = source.several(roles.target) if roles.target else given_values(options.target, source.n_samples)
    weights = options.sample_weight if roles.weight is None else source.several([roles.weight])
    groups = options.groups if roles.groups is None else source.several([roles.groups])
    return _read_values(source.features(roles.features), y, weights, groups, roles.target_name, options, target_kind)


def _read_values(
    X: Any,
    y: Any,
    sample_weight: Any,
    groups: Any,
    target_name: str,
    options: ReadOptions,
    target_kind: TargetKind,
) -> InMemoryDataset:
    return read_xy(
        X,
        y,
        sample_weight,
        groups,
        target_name=target_name,
        said=target_kind,
        rules=ColumnRules.from_options(options),
        drop_missing=options.drop_missing_target,
    )


class _Frame:
    """The named columns of a data frame."""

    def __init__(self, data: Any) -> None:
        check_unique(data)
        self.frame = nw.from_native(data, eager_only=True)
        self.labels, self.n_samples = list(self.frame.columns), len(self.frame)
        self.places = {label: place for place, label in enumerate(self.labels)}

    def several(self, labels: list[Any]) -> Any:
        """One column, or a frame of several."""
        places = [self.places[label] for label in labels]
        return (self.frame[:, places[0]] if len(places) == 1 else self.frame[:, places]).to_native()

    def features(self, labels: list[Any]) -> Any:
        """A frame of some columns."""
        return self.frame[:, [self.places[label] for label in labels]].to_native()


class _Archive:
    """The arrays of a .npz file: the columns of ``X``, and ``y`` behind them, which is never a feature."""

    def __init__(self, whole: ArrayTable) -> None:
        self.whole, self.labels, self.n_samples = whole, [*whole.names, "y"], whole.X.shape[0]

    def several(self, labels: list[Any]) -> Any:
        """One column, or an Arrow table of several."""
        return self.column(labels[0]) if len(labels) == 1 else self.table(labels)

    def features(self, labels: list[Any]) -> Any:
        """Some columns of ``X``."""
        X = self.whole.X
        if len(labels) == len(self.whole.names):
            return X
        places = [self.whole.names.index(label) for label in labels]
        return X[:, places] if isinstance(X, np.ndarray) or issparse(X) else X.columns(places)

    def column(self, label: str) -> NDArray[Any]:
        """One feature, or ``y``."""
        return self.whole.column(label) if label in self.whole.names else self.whole.y

    def table(self, labels: Sequence[str]) -> Any:
        """Some columns, of which ``y`` may be one, as an Arrow table."""
        import pyarrow as pa

        return pa.table([pa.array(self.column(label)) for label in labels], names=list(labels))

    def with_target(self, others: list[str], names: Sequence[str]) -> Any:
        """Some features, then the target and the weights, for writing to a file."""
        if len(others) > 1:
            return self.table([*names, *others])
        places = [self.whole.names.index(name) for name in names]
        return ArrayTable(self.whole.X[:, places], self.column(others[0]), list(names))


def _from_frame(data: Any, original: Any, options: ReadOptions, target_kind: TargetKind) -> InMemoryDataset:
    """Take the target and the weights out of named columns of a frame, which was collected where it is not original."""
    source = _Frame(data)
    if options.target is None:
        raise UserError(
            code="target-needed",
            message="no target is given",
            advice=f"name one of the columns {literal(quoted(source.labels))}",
        )
    roles = split_columns(
        source.labels, options.target, options.sample_weight, options.groups, n_samples=source.n_samples
    )
    table = _read_roles(source, roles, options, target_kind)

    def take(indices: Columns) -> Any:
        labels = [roles.features[j] for j in indices.tolist()]
        return source.features(labels) if original is data else take_columns(original, labels)

    def with_target(names: Sequence[str]) -> Any:
        return source.features([*names, *roles.others])

    return replace(table, original=OriginalData(take, with_target, roles.weight_name, roles.features, data))


def _from_arrays(data: ArrayTable, options: ReadOptions, target_kind: TargetKind) -> InMemoryDataset:
    """Take the target and the weights out of the columns of an archive, whose target is ``y`` by default."""
    if options.target is None:
        if "y" in data.names:
            raise UserError(
                code="duplicate-names",
                message="the target and a feature are both named 'y'",
                advice="give the feature another name",
            )
        options = replace(options, target="y")
    target_is_y = isinstance(options.target, str) and options.target == "y"
    others_named = isinstance(options.sample_weight, str) or isinstance(options.groups, str)
    if not isinstance(data.X, np.ndarray) and target_is_y and not others_named:
        return _from_sparse_arrays(data, options, target_kind)
    source = _Archive(data)
    roles = split_columns(
        source.labels,
        options.target,
        options.sample_weight,
        options.groups,
        n_samples=source.n_samples,
        never=["y"],
    )
    table = _read_roles(source, roles, options, target_kind)
    unnamed = roles.features == [f"x{j}" for j in range(len(roles.features))]
    feature_names = None if unnamed else np.array(roles.features, object)
    original = OriginalData(
        taker_of(source.features(roles.features)),
        partial(source.with_target, [str(label) for label in roles.others]),
        roles.weight_name,
        roles.features,
        data,
    )
    return replace(table, names=roles.features, feature_names=feature_names, original=original)


def _from_sparse_arrays(data: ArrayTable, options: ReadOptions, target_kind: TargetKind) -> InMemoryDataset:
    """The columns of a sparse ``X``, which may be too many to go through by name, and ``y``."""
    table = _read_values(data.X, data.y, options.sample_weight, options.groups, "y", options, target_kind)

    def with_target(names: Sequence[str]) -> ArrayTable:
        return ArrayTable(data.X[:, [data.names.index(name) for name in names]], data.y, list(names))

    weight_name = None if options.sample_weight is None else "sample_weight"
    original = OriginalData(taker_of(data.X), with_target, weight_name, table=data)
    if isinstance(data.names, NumberedNames):
        return replace(table, original=original)
    return replace(table, names=data.names, feature_names=np.array(data.names, object), original=original)


def _from_array(data: Any, options: ReadOptions, target_kind: TargetKind) -> InMemoryDataset:
    if data is None or isinstance(data, (Mapping, Number)):
        raise UserError(
            code="data-type-not-read",
            message=f"data is {type(data).__name__}",
            advice="give an array, a data frame, or the path of a table file",
        )
    X = data if issparse(data) else as_array(data)
    if X.ndim != 2:
        raise no_table(X.shape)
    if options.target is None:
        raise UserError(
            code="names-needed",
            message="the data is an array, whose columns have no names",
            advice="give the target as an array of its values",
        )
    roles = split_columns((), options.target, options.sample_weight, options.groups, n_samples=X.shape[0])
    y = given_values(options.target, X.shape[0])
    table = _read_values(X, y, options.sample_weight, options.groups, roles.target_name, options, target_kind)
    return replace(table, original=OriginalData(taker_of(X), None, roles.weight_name))


def taker_of(X: Any) -> Callable[[Columns], Any]:
    """What takes some columns of an array, or of a sparse matrix in its own format."""
    if isinstance(X, SpooledColumns):
        return not_read_again
    if not issparse(X):
        return lambda indices: X[:, indices]
    return lambda indices: (X if X.format in ("csr", "csc") else X.tocsc())[:, indices].asformat(X.format)


def given_values(target: Any, n_samples: int) -> Any:
    """A target given by its values: a series or a frame as it is, anything else as an array."""
    known = nw.dependencies.is_into_series(target) or nw.dependencies.is_into_dataframe(target)
    y = target if known else as_array(target)
    shape = np.shape(y) if isinstance(y, np.ndarray) else (len(y),)
    if len(shape) not in (1, 2):
        raise UserError(
            code="wrong-shape",
            message=f"the target has shape {shape}",
            advice="it must be one value a sample, or a row of them",
        )
    if len(y) != n_samples:
        raise UserError(
            code="lengths-differ",
            message=f"the target has {len(y):,} values but the data has {n_samples:,} rows",
            advice="they must be as many",
        )
    return y
