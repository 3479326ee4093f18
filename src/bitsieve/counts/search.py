"""Codes of columns that were made by a look at the classes, such as cuts by minimum description length.

A permutation test of such codes is valid only if they are made anew after every shuffle of the classes. A search for
codes (:class:`ClassSearch`) can be repeated with other classes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.tables import EntropyTerms
from bitsieve.counts.threads import spread
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.libraries import gammaln

Labels = NDArray[np.int32]

LABELS_OF_THREAD = 1 << 15  # about 0.3 ms; to wake a thread for fewer costs more than it saves


class Parts(NamedTuple):
    """The samples, divided into parts. The samples of part z are ``order[starts[z]:starts[z + 1]]``."""

    order: NDArray[np.uint32]  # all samples, part by part, ascending within a part
    starts: Integers  # shape (n_parts + 1,)

    @classmethod
    def of(cls, part_of_sample: Integers) -> Self:
        """Divide the samples, given the number of the part of each."""
        part_sizes = np.bincount(part_of_sample)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(part_sizes)])
        order = np.argsort(part_of_sample, kind="stable").astype(np.uint32)
        return cls(order, starts)

    def part_of_sample(self) -> Integers:
        """The number of the part of each sample."""
        part_sizes = np.diff(self.starts)
        parts = np.empty(len(self.order), np.int64)
        parts[self.order] = np.repeat(np.arange(len(part_sizes)), part_sizes)
        return parts


def shuffled(classes: Labels, parts: Parts, seeds: NDArray[np.uint64], n_jobs: int | None = None) -> Labels:
    """The classes after shuffles within parts, one shuffle for each seed, shape (n_seeds, n_samples).

    The k-th sample of a part gets the class of that one whose random key is the k-th smallest of the part. The keys of
    a seed are those of ``np.random.default_rng(seed).random(n_samples)``.
    """
    shuffles = np.empty((len(seeds), len(classes)), np.int32)

    def shuffle(numbers: Columns) -> None:
        block = slice(numbers[0], numbers[-1] + 1)
        _native.shuffle_classes(classes, parts.order, parts.starts, seeds[block], shuffles[block])

    spread(shuffle, np.arange(len(seeds)), shuffles.size // LABELS_OF_THREAD, n_jobs)
    return shuffles


class ExchangeableUnits(NamedTuple):
    """The units whose classes are exchanged by shuffles, where samples belong together in groups.

    A group whose samples all have one class is one unit, and exchanges its class with other such groups. In a group of
    several classes every sample is a unit, and exchanges its class with other samples of its group.
    """

    unit_of_sample: Integers  # shape (n_samples,)
    stratum: Integers  # shape (n_units,): units of equal stratum exchange classes; 0 for groups of one class
    first_sample: Integers  # shape (n_units,): the lowest sample of the unit

    @classmethod
    def of(cls, groups: Integers, classes: NDArray[np.integer]) -> Self:
        """Find the units, given the number of the group of each sample and its class."""
        groups_of_pairs = np.unique(np.stack([groups, classes]), axis=1)[0]  # a pair is a group and a class in it
        n_classes_in_group = np.bincount(groups_of_pairs)
        has_one_class = n_classes_in_group[groups] == 1
        label_as_sample = groups.max() + 1 + np.arange(len(groups))  # above the number of any group
        labels = np.where(has_one_class, groups, label_as_sample)
        _, first_sample, unit_of_sample = np.unique(labels, return_index=True, return_inverse=True)
        stratum_of_sample = np.where(has_one_class, 0, groups + 1)
        return cls(unit_of_sample, stratum_of_sample[first_sample], first_sample)

    def shuffled(
        self, classes: NDArray[np.integer], parts: Integers, seeds: NDArray[np.uint64], n_jobs: int | None = None
    ) -> Labels:
        """The classes after shuffles of units within parts of the samples, shape (n_seeds, n_samples).

        ``parts`` is the number of the part of each sample.
        """
        n_parts = int(parts.max()) + 1
        stratum_and_part = self.stratum * n_parts + self._part_of_unit(parts, n_parts)
        classes_of_units = classes[self.first_sample].astype(np.int32)
        parts_of_units = Parts.of(joint_codes([stratum_and_part], len(classes_of_units)))
        shuffles_of_units = shuffled(classes_of_units, parts_of_units, seeds, n_jobs)
        return shuffles_of_units.take(self.unit_of_sample, axis=1)

    def log_arrangements(self, classes: NDArray[np.integer], parts: Integers) -> float:
        """The natural logarithm of how many different vectors of classes the shuffles of units within parts give."""
        n_parts = int(parts.max()) + 1
        stratum_and_part = self.stratum * n_parts + self._part_of_unit(parts, n_parts)
        _, sizes = np.unique(stratum_and_part, return_counts=True)
        classes_of_units = classes[self.first_sample].astype(np.int64)
        _, sizes_by_class = np.unique(np.stack([stratum_and_part, classes_of_units]), axis=1, return_counts=True)
        return float(gammaln(sizes + 1.0).sum() - gammaln(sizes_by_class + 1.0).sum())

    def _part_of_unit(self, parts: Integers, n_parts: int) -> Integers:
        """The part that holds most samples of each unit; the lowest of several that hold equally many."""
        unit_and_part, n_samples = np.unique(self.unit_of_sample * n_parts + parts, return_counts=True)
        unit_of_pair = unit_and_part // n_parts
        part = unit_and_part % n_parts
        largest_first = np.lexsort((part, -n_samples, unit_of_pair))
        _, first_of_unit = np.unique(unit_of_pair[largest_first], return_index=True)
        return np.asarray(part[largest_first][first_of_unit], np.int64)


class Dependence(NamedTuple):
    """The dependence of columns X on vectors of classes C within parts Z of the samples."""

    freedom: Integers  # degrees of freedom, shape (n_columns, n_vectors)
    sums: Integers  # N I(X;C|Z) as sums of entropy terms, shape (n_columns, n_vectors)


class CodingPenalty(Protocol):
    """A search that chose the codes of each column by a look at the classes, from a number of codings."""

    n_classes: int
    exchangeable_units: ExchangeableUnits | None = None  # of samples in groups; chi-squared does not hold

    @abstractmethod
    def log_codings(self, column: int) -> float:
        """The logarithm of the number of codings from which the codes of a column were chosen; 0 without a choice.

        It is a penalty: ``exp(-log_codings)``, summed over all codings of the column, is at most 1.
        """

    @abstractmethod
    def to_repeat(self) -> ClassSearch:
        """The search for codes, to be repeated with other classes; ValueError where the rows are not in memory."""


class ClassSearch(CodingPenalty, Protocol):
    """A way to make codes of columns from the classes, which can be repeated with other classes."""

    classes: Labels  # of every sample; the source of the counts may have its samples in another order
    strata: Integers | None = None  # the stratum of every sample, in the order of ``classes``

    def to_repeat(self) -> ClassSearch:
        return self

    def shuffled(self, parts: Parts, seeds: NDArray[np.uint64], n_jobs: int | None = None) -> Labels:
        """The classes after shuffles within the parts, shape (n_seeds, n_samples)."""
        if self.exchangeable_units is None:
            return shuffled(self.classes, parts, seeds, n_jobs)
        return self.exchangeable_units.shuffled(self.classes, parts.part_of_sample(), seeds, n_jobs)

    @abstractmethod
    def codes(self, column: int) -> Integers:
        """The codes of a column that were made with ``self.classes``, shape (n_samples,)."""

    @abstractmethod
    def recoded(self, classes: Labels, columns: Columns) -> Iterator[tuple[int, Integers]]:
        """Make codes of columns with other classes. Yields a column and its codes; columns of one code are skipped."""

    @abstractmethod
    def dependence(self, classes: Labels, columns: Columns, parts: Parts, entropy_terms: EntropyTerms) -> Dependence:
        """The dependence of columns on each row of ``classes``, the columns coded anew with the classes of that row."""


class ColumnwiseCodes(Protocol):
    """Codes that are made column by column, such as those of sparse columns."""

    def column(self, feature: int) -> NDArray[np.integer]:
        """The codes of a column, shape (n_rows,)."""


class FixedCodes(ClassSearch):
    """Codes that were made without a look at the classes: shuffles of the classes do not change them.

    Parameters
    ----------
    codes : ndarray of shape (n_rows, n_features), or object that makes columns one by one
    classes : ndarray of shape (n_rows,)
    n_classes : int
    weights : ndarray of shape (n_rows,), optional
        Frequency weights: row i is ``weights[i]`` samples.
    """

    def __init__(
        self,
        codes: NDArray[np.integer] | ColumnwiseCodes,
        classes: NDArray[np.integer],
        n_classes: int,
        weights: Integers | None = None,
    ) -> None:
        self._codes = codes
        self.n_classes = n_classes
        self.row_of_sample = np.arange(len(classes))
        if weights is not None:
            self.row_of_sample = np.repeat(self.row_of_sample, weights)
        self.classes = classes[self.row_of_sample].astype(np.int32)

    def codes(self, column: int) -> Integers:
        codes = self._codes
        codes_of_rows = codes[:, column] if isinstance(codes, np.ndarray) else codes.column(column)
        return codes_of_rows[self.row_of_sample].astype(np.int64)

    def log_codings(self, column: int) -> float:
        return 0.0

    def recoded(self, classes: Labels, columns: Columns) -> Iterator[tuple[int, Integers]]:
        for column in columns.tolist():
            codes = self.codes(column)
            if codes.max() > 0:
                yield column, codes

    def dependence(self, classes: Labels, columns: Columns, parts: Parts, entropy_terms: EntropyTerms) -> Dependence:
        rows = []
        for column in columns.tolist():
            rows.append(dependence_of_codes(self.codes(column), classes, self.n_classes, parts, entropy_terms))
        return Dependence(
            freedom=np.concatenate([row.freedom for row in rows]),
            sums=np.concatenate([row.sums for row in rows]),
        )


class JoinedSearch(ClassSearch):
    """A search whose columns are groups of the columns of another one: their codes are the joint values."""

    def __init__(self, search: ClassSearch, groups: Sequence[Columns]) -> None:
        self.search = search
        self.groups = groups
        self.classes = search.classes
        self.n_classes = search.n_classes
        self.exchangeable_units = search.exchangeable_units
        self.strata = search.strata

    def codes(self, column: int) -> Integers:
        codes_of_members = [self.search.codes(int(member)) for member in self.groups[column]]
        return joint_codes(codes_of_members, len(self.classes))

    def log_codings(self, column: int) -> float:
        return sum(self.search.log_codings(int(member)) for member in self.groups[column])

    def recoded(self, classes: Labels, columns: Columns) -> Iterator[tuple[int, Integers]]:
        for column in columns:
            codes_of_members = [codes for _, codes in self.search.recoded(classes, self.groups[column])]
            if codes_of_members:
                yield int(column), joint_codes(codes_of_members, len(classes))

    def dependence(self, classes: Labels, columns: Columns, parts: Parts, entropy_terms: EntropyTerms) -> Dependence:
        shape = len(columns), len(classes)
        result = Dependence(freedom=np.zeros(shape, np.int64), sums=np.zeros(shape, np.int64))
        group_sizes = np.array([len(self.groups[column]) for column in columns])

        # A group of one column depends on the classes as this column does.
        single = np.flatnonzero(group_sizes == 1)
        if len(single):
            members = np.array([self.groups[column][0] for column in columns[single]])
            dependence_of_members = self.search.dependence(classes, members, parts, entropy_terms)
            result.freedom[single] = dependence_of_members.freedom
            result.sums[single] = dependence_of_members.sums

        # A group of several columns has other joint values for each row of classes. One without codes keeps 0.
        joint = np.flatnonzero(group_sizes > 1)
        for vector, labels in enumerate(classes):
            codes_by_column = dict(self.recoded(labels, columns[joint]))
            for index in joint:
                codes = codes_by_column.get(int(columns[index]))
                if codes is not None:
                    dependence_of_group = dependence_of_codes(codes, labels[None], self.n_classes, parts, entropy_terms)
                    result.freedom[index, vector] = dependence_of_group.freedom[0, 0]
                    result.sums[index, vector] = dependence_of_group.sums[0, 0]
        return result


def dependence_of_codes(
    codes: Integers, classes: Labels, n_classes: int, parts: Parts, entropy_terms: EntropyTerms
) -> Dependence:
    """The dependence of one column of codes on each row of ``classes``, shape (1, n_vectors)."""
    freedom, sums = _native.dependence_of_codes(
        codes.astype(np.int32), classes, n_classes, parts.order, parts.starts, entropy_terms.table, entropy_terms.shift
    )
    return Dependence(freedom[None], sums[None])


def joint_codes(columns: Sequence[Integers], n_samples: int) -> Integers:
    """The joint value of several columns in each sample, as its rank among the joint values that occur.

    Joint values are ordered lexicographically. Without columns all samples have rank 0.
    """
    rank = np.zeros(n_samples, np.int64)
    for codes in columns:
        n_codes = int(codes.max()) + 1
        _, rank = np.unique(rank * n_codes + codes, return_inverse=True)
        rank = rank.reshape(-1).astype(np.int64)
    return rank
