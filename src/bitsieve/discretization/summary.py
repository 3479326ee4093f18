"""Summaries of the rows: what a binner needs, found partition by partition and merged."""

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
from bitsieve.dataset.encoding import SMALL_RANGE, Encoded
from bitsieve.dataset.identifiers import RowNumbering
from bitsieve.dataset.sentinels import SentinelCounts
from bitsieve.dataset.target import Target
from bitsieve.dataset.text import meaning_of_text
from bitsieve.dataset.text_format import TextMeaning
from bitsieve.dataset.value_ranges import MISSING, NUMBERS, InspectedColumns, ValueRanges
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning, as_column_rule
from bitsieve.utils.arrays import Flags, Integers
from bitsieve.utils.messages import quoted


@dataclass(frozen=True)
class Limits:
    """How much a summary keeps."""

    cells: int = 1 << 18  # of a numeric column: distinct numbers times classes
    rows: int = 1 << 18  # of the sample of rows from which columns with more distinct numbers are binned


@dataclass(frozen=True, eq=False)
class Summary(InspectedColumns):
    """What a binner needs of some rows of a table; summaries of partitions merge into that of all rows."""

    names: Sequence[str]  # of the columns
    feature_names: NDArray[Any] | None  # as :class:`~bitsieve.dataset.dataset.Dataset` has them
    columns: list[ColumnSummary]
    target: Target | None  # the classes of all rows; its ``codes`` are not used
    n_rows: int
    n_samples: int  # the sum of the frequency weights of the rows
    sample: RowSample | None  # None where the binner needs none
    limits: Limits
    class_sizes: Integers  # samples of every class
    requires: str  # what the binner finds bins from: :attr:`bitsieve.discretization.base.Binning.requires`
    meanings: Mapping[int, TextMeaning]  # what the text of columns was taken for, by their indices

    @classmethod
    def merged(cls, partitions: Sequence[Summary]) -> Summary:
        """Merge the summaries of partitions into the summary of all their rows."""
        first = partitions[0]
        if len(partitions) == 1:
            return first
        for partition in partitions:
            check_same_columns(first.names, partition.names)
        columns = []
        for j, name in enumerate(first.names):
            summaries = [partition.columns[j] for partition in partitions]
            columns.append(ColumnSummary.merged(summaries, f"column {name!r}", first.limits.cells))
        samples = [partition.sample for partition in partitions if partition.sample is not None]
        return replace(
            first,
            columns=columns,
            n_rows=sum(partition.n_rows for partition in partitions),
            n_samples=sum(partition.n_samples for partition in partitions),
            sample=RowSample.merged(samples) if samples else None,
            class_sizes=np.sum([partition.class_sizes for partition in partitions], axis=0),
        )

    @classmethod
    def of_columns(
        cls, names: Sequence[str], feature_names: NDArray[Any] | None, summaries: Sequence[Summary]
    ) -> Summary:
        """The summary of several columns of the same rows, each of which is the only one of its own summary."""
        columns = [summary.columns[0] for summary in summaries]
        meanings = {j: summary.meanings[0] for j, summary in enumerate(summaries) if summary.meanings}
        return replace(
            summaries[0], names=names, feature_names=feature_names, columns=columns, sample=None, meanings=meanings
        )

    def column_infos(self) -> list[ColumnInfo]:
        """What is known of each column before anything is counted."""
        has_names = self.feature_names is not None
        return [
            column.info(name if has_names else None, self.n_rows)
            for name, column in zip(self.names, self.columns, strict=True)
        ]

    def text_meanings(self, repair: bool, types: Mapping[int, str]) -> dict[int, TextMeaning]:
        """What the text of columns means, by their indices; ``types`` are those that the user chose."""
        meanings = {}
        for j, column in enumerate(self.columns):
            if column.is_text and column.distinct is not None:
                text = text_of(column.distinct.values.tolist())
                n_rows = column.distinct.counts[:, 0]
                has_null = column.n_missing > 0
                meanings[j] = meaning_of_text(text, n_rows, repair=repair, kind=types.get(j), has_null=has_null)
        return meanings

    def without(self, left_out: Sequence[int]) -> Summary:
        """The summary of the same rows with one value in every row of some columns.

        It is the summary of :meth:`InMemoryDataset.without`.
        """
        zero = np.uint8(0)
        counts = self.class_sizes[None] if self.requires == "classes" else np.array([[self.n_samples]])
        constant = ColumnSummary(NUMBERS, zero.dtype, zero, zero, distinct=Distinct(np.array([zero]), counts))
        columns = list(self.columns)
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
        content = np.array([column.content for column in self.columns], np.uint8)
        return ValueRanges([], [], [], content, whole)

    @property
    def max_cells(self) -> int:
        """Distinct numbers times classes, of the column with most of them."""
        return max((column.distinct.counts.size for column in self.columns if column.distinct is not None), default=0)

    def small_integers(self) -> list[int]:
        """The columns of integers whose range is small, which may be codes."""
        return [j for j, column in enumerate(self.columns) if _holds_small_integers(column)]

    def with_categories(self, indices: Sequence[int]) -> Summary:
        """The summary with the numbers of these columns as categories."""
        columns = list(self.columns)
        for j in indices:
            columns[j] = replace(columns[j], kind=None)
        return replace(self, columns=columns)

    def column(self, j: int, *, ends_only: bool) -> InMemoryDataset:
        """Column ``j`` as a small table, from which a binner finds the same bins as from all rows.

        Its rows are the categories, the smallest and the largest number (``ends_only``), the distinct numbers of each
        class with their counts as weights, or a sample of the rows.
        """
        column = self.columns[j]
        if column.kind is None:
            return self._table_of_categories(j)
        if ends_only or column.is_empty:
            ends = [] if column.low is None else [column.low, column.high]
            values = np.array(ends, column.kind)
            weights = np.ones(len(ends), np.int64)
            classes = np.zeros(len(ends), np.int32)
        elif column.distinct is not None:
            indices, classes_that_occur = np.nonzero(column.distinct.counts)
            values = column.distinct.values[indices]
            weights = column.distinct.counts[indices, classes_that_occur]
            classes = classes_that_occur.astype(np.int32)
        else:
            return self._table_of_sample(j)
        if column.n_missing:
            values = np.append(values, np.array(np.nan, column.kind))
            weights = np.append(weights, column.n_missing)
            classes = np.append(classes, np.int32(0))
        return self._table(j, values, classes, weights)

    def _table_of_categories(self, j: int) -> InMemoryDataset:
        column = self.columns[j]
        categories = np.empty(0, object) if column.distinct is None else column.distinct.values
        first_code = -1 if column.n_missing > 0 else 0
        codes = np.arange(first_code, len(categories), dtype=np.int32)
        classes = np.zeros(len(codes), np.int32)
        return self._table(j, Encoded(codes, categories), classes, np.ones(len(codes), np.int64))

    def _table_of_sample(self, j: int) -> InMemoryDataset:
        sample = self.sample
        assert sample is not None  # a binner that needs numbers asks for one
        values = sample.columns[j]
        assert values is not None
        return self._table(j, values.astype(self.columns[j].kind, copy=False), sample.classes, sample.weights)

    def _table(
        self, j: int, values: NDArray[Any] | Encoded, classes: NDArray[Any] | None, weights: Integers | None
    ) -> InMemoryDataset:
        y = None
        if self.target is not None and classes is not None:
            y = Target(classes.astype(np.int32), self.target.labels)
        return InMemoryDataset([values], [self.names[j]], y=y, weights=weights)


