"""Sources of counts: what methods need of their data, as integer contingency tables.

A source counts pairs of columns with the class. A conditioning source also counts at each joint value of several
columns, by a partition of the samples. A coded source knows the code of every sample.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol, Self, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.checks import check_joint_values
from bitsieve.counts.search import CodingPenalty, JoinedSearch
from bitsieve.counts.tables import (
    ContingencyTable,
    EntropyTerms,
    PairSums,
    Sums,
    Tables,
    write_sums_of_tables,
)
from bitsieve.counts.threads import run_blocks
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers

SMALL_COPY_BYTES = 8 << 20  # a copy of some columns that is no larger may stay in memory
MAX_MARKED_VALUES = 8  # possible values per sample up to which marking the values is faster than sorting the samples
SEEDS_PER_BLOCK = 16  # shuffles that one thread makes at once
AnyPartition = TypeVar("AnyPartition", bound="Partition")


def needs_more_than_pairs() -> UserError:
    """The error for a method that needs tables of more columns than the pairs that saved counts hold."""
    return UserError(
        code="pairs-only",
        message="saved counts hold tables of pairs of columns, and this method needs tables of more of them",
        advice="give it the data",
    )


def class_order(
    classes: NDArray[np.integer], weights: Integers | None, n_classes: int
) -> tuple[NDArray[np.uint32], Integers]:
    """The rows in class order, each repeated by its weight, and the number of samples of each class."""
    order, sizes = _native.class_order(np.ascontiguousarray(classes, np.int32), n_classes)
    if weights is None:
        return order, sizes
    return np.repeat(order, weights[order]), sizes_of_classes(classes, weights, n_classes)


def sizes_of_classes(classes: NDArray[np.integer], weights: Integers | None, n_classes: int) -> Integers:
    """The number of samples of each class. There are at least ``n_classes`` classes."""
    if weights is None and 0 < n_classes <= 4:  # faster than bincount, which copies the classes to int64
        return np.array([np.count_nonzero(classes == c) for c in range(n_classes)], np.int64)
    # Sums of weights are at most 2**31: the floats that bincount makes of them are exact.
    return np.bincount(classes, weights, minlength=n_classes).astype(np.int64)


class Arrangement(NamedTuple):
    """The codes of a feature, ordered by part, then class, then code. Parts of one sample are left out.

    A run is the samples of one class in one part. The order follows from the contingency table alone, so that equal
    tables are shuffled alike.
    """

    codes: NDArray[np.uint16]
    run_ends: Integers  # the end of each run in ``codes``
    part_ends: Integers  # the end of each part in ``run_ends``

    @classmethod
    def of_table(cls, table: ContingencyTable) -> Arrangement:
        """The arrangement of a table of shape (parts, codes of the feature, classes)."""
        n_parts, n_codes, n_classes = table.shape
        cells, counts = table.occupied()
        part = cells // (n_codes * n_classes)
        code = cells // n_classes % n_codes
        label = cells % n_classes
        has_several_samples = np.bincount(part, counts, n_parts)[part] > 1
        part = part[has_several_samples]
        code = code[has_several_samples]
        label = label[has_several_samples]
        counts = counts[has_several_samples]
        order = np.lexsort((code, label, part))
        part_and_label, run_sizes = _runs(part[order] * n_classes + label[order], counts[order])
        _, n_runs_of_part = np.unique(part_and_label // n_classes, return_counts=True)
        codes = np.repeat(code[order], counts[order]).astype(np.uint16)
        return cls(codes, run_ends=np.cumsum(run_sizes), part_ends=np.cumsum(n_runs_of_part))

    def shuffled_sums(self, entropy_terms: EntropyTerms, seeds: NDArray[np.uint64], n_jobs: int | None) -> Integers:
        """``S_xzc`` after shuffles of the feature within the parts, one shuffle for each seed."""
        out = np.empty(len(seeds), np.int64)

        def shuffle(first: int) -> None:
            batch = slice(first, first + SEEDS_PER_BLOCK)
            _native.shuffled_sums(
                entropy_terms.table,
                entropy_terms.shift,
                self.codes,
                self.run_ends,
                self.part_ends,
                seeds[batch],
                out[batch],
            )

        run_blocks(shuffle, range(0, len(seeds), SEEDS_PER_BLOCK), n_jobs)
        # Each of the other samples is a part of its own, and a cell with count 1.
        n_single_samples = entropy_terms.n_samples - len(self.codes)
        term_of_one = entropy_terms.sum(np.ones(1, np.int64))
        return out + n_single_samples * term_of_one


class MarginsOfParts(NamedTuple):
    """The sizes of the values of a variable in each part: one entry for each value that occurs in a part."""

    part: Integers
    size: Integers  # samples

    def n_values(self) -> Integers:
        """How many values occur in each part."""
        return np.bincount(self.part)

    def smallest_size(self) -> Integers:
        """The size of the rarest value of each part."""
        smallest = np.full(self.part.max(initial=-1) + 1, np.iinfo(np.int64).max)
        np.minimum.at(smallest, self.part, self.size)
        return smallest


class Partition(Protocol):
    """The samples, divided into parts of equal codes in some features: the conditioning features.

    A subclass implements :attr:`keys`, :meth:`refine` and :meth:`tables`, and overrides what it computes faster.
    """

    source: Tables

    @property
    @abstractmethod
    def keys(self) -> Integers:
        """The codes of the conditioning features in every part, shape (n_parts, n_conditioning).

        Only parts with samples are listed, in lexicographic order. Sources whose samples lie in several places take
        the union of the parts that occur in each place.
        """

    @property
    def n_parts(self) -> int:
        """The number of parts with samples."""
        return len(self.keys)

    @abstractmethod
    def refine(self, feature: int) -> Self:
        """Divide the parts by the codes of one more feature."""

    @abstractmethod
    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        """Count one table for each of ``columns``, of shape (parts, codes of the column, classes).

        With ``columns`` None there is one table, of shape (parts, 1, classes). ``by_class`` False pools the classes.
        """

    def marginal_sums(self, entropy_terms: EntropyTerms) -> tuple[int, int]:
        """``S_z`` and ``S_zc``: the sums of entropy terms over the parts, and over parts and classes."""
        (table,) = self.tables(None, True)
        return entropy_terms.sum(table.pooled().counts), entropy_terms.sum(table.counts)

    def sums(self, entropy_terms: EntropyTerms, columns: Columns) -> tuple[Integers, Integers]:
        """``S_xz`` and ``S_xzc`` of ``columns``: over parts and codes, and over parts, codes and classes."""
        sums = PairSums.empty(len(columns), by_class=True)

        def count_tables(block: Columns) -> list[ContingencyTable]:
            return self.tables(block, True)

        write_sums_of_tables(entropy_terms, self.source, self.n_parts, columns, count_tables, sums)
        assert sums.by_class is not None
        return sums.pooled, sums.by_class

    def degrees_of_freedom(self, feature: int) -> int:
        """``(codes - 1) (classes - 1)`` over the codes and classes that occur in each part, summed."""
        codes, classes = self._margins(feature)
        return int(((codes.n_values() - 1) * (classes.n_values() - 1)).sum())

    def least_expected(self, feature: int) -> float:
        """The least expected count ``n_xz n_zc / n_z`` over the parts z in which both x and the class vary.

        It is infinite where there is no such part.
        """
        codes, classes = self._margins(feature)
        both_vary = (codes.n_values() > 1) & (classes.n_values() > 1)
        n_samples = np.bincount(codes.part, codes.size)
        smallest_product = codes.smallest_size()[both_vary] * classes.smallest_size()[both_vary]
        return float((smallest_product / n_samples[both_vary]).min(initial=np.inf))

    def _margins(self, feature: int) -> tuple[MarginsOfParts, MarginsOfParts]:
        """The codes and the classes of every part of several samples."""
        codes, run_ends, part_ends = self.arrangement(feature)
        part_of_run = np.repeat(np.arange(len(part_ends)), np.diff(part_ends, prepend=0))
        run_sizes = np.diff(run_ends, prepend=0)
        part_of_sample = np.repeat(part_of_run, run_sizes)
        n_codes = int(codes.max(initial=0)) + 1
        part_and_code, code_sizes = np.unique(part_of_sample * n_codes + codes, return_counts=True)
        return MarginsOfParts(part_and_code // n_codes, code_sizes), MarginsOfParts(part_of_run, run_sizes)

    def arrangement(self, feature: int) -> Arrangement:
        """The codes of a feature, arranged for shuffles within the parts."""
        (table,) = self.tables(np.array([feature]), True)
        return Arrangement.of_table(table)

    def shuffled_sums(self, entropy_terms: EntropyTerms, feature: int, seeds: NDArray[np.uint64]) -> Integers:
        """``S_xzc`` after shuffles of the feature within the parts, one shuffle for each seed."""
        return self.arrangement(feature).shuffled_sums(entropy_terms, seeds, self.source.n_jobs)


def _runs(labels: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """The distinct values of ascending ``labels``, and the sum of the counts of each."""
    if not len(labels):
        return labels, counts
    begins_run = np.ones(len(labels), bool)
    begins_run[1:] = labels[1:] != labels[:-1]
    starts = np.flatnonzero(begins_run)
    return labels[starts], np.add.reduceat(counts, starts)


class CountSource(Tables, Protocol):
    """A source of contingency tables, with what methods may use beside the tables."""

    #: "tables" of pairs; "partition" and "joined" of a :class:`ConditioningSource`; "codes" of a :class:`CodedSource`.
    capabilities: frozenset[str] = frozenset({"tables"})
    #: The search that chose the codes by a look at the classes; None where they were made without one.
    search: CodingPenalty | None = None
    #: The number of the stratum of every sample, shape (n_samples,); None where the samples lie in no strata.
    strata: Integers | None = None
    #: How many values a column could have by its type, and not by its samples alone. By column, the class is
    #: ``n_features``; other columns could have as many as they have codes.
    declared_values: Mapping[int, int] = MappingProxyType({})

    @property
    def n_strata(self) -> int:
        """How many strata there are; 0 where the samples lie in none."""
        return 0 if self.strata is None else int(self.strata.max()) + 1

    @property
    def fused(self) -> Sums | None:
        """Sums that are computed faster than table by table; None if the source has no faster way."""
        return None

    def copy_of_columns(self, columns: Columns, max_bytes: int = SMALL_COPY_BYTES) -> CountSource | None:
        """A source of only these columns, in this order; None if a copy would be larger than ``max_bytes`` or slow."""
        return None


class ConditioningSource(CountSource, Protocol):
    """A source that can also count at each joint value of several columns."""

    capabilities: frozenset[str] = frozenset({"tables", "partition", "joined"})

    @abstractmethod
    def partition(self) -> Partition:
        """All samples in one part, to be refined by conditioning features."""

    def joined(self, groups: Sequence[Columns]) -> ConditioningSource:
        """A source with one feature for each group of columns: its codes are the joint values, at most 65,536."""
        return JoinedSource(self, groups)


def sums_of(source: CountSource) -> Sums:
    """The fastest sums that a source has."""
    fused = source.fused
    return Sums(source) if fused is None else fused


def conditioning(source: CountSource) -> ConditioningSource:
    """The source as a :class:`ConditioningSource`, refused if it is none."""
    if not _is_conditioning(source):
        raise needs_more_than_pairs()
    return source


def _is_conditioning(source: CountSource) -> TypeGuard[ConditioningSource]:
    return {"partition", "joined"} <= source.capabilities


def undivided(source: CountSource) -> Partition:
    """All samples in one part. Of a source that counts pairs only, it cannot be refined."""
    return source.partition() if _is_conditioning(source) else UndividedSamples(source)


class UndividedSamples(Partition):
    """All samples of a source in one part."""

    source: CountSource

    def __init__(self, source: CountSource) -> None:
        self.source = source

    @property
    def keys(self) -> Integers:
        return np.empty((1, 0), np.int64)

    def refine(self, feature: int) -> UndividedSamples:
        raise needs_more_than_pairs()

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        if columns is not None:
            return self.source.tables(None, columns, by_class)
        table = ContingencyTable((1, 1, self.source.n_classes), self.source.class_sizes)
        return [table if by_class else table.pooled()]


def coded(source: CountSource) -> CodedSource | None:
    """The source as a :class:`CodedSource`; None if it is none."""
    return source if _is_coded(source) else None


def _is_coded(source: CountSource) -> TypeGuard[CodedSource]:
    return "codes" in source.capabilities


class JoinedSource(ConditioningSource):
    """The samples of another source, with one feature for each group of its columns."""

    def __init__(self, source: ConditioningSource, groups: Sequence[Columns]) -> None:
        self.source = source
        self.groups = groups
        self.n_samples = source.n_samples
        self.n_classes = source.n_classes
        self.n_jobs = source.n_jobs
        self.class_sizes = source.class_sizes
        self.n_features = len(groups)
        self.search = None if source.search is None else JoinedSearch(source.search.to_repeat(), groups)
        self.strata = source.strata
        self.arities = np.empty(len(groups), np.int32)
        for index, group in enumerate(groups):
            self.arities[index] = refined(source.partition(), group).n_parts
            check_joint_values(group, int(self.arities[index]))

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        """Count the tables of the joint value of the pivot's group with that of each of ``columns``."""
        partition = self.partition()
        if pivot is not None:
            partition = partition.refine(pivot)
        return partition.tables(columns, by_class)

    def partition(self) -> JoinedPartition:
        return JoinedPartition(self, self.source.partition(), ())


