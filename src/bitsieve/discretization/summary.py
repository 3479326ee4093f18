"""Summaries of rows, from which a rule of binning finds the bins. Summaries of partitions merge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import sizes_of_classes
from bitsieve.counts.strata import StrataAndClasses
from bitsieve.dataset.arrow import text_of
from bitsieve.dataset.column_info import ColumnInfo
from bitsieve.dataset.column_summary import ColumnSummary, Distinct, RowSample
from bitsieve.dataset.counted_text import CountedText
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import SMALL_RANGE, ColumnValues, Encoded
from bitsieve.dataset.identifiers import RowNumbering
from bitsieve.dataset.sentinels import SentinelCounts
from bitsieve.dataset.target import Target
from bitsieve.dataset.text_format import TextMeaning
from bitsieve.dataset.value_ranges import MISSING, NUMBERS, InspectedColumns, ValueRanges
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning, as_column_rule
from bitsieve.utils.arrays import Flags, Integers, Values
from bitsieve.utils.messages import quoted

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True)
class Limits:
    """The largest size of a summary."""

    cells: int = 1 << 18  # distinct numbers of a column, times the classes: a column of more is not counted
    rows: int = 1 << 18  # rows of the sample from which the bins of such a column are found


@dataclass(frozen=True, eq=False)
class Summary(InspectedColumns):
    """The summary of some rows of a table, made for one rule of binning."""

    names: Sequence[str]  # one for each column
    feature_names: Values | None  # see :class:`~bitsieve.dataset.value_ranges.NamedColumns`
    columns: list[ColumnSummary]
    target: Target | None  # what all rows are counted by; its ``codes`` are not used
    n_rows: int
    n_samples: int  # the sum of the frequency weights of the rows
    sample: RowSample | None  # None where the rule needs no sample
    limits: Limits
    class_sizes: Integers  # the number of samples of every class
    requires: str  # see :attr:`bitsieve.discretization.base.BinningChoice.requires`
    text_meanings: Mapping[int, TextMeaning]  # what the text of columns means, by column index
    #: Where rows are counted by combinations of stratum and class, what these are.
    strata_and_classes: StrataAndClasses | None = None

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
    def of_columns(cls, names: Sequence[str], feature_names: Values | None, summaries: Sequence[Summary]) -> Summary:
        """Join summaries of the same rows that have one column each."""
        columns = [summary.columns[0] for summary in summaries]
        text_meanings = {j: summary.text_meanings[0] for j, summary in enumerate(summaries) if summary.text_meanings}
        return replace(
            summaries[0],
            names=names,
            feature_names=feature_names,
            columns=columns,
            sample=None,
            text_meanings=text_meanings,
        )

    def column_infos(self) -> list[ColumnInfo]:
        """What is known of each column before anything is counted."""
        has_names = self.feature_names is not None
        return [
            column.info(name if has_names else None, self.n_rows)
            for name, column in zip(self.names, self.columns, strict=True)
        ]

    def decide_text_meanings(self, repair: bool, kinds: Mapping[int, str]) -> dict[int, TextMeaning]:
        """Decide what the text of columns means, by column index; ``kinds`` are those that the user chose."""
        from bitsieve.dataset.text_meaning import meaning_of_text  # here, as it loads the functions of Arrow

        text_meanings = {}
        for j, column in enumerate(self.columns):
            if column.is_text and column.distinct is not None:
                text = CountedText(
                    text_of(column.distinct.values.tolist()),
                    counts=column.distinct.counts[:, 0],
                    has_missing=column.n_missing > 0,
                )
                text_meanings[j] = meaning_of_text(text, repair=repair, kind=kinds.get(j))
        return text_meanings

    def without(self, dropped: Sequence[int]) -> Summary:
        """The summary with zero in every row of some columns, as :meth:`InMemoryDataset.without` has them."""
        zero = np.uint8(0)
        counts = self.class_sizes[None] if self.requires == "classes" else np.array([[self.n_samples]])
        constant = ColumnSummary(NUMBERS, zero.dtype, low=zero, high=zero, distinct=Distinct(np.array([zero]), counts))
        columns = list(self.columns)
        for j in dropped:
            columns[j] = constant
        sample = self.sample
        if sample is not None:
            values = list(sample.columns)
            for j in dropped:
                values[j] = np.zeros(len(sample.rows), np.uint8)
            sample = replace(sample, columns=values)
        return replace(self, columns=columns, sample=sample)

    def value_ranges(self, n_jobs: int | None = None, find_fractions: bool = False) -> ValueRanges:
        """What the columns hold; without blocks of numbers, which a summary does not have."""
        content = np.array([column.content for column in self.columns], np.uint8)
        return ValueRanges([], content, find_fractions)

    @property
    def max_cells(self) -> int:
        """The largest number of cells, which are distinct numbers times classes, of any column."""
        n_cells = [column.distinct.counts.size for column in self.columns if column.distinct is not None]
        return max(n_cells, default=0)

    def small_integers(self) -> list[int]:
        """The columns of integers in a small range, which may be codes."""
        return [j for j, column in enumerate(self.columns) if _holds_small_integers(column)]

    def with_categories(self, indices: Sequence[int]) -> Summary:
        """The summary with the numbers of some columns as categories."""
        columns = list(self.columns)
        for j in indices:
            columns[j] = replace(columns[j], kind=None)
        return replace(self, columns=columns)

    def column(self, j: int, *, ends_only: bool) -> InMemoryDataset:
        """Column ``j`` as a small table, in which the rule finds the same bins as in all rows.

        ``ends_only`` says that the smallest and the largest number are all that the rule needs.
        """
        column = self.columns[j]
        if column.kind is None:
            return self._table_of_categories(j)
        if ends_only or column.is_empty:
            return self._table_of_extremes(j)
        if column.distinct is not None:
            return self._table_of_distinct_numbers(j, column.distinct)
        return self._table_of_sample(j)

    def _table_of_categories(self, j: int) -> InMemoryDataset:
        """One row for each category, and one for missing values."""
        column = self.columns[j]
        categories = np.empty(0, object) if column.distinct is None else column.distinct.values
        first_code = -1 if column.n_missing > 0 else 0
        codes = np.arange(first_code, len(categories), dtype=np.int32)
        classes = np.zeros(len(codes), np.int32)
        return self._table(j, Encoded(codes, categories), classes, np.ones(len(codes), np.int64))

    def _table_of_extremes(self, j: int) -> InMemoryDataset:
        """One row for the smallest number and one for the largest."""
        column = self.columns[j]
        extremes = [] if column.low is None else [column.low, column.high]
        values = np.array(extremes, column.kind)
        classes = np.zeros(len(extremes), np.int32)
        return self._table_with_missing(j, values, classes, np.ones(len(extremes), np.int64))

    def _table_of_distinct_numbers(self, j: int, distinct: Distinct) -> InMemoryDataset:
        """One row for each distinct number in each class, weighted by the samples that have both."""
        number_index, class_index = np.nonzero(distinct.counts)
        values = distinct.values[number_index]
        weights = distinct.counts[number_index, class_index]
        if self.requires != "classes" or not self.columns[j].n_missing:
            return self._table_with_missing(j, values, class_index.astype(np.int32), weights)
        # Each class has its own missing values: a rule that cuts by the classes may count them, too.
        n_missing = self.class_sizes - distinct.counts.sum(axis=0)
        classes_with_missing = np.flatnonzero(n_missing)
        missing = np.full(len(classes_with_missing), np.nan, self.columns[j].kind)
        return self._table(
            j,
            np.append(values, missing),
            np.append(class_index, classes_with_missing).astype(np.int32),
            np.append(weights, n_missing[classes_with_missing]),
        )

    def _table_of_sample(self, j: int) -> InMemoryDataset:
        sample = self.sample
        assert sample is not None  # it was drawn for a rule that needs numbers
        values = sample.columns[j]
        assert values is not None
        return self._table(j, values.astype(self.columns[j].kind, copy=False), sample.classes, sample.weights)

    def _table_with_missing(self, j: int, values: Values, classes: Values, weights: Integers) -> InMemoryDataset:
        """A table of numbers, and one row for the missing values of the column, if it has any."""
        column = self.columns[j]
        if column.n_missing:
            values = np.append(values, np.array(np.nan, column.kind))
            weights = np.append(weights, column.n_missing)
            classes = np.append(classes, np.int32(0))
        return self._table(j, values, classes, weights)

    def _table(self, j: int, values: ColumnValues, classes: Values | None, weights: Integers | None) -> InMemoryDataset:
        names = [self.names[j]]
        if self.target is None or classes is None:
            return InMemoryDataset([values], names, weights=weights)
        if self.strata_and_classes is None:
            y = Target(classes.astype(np.int32), self.target.labels, kind=self.target.kind)
            return InMemoryDataset([values], names, y=y, weights=weights)
        combinations = self.strata_and_classes
        y = Target(combinations.label[classes].astype(np.int32), np.arange(combinations.n_classes))
        return InMemoryDataset([values], names, y=y, weights=weights, strata=combinations.stratum[classes])


def _holds_small_integers(column: ColumnSummary) -> bool:
    if column.kind is None or column.kind.kind not in "iu" or column.distinct is None:
        return False
    return int(column.high) - int(column.low) < SMALL_RANGE


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
        The rows. The codes of their classes are those of all rows.
    binner : Binning
        The rule for which the summary is made, not fitted.
    first_row : int
        The number of the first of these rows in the full table. The sample of rows is drawn by these numbers, so that
        it does not depend on the partitions.
    limits : Limits, optional
        The largest size of the summary.
    earlier : Summary, optional
        The summary of other partitions. Columns that it could not count are not counted here, which saves time and
        memory and does not change the merged summary.
    """
    rule = as_column_rule(binner)
    limits = Limits() if limits is None else limits
    ranges = table.value_ranges(binner.n_jobs, binner.requires == "codes")
    rule.check_numbers(table, ranges)
    extremes = _extremes(ranges)
    columns = []
    for j, content in enumerate(ranges.content.tolist()):
        earlier_column = None if earlier is None else earlier.columns[j]
        if table.is_numeric(j):
            had_too_many = earlier_column is not None and earlier_column.has_uncounted
            max_cells = 0 if had_too_many else limits.cells
            column = _summary_of_numbers(table, j, content, extremes[j], binner.requires, max_cells)
        else:
            column = _summary_of_categories(table, j, content)
        can_be_row_number = earlier_column is None or earlier_column.row_numbering is not None
        if column.kind is not None and can_be_row_number:
            column = replace(column, row_numbering=RowNumbering.of_rows(table.numbers(j), first_row, table.row_counts))
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
        n_rows=table.n_samples if table.row_counts is None else int(table.row_counts.sum()),
        n_samples=table.total_weight,
        sample=sample,
        limits=limits,
        class_sizes=class_sizes,
        requires=binner.requires,
        text_meanings=table.text_meanings,
    )


