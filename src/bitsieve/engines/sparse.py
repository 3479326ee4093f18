"""Tables counted from the listed codes of sparse columns; the others follow from the margins.

Cost: the tables of a pivot with all columns read the rows that the pivot lists, or the codes that all columns list
where these are fewer to read, and a few numbers a column. Memory: 12 bytes a listed code, and some 80 a column.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bitsieve import _native
from bitsieve.common.lazy import cached_property
from bitsieve.counts.blocks import run_blocks, thread_count
from bitsieve.counts.checks import checked_classes, checked_weights
from bitsieve.counts.joint_codes import CodedSource
from bitsieve.engines.sparse_apart import SparseApart
from bitsieve.engines.sparse_division import Division
from bitsieve.engines.sparse_partition import SparsePartition

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from bitsieve.counts.sparse_codes import SparseCodes
    from bitsieve.counts.terms import Terms

    Integers = NDArray[np.int64]
    Columns = NDArray[np.intp]
    Sums = tuple[Integers, Integers | None]

BLOCK_CODES = 1 << 22  # listed codes that are sorted by column at once: 32 MiB
TURNED_CODES = 1 << 25  # listed codes that are written by row at once: 200 MB, of which few pages lie in a file
SORTING = 4  # times as long it takes to visit a code by rows, which sorts them, as by columns
MAX_FEATURES = 2**31 - 1


class SparseSource(CodedSource):
    """Contingency tables of sparse columns of codes.

    Parameters
    ----------
    codes : SparseCodes
    classes : array of shape (n_rows,), optional
        Class codes ``0 .. n_classes - 1``; None counts everything as one class.
    n_classes : int, optional
        By default the largest class code plus one.
    weights : array of shape (n_rows,), optional
        Frequency weights: whole numbers from 1, how many times each row stands.
    n_jobs : int, optional
        Threads; the counts do not depend on it.

    Raises
    ------
    ValueError
        If a limit is passed (2**31 samples or columns), or the codes are not those of columns.
    """

    def __init__(
        self,
        codes: SparseCodes,
        classes: ArrayLike | None = None,
        *,
        n_classes: int | None = None,
        weights: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        if not 0 < codes.n_features <= MAX_FEATURES:
            raise ValueError(f"{codes.n_features:,} columns: from 1 to {MAX_FEATURES:,} are supported")
        labels = np.zeros(codes.n_rows, np.int32)
        if classes is not None:
            labels = checked_classes(np.asarray(classes), codes.n_rows, n_classes).astype(np.int32)
        times = None if weights is None else checked_weights(np.asarray(weights), codes.n_rows)
        self.listed, self.n_jobs = codes, n_jobs
        self.row_classes, self.row_weights = labels, times
        self.n_samples = codes.n_rows if times is None else int(times.sum())
        self.n_features, self.arities = codes.n_features, codes.arities()
        self.class_sizes = np.bincount(labels, times, minlength=n_classes or 0).astype(np.int64)
        self.n_classes = len(self.class_sizes)
        row_start, n_listed = np.empty(codes.n_rows + 1, np.int64), len(codes.row)
        self.counts = _native.SparseCounts(
            codes.start,
            codes.row,
            codes.code,
            labels,
            self.n_classes,
            None if times is None else times.astype(np.uint32),
            row_start,
            codes.room(n_listed, np.int32),
            codes.room(n_listed, np.uint16),
            TURNED_CODES,
        )
        self.row_lengths = np.diff(row_start)
        self._own: dict[tuple[int, int], tuple[Integers, Integers]] = {}

    @cached_property
    def sample_classes(self) -> NDArray[np.int64]:
        """The class of every sample."""
        return self.of_samples(self.row_classes).astype(np.int64)

    def of_samples(self, of_rows: NDArray) -> NDArray:
        """What every row holds, as often as the row stands."""
        return of_rows if self.row_weights is None else np.repeat(of_rows, self.row_weights)

    def codes(self, feature: int) -> NDArray[np.uint16]:
        """The code of every sample."""
        return self.of_samples(self.listed.column(feature))

    def partition(self) -> SparsePartition:
        """All samples in one part, to be refined by conditioning features."""
        return SparsePartition(self)

    def marginal_sums(self, terms: Terms) -> tuple[Integers, Integers]:
        """``S_x`` and ``S_xc`` of every feature."""
        pooled, with_class = np.empty((2, self.n_features), np.int64)
        self.division_sums(terms, self.division(None), None, True, (pooled, with_class))
        return pooled, with_class

    def pair_sums(
        self, terms: Terms, pivot: int, columns: Columns | None, by_class: bool, out: Sums | None = None
    ) -> Sums:
        """``S_xy`` and ``S_xyc`` of the pivot with ``columns``; None: all, written to ``out``."""
        return self.division_sums(terms, self.division(pivot), columns, by_class, out)

    def apart(self, terms: Terms, marginals: Integers) -> SparseApart:
        """The pairs of columns that list no row in common."""
        return SparseApart(self, terms, self._own_sums(terms), marginals)

    def cell_counts(self, pivot: int | None, columns: Columns, by_class: bool) -> Sums:
        """The counts of the tables of the pivot (None: no pivot) with ``columns``, one row a column."""
        pairs = (1 if pivot is None else int(self.arities[pivot])) * int(self.arities[columns].max())
        xy = np.zeros((len(columns), min(pairs, self.n_samples)), np.int64)
        xyc = np.zeros((len(columns), min(pairs * self.n_classes, self.n_samples)), np.int64) if by_class else None
        self.counts.cells(*self.division(pivot), np.ascontiguousarray(columns, np.int64), xy, xyc)
        return xy, xyc

    def division_sums(
        self, terms: Terms, division: Division, columns: Columns | None, by_class: bool, out: Sums | None = None
    ) -> Sums:
        """``S_xz`` and, if asked for, ``S_xzc`` of ``columns`` (None: all) with the parts of a division."""
        visited = int(self.row_lengths[division.row].sum()) * SORTING + self.n_features // 2
        lengths = self.listed.start[-1] if columns is None else int(self.listed.lengths[columns].sum())
        if out is None or columns is not None:
            size = self.n_features if columns is None else len(columns)
            out = np.empty(size, np.int64), np.empty(size, np.int64) if by_class else None
        if lengths < visited:
            self._sums_by_columns(terms, division, columns, out)
        elif columns is None:
            self._sums_by_rows(terms, division, out)
        else:
            xy, xyc = self.division_sums(terms, division, None, by_class)
            return xy[columns], None if xyc is None else xyc[columns]
        return out

    def division(self, pivot: int | None) -> Division:
        """The rows that a pivot lists (None: none), by their codes."""
        first, end = (0, 0) if pivot is None else self.listed.start[pivot : pivot + 2].tolist()
        row = self.listed.row[first:end]
        return Division.of(row, self.listed.code[first:end], self.row_classes[row])

    def _sums_by_rows(self, terms: Terms, division: Division, out: Sums) -> None:
        own = self._own_sums(terms)
        visited = int(self.row_lengths[division.row].sum())

        def work(block: tuple[int, int]) -> None:
            self.counts.sums_by_rows(terms.table, terms.shift, *division, *own, *block, *out)

        self._each_block(work, max(1, visited // BLOCK_CODES))

    def _sums_by_columns(self, terms: Terms, division: Division, columns: Columns | None, out: Sums) -> None:
        own = self._own_sums(terms)
        xy, xyc = out

        def work(block: tuple[int, int]) -> None:
            some = slice(*block)
            chosen = np.arange(*block) if columns is None else columns[some]
            within = None if xyc is None else xyc[some]
            chosen = np.ascontiguousarray(chosen, np.int64)
            self.counts.sums_by_columns(terms.table, terms.shift, *division, *own, chosen, xy[some], within)

        if columns is None:
            self._each_block(work, max(1, self.n_features >> 20))
        else:
            work((0, len(columns)))

    def _own_sums(self, terms: Terms) -> tuple[Integers, Integers]:
        """The sums of the terms of the listed codes, and of these within the classes, of every column; kept."""
        key = terms.shift, int(terms.table[1])
        if key not in self._own:
            pooled, within = np.empty((2, self.n_features), np.int64)
            self._each_block(lambda block: self.counts.own_sums(terms.table, terms.shift, *block, pooled, within), 1)
            self._own[key] = pooled, within
        return self._own[key]

    def _each_block(self, work: Callable[[tuple[int, int]], object], least: int) -> None:
        """Work on blocks of columns that list about as many codes: ``least`` of them, or some for every thread."""
        threads = thread_count(self.n_jobs)
        n_blocks = min(least if threads == 1 else max(least, 4 * threads), self.n_features)
        edges = np.searchsorted(self.listed.start, np.arange(1, n_blocks) * self.listed.start[-1] // n_blocks)
        edges = np.unique(np.concatenate([[0], edges, [self.n_features]])).tolist()
        run_blocks(work, list(pairwise(edges)), threads)
