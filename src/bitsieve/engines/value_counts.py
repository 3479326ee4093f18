"""The values of a column of a relation, and how often each occurs in each class: all of them, or a part if too many."""

from __future__ import annotations

from typing import NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa

from bitsieve.dataset.arrow import ArrowArray
from bitsieve.dataset.identifiers import RowNumbering
from bitsieve.engines.grouped_counts import ClassKeys
from bitsieve.engines.relation import LARGEST, Groups, Relation, doubles, integers_of
from bitsieve.utils.arrays import Integers

VALUE_KEY = 0  # the key of the groups by the values of a column; the other keys are names of columns, which are text


class ValueCounts(NamedTuple):
    """The values of a column and how often each occurs in each class. One entry is a value and a class.

    Where a column has too many values, there is only a part of them, such as the largest value of each interval.
    """

    values: ArrowArray
    classes: Integers  # -1 where the class is missing
    rows: Integers  # the rows with this value and class
    samples: Integers  # the samples: the sum of the weights of these rows
    are_complete: bool = True  # whether these are all values of the column
    rank_error: float = 0.0  # the largest share of rows by which a quantile may be wrong
    row_numbering: RowNumbering | None = None  # where the column numbers its rows; known only if values are incomplete

    @classmethod
    def of_groups(cls, groups: Groups, class_keys: ClassKeys) -> ValueCounts:
        """The values by which rows were grouped, under the key ``VALUE_KEY``."""
        return cls(groups.keys[VALUE_KEY], class_keys.codes(groups), groups.rows, groups.samples)

    def without_missing_class(self) -> ValueCounts:
        """Only the values in rows that have a class."""
        has_class = self.classes >= 0
        return self._replace(
            values=self.values.filter(pa.array(has_class)),
            classes=self.classes[has_class],
            rows=self.rows[has_class],
            samples=self.samples[has_class],
        )

    def with_others(self, other: ValueCounts) -> ValueCounts:
        """These values followed by others."""
        chunks = [*self.values.chunks, *other.values.cast(self.values.type).chunks]
        return self._replace(
            values=pa.chunked_array(chunks, self.values.type),
            classes=np.concatenate([self.classes, other.classes]),
            rows=np.concatenate([self.rows, other.rows]),
            samples=np.concatenate([self.samples, other.samples]),
        )


def sampled_values(relation: Relation, name: str, limit: int) -> ValueCounts:
    """At most ``limit`` values of a column that has too many to group by; each is given the mean number of rows."""
    filled_rows = relation.where(~nw.col(name).is_null())
    n_rows = filled_rows.fetched(lambda frame: frame.select(rows=nw.len()))["rows"][0].as_py()
    values = filled_rows.fetched(lambda frame: frame.select(name).unique().head(limit))[name]
    rows = np.full(len(values), max(1, n_rows // max(1, filled_rows.n_values(name))))
    return ValueCounts(values, classes=np.zeros_like(rows), rows=rows, samples=rows, are_complete=False)


class NumericRange(NamedTuple):
    """The range of the finite numbers of a column, and its other values."""

    finite: Relation  # the rows with a finite number
    others: ValueCounts  # missing and infinite values
    low: float  # the smallest finite number
    high: float  # the largest finite number
    n_rows: int  # rows with a finite number
    extremes: ArrowArray  # ``low`` and ``high`` in the type of the column

    @classmethod
    def of(cls, relation: Relation, name: str, class_keys: ClassKeys) -> NumericRange:
        """Fetch the range of a column."""
        number = nw.col(name).cast(nw.Float64)
        is_finite = nw.when((number >= -LARGEST) & (number <= LARGEST)).then(nw.lit(1)).otherwise(nw.lit(0))
        finite = relation.where(is_finite == 1)
        other_groups = relation.where(is_finite == 0).groups({VALUE_KEY: nw.col(name), **class_keys.keys})
        column = nw.col(name)
        answer = finite.fetched(lambda frame: frame.select(low=column.min(), high=column.max(), rows=nw.len()))
        return cls(
            finite=finite,
            others=ValueCounts.of_groups(other_groups, class_keys),
            low=answer["low"][0].as_py(),
            high=answer["high"][0].as_py(),
            n_rows=answer["rows"][0].as_py(),
            extremes=pa.chunked_array([*answer["low"].chunks, *answer["high"].chunks]),
        )

    def row_numbering(self, name: str) -> RowNumbering | None:
        """How the column numbers its rows; None unless its numbers are consecutive integers, each in one row."""
        if not pa.types.is_integer(self.extremes.type) or self.others.rows.sum():
            return None
        if self.high - self.low != self.n_rows - 1 or self.finite.n_values(name) != self.n_rows:
            return None
        return RowNumbering.of_range(int(self.low), self.n_rows)


def extremes_of(relation: Relation, name: str, class_keys: ClassKeys) -> ValueCounts:
    """The smallest and the largest number of a column, and its missing and infinite values."""
    numbers = NumericRange.of(relation, name, class_keys)
    extremes = ValueCounts(
        numbers.extremes,
        classes=np.array([0, 0]),
        rows=np.array([1, 1]),
        samples=np.array([1, 1]),
        are_complete=False,
        row_numbering=numbers.row_numbering(name),
    )
    return extremes.with_others(numbers.others)


def intervals_of(relation: Relation, name: str, class_keys: ClassKeys, n_intervals: int) -> ValueCounts:
    """The numbers of a column in intervals of equal width, each replaced by the largest number of its interval.

    Missing and infinite values are kept as they are. The rank error is the share of rows in the fullest interval that
    holds several different numbers.
    """
    numbers = NumericRange.of(relation, name, class_keys)
    intervals_per_unit = n_intervals / (float(numbers.high) - float(numbers.low))
    interval = ((nw.col(name).cast(nw.Float64) - float(numbers.low)) * intervals_per_unit).cast(nw.Int64)
    groups = numbers.finite.groups({VALUE_KEY: interval, **class_keys.keys}, range_of=name)  # by interval and class
    lows = doubles(groups.low)
    highs = doubles(groups.high)
    _, interval_of_group = np.unique(integers_of(groups.keys[VALUE_KEY]), return_inverse=True)

    order = np.lexsort((highs, interval_of_group))  # by interval; the group with its largest number is the last one
    is_last_of_interval = np.append(np.diff(interval_of_group[order]) > 0, True)
    group_with_largest = order[is_last_of_interval]
    largest = highs[group_with_largest]
    smallest = np.full(len(largest), np.inf)
    np.minimum.at(smallest, interval_of_group, lows)

    n_rows = np.bincount(interval_of_group, groups.rows)
    rank_error = float((n_rows * (smallest < largest)).max() / numbers.n_rows)
    assert groups.high is not None  # the groups have the range of the column
    values = groups.high.take(pa.array(group_with_largest[interval_of_group]))
    in_intervals = ValueCounts.of_groups(groups, class_keys)._replace(
        values=values,
        are_complete=False,
        rank_error=rank_error,
        row_numbering=numbers.row_numbering(name),
    )
    return in_intervals.with_others(numbers.others)
