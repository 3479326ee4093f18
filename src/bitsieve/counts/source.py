"""What a method needs of its data: facts and integer contingency tables, alone and given several columns together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, Protocol, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts import Columns, Integers
from bitsieve.counts.contingency import ContingencyTable, Tables
from bitsieve.counts.partition import Partition
from bitsieve.counts.rows import check_joint_values
from bitsieve.counts.search import ClassSearch, JoinedSearch
from bitsieve.counts.sums import Sums

AnyPartition = TypeVar("AnyPartition", bound=Partition)

ONLY_PAIRS = (
    "saved counts hold tables of pairs of columns, and this method needs tables of more of them: give it the data"
)


class CountSource(Tables, Protocol):
    """Contingency tables of ``n_features`` columns of codes and one class, and what else their source offers.

    Required are the facts and :meth:`tables` of :class:`~bitsieve.counts.contingency.Tables`. All sums and matrices
    follow from them, by :func:`sums_of`.
    """

    #: What methods may ask for: "tables" of pairs; "partition" and "joined" of a :class:`ConditioningSource`.
    offers: ClassVar[frozenset[str]] = frozenset({"tables"})
    search: ClassSearch | None = None  # what looked at the classes before the columns were codes; None: nothing did

    @property
    def fused(self) -> Sums | None:
        """The sums that the source makes faster than table by table; None: it knows no faster way."""
        return None


class ConditioningSource(CountSource, Protocol):
    """A source that counts given several columns together, too: required is :meth:`partition` beside the rest."""

    offers: ClassVar[frozenset[str]] = frozenset({"tables", "partition", "joined"})

    @abstractmethod
    def partition(self) -> Partition:
        """All samples in one part, to be refined by conditioning features."""

    def joined(self, groups: Sequence[Columns]) -> ConditioningSource:
        """The same samples with one feature a group of columns, its codes their joint values, at most 65,536."""
        return JoinedSource(self, groups)


def sums_of(source: CountSource) -> Sums:
    """The sums of a source: those it fuses, or those of its tables."""
    fused = source.fused
    return Sums(source) if fused is None else fused


def conditioning(source: CountSource) -> ConditioningSource:
    """The source as one that counts given several columns together, refused if it does not offer that."""
    if not {"partition", "joined"} <= source.offers:
        raise ValueError(ONLY_PAIRS)
    return cast("ConditioningSource", source)


class JoinedSource(ConditioningSource):
    """The samples of another source with one feature for each group of its columns."""

    def __init__(self, source: ConditioningSource, groups: Sequence[Columns]) -> None:
        self.source, self.groups = source, groups
        self.n_samples, self.n_classes, self.n_jobs = source.n_samples, source.n_classes, source.n_jobs
        self.class_sizes, self.n_features = source.class_sizes, len(groups)
        self.search = None if source.search is None else JoinedSearch(source.search, groups)
        self.arities = np.empty(len(groups), np.int32)
        for place, group in enumerate(groups):
            self.arities[place] = len(refined(source.partition(), group).keys)
            check_joint_values(group, int(self.arities[place]))

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        """The tables of the joint value of the pivot's group with that of each of ``columns``."""
        before = self.partition()
        return (before if pivot is None else before.refine(pivot)).tables(columns, by_class)

    def partition(self) -> JoinedPartition:
        return JoinedPartition(self, self.source.partition(), ())


class JoinedPartition(Partition):
    """A partition by the joint values of groups: that of the other source by all their columns."""

    source: JoinedSource

    def __init__(self, source: JoinedSource, base: Partition, members: tuple[int, ...]) -> None:
        self.source, self.base, self.members = source, base, members

    @property
    def keys(self) -> Integers:
        sizes = [len(self.source.groups[member]) for member in self.members]
        parts = np.split(self.base.keys, np.cumsum(sizes)[:-1], axis=1) if sizes else []
        return np.column_stack([np.empty((len(self.base.keys), 0), np.int64), *(_numbers(part) for part in parts)])

    def refine(self, feature: int) -> JoinedPartition:
        base = refined(self.base, self.source.groups[feature])
        return JoinedPartition(self.source, base, (*self.members, feature))

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        if columns is None:
            return self.base.tables(None, by_class)
        known = self.base.keys.shape[1]
        tables = []
        for column in columns:
            both = refined(self.base, self.source.groups[column])
            (table,) = both.tables(None, by_class)
            part, code = _numbers(both.keys[:, :known]), _numbers(both.keys[:, known:])
            cells, counts = table.occupied()
            n_codes, n_classes = int(self.source.arities[column]), table.shape[2]
            place, label = np.divmod(cells, n_classes)
            cells = (part[place] * n_codes + code[place]) * n_classes + label
            tables.append(ContingencyTable.of_cells((len(self.base.keys), n_codes, n_classes), cells, counts))
        return tables


def refined(partition: AnyPartition, columns: Iterable[int]) -> AnyPartition:
    """A partition refined by several features, one after the other."""
    for column in columns:
        partition = partition.refine(int(column))
    return partition


def _numbers(rows: Integers) -> Integers:
    """The number of every row among the distinct rows in lexicographic order."""
    if not rows.shape[1]:
        return np.zeros(len(rows), np.int64)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


class CodedSource(ConditioningSource):
    """A source that knows the class and the codes of every sample, in an order of the samples that never changes."""

    sample_classes: Integers

    @abstractmethod
    def codes(self, feature: int) -> NDArray[np.integer]:
        """The code of every sample."""

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        if pivot is None:
            return self.tables_with(np.zeros(self.n_samples, np.int64), 1, columns, by_class)
        return self.tables_with(self.codes(pivot), int(self.arities[pivot]), columns, by_class)

    def tables_with(
        self, first: NDArray[np.integer], n_first: int, columns: Columns | None, by_class: bool
    ) -> list[ContingencyTable]:
        """The tables of a first variable, given for every sample, with columns (None: by itself)."""
        n_classes = self.n_classes if by_class else 1

        def table(n_codes: int, code: NDArray[np.integer] | int) -> ContingencyTable:
            cell = first.astype(np.int64) * n_codes + code
            if by_class:
                cell = cell * n_classes + self.sample_classes
            return ContingencyTable.of_samples((n_first, n_codes, n_classes), cell)

        if columns is None:
            return [table(1, 0)]
        return [table(int(self.arities[column]), self.codes(int(column))) for column in columns]

    def partition(self) -> Partition:
        return JointCodes(self)


class JointCodes(Partition):
    """A partition of the samples, held as the number of its part for every sample; by default one part of all."""

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
        pairs, part = np.unique(self.part * n_codes + self.source.codes(feature), return_inverse=True)
        keys = np.column_stack([self.keys[pairs // n_codes], pairs % n_codes])
        return type(self)(self.source, part.astype(np.int64), keys)

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        return self.source.tables_with(self.part, len(self.keys), columns, by_class)