class Extremes(NamedTuple):
    """The smallest and the largest number of a column, of its type; None for a column without numbers."""

    low: Any = None
    high: Any = None


def _extremes(ranges: ValueRanges) -> list[Extremes]:
    """The extremes of every column."""
    extremes = [Extremes()] * len(ranges.content)
    for block, lows, highs in ranges.blocks:
        for j, low, high in zip(block.indices.tolist(), lows, highs, strict=True):
            if low <= high:
                extremes[j] = Extremes(low, high)
    return extremes


def _summary_of_categories(table: InMemoryDataset, j: int, content: int) -> ColumnSummary:
    column = table.categorical(j)
    is_missing = column.codes < 0
    row_counts = None if table.row_counts is None else table.row_counts[~is_missing]
    n_rows = np.bincount(column.codes[~is_missing], row_counts, len(column.categories)).astype(np.int64)
    has_meaning = j in table.text_meanings
    is_text = has_meaning and (not len(column.categories) or isinstance(column.categories[0], str))
    return ColumnSummary(
        content,
        None,
        n_missing=_total_weight(is_missing, table.weights),
        distinct=Distinct(column.categories, n_rows[:, None]),
        is_text=is_text,
        has_declared_order=column.declared_ranks is not None,
    )


def _summary_of_numbers(
    table: InMemoryDataset, j: int, content: int, extremes: Extremes, requires: str, max_cells: int
) -> ColumnSummary:
    values = table.numbers(j)
    low = extremes.low
    high = extremes.high
    weights = table.weights
    row_counts = table.row_counts
    classes = None  # only a rule that cuts by the classes needs them
    if requires == "classes" and table.y is not None:
        classes = table.y.codes
    n_missing = 0
    if content & MISSING:
        is_missing = np.isnan(values)
        n_missing = _total_weight(is_missing, weights)
        has_value = ~is_missing
        values = values[has_value]
        classes = _subset(classes, has_value)
        row_counts = _subset(row_counts, has_value)
        weights = _subset(weights, has_value)
    distinct = None  # a rule that requires "ends" needs no distinct numbers
    if requires == "codes" and max_cells and low is not None:
        distinct = Distinct.of_codes(values, low, high, max_cells)
    elif requires != "ends" and max_cells:
        n_classes = 1 if classes is None else table.target.n_classes
        distinct = Distinct.of_samples(values, classes, n_classes, weights, max_cells)
    sentinels = None if low is None else SentinelCounts.of_values(values, low, high, row_counts)
    return ColumnSummary(
        content,
        values.dtype,
        low=low,
        high=high,
        n_missing=n_missing,
        distinct=distinct,
        sentinels=sentinels,
    )


def _subset(values: NDArray[Number] | None, mask: Flags) -> NDArray[Number] | None:
    return None if values is None else values[mask]


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