def _holds_small_integers(column: ColumnSummary) -> bool:
    holds_integers = column.kind is not None and column.kind.kind in "iu"
    return holds_integers and column.distinct is not None and int(column.high) - int(column.low) < SMALL_RANGE


def summarize(
    table: InMemoryDataset,
    binner: Binning,
    *,
    first_row: int = 0,
    limits: Limits | None = None,
    earlier: Summary | None = None,
) -> Summary:
    """Summarize some rows of a table.

    Parameters
    ----------
    table : InMemoryDataset
        Some rows; the classes and their codes are those of all rows.
    binner : Binning
        Not fitted; it says what must be found.
    first_row : int
        The number of the first of these rows in the whole table. The sample of rows depends on nothing else, so it is
        the same however the table is cut into partitions.
    limits : Limits, optional
        How much is kept.
    earlier : Summary, optional
        Of other partitions. What cannot change the merged summary is then left out, which saves time and memory.
    """
    limits = Limits() if limits is None else limits
    ranges = table.value_ranges(binner.n_jobs, binner.requires == "codes")
    as_column_rule(binner).check_numbers(table, ranges)
    columns = []
    for j, (low, high) in enumerate(_ends(ranges)):
        earlier_column = None if earlier is None else earlier.columns[j]
        is_uncounted = earlier_column is not None and earlier_column.has_uncounted
        max_cells = 0 if is_uncounted else limits.cells
        column = _summary_of_column(table, j, int(ranges.content[j]), low, high, binner.requires, max_cells)
        may_number_rows = earlier_column is None or earlier_column.row_numbering is not None
        if column.kind is not None and may_number_rows:
            column = replace(column, row_numbering=RowNumbering.of_rows(table.numbers(j), first_row, table.times))
        columns.append(column)
    sample = None
    if binner.requires in ("numbers", "classes"):
        row_numbers = np.arange(first_row, first_row + table.n_samples)
        sample = RowSample.of_part(table, row_numbers, limits.rows, None if earlier is None else earlier.sample)
    class_sizes = np.zeros(0, np.int64)
    if table.y is not None:
        class_sizes = sizes_of_classes(table.y.codes, table.weights, table.y.n_classes)
    return Summary(
        names=table.names,
        feature_names=table.feature_names,
        columns=columns,
        target=table.y,
        n_rows=table.n_samples if table.times is None else int(table.times.sum()),
        n_samples=table.total_weight,
        sample=sample,
        limits=limits,
        class_sizes=class_sizes,
        requires=binner.requires,
        meanings=table.meanings,
    )


