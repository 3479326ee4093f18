"""Contingency tables of rows in a database or a lazy frame, by statements that group the rows by their codes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from math import prod
from threading import Lock
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bitsieve.counts.source import ConditioningSource, Partition
from bitsieve.counts.tables import ContingencyTable
from bitsieve.dataset.arrow import ArrowArray
from bitsieve.engines.relation import Groups, Relation, data_changed
from bitsieve.utils.arrays import Columns, Integers

GROUPS_AT_ONCE = 1 << 16  # the most groups that one statement for several columns may return
_MIN_ROWS_PER_GROUP = 16  # on average; with fewer rows in a group, to fetch the groups is nearly to fetch the rows
_FEW_GROUPS = 1 << 10  # so many groups may be fetched whatever the number of rows
_MAX_CACHED_NUMBERS = 1 << 21  # 16 MiB: of all answers in the cache


class Key(NamedTuple):
    """How rows are grouped by a column: by its code where that follows from cuts, else by its values."""

    expression: nw.Expr
    max_groups: int
    codes: Callable[[ArrowArray], NDArray[np.integer]]  # turns the values that are fetched into codes


class ClassKeys(NamedTuple):
    """How rows are grouped by the target."""

    keys: Mapping[Hashable, nw.Expr]  # by column of the target
    codes: Callable[[Groups], Integers]  # the class of each group; -1 where the target is missing


class CodedGroups(NamedTuple):
    """Groups of rows that have equal codes in some columns, and the same class."""

    codes: Mapping[int, Integers]  # by column: the code of each group
    classes: Integers | int  # the class of each group; 0 where the classes are pooled
    counts: Integers  # the samples of each group

    @property
    def n_numbers(self) -> int:
        """How many numbers the arrays have."""
        return len(self.counts) * (len(self.codes) + 2)


class AnswerCache:
    """The answers to the latest statements. The least recently used are dropped where all take more than 16 MiB.

    A test of a column asks for the same groups again and again: for the margins, for the sums and for each shuffle.
    """

    def __init__(self) -> None:
        self._answers: OrderedDict[tuple[frozenset[int], bool], CodedGroups] = OrderedDict()
        self._n_numbers = 0
        self._lock = Lock()

    def get(self, columns: frozenset[int], by_class: bool) -> CodedGroups | None:
        """The groups by these columns; None if they are not in the cache."""
        with self._lock:
            answer = self._answers.get((columns, by_class))
            if answer is not None:
                self._answers.move_to_end((columns, by_class))
            return answer

    def add(self, columns: frozenset[int], by_class: bool, answer: CodedGroups) -> None:
        """Add the groups by these columns, and drop those that were not used for the longest time."""
        with self._lock:
            if (columns, by_class) in self._answers:  # another thread asked for them, too
                return
            self._answers[columns, by_class] = answer
            self._n_numbers += answer.n_numbers
            while self._n_numbers > _MAX_CACHED_NUMBERS:
                _, dropped = self._answers.popitem(last=False)
                self._n_numbers -= dropped.n_numbers


class GroupedSource(ConditioningSource):
    """Contingency tables of a relation. One statement groups the rows by several columns at once.

    The groups that were fetched last stay in a cache, and are not fetched again.
    """

    def __init__(
        self,
        relation: Relation,
        keys: Mapping[int, Key],  # by column; a column without a key has one code
        class_keys: ClassKeys,
        arities: NDArray[np.int32],
        class_sizes: Integers,
    ) -> None:
        self.relation = relation
        self.keys = keys
        self.class_keys = class_keys
        self.arities = arities
        self.class_sizes = class_sizes
        self.n_features = len(arities)
        self.n_classes = len(class_sizes)
        self.n_samples = int(class_sizes.sum())
        self.n_jobs = None
        self._answers = AnswerCache()
        self._has_rows_without_class = False  # found out by the first statement that groups by the target
        #: The counts of every column, shape (n_codes, n_classes), with which all later counts must agree.
        self._single_counts: list[Integers] = []
        single_tables = self.count_tables((), range(len(arities)), True, lambda codes: 0, n_first=1)
        self._single_counts = [table.dense()[0] for table in single_tables]

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        if pivot is None:
            return [self._single_table(j, by_class) for j in columns.tolist()]
        n_first = int(self.arities[pivot])
        return self.count_tables((pivot,), columns.tolist(), by_class, lambda codes: codes[pivot], n_first)

    def _single_table(self, column: int, by_class: bool) -> ContingencyTable:
        """The table of one column, which was counted before."""
        counts = self._single_counts[column]
        if not by_class:
            counts = counts.sum(axis=1, keepdims=True)
        flat = counts.reshape(-1)
        cells = np.flatnonzero(flat)
        return ContingencyTable.of_cells((1, counts.shape[0], counts.shape[1]), cells, flat[cells])

    def partition(self) -> GroupedPartition:
        return GroupedPartition(self, np.empty((1, 0), np.int64), ())

    def count_tables(
        self,
        conditions: Sequence[int],
        columns: Sequence[int],
        by_class: bool,
        first_variable: Callable[[Mapping[int, Integers]], Any],
        n_first: int,
    ) -> list[ContingencyTable]:
        """Count the tables of a first variable with each of ``columns``.

        ``first_variable(codes)`` computes the code of the variable, below ``n_first``, for each group of rows, from the
        codes of the columns ``conditions``.
        """
        n_classes = self.n_classes if by_class else 1
        tables = []
        for batch in self._batches(conditions, columns, by_class):
            groups = self.answer(frozenset([*conditions, *batch]), by_class)
            first = first_variable(groups.codes)
            for j in batch:
                n_codes = int(self.arities[j])
                cells = (first * n_codes + groups.codes[j]) * n_classes + groups.classes
                tables.append(ContingencyTable.of_cells((n_first, n_codes, n_classes), cells, groups.counts))
        return tables

    def answer(self, columns: frozenset[int], by_class: bool) -> CodedGroups:
        """Group the rows by the codes of ``columns`` and, with ``by_class``, by the class."""
        answer = self._answers.get(columns, by_class)
        if answer is None:
            answer = self._fetch(columns, by_class)
            self._answers.add(columns, by_class, answer)
        return answer

    def _fetch(self, columns: frozenset[int], by_class: bool) -> CodedGroups:
        """Fetch the groups by one statement."""
        columns_with_key = sorted(columns & self.keys.keys())
        expressions: dict[Hashable, nw.Expr] = {j: self.keys[j].expression for j in columns_with_key}
        groups_by_class = by_class or not columns_with_key or self._has_rows_without_class
        if groups_by_class:
            expressions |= self.class_keys.keys
        groups = self.relation.groups(expressions)
        codes: dict[int, Integers] = {}
        try:
            classes = self.class_keys.codes(groups) if groups_by_class else np.zeros(len(groups.rows), np.int64)
            has_class = classes >= 0
            for j in columns_with_key:
                values = groups.keys[j].filter(pa.array(has_class))  # rows without a class may have unknown values
                codes[j] = self.keys[j].codes(values).astype(np.int64)
        except ValueError:  # a value that did not occur when the columns were summarized
            raise data_changed() from None
        classes = classes[has_class]
        counts = groups.samples[has_class]
        for j in columns - self.keys.keys():
            codes[j] = np.zeros(len(counts), np.int64)
        if not has_class.all():
            self._has_rows_without_class = True
        self._check(codes, classes, counts, by_class)
        return CodedGroups(codes, classes if by_class else 0, counts)

    def _check(self, codes: Mapping[int, Integers], classes: Integers, counts: Integers, by_class: bool) -> None:
        """Refuse counts that disagree with those of every column by itself: the rows have changed."""
        if int(counts.sum()) != self.n_samples:
            raise data_changed()
        for j, codes_of_column in codes.items():
            if codes_of_column.min(initial=0) < 0 or codes_of_column.max(initial=0) >= self.arities[j]:
                raise data_changed()
            if not self._single_counts:
                continue
            expected = self._single_counts[j] if by_class else self._single_counts[j].sum(axis=1, keepdims=True)
            n_classes = expected.shape[1]
            cells = codes_of_column * n_classes + (classes if by_class else 0)
            cell_counts = np.zeros(expected.size, np.int64)
            np.add.at(cell_counts, cells, counts)
            if (cell_counts != expected.reshape(-1)).any():
                raise data_changed()
        if by_class and (np.bincount(classes, counts, self.n_classes) != self.class_sizes).any():
            raise data_changed()

    def _batches(self, conditions: Sequence[int], columns: Sequence[int], by_class: bool) -> Iterator[list[int]]:
        """Divide columns into batches for one statement each, which together have few groups."""
        limit = min(GROUPS_AT_ONCE, max(_FEW_GROUPS, self.n_samples // _MIN_ROWS_PER_GROUP))
        n_groups_without_batch = prod(self._max_groups(j) for j in conditions) * (self.n_classes if by_class else 1)
        batch: list[int] = []
        n_groups = n_groups_without_batch
        for j in columns:
            if batch and n_groups * self._max_groups(j) > limit:
                yield batch
                batch = []
                n_groups = n_groups_without_batch
            batch.append(j)
            n_groups *= self._max_groups(j)
        yield batch

    def _max_groups(self, column: int) -> int:
        return self.keys[column].max_groups if column in self.keys else 1


class Refinement(NamedTuple):
    """How the parts of a partition were divided by one more feature."""

    feature: int
    part_and_code: Integers  # ``part * n_codes + code`` that occur, ascending: the index of each is the new part


class GroupedPartition(Partition):
    """A partition of the rows of a relation. The part of a row follows from its codes by a chain of refinements."""

    source: GroupedSource

    def __init__(self, source: GroupedSource, keys: Integers, refinements: tuple[Refinement, ...]) -> None:
        self.source = source
        self._keys = keys
        self._refinements = refinements

    @property
    def keys(self) -> Integers:
        return self._keys

    def refine(self, feature: int) -> GroupedPartition:
        n_codes = int(self.source.arities[feature])
        codes = self.source.answer(frozenset([*self._conditions, feature]), False).codes
        part_and_code = np.unique(self._part(codes) * n_codes + codes[feature])
        keys = np.column_stack([self.keys[part_and_code // n_codes], part_and_code % n_codes])
        return GroupedPartition(self.source, keys, (*self._refinements, Refinement(feature, part_and_code)))

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        if columns is not None:
            return self.source.count_tables(self._conditions, columns.tolist(), by_class, self._part, len(self.keys))
        groups = self.source.answer(frozenset(self._conditions), by_class)
        n_classes = self.source.n_classes if by_class else 1
        cells = self._part(groups.codes) * n_classes + groups.classes
        return [ContingencyTable.of_cells((len(self.keys), 1, n_classes), cells, groups.counts)]

    @property
    def _conditions(self) -> tuple[int, ...]:
        """The conditioning features."""
        return tuple(refinement.feature for refinement in self._refinements)

    def _part(self, codes: Mapping[int, Integers]) -> Any:
        """The part of every group of rows; 0 for all groups without conditioning features."""
        part: Any = 0
        for feature, occurring in self._refinements:
            part_and_code = part * int(self.source.arities[feature]) + codes[feature]
            part = np.searchsorted(occurring, part_and_code)
            if (part == len(occurring)).any() or (occurring[part] != part_and_code).any():
                raise data_changed()
        return part
