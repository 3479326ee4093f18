"""What looked at the classes before the columns were codes, and can be repeated with other classes."""

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
        part = np.empty(len(self.order), np.int64)
        part[self.order] = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return part


def shuffled(classes: Labels, strata: Integers, seeds: NDArray[np.uint64]) -> Labels:
    """The classes after shuffles within the strata, a row for every seed."""
    order = np.argsort(strata, kind="stable")
    made = np.empty((len(seeds), len(classes)), np.int32)
    for row, seed in zip(made, seeds, strict=True):
        drawn = np.random.default_rng(int(seed)).random(len(classes))
        row[order] = classes[np.lexsort((drawn, strata))]
    return made


class Units(NamedTuple):
    """What shuffles move: whole groups of samples of one class; of a group of several classes, each sample within it.

    ``of_sample``: the unit of every sample. ``group``: of every unit, 0 for a whole group, else one more than the
    group's number. ``first``: the first sample of every unit.
    """

    of_sample: Integers
    group: Integers
    first: Integers

    @classmethod
    def of(cls, groups: Integers, classes: NDArray[Any]) -> Self:
        by_class = np.unique(np.stack([groups, classes]), axis=1)[0]
        whole = np.bincount(by_class)[groups] == 1
        units = np.where(whole, groups, groups.max() + 1 + np.arange(len(groups)))
        _, first, of_sample = np.unique(units, return_index=True, return_inverse=True)
        return cls(of_sample, np.where(whole, 0, groups + 1)[first], first)

    def shuffled(self, classes: NDArray[Any], parts: Integers, seeds: NDArray[np.uint64]) -> Labels:
        """The classes after shuffles of units within parts of the samples; a group is in the part of most of it."""
        n_parts = int(parts.max()) + 1
        held, times = np.unique(self.of_sample * n_parts + parts, return_counts=True)
        most = np.lexsort((held, -times, held // n_parts))
        part = held[most[np.unique(held[most] // n_parts, return_index=True)[1]]] % n_parts
        made = shuffled(classes[self.first].astype(np.int32), self.group * n_parts + part, seeds)
        return made.take(self.of_sample, axis=1)


class Dependence(NamedTuple):
    """How some columns and several vectors of classes depend on each other, within parts of the samples.

    Both of shape (n_columns, n_vectors): degrees of freedom, and the sum of entropy terms of N I(X;C|Z).
    """

    freedom: Integers
    sums: Integers


class CodingPenalty(Protocol):
    """What is known of codes that were made with a look at the classes: from how many codings they were chosen."""

    n_classes: int
    units: Units | None = None  # of samples that belong together, for which no tail of chi-squared holds

    def log_codings(self, column: int) -> float:
        """The penalty of the search: the sum of ``exp(-log_codings)`` over all codings of a column is at most 1."""

    def to_repeat(self) -> ClassSearch:
        """The search, to be repeated with other classes; ValueError where the rows are not in memory."""


class ClassSearch(CodingPenalty, Protocol):
    """A way to make codes of columns that depends on the classes, such as cuts by description length.

    A test of independence must repeat it after every shuffle of the classes.
    """

    classes: Labels  # of every sample, in an order of its own

    def to_repeat(self) -> ClassSearch:
        return self

    def shuffled(self, parts: Parts, seeds: NDArray[np.uint64]) -> Labels:
        """The classes after shuffles within the parts, a row for every seed."""
        move = shuffled if self.units is None else self.units.shuffled
        return move(self.classes, parts.part_of_sample(), seeds)

    def codes(self, column: int) -> Integers:
        """The codes that were made with the classes as they are, one a sample."""

    def recoded(self, classes: Labels, columns: Columns) -> Iterator[tuple[int, Integers]]:
        """Those of ``columns`` that have several codes when they are made with other classes, and these codes."""

    def dependence(self, classes: Labels, columns: Columns, parts: Parts, terms: Terms) -> Dependence:
        """Of ``columns``, made anew with each row of ``classes``, on that row."""


class FixedCodes(ClassSearch):
    """Codes that were made without a look at the classes, and stay as they are.

    They are of shape (n_rows, n_features), or given by ``column(j)``; the weights are how many samples each row is.
    """

    def __init__(self, codes: Any, classes: NDArray[Any], n_classes: int, weights: Integers | None = None) -> None:
        self._codes, self.n_classes = codes, n_classes
        self.rows = np.repeat(np.arange(len(classes)), 1 if weights is None else weights)
        self.classes = classes[self.rows].astype(np.int32)

    def codes(self, column: int) -> Integers:
        known = self._codes
        of_rows = known[:, column] if isinstance(known, np.ndarray) else known.column(column)
        return of_rows[self.rows].astype(np.int64)

    def log_codings(self, column: int) -> float:
        return 0.0

    def recoded(self, classes: Labels, columns: Columns) -> Iterator[tuple[int, Integers]]:
        for column in columns.tolist():
            codes = self.codes(column)
            if codes.max() > 0:
                yield column, codes

    def dependence(self, classes: Labels, columns: Columns, parts: Parts, terms: Terms) -> Dependence:
        found = [
            dependence_of_codes(self.codes(column), classes, self.n_classes, parts, terms)
            for column in columns.tolist()
        ]
        return Dependence(*(np.concatenate(values) for values in zip(*found, strict=True)))


class JoinedSearch(ClassSearch):
    """The same for groups of columns, whose codes are the joint values of their columns."""

    def __init__(self, search: ClassSearch, groups: Sequence[Columns]) -> None:
        self.search, self.groups = search, groups
        self.classes, self.n_classes, self.units = search.classes, search.n_classes, search.units

    def codes(self, column: int) -> Integers:
        return joint_codes([self.search.codes(int(member)) for member in self.groups[column]], len(self.classes))

    def log_codings(self, column: int) -> float:
        return sum(self.search.log_codings(int(member)) for member in self.groups[column])

    def recoded(self, classes: Labels, columns: Columns) -> Iterator[tuple[int, Integers]]:
        for column in columns:
            made = [codes for _, codes in self.search.recoded(classes, self.groups[column])]
            if made:
                yield int(column), joint_codes(made, len(classes))

    def dependence(self, classes: Labels, columns: Columns, parts: Parts, terms: Terms) -> Dependence:
        """Of groups; those of one column are the column itself."""
        found = Dependence(*np.zeros((2, len(columns), len(classes)), np.int64))
        sizes = np.array([len(self.groups[column]) for column in columns])
        (single,) = np.nonzero(sizes == 1)
        if len(single):
            members = np.array([self.groups[column][0] for column in columns[single]])
            found.freedom[single], found.sums[single] = self.search.dependence(classes, members, parts, terms)
        (several,) = np.nonzero(sizes > 1)
        for vector, labels in enumerate(classes) if len(several) else ():
            made = dict(self.recoded(labels, columns[several]))
            for place in several[[column in made for column in columns[several]]]:
                of_one = dependence_of_codes(made[int(columns[place])], labels[None], self.n_classes, parts, terms)
                found.freedom[place, vector], found.sums[place, vector] = of_one.freedom[0, 0], of_one.sums[0, 0]
        return found


def dependence_of_codes(codes: Integers, classes: Labels, n_classes: int, parts: Parts, terms: Terms) -> Dependence:
    """The dependence of one column of codes on each row of ``classes``."""
    found = _native.dependence_of_codes(codes.astype(np.int32), classes, n_classes, *parts, terms.table, terms.shift)
    return Dependence(*(values[None] for values in found))


def joint_codes(columns: Sequence[Integers], n_samples: int) -> Integers:
    """The number of every sample's joint value among those that occur, in lexicographic order."""
    joint = np.zeros(n_samples, np.int64)
    for codes in columns:
        pairs = joint * (int(codes.max()) + 1) + codes
        joint = np.unique(pairs, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return joint
