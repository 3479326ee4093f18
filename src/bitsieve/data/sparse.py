"""Sparse tables: scipy's sparse matrices and arrays of any format, kept as compressed columns and never made dense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
from scipy.sparse import csc_array
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from bitsieve.common.lazy import cached_property
from bitsieve.common.messages import Sentence
from bitsieve.common.names import NumberedNames
from bitsieve.counts.blocks import thread_count
from bitsieve.counts.checks import check_sparse_rows
from bitsieve.data.extents import columns_hold
from bitsieve.data.table import Table
from bitsieve.files.spooled_columns import SpooledColumns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from bitsieve.data.extents import Extents

    Integers = NDArray[np.int64]


MOST_EXACT = 2**53  # beyond, whole numbers are not told apart as float64
MOST_DENSE_BYTES = 2 << 30
BLOCK_VALUES = 1 << 20  # stored values of a block of columns


class DenseColumns(Sequence[Any]):
    """The columns of a sparse table, each made dense when it is asked for."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __len__(self) -> int:
        return int(self.values.shape[1])

    def __getitem__(self, place: Any) -> Any:
        first, end = self.values.indptr[place : place + 2].tolist()
        column = np.zeros(self.values.shape[0], self.values.dtype)
        column[self.values.indices[first:end]] = self.values.data[first:end]
        return column