class JoinedPartition(Partition):
    """A partition by the joint values of groups of columns.

    ``base`` is the partition of the original source by all columns of these groups, ``members`` are the groups.
    """

    source: JoinedSource

    def __init__(self, source: JoinedSource, base: Partition, members: tuple[int, ...]) -> None:
        self.source = source
        self.base = base
        self.members = members

    @property
    def keys(self) -> Integers:
        keys_of_columns = self.base.keys
        codes_of_groups = [np.empty((len(keys_of_columns), 0), np.int64)]
        first = 0
        for member in self.members:
            end = first + len(self.source.groups[member])
            codes_of_groups.append(_row_numbers(keys_of_columns[:, first:end]))
            first = end
        return np.column_stack(codes_of_groups)

    @property
    def n_parts(self) -> int:
        return self.base.n_parts

    def refine(self, feature: int) -> JoinedPartition:
        base = refined(self.base, self.source.groups[feature])
        return JoinedPartition(self.source, base, (*self.members, feature))

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        if columns is None:
            return self.base.tables(None, by_class)
        return [self._table(int(column), by_class) for column in columns]

    def _table(self, column: int, by_class: bool) -> ContingencyTable:
        """The table of the parts, the joint values of one group, and the classes."""
        n_parts, n_conditioning = self.base.keys.shape
        refined_by_column = refined(self.base, self.source.groups[column])
        part = _row_numbers(refined_by_column.keys[:, :n_conditioning])
        code = _row_numbers(refined_by_column.keys[:, n_conditioning:])
        (table,) = refined_by_column.tables(None, by_class)
        n_classes = table.shape[2]
        occupied_cells, counts = table.occupied()
        refined_part, label = np.divmod(occupied_cells, n_classes)
        n_codes = int(self.source.arities[column])
        cells = (part[refined_part] * n_codes + code[refined_part]) * n_classes + label
        return ContingencyTable.of_cells((n_parts, n_codes, n_classes), cells, counts)


