"""Tables counted from the listed codes of sparse columns; the others follow from the margins.

Memory: 12 bytes a listed code, and some 80 a column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bitsieve import _native
from bitsieve.counts.source import CodedSource, JointCodes, checked_classes, checked_weights
from bitsieve.counts.tables import PairSums, Sums, Terms, new_sums
from bitsieve.counts.threads import run_blocks, thread_count
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.lazy import cached_property

BLOCK_CODES = 1 << 22  # listed codes that are sorted by column at once: 32 MiB
TURNED_CODES = 1 << 25  # listed codes that are written by row at once: 200 MB, of which few pages lie in a file
SORTING = 4  # times as long it takes to visit a code by rows, which sorts them, as by columns
MAX_COLUMNS = 2**31 - 1


@dataclass(frozen=True, eq=False)
class SparseCodes:
    """Codes of columns, of which each has a common code that is not listed."""

    n_rows: int
    start: Integers  # where the listed codes of every column begin, and where the last one ends
    row: NDArray[np.int32]  # the rows of the listed codes, ascending within a column
    code: NDArray[np.uint16]
    common: NDArray[np.uint16]  # the code of all rows that a column does not list; of no meaning where it lists all
    #: ``room(size, dtype)`` gives an array as large as those of the listed codes; by default in memory.
    room: Callable[..., NDArray[Any]] = np.empty

    @property
    def n_features(self) -> int:
        return len(self.common)

    @cached_property
    def lengths(self) -> Integers:
        return np.diff(self.start)

    def column(self, feature: int) -> NDArray[np.uint16]:
        """The code of every row."""
        listed = slice(self.start[feature], self.start[feature + 1])
        codes = np.full(self.n_rows, self.common[feature])
        codes[self.row[listed]] = self.code[listed]
        return codes

    def arities(self) -> NDArray[np.int32]:
        """One more than the largest code of every column."""
        lengths = self.lengths
        largest = np.where(lengths < self.n_rows, self.common, 0).astype(np.int32)
        has_listed = lengths > 0
        if len(self.code):
            largest_listed = np.maximum.reduceat(self.code, self.start[:-1][has_listed])
            largest[has_listed] = np.maximum(largest[has_listed], largest_listed)
        return largest + np.int32(1)


class Division(NamedTuple):
    """Some rows, each with the label of its part and class, by part and then class; all others are the rest."""

    row: NDArray[np.int32]
    label: NDArray[np.int32]
    part_of: NDArray[np.int32]
    class_of: NDArray[np.int32]

    @classmethod
    def of(cls, row: NDArray[np.int32], part: NDArray[np.integer], classes: NDArray[np.integer]) -> Division:
        """The division of rows by their parts and classes, both given a row."""
        n_classes = int(classes.max(initial=0)) + 1
        both = part.astype(np.int64) * n_classes + classes
        occurs = np.bincount(both) > 0
        occurring = np.flatnonzero(occurs)
        label = (np.cumsum(occurs) - 1)[both]
        _, part_of = np.unique(occurring // n_classes, return_inverse=True)
        return cls(row, *(of.reshape(-1).astype(np.int32) for of in (label, part_of, occurring % n_classes)))


class SparsePartition(JointCodes):
    """A partition of the samples of a :class:`SparseSource`: its largest part is the rest that is not visited."""

    source: SparseSource

    def sums(self, terms: Terms, columns: Columns) -> tuple[Integers, Integers]:
        everything = len(columns) == self.source.n_features and bool((np.diff(columns) == 1).all())
        chosen = None if everything else columns
        xz, xzc = self.source.fused.division_sums(terms, self._division, chosen, by_class=True)
        assert xzc is not None
        return xz, xzc

    @cached_property
    def _division(self) -> Division:
        """The rows outside the largest part, by their parts."""
        source = self.source
        part = self.part
        if source.row_weights is not None:
            part = part[np.cumsum(source.row_weights) - source.row_weights]  # the first sample of every row
        row = np.flatnonzero(part != np.bincount(part).argmax()).astype(np.int32)
        return Division.of(row, part[row], source.row_classes[row])


class SparseDisjointSupport:
    """Columns of a :class:`SparseSource` that list no row in common."""

    def __init__(self, sums: SparseSums, terms: Terms, marginals: Integers) -> None:
        self.source = sums.source
        self.terms = terms
        self.own = sums.column_sums(terms)
        listed = self.own[0]
        order = np.lexsort((marginals, listed))
        new = np.ones(len(order), bool)
        new[1:] = (np.diff(listed[order]) != 0) | (np.diff(marginals[order]) != 0)
        self.representatives = order[new]
        self.equivalence = np.empty(len(order), np.intp)
        self.equivalence[order] = np.cumsum(new) - 1

    def co_occurring(self, pivot: int, max_codes: int) -> tuple[Columns, Integers] | None:
        """The columns that list a row of ``pivot``, and their ``S_xy``; None where its rows list too many codes."""
        division = self.source.division(pivot)
        n_listed = int(self.source.row_lengths[division.row].sum())
        if n_listed > max_codes:
            return None
        columns, xy = np.empty((2, n_listed), np.int64)
        n = self.source.counts.sums_cooccurring(self.terms.table, self.terms.shift, *division, *self.own, columns, xy)
        return columns[:n], xy[:n]

    def sums(self, pivot: int) -> Integers:
        xy = np.empty(len(self.representatives), np.int64)
        division = self.source.division(pivot)
        terms = self.terms
        self.source.counts.sums_disjoint(terms.table, terms.shift, *division, *self.own, self.representatives, xy)
        return xy


class SparseSums(Sums):
    """What the native code of sparse columns counts and sums at once."""

    source: SparseSource

    def __init__(self, source: SparseSource) -> None:
        super().__init__(source)
        self.row_seconds = 1e-9 * len(source.listed.row) + 2e-8 * source.n_features

    def marginal_sums(self, terms: Terms) -> tuple[Integers, Integers]:
        pooled, with_class = np.empty((2, self.source.n_features), np.int64)
        self.division_sums(terms, self.source.division(None), None, True, (pooled, with_class))
        return pooled, with_class

    def pair_sums(
        self, terms: Terms, pivot: int, columns: Columns | None, by_class: bool, out: PairSums | None = None
    ) -> PairSums:
        return self.division_sums(terms, self.source.division(pivot), columns, by_class, out)

    def cell_counts(self, pivot: int | None, columns: Columns, by_class: bool) -> PairSums:
        source = self.source
        pairs = (1 if pivot is None else int(source.arities[pivot])) * int(source.arities[columns].max())
        xy = np.zeros((len(columns), min(pairs, source.n_samples)), np.int64)
        xyc = None
        if by_class:
            xyc = np.zeros((len(columns), min(pairs * source.n_classes, source.n_samples)), np.int64)
        source.counts.cells(*source.division(pivot), np.ascontiguousarray(columns, np.int64), xy, xyc)
        return xy, xyc

    def disjoint_support(self, terms: Terms, marginals: Integers) -> SparseDisjointSupport:
        return SparseDisjointSupport(self, terms, marginals)

    def division_sums(
        self, terms: Terms, division: Division, columns: Columns | None, by_class: bool, out: PairSums | None = None
    ) -> PairSums:
        """``S_xz`` and, if asked for, ``S_xzc`` of ``columns`` (None: all) with the parts of a division."""
        listed = self.source.listed
        n_features = self.source.n_features
        visited = int(self.source.row_lengths[division.row].sum()) * SORTING + n_features // 2
        lengths = listed.start[-1] if columns is None else int(listed.lengths[columns].sum())
        if out is None or columns is not None:
            out = new_sums(n_features if columns is None else len(columns), by_class)
        if lengths < visited:
            self._sums_by_columns(terms, division, columns, out)
        elif columns is None:
            self._sums_by_rows(terms, division, out)
        else:
            xy, xyc = self.division_sums(terms, division, None, by_class)
            return xy[columns], None if xyc is None else xyc[columns]
        return out

    def _sums_by_rows(self, terms: Terms, division: Division, out: PairSums) -> None:
        column_sums = self.column_sums(terms)
        visited = int(self.source.row_lengths[division.row].sum())

        def work(block: tuple[int, int]) -> None:
            self.source.counts.sums_by_rows(terms.table, terms.shift, *division, *column_sums, *block, *out)

        self._run(work, max(1, visited // BLOCK_CODES))

    def _sums_by_columns(self, terms: Terms, division: Division, columns: Columns | None, out: PairSums) -> None:
        column_sums = self.column_sums(terms)
        xy, xyc = out

        def work(block: tuple[int, int]) -> None:
            columns_of_block = slice(*block)
            chosen = np.arange(*block) if columns is None else columns[columns_of_block]
            within = None if xyc is None else xyc[columns_of_block]
            chosen = np.ascontiguousarray(chosen, np.int64)
            self.source.counts.sums_by_columns(
                terms.table, terms.shift, *division, *column_sums, chosen, xy[columns_of_block], within
            )

        if columns is None:
            self._run(work, max(1, self.source.n_features >> 20))
        else:
            work((0, len(columns)))

    def column_sums(self, terms: Terms) -> tuple[Integers, Integers]:
        """The sums of the terms of the listed codes, and of these within the classes, of every column; kept."""
        # no two estimators share them
        source = self.source
        key = (terms.shift, *terms.table[:3].tolist())
        if key not in source.column_sums:
            pooled, within = np.empty((2, source.n_features), np.int64)
            self._run(lambda block: source.counts.column_sums(terms.table, terms.shift, *block, pooled, within), 1)
            source.column_sums[key] = pooled, within
        return source.column_sums[key]

    def _run(self, work: Callable[[tuple[int, int]], object], min_blocks: int) -> None:
        """Work on blocks of columns that list about as many codes: ``min_blocks`` of them, or some for every thread."""
        start = self.source.listed.start
        n_features = self.source.n_features
        n_jobs = self.source.n_jobs
        threads = thread_count(n_jobs)
        n_blocks = min(min_blocks if threads == 1 else max(min_blocks, 4 * threads), n_features)
        edges = np.searchsorted(start, np.arange(1, n_blocks) * start[-1] // n_blocks)
        edges = np.unique(np.concatenate([[0], edges, [n_features]])).tolist()
        run_blocks(work, list(pairwise(edges)), threads)


class SparseSource(CodedSource):
    """Contingency tables of sparse columns of codes, at most 2**31 samples and columns.

    ``classes``, ``weights`` and ``n_jobs`` are those of :class:`~bitsieve.counts.packed.PackedSource`.
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
        if not 0 < codes.n_features <= MAX_COLUMNS:
            raise UserError(
                code="too-many-columns",
                message=f"{codes.n_features:,} columns",
                advice=f"from 1 to {MAX_COLUMNS:,} are supported",
            )
        labels = np.zeros(codes.n_rows, np.int32)
        if classes is not None:
            labels = checked_classes(np.asarray(classes), codes.n_rows, n_classes).astype(np.int32)
        times = None if weights is None else checked_weights(np.asarray(weights), codes.n_rows)
        self.listed = codes
        self.n_jobs = n_jobs
        self.row_classes = labels
        self.row_weights = times
        self.n_samples = codes.n_rows if times is None else int(times.sum())
        self.n_features = codes.n_features
        self.arities = codes.arities()
        self.class_sizes = np.bincount(labels, times, minlength=n_classes or 0).astype(np.int64)
        self.n_classes = len(self.class_sizes)
        row_start = np.empty(codes.n_rows + 1, np.int64)
        n_listed = len(codes.row)
        by_row = row_start, codes.room(n_listed, np.int32), codes.room(n_listed, np.uint16)
        by_column = (codes.start, codes.row, codes.code)
        counted = None if times is None else times.astype(np.uint32)
        self.counts = _native.SparseCounts(*by_column, labels, self.n_classes, counted, *by_row, TURNED_CODES)
        self.row_lengths = np.diff(row_start)
        self.column_sums: dict[tuple[int, ...], tuple[Integers, Integers]] = {}

    @cached_property
    def sample_classes(self) -> Integers:
        """The class of every sample."""
        return self.of_samples(self.row_classes).astype(np.int64)

    def of_samples(self, of_rows: NDArray[Any]) -> NDArray[Any]:
        """What every row holds, as often as the row stands."""
        return of_rows if self.row_weights is None else np.repeat(of_rows, self.row_weights)

    def codes(self, feature: int) -> NDArray[np.uint16]:
        return self.of_samples(self.listed.column(feature))

    @property
    def fused(self) -> SparseSums:
        return SparseSums(self)

    def partition(self) -> SparsePartition:
        return SparsePartition(self)

    def division(self, pivot: int | None) -> Division:
        """The rows that a pivot lists (None: none), by their codes."""
        first, end = (0, 0) if pivot is None else self.listed.start[pivot : pivot + 2].tolist()
        row = self.listed.row[first:end]
        return Division.of(row, self.listed.code[first:end], self.row_classes[row])
