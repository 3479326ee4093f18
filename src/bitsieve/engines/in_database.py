"""Databases and lazy frames: rows are grouped and counted where they are, and only counts are fetched.

A column is summarized from its distinct values and how often each occurs in each class. A numeric column of too many
distinct values is summarized from intervals, each of which stands for its largest value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bitsieve.counts.source import CountSource
from bitsieve.dataset.arrow import ArrowArray
from bitsieve.dataset.data_kinds import is_lazy, is_path, take_columns
from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.read import read_xy
from bitsieve.dataset.roles import split_columns
from bitsieve.dataset.target import without_value
from bitsieve.dataset.target_summary import TargetCoding
from bitsieve.dataset.text_format import ColumnRules
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning
from bitsieve.discretization.coding import Coding
from bitsieve.discretization.summary import Limits, Summary, summarize
from bitsieve.engines.engine import CountRequest, Engine, SummaryRequest, TargetRequest
from bitsieve.engines.grouped_counts import ClassKeys, GroupedSource, Key
from bitsieve.engines.partition_reader import PartitionReader, RawPartition
from bitsieve.engines.partitioned_dataset import PartitionedDataset
from bitsieve.engines.postgres import ADVICE, is_postgres_table
from bitsieve.engines.registry import DataInParts
from bitsieve.engines.relation import Relation, code_by_cuts, data_changed, database_errors_in_one_line, integers_of
from bitsieve.engines.target_grouping import GroupingColumn, TargetGrouping
from bitsieve.engines.value_counts import VALUE_KEY, ValueCounts, extremes_of, intervals_of, sampled_values
from bitsieve.io.database import relation_of, with_types_of_values
from bitsieve.io.read import database_kind
from bitsieve.options import ReadOptions
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.messages import quoted
from bitsieve.utils.progress import phase
from bitsieve.utils.types import TableLike

Result = TypeVar("Result")
_MANY_VALUES = 1 << 28  # 2 GiB as floats: rows of a table with more values are not read
_MANY_COLUMNS = 200  # a table of more is read, as every selected feature is counted with all columns


class GroupedTarget(NamedTuple):
    """The rows whose weight is above 0, grouped by target and weight. Every group is a row of ``table``."""

    table: pa.Table  # the columns of the target, and the samples of each group in the column of weights
    samples: Integers  # of each group
    rows: Integers  # of each group


class DatabaseEngine(Engine):
    """The rows of a relation, whose columns are summarized one by one: their values and how often each occurs."""

    label = "the table"
    limits = Limits()
    counts_intervals = True

    def __init__(self, frame: nw.LazyFrame[Any], schema: Mapping[str, Any], reader: PartitionReader) -> None:
        self.reader = reader
        self.schema = schema
        self.features = [str(name) for name in reader.features or ()]
        self.frame = self._without_missing_numbers(frame)
        self.beside_features = [str(name) for name in reader.labels_beside_features]
        self.all_rows = Relation(self.frame)
        self.counted_rows = Relation(self.frame, reader.weight)  # the rows whose weight is above 0
        self._target: GroupedTarget | None = None
        #: The values that were fetched, by column and whether only its range was needed.
        self._values: dict[tuple[str, bool], ValueCounts] = {}

    def _without_missing_numbers(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """The frame with null in place of the numbers that mean a missing value."""
        columns = []
        for j, missing_numbers in self.reader.rules.missing_numbers_by_index(self.features).items():
            name = self.features[j]
            if not self.schema[name].is_numeric():
                continue
            column = nw.col(name)
            for number in missing_numbers:
                column = nw.when(column != number).then(column)  # else null
            columns.append(column.alias(name))
        return frame.with_columns(*columns) if columns else frame

    def summarize_target(self, request: TargetRequest[Result]) -> Result | None:
        """Summarize the groups of rows of equal target and weight, as if these were one partition."""
        if self._target is None:
            phase("reading")
            self._target = self._grouped_target()
        if not self._target.table.num_rows:
            return None
        target = self._target
        return request.work(0, RawPartition(target.table, weights=target.samples, row_counts=target.rows))

    def _grouped_target(self) -> GroupedTarget:
        """Fetch the groups of rows of equal target and weight; set the number of rows without a target."""
        reader = self.reader
        labels = self.beside_features
        groups = self.all_rows.few_groups({label: nw.col(label) for label in labels}, self.limits.cells)
        if groups is None:
            columns = [str(name) for name in reader.labels_of_classes]
            raise UserError(
                code="too-many-values-to-group",
                message=f"the target {quoted(columns)} has more than {self.limits.cells:,} different values",
                advice="round it, or read the rows, by {push_down}",
                fix={"push_down": False},
                columns=columns,
            )
        table = pa.table({label: groups.keys[label] for label in labels})
        partition = RawPartition(table)
        reader.n_rows(partition)  # refuses invalid weights
        y, weights_of_groups = reader.target_and_weights(partition)
        self.n_without_target = 0
        if reader.drop_missing and table.num_rows:
            self.n_without_target = int(groups.rows[without_value(y)].sum())
        weights = np.ones(table.num_rows) if weights_of_groups is None else as_array(weights_of_groups)
        has_weight = weights > 0
        table = table.filter(pa.array(has_weight))
        rows = groups.rows[has_weight]
        samples = rows * weights[has_weight].astype(np.int64)
        if reader.weight is not None:
            table = table.set_column(labels.index(reader.weight), reader.weight, pa.array(samples))
        return GroupedTarget(table, samples, rows)

    def summarize(self, request: SummaryRequest) -> Summary | None:
        """Summarize every column by itself, from the groups of rows with equal values."""
        class_keys = self._class_keys(request.target)
        groups = self.counted_rows.groups(class_keys.keys)
        codes = class_keys.codes(groups)
        has_class = codes >= 0
        class_sizes = np.zeros(request.target.counted_target.n_classes, np.int64)
        np.add.at(class_sizes, codes[has_class], groups.samples[has_class])
        report = phase("finding bins")
        summaries = []
        for j in range(len(self.features)):
            summaries.append(self._summary_of_column(j, request, class_keys))
            report(j + 1, len(self.features))
        summary = Summary.of_columns(self.features, np.array(self.features, object), summaries)
        n_rows = int(groups.rows[has_class].sum())
        if self._target is None or n_rows != self._target.rows.sum():
            raise data_changed()
        return replace(summary, n_rows=n_rows, n_samples=int(class_sizes.sum()), class_sizes=class_sizes)

    def _summary_of_column(self, j: int, request: SummaryRequest, class_keys: ClassKeys) -> Summary:
        """Summarize one column as a table whose rows are its values, weighted by how often they occur."""
        column = self._values_of(j, class_keys, request)
        is_dropped = j in request.reader.dropped
        frame = pa.table({self.features[j]: column.values})
        table = read_xy(frame, None, column.samples, rules=self._rules_of(request.reader, j))
        target = replace(request.target.counted_target, codes=column.classes.astype(np.int32))
        table = replace(table, y=target, row_counts=column.rows)
        if is_dropped:
            table = table.without([0])
        limits = replace(self.limits, cells=self.limits.cells * target.n_classes)  # no fetched value is dropped
        summary = summarize(table, request.binner, limits=limits)
        if column.are_complete or is_dropped:
            return summary
        (summary_of_values,) = summary.columns
        summary_of_column = replace(summary_of_values, rank_error=column.rank_error, row_numbering=column.row_numbering)
        return replace(summary, columns=[summary_of_column])

    def _values_of(self, j: int, class_keys: ClassKeys, request: SummaryRequest) -> ValueCounts:
        """The values of a column in rows that have a class; they are fetched once."""
        name = self.features[j]
        range_only = request.binner.requires == "ends"
        if (name, range_only) not in self._values:
            n_classes = request.target.counted_target.n_classes
            values = self._fetch_values(name, class_keys, n_classes, range_only)
            self._values[name, range_only] = values.without_missing_class()
        return self._values[name, range_only]

    def _fetch_values(self, name: str, class_keys: ClassKeys, n_classes: int, range_only: bool) -> ValueCounts:
        """Fetch all values of a column, or only a part of them if they are too many."""
        limit = self.limits.cells
        max_values = limit // n_classes
        # A cheap look at the first rows often shows that the values are too many.
        if self.counted_rows.n_values(name, n_rows=2 * limit // n_classes) <= max_values:
            groups = self.counted_rows.few_groups({VALUE_KEY: nw.col(name), **class_keys.keys}, limit)
            if groups is not None:
                return ValueCounts.of_groups(groups, class_keys)
        if not self.schema[name].is_numeric():
            return sampled_values(self.counted_rows, name, limit)
        if range_only:
            return extremes_of(self.counted_rows, name, class_keys)
        return intervals_of(self.counted_rows, name, class_keys, n_intervals=max_values // 4)

    def _rules_of(self, reader: PartitionReader, j: int) -> ColumnRules:
        """The rules by which column j is read in a table of this column alone."""
        all_formats = reader.rules.formats or {}
        all_types = reader.rules.types_by_index(self.features)
        formats = {0: all_formats[j]} if j in all_formats else {}
        types = {self.features[j]: all_types[j]} if j in all_types else {}
        return replace(reader.rules, formats=formats, types=types)

    def _class_keys(self, target: TargetCoding) -> ClassKeys:
        """How rows are grouped by the target."""
        columns = []
        for label, part in zip(self.reader.target, target.parts.values(), strict=True):
            is_cut = part.target.edges is not None and self.schema[label].is_numeric()
            columns.append(GroupingColumn(label, part, is_cut))
        strata = [
            GroupingColumn(label, part, is_cut=False)
            for label, part in zip(self.reader.strata, target.strata, strict=True)
        ]
        grouped_target = TargetGrouping(columns, strata, target, replace(self.reader, weight=None))
        keys = {column.label: column.key() for column in [*strata, *columns]}
        return ClassKeys(keys, grouped_target.classes)

    def count(self, request: CountRequest) -> CountSource:
        """Count rows where they are: every table that is asked of the source is a statement."""
        reader = request.reader
        coding = request.coding
        keys = {}
        for j in range(len(self.features)):
            if j in reader.dropped:
                continue
            key = self._key_of(j, reader, coding)  # refuses a column of too many values, even one of a single code
            if coding.arities[j] > 1:
                keys[j] = key
        class_keys = self._class_keys(request.target)
        return GroupedSource(self.counted_rows, keys, class_keys, coding.arities, request.class_sizes)

    def take(self, names: Sequence[str]) -> TableLike:
        return self.frame.select([*names, *self.beside_features]).collect("pyarrow").to_native()

    def _key_of(self, j: int, reader: PartitionReader, coding: Coding) -> Key:
        """How rows are grouped by a column: by its code where that follows from cuts, else by its values."""
        name = self.features[j]
        binner = coding.binner
        if self.schema[name].is_numeric() and binner.categories_[j] is None:
            return _key_by_cuts(name, j, binner)
        column = self._fetched_values(name)
        if not column.are_complete:
            raise UserError(
                code="too-many-values-to-group",
                message=f"column {name!r} has more than {self.limits.cells:,} values, too many to group rows by",
                advice="add {exclude}, or read the rows, by {push_down}",
                fix={"exclude": [name], "push_down": False},
                columns=[str(name)],
            )
        coding_of_column = coding.of_column(j)
        rules = self._rules_of(reader, j)

        def codes_of(values: ArrowArray) -> NDArray[np.integer]:
            table = read_xy(pa.table({name: values}), rules=rules)
            codes: NDArray[np.integer] = coding_of_column.codes(table)[:, 0]
            return codes

        return Key(nw.col(name), len(column.values), codes_of)

    def _fetched_values(self, name: str) -> ValueCounts:
        """The values of a column that were fetched for a summary, or at least their range."""
        if (name, False) in self._values:
            return self._values[name, False]
        return self._values[name, True]


def _key_by_cuts(name: str, j: int, binner: Binning) -> Key:
    """How rows are grouped by a numeric column: by the code that follows from its cuts."""
    n_codes = int(binner.n_bins_[j])
    missing_code = n_codes - 1 if binner.missing == "bin" else -1

    def codes_of(values: ArrowArray) -> NDArray[np.integer]:
        codes = integers_of(values)
        return np.where(codes < 0, missing_code, codes)

    expression = code_by_cuts(nw.col(name).cast(nw.Float64), binner.bin_edges_[j].tolist(), binner.side)
    return Key(expression, n_codes, codes_of)


def has_too_many_values(data: TableLike) -> bool:
    """Whether a lazy frame or a database file has too many values to be read, and can be counted where it is.

    It cannot where it has many columns, or times, by which rows are not grouped. An Ibis table of PostgreSQL with too
    many values is refused: to count it would take hours.
    """
    relation = relation_of(data, _MANY_VALUES) if is_path(data) else data
    if relation is None:
        return False
    with database_errors_in_one_line():
        frame = nw.from_native(relation).lazy()
        dtypes = frame.collect_schema().dtypes()
        is_postgres = is_postgres_table(relation)
    if is_postgres:
        _check_ibis_can_read(frame, len(dtypes))
        return False
    has_times = any(dtype.is_temporal() and dtype != nw.Date for dtype in dtypes)
    if len(dtypes) > _MANY_COLUMNS or has_times:
        return False
    return len(dtypes) * _n_rows(frame) > _MANY_VALUES


def _n_rows(frame: nw.LazyFrame[Any]) -> int:
    with database_errors_in_one_line():
        return int(frame.select(nw.len()).collect("pyarrow").item())


def _check_ibis_can_read(frame: nw.LazyFrame[Any], n_columns: int) -> None:
    """Refuse a table of PostgreSQL with too many values."""
    n_rows = _n_rows(frame)
    if n_columns * n_rows > _MANY_VALUES:
        raise UserError(
            code="too-many-values-for-ibis",
            message=f"{n_rows:,} rows of {n_columns:,} columns are too many for Ibis to read from PostgreSQL",
            advice=ADVICE,
        )


class DatabaseSource(DataInParts):
    """A lazy frame, such as a relation of a database, whose rows are counted where they are.

    Parameters
    ----------
    data : lazy frame or path
        A DuckDB relation, a polars LazyFrame, an Ibis table, or what else narwhals takes lazily; or a database file.
    """

    def __init__(self, data: TableLike) -> None:
        relation = data
        if database_kind(data):
            relation = relation_of(data)
            if relation is None:
                raise UserError(
                    code="package-missing",
                    message=f"rows of {str(data)!r} are counted where they are by Ibis, which is not installed",
                    advice="pip install 'ibis-framework[sqlite]', or read them, by {push_down}",
                    fix={"push_down": False},
                )
        if not is_lazy(relation):
            raise UserError(
                code="data-type-not-read",
                message=f"data is {type(relation).__name__}",
                advice="give a lazy frame, such as a relation of a database",
            )
        with database_errors_in_one_line():
            self.data = with_types_of_values(relation)

    def read_in_parts(self, options: ReadOptions) -> PartitionedDataset:
        with database_errors_in_one_line():
            frame = nw.from_native(self.data).lazy()
            schema = dict(frame.collect_schema())
        roles = split_columns(
            list(schema), options.target, options.sample_weight, strata=options.strata, unnamed=options.target_name
        )
        if not roles.target or (options.sample_weight is not None and roles.weight is None):
            lacking = "target" if not roles.target else "weights"
            raise UserError(
                code="column-needed",
                message=f"the {lacking} must be a column of the table, where the rows are counted",
                advice="name it",
            )
        features = np.array(roles.features, object)

        def take_original(indices: Columns) -> TableLike:
            return take_columns(self.data, features[indices].tolist())

        open_engine = partial(DatabaseEngine, frame, schema)
        return PartitionedDataset.read(open_engine, roles, len(schema), options, take_original=take_original)
