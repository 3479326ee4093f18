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
        self.frame, self.weight = frame, weight
        self._lock = Lock()  # a connection answers one statement after the other

    def where(self, condition: nw.Expr) -> Relation:
        """Some of the rows."""
        found = Relation(self.frame.filter(condition))
        found.weight = self.weight
        return found

    def statement(
        self, frame: nw.LazyFrame[Any], keys: Mapping[Any, nw.Expr], of: str | None = None
    ) -> nw.LazyFrame[Any]:
        """What asks for the groups by some expressions; its columns are numbered, as names may be anything."""
        numbered = {f"k{place}": key for place, key in enumerate(keys.values())}
        others = {name: nw.col(label) for name, label in (("samples", self.weight), ("v", of)) if label is not None}
        found = {"rows": nw.len()}
        if self.weight is not None:
            found["samples"] = nw.col("samples").sum()
        if of is not None:
            found |= {"low": nw.col("v").min(), "high": nw.col("v").max()}
        return frame.select(**numbered, **others).group_by(list(numbered)).agg(**found)

    def groups(self, keys: Mapping[Any, nw.Expr], most: int | None = None, of: str | None = None) -> Groups | None:
        """The groups, with the ends of column ``of`` in each; None where there are more than ``most``."""

        def ask(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
            statement = self.statement(frame, keys, of)
            return statement if most is None else statement.head(most + 1)

        answer = self.fetched(ask)
        if most is not None and answer.num_rows > most:
            return None
        rows = whole(answer["rows"])
        samples = rows if self.weight is None else whole(answer["samples"])
        ends = () if of is None else (answer["low"], answer["high"])
        return Groups({key: answer[f"k{place}"] for place, key in enumerate(keys)}, rows, samples, *ends)

    def n_values(self, name: str, n_rows: int | None = None) -> int:
        """How many different values a column has, a missing one among them; ``n_rows``: in so many rows."""

        def ask(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
            column = frame.select(name)
            return (column if n_rows is None else column.head(n_rows)).unique().select(values=nw.len())

        return int(self.fetched(ask)["values"][0].as_py())

    def fetched(self, ask: Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]]) -> Any:
        """The answer to a statement that is made of the rows, as an Arrow table."""
        with self._lock, answering():
            return ask(self.frame).collect("pyarrow").to_native()


def doubles(array: Any) -> Floats:
    """Numbers of any Arrow type."""
    return np.asarray(numpy_of(array.cast("double")), np.float64)


