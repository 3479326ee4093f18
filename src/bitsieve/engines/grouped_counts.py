"""Contingency tables of rows that stay in a database or a lazy frame: statements that group them by their codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from threading import Lock
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bitsieve.counts.source import ConditioningSource, Partition
from bitsieve.counts.tables import ContingencyTable
from bitsieve.dataset.arrow import numpy_of
from bitsieve.io.errors import DataError, in_one_line
from bitsieve.utils.arrays import Columns, Floats, Integers

LARGEST = float(np.finfo(np.float64).max)
GROUPS_AT_ONCE = 1 << 16  # of several columns together, for which one statement is made
_ROWS_OF_A_GROUP = 16  # on average: of fewer, many groups are nearly the rows
_FEW_GROUPS = 1 << 10  # which may be fetched of any table
answering = partial(in_one_line, "the database did not answer a statement")


class Groups(NamedTuple):
    """Rows that are equal in some expressions: the values of these, and how many rows and samples have them."""

    keys: Mapping[Any, Any]  # Arrow arrays
    rows: Integers
    samples: Integers
    low: Any = None  # the smallest and the largest of what was asked for, as Arrow arrays
    high: Any = None


class Relation:
    """Rows that stay where they are: all that is fetched is groups of them, and how many rows each has."""

    def __init__(self, frame: nw.LazyFrame[Any], weight: str | None = None) -> None:
        if weight is not None:  # NaN is above all numbers
            frame = frame.filter((nw.col(weight) > 0) & (nw.col(weight) <= LARGEST))
        self.frame = frame
        self.weight = weight
        self._lock = Lock()  # a connection answers one statement after the other

    def where(self, condition: nw.Expr) -> Relation:
        """Some of the rows."""
        relation = Relation(self.frame.filter(condition))
        relation.weight = self.weight
        return relation

    def statement(
        self, frame: nw.LazyFrame[Any], keys: Mapping[Any, nw.Expr], range_of: str | None = None
    ) -> nw.LazyFrame[Any]:
        """The statement that groups rows by some expressions; its columns are numbered, as names may be anything."""
        columns = {f"k{number}": key for number, key in enumerate(keys.values())}
        key_names = list(columns)
        aggregates = {"rows": nw.len()}
        if self.weight is not None:
            columns["samples"] = nw.col(self.weight)
            aggregates["samples"] = nw.col("samples").sum()
        if range_of is not None:
            columns["v"] = nw.col(range_of)
            aggregates["low"] = nw.col("v").min()
            aggregates["high"] = nw.col("v").max()
        return frame.select(**columns).group_by(key_names).agg(**aggregates)

    def groups(self, keys: Mapping[Any, nw.Expr], range_of: str | None = None) -> Groups:
        """The groups of rows that are equal in some expressions, with the range of a column in each."""
        return self._groups_of(self.fetched(lambda frame: self.statement(frame, keys, range_of)), keys, range_of)

    def few_groups(self, keys: Mapping[Any, nw.Expr], limit: int) -> Groups | None:
        """The groups of rows that are equal in some expressions; None where there are more than ``limit``."""
        answer = self.fetched(lambda frame: self.statement(frame, keys).head(limit + 1))
        return None if answer.num_rows > limit else self._groups_of(answer, keys, None)

    def _groups_of(self, answer: Any, keys: Mapping[Any, nw.Expr], range_of: str | None) -> Groups:
        rows = integers_of(answer["rows"])
        return Groups(
            keys={key: answer[f"k{number}"] for number, key in enumerate(keys)},
            rows=rows,
            samples=rows if self.weight is None else integers_of(answer["samples"]),
            low=None if range_of is None else answer["low"],
            high=None if range_of is None else answer["high"],
        )

    def n_values(self, name: str, n_rows: int | None = None) -> int:
        """The number of different values of a column, a missing one among them; ``n_rows``: in so many rows."""

        def statement(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
            column = frame.select(name)
            if n_rows is not None:
                column = column.head(n_rows)
            return column.unique().select(values=nw.len())

        return int(self.fetched(statement)["values"][0].as_py())

    def fetched(self, statement: Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]]) -> Any:
        """The answer to a statement, which is made of the rows, as an Arrow table."""
        with self._lock, answering():
            return statement(self.frame).collect("pyarrow").to_native()


def doubles(array: Any) -> Floats:
    """Numbers of any Arrow type."""
    return np.asarray(numpy_of(array.cast("double")), np.float64)


def integers_of(array: Any) -> Integers:
    """Whole numbers below 2**53 of any Arrow type."""
    return doubles(array).astype(np.int64)


def code_by_cuts(number: nw.Expr, cuts: Sequence[float], side: str) -> nw.Expr:
    """The code of a number, as ``searchsorted`` of that side, by a balanced tree of cases; -1 where it is missing."""

    def code(first: int, last: int) -> nw.Expr:
        if first == last == len(cuts):  # NaN is above all numbers, and what is compared with NULL is not true
            return nw.when(number <= LARGEST).then(nw.lit(last)).otherwise(nw.lit(-1))
        if first == last:
            return nw.lit(first)
        middle = (first + last) // 2
        below = number <= cuts[middle] if side == "left" else number < cuts[middle]
        return nw.when(below).then(code(first, middle)).otherwise(code(middle + 1, last))

    return code(0, len(cuts))


class Key(NamedTuple):
    """A column as what rows are grouped by: its code where that follows from cuts, else its values."""

    expression: nw.Expr
    n_groups: int  # at most
    codes: Callable[[Any], NDArray[np.integer]]  # of the values that come back


class Classes(NamedTuple):
    """The target as what rows are grouped by."""

    keys: Mapping[Any, nw.Expr]
    codes: Callable[[Groups], Integers]  # -1 where it is missing


class GroupedSource(ConditioningSource):
    """Contingency tables by statements that group the rows of a relation, each by several columns at once."""

    def __init__(
        self,
        relation: Relation,
        keys: Mapping[int, Key],  # of the columns that have several codes
        classes: Classes,
        arities: NDArray[np.int32],
        class_sizes: Integers,
    ) -> None:
        self.relation = relation
        self.keys = keys
        self.classes = classes
        self.arities = arities
        self.class_sizes = class_sizes
        self.n_features = len(arities)
        self.n_classes = len(class_sizes)
        self.n_samples = int(class_sizes.sum())
        self.n_jobs = None
        self._has_rows_without_class = False  # which only the target shows
        self._single_counts: list[Integers] | None = None  # of every column, shape (n_codes, n_classes), once counted
        self._single_counts = [table.dense()[0] for table in self.tables(None, np.arange(len(arities)), True)]

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        if pivot is None and self._single_counts is not None:
            return [self._single_table(self._single_counts[j], by_class) for j in columns.tolist()]
        if pivot is None:
            return self.counted((), columns.tolist(), by_class, lambda codes: 0, 1)
        return self.counted((pivot,), columns.tolist(), by_class, lambda codes: codes[pivot], int(self.arities[pivot]))

    def _single_table(self, counts: Integers, by_class: bool) -> ContingencyTable:
        """The table of one column, of its counts by class."""
        if not by_class:
            counts = counts.sum(axis=1, keepdims=True)
        flat = counts.reshape(-1)
        cells = np.flatnonzero(flat)
        return ContingencyTable.of_cells((1, counts.shape[0], counts.shape[1]), cells, flat[cells])

    def partition(self) -> GroupedPartition:
        return GroupedPartition(self, np.empty((1, 0), np.int64), ())

    def counted(
        self,
        conditions: Sequence[int],
        columns: Sequence[int],
        by_class: bool,
        first_axis: Callable[[Mapping[int, Integers]], Any],
        n_first: int,
    ) -> list[ContingencyTable]:
        """The tables of what ``first_axis`` makes of the codes of ``conditions``, with each of ``columns``."""
        n_classes = self.n_classes if by_class else 1
        tables = []
        for batch in self._batches(conditions, columns, by_class):
            codes, classes, counts = self.answer({*conditions, *batch}, by_class)
            first = first_axis(codes)
            for j in batch:
                n_codes = int(self.arities[j])
                cells = (first * n_codes + codes[j]) * n_classes + classes
                tables.append(ContingencyTable.of_cells((n_first, n_codes, n_classes), cells, counts))
        return tables

    def answer(self, columns: set[int], by_class: bool) -> tuple[dict[int, Integers], Integers | int, Integers]:
        """The groups of the rows by the codes of some columns and the class: these, and how many samples each has."""
        columns_with_key = sorted(columns & self.keys.keys())
        expressions: dict[Any, nw.Expr] = {j: self.keys[j].expression for j in columns_with_key}
        with_classes = by_class or not columns_with_key or self._has_rows_without_class
        if with_classes:
            expressions |= self.classes.keys
        groups = self.relation.groups(expressions)
        codes: dict[int, Integers] = {}
        try:
            classes = self.classes.codes(groups) if with_classes else np.zeros(len(groups.rows), np.int64)
            has_class = classes >= 0
            for j in columns_with_key:
                values = groups.keys[j].filter(pa.array(has_class))  # those of other rows may not have been met
                codes[j] = self.keys[j].codes(values).astype(np.int64)
        except ValueError:  # a value that was not there before
            raise changed() from None
        classes = classes[has_class]
        counts = groups.samples[has_class]
        for j in columns - self.keys.keys():
            codes[j] = np.zeros(len(counts), np.int64)
        if not has_class.all():
            self._has_rows_without_class = True
        self._check(codes, classes, counts, by_class)
        return codes, classes if by_class else 0, counts

    def _check(self, codes: Mapping[int, Integers], classes: Integers, counts: Integers, by_class: bool) -> None:
        """Refuse counts that do not agree with those of each column alone."""
        if int(counts.sum()) != self.n_samples:
            raise changed()
        for j, codes_of_column in codes.items():
            if codes_of_column.min(initial=0) < 0 or codes_of_column.max(initial=0) >= self.arities[j]:
                raise changed()
            if self._single_counts is None:
                continue
            expected = self._single_counts[j] if by_class else self._single_counts[j].sum(axis=1, keepdims=True)
            n_classes = expected.shape[1]
            cells = codes_of_column * n_classes + (classes if by_class else 0)
            counts_of_cells = np.zeros(expected.size, np.int64)
            np.add.at(counts_of_cells, cells, counts)
            if (counts_of_cells != expected.reshape(-1)).any():
                raise changed()
        if by_class and (np.bincount(classes, counts, self.n_classes) != self.class_sizes).any():
            raise changed()

    def _batches(self, conditions: Sequence[int], columns: Sequence[int], by_class: bool) -> Iterator[list[int]]:
        """Columns that one statement counts, as many as have few groups together."""
        limit = min(GROUPS_AT_ONCE, max(_FEW_GROUPS, self.n_samples // _ROWS_OF_A_GROUP))
        n_conditions = prod(self._n_groups(j) for j in conditions) * (self.n_classes if by_class else 1)
        batch: list[int] = []
        n_groups = n_conditions
        for j in columns:
            if batch and n_groups * self._n_groups(j) > limit:
                yield batch
                batch = []
                n_groups = n_conditions
            batch.append(j)
            n_groups *= self._n_groups(j)
        yield batch

    def _n_groups(self, column: int) -> int:
        """The most groups by one column."""
        return self.keys[column].n_groups if column in self.keys else 1


def changed() -> DataError:
    """The error for rows that are not the same in all statements."""
    return DataError(
        code="data-changed",
        message="the table changed while it was counted, as the counts disagree",
        advice="run again when nobody writes it",
    )


class GroupedPartition(Partition):
    """A partition of the rows of a relation: which codes of the conditioning features each part has."""

    source: GroupedSource

    def __init__(self, source: GroupedSource, keys: Integers, steps: tuple[tuple[int, Integers], ...]) -> None:
        self.source = source
        self._keys = keys
        self._steps = steps  # of every conditioning feature the pairs of a part before it and a code that occur

    @property
    def keys(self) -> Integers:
        return self._keys

    def refine(self, feature: int) -> GroupedPartition:
        n_codes = int(self.source.arities[feature])
        codes, _, _ = self.source.answer({*self._conditions, feature}, False)
        pairs = np.unique(self._part(codes) * n_codes + codes[feature])
        keys = np.column_stack([self.keys[pairs // n_codes], pairs % n_codes])
        return GroupedPartition(self.source, keys, (*self._steps, (feature, pairs)))

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        if columns is not None:
            return self.source.counted(self._conditions, columns.tolist(), by_class, self._part, len(self.keys))
        codes, classes, counts = self.source.answer({*self._conditions}, by_class)
        n_classes = self.source.n_classes if by_class else 1
        cells = self._part(codes) * n_classes + classes
        return [ContingencyTable.of_cells((len(self.keys), 1, n_classes), cells, counts)]

    @property
    def _conditions(self) -> tuple[int, ...]:
        return tuple(feature for feature, _ in self._steps)

    def _part(self, codes: Mapping[int, Integers]) -> Any:
        """The part of every group of rows."""
        part: Any = 0
        for feature, pairs in self._steps:
            pair_of_group = part * int(self.source.arities[feature]) + codes[feature]
            part = np.searchsorted(pairs, pair_of_group)
            if (part == len(pairs)).any() or (pairs[part] != pair_of_group).any():
                raise changed()
        return part
