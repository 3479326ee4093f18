"""A table from a data frame, an array or a file: features, target and weights are separated and read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Number
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve.dataset.column_info import TextParsing
from bitsieve.dataset.column_sources import ArchiveSource, ArrowTableSource, FrameSource
from bitsieve.dataset.columns import no_table, read_columns
from bitsieve.dataset.data_kinds import collect, is_arrow_table, is_frame, is_path, take_columns
from bitsieve.dataset.dataset import InMemoryDataset, check_several_rows
from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.groups import read_groups
from bitsieve.dataset.notes import rows_without_target, weights_like_sampling
from bitsieve.dataset.original import OriginalData, not_read_again
from bitsieve.dataset.quantity import KIND_FROM_VALUES, TargetKind
from bitsieve.dataset.roles import Roles, split_columns
from bitsieve.dataset.strata import read_strata
from bitsieve.dataset.survival import (
    SurvivalColumns,
    SurvivalTarget,
    events_counted,
    read_survival,
    refuse_survival_target,
)
from bitsieve.dataset.target import Target, check_read, read_target, without_value
from bitsieve.dataset.text_columns import target_with_text_read
from bitsieve.dataset.text_format import ColumnRules
from bitsieve.dataset.weights import (
    check_rows_left,
    look_like_sampling,
    no_rows_left,
    read_weights,
    rows_with_weight,
    zero_in_rows,
)
from bitsieve.diagnostics import NAME_ONLY, Diagnostic, UserError, literal
from bitsieve.io.annotated import AnnotatedMatrix
from bitsieve.io.npz import ArrayTable
from bitsieve.io.spooled_columns import SpooledColumns
from bitsieve.options import FREQUENCY, ReadOptions
from bitsieve.utils.arrays import Columns, Flags, Integers
from bitsieve.utils.column_names import NumberedNames
from bitsieve.utils.libraries import is_pandas_frame, is_pandas_series, issparse
from bitsieve.utils.messages import needs_dense_rows, quoted
from bitsieve.utils.progress import phase
from bitsieve.utils.types import ColumnLike, TableLike

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def read_xy(
    X: TableLike,
    y: ColumnLike = None,
    sample_weight: ColumnLike = None,
    groups: ColumnLike = None,
    strata: ColumnLike = None,
    *,
    estimator: BaseEstimator | None = None,
    reset: bool = True,
    target_name: str = "y",
    target_kind: TargetKind = KIND_FROM_VALUES,
    rules: ColumnRules | None = None,
    drop_missing: bool = False,
    weight_kind: str | None = None,
    categories_of_strata: Collection[str] | None = None,
    groups_name: str | None = None,
) -> InMemoryDataset:
    """Read features, target and frequency weights into one table.

    Parameters
    ----------
    X, y, sample_weight, groups, strata : table and arrays
        Of the same length.
    estimator : estimator of scikit-learn, optional
        It keeps the names of the columns.
    reset : bool
        False where the columns must be those that the estimator has.
    target_name : str
        What messages call the target.
    target_kind : TargetKind
        The kind of target that the user chose.
    rules : ColumnRules, optional
        As in :func:`~bitsieve.dataset.columns.read_columns`.
    drop_missing : bool
        Whether rows without a target are left out.
    weight_kind : {"frequency", "sampling"}, optional
        What the weights are; None where the user cannot choose, and has frequency weights.
    categories_of_strata : collection of str, optional
        Columns of strata whose numbers are categories, however many there are; None where none can be declared so.
    groups_name : str, optional
        What messages call the column of the groups; None where they are no column.
    """
    rules = ColumnRules() if rules is None else rules
    check_order_of_index(X, y, target_name)
    check_order_of_index(X, sample_weight, "sample_weight")
    check_order_of_index(X, groups, "groups")
    check_order_of_index(X, strata, "strata")
    target_columns = _columns_of_target(y, sample_weight, rules, drop_missing)
    n_without_target = 0
    if target_columns is not None and drop_missing:
        without_target = target_columns.rows_without_value()
        n_without_target = int(without_target.sum())
        weighted_by_user = sample_weight is not None
        sample_weight = zero_in_rows(sample_weight, without_target)
        check_rows_left(sample_weight, weighted_by_user=weighted_by_user)
    column_rules = replace(rules, has_weight=rows_with_weight(sample_weight))
    table = read_columns(X, estimator=estimator, reset=reset, rules=column_rules)
    if isinstance(target_columns, _TargetColumns):
        _check_same_length(table.n_samples, n_rows(target_columns.values))
    weights = read_weights(sample_weight, table.n_samples, weight_kind)
    if groups is not None:
        table = replace(table, groups=read_groups(groups, table.n_samples, groups_name, weights))
    if strata is not None:
        read = read_strata(strata, table.n_samples, categories_of_strata, weights)
        table = replace(table, strata=read.number, strata_values=read.values)
    target: Target | None = None
    if target_columns is not None:
        target = _read_target(target_columns, table, weights, target_name, target_kind)
    if isinstance(target, SurvivalTarget):
        table = replace(table, strata=None)  # the risk sets have them
    if weights is not None and not weights.all():
        table = table.take(np.flatnonzero(weights))
        weights = weights[weights > 0]
    diagnostics: list[Diagnostic] = []
    if weights is not None and weight_kind == FREQUENCY and look_like_sampling(weights):
        diagnostics.append(weights_like_sampling(len(weights), int(weights.sum())))
    if n_without_target and target is not None:
        names = target_columns.names if isinstance(target_columns, SurvivalColumns) else target.names
        diagnostics.append(rows_without_target(names, n_without_target, n_without_target + table.n_samples))
    if isinstance(target, SurvivalTarget):
        diagnostics.append(events_counted(target, weights))
    if weights is not None and (weights == 1).all():
        weights = None
    return replace(table, y=target, weights=weights, diagnostics=tuple(diagnostics))


class _TargetColumns(NamedTuple):
    """The columns of a target of classes or of a quantity, whose text was read."""

    values: ColumnLike
    parsings: Mapping[str, TextParsing]  # how text became numbers or times, by column

    def rows_without_value(self) -> Flags:
        """Which rows have no value in one column or more."""
        return without_value(self.values)


def _columns_of_target(
    y: ColumnLike, sample_weight: ColumnLike, rules: ColumnRules, drop_missing: bool
) -> _TargetColumns | SurvivalColumns | None:
    """The columns of a target, whose text is converted where it is numbers or times; None without a target."""
    if y is None or isinstance(y, SurvivalColumns):
        return y
    if isinstance(y, str):
        raise UserError(
            code="wrong-shape",
            message=f"y is a single value, {y!r}",
            advice="give one value for each row, such as those of a column that is taken out of X",
        )
    target_rules = replace(rules, has_weight=rows_with_weight(sample_weight))
    values, parsings = target_with_text_read(y, target_rules)
    if not drop_missing and any(parsing.has_missing for parsing in parsings.values()):
        return _TargetColumns(y, {})  # refused later, for the missing values
    check_read(parsings, drop_missing)
    return _TargetColumns(values, parsings)


def _read_target(
    columns: _TargetColumns | SurvivalColumns,
    table: InMemoryDataset,
    weights: Integers | None,
    name: str,
    target_kind: TargetKind,
) -> Target:
    """Read the target of the rows of a table that have a weight."""
    if isinstance(columns, SurvivalColumns):
        return _survival_target(table, columns, weights)
    target = read_target(columns.values, name=name, target_kind=target_kind, weights=weights)
    return replace(target, parsings=columns.parsings)


def _check_same_length(n_samples: int, n_values: int) -> None:
    if n_values != n_samples:
        raise UserError(
            code="lengths-differ",
            message=f"X has {n_samples:,} rows but y has {n_values:,} values",
            advice="both must have the same number of rows",
        )


def _survival_target(table: InMemoryDataset, columns: SurvivalColumns, weights: Integers | None) -> SurvivalTarget:
    """Read a time to an event for the rows of a table."""
    if table.is_sparse:
        raise needs_dense_rows("a time to an event")
    if table.groups is not None:
        raise UserError(
            code="contradicting-parameters",
            message="do not go with a time to an event",
            advice="leave them out",
            parameters={"groups": NAME_ONLY},
        )
    return read_survival(columns, table.n_samples, weights, table.strata)


def check_order_of_index(X: TableLike, values: ColumnLike, what: str) -> None:
    """Refuse values of pandas whose index has the labels of ``X`` in another order.

    scikit-learn matches rows by their position and pandas by their labels, so either would be wrong for some users.
    """
    if not is_pandas_frame(X) or not (is_pandas_series(values) or is_pandas_frame(values)):
        return
    if len(X) != len(values) or X.index.equals(values.index):
        return
    if X.index.is_unique and values.index.is_unique and X.index.isin(values.index).all():
        raise UserError(
            code="index-in-other-order",
            message=f"the index of {what!r} has the labels of the data in another order",
            advice=(
                "give values.loc[data.index] to match the rows by their labels, or values.to_numpy() to match them by "
                "their position"
            ),
        )


def n_rows(values: TableLike) -> int:
    """The number of rows of an array, a series, a frame or a list."""
    if hasattr(values, "shape") and len(values.shape):
        return int(values.shape[0])
    return len(values) if hasattr(values, "__len__") else len(np.asarray(values))


def read_data(data: TableLike, options: ReadOptions) -> InMemoryDataset:
    """Split ``data`` into features, target and frequency weights, and read them.

    The data is an array, a frame, a sparse table or the path of a file. Target, weights and groups are names of
    columns, which then are no features, or arrays; the target of a .npz file is ``y`` by default.
    """
    target_kind = TargetKind.from_options(options)
    options = _with_survival_as_target(options)
    phase("reading")
    diagnostics: list[Diagnostic] = []
    if is_path(data):
        from bitsieve.io.read import read_table

        data = read_table(data, header=options.header, diagnostics=diagnostics)
    original = data
    data = collect(data)
    if getattr(data, "shape", None) and not data.shape[0]:
        raise no_rows_left("the data", weighted=False, drop_missing=False)
    if isinstance(data, AnnotatedMatrix):
        table = _from_annotated(data, options, target_kind)
    elif isinstance(data, ArrayTable):
        table = _from_arrays(data, options, target_kind)
    elif is_frame(data):
        table = _from_frame(data, original, options, target_kind)
    else:
        table = _from_array(data, options, target_kind)
    check_several_rows(table)
    if options.groups is not None and table.original is not None:
        groups = options.groups if isinstance(options.groups, str) else "groups"
        table = replace(table, original=table.original._replace(groups=groups))
    if options.strata is not None and table.original is not None:
        table = replace(table, original=table.original._replace(strata=options.strata_in_words))
    return replace(table, diagnostics=(*diagnostics, *table.diagnostics))


def _with_survival_as_target(options: ReadOptions) -> ReadOptions:
    """The options with the columns of a time to an event as the target."""
    if options.survival is None:
        refuse_survival_target(options.target)
        return options
    for parameter, value in (("target_kind", options.target_kind), ("target_bins", options.target_bins)):
        if value is not None:
            raise UserError(
                code="contradicting-parameters",
                message="is for classes and quantities, and the target is a time to an event",
                advice="leave it out",
                parameters={parameter: value},
            )
    columns = options.survival.columns
    if options.survival.are_named:
        return replace(options, target=columns)
    return replace(options, target=SurvivalColumns.of_options(options.survival, columns))


def _read_roles(
    source: ArrowTableSource | FrameSource | ArchiveSource | AnnotatedMatrix,
    roles: Roles,
    options: ReadOptions,
    target_kind: TargetKind,
) -> InMemoryDataset:
    """Read the columns of a source by their roles. Values that are no column are arrays in the options."""
    y = source.columns(roles.target) if roles.target else target_as_array(options.target, source.n_samples)
    if options.survival is not None and roles.target:
        y = SurvivalColumns.of_options(options.survival, [source.columns([label]) for label in roles.target])
    weights = source.columns([roles.weight]) if roles.weight is not None else options.sample_weight
    groups = source.columns([roles.groups]) if roles.groups is not None else options.groups
    strata = source.table(roles.strata) if roles.strata else options.strata
    features = source.features(roles.features)
    return _read_values(
        features,
        y,
        options,
        target_kind,
        sample_weight=weights,
        groups=groups,
        strata=strata,
        target_name=roles.target_name,
    )


def _read_values(
    X: TableLike,
    y: ColumnLike,
    options: ReadOptions,
    target_kind: TargetKind,
    *,
    sample_weight: ColumnLike,
    groups: ColumnLike,
    strata: ColumnLike,
    target_name: str,
) -> InMemoryDataset:
    """Read values. The target, weights, groups and strata are values here, also where the options name columns."""
    return read_xy(
        X,
        y,
        sample_weight,
        groups,
        strata,
        target_name=target_name,
        target_kind=target_kind,
        rules=ColumnRules.from_options(options),
        drop_missing=options.drop_missing_target,
        weight_kind=options.weight_kind,
        categories_of_strata=options.categories_of_strata,
        groups_name=options.groups if isinstance(options.groups, str) else None,
    )


def _from_frame(data: TableLike, original: TableLike, options: ReadOptions, target_kind: TargetKind) -> InMemoryDataset:
    """Read a frame whose columns are the features, the target and the weights. ``original`` may be a lazy frame."""
    source = ArrowTableSource(data) if is_arrow_table(data) else FrameSource(data)
    if options.target is None:
        raise UserError(
            code="target-needed",
            message="no target is given",
            advice=f"name one of the columns {literal(quoted(source.labels))}, such as {{target}}",
            fix={"target": source.labels[-1]},
        )
    _check_not_in_a_row(source, options.target)
    roles = split_columns(
        source.labels,
        options.target,
        options.sample_weight,
        options.groups,
        options.strata,
        n_samples=source.n_samples,
    )
    table = _read_roles(source, roles, options, target_kind)

    def take(indices: Columns) -> TableLike:
        labels = [roles.features[j] for j in indices.tolist()]
        return source.features(labels) if original is data else take_columns(original, labels)

    def with_target(names: Sequence[str]) -> TableLike:
        return source.features([*names, *roles.others])

    return replace(table, original=OriginalData(take, with_target, roles.weight_name, roles.features, data))


def _check_not_in_a_row(source: ArrowTableSource | FrameSource, target: ColumnLike) -> None:
    """Refuse the name of a target that is no column but a row, as where rows are genes and columns are samples."""
    if isinstance(target, list) and len(target) == 1:
        (target,) = target
    if not isinstance(target, str) or target in source.labels:
        return
    if target in source.texts_of_first_column():
        raise UserError(
            code="unknown-column",
            message=f"there is no column {target!r} for the target, but column {source.labels[0]!r} has it in a row",
            advice="if the columns are samples, transpose the table first",
            columns=[target],
        )


def _from_arrays(data: ArrayTable, options: ReadOptions, target_kind: TargetKind) -> InMemoryDataset:
    """Read the arrays of an archive. Its target is ``y`` by default."""
    if options.target is None:
        if "y" in data.names:
            raise UserError(
                code="duplicate-names",
                message="the target and a feature are both named 'y'",
                advice="give the feature another name",
            )
        options = replace(options, target="y")
    target_is_y = isinstance(options.target, str) and options.target == "y"
    if target_is_y and data.y is None:
        raise UserError(
            code="target-needed",
            message="the .npz file has no array 'y' for the target",
            advice="store one beside X, with a value for each row, or give these values in Python",
        )
    others_named = isinstance(options.sample_weight, str) or isinstance(options.groups, str) or options.names_strata
    if not isinstance(data.X, np.ndarray) and target_is_y and not others_named:
        return _from_sparse_arrays(data, options, target_kind)
    source = ArchiveSource(data)
    roles = split_columns(
        source.labels,
        options.target,
        options.sample_weight,
        options.groups,
        options.strata,
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


def _from_annotated(data: AnnotatedMatrix, options: ReadOptions, target_kind: TargetKind) -> InMemoryDataset:
    """Read a matrix whose target is an annotation of its rows. Other annotations are no features."""
    annotations = data.annotations.column_names
    if options.target is None:
        raise UserError(
            code="target-needed",
            message="no target is given",
            advice=f"name one of the annotations {literal(quoted(annotations))}",
        )
    roles = split_columns(
        data.labels,
        options.target,
        options.sample_weight,
        options.groups,
        options.strata,
        n_samples=data.n_samples,
        never=annotations,
    )
    names = [str(label) for label in roles.features]
    table = _read_roles(data, replace(roles, features=names), options, target_kind)
    original = OriginalData(
        taker_of(data.features(names)),
        lambda selected: data.table([*selected, *map(str, roles.others)]),
        roles.weight_name,
        names,
        data,
    )
    return replace(table, names=names, feature_names=np.array(names, object), original=original)


def _from_sparse_arrays(data: ArrayTable, options: ReadOptions, target_kind: TargetKind) -> InMemoryDataset:
    """Read a sparse ``X``, whose columns may be too many to go through by name, and ``y``."""
    table = _read_values(
        data.X,
        data.y,
        options,
        target_kind,
        sample_weight=options.sample_weight,
        groups=options.groups,
        strata=options.strata,
        target_name="y",
    )

    def with_target(names: Sequence[str]) -> ArrayTable:
        indices = [data.names.index(name) for name in names]
        return ArrayTable(data.X[:, indices], data.y, list(names))

    weight_name = None if options.sample_weight is None else "sample_weight"
    original = OriginalData(taker_of(data.X), with_target, weight_name, table=data)
    if isinstance(data.names, NumberedNames):
        return replace(table, original=original)
    return replace(table, names=data.names, feature_names=np.array(data.names, object), original=original)


def _from_array(data: TableLike, options: ReadOptions, target_kind: TargetKind) -> InMemoryDataset:
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
    roles = split_columns(
        (), options.target, options.sample_weight, options.groups, options.strata, n_samples=X.shape[0]
    )
    y = target_as_array(options.target, X.shape[0])
    table = _read_values(
        X,
        y,
        options,
        target_kind,
        sample_weight=options.sample_weight,
        groups=options.groups,
        strata=options.strata,
        target_name=roles.target_name,
    )
    return replace(table, original=OriginalData(taker_of(X), None, roles.weight_name))


def taker_of(X: TableLike) -> Callable[[Columns], TableLike]:
    """A function that takes columns of an array, or of a sparse matrix in its own format, by their indices."""
    if isinstance(X, SpooledColumns):
        return not_read_again

    def take(indices: Columns) -> TableLike:
        return X[:, indices]

    def take_sparse(indices: Columns) -> TableLike:
        indexable = X if X.format in ("csr", "csc") else X.tocsc()
        return indexable[:, indices].asformat(X.format)

    return take_sparse if issparse(X) else take


def target_as_array(target: ColumnLike, n_samples: int) -> ColumnLike:
    """A target that was given by its values: a series or a frame is returned as it is, anything else as an array."""
    if isinstance(target, SurvivalColumns):
        check_length_of_target(len(target), n_samples)
        return target
    import narwhals as nw

    is_series_or_frame = nw.dependencies.is_into_series(target) or nw.dependencies.is_into_dataframe(target)
    y = target if is_series_or_frame else as_array(target)
    shape = np.shape(y) if isinstance(y, np.ndarray) else (len(y),)
    if len(shape) not in (1, 2):
        raise UserError(
            code="wrong-shape",
            message=f"the target has shape {shape}",
            advice="it must be one value a sample, or a row of them",
        )
    check_length_of_target(len(y), n_samples)
    return y


def check_length_of_target(n_values: int, n_samples: int) -> None:
    """Refuse a target that has not one value for each row."""
    if n_values != n_samples:
        raise UserError(
            code="lengths-differ",
            message=f"the target has {n_values:,} values but the data has {n_samples:,} rows",
            advice="both must have the same number of rows",
        )
