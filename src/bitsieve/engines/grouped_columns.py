"""What is fetched of a column whose rows stay in a database: its values, or intervals of them, and their counts."""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bitsieve.common.arrays import Integers
from bitsieve.data.profile import RowNumbers
from bitsieve.engines.grouped_counts import LARGEST, Classes, Groups, Relation, whole

INTERVALS = 1 << 12  # of a column of too many different numbers
_ROUNDS = 6  # in which intervals that hold too many rows are divided
_SHARE = 1 / 1024  # of the rows, which an interval may hold
_DIVIDED = 64  # intervals at most in a round, those of most rows


class Known(NamedTuple):
    """The values of a column in every class, or the largest ones of intervals, and how often each occurs."""

    values: Any  # an Arrow array
    groups: Integers  # shape (3, n_values): the class of each, -1 where it is missing, its rows and its samples
    is_whole: bool = True  # whether these are all values
    rank_error: float = 0.0  # of cuts between intervals
    row_numbers: RowNumbers | None = None  # of intervals

    def kept(self, chosen: NDArray[np.bool_]) -> Known:
        """Some of the values."""
        return self._replace(values=self.values.filter(pa.array(chosen)), groups=self.groups[:, chosen])

    def beside(self, other: Known) -> Known:
        """The values of both."""
        chunks = [*self.values.chunks, *other.values.cast(self.values.type).chunks]
        values = pa.chunked_array(chunks, self.values.type)
        return self._replace(values=values, groups=np.column_stack([self.groups, other.groups]))


def values_of(relation: Relation, name: str, classes: Classes, most: int) -> Known | None:
    """All values of a column; None where they are more than ``most``."""
    groups = relation.groups({0: nw.col(name), **classes.keys}, most)
    return None if groups is None else _of_groups(groups, classes)


def some_values_of(relation: Relation, name: str, most: int) -> Known:
    """Some values of a column that has too many to group by, each as often as they are on average."""
    column = nw.col(name)
    known = relation.where(~column.is_null())
    answer = known.fetched(lambda frame: frame.select(rows=nw.len(), values=column.n_unique()))
    n_rows, n_values = answer["rows"][0].as_py(), answer["values"][0].as_py()
    values = known.fetched(lambda frame: frame.select(name).unique().head(most))[name]
    times = np.full(len(values), max(1, n_rows // n_values))
    return Known(values, np.stack([np.zeros_like(times), times, times]), is_whole=False)


def intervals_of(relation: Relation, name: str, classes: Classes, at_once: int) -> Known:
    """The numbers of a column by intervals, so small that few rows lie in each; missing and infinite ones beside them.

    A first histogram has intervals of one width, each next one divides those that hold too many rows. ``at_once`` is
    how many intervals one has; 1: the ends of all numbers are enough.
    """
    number = nw.col(name).cast(nw.Float64)
    is_inside = nw.when((number >= -LARGEST) & (number <= LARGEST)).then(nw.lit(1)).otherwise(nw.lit(0))
    groups = relation.where(is_inside == 0).groups({0: nw.col(name), **classes.keys})
    assert groups is not None  # no limit is set
    outside, inside = _of_groups(groups, classes), relation.where(is_inside == 1)
    column = nw.col(name)
    ends = inside.fetched(lambda frame: frame.select(low=column.min(), high=column.max(), rows=nw.len()))
    low, high, n_rows = (ends[of][0].as_py() for of in ends.column_names)
    if at_once == 1:
        both = pa.chunked_array([ends["low"].chunk(0), ends["high"].chunk(0)])
        found = Known(both, np.array([[0, 0], [1, 1], [1, 1]]))
    else:
        found = _divided(inside, name, classes, at_once, n_rows)
    numbers = None
    if ends["low"].type in _WHOLE and not outside.groups[1].sum() and high - low == n_rows - 1:
        different = inside.fetched(lambda frame: frame.select(values=column.n_unique()))["values"][0].as_py()
        numbers = RowNumbers.of_range(low, n_rows) if different == n_rows else None
    return found.beside(outside)._replace(is_whole=False, row_numbers=numbers)


_WHOLE = tuple(getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64))


def _divided(inside: Relation, name: str, classes: Classes, at_once: int, n_rows: int) -> Known:
    """The intervals of finite numbers; the rank error is the largest share of the rows that one of them holds."""
    number = nw.col(name).cast(nw.Float64)
    ends = inside.fetched(lambda frame: frame.select(low=number.min(), high=number.max()))
    ranges = np.array([[ends["low"][0].as_py(), ends["high"][0].as_py()]])
    parts, largest = list[Known](), 0.0
    for left in reversed(range(_ROUNDS)):
        groups = inside.groups({0: _place(number, ranges, at_once // len(ranges)), **classes.keys}, of=name)
        assert groups is not None  # no limit is set
        place, (low, high) = whole(groups.keys[0]), (_doubles(end) for end in (groups.low, groups.high))
        _, of_interval = np.unique(place, return_inverse=True)
        rows = np.bincount(of_interval, groups.rows)
        least, most = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
        np.minimum.at(least, of_interval, low)
        np.maximum.at(most, of_interval, high)
        outer = np.zeros(len(rows), bool)
        outer[of_interval[place < 0]] = True
        share = np.where((least < most) & ~outer, rows / n_rows, 0.0)
        wide = np.flatnonzero((share > _SHARE) & (most - least < LARGEST))
        wide = np.sort(wide[np.argsort(-share[wide], kind="stable")][: _DIVIDED if left else 0])
        share[wide] = 0.0
        largest = max(largest, float(share.max()))
        outer[wide] = True
        last = np.full(len(rows), -1)  # a group whose largest number is that of its interval
        last[of_interval[high == most[of_interval]]] = np.flatnonzero(high == most[of_interval])
        known = _of_groups(groups, classes)
        values = groups.high.take(pa.array(last[of_interval]))
        parts.append(known._replace(values=values).kept(~outer[of_interval]))
        if not len(wide):
            break
        ranges = np.column_stack([least, most])[wide]
    return reduce(Known.beside, parts)._replace(rank_error=largest)


def _place(number: nw.Expr, ranges: NDArray[np.float64], n_intervals: int) -> nw.Expr:
    """The interval of a number, of so many in each range; -1 outside of them. It never falls as the number rises."""
    found = nw.lit(-1)
    for place, (low, high) in enumerate(ranges.tolist()):
        share = (number - low) * ((n_intervals - 1) / (high - low))
        here = place * n_intervals + share.cast(nw.Int64)
        found = nw.when((number >= low) & (number <= high)).then(here).otherwise(found)
    return found


def _of_groups(groups: Groups, classes: Classes) -> Known:
    return Known(groups.keys[0], np.stack([classes.codes(groups), groups.rows, groups.samples]))


def _doubles(array: Any) -> NDArray[np.float64]:
    from bitsieve.data.arrow import numpy_of

    return np.asarray(numpy_of(array.cast(pa.float64())), np.float64)
