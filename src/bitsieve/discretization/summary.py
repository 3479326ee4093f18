"""One pass over a table in parts: what a binner must know of all rows, kept part by part and merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import sizes_of_classes
from bitsieve.dataset.arrow import text_of
from bitsieve.dataset.column_info import ColumnInfo
from bitsieve.dataset.column_summary import ColumnSummary, Distinct, RowSample
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import FEW, Encoded
from bitsieve.dataset.identifiers import RowNumbering
from bitsieve.dataset.sentinels import SentinelCounts
from bitsieve.dataset.target import Target
from bitsieve.dataset.text import understood
from bitsieve.dataset.text_format import TextMeaning
from bitsieve.dataset.value_ranges import MISSING, NUMBERS, InspectedColumns, ValueRanges
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning
from bitsieve.utils.arrays import Flags, Integers
from bitsieve.utils.messages import quoted


@dataclass(frozen=True)
class Limits:
    """How much a summary keeps."""

    cells: int = 1 << 18  # of a numeric column: distinct numbers times classes
    # of the sample that is kept of a column of more distinct numbers; no more rows than these are all kept
    rows: int = 1 << 18


@dataclass(frozen=True, eq=False)
class Summary(InspectedColumns):
    """What a binner must know of some rows of a table; summaries of parts of the rows merge into that of all."""

    names: Sequence[str]  # of the columns
    feature_names: NDArray[Any] | None  # as :class:`~bitsieve.dataset.dataset.Table` has them
    columns: list[ColumnSummary]
    target: Target | None  # the classes of all rows; its ``codes`` are none of anything
    n_rows: int  # rows, and the sum of their frequency weights
    n_samples: int
    sample: RowSample | None  # None where the binner needs none
    limits: Limits
    class_sizes: Integers  # samples of every class
    requires: str  # what the bins follow from for which this was found, as of a binner
    meanings: Mapping[int, TextMeaning]  # what the text of columns was taken for, by their places

    @classmethod
    def merged(cls, parts: Sequence[Summary]) -> Summary:
        """The summary of all parts of the rows."""
        first = parts[0]
        if len(parts) == 1:
            return first
        for part in parts:
            check_same_columns(first.names, part.names)
        samples = [part.sample for part in parts if part.sample is not None]
        columns = zip(*(part.columns for part in parts), strict=True)
        return cls(
            first.names,
            first.feature_names,
            [
                ColumnSummary.merged(of_column, f"column {name!r}", first.limits.cells)
                for name, of_column in zip(first.names, columns, strict=True)
            ],
            first.target,
            sum(part.n_rows for part in parts),
            sum(part.n_samples for part in parts),
            RowSample.merged(samples) if samples else None,
            first.limits,
            np.sum([part.class_sizes for part in parts], axis=0),
            first.requires,
            first.meanings,
        )

    @classmethod
    def beside(cls, names: Sequence[str], feature_names: NDArray[Any] | None, alone: Sequence[Summary]) -> Summary:
        """The summary of several columns of the same rows, each of which is the only one of its summary."""
        columns = [summary.columns[0] for summary in alone]
        meanings = {j: summary.meanings[0] for j, summary in enumerate(alone) if summary.meanings}
        return replace(
            alone[0], names=names, feature_names=feature_names, columns=columns, sample=None, meanings=meanings
        )

    def column_infos(self) -> list[ColumnInfo]:
        """What is known of each column before anything is counted."""
        has_names = self.feature_names is not None
        return [
            column.info(name if has_names else None, self.n_rows)
            for name, column in zip(self.names, self.columns, strict=True)
        ]

    def understood(self, repair: bool, wanted: Mapping[int, str]) -> dict[int, TextMeaning]:
        """What the text of columns means, by their places."""
        found = {}
        for j, column in enumerate(self.columns):
            if column.is_text and column.distinct is not None:
                text, rows = text_of(column.distinct.values.tolist()), column.distinct.counts[:, 0]
                found[j] = understood(text, rows, repair=repair, wanted=wanted.get(j), has_null=column.n_missing > 0)
        return found

    def without(self, left_out: Sequence[int]) -> Summary:
        """The same with one value in every row of some columns: what is known of :meth:`InMemoryDataset.without`."""
        columns, zero = list(self.columns), np.uint8(0)
        counts = self.class_sizes[None] if self.requires == "classes" else np.array([[self.n_samples]])
        constant = ColumnSummary(NUMBERS, zero.dtype, zero, zero, distinct=Distinct(np.array([zero]), counts))
        for j in left_out:
            columns[j] = constant
        sample = self.sample
        if sample is not None:
            values = list(sample.columns)
            for j in left_out:
                values[j] = np.zeros(len(sample.rows), np.uint8)
            sample = replace(sample, columns=values)
        return replace(self, columns=columns, sample=sample)

    def value_ranges(self, n_jobs: int | None = None, whole: bool = False) -> ValueRanges:
        """What the columns hold, as that of a table, without the numbers themselves."""
        return ValueRanges([], [], [], np.array([column.holds for column in self.columns], np.uint8), whole)

    @property
    def most_cells(self) -> int:
        """Distinct numbers times classes, of the column that has most of them."""
        return max((column.distinct.counts.size for column in self.columns if column.distinct is not None), default=0)

    def few_valued(self) -> list[int]:
        """The columns of whole numbers of few values, which may be codes."""
        whole = ((j, of) for j, of in enumerate(self.columns) if of.kind is not None and of.kind.kind in "iu")
        return [j for j, of in whole if of.distinct is not None and int(of.high) - int(of.low) < FEW]

    def with_categories(self, numbers: Sequence[int]) -> Summary:
        """The same with the numbers of some columns as categories."""
        columns = list(self.columns)
        for j in numbers:
            columns[j] = replace(columns[j], kind=None)
        return replace(self, columns=columns)

    def column(self, j: int, *, ends_only: bool) -> InMemoryDataset:
        """Column ``j`` alone, as categories, numbers by class, the sample or the ends: a binner finds the same bins."""
        column, target = self.columns[j], self.target
        values: Any
        classes = np.zeros(1, np.int32)
        if column.kind is None:
            categories = column.distinct.values if column.distinct is not None else np.empty(0, object)
            codes = np.arange(-(column.n_missing > 0), len(categories), dtype=np.int32)
            values, weights = Encoded(codes, categories), np.ones(len(codes), np.int64)
            classes = np.zeros(len(codes), np.int32)
        elif ends_only or column.is_empty:
            ends = [] if column.low is None else [column.low, column.high]
            values, weights = np.array(ends, column.kind), np.ones(len(ends), np.int64)
            classes = np.zeros(len(ends), np.int32)
        elif column.distinct is not None:
            place, classes = (part.astype(np.int32) for part in np.nonzero(column.distinct.counts))
            values, weights = column.distinct.values[place], column.distinct.counts[place, classes]
        else:
            sample = self.sample
            assert sample is not None  # a binner that needs numbers asks for one
            sampled = sample.columns[j]
            assert sampled is not None
            values = sampled.astype(column.kind, copy=False)
            return _alone(self.names[j], values, target, sample.classes, sample.weights)
        if column.n_missing and column.kind is not None:
            values = np.append(values, np.array(np.nan, column.kind))
            weights, classes = np.append(weights, column.n_missing), np.append(classes, np.int32(0))
        return _alone(self.names[j], values, target, classes, weights)


def _alone(
    name: str, values: Any, target: Target | None, classes: NDArray[Any] | None, weights: Integers | None
) -> InMemoryDataset:
    y = None if target is None or classes is None else Target(classes.astype(np.int32), target.labels)
    return InMemoryDataset([values], [name], y=y, weights=weights)


def summarize(
    table: InMemoryDataset,  # a part of the rows; its classes and their codes are those of all rows
    binner: Binning,  # that is to be fitted: it says what must be known
    *,
    # the number of the first of these rows in the whole table. The sample of the rows hangs on it alone, so it is the
    # same however the table is cut into parts
    first_row: int = 0,
    limits: Limits | None = None,
    known: Summary | None = None,  # of other parts: what can add nothing to it is left out, which saves time and memory
) -> Summary:
    """The summary of some rows of a table."""
    limits = Limits() if limits is None else limits
    ranges = table.value_ranges(binner.n_jobs, binner.requires == "codes")
    binner.check_numbers(table, ranges)
    columns = []
    for j, (low, high) in enumerate(_ends(ranges)):
        cells = 0 if known is not None and known.columns[j].has_uncounted else limits.cells
        column = _summary_of(table, j, int(ranges.holds[j]), low, high, binner.requires, cells)
        if column.kind is not None and (known is None or known.columns[j].row_numbering is not None):
            column = replace(column, row_numbering=RowNumbering.of_rows(table.numbers(j), first_row, table.times))
        columns.append(column)
    sample = None
    if binner.requires in ("numbers", "classes"):
        rows = np.arange(first_row, first_row + table.n_samples)
        sample = RowSample.of_part(table, rows, limits.rows, None if known is None else known.sample)
    return Summary(
        table.names,
        table.feature_names,
        columns,
        table.y,
        table.n_samples if table.times is None else int(table.times.sum()),
        table.total_weight,
        sample,
        limits,
        np.zeros(0, np.int64) if table.y is None else sizes_of_classes(table.y.codes, table.weights, table.y.n_classes),
        binner.requires,
        table.meanings,
    )


def _ends(ranges: ValueRanges) -> list[tuple[Any, Any]]:
    """The smallest and the largest number of every column; None and None where there is none."""
    ends: list[tuple[Any, Any]] = [(None, None)] * len(ranges.holds)
    for block, low, high in zip(ranges.blocks, ranges.low, ranges.high, strict=True):
        for j, least, most in zip(block.indices.tolist(), low, high, strict=True):
            if least <= most:
                ends[j] = least, most
    return ends


def _summary_of(
    table: InMemoryDataset, j: int, holds: int, low: Any, high: Any, requires: str, cells: int
) -> ColumnSummary:
    weights = table.weights
    if not table.is_numeric(j):
        codes, categories = table.categorical(j).codes, table.categorical(j).categories
        times = None if table.times is None else table.times[codes >= 0]
        rows = np.bincount(codes[codes >= 0], times, len(categories)).astype(np.int64)
        n_missing = _samples(codes < 0, weights)
        is_text = j in table.meanings and all(isinstance(value, str) for value in categories[:1])  # not a time
        return ColumnSummary(
            holds, None, n_missing=n_missing, distinct=Distinct(categories, rows[:, None]), is_text=is_text
        )
    values = table.numbers(j)
    n_missing, times = 0, table.times
    classes = table.y.codes if requires == "classes" and table.y is not None else None
    if holds & MISSING:
        missing = np.isnan(values)
        n_missing, there = _samples(missing, weights), ~missing
        values = values[there]
        classes = None if classes is None else classes[there]
        times = None if times is None else times[there]
        weights = None if weights is None else weights[there]
    distinct = None
    if requires == "codes" and cells and low is not None:
        distinct = Distinct.of_codes(values, low, high, cells)
    elif requires != "ends" and cells:
        n_classes = 1 if classes is None else table.target.n_classes
        distinct = Distinct.of_samples(values, classes, n_classes, weights, cells)
    sentinels = None if low is None else SentinelCounts.of_values(values, low, high, times)
    return ColumnSummary(holds, values.dtype, low, high, n_missing, distinct=distinct, sentinels=sentinels)


def _samples(rows: Flags, weights: Integers | None) -> int:
    """How many samples some of the rows are."""
    return int(rows.sum() if weights is None else weights[rows].sum())


def check_same_columns(expected: Sequence[str], given: Sequence[str]) -> None:
    """Refuse a part of the data whose columns are not those of the first one."""
    if list(given) == list(expected):
        return
    lost = [name for name in expected if name not in set(given)]
    new = [name for name in given if name not in set(expected)]
    what = f"lacks {quoted(lost)}" if lost else f"has {quoted(new)} besides" if new else "has them in another order"
    raise UserError(
        code="columns-differ",
        message=f"a part of the data {what}",
        advice="every part must have the same columns",
    )
