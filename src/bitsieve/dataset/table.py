"""A table: features, target, frequency weights and names, its rows in memory or in parts elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.encoding import FEW, Encoded, all_missing, encode, take_rows
from bitsieve.dataset.extents import MISSING, Extents, KnownColumns, NamedColumns, find_extents
from bitsieve.dataset.given import Given, Understood
from bitsieve.dataset.profile import (
    Noticed,
    Outlying,
    Profile,
    RowNumbers,
    columns_that_differ_at_first,
    looks_like_code,
    may_outlie,
    names_rows,
    numbers_rows,
)
from bitsieve.dataset.sparse import StoredColumns
from bitsieve.dataset.target import Target
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.messages import needs_dense_rows

Values = NDArray[Any] | Encoded
COUNTS = frozenset({"tables", "partition", "joined", "independent"})  # what counts of all rows offer


class Table(NamedColumns, ABC):
    """The columns of some samples with their target, whose rows lie in memory or in parts elsewhere."""

    in_memory: ClassVar[bool] = False  # whether the rows are
    capabilities: frozenset[str] = COUNTS  # what a method may require: see Method
    leaves_out: ClassVar[bool] = True  # whether columns can be left out
    # the data in the kind that was given to ``select``; None for a table that was read for ``fit``, and for some of the
    # samples of a table
    given: Given | None
    notes: tuple[str, ...]  # what was noticed when the data was read
    # columns that hold one value in every row, so that no method chooses them: see :meth:`without`
    left_out: tuple[int, ...]

    @property
    @abstractmethod
    def n_samples(self) -> int:
        """Number of rows; those of weight 0 were left out."""

    @property
    @abstractmethod
    def target(self) -> Target:
        """The classes of all rows."""

    @property
    def has_target(self) -> bool:
        """Whether there is a target."""
        return True

    @property
    def is_sparse(self) -> bool:
        """Whether only the values that are not zero are stored."""
        return False

    @property
    def target_rank_error(self) -> float:
        """By what share of the samples the rank of an edge of the target may be off; 0: exact."""
        return 0.0

    @abstractmethod
    def profile(self, binner: Any = None) -> Profile:
        """Facts of the columns; looked at once, on the threads of ``binner``, for all that its bins follow from."""

    def may_hold_missing(self, n_jobs: int | None = None, whole: bool = False) -> bool:
        """Whether some value may be missing; of rows elsewhere that is not known beforehand."""
        return True

    @abstractmethod
    def few_as_codes(self, n_jobs: int | None = None) -> tuple[Self, bool]:
        """The table with its columns of few whole numbers as categories; whether all columns of an array are such."""

    @abstractmethod
    def without(self, columns: Sequence[int]) -> Self:
        """The table with one value in every row of some columns, so that no method chooses them."""

    def varies(self, j: int) -> bool:
        """Whether feature ``j`` holds different values; missing is one."""
        return j not in self.left_out and bool(cast("Flags", self.profile().varies)[j])

    def counts_rows(self, j: int) -> bool:
        """Whether feature ``j`` goes up, or down, by one with every row."""
        return j not in self.left_out and bool(cast("Flags", self.profile().counts_rows)[j])


class TableElsewhere(Table):
    """A table whose rows are not in memory, and which counts them where they are."""

    @abstractmethod
    def count(self, binner: Any) -> tuple[Any, Any]:
        """A copy of the binner, fitted on all rows, and the counts of the columns as it codes them."""


def check_several_rows(table: Table) -> None:
    """Raise ValueError for a table of one row."""
    if table.n_samples < 2:
        raise ValueError(f"the data has {table.n_samples} sample: at least 2 are needed")


def on_rows_left_out(target: Target, n_out: int, n_left: int) -> tuple[str, ...]:
    """A note on the rows that have no value in a column of the target, where any were left out."""
    have, are = ("has", "is") if n_out == 1 else ("have", "are")
    what = f"{n_out:,} of {n_out + n_left:,} rows {have} no {' or '.join(map(repr, target.names))} and {are} left out"
    return (what,) if n_out else ()


@dataclass(frozen=True, eq=False)
class TableInMemory(Table, KnownColumns):
    """A table whose rows are in memory: one part."""

    # shape (n_samples, n_features): numbers (NaN = missing), or codes of categories; times are microseconds
    columns: NDArray[Any] | Sequence[Values] = field(repr=False)
    names: Sequence[str]
    feature_names: NDArray[Any] | None = field(default=None, repr=False)
    y: Target | None = field(default=None, repr=False)  # None where no target was given
    # shape (n_samples,): frequency weights: how many times each sample counts, at least once. None: once each
    weights: Integers | None = field(default=None, repr=False)
    # shape (n_samples,): the number of the group of samples that belong together; None: all are independent
    groups: Columns | None = field(default=None, repr=False)
    given: Given | None = field(default=None, repr=False)
    left_out: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    # what the text of columns was found to mean, by their places
    meanings: Mapping[int, Understood] = field(default_factory=dict, repr=False)
    # shape (n_samples,): how many rows of the data each row is, where equal ones were grouped; None: one
    times: Integers | None = field(default=None, repr=False)
    _extents: list[Extents] = field(default_factory=list, init=False, repr=False)  # the last of them, once looked at
    _profile: list[Profile] = field(default_factory=list, init=False, repr=False)

    in_memory = True

    @cached_property
    def sparse(self) -> StoredColumns | None:
        """The columns, where only the values that are not zero are stored."""
        return self.columns if isinstance(self.columns, StoredColumns) else None

    @property
    def stored(self) -> StoredColumns:
        """The columns of a sparse table."""
        assert self.sparse is not None  # asked for where is_sparse
        return self.sparse

    @property
    def is_sparse(self) -> bool:
        return self.sparse is not None

    @property
    def capabilities(self) -> frozenset[str]:  # type: ignore[override]
        """What a method may require of it."""
        counts = COUNTS if self.groups is None else COUNTS - {"independent"}
        if self.sparse is None:
            return counts | {"rows", "dense"}
        return counts if self.sparse.in_files else counts | {"rows"}

    @property
    def n_samples(self) -> int:
        if self.sparse is not None:
            return self.sparse.n_samples
        return len(self.columns) if isinstance(self.columns, np.ndarray) else len(self.columns[0])

    @property
    def total_weight(self) -> int:
        """Number of samples, each counted as often as its weight says."""
        return self.n_samples if self.weights is None else int(self.weights.sum())

    @property
    def has_target(self) -> bool:
        return self.y is not None

    @property
    def target(self) -> Target:
        if self.y is None:
            raise ValueError("a target is needed here: give y, one class a sample")
        return self.y

    @property
    def matrix(self) -> NDArray[Any] | None:
        """The 2-D array of numbers that holds all features, if there is one."""
        return self.columns if isinstance(self.columns, np.ndarray) else None

    def values(self, j: int) -> Values:
        """Feature ``j`` as it was read: a 1-D array of numbers of any type, or :class:`Encoded`."""
        return self.columns[:, j] if isinstance(self.columns, np.ndarray) else self.columns[j]

    def is_numeric(self, j: int) -> bool:
        """Whether feature ``j`` holds numbers or times."""
        return self.matrix is not None or self.is_sparse or self.columns[j].dtype.kind != "O"

    def categories(self) -> list[tuple[int, Encoded]]:
        """The columns of categories and their places."""
        if self.matrix is not None or self.is_sparse:
            return []
        return [(j, self.categorical(j)) for j in range(self.n_features) if not self.is_numeric(j)]

    def numbers(self, j: int) -> NDArray[Any]:
        """Feature ``j`` as numbers of the type in which it was read."""
        if not self.is_numeric(j):
            raise TypeError(f"column {self.names[j]!r} is categorical")
        return cast("NDArray[Any]", self.values(j))

    def numeric(self, j: int) -> Floats:
        """Feature ``j`` as contiguous float64, NaN where missing, as :meth:`numbers`; times are microseconds."""
        return np.ascontiguousarray(self.numbers(j), dtype=np.float64)

    def categorical(self, j: int) -> Encoded:
        """Codes (-1 = missing) and sorted categories of feature ``j``."""
        if self.is_numeric(j):
            raise TypeError(f"column {self.names[j]!r} is numeric")
        return cast("Encoded", self.values(j))

    def extents(self, n_jobs: int | None = None, whole: bool = False) -> Extents:
        """What the columns hold, their fractions if ``whole``; looked at once, on ``n_jobs`` threads, and kept."""
        if self.is_sparse:
            raise needs_dense_rows("this method")
        if not self._extents or (whole and not self._extents[-1].whole):
            self._extents[:] = [find_extents(self.columns, n_jobs, whole)]
        return self._extents[-1]

    def may_hold_missing(self, n_jobs: int | None = None, whole: bool = False) -> bool:
        """Whether some value is missing; ``whole`` as for :meth:`extents`, which is looked at in the same pass."""
        if self.sparse is not None:
            return self.sparse.has_missing
        return bool((self.extents(n_jobs, whole).holds & MISSING).any())

    def profile(self, binner: Any = None) -> Profile:
        if not self._profile:
            self._profile.append(self._profiled(None if binner is None else binner.n_jobs))
        return self._profile[0]

    def _profiled(self, n_jobs: int | None) -> Profile:
        n = self.n_features
        has_values, names_the_rows = np.ones(n, bool), np.zeros(n, bool)
        if self.sparse is not None:
            return Profile(self.n_samples, self.sparse.has_values, names_the_rows, np.zeros(n, bool))
        columns: Iterable[int] = range(n)
        if self.matrix is not None:  # only numbers whose first value is missing can be empty
            columns = np.flatnonzero(np.isnan(self.matrix[0])).tolist() if self.matrix.dtype.kind == "f" else ()
        for j in columns:
            if not self.is_numeric(j):
                column = self.categorical(j)
                has_values[j] = len(column.categories) > 0
                names_the_rows[j] = names_rows(column.categories, int((column.codes >= 0).sum()))
                continue
            values = self.numbers(j)
            has_values[j] = not (values[0] != values[0] and all_missing(values))
        accounts = {j: of.account for j, of in self.meanings.items() if of.account is not None}
        return Profile(
            self.n_samples,
            has_values,
            names_the_rows,
            self._numbers_rows,
            accounts=accounts,
            noticed=partial(self._noticed, n_jobs),
        )

    def _noticed(self, n_jobs: int | None) -> Noticed:
        """What is worth a note in columns of numbers."""
        extents = self.extents(n_jobs)
        sentinels, codes = [], []
        for block, low, high in zip(extents.blocks, extents.low, extents.high, strict=True):
            for c in np.flatnonzero(may_outlie(low, high)).tolist():
                values = block.column(c)
                there = values if values.dtype.kind != "f" else values[~np.isnan(values)]
                found = Outlying.of(there, low[c], high[c]).sentinels
                sentinels += [(int(block.places[c]), *one) for one in found]
            if low.dtype.kind in "iu" and self.feature_names is not None:
                ends = zip(block.places.tolist(), low, high, strict=True)
                codes += [j for j, least, most in ends if looks_like_code(self.names[j], least, most)]
        return Noticed(sorted(sentinels), sorted(codes), extents.which(MISSING))

    def _numbers_rows(self) -> Flags:
        """Whether each column holds n consecutive whole numbers, each once."""
        found = np.zeros(self.n_features, bool)
        columns: Iterable[int] = range(self.n_features)
        if self.matrix is not None:
            whole = self.matrix.dtype.kind in "iu"
            columns = np.flatnonzero(columns_that_differ_at_first(self.matrix)).tolist() if whole else ()
        for j in columns:
            found[j] = self.is_numeric(j) and self.numbers(j).dtype.kind in "iu" and numbers_rows(self.numbers(j))
        return found

    def without(self, columns: Sequence[int]) -> TableInMemory:
        if not len(columns):
            return self
        chosen = sorted({*self.left_out, *columns})
        if self.sparse is not None:
            return replace(self, columns=self.sparse.without(chosen), left_out=tuple(chosen))
        if self.matrix is not None:
            values = self.matrix.copy(order="K")
            values[:, chosen] = 0
            return replace(self, columns=values, left_out=tuple(chosen))
        blank, gone = np.zeros(self.n_samples, np.uint8), set(chosen)
        kept = [blank if j in gone else of for j, of in enumerate(self.columns)]
        return replace(self, columns=kept, left_out=tuple(chosen))

    def few_as_codes(self, n_jobs: int | None = None) -> tuple[TableInMemory, bool]:
        if self.is_sparse:
            return self, False
        extents, few = self.extents(n_jobs), []
        for block, low, high in zip(extents.blocks, extents.low, extents.high, strict=True):
            if low.dtype.kind in "iu":
                spread = np.asarray(high, object) - np.asarray(low, object)  # of uint64, too
                few += block.places[(spread < FEW).astype(bool)].tolist()
        if self.matrix is not None:
            return self, len(few) == self.n_features
        columns: list[Any] = list(self.columns)
        for j in set(few) - set(self.left_out):
            columns[j] = encode(columns[j])
        return (replace(self, columns=columns) if few else self), False

    def varies(self, j: int) -> bool:
        if self.sparse is not None:
            return not self.sparse.constant[j]
        values = self.numbers(j) if self.is_numeric(j) else self.categorical(j).codes
        return bool((values != values[0]).any()) and not all_missing(values)  # NaN is not NaN

    def counts_rows(self, j: int) -> bool:
        found = RowNumbers.of_part(self.numbers(j), 0) if self.is_numeric(j) else None
        return found is not None and found.count_rows

    def dense(self) -> TableInMemory:
        """The same table with dense columns, for what needs the rows as they are."""
        return self if self.sparse is None else replace(self, columns=self.sparse.dense())

    def take(self, rows: Columns) -> TableInMemory:
        """The table of some of the samples, with the classes and categories that occur among them."""
        return replace(
            self,
            columns=take_rows(self.columns, rows) if self.sparse is None else self.sparse.take(rows),
            y=None if self.y is None else self.y.take(rows),
            weights=None if self.weights is None else self.weights[rows],
            groups=None if self.groups is None else self.groups[rows],
            given=None,
        )
