"""The bins of the columns of a table whose rows are read part by part, from the counts of its values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import ColumnValues, Encoded
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import UserError
from bitsieve.discretization.monotone.binning import MonotoneBinning
from bitsieve.discretization.monotone.column_bins import ColumnBins
from bitsieve.discretization.monotone.event import rows_of_event
from bitsieve.discretization.summary import Summary
from bitsieve.engines.partitioned_dataset import PartitionedDataset
from bitsieve.scorecards.monotone_binner import (
    DATES,
    MonotoneBinner,
    check_special_values,
    for_columns,
    refuse_unknown_columns,
    special_values_in,
    unit_of_column,
    value_for,
)
from bitsieve.utils.arrays import Integers, Values

RULE = MonotoneBinning(missing="bin")  # for which the values of each class are counted


def bins_of_parts(table: PartitionedDataset, binner: MonotoneBinner) -> list[ColumnBins]:
    """The bins that ``binner`` makes of each column, the same as of its rows in memory.

    A column becomes a small table with a row for each value in each class, weighted by the rows that have both.

    Raises
    ------
    UserError
        If the target does not have two classes, a column has too many different numbers to be counted, or the
        categories of a column have an order, which is not known part by part.
    """
    rows_of_event(table.target, binner.event)  # refuses a target that does not have two classes
    names = [str(name) for name in table.names]
    refuse_unknown_columns(binner, names)
    summary = table.summary_for(RULE)
    _refuse_columns_not_counted(summary)
    categories = _tables_of_categories(table, summary)
    small_tables = []
    for j in range(len(names)):
        small_table = categories[j] if j in categories else _table_of_numbers(summary, j)
        if j in summary.text_meanings:
            small_table = replace(small_table, text_meanings={0: summary.text_meanings[j]})
        small_tables.append(small_table)
    units = [unit_of_column(small_table, 0) for small_table in small_tables]
    check_special_values(binner.special_values, names, units)
    columns = []
    for name, unit, small_table in zip(names, units, small_tables, strict=True):
        columns += _binner_of_column(binner, name, unit).fit_table(small_table).column_bins_
    return columns


def _binner_of_column(binner: MonotoneBinner, name: str, unit: str | None) -> MonotoneBinner:
    """The binner for one column, of numbers without special values that are text: other columns may hold them."""
    of_column = for_columns(binner, [name])
    if unit is None or unit == DATES:
        return of_column
    special_values = special_values_in(value_for(name, binner.special_values, None))
    numbers = [value for value in special_values if not isinstance(value, str)]
    return of_column.set_params(special_values=numbers)


def _refuse_columns_not_counted(summary: Summary) -> None:
    """Refuse columns that are summarized by a sample, by intervals, or without the order of their categories."""
    n_classes = len(summary.class_sizes)
    for name, column in zip(summary.names, summary.columns, strict=True):
        if column.has_uncounted or column.rank_error:
            max_values = summary.limits.cells // n_classes
            raise UserError(
                code="too-many-values-to-group",
                message=f"column {name!r} has more than {max_values:,} different numbers, too many to count them all",
                advice="round it, or give the rows in memory",
                columns=[name],
            )
        if column.has_declared_order:
            raise UserError(
                code="rows-not-in-memory",
                message=f"the categories of column {name!r} have an order, which needs the rows in memory",
                advice="give the table in memory, or the categories as text",
                columns=[name],
            )


def _tables_of_categories(table: PartitionedDataset, summary: Summary) -> dict[int, InMemoryDataset]:
    """A small table for each column of categories, by its index."""
    are_categories = [column.kind is None and not column.is_empty for column in summary.columns]
    indices = np.flatnonzero(are_categories)
    if not len(indices):
        return {}
    fitted, source = table.without(np.flatnonzero(np.logical_not(are_categories)).tolist()).count(RULE)
    tables = {}
    for j, counted in zip(indices.tolist(), source.tables(None, indices, by_class=True), strict=True):
        categories = fitted.categories_[j]
        assert categories is not None  # the column has no numbers
        code, label = np.nonzero(counted.dense()[0])
        codes = np.where(code < len(categories), code, -1).astype(np.int32)  # the last code is that of missing values
        weights = counted.dense()[0][code, label]
        tables[j] = _small_table(summary, j, Encoded(codes, categories), label, weights)
    return tables


def _table_of_numbers(summary: Summary, j: int) -> InMemoryDataset:
    """A small table of the numbers of a column, which may all be missing."""
    if not summary.columns[j].is_empty:
        return summary.column(j, ends_only=False)
    labels = np.flatnonzero(summary.class_sizes)
    return _small_table(summary, j, np.full(len(labels), np.nan), labels, summary.class_sizes[labels])


def _small_table(summary: Summary, j: int, values: ColumnValues, classes: Values, weights: Integers) -> InMemoryDataset:
    assert summary.target is not None  # two classes were found in it
    y = Target(classes.astype(np.int32), summary.target.labels, kind=summary.target.kind)
    return InMemoryDataset([values], [summary.names[j]], y=y, weights=weights)
