"""A target that is read in partitions: a summary of all rows decides how each partition is coded as classes.

Where the rows lie in strata, they are coded as combinations of stratum and class.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import sizes_of_classes
from bitsieve.counts.strata import StrataAndClasses, check_combinations
from bitsieve.counts.tables import MAX_CELLS
from bitsieve.dataset.arrow import text_of
from bitsieve.dataset.column_summary import ColumnSummary, Distinct, RowSample
from bitsieve.dataset.counted_text import CountedText
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import ColumnValues, Encoded, are_categories, lookup
from bitsieve.dataset.quantity import KIND_FROM_VALUES, TargetKind, number_of_classes, numbers_of
from bitsieve.dataset.strata import check_are_no_quantity, check_every_row_has_a_stratum, columns_of_strata
from bitsieve.dataset.target import (
    MAX_JOINT_CLASSES,
    Target,
    check_bins,
    check_complete,
    count_unusable,
    join_targets,
    label_of_target,
    read_values,
    split_target,
    to_classes,
)
from bitsieve.dataset.text_columns import target_text
from bitsieve.dataset.text_format import ColumnRules, TextMeaning
from bitsieve.dataset.value_ranges import NUMBERS
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Integers, Values
from bitsieve.utils.types import ColumnLike

_MAX_VALUES = 1 << 18  # distinct values of a column that are counted
_SAMPLE_SIZE = 1 << 18  # rows of the sample of a column with more distinct values


@dataclass(frozen=True, eq=False)
class TargetColumn:
    """The summary of one column of a target, or of strata, in some rows."""

    n_samples: int
    n_missing: int
    n_infinite: int
    #: The summary of the values. Categories have two counts: samples and rows. None if any value is missing or
    #: infinite, which is refused once all rows are summarized.
    column: ColumnSummary | None = None
    sample: RowSample | None = None  # a sample of numbers; None where none was drawn
    total_weight: int = 0  # the sum of the weights; 0 if any value is missing or infinite

    @classmethod
    def of_part(
        cls,
        values: ColumnValues,
        row_numbers: Integers | None,
        weights: Integers | None,
        row_counts: Integers | None = None,
        is_text: bool = False,
    ) -> TargetColumn:
        """Summarize values.

        Parameters
        ----------
        values : array or Encoded of shape (n_samples,)
            The numbers or categories.
        row_numbers : array of shape (n_samples,), optional
            The numbers of the rows in the whole table; None: no sample is drawn.
        weights : array of shape (n_samples,), optional
            Frequency weights.
        row_counts : array of shape (n_samples,), optional
            How many rows each row is, where equal ones were grouped.
        is_text : bool
            Whether categories are text, which may mean something else.
        """
        n_missing, n_infinite = count_unusable(values, row_counts)
        n_rows = len(values) if row_counts is None else int(row_counts.sum())
        if n_missing or n_infinite:
            return cls(n_rows, n_missing, n_infinite)
        total_weight = n_rows if weights is None else int(weights.sum())
        if are_categories(values):
            samples_of_category = np.bincount(values.codes, weights, len(values.categories))
            rows_of_category = np.bincount(values.codes, row_counts, len(values.categories))
            counts = np.stack([samples_of_category, rows_of_category], axis=1).astype(np.int64)
            distinct = Distinct(values.categories, counts)
            column = ColumnSummary(NUMBERS, None, distinct=distinct, is_text=is_text)
            return cls(n_rows, 0, 0, column, total_weight=total_weight)
        sample = None
        if row_numbers is not None:
            table = InMemoryDataset([values], ["y"], weights=weights)
            sample = RowSample.of_part(table, row_numbers, _SAMPLE_SIZE)
        numbers = Distinct.of_samples(values, None, 1, weights, _MAX_VALUES)
        return cls(n_rows, 0, 0, ColumnSummary(NUMBERS, values.dtype, distinct=numbers), sample, total_weight)

    @classmethod
    def merged(cls, partitions: Sequence[TargetColumn], what: str) -> TargetColumn:
        """Merge the summaries of partitions; ``what`` is what messages call the column."""
        if len(partitions) == 1:
            return partitions[0]
        n_samples = sum(partition.n_samples for partition in partitions)
        columns = [partition.column for partition in partitions if partition.column is not None]
        if len(columns) < len(partitions):
            n_missing = sum(partition.n_missing for partition in partitions)
            n_infinite = sum(partition.n_infinite for partition in partitions)
            return cls(n_samples, n_missing, n_infinite)
        samples = [partition.sample for partition in partitions if partition.sample is not None]
        return cls(
            n_samples,
            0,
            0,
            column=ColumnSummary.merged(columns, what, _MAX_VALUES),
            sample=RowSample.merged(samples) if samples else None,
            total_weight=sum(partition.total_weight for partition in partitions),
        )

    def classes(self, what: str, target_kind: TargetKind) -> TargetPart:
        """The classes of all rows."""
        check_complete(what, self.n_samples, self.n_missing, self.n_infinite)
        assert self.column is not None  # nothing is missing
        if self.column.distinct is None:
            return self._classes_of_sample(what, target_kind)
        values = self.column.distinct.values
        counts = self.column.distinct.counts[:, 0]
        if self.column.kind is None:
            codes = np.arange(len(values), dtype=np.int32)
            return TargetPart(values, to_classes(Encoded(codes, values), target_kind, counts, what), counts=counts)
        return TargetPart(values, to_classes(values, target_kind, counts, what), counts=counts)

    def strata(self, name: str, categories: Collection[str] | None) -> TargetPart:
        """The strata of all rows, one for each value. A column of numbers may be among the declared ``categories``."""
        check_every_row_has_a_stratum(self.n_missing, self.n_samples, name)
        if self.n_infinite:
            raise UserError(
                code="infinite-values",
                message=f"strata are infinite in {self.n_infinite:,} of {self.n_samples:,} rows",
                advice="give every row a finite one",
            )
        assert self.column is not None  # no value is missing or infinite
        if self.column.distinct is None:
            check_combinations(_MAX_VALUES + 1)
        assert self.column.distinct is not None
        values = self.column.distinct.values
        if self.column.kind is not None:
            check_are_no_quantity(values, name, categories)
        return TargetPart(values, Target(np.arange(len(values), dtype=np.int32), values))

    def _classes_of_sample(self, what: str, target_kind: TargetKind) -> TargetPart:
        """Cut too many distinct numbers to count into intervals, whose edges are found in a sample of the rows."""
        assert self.sample is not None
        (values,) = self.sample.columns
        assert values is not None
        if target_kind.kind == "classes":
            raise UserError(
                code="too-many-classes",
                message=f"{what} has more than {_MAX_VALUES:,} classes",
                advice="check that it does not only number the rows",
            )
        n_classes_of_quantity = number_of_classes(self.total_weight)
        quantity = TargetKind("quantity", target_kind.n_bins or n_classes_of_quantity)
        target = to_classes(values, quantity, self.sample.weights, what)
        target = replace(
            target, requested_kind=target_kind, n_classes_of_quantity=n_classes_of_quantity, n_numbers=0
        )  # the numbers were not counted
        return TargetPart(values, target, self.sample.rank_error)


@dataclass(frozen=True, eq=False)
class TargetPart:
    """The classes of one column of a target."""

    values: Values  # the distinct values, or a sample
    target: Target  # its codes are those of ``values``
    rank_error: float = 0.0  # the largest error of the rank of an edge, as a share of the samples; 0 if exact
    counts: Integers | None = None  # the number of samples of each of ``values``; None for a sample

    def codes(self, values: ColumnValues) -> NDArray[np.int32]:
        """The classes of some rows."""
        if are_categories(values):
            codes_of_categories = self.target.codes[lookup(values.categories, self.values)]
            return codes_of_categories[values.codes]
        if self.target.edges is not None:
            return np.searchsorted(self.target.quantity_edges, numbers_of(values, self.target.name)).astype(np.int32)
        return self.target.codes[lookup(values, self.values)]


@dataclass(frozen=True, eq=False)
class TargetSummary:
    """The summary of a target in some rows, by column; summaries of partitions merge."""

    columns: Mapping[str, TargetColumn]
    strata: Mapping[str, TargetColumn] = field(default_factory=dict)  # the columns of the strata

    @classmethod
    def of_part(
        cls,
        y: ColumnLike,
        strata: ColumnLike = None,
        *,
        first_row: int = 0,
        weights: Integers | None = None,
        sampled: bool = True,
        row_counts: Integers | None = None,
    ) -> TargetSummary:
        """Summarize the target of some rows, the first of which has this number; see :meth:`TargetColumn.of_part`."""
        columns = split_target(y)
        is_joint = len(columns) > 1
        summaries = {}
        for name, column in columns.items():
            values = read_values(column, label_of_target(name, is_joint=is_joint))
            row_numbers = np.arange(first_row, first_row + len(values)) if sampled else None
            is_text = are_categories(values) and target_text(column) is not None
            summaries[name] = TargetColumn.of_part(values, row_numbers, weights, row_counts, is_text)
        summaries_of_strata = {}
        if strata is not None:
            for name, column in columns_of_strata(strata):
                values = read_values(column, "strata")
                summaries_of_strata[name] = TargetColumn.of_part(values, None, weights, row_counts)
        return cls(summaries, summaries_of_strata)

    @classmethod
    def merged(cls, partitions: Sequence[TargetSummary]) -> TargetSummary:
        """Merge the summaries of partitions."""
        names = list(partitions[0].columns)
        merged = {}
        for name in names:
            columns = [partition.columns[name] for partition in partitions]
            merged[name] = TargetColumn.merged(columns, label_of_target(name, is_joint=len(names) > 1))
        merged_strata = {}
        for name in partitions[0].strata:
            columns = [partition.strata[name] for partition in partitions]
            merged_strata[name] = TargetColumn.merged(columns, "strata")
        return cls(merged, merged_strata)

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        first_column = next(iter(self.columns.values()))
        return first_column.n_samples

    @property
    def total_weight(self) -> int:
        """The sum of the frequency weights; the number of rows without weights."""
        first_column = next(iter(self.columns.values()))
        return first_column.total_weight

    @property
    def needs_sample(self) -> bool:
        """Whether a column has too many distinct numbers to count, and no sample of them was drawn."""
        for target_column in self.columns.values():
            summary = target_column.column
            if target_column.sample is None and summary is not None and summary.has_uncounted:
                return True
        return False

    def decide_text_meanings(self, rules: ColumnRules) -> dict[int, TextMeaning]:
        """What the text of columns means, by column index, for text that is numbers or times."""
        from bitsieve.dataset.text_meaning import meaning_of_text  # here, as it loads the functions of Arrow

        text_meanings = {}
        for j, target_column in enumerate(self.columns.values()):
            summary = target_column.column
            if summary is not None and summary.is_text and summary.distinct is not None:
                text = CountedText(text_of(summary.distinct.values.tolist()), summary.distinct.counts[:, 1])
                meaning = meaning_of_text(text, repair=rules.repair, is_target=True)
                if meaning.format.converts_target:
                    text_meanings[j] = meaning
        return text_meanings

    def fitted(
        self,
        name: str,
        target_kind: TargetKind = KIND_FROM_VALUES,
        categories_of_strata: Collection[str] | None = None,
    ) -> TargetCoding:
        """Decide how the target becomes classes, as :func:`~bitsieve.dataset.target.read_target` does with all rows.

        Columns of strata whose numbers are categories, however many there are, have names in ``categories_of_strata``.
        """
        is_joint = len(self.columns) > 1
        parts = {
            column_name: column.classes(label_of_target(column_name, is_joint=is_joint), target_kind)
            for column_name, column in self.columns.items()
        }
        check_bins(part.target for part in parts.values())
        strata = [column.strata(column_name, categories_of_strata) for column_name, column in self.strata.items()]
        no_codes = np.empty(0, np.int32)
        if is_joint:
            target = Target(no_codes, np.empty(0), name=name, requested_kind=target_kind)
        else:
            (part,) = parts.values()
            target = replace(part.target, codes=no_codes, values=None, name=name)
        return TargetCoding(parts, target, strata)


@dataclass(frozen=True, eq=False)
class TargetCoding:
    """How a target becomes classes, the same in every partition of its rows."""

    parts: Mapping[str, TargetPart]  # by column
    target: Target  # the classes, without codes; a joint target gets them by :meth:`with_combinations`
    strata: Sequence[TargetPart] = ()  # how each column of strata is coded
    #: The combinations that occur, each as a number, ascending: of the classes of a joint target, and of strata.
    combinations: Integers | None = field(default=None)
    strata_and_classes: StrataAndClasses | None = field(default=None)  # what the combinations are; None without strata

    @property
    def is_joint(self) -> bool:
        """Whether the target has several columns, whose combinations are the classes."""
        return len(self.parts) > 1

    @property
    def needs_combinations(self) -> bool:
        """Whether rows are counted by combinations, which must be found first."""
        return self.is_joint or len(self.strata) > 0

    @property
    def counted_target(self) -> Target:
        """What rows are counted by: the classes, or the combinations of stratum and class."""
        if self.strata_and_classes is None:
            return self.target
        n_combinations = len(self.strata_and_classes.stratum)
        return Target(np.empty(0, np.int32), np.arange(n_combinations), name=self.target.name)

    @property
    def rank_error(self) -> float:
        """The largest error of the rank of an edge, as a share of the samples; 0 if exact."""
        return max(part.rank_error for part in self.parts.values())

    @property
    def class_sizes(self) -> Integers | None:
        """The number of samples of each class; None where another pass over the rows must count them."""
        first = next(iter(self.parts.values()))
        if self.needs_combinations or first.counts is None:
            return None
        return sizes_of_classes(first.target.codes, first.counts, first.target.n_classes)

    def codes(self, y: ColumnLike, strata: ColumnLike = None) -> NDArray[np.int32]:
        """The classes of some rows, or their combinations of stratum and class."""
        if not self.needs_combinations:
            (codes,) = self._codes_of_target(y)
            return codes
        assert self.combinations is not None  # they are found first
        return np.searchsorted(self.combinations, self.combinations_of(y, strata)).astype(np.int32)

    def combinations_of(self, y: ColumnLike, strata: ColumnLike = None) -> Integers:
        """The combination of strata and classes of every row, as a number."""
        return self.numbers([*self._codes_of_strata(strata), *self._codes_of_target(y)])

    def numbers(self, codes: Sequence[NDArray[np.integer]]) -> Integers:
        """The combinations as numbers, from the codes of the columns of strata and then of those of the target."""
        if prod(self._sizes_of_target) > MAX_JOINT_CLASSES:
            join_targets({name: part.target for name, part in self.parts.items()})  # raises the error
        sizes = [*(part.target.n_classes for part in self.strata), *self._sizes_of_target]
        if prod(sizes) > MAX_CELLS:
            check_combinations(prod(sizes))
        return np.ravel_multi_index(tuple(codes), sizes).astype(np.int64)

    @property
    def _sizes_of_target(self) -> list[int]:
        """The number of classes of each column of the target."""
        return [part.target.n_classes for part in self.parts.values()]

    def with_combinations(self, combinations: Integers) -> TargetCoding:
        """The coding, given the :meth:`combinations_of` all rows."""
        occurring = np.unique(combinations)
        stratum, label = np.divmod(occurring, prod(self._sizes_of_target))
        target = self.target
        if self.is_joint:  # its classes are the combinations that occur
            classes, label = np.unique(label, return_inverse=True)
            target = self._joint_target(classes)
        coding = replace(self, target=target, combinations=occurring)
        if not self.strata:
            return coding
        numbers = stratum * target.n_classes + label.reshape(-1)
        return replace(coding, strata_and_classes=StrataAndClasses.of_numbers(numbers, target.n_classes))

    def _joint_target(self, classes: Integers) -> Target:
        """The target of several columns, from the numbers of the combinations of their classes that occur."""
        targets = {}
        codes_of_columns = np.unravel_index(classes, self._sizes_of_target)
        for (name, part), codes in zip(self.parts.items(), codes_of_columns, strict=True):
            targets[name] = replace(part.target, codes=codes.astype(np.int32))
        return replace(join_targets(targets), codes=np.empty(0, np.int32), name=self.target.name)

    def _codes_of_target(self, y: ColumnLike) -> list[NDArray[np.int32]]:
        """The classes of every column of the target."""
        columns = split_target(y)
        codes = []
        for (name, part), column in zip(self.parts.items(), columns.values(), strict=True):
            values = read_values(column, label_of_target(name, is_joint=self.is_joint))
            codes.append(part.codes(values))
        return codes

    def _codes_of_strata(self, strata: ColumnLike) -> list[NDArray[np.int32]]:
        """The strata by every column of them."""
        if strata is None:
            return []
        columns = [column for _, column in columns_of_strata(strata)]
        return [part.codes(read_values(column, "strata")) for part, column in zip(self.strata, columns, strict=True)]