@dataclass(frozen=True, eq=False)
class SparseTable(Table):
    """The columns of a sparse matrix or array, all of them numbers.

    Attributes
    ----------
    stored : sparse matrix or array of shape (n_samples, n_features)
        CSC, float32 or float64, rows ascending, no entry twice and none that is 0.
    """

    offers: ClassVar[frozenset[str]] = frozenset({"tables", "partition", "joined", "rows"})

    stored: Any = field(default=None, repr=False)

    @property
    def n_samples(self) -> int:
        """Number of rows; those of weight 0 were left out."""
        return int(self.stored.shape[0])

    def is_numeric(self, j: int) -> bool:
        """Whether feature ``j`` holds numbers: all do."""
        return True

    def extents(self, n_jobs: int | None = None, whole: bool = False) -> Extents:
        """Of a dense table what its columns hold.

        Raises
        ------
        ValueError
            Always.
        """
        refuse_sparse("this method")

    @cached_property
    def start(self) -> Integers:
        """Where the stored values of every column begin; the last one is where they all end."""
        return np.asarray(self.stored.indptr, np.int64)

    @cached_property
    def row(self) -> NDArray[np.int32]:
        """The row of every stored value."""
        return np.asarray(self.stored.indices, np.int32)

    @property
    def value(self) -> NDArray[Any]:
        """The stored values."""
        return self.stored.data

    @property
    def room(self) -> Callable[..., NDArray[Any]]:
        """``room(size, dtype)`` gives an array as large as those of the stored values, where these lie."""
        return np.empty

    @cached_property
    def has_zeros(self) -> NDArray[np.bool_]:
        """Whether a column is 0 anywhere."""
        return np.diff(self.start) < self.n_samples

    @cached_property
    def has_numbers(self) -> NDArray[np.bool_]:
        """Whether a column stores a value that is not missing."""
        stored = np.diff(self.start)
        for places in self._places(np.isnan):
            columns, times = np.unique(self._columns_of(places), return_counts=True)
            stored[columns] -= times
        return stored > 0

    @cached_property
    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The smallest and the largest stored value of every column but NaN; inf and -inf where there is none."""
        some = np.diff(self.start) > 0
        low, high = np.full(self.n_features, np.inf), np.full(self.n_features, -np.inf)
        if len(self.value):
            for bound, rule in ((low, np.fmin), (high, np.fmax)):
                found = rule.reduceat(self.value, self.start[:-1][some])
                bound[some] = np.where(np.isnan(found), bound[some], found)
        return low, high

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """Whether a column holds one value only."""
        low, high = self.bounds
        return (np.diff(self.start) == 0) | (~self.has_zeros & (low == high))

    def blocks(self, n_jobs: int | None) -> list[tuple[int, int]]:
        """The columns in blocks of about as many stored values."""
        n_blocks = max(8 * thread_count(n_jobs) if thread_count(n_jobs) > 1 else 1, len(self.value) // BLOCK_VALUES)
        inner = np.searchsorted(self.start, np.arange(1, n_blocks) * len(self.value) // n_blocks)
        return list(pairwise(np.unique(np.concatenate([[0], inner, [self.n_features]])).tolist()))

    def check_finite(self, *, allow_missing: bool, instead: Any) -> None:
        """Refuse infinite values, and missing ones unless they are allowed; ``instead`` says what to do about those.

        Raises
        ------
        ValueError
            One line with the names of up to five columns, their number, and what to do.
        """
        with np.errstate(all="ignore"):
            if np.isfinite(self.value.sum(dtype=np.float64)):
                return
        infinite = "replace infinity by a finite number, or drop the rows"
        wrong: list[tuple[Any, str, Any]] = [(np.isinf, "infinite values (inf)", infinite)]
        if not allow_missing:
            wrong.append((np.isnan, "missing values (NaN)", instead))
        for holds, what, advice in wrong:
            found = [np.unique(self._columns_of(places)) for places in self._places(holds)]
            if found:
                columns = np.unique(np.concatenate(found))
                raise ValueError(
                    Sentence(f"{columns_hold(len(columns))} {what}: {self.quoted(columns.tolist())}; ", advice)
                )

    def _places(self, holds: Callable[[NDArray[Any]], NDArray[np.bool_]]) -> Iterator[Integers]:
        """The places of the stored values of which something holds, of some values after the other."""
        for first in range(0, len(self.value), BLOCK_VALUES):
            places = np.flatnonzero(holds(self.value[first : first + BLOCK_VALUES]))
            if len(places):
                yield first + places

    def _columns_of(self, places: Integers) -> Integers:
        return np.searchsorted(self.start, places, side="right") - 1

    def varies(self, j: int) -> bool:
        """Whether feature ``j`` holds different values; missing is one."""
        return not self.constant[j]

    def blanked(self, columns: Sequence[int]) -> SparseTable:
        """The table with zeros in some columns, so that they tell nothing and are chosen last."""
        values = self.stored.copy()
        for j in columns:
            values.data[values.indptr[j] : values.indptr[j + 1]] = 0
        values.eliminate_zeros()
        return replace(self._of(values), blank=tuple(columns))

    def take(self, rows: NDArray[np.intp]) -> SparseTable:
        """The table of some of the samples: their features, target and weights."""
        return replace(
            self._of(self.stored.tocsr()[rows].tocsc()),
            y=None if self.y is None else self.y.take(rows),
            weights=None if self.weights is None else self.weights[rows],
            given=None,
        )

    def _of(self, values: Any) -> SparseTable:
        return replace(self, columns=DenseColumns(values), stored=values)


def refuse_sparse(what: str) -> NoReturn:
    """Refuse a sparse table where it would have to be made dense.

    Raises
    ------
    ValueError
        Always.
    """
    raise ValueError(
        f"the table is sparse, but {what} needs dense rows: use a method on counts, such as jmi, or make the table "
        "dense (X.toarray()) if it is small"
    )


def made_dense(table: Table) -> Table:
    """The same table with dense columns, for what needs the rows as they are.

    Raises
    ------
    ValueError
        If they would take more than 2 GiB.
    """
    if not isinstance(table, SparseTable):
        return table
    size = table.n_samples * table.n_features * table.value.itemsize
    if size > MOST_DENSE_BYTES:
        raise ValueError(
            f"the sparse table, {table.n_samples:,} x {table.n_features:,}, takes {size / 2**30:,.1f} GiB when dense, "
            "above the limit of 2 GiB: select columns first"
        )
    kept = {name: getattr(table, name) for name in ("names", "feature_names", "y", "weights", "given")}
    return Table(table.stored.toarray(order="F"), **kept)


def read_sparse(X: Any, *, estimator: Any = None, reset: bool = True) -> SparseTable:
    """Read a sparse matrix or array of any format, without a target and weights.

    Entries that are stored twice are added up, as everywhere in scipy; zeros that are stored are zeros; rows may stand
    in any order, and indices may have 32 or 64 bits. float32 and float64 stay what they are, other numbers become
    float64. CSC without any of that is not copied.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_samples, n_features)
    estimator : estimator, optional
        Whose ``n_features_in_`` is set (``reset=True``) or checked (``reset=False``).
    reset : bool, default=True
        True when fitting.

    Returns
    -------
    SparseTable

    Raises
    ------
    ValueError
        If the table is empty or no table of real numbers, or whole numbers are beyond 2**53.
    """
    if X.ndim != 2:
        raise ValueError(f"X is a sparse array of shape {X.shape}: it must be samples x features")
    if X.format not in ("csr", "csc"):
        X = X.tocsc()
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: the sparse table holds {X.dtype}, give real numbers")
    if X.dtype.kind in "iu" and X.nnz and max(abs(int(X.max())), abs(int(X.min()))) > MOST_EXACT:
        raise ValueError("the sparse table holds whole numbers beyond 2**53, which are not told apart: renumber them")
    floats = (np.float64, np.float32)
    values = validate_data(
        BaseEstimator() if estimator is None else estimator,
        X,
        accept_sparse="csc",
        dtype=floats,
        ensure_all_finite=False,
        reset=reset,
    )
    check_sparse_rows(values.shape[0])
    if not values.has_canonical_format or not values.data.all():
        values = values.copy()
        values.sum_duplicates()
        values.eliminate_zeros()
    return SparseTable(DenseColumns(values), NumberedNames(values.shape[1]), stored=values)


class SpooledTable(SparseTable):
    """The columns of :class:`SpooledColumns`, which is what ``stored`` is; codes of them lie in the spool, too."""

    offers: ClassVar[frozenset[str]] = frozenset({"tables", "partition", "joined"})

    @classmethod
    def of(cls, columns: SpooledColumns) -> SpooledTable:
        """The table without a target and weights."""
        return cls(DenseColumns(columns), NumberedNames(columns.shape[1]), stored=columns)

    @property
    def room(self) -> Callable[..., NDArray[Any]]:
        """``room(size, dtype)`` gives an array in the spool."""
        return self.stored.room

    def blanked(self, columns: Sequence[int]) -> SparseTable:
        """The table with zeros in some columns, so that they tell nothing and are chosen last."""
        return replace(self._of(self.stored.blanked(columns)), blank=tuple(columns))

    def take(self, rows: NDArray[np.intp]) -> SparseTable:
        """The table of some of the samples: their features, target and weights."""
        times, blocks = np.bincount(rows, minlength=self.n_samples), self.blocks(None)
        lengths = np.empty(self.n_features, np.int64)
        for first, last in blocks:
            start, row, _ = self._block(first, last)
            lengths[first:last] = np.diff(np.concatenate([[0], np.cumsum(times[row])])[start])
        ends = np.concatenate([[0], np.cumsum(lengths)])
        taken_rows, taken = self.room(int(ends[-1]), np.int32), self.room(int(ends[-1]), self.value.dtype.type)
        for first, last in blocks:
            start, row, value = self._block(first, last)
            block = csc_array((value, row, start), shape=(self.n_samples, last - first)).tocsr()[rows].tocsc()
            place = slice(*ends[[first, last]].tolist())
            taken_rows[place], taken[place] = block.indices, block.data
        columns = SpooledColumns((len(rows), self.n_features), ends, taken_rows, taken, self.room)
        y, weights = self.y, self.weights
        return replace(
            self._of(columns),
            y=None if y is None else y.take(rows),
            weights=None if weights is None else weights[rows],
            given=None,
        )

    def _block(self, first: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
        """The starts, rows and values of some columns."""
        start = self.start[first : last + 1]
        some = slice(*start[[0, -1]].tolist())
        return start - start[0], self.row[some], self.value[some]
