"""Counts within strata: the tables of every pair of columns within each stratum, and within each class of each stratum.

The samples of a source lie in strata S, such as batches or sites. They are counted with the stratum as the class, and
with every combination of the class C and the stratum that occurs. All information given the stratum follows from these
two, by the chain rule ``I(X;C|S) = I(X;(C,S)) - I(X;S)``.

The table by stratum is the table by combination with the classes of each stratum added up, so that one count is enough.
Samples in bit planes are counted once, too. Other samples in memory are counted twice, by combination and by stratum:
native code adds up both counts faster than one count makes tables.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from bitsieve.counts.packed import PackedSums
from bitsieve.counts.source import (
    ConditioningSource,
    CountSource,
    Partition,
    coded,
    conditioning,
    sums_of,
    undivided,
)
from bitsieve.counts.tables import ContingencyTable, EntropyTerms, PairSums, Sums, column_blocks
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.lazy import cached_property

MAX_COMBINATIONS = 1 << 16  # combinations of class and stratum that can be counted
#: The counts of every source that is in use, which the estimators of the source share.
_CACHED_COUNTS: WeakKeyDictionary[CountSource, CountsWithinStrata] = WeakKeyDictionary()


@dataclass(frozen=True)
class StrataAndClasses:
    """The combinations of stratum and class that occur, ordered by stratum and then by class."""

    stratum: Integers  # the stratum of each combination, ascending
    label: Integers  # the class of each combination
    n_classes: int

    @classmethod
    def of_numbers(cls, numbers: Integers, n_classes: int) -> StrataAndClasses:
        """The combinations of ascending numbers ``stratum * n_classes + class``, the strata numbered from 0."""
        check_combinations(len(numbers))
        _, stratum = np.unique(numbers // n_classes, return_inverse=True)
        return cls(stratum.reshape(-1).astype(np.int64), (numbers % n_classes).astype(np.int64), n_classes)

    @property
    def n_strata(self) -> int:
        return int(self.stratum[-1]) + 1

    @property
    def first_combination(self) -> Integers:
        """The first combination of each stratum, and at the end the number of combinations: shape (n_strata + 1,)."""
        return np.searchsorted(self.stratum, np.arange(self.n_strata + 1)).astype(np.int64)

    def class_counts(self, sizes: Integers) -> Integers:
        """The samples of each class in each stratum, shape (n_strata, n_classes), from ``sizes`` by combination."""
        counts = np.zeros((self.n_strata, self.n_classes), np.int64)
        counts[self.stratum, self.label] = sizes
        return counts


def check_combinations(n_combinations: int) -> None:
    """Refuse more combinations of class and stratum than can be counted."""
    if n_combinations > MAX_COMBINATIONS:
        raise UserError(
            code="too-many-strata",
            message=f"there are {n_combinations:,} combinations of class and stratum",
            advice="at most 65,536 can be counted: use fewer strata",
        )


@dataclass(frozen=True)
class CountsWithinStrata:
    """Samples counted by combination of class and stratum, and also by stratum where that is faster."""

    combination_source: CountSource  # its classes are the combinations
    combinations: StrataAndClasses
    stratum_source: CountSource | None = None  # its classes are the strata; None if the samples are counted once

    @classmethod
    def of_source(cls, source: CountSource) -> CountsWithinStrata:
        """Count the samples of a source that has strata."""
        if source not in _CACHED_COUNTS:
            if isinstance(source, SourceInStrata):
                _CACHED_COUNTS[source] = source.counts_within_strata()
            else:
                _CACHED_COUNTS[source] = cls._of_samples(source)
        return _CACHED_COUNTS[source]

    @classmethod
    def _of_samples(cls, source: CountSource) -> CountsWithinStrata:
        """Count samples whose codes and strata are in memory."""
        coded_source = coded(source)
        if coded_source is None or source.strata is None:
            raise UserError(
                code="strata-not-supported",
                message="groups of columns of a sparse table are not counted within strata",
                advice="leave out {strata}, or the groups",
            )
        combination_of_sample = source.strata * source.n_classes + coded_source.sample_classes
        numbers, labels = np.unique(combination_of_sample, return_inverse=True)
        combinations = StrataAndClasses.of_numbers(numbers, source.n_classes)
        (combination_source,) = coded_source.relabelled([labels.reshape(-1)])
        if sums_of_planes(combination_source) is not None:
            return cls(combination_source, combinations)
        (stratum_source,) = coded_source.relabelled([source.strata])
        return cls(combination_source, combinations, stratum_source)

    @cached_property
    def stratum_sizes(self) -> Integers:
        """The number of samples of every stratum."""
        return np.add.reduceat(self.combination_source.class_sizes, self.combinations.first_combination[:-1])

    def table_by_class(self, table: ContingencyTable) -> ContingencyTable:
        """The table by class that follows from one by combination."""
        return table.with_classes_merged(self.combinations.label, self.combinations.n_classes)

    def table_by_stratum(self, table: ContingencyTable) -> ContingencyTable:
        """The table by stratum that follows from one by combination."""
        return table.with_classes_merged(self.combinations.stratum, self.combinations.n_strata)


class MergedClasses(ConditioningSource):
    """The samples of another source, with several of its classes taken for one."""

    def __init__(self, source: CountSource, merged_class: Integers, n_classes: int) -> None:
        self.source = source
        self.capabilities = source.capabilities & ConditioningSource.capabilities
        self.merged_class = merged_class  # merged_class[c] is the new class of class c of the source
        self.n_classes = n_classes
        self.n_samples = source.n_samples
        self.n_features = source.n_features
        self.arities = source.arities
        self.n_jobs = source.n_jobs
        self.class_sizes = np.bincount(merged_class, source.class_sizes, n_classes).astype(np.int64)
        self.is_unchanged = np.array_equal(merged_class, np.arange(n_classes))

    @property
    def fused(self) -> Sums | None:
        """The sums of the other source where its classes stay as they are; else sums are made table by table."""
        return self.source.fused if self.is_unchanged else None

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        return [self.merged(table) for table in self.source.tables(pivot, columns, by_class)]

    def merged(self, table: ContingencyTable) -> ContingencyTable:
        """A table of the other source, with the counts of merged classes added up."""
        has_classes = table.shape[2] == self.source.n_classes
        if self.is_unchanged or not has_classes:
            return table
        return table.with_classes_merged(self.merged_class, self.n_classes)

    def partition(self) -> Partition:
        return PartitionOfMergedClasses(self, conditioning(self.source).partition())


class PartitionOfMergedClasses(Partition):
    """A partition of the samples whose classes were merged."""

    source: MergedClasses

    def __init__(self, source: MergedClasses, base: Partition) -> None:
        self.source = source
        self.base = base  # the same partition of the samples before their classes were merged

    @property
    def keys(self) -> Integers:
        return self.base.keys

    @property
    def n_parts(self) -> int:
        return self.base.n_parts

    def refine(self, feature: int) -> PartitionOfMergedClasses:
        return PartitionOfMergedClasses(self.source, self.base.refine(feature))

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        return [self.source.merged(table) for table in self.base.tables(columns, by_class)]


class SourceInStrata(MergedClasses):
    """Samples in strata that were counted by combination of class and stratum only, wherever they lie."""

    def __init__(self, combination_source: CountSource, combinations: StrataAndClasses) -> None:
        super().__init__(combination_source, combinations.label, combinations.n_classes)
        self.combinations = combinations

    @property
    def n_strata(self) -> int:
        return self.combinations.n_strata

    def counts_within_strata(self) -> CountsWithinStrata:
        """The samples counted by combination, from which every table by stratum follows."""
        return CountsWithinStrata(self.source, self.combinations)

    def joined(self, groups: Sequence[Columns]) -> SourceInStrata:
        return SourceInStrata(conditioning(self.source).joined(groups), self.combinations)

    def partition_by_strata(self) -> PartitionWithinStrata:
        """The samples, divided by their strata."""
        return PartitionWithinStrata(self, undivided(self.source))


class PartitionWithinStrata(Partition):
    """The samples divided by their strata, and then by the parts of a base partition."""

    source: SourceInStrata

    def __init__(self, source: SourceInStrata, base: Partition) -> None:
        self.source = source
        self.base = base  # its classes are the combinations

    @cached_property
    def _part_numbers(self) -> Integers:
        """The numbers ``stratum * n_base_parts + base part`` of the parts that occur, ascending."""
        (table,) = self.base.tables(None, True)
        cells, _ = table.occupied()
        _, _, n_combinations = table.shape
        base_part, combination = np.divmod(cells, n_combinations)
        return np.unique(self._part_number(base_part, combination))

    def _part_number(self, base_part: Integers, combination: Integers) -> Integers:
        """The number of the part in which the samples of a base part and a combination are."""
        numbers: Integers = self.source.combinations.stratum[combination] * self.base.n_parts + base_part
        return numbers

    @property
    def keys(self) -> Integers:
        stratum, base_part = np.divmod(self._part_numbers, self.base.n_parts)
        return np.column_stack([stratum, self.base.keys[base_part]])

    @property
    def n_parts(self) -> int:
        return len(self._part_numbers)

    def refine(self, feature: int) -> PartitionWithinStrata:
        return PartitionWithinStrata(self.source, self.base.refine(feature))

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        tables = [self._within_strata(table) for table in self.base.tables(columns, True)]
        if by_class:
            return tables
        return [table.pooled() for table in tables]

    def _within_strata(self, table: ContingencyTable) -> ContingencyTable:
        """The table of parts, codes and classes that follows from one of base parts, codes and combinations."""
        _, n_codes, n_combinations = table.shape
        n_classes = self.source.n_classes
        cells, counts = table.occupied()
        base_part_and_code, combination = np.divmod(cells, n_combinations)
        base_part, code = np.divmod(base_part_and_code, n_codes)
        part = np.searchsorted(self._part_numbers, self._part_number(base_part, combination))
        cells_within = (part * n_codes + code) * n_classes + self.source.combinations.label[combination]
        return ContingencyTable.of_cells((self.n_parts, n_codes, n_classes), cells_within, counts)


def sums_of_planes(source: CountSource) -> PackedSums | None:
    """The sums of a source that stores all its columns as bit planes; None for any other."""
    fused = source.fused
    if isinstance(fused, PackedSums) and fused.planes is not None:
        return fused
    return None


def partition_by_strata(source: CountSource) -> Partition:
    """The samples of a source that has strata, divided by these."""
    if isinstance(source, SourceInStrata):
        return source.partition_by_strata()
    coded_source = coded(source)
    assert coded_source is not None  # strata are counted only where the codes are in memory, or as SourceInStrata
    return coded_source.partition_by_strata()


class SumsWithinStrata(Sums):
    """Sums of entropy terms within the strata s.

    ``S_xys`` stands where the sums of a source without strata have ``S_xy``, and ``S_xycs`` where they have ``S_xyc``.
    The total is ``S_s``, and the sum of the class ``S_cs``. With these every formula holds given the stratum.
    """

    def __init__(self, counts: CountsWithinStrata) -> None:
        super().__init__(counts.combination_source)
        self.counts = counts

    @classmethod
    def of_counts(cls, counts: CountsWithinStrata) -> SumsWithinStrata:
        """The fastest sums."""
        planes = sums_of_planes(counts.combination_source)
        if planes is not None:
            return SumsOfPlanes(counts, planes)
        if counts.stratum_source is not None:
            return SumsOfTwoCounts(counts, counts.stratum_source)
        return SumsOfOneCount(counts)

    def total(self, entropy_terms: EntropyTerms) -> int:
        return entropy_terms.sum(self.counts.stratum_sizes)

    def class_sum(self, entropy_terms: EntropyTerms) -> int:
        return entropy_terms.sum(self.counts.combination_source.class_sizes)

    @abstractmethod
    def marginal_sums(self, entropy_terms: EntropyTerms) -> tuple[Integers, Integers]:
        """``S_xs`` and ``S_xcs`` of every feature x, each of shape (n_features,)."""

    @abstractmethod
    def pair_sums(
        self,
        entropy_terms: EntropyTerms,
        pivot: int,
        columns: Columns | None,
        by_class: bool,
        out: PairSums | None = None,
    ) -> PairSums:
        """``S_xys`` and, with ``by_class``, ``S_xycs`` of the pivot x with each of ``columns``, None: all columns."""


class SumsOfPlanes(SumsWithinStrata):
    """Sums within strata that native code adds up while it counts bit planes by combination."""

    def __init__(self, counts: CountsWithinStrata, planes: PackedSums) -> None:
        super().__init__(counts)
        self._planes = planes
        self._first_class = counts.combinations.first_combination  # the classes of the planes are the combinations
        self.row_seconds = planes.row_seconds

    def marginal_sums(self, entropy_terms: EntropyTerms) -> tuple[Integers, Integers]:
        sums = self._planes.sums_within_strata(entropy_terms, self._first_class, None, None, by_class=True)
        assert sums.by_class is not None
        return sums.pooled, sums.by_class

    def pair_sums(
        self,
        entropy_terms: EntropyTerms,
        pivot: int,
        columns: Columns | None,
        by_class: bool,
        out: PairSums | None = None,
    ) -> PairSums:
        return self._planes.sums_within_strata(entropy_terms, self._first_class, pivot, columns, by_class=by_class)

    def counted_with(self, columns: Columns) -> Columns:
        return self._planes.counted_with(columns)

    def sums_of_copy(self, columns: Columns) -> SumsOfPlanes | None:
        copy_sums = self._planes.sums_of_copy(columns)
        if copy_sums is None:
            return None
        return SumsOfPlanes(CountsWithinStrata(copy_sums.source, self.counts.combinations), copy_sums)


class SumsOfTwoCounts(SumsWithinStrata):
    """Sums within strata from the fused sums of two counts: by stratum, and by combination."""

    def __init__(self, counts: CountsWithinStrata, stratum_source: CountSource) -> None:
        super().__init__(counts)
        self._stratum_sums = sums_of(stratum_source)
        self._combination_sums = sums_of(counts.combination_source)
        self.row_seconds = self._stratum_sums.row_seconds + self._combination_sums.row_seconds

    def marginal_sums(self, entropy_terms: EntropyTerms) -> tuple[Integers, Integers]:
        _, within_strata = self._stratum_sums.marginal_sums(entropy_terms)
        _, within_combinations = self._combination_sums.marginal_sums(entropy_terms)
        return within_strata, within_combinations

    def pair_sums(
        self,
        entropy_terms: EntropyTerms,
        pivot: int,
        columns: Columns | None,
        by_class: bool,
        out: PairSums | None = None,
    ) -> PairSums:
        within_strata = self._stratum_sums.pair_sums(entropy_terms, pivot, columns, True).by_class
        assert within_strata is not None
        within_combinations = None
        if by_class:
            within_combinations = self._combination_sums.pair_sums(entropy_terms, pivot, columns, True).by_class
        return PairSums(within_strata, within_combinations)

    def counted_with(self, columns: Columns) -> Columns:
        return self._combination_sums.counted_with(columns)


class SumsOfOneCount(SumsWithinStrata):
    """Sums within strata from tables by combination, each of which is counted once."""

    def marginal_sums(self, entropy_terms: EntropyTerms) -> tuple[Integers, Integers]:
        sums = self._sums(entropy_terms, None, np.arange(self.counts.combination_source.n_features))
        assert sums.by_class is not None
        return sums.pooled, sums.by_class

    def pair_sums(
        self,
        entropy_terms: EntropyTerms,
        pivot: int,
        columns: Columns | None,
        by_class: bool,
        out: PairSums | None = None,
    ) -> PairSums:
        if columns is None:
            columns = np.arange(self.counts.combination_source.n_features)
        return self._sums(entropy_terms, pivot, columns)

    def _sums(self, entropy_terms: EntropyTerms, pivot: int | None, columns: Columns) -> PairSums:
        """The sums over the tables of the pivot with ``columns``, by stratum and by combination."""
        source = self.counts.combination_source
        n_first = 1 if pivot is None else int(source.arities[pivot])
        within_strata = np.empty(len(columns), np.int64)
        within_combinations = np.empty(len(columns), np.int64)
        for block in column_blocks(n_first, source.arities[columns], source.n_classes, source.n_samples):
            for index, table in enumerate(source.tables(pivot, columns[block], True), block.start):
                within_strata[index] = entropy_terms.sum(self.counts.table_by_stratum(table).counts)
                within_combinations[index] = entropy_terms.sum(table.counts)
        return PairSums(within_strata, within_combinations)
