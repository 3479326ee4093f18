"""Read a partition of the rows as a table, or as a summary of its target or of its columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.read import n_rows, read_xy
from bitsieve.dataset.target import without_value
from bitsieve.dataset.target_summary import TargetCoding, TargetSummary
from bitsieve.dataset.text_columns import target_with_text_read
from bitsieve.dataset.text_format import ColumnRules
from bitsieve.dataset.weights import read_weights, zero_in_rows
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning
from bitsieve.discretization.summary import Limits, Summary, summarize
from bitsieve.utils.arrays import Flags, Integers
from bitsieve.utils.types import ColumnLike, Label, TableLike


@dataclass(frozen=True, eq=False)
class RawPartition:
    """Some rows of a table, as an engine has read them."""

    columns: TableLike  # a table of any kind that is read: an Arrow table, a data frame or an array
    y: ColumnLike = None  # the target, where it is no column of ``columns``
    weights: ColumnLike = None  # the frequency weights, where they are no column of ``columns``
    row_counts: Integers | None = None  # where equal rows were grouped: row i is ``row_counts[i]`` rows of the data

    @property
    def n_rows(self) -> int:
        return n_rows(self.columns)

    def select(self, labels: Sequence[Label]) -> TableLike:
        """The columns that have these labels, as a table of the same kind."""
        if isinstance(self.columns, pa.Table):
            return self.columns.select(list(labels))
        return self.columns[list(labels)]


@dataclass(frozen=True)
class PartitionReader:
    """How partitions of the rows are read: the same for all partitions, and small enough to be sent to a worker."""

    # the labels of the features; None: all columns are features, the target and the weights are no columns
    features: Sequence[Label] | None = None
    target: Sequence[Label] = ()  # the labels of the target; empty: it is no column
    strata: Sequence[Label] = ()  # the labels of the strata; empty: rows lie in none
    weight: Label | None = None  # the label of the frequency weights; None: they are no column
    drop_missing: bool = False  # whether rows without a target are dropped, as if their weight were 0
    dropped: tuple[int, ...] = ()  # indices of features that get one value in every row, so that none is selected
    rules: ColumnRules = field(default_factory=partial(ColumnRules, formats={}))  # how columns are read
    target_rules: ColumnRules | None = None  # how text of the target is read; None: as classes

    @property
    def labels_of_classes(self) -> list[Label]:
        """The labels of the columns by which rows are counted beside features: the strata, and the target."""
        return [*self.strata, *self.target]

    @property
    def labels_beside_features(self) -> list[Label]:
        """The labels of all columns that are read beside features."""
        return self.labels_of_classes if self.weight is None else [*self.labels_of_classes, self.weight]

    def n_rows(self, partition: RawPartition) -> int:
        """The number of rows whose weight is not 0. Refuses a target or weights that do not fit the rows."""
        y, weights = self.target_and_weights(partition)
        if y is not None and n_rows(y) != partition.n_rows:
            raise UserError(
                code="partitions-differ",
                message=f"a part of the features has {partition.n_rows:,} rows and that of the target {n_rows(y):,}",
                advice="split both at the same rows",
            )
        has_weight = _has_weight(weights, partition.n_rows)
        return partition.n_rows if has_weight is None else int(has_weight.sum())

    def n_without_target(self, partition: RawPartition) -> int:
        """The number of rows that are dropped because they have no target."""
        if not self.drop_missing:
            return 0
        y, _ = self.target_and_weights(partition)
        if y is None or not n_rows(y):
            return 0
        return int(without_value(y).sum())

    def summarize_target(self, first_row: int, partition: RawPartition, *, sampled: bool) -> TargetSummary:
        """Summarize the target. The first row of the partition has the number ``first_row`` in the full table.

        ``sampled`` says whether a sample of the rows is drawn.
        """
        rows = self._weighted_rows(partition)
        return TargetSummary.of_part(
            rows.y,
            rows.strata,
            first_row=first_row,
            weights=rows.weights,
            sampled=sampled,
            row_counts=partition.row_counts,
        )

    def combinations(self, first_row: int, partition: RawPartition, *, target: TargetCoding) -> Integers:
        """The combinations of strata and classes that occur in the partition."""
        rows = self._weighted_rows(partition)
        return np.unique(target.combinations_of(rows.y, rows.strata))

    def read(self, first_row: int, partition: RawPartition, *, target: TargetCoding) -> InMemoryDataset:
        """Read the partition as a table, whose classes are those by which all rows are counted."""
        features = partition.columns if self.features is None else partition.select(self.features)
        _, weights_of_all_rows = self.target_and_weights(partition)
        rows = self._weighted_rows(partition)
        table = read_xy(features, None, weights_of_all_rows, rules=self.rules)  # drops rows of weight 0
        table = replace(table, y=replace(target.counted_target, codes=target.codes(rows.y, rows.strata)))
        return table.without(self.dropped)

    def summarize(
        self,
        first_row: int,
        partition: RawPartition,
        *,
        target: TargetCoding,
        binner: Binning,
        limits: Limits,
        earlier: Summary | None = None,
        callback: Callable[[InMemoryDataset, Summary], None] | None = None,
    ) -> Summary:
        """Summarize the columns for a rule of binning.

        ``earlier`` is the summary of other partitions. ``callback`` is called with the table and its summary.
        """
        table = self.read(first_row, partition, target=target)
        summary = summarize(table, binner, first_row=first_row, limits=limits, earlier=earlier)
        if callback is not None:
            callback(table, summary)
        return summary

    def target_and_weights(self, partition: RawPartition) -> tuple[ColumnLike, ColumnLike]:
        """The target and the frequency weights of all rows, columns or not; None where there are none."""
        y = partition.y
        if len(self.target) == 1:
            y = partition.columns[self.target[0]]
        elif self.target:
            y = partition.select(self.target)
        if self.target_rules is not None:
            y, _ = target_with_text_read(y, self.target_rules)
        weights = partition.weights
        if self.weight is not None:
            weights = partition.columns[self.weight]
        if self.drop_missing and y is not None and n_rows(y):
            weights = zero_in_rows(weights, without_value(y))
        return y, weights

    def _weighted_rows(self, partition: RawPartition) -> WeightedRows:
        """The rows whose weight is not 0."""
        y, weights = self.target_and_weights(partition)
        strata = partition.select(self.strata) if self.strata else None
        if y is None:
            y = np.zeros(partition.n_rows, np.int8)  # without a target all rows are of one class
        has_weight = _has_weight(weights, partition.n_rows)
        valid_weights = read_weights(weights, partition.n_rows)
        if has_weight is None or valid_weights is None:
            return WeightedRows(y, strata, valid_weights)
        if strata is not None:
            strata = _rows_of(strata, has_weight)
        return WeightedRows(_rows_of(y, has_weight), strata, valid_weights[has_weight])


class WeightedRows(NamedTuple):
    """The rows of a partition that count."""

    y: ColumnLike  # the target
    strata: ColumnLike  # None where rows lie in none
    weights: Integers | None  # the frequency weights; None for 1 each


def _rows_of(values: ColumnLike, mask: Flags) -> ColumnLike:
    """The rows in a mask of a target or of strata, as the same kind of data."""
    import narwhals as nw

    rows = np.flatnonzero(mask)
    if isinstance(values, pa.ChunkedArray):
        return _without_views(values).take(rows)
    if isinstance(values, pa.Table):
        columns = [_without_views(column) for column in values.columns]
        return pa.table(columns, names=values.column_names).take(rows)
    if nw.dependencies.is_pandas_like_dataframe(values) or nw.dependencies.is_pandas_like_series(values):
        return values.iloc[rows]
    return as_array(values)[rows]


def _without_views(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column as Arrow takes rows of it: text as polars hands it over, which are views, is copied."""
    return column.cast(pa.large_string()) if column.type == pa.string_view() else column


def _has_weight(weights: ColumnLike, rows: int) -> Flags | None:
    """Whether the weight of each row is not 0; None where there are no weights.

    All weights of a partition may be 0, which :func:`read_weights` refuses in a full table.
    """
    if weights is None:
        return None
    if not rows:
        return np.zeros(0, bool)
    values = np.asarray(weights)
    are_numbers = values.dtype.kind in "biuf" and len(values) == rows
    if are_numbers and not values.any():
        return np.zeros(rows, bool)
    valid_weights = read_weights(values, rows)
    return None if valid_weights is None else valid_weights > 0
