"""Features joined in groups, on top of any source: one feature a group, its codes the joint values that occur."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from bitsieve.counts.checks import check_joint_values
from bitsieve.counts.contingency import ContingencyTable
from bitsieve.counts.partition import Partition
from bitsieve.counts.search import JoinedSearch
from bitsieve.counts.source import CountSource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Columns = NDArray[np.intp]

AnyPartition = TypeVar("AnyPartition", bound=Partition)


class JoinedSource(CountSource):
    """The samples of another source with one feature for each group of its columns.

    Parameters
    ----------
    source : CountSource
    groups : sequence of ndarray of int
    """

    def __init__(self, source: CountSource, groups: Sequence[Columns]) -> None:
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
        """All samples in one part."""
        return JoinedPartition(self, self.source.partition(), ())

    def joined(self, groups: Sequence[Columns]) -> JoinedSource:
        """The same samples with one feature for each group of groups."""
        return JoinedSource(self, groups)


class JoinedPartition(Partition):
    """A partition by the joint values of groups: that of the other source by all their columns."""

    source: JoinedSource

    def __init__(self, source: JoinedSource, base: Partition, members: tuple[int, ...]) -> None:
        self.source, self.base, self.members = source, base, members

    @property
    def keys(self) -> Integers:
        """The joint values of the conditioning groups in every part."""
        sizes = [len(self.source.groups[member]) for member in self.members]
        parts = np.split(self.base.keys, np.cumsum(sizes)[:-1], axis=1) if sizes else []
        return np.column_stack([np.empty((len(self.base.keys), 0), np.int64), *(_numbers(part) for part in parts)])

    def refine(self, feature: int) -> JoinedPartition:
        """The partition by the same groups and one more."""
        base = refined(self.base, self.source.groups[feature])
        return JoinedPartition(self.source, base, (*self.members, feature))

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        """The tables of the part with each of ``columns``; None: of the part by itself."""
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


def refined(partition: AnyPartition, columns: Columns) -> AnyPartition:
    """A partition refined by several features, one after the other."""
    for column in columns:
        partition = partition.refine(int(column))
    return partition


def _numbers(rows: Integers) -> Integers:
    """The number of every row among the distinct rows in lexicographic order."""
    if not rows.shape[1]:
        return np.zeros(len(rows), np.int64)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