def _ends(ranges: ValueRanges) -> list[tuple[Any, Any]]:
    """The smallest and the largest number of every column; None and None where there is none."""
    ends: list[tuple[Any, Any]] = [(None, None)] * len(ranges.content)
    for block, lows, highs in zip(ranges.blocks, ranges.low, ranges.high, strict=True):
        for j, low, high in zip(block.indices.tolist(), lows, highs, strict=True):
            if low <= high:
                ends[j] = (low, high)
    return ends


def _summary_of_column(
    table: InMemoryDataset, j: int, content: int, low: Any, high: Any, requires: str, max_cells: int
) -> ColumnSummary:
    if table.is_numeric(j):
        return _summary_of_numbers(table, table.numbers(j), content, low, high, requires, max_cells)
    return _summary_of_categories(table, j, content)


def _summary_of_categories(table: InMemoryDataset, j: int, content: int) -> ColumnSummary:
    column = table.categorical(j)
    is_missing = column.codes < 0
    times = None if table.times is None else table.times[~is_missing]
    n_rows = np.bincount(column.codes[~is_missing], times, len(column.categories)).astype(np.int64)
    is_text = j in table.meanings and all(isinstance(value, str) for value in column.categories[:1])  # not a time
    return ColumnSummary(
        content,
        None,
        n_missing=_total_weight(is_missing, table.weights),
        distinct=Distinct(column.categories, n_rows[:, None]),
        is_text=is_text,
    )


def _summary_of_numbers(
    table: InMemoryDataset, values: NDArray[Any], content: int, low: Any, high: Any, requires: str, max_cells: int
) -> ColumnSummary:
    weights = table.weights
    times = table.times
    classes = table.y.codes if requires == "classes" and table.y is not None else None
    n_missing = 0
    if content & MISSING:
        is_missing = np.isnan(values)
        n_missing = _total_weight(is_missing, weights)
        has_value = ~is_missing
        values = values[has_value]
        classes = None if classes is None else classes[has_value]
        times = None if times is None else times[has_value]
        weights = None if weights is None else weights[has_value]
    distinct = None
    if requires == "codes" and max_cells and low is not None:
        distinct = Distinct.of_codes(values, low, high, max_cells)
    elif requires != "ends" and max_cells:
        n_classes = 1 if classes is None else table.target.n_classes
        distinct = Distinct.of_samples(values, classes, n_classes, weights, max_cells)
    sentinels = None if low is None else SentinelCounts.of_values(values, low, high, times)
    return ColumnSummary(content, values.dtype, low, high, n_missing, distinct=distinct, sentinels=sentinels)


def _total_weight(rows: Flags, weights: Integers | None) -> int:
    """The sum of the frequency weights of some rows; their number where there are no weights."""
    return int(rows.sum() if weights is None else weights[rows].sum())


def check_same_columns(expected: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a partition whose columns are not those of the first one."""
    if list(names) == list(expected):
        return
    lacking = [name for name in expected if name not in set(names)]
    additional = [name for name in names if name not in set(expected)]
    if lacking:
        difference = f"lacks {quoted(lacking)}"
    elif additional:
        difference = f"has {quoted(additional)} besides"
    else:
        difference = "has them in another order"
    raise UserError(
        code="columns-differ",
        message=f"a part of the data {difference}",
        advice="every part must have the same columns",
    )
