"""Tables counted from sparse columns, each of which lists the codes that differ from its most frequent one.

Only listed codes are visited; the counts of all other cells follow from the margins. Memory: 12 bytes for each listed
code, and about 80 bytes for each column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bitsieve import _native
from bitsieve.counts.checks import checked_classes, checked_weights
from bitsieve.counts.source import CodedSource, JointCodes
from bitsieve.counts.tables import EntropyTerms, PairCounts, PairSums, Sums
from bitsieve.counts.threads import run_blocks, thread_count
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers, Values
from bitsieve.utils.lazy import cached_property

BLOCK_CODES = 1 << 22  # listed codes that are sorted by column at once: 32 MiB
BLOCK_COLUMNS = 1 << 20  # columns whose sums are made at once
TRANSPOSED_CODES = 1 << 25  # listed codes that are transposed at once: 200 MB, which touch few pages of a file
COST_BY_ROWS = 4  # to visit a code by rows, which sorts the codes, takes so many times as long as by columns
MAX_COLUMNS = 2**31 - 1


@dataclass(frozen=True, eq=False)
class SparseCodes:
    """Codes of sparse columns: each lists the rows that do not have its most frequent code, and their codes.

    The rows and codes of column j are ``row[start[j]:start[j + 1]]`` and ``code[start[j]:start[j + 1]]``.
    """

    n_rows: int
    start: Integers  # shape (n_features + 1,)
    row: NDArray[np.int32]  # ascending within a column
    code: NDArray[np.uint16]
    common: NDArray[np.uint16]  # the code of all rows that a column does not list; has no meaning where it lists all
    #: ``allocate(size, dtype)`` makes an array as large as ``row`` and ``code``; by default in memory.
    allocate: Callable[..., Values] = np.empty

    @property
    def n_features(self) -> int:
        return len(self.common)

    @cached_property
    def lengths(self) -> Integers:
        """How many codes each column lists."""
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
    """Rows divided into parts; all rows that are not listed belong to one more part, which is not visited.

    A label stands for a part and a class that occur together. Labels ascend by part, then by class. Native code takes
    the four arrays of a division as arguments in this order, and then the two arrays of `SparseSums.column_sums`.
    """

    row: NDArray[np.int32]  # the listed rows
    label: NDArray[np.int32]  # of every listed row
    part_of_label: NDArray[np.int32]
    class_of_label: NDArray[np.int32]

    @classmethod
    def of(cls, row: NDArray[np.int32], part: NDArray[np.integer], classes: NDArray[np.integer]) -> Division:
        """Divide rows, given the part and the class of each of them."""
        n_classes = int(classes.max(initial=0)) + 1
        part_and_class = part.astype(np.int64) * n_classes + classes
        occurs = np.bincount(part_and_class) > 0
        occurring = np.flatnonzero(occurs)
        label_of_pair = np.cumsum(occurs) - 1
        _, part_of_label = np.unique(occurring // n_classes, return_inverse=True)
        return cls(
            row=row,
            label=label_of_pair[part_and_class].astype(np.int32),
            part_of_label=part_of_label.reshape(-1).astype(np.int32),
            class_of_label=(occurring % n_classes).astype(np.int32),
        )


class SparsePartition(JointCodes):
    """A partition of the samples of a :class:`SparseSource`; its largest part is not visited."""

    source: SparseSource

    def sums(self, entropy_terms: EntropyTerms, columns: Columns) -> tuple[Integers, Integers]:
        are_all_columns = len(columns) == self.source.n_features and bool((np.diff(columns) == 1).all())
        chosen = None if are_all_columns else columns
        sums = self.source.fused.division_sums(entropy_terms, self._division, chosen, by_class=True)
        assert sums.by_class is not None
        return sums.pooled, sums.by_class

    @cached_property
    def _division(self) -> Division:
        """The rows outside the largest part, by their parts."""
        source = self.source
        part = source.value_of_row(self.part)
        largest_part = np.bincount(part).argmax()
        row = np.flatnonzero(part != largest_part).astype(np.int32)
        return Division.of(row, part[row], source.row_classes[row])


class SparseDisjointSupport:
    """Pairs of columns of a :class:`SparseSource` that list no row in common."""

    def __init__(self, sums: SparseSums, entropy_terms: EntropyTerms, marginals: Integers) -> None:
        self.source = sums.source
        self.entropy_terms = entropy_terms
        self.column_sums = sums.column_sums(entropy_terms)
        # Columns are equivalent if both their sums over listed codes and their sums over all codes are equal.
        sums_of_listed, _ = self.column_sums
        order = np.lexsort((marginals, sums_of_listed))
        begins_class = np.ones(len(order), bool)
        begins_class[1:] = (np.diff(sums_of_listed[order]) != 0) | (np.diff(marginals[order]) != 0)
        self.representatives = order[begins_class]
        self.equivalence = np.empty(len(order), np.intp)
        self.equivalence[order] = np.cumsum(begins_class) - 1

    def co_occurring(self, pivot: int, max_codes: int) -> tuple[Columns, Integers] | None:
        """The columns that list a row of ``pivot``, and their ``S_xy``; None where its rows list too many codes."""
        entropy_terms = self.entropy_terms
        division = self.source.division(pivot)
        n_codes = self.source.n_codes_in(division.row)
        if n_codes > max_codes:
            return None
        columns = np.empty(n_codes, np.int64)
        sums = np.empty(n_codes, np.int64)
        n_columns = self.source.native_counts.sums_cooccurring(
            entropy_terms.table, entropy_terms.shift, *division, *self.column_sums, columns, sums
        )
        return columns[:n_columns], sums[:n_columns]

    def sums(self, pivot: int) -> Integers:
        entropy_terms = self.entropy_terms
        sums = np.empty(len(self.representatives), np.int64)
        self.source.native_counts.sums_disjoint(
            entropy_terms.table,
            entropy_terms.shift,
            *self.source.division(pivot),
            *self.column_sums,
            self.representatives,
            sums,
        )
        return sums


class SparseSums(Sums):
    """Sums of entropy terms that native code adds up while it counts sparse columns."""

    source: SparseSource

    def __init__(self, source: SparseSource) -> None:
        super().__init__(source)
        self.row_seconds = 1e-9 * len(source.listed.row) + 2e-8 * source.n_features

    def marginal_sums(self, entropy_terms: EntropyTerms) -> tuple[Integers, Integers]:
        sums = self.division_sums(entropy_terms, self.source.division(None), None, True)
        assert sums.by_class is not None
        return sums.pooled, sums.by_class

    def pair_sums(
        self,
        entropy_terms: EntropyTerms,
        pivot: int,
        columns: Columns | None,
        by_class: bool,
        out: PairSums | None = None,
    ) -> PairSums:
        return self.division_sums(entropy_terms, self.source.division(pivot), columns, by_class, out)

    def cell_counts(self, pivot: int | None, columns: Columns, by_class: bool) -> PairCounts:
        source = self.source
        n_first = 1 if pivot is None else int(source.arities[pivot])
        n_cells = n_first * int(source.arities[columns].max())
        pooled = np.zeros((len(columns), min(n_cells, source.n_samples)), np.int64)
        within_classes = None
        if by_class:
            within_classes = np.zeros((len(columns), min(n_cells * source.n_classes, source.n_samples)), np.int64)
        division = source.division(pivot)
        native_columns = np.ascontiguousarray(columns, np.int64)
        source.native_counts.cells(*division, native_columns, pooled, within_classes)
        return PairCounts(pooled, within_classes)

    def disjoint_support(self, entropy_terms: EntropyTerms, marginals: Integers) -> SparseDisjointSupport:
        return SparseDisjointSupport(self, entropy_terms, marginals)

    def division_sums(
        self,
        entropy_terms: EntropyTerms,
        division: Division,
        columns: Columns | None,
        by_class: bool,
        out: PairSums | None = None,
    ) -> PairSums:
        """``S_xz`` and, with ``by_class``, ``S_xzc`` of ``columns`` (None: all) with the parts z of a division.

        The listed codes are visited column by column, or only those of the divided rows, whichever costs less. Rows
        give the sums of all columns. ``out`` is used for the sums of all columns only.
        """
        listed = self.source.listed
        n_features = self.source.n_features
        if columns is not None:
            out = PairSums.empty(len(columns), by_class=by_class)
        elif out is None:
            out = PairSums.empty(n_features, by_class=by_class)
        cost_by_columns = listed.start[-1] if columns is None else int(listed.lengths[columns].sum())
        cost_by_rows = self.source.n_codes_in(division.row) * COST_BY_ROWS + n_features // 2
        if cost_by_columns < cost_by_rows:
            self._write_sums_by_columns(entropy_terms, division, columns, out)
            return out
        if columns is None:
            self._write_sums_by_rows(entropy_terms, division, out)
            return out
        sums_of_all_columns = self.division_sums(entropy_terms, division, None, by_class)
        return sums_of_all_columns.of_columns(columns)

    def _write_sums_by_rows(self, entropy_terms: EntropyTerms, division: Division, out: PairSums) -> None:
        column_sums = self.column_sums(entropy_terms)
        n_codes = self.source.n_codes_in(division.row)

        def write_sums(first: int, end: int) -> None:
            self.source.native_counts.sums_by_rows(
                entropy_terms.table, entropy_terms.shift, *division, *column_sums, first, end, *out
            )

        self._run_on_columns(write_sums, max(1, n_codes // BLOCK_CODES))

    def _write_sums_by_columns(
        self, entropy_terms: EntropyTerms, division: Division, columns: Columns | None, out: PairSums
    ) -> None:
        column_sums = self.column_sums(entropy_terms)

        def write_sums(first: int, end: int) -> None:
            block = np.arange(first, end) if columns is None else columns[first:end]
            self.source.native_counts.sums_by_columns(
                entropy_terms.table,
                entropy_terms.shift,
                *division,
                *column_sums,
                np.ascontiguousarray(block, np.int64),
                out.pooled[first:end],
                None if out.by_class is None else out.by_class[first:end],
            )

        if columns is None:
            self._run_on_columns(write_sums, max(1, self.source.n_features // BLOCK_COLUMNS))
        else:
            write_sums(0, len(columns))

    def column_sums(self, entropy_terms: EntropyTerms) -> tuple[Integers, Integers]:
        """The sums of the terms of the listed codes of every column: pooled, and within the classes. Cached."""
        source = self.source
        estimator_key = (entropy_terms.shift, *entropy_terms.table[:3].tolist())  # differs between any two estimators
        if estimator_key not in source.cached_column_sums:
            pooled = np.empty(source.n_features, np.int64)
            by_class = np.empty(source.n_features, np.int64)

            def write_sums(first: int, end: int) -> None:
                source.native_counts.column_sums(entropy_terms.table, entropy_terms.shift, first, end, pooled, by_class)

            self._run_on_columns(write_sums, 1)
            source.cached_column_sums[estimator_key] = pooled, by_class
        return source.cached_column_sums[estimator_key]

    def _run_on_columns(self, work: Callable[[int, int], object], min_blocks: int) -> None:
        """Call ``work(first, end)`` on blocks of columns that list about as many codes each.

        There are at least ``min_blocks`` blocks, and four for each of several threads.
        """
        start = self.source.listed.start
        n_features = self.source.n_features
        threads = thread_count(self.source.n_jobs)
        n_blocks = min_blocks if threads == 1 else max(min_blocks, 4 * threads)
        n_blocks = min(n_blocks, n_features)
        inner_edges = np.searchsorted(start, np.arange(1, n_blocks) * start[-1] // n_blocks)
        edges = np.unique(np.concatenate([[0], inner_edges, [n_features]])).tolist()

        def work_on_block(block: tuple[int, int]) -> None:
            first, end = block
            work(first, end)

        run_blocks(work_on_block, list(pairwise(edges)), threads)


class SparseSource(CodedSource):
    """Contingency tables of sparse columns of codes, at most 2**31 samples and columns.

    ``classes``, ``weights`` and ``n_jobs`` are those of :class:`~bitsieve.counts.packed.PackedSource`. ``relative`` is
    a source of the same codes and weights with other classes: the codes by row are in its memory.
    """

    def __init__(
        self,
        codes: SparseCodes,
        classes: ArrayLike | None = None,
        *,
        n_classes: int | None = None,
        weights: ArrayLike | None = None,
        n_jobs: int | None = None,
        relative: SparseSource | None = None,
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
        row_weights = None if weights is None else checked_weights(np.asarray(weights), codes.n_rows)
        self.listed = codes
        self.n_jobs = n_jobs
        self.row_classes = labels
        self.row_weights = row_weights
        self.n_samples = codes.n_rows if row_weights is None else int(row_weights.sum())
        self.n_features = codes.n_features
        self.arities = codes.arities()
        self.class_sizes = np.bincount(labels, row_weights, minlength=n_classes or 0).astype(np.int64)
        self.n_classes = len(self.class_sizes)
        if relative is None:
            self.native_counts, self.row_lengths = self._count_by_native_code()
        else:
            self.native_counts = relative.native_counts.with_classes(labels, self.n_classes)
            self.row_lengths = relative.row_lengths
        self.cached_column_sums: dict[tuple[int, ...], tuple[Integers, Integers]] = {}  # by `SparseSums.column_sums`

    def _count_by_native_code(self) -> tuple[_native.SparseCounts, Integers]:
        """The object of native code that counts, and how many columns list each row."""
        codes = self.listed
        start_of_row = np.empty(codes.n_rows + 1, np.int64)
        n_codes = len(codes.row)
        counts = _native.SparseCounts(
            codes.start,
            codes.row,
            codes.code,
            self.row_classes,
            self.n_classes,
            None if self.row_weights is None else self.row_weights.astype(np.uint32),
            start_of_row,
            codes.allocate(n_codes, np.int32),  # the same codes by row: their columns
            codes.allocate(n_codes, np.uint16),  # and the codes
            TRANSPOSED_CODES,
        )
        return counts, np.diff(start_of_row)

    @cached_property
    def sample_classes(self) -> Integers:
        """The class of every sample."""
        return self._repeated(self.row_classes).astype(np.int64)

    def _repeated(self, row_values: Values) -> Values:
        """The value of every row, repeated by the weight of the row: the value of every sample."""
        return row_values if self.row_weights is None else np.repeat(row_values, self.row_weights)

    def value_of_row(self, sample_values: Integers) -> Integers:
        """The value of every row, given the values of the samples. All samples of a row have the same."""
        if self.row_weights is None:
            return sample_values
        first_sample_of_row = np.cumsum(self.row_weights) - self.row_weights
        row_values: Integers = sample_values[first_sample_of_row]
        return row_values

    def codes(self, feature: int) -> NDArray[np.uint16]:
        return self._repeated(self.listed.column(feature))

    def n_codes_in(self, rows: NDArray[np.int32]) -> int:
        """How many codes are listed in these rows."""
        return int(self.row_lengths[rows].sum())

    @property
    def fused(self) -> SparseSums:
        return SparseSums(self)

    def partition(self) -> SparsePartition:
        return SparsePartition(self)

    def partition_by_strata(self) -> SparsePartition:
        joint_codes = self.joint_codes_of_strata()
        return SparsePartition(self, joint_codes.part, joint_codes.keys)

    def relabelled(self, labelings: Sequence[Integers]) -> list[SparseSource]:
        sources = []
        for labels in labelings:
            labels_of_rows = self.value_of_row(labels)
            sources.append(
                SparseSource(self.listed, labels_of_rows, weights=self.row_weights, n_jobs=self.n_jobs, relative=self)
            )
        return sources

    def division(self, pivot: int | None) -> Division:
        """The rows that a pivot lists, divided by their codes; no row without a pivot."""
        listed = slice(0, 0)
        if pivot is not None:
            listed = slice(self.listed.start[pivot], self.listed.start[pivot + 1])
        row = self.listed.row[listed]
        return Division.of(row, self.listed.code[listed], self.row_classes[row])
