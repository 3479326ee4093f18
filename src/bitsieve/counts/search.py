"""Codings that depend on the classes, such as cuts by description length, and how they are repeated with other classes.

A test of independence is only right if what looked at the classes is repeated after every shuffle of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.tables import Terms
from bitsieve.utils.arrays import Columns, Integers

Labels = NDArray[np.int32]


class Parts(NamedTuple):
    """The samples, divided into parts."""

    order: NDArray[np.uint32]  # samples part by part, ascending within a part
    starts: Integers  # where each part starts in the order, and its length

    @classmethod
    def of(cls, part_of_sample: Integers) -> Self:
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(part_of_sample))])
        return cls(np.argsort(part_of_sample, kind="stable").astype(np.uint32), starts)

    def part_of_sample(self) -> Integers:
        """The part of every sample."""
        parts = np.empty(len(self.order), np.int64)
        parts[self.order] = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return parts


def shuffled(classes: Labels, strata: Integers, seeds: NDArray[np.uint64]) -> Labels:
    """The classes after shuffles within the strata, shape (n_seeds, n_samples)."""
    order = np.argsort(strata, kind="stable")
    shuffles = np.empty((len(seeds), len(classes)), np.int32)
    for row, seed in zip(shuffles, seeds, strict=True):
        random_keys = np.random.default_rng(int(seed)).random(len(classes))
        row[order] = classes[np.lexsort((random_keys, strata))]
    return shuffles


class Units(NamedTuple):
    """What shuffles move where samples belong together in groups.

    A group of one class is moved as a whole. Of a group of several classes each sample is a unit, moved within its
    group.
    """

    of_sample: Integers  # the unit of every sample
    group: Integers  # of every unit: 0 for a whole group, else one more than the number of its group
    first: Integers  # the first sample of every unit

    @classmethod
    def of(cls, groups: Integers, classes: NDArray[Any]) -> Self:
        groups_by_class = np.unique(np.stack([groups, classes]), axis=1)[0]
        has_one_class = np.bincount(groups_by_class)[groups] == 1
        own_units = groups.max() + 1 + np.arange(len(groups))
        units = np.where(has_one_class, groups, own_units)
        _, first, of_sample = np.unique(units, return_index=True, return_inverse=True)
        return cls(of_sample, np.where(has_one_class, 0, groups + 1)[first], first)

    def shuffled(self, classes: NDArray[Any], parts: Integers, seeds: NDArray[np.uint64]) -> Labels:
        """The classes after shuffles of units within parts of the samples, shape (n_seeds, n_samples)."""
        n_parts = int(parts.max()) + 1
        strata = self.group * n_parts + self._part_of_unit(parts, n_parts)
        shuffles = shuffled(classes[self.first].astype(np.int32), strata, seeds)
        return shuffles.take(self.of_sample, axis=1)

    def _part_of_unit(self, parts: Integers, n_parts: int) -> Integers:
        """The part that holds most samples of every unit; of several the lowest."""
        unit_and_part, n_samples = np.unique(self.of_sample * n_parts + parts, return_counts=True)
        units = unit_and_part // n_parts
        largest_first = np.lexsort((unit_and_part, -n_samples, units))
        _, first_of_unit = np.unique(units[largest_first], return_index=True)
        part_of_unit: Integers = unit_and_part[largest_first[first_of_unit]] % n_parts
        return part_of_unit


class Dependence(NamedTuple):
    """How columns and several vectors of classes depend on each other within parts Z of the samples."""

    freedom: Integers  # degrees of freedom, shape (n_columns, n_vectors)
    sums: Integers  # the sums of entropy terms of N I(X;C|Z), shape (n_columns, n_vectors)


class CodingPenalty(Protocol):
    """From how many codings the codes of a column were chosen by a look at the classes."""

    n_classes: int
    units: Units | None = None  # of samples that belong together, for which no tail of chi-squared holds

    def log_codings(self, column: int) -> float:
        """The penalty of the search: the sum of ``exp(-log_codings)`` over all codings of a column is at most 1."""

    def merges_values(self, column: int) -> bool:
        """Whether a code may stand for several values of the column."""
        return self.log_codings(column) > 0

    def to_repeat(self) -> ClassSearch:
        """The search, to be repeated with other classes; ValueError where the rows are not in memory."""


class ClassSearch(CodingPenalty, Protocol):
    """A way to make codes of columns from the classes, which can be repeated with other classes."""

    classes: Labels  # of every sample, in an order of its own

    def to_repeat(self) -> ClassSearch:
        return self

    def shuffled(self, parts: Parts, seeds: NDArray[np.uint64]) -> Labels:
        """The classes after shuffles within the parts, shape (n_seeds, n_samples)."""
        part_of_sample = parts.part_of_sample()
        if self.units is None:
            return shuffled(self.classes, part_of_sample, seeds)
        return self.units.shuffled(self.classes, part_of_sample, seeds)

    def codes(self, column: int) -> Integers:
        """The codes that were made with the classes as they are, one a sample."""

    def recoded(self, classes: Labels, columns: Columns) -> Iterator[tuple[int, Integers]]:
        """The columns that have several codes when they are made with other classes, and these codes."""

    def dependence(self, classes: Labels, columns: Columns, parts: Parts, terms: Terms) -> Dependence:
        """The dependence of the columns, coded anew with each row of ``classes``, on that row."""


class FixedCodes(ClassSearch):
    """Codes that were made without a look at the classes, and stay as they are.

    They are of shape (n_rows, n_features), or given by ``column(j)``; the weights are how many samples each row is.
    """

    def __init__(self, codes: Any, classes: NDArray[Any], n_classes: int, weights: Integers | None = None) -> None:
        self._codes = codes
        self.n_classes = n_classes
        self.row_of_sample = np.repeat(np.arange(len(classes)), 1 if weights is None else weights)
        self.classes = classes[self.row_of_sample].astype(np.int32)

    def codes(self, column: int) -> Integers:
        is_matrix = isinstance(self._codes, np.ndarray)
        codes_of_rows = self._codes[:, column] if is_matrix else self._codes.column(column)
        codes: Integers = codes_of_rows[self.row_of_sample].astype(np.int64)
        return codes

    def log_codings(self, column: int) -> float:
        return 0.0

    def recoded(self, classes: Labels, columns: Columns) -> Iterator[tuple[int, Integers]]:
        for column in columns.tolist():
            codes = self.codes(column)
            if codes.max() > 0:
                yield column, codes

    def dependence(self, classes: Labels, columns: Columns, parts: Parts, terms: Terms) -> Dependence:
        by_column = [
            dependence_of_codes(self.codes(column), classes, self.n_classes, parts, terms)
            for column in columns.tolist()
        ]
        return Dependence(
            freedom=np.concatenate([column.freedom for column in by_column]),
            sums=np.concatenate([column.sums for column in by_column]),
        )


class JoinedSearch(ClassSearch):
    """A search for groups of columns, whose codes are the joint values of their columns."""

    def __init__(self, search: ClassSearch, groups: Sequence[Columns]) -> None:
        self.search = search
        self.groups = groups
        self.classes = search.classes
        self.n_classes = search.n_classes
        self.units = search.units

    def codes(self, column: int) -> Integers:
        members = [self.search.codes(int(member)) for member in self.groups[column]]
        return joint_codes(members, len(self.classes))

    def log_codings(self, column: int) -> float:
        return sum(self.search.log_codings(int(member)) for member in self.groups[column])

    def recoded(self, classes: Labels, columns: Columns) -> Iterator[tuple[int, Integers]]:
        for column in columns:
            members = [codes for _, codes in self.search.recoded(classes, self.groups[column])]
            if members:
                yield int(column), joint_codes(members, len(classes))

    def dependence(self, classes: Labels, columns: Columns, parts: Parts, terms: Terms) -> Dependence:
        """The dependence of groups; that of a group of one column is the column's own."""
        shape = len(columns), len(classes)
        dependence = Dependence(np.zeros(shape, np.int64), np.zeros(shape, np.int64))
        sizes = np.array([len(self.groups[column]) for column in columns])
        singles = np.flatnonzero(sizes == 1)
        if len(singles):
            members = np.array([self.groups[column][0] for column in columns[singles]])
            of_members = self.search.dependence(classes, members, parts, terms)
            dependence.freedom[singles] = of_members.freedom
            dependence.sums[singles] = of_members.sums
        groups = np.flatnonzero(sizes > 1)
        if len(groups):
            for vector, labels in enumerate(classes):
                self._add_dependence_of_groups(dependence, vector, labels, columns, groups, parts, terms)
        return dependence

    def _add_dependence_of_groups(
        self,
        dependence: Dependence,
        vector: int,
        labels: Labels,
        columns: Columns,
        groups: Columns,
        parts: Parts,
        terms: Terms,
    ) -> None:
        """Set the dependence of ``columns[groups]`` on one vector of classes; 0 where a group has one code."""
        codes_of_column = dict(self.recoded(labels, columns[groups]))
        for index in groups:
            codes = codes_of_column.get(int(columns[index]))
            if codes is not None:
                of_group = dependence_of_codes(codes, labels[None], self.n_classes, parts, terms)
                dependence.freedom[index, vector] = of_group.freedom[0, 0]
                dependence.sums[index, vector] = of_group.sums[0, 0]


def dependence_of_codes(codes: Integers, classes: Labels, n_classes: int, parts: Parts, terms: Terms) -> Dependence:
    """The dependence of one column of codes on each row of ``classes``."""
    freedom, sums = _native.dependence_of_codes(
        codes.astype(np.int32), classes, n_classes, parts.order, parts.starts, terms.table, terms.shift
    )
    return Dependence(freedom[None], sums[None])


def joint_codes(columns: Sequence[Integers], n_samples: int) -> Integers:
    """The number of every sample's joint value among those that occur, in lexicographic order."""
    joint = np.zeros(n_samples, np.int64)
    for codes in columns:
        pairs = joint * (int(codes.max()) + 1) + codes
        joint = np.unique(pairs, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return joint