def refined(partition: AnyPartition, columns: Iterable[int]) -> AnyPartition:
    """The partition refined by several features, one after the other."""
    for column in columns:
        partition = partition.refine(int(column))
    return partition


def _distinct(values: Integers, n_values: int) -> tuple[Integers, Integers]:
    """The distinct values, ascending, and the index of each value among them; all are below ``n_values``."""
    if n_values > MAX_MARKED_VALUES * len(values):
        distinct, index = np.unique(values, return_inverse=True)
        return distinct, index.astype(np.int64)
    occurs = np.zeros(n_values, bool)
    occurs[values] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[values]


def _row_numbers(rows: Integers) -> Integers:
    """The index of every row among the distinct rows in lexicographic order."""
    if not rows.shape[1]:
        return np.zeros(len(rows), np.int64)
    _, index = np.unique(rows, axis=0, return_inverse=True)
    return index.reshape(-1).astype(np.int64)


class CodedSource(ConditioningSource):
    """A source that knows the class and the codes of every sample. The order of the samples never changes."""

    capabilities: frozenset[str] = frozenset({"tables", "partition", "joined", "codes"})
    sample_classes: Integers

    @abstractmethod
    def codes(self, feature: int) -> NDArray[np.integer]:
        """The code of every sample."""

    def samples_in_class_order(self) -> tuple[NDArray[np.integer], Integers]:
        """The codes and the classes of all samples, class by class.

        The codes have the shape (n_samples, n_features), in Fortran order.
        """
        dtype = np.uint8 if self.arities.max() <= 256 else np.uint16
        codes = np.empty((self.n_samples, self.n_features), dtype, order="F")
        order = np.argsort(self.sample_classes, kind="stable")
        for feature in range(self.n_features):
            codes[:, feature] = self.codes(feature)[order]
        return codes, self.sample_classes[order]

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        if pivot is None:
            return self.tables_of_variable(np.zeros(self.n_samples, np.int64), 1, columns, by_class)
        return self.tables_of_variable(self.codes(pivot), int(self.arities[pivot]), columns, by_class)

    def tables_of_variable(
        self, variable: NDArray[np.integer], n_values: int, columns: Columns | None, by_class: bool
    ) -> list[ContingencyTable]:
        """Count the tables of a variable with each of ``columns``; None: one table of the variable alone.

        ``variable`` is the value of the variable for every sample, below ``n_values``.
        """
        n_classes = self.n_classes if by_class else 1

        def count_table(n_codes: int, codes: NDArray[np.integer] | int) -> ContingencyTable:
            cell = variable.astype(np.int64) * n_codes + codes
            if by_class:
                cell = cell * n_classes + self.sample_classes
            return ContingencyTable.of_samples((n_values, n_codes, n_classes), cell)

        if columns is None:
            return [count_table(1, 0)]
        return [count_table(int(self.arities[column]), self.codes(int(column))) for column in columns]

    def partition(self) -> Partition:
        return JointCodes(self)

    def partition_by_strata(self) -> Partition:
        """The samples, divided by their strata."""
        return self.joint_codes_of_strata()

    def joint_codes_of_strata(self) -> JointCodes:
        """The samples, divided by their strata; the stratum of every sample is stored."""
        assert self.strata is not None
        n_strata = int(self.strata.max()) + 1
        return JointCodes(self, self.strata, np.arange(n_strata)[:, None])

    @abstractmethod
    def relabelled(self, labelings: Sequence[Integers]) -> Sequence[CodedSource]:
        """The same samples with other classes: one source for each array of labels, which has a label a sample."""


class JointCodes(Partition):
    """A partition of the samples, stored as the part of every sample; by default all samples are in part 0."""

    source: CodedSource

    def __init__(self, source: CodedSource, part: Integers | None = None, keys: Integers | None = None) -> None:
        self.source = source
        self.part = np.zeros(source.n_samples, np.int64) if part is None else part
        self._keys = np.empty((1, 0), np.int64) if keys is None else keys

    @property
    def keys(self) -> Integers:
        return self._keys

    def refine(self, feature: int) -> Self:
        n_codes = int(self.source.arities[feature])
        part_and_code = self.part * n_codes + self.source.codes(feature)
        occurring, part = _distinct(part_and_code, len(self.keys) * n_codes)
        keys = np.column_stack([self.keys[occurring // n_codes], occurring % n_codes])
        return type(self)(self.source, part, keys)

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        return self.source.tables_of_variable(self.part, len(self.keys), columns, by_class)
