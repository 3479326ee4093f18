"""Rows of a database or a lazy frame, which are grouped where they are: only the groups and their sizes are fetched."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
import pyarrow as pa

from bitsieve.dataset.arrow import ArrowArray, numpy_of
from bitsieve.io.errors import DataError, in_one_line
from bitsieve.utils.arrays import Floats, Integers

LazyFrame: TypeAlias = nw.LazyFrame[Any]
LARGEST = float(np.finfo(np.float64).max)
database_errors_in_one_line = partial(in_one_line, "the database did not answer a statement")


class Groups(NamedTuple):
    """Groups of rows: the rows of a group have equal keys. Every array has one entry for each group."""

    keys: Mapping[Hashable, ArrowArray]  # the values of each key
    rows: Integers  # the number of rows
    samples: Integers  # the number of samples: the sum of the frequency weights of the rows
    low: ArrowArray | None = None  # the smallest value of the column whose range was asked for
    high: ArrowArray | None = None  # the largest value of that column


class Relation:
    """Rows of a database or a lazy frame. They are not fetched, only groups of them and their sizes.

    With a column ``weight``, rows whose weight is not above 0 are left out.
    """

    def __init__(self, frame: LazyFrame, weight: str | None = None) -> None:
        if weight is not None:  # a database takes NaN for larger than all numbers
            frame = frame.filter((nw.col(weight) > 0) & (nw.col(weight) <= LARGEST))
        self.frame = frame
        self.weight = weight
        self._lock = Lock()  # a connection answers one statement at a time

    def where(self, condition: nw.Expr) -> Relation:
        """The rows for which a condition holds."""
        relation = Relation(self.frame.filter(condition))
        relation.weight = self.weight
        return relation

    def statement(self, frame: LazyFrame, keys: Mapping[Hashable, nw.Expr], range_of: str | None = None) -> LazyFrame:
        """The statement that groups rows by the expressions ``keys``, with the range of column ``range_of``.

        The columns of the answer have numbered names, since names of the user may be anything.
        """
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

    def groups(self, keys: Mapping[Hashable, nw.Expr], range_of: str | None = None) -> Groups:
        """Group the rows by the expressions ``keys``; ``range_of`` is a column whose range in each group is needed."""
        answer = self.fetched(lambda frame: self.statement(frame, keys, range_of))
        return self._groups_of(answer, keys, range_of)

    def few_groups(self, keys: Mapping[Hashable, nw.Expr], limit: int) -> Groups | None:
        """Group the rows by the expressions ``keys``; None where there are more than ``limit`` groups."""
        answer = self.fetched(lambda frame: self.statement(frame, keys).head(limit + 1))
        return None if answer.num_rows > limit else self._groups_of(answer, keys, None)

    def _groups_of(self, answer: pa.Table, keys: Mapping[Hashable, nw.Expr], range_of: str | None) -> Groups:
        rows = integers_of(answer["rows"])
        return Groups(
            keys={key: answer[f"k{number}"] for number, key in enumerate(keys)},
            rows=rows,
            samples=rows if self.weight is None else integers_of(answer["samples"]),
            low=None if range_of is None else answer["low"],
            high=None if range_of is None else answer["high"],
        )

    def n_values(self, name: str, n_rows: int | None = None) -> int:
        """The number of different values of a column, in its first ``n_rows`` rows (None: in all).

        A missing value counts as a value.
        """

        def statement(frame: LazyFrame) -> LazyFrame:
            column = frame.select(name)
            if n_rows is not None:
                column = column.head(n_rows)
            return column.unique().select(values=nw.len())

        return int(self.fetched(statement)["values"][0].as_py())

    def fetched(self, statement: Callable[[LazyFrame], LazyFrame]) -> pa.Table:
        """Fetch the answer to ``statement(frame)``, with the frame of all rows, as an Arrow table."""
        with self._lock, database_errors_in_one_line():
            return statement(self.frame).collect("pyarrow").to_native()


def doubles(array: ArrowArray) -> Floats:
    """Numbers of any type as float64."""
    return np.asarray(numpy_of(array.cast("double")), np.float64)


def integers_of(array: ArrowArray) -> Integers:
    """Whole numbers below 2**53, of any type, as int64."""
    return doubles(array).astype(np.int64)


def code_by_cuts(number: nw.Expr, cuts: Sequence[float], side: str) -> nw.Expr:
    """The code ``np.searchsorted(cuts, number, side)`` as an expression; -1 where the number is missing.

    The expression is a balanced tree of cases, so that its depth is the logarithm of the number of cuts.
    """

    def code_between(lowest: int, highest: int) -> nw.Expr:
        """The code of a number that is known to have a code from ``lowest`` to ``highest``."""
        if lowest == highest == len(cuts):
            # NaN is larger than all numbers, and no comparison with NULL is true: both are missing.
            return nw.when(number <= LARGEST).then(nw.lit(highest)).otherwise(nw.lit(-1))
        if lowest == highest:
            return nw.lit(lowest)
        middle = (lowest + highest) // 2
        is_below = number <= cuts[middle] if side == "left" else number < cuts[middle]
        return nw.when(is_below).then(code_between(lowest, middle)).otherwise(code_between(middle + 1, highest))

    return code_between(0, len(cuts))


def data_changed() -> DataError:
    """The error for rows that are not the same in all statements."""
    return DataError(
        code="data-changed",
        message="the table changed while it was counted, as the counts disagree",
        advice="run again when nobody writes it",
    )