def whole(array: Any) -> Integers:
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
    groups: int  # at most so many
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
        self.relation, self.keys, self.classes = relation, keys, classes
        self.arities, self.class_sizes, self.n_jobs = arities, class_sizes, None
        self.n_features, self.n_classes, self.n_samples = len(arities), len(class_sizes), int(class_sizes.sum())
        self._has_rows_without_class = False  # which only the target shows
        self._alone: list[Integers] | None = None
        self._alone = [table.dense()[0] for table in self.tables(None, np.arange(len(arities)), True)]

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        if pivot is None and self._alone is not None:
            known = [self._alone[j] if by_class else self._alone[j].sum(axis=1) for j in columns.tolist()]
            shapes = [(1, len(counts), self.n_classes if by_class else 1) for counts in known]
            cells = [(np.flatnonzero(counts), counts.reshape(-1)) for counts in known]
            return [ContingencyTable.of_cells(s, c, n[c]) for s, (c, n) in zip(shapes, cells, strict=True)]
        given = () if pivot is None else (pivot,)
        n_first = 1 if pivot is None else int(self.arities[pivot])

        def first(codes: Mapping[int, Integers]) -> Integers | int:
            return 0 if pivot is None else codes[pivot]

        return self.counted(given, columns.tolist(), by_class, first, n_first)

    def partition(self) -> GroupedPartition:
        return GroupedPartition(self, np.empty((1, 0), np.int64), ())

    def counted(
        self,
        given: Sequence[int],
        columns: Sequence[int],
        by_class: bool,
        first: Callable[[Mapping[int, Integers]], Any],
        n_first: int,
    ) -> list[ContingencyTable]:
        """The tables of what ``first`` makes of the codes of given columns with each of ``columns``."""
        n_classes, tables = self.n_classes if by_class else 1, []
        for batch in self._batches(given, columns, by_class):
            codes, classes, counts = self.answer({*given, *batch}, by_class)
            place = first(codes)
            for j in batch:
                shape = n_first, int(self.arities[j]), n_classes
                cells = (place * shape[1] + codes[j]) * n_classes + classes
                tables.append(ContingencyTable.of_cells(shape, cells, counts))
        return tables

    def answer(self, columns: set[int], by_class: bool) -> tuple[dict[int, Integers], Integers | int, Integers]:
        """The groups of the rows by the codes of some columns and the class: these, and how many samples each has."""
        asked = sorted(columns & self.keys.keys())
        expressions: dict[Any, nw.Expr] = {j: self.keys[j].expression for j in asked}
        with_classes = by_class or not asked or self._has_rows_without_class
        if with_classes:
            expressions |= self.classes.keys
        groups = self.relation.groups(expressions)
        assert groups is not None  # no limit is set
        try:
            classes = self.classes.codes(groups) if with_classes else np.zeros(len(groups.rows), np.int64)
            there = classes >= 0  # values of the other rows are not known
            codes = {j: self.keys[j].codes(groups.keys[j].filter(pa.array(there))).astype(np.int64) for j in asked}
        except ValueError:  # a value that was not there before
            raise changed() from None
        classes, counts = classes[there], groups.samples[there]
        codes |= {j: np.zeros(len(counts), np.int64) for j in columns - self.keys.keys()}
        self._has_rows_without_class |= not there.all()
        self._check(codes, classes, counts, by_class)
        return codes, classes if by_class else 0, counts

    def _check(self, codes: Mapping[int, Integers], classes: Integers, counts: Integers, by_class: bool) -> None:
        """Refuse counts that do not agree with those of each column alone."""
        n_classes = self.n_classes if by_class else 1
        same = int(counts.sum()) == self.n_samples
        for j, of in codes.items():
            if not same or of.min(initial=0) < 0 or of.max(initial=0) >= self.arities[j]:
                raise changed()
            if self._alone is not None:
                known = self._alone[j] if by_class else self._alone[j].sum(axis=1)
                found = np.zeros(known.size, np.int64)
                np.add.at(found, of * n_classes + classes * by_class, counts)
                same = same and bool((found == known.reshape(-1)).all())
        if not same or (by_class and (np.bincount(classes, counts, self.n_classes) != self.class_sizes).any()):
            raise changed()

    def _batches(self, given: Sequence[int], columns: Sequence[int], by_class: bool) -> Iterator[list[int]]:
        """Columns that one statement counts, as many as have few groups together."""
        n_groups = [self.keys[j].groups if j in self.keys else 1 for j in columns]
        base = prod(self.keys[j].groups for j in given if j in self.keys) * (self.n_classes if by_class else 1)
        batch, together = list[int](), base
        most = min(GROUPS_AT_ONCE, max(_FEW_GROUPS, self.n_samples // _ROWS_OF_A_GROUP))
        for j, n in zip(columns, n_groups, strict=True):
            if batch and together * n > most:
                yield batch
                batch, together = [], base
            batch.append(j)
            together *= n
        yield batch


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
        self.source, self._keys = source, keys
        self._steps = steps  # of every conditioning feature the pairs of a part before it and a code that occur

    @property
    def keys(self) -> Integers:
        return self._keys

    def refine(self, feature: int) -> GroupedPartition:
        n_codes = int(self.source.arities[feature])
        codes, _, _ = self.source.answer({*self._given, feature}, False)
        pairs = np.unique(self._part(codes) * n_codes + codes[feature])
        keys = np.column_stack([self.keys[pairs // n_codes], pairs % n_codes])
        return GroupedPartition(self.source, keys, (*self._steps, (feature, pairs)))

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        if columns is not None:
            return self.source.counted(self._given, columns.tolist(), by_class, self._part, len(self.keys))
        codes, classes, counts = self.source.answer({*self._given}, by_class)
        shape = len(self.keys), 1, self.source.n_classes if by_class else 1
        return [ContingencyTable.of_cells(shape, self._part(codes) * shape[2] + classes, counts)]

    @property
    def _given(self) -> tuple[int, ...]:
        return tuple(feature for feature, _ in self._steps)

    def _part(self, codes: Mapping[int, Integers]) -> Any:
        """The part of every group of rows."""
        part: Any = 0
        for feature, pairs in self._steps:
            wanted = part * int(self.source.arities[feature]) + codes[feature]
            part = np.searchsorted(pairs, wanted)
            if (part == len(pairs)).any() or (pairs[part] != wanted).any():
                raise changed()
        return part
