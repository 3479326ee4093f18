"""How many rows each bin of a scorecard has: of a table in memory, or of parts that are counted one by one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from bitsieve.dataset.columns import read_columns
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.plain_text import Plain
from bitsieve.dataset.take_columns import WantedColumns
from bitsieve.dataset.text_format import ColumnRules
from bitsieve.dataset.value_ranges import check_values
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.engines.registry import data_in_parts
from bitsieve.scorecards.card import CardColumn, time_kind_of
from bitsieve.scorecards.monotone_binner import text_in_numbers
from bitsieve.utils.arrays import Integers
from bitsieve.utils.types import TableLike

ROWS = frozenset({"rows"})  # what is required of data: a lazy frame is read, and not counted where it is


class RowsOfBins(NamedTuple):
    """The rows of the bins of each column of a scorecard, in some rows of a table."""

    counts: tuple[Integers, ...]  # first the rows whose value is in no bin
    kinds: tuple[frozenset[str], ...]  # what the values of each column of numbers are; empty where all are missing


def rows_of_bins(
    columns: Sequence[CardColumn], wanted: WantedColumns, X: TableLike, diagnostics: list[Diagnostic]
) -> tuple[Integers, ...]:
    """How many rows have a value in no bin, and in each bin, of each column. Rows of files are read in batches.

    What is noticed in files is appended to ``diagnostics``.

    Raises
    ------
    UserError
        If there are no rows, columns are missing, or hold infinite values, or text in place of numbers.
    """
    work = partial(count_rows, columns=columns)
    source = data_in_parts(X, ROWS)
    if source is None:
        rows: RowsOfBins | None = work(wanted.take(as_table(X)))
    else:
        rows = source.total(wanted, work, merged_rows, diagnostics)
    if rows is None:
        raise UserError(code="empty-data", message="the data has no rows", advice="nothing to compare")
    return checked_counts(columns, rows)


def checked_counts(columns: Sequence[CardColumn], rows: RowsOfBins) -> tuple[Integers, ...]:
    """The counts of all rows. Refuses columns whose values differ in kind from part to part: as one they are text."""
    for column, kinds in zip(columns, rows.kinds, strict=True):
        if len(kinds) > 1:
            raise text_in_numbers(column.name, time_unit=column.bins.fixed.time_unit)
    return rows.counts


def count_rows(table: TableLike, *, columns: Sequence[CardColumn]) -> RowsOfBins:
    """Count the rows of a table, or of a part of one, that has the columns of the scorecard in their order."""
    values = read_values(columns, table)
    counts = []
    kinds = []
    for j, column in enumerate(columns):
        bins = column.bins_in(values, j)
        counts.append(np.bincount(bins + 1, minlength=len(column.bins.counts) + 1))
        kinds.append(_kinds_of_numbers(values, j))
    return RowsOfBins(tuple(counts), tuple(kinds))


def _kinds_of_numbers(table: InMemoryDataset, j: int) -> frozenset[str]:
    if not table.is_numeric(j) or np.isnan(table.numeric(j)).all():
        return frozenset()
    return frozenset([time_kind_of(table.text_meanings.get(j)) or "numbers"])


def merged_rows(parts: Sequence[RowsOfBins]) -> RowsOfBins:
    """The rows of the bins in several parts together."""
    counts = [np.sum(of_column, axis=0) for of_column in zip(*[part.counts for part in parts], strict=True)]
    kinds = [frozenset().union(*of_column) for of_column in zip(*[part.kinds for part in parts], strict=True)]
    return RowsOfBins(tuple(counts), tuple(kinds))


def read_values(columns: Sequence[CardColumn], table: TableLike) -> InMemoryDataset:
    """The values of a table of the columns of a scorecard; text is read in the format that it had when fitting."""
    formats = {}
    for j, column in enumerate(columns):
        if column.text_format is not None:
            formats[j] = column.text_format
        elif column.is_numeric:
            formats[j] = Plain()
    values = read_columns(table, rules=ColumnRules(formats=formats)).dense()
    check_values(values, allow_missing=True)
    return values


def as_table(X: TableLike) -> TableLike:
    """Rows in a list as an array; any other table as it is."""
    return np.asarray(X) if isinstance(X, (list, tuple)) else X
