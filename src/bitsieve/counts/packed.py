"""Tables counted from a matrix of codes in memory, by the native engine.

A feature of few codes is stored as bit planes: one bit for each sample and each code but one, ``(arity - 1) / 8`` bytes
for each sample. A feature of many codes is stored as a column of codes. The samples lie in class order. Eight features
that are counted together, in the lanes of one register, are a SIMD group: work is divided by groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from bitsieve import _native
from bitsieve.counts.checks import (
    ADVICE_ON_LARGE_WEIGHTS,
    check_joint_values,
    checked_classes,
    checked_codes,
    checked_weights,
)
from bitsieve.counts.kernels import KernelChoice, choose_kernel
from bitsieve.counts.source import (
    SMALL_COPY_BYTES,
    Arrangement,
    CodedSource,
    JointCodes,
    Partition,
    class_order,
    refined,
    sizes_of_classes,
)
from bitsieve.counts.tables import (
    DENSE_CELLS,
    ChanceSums,
    ContingencyTable,
    EntropyTerms,
    MinimumFormula,
    PairCounts,
    PairFormula,
    PairSums,
    Sums,
)
from bitsieve.counts.threads import run_blocks, spread, thread_count
from bitsieve.utils.arrays import Columns, Flags, Integers, Matrix, Progress
from bitsieve.utils.choice import TIE, RunnerUp
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.memory import WITHOUT_LOOKING, check_room, square_matrix

LANES = 8  # features of a SIMD group
COUNTERS_WIDTH = 16  # SIMD groups along a matrix block where packed counters leave little of the second-level cache
COUNTERS_HEIGHT = 2
BLOCK_BYTES = 256 << 10  # planes along one side of a matrix block: half of a common second-level cache
MIN_SECONDS_FOR_THREAD = 300e-6  # to wake a thread for less work costs more than it saves
MIN_SECONDS_FOR_ROWS = 1e-3  # where a row takes longer, the matrix of few columns is counted row by row
SECONDS_PER_SAMPLE = 3e-9  # time to count one column in a partition, measured with a table of few codes
MAX_COPY_BYTES = 64 << 20  # a copy of some columns, made to count their matrix, is at most so large
PLANE_CELLS = 64 * 64  # the table of two features that are both stored as planes has at most so many cells
NO_INTEGERS = np.empty(0, np.int64)
NO_CHANCE_SUMS = ChanceSums(NO_INTEGERS, 0)  # nothing is subtracted


def check_packed_room(
    class_sizes: Integers, arities: NDArray[np.int32], kernel: KernelChoice, n_rows_to_sort: int, *, weighted: bool
) -> None:
    """Refuse a packed table that does not fit into memory, before memory is taken for it.

    ``n_rows_to_sort`` rows must be brought into class order first, which takes memory as well.
    """
    n_samples = int(class_sizes.sum())
    upper_bound = n_samples * (16 + 8 * len(arities)) * 8  # bytes: far above what any kernel takes
    if upper_bound < WITHOUT_LOOKING:
        return
    sentence = "the packed table takes"
    advice = "keep fewer columns or rows"
    if weighted:
        sentence = f"the weights sum to {n_samples:,} samples, which take"
        advice = ADVICE_ON_LARGE_WEIGHTS
    no_order = np.empty(0, np.uint32)
    try:  # the native table reserves its arrays and writes nothing to them: no memory is taken yet
        reserved = _native.PackedTable(class_sizes, no_order, arities, kernel.name, kernel.storage)
    except MemoryError:
        raise MemoryError(f"{sentence} more than this process may ask for: {advice}") from None
    # The order of the samples takes 4 bytes for each. For a moment there are two copies: one here, one in native code.
    # It is made from the class of every row (4 bytes), with weights from the order and the weight of every row (12).
    order_bytes = 4 * n_samples if n_rows_to_sort else 0
    bytes_while_sorting = order_bytes + (12 if weighted else 4) * n_rows_to_sort
    check_room(max(bytes_while_sorting, 2 * order_bytes, order_bytes + reserved.nbytes), sentence, advice)


def dense_cells(
    packed: _native.PackedTable, pivot: int | None, columns: Columns, n_first: int, n_codes: Integers, n_classes: int
) -> Integers:
    """All cells of the tables of the pivot (None: no pivot) with each of ``columns``, one table after the other.

    A table has the shape (``n_first``, codes of the column, ``n_classes``); with ``n_classes`` 1 the classes are
    pooled.
    """
    cells = np.zeros(int(n_codes.sum()) * n_first * n_classes, np.int64)
    packed.pair_tables(native_pivot(pivot), n_first, np.ascontiguousarray(columns, np.int64), n_codes, n_classes, cells)
    return cells


def native_pivot(pivot: int | None) -> int:
    """The pivot as native code takes it: -1 is no pivot."""
    return -1 if pivot is None else pivot


class PackedPartition(Partition):
    """A partition of the samples of a :class:`PackedTableSource`, refined and summed by native code.

    ``order`` holds the samples part by part, within a part in class order; part k is ``order[starts[k]:starts[k +
    1]]``. Parts of one sample carry no information and are dropped. ``members`` are the features it was refined by;
    with ``refines_strata`` the samples were divided by their strata before.
    """

    source: PackedTableSource

    def __init__(
        self,
        source: PackedTableSource,
        members: tuple[int, ...] = (),
        order: NDArray[np.uint32] | None = None,
        starts: Integers | None = None,
        *,
        refines_strata: bool = False,
        joint_codes_before: JointCodes | None = None,
    ) -> None:
        self.source = source
        self.members = members
        self.refines_strata = refines_strata
        self._joint_codes: JointCodes | None = None  # computed when they are needed
        self._joint_codes_before = joint_codes_before  # those of all members but the last one, if they were needed
        self.order = np.arange(source.n_samples, dtype=np.uint32) if order is None else order
        self.starts = np.array([0, source.n_samples], np.int64) if starts is None else starts

    def _with_single_samples(self) -> JointCodes:
        """The same partition with its parts of one sample, which tables need."""
        if self._joint_codes is None:
            self._joint_codes = self._new_joint_codes()
            self._joint_codes_before = None
        return self._joint_codes

    def _new_joint_codes(self) -> JointCodes:
        if self._joint_codes_before is not None:
            return self._joint_codes_before.refine(self.members[-1])
        base = self.source.joint_codes_of_strata() if self.refines_strata else JointCodes(self.source)
        return refined(base, self.members)

    @property
    def keys(self) -> Integers:
        return self._with_single_samples().keys

    @property
    def n_parts(self) -> int:
        n_single_samples = self.source.n_samples - len(self.order)
        return len(self.starts) - 1 + n_single_samples

    def refine(self, feature: int) -> PackedPartition:
        order, starts = self.source.packed.refine(self.order, self.starts, feature)
        self.source.give_back_pages()
        return PackedPartition(
            self.source,
            (*self.members, feature),
            order,
            starts,
            refines_strata=self.refines_strata,
            joint_codes_before=self._joint_codes,
        )

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        return self._with_single_samples().tables(columns, by_class)

    def marginal_sums(self, entropy_terms: EntropyTerms) -> tuple[int, int]:
        return self.source.packed.partition_marginals(entropy_terms.table, entropy_terms.shift, self.order, self.starts)

    def sums(self, entropy_terms: EntropyTerms, columns: Columns) -> tuple[Integers, Integers]:
        source = self.source
        pooled = np.empty(source.n_features, np.int64)
        by_class = np.empty(source.n_features, np.int64)

        def write_sums(groups: Integers) -> None:
            source.packed.partition_sums(
                entropy_terms.table, entropy_terms.shift, self.order, self.starts, groups, pooled, by_class
            )

        groups = source.groups_of(columns)
        seconds = LANES * SECONDS_PER_SAMPLE * len(self.order) * len(groups)
        source.run_batches(write_sums, seconds, groups)
        return pooled[columns], by_class[columns]

    def degrees_of_freedom(self, feature: int) -> int:
        degrees_of_freedom = self.source.packed.degrees_of_freedom(self.order, self.starts, feature)
        self.source.give_back_pages()
        return degrees_of_freedom

    def arrangement(self, feature: int) -> Arrangement:
        codes, run_ends, part_ends = self.source.packed.arrange(self.order, self.starts, feature)
        self.source.give_back_pages()
        return Arrangement(codes, run_ends, part_ends)


class PackedMinima:
    """The scores of :meth:`bitsieve.counts.tables.Sums.minima`, in native code; all features are bit planes."""

    def __init__(self, source: PackedTableSource, entropy_terms: EntropyTerms, formula: MinimumFormula) -> None:
        self.source = source
        self.formula = formula
        code_starts = NO_INTEGERS if formula.chance is None else formula.chance.starts
        code_index = NO_INTEGERS if formula.chance is None else formula.chance.index_of_distinct
        self.native = _native.LazyMinima(
            source.packed,
            entropy_terms.table,
            entropy_terms.shift,
            formula.start,
            formula.n_smallest,
            code_starts,
            code_index,
            formula.per_bit,
            TIE,
        )
        self.best_score = 0.0  # of the candidate of the latest choice

    def add(self, feature: int) -> None:
        formula = self.formula
        chance = NO_CHANCE_SUMS if formula.chance is None else formula.chance.sums_of_pivot(feature)
        pivot_sum = int(formula.pivot_sums[feature])
        pivot_bits = float(formula.pivot_bits[feature])
        self.native.add(feature, pivot_sum, pivot_bits, chance.sum_of_count, chance.constant)

    def best(self, candidates: Flags) -> tuple[int, float]:
        largest = np.full(1, -np.inf)  # native code raises it, from all threads

        def search(first_group: int, end_group: int) -> None:
            self.native.largest(candidates, first_group, end_group, largest)

        self.source.run_all_groups(search, self.source.seconds(1, self.source.all_groups))
        best, self.best_score = self.native.first_at(candidates, float(largest[0]))
        return best, self.best_score

    def runner_up(self, candidates: Flags, chosen: int) -> RunnerUp | None:
        """The second of the candidates, for which a few more of them are brought up to date."""
        others = candidates.copy()
        others[chosen] = False
        if not others.any():
            return None
        best_score = self.best_score
        second, second_score = self.best(others)
        return RunnerUp(second, best_score - second_score)


class PackedSums(Sums):
    """Sums of entropy terms that native code adds up while it counts: no table is made."""

    source: PackedTableSource

    def __init__(self, source: PackedTableSource) -> None:
        super().__init__(source)
        self.packed = source.packed
        self.n_features = source.n_features
        self.row_seconds = source.row_seconds
        self.planes = self.packed if self.packed.all_planes else None  # None if a feature is not stored as planes

    def marginal_sums(self, entropy_terms: EntropyTerms) -> tuple[Integers, Integers]:
        pooled = np.empty(self.n_features, np.int64)
        by_class = np.empty(self.n_features, np.int64)
        self._write_sums(entropy_terms, None, self.source.all_groups, PairSums(pooled, by_class))
        return pooled, by_class

    def pair_sums(
        self,
        entropy_terms: EntropyTerms,
        pivot: int,
        columns: Columns | None,
        by_class: bool,
        out: PairSums | None = None,
    ) -> PairSums:
        if out is None or columns is not None:
            out = PairSums.empty(self.n_features, by_class=by_class)
        self._write_sums(entropy_terms, pivot, self.source.groups_of(columns), out)
        return out if columns is None else out.of_columns(columns)

    def sums_within_strata(
        self,
        entropy_terms: EntropyTerms,
        first_class: Integers,
        pivot: int | None,
        columns: Columns | None,
        *,
        by_class: bool,
    ) -> PairSums:
        """``S_xys`` and, with ``by_class``, ``S_xyc`` of the pivot with each of ``columns``, None: all columns.

        The strata s hold consecutive classes c, those of stratum i from ``first_class[i]`` on. All columns must be bit
        planes. With the pivot None the sums are ``S_xs`` and ``S_xc``.
        """
        out = PairSums.empty(self.n_features, by_class=by_class)
        groups = self.source.groups_of(columns)

        def write_sums(block: Integers) -> None:
            _native.row_sums_within_strata(
                self.packed,
                entropy_terms.table,
                entropy_terms.shift,
                first_class,
                native_pivot(pivot),
                block,
                out.pooled,
                out.by_class,
            )

        self.source.run_batches(write_sums, self.source.seconds(1, groups), groups)
        return out if columns is None else out.of_columns(columns)

    def _write_sums(self, entropy_terms: EntropyTerms, pivot: int | None, groups: Integers, out: PairSums) -> None:
        """Write the sums of the pivot with the features of these SIMD groups; ``out`` is of all features."""

        def write_sums(block: Integers) -> None:
            self.packed.row_sums(
                entropy_terms.table, entropy_terms.shift, native_pivot(pivot), block, out.pooled, out.by_class
            )

        self.source.run_batches(write_sums, self.source.seconds(1, groups), groups)

    def matrix(
        self,
        entropy_terms: EntropyTerms,
        formula: PairFormula,
        dtype: DTypeLike,
        columns: Columns | None = None,
        progress: Progress = None,
    ) -> Matrix:
        if columns is None:
            return self._matrix_by_blocks(entropy_terms, formula, dtype, np.arange(self.n_features), progress)
        copy_sums = self.sums_of_copy(columns)
        if copy_sums is not None:
            return copy_sums.matrix(entropy_terms, formula.of_columns(columns), dtype, None, progress)
        rows_are_slow = self.row_seconds > MIN_SECONDS_FOR_ROWS
        if rows_are_slow and len(columns) < 2 * self._n_groups_spanned(columns):
            return super().matrix(entropy_terms, formula, dtype, columns, progress)
        return self._matrix_by_blocks(entropy_terms, formula, dtype, columns, progress)

    def _matrix_by_blocks(
        self, entropy_terms: EntropyTerms, formula: PairFormula, dtype: DTypeLike, columns: Columns, progress: Progress
    ) -> Matrix:
        """Fill blocks of SIMD groups on several threads."""
        n_jobs = self.source.n_jobs
        matrix = square_matrix(len(columns), dtype)
        row_of_feature = self._indices_in(columns)

        def fill_block(block: list[int]) -> None:
            self.packed.matrix_block(entropy_terms.table, entropy_terms.shift, *formula, block, row_of_feature, matrix)

        blocks = self.matrix_blocks(columns, thread_count(n_jobs))
        run_blocks(fill_block, blocks, n_jobs, progress)
        return matrix

    def matrix_rows(
        self, entropy_terms: EntropyTerms, formula: PairFormula, pivots: Columns, columns: Columns, out: Matrix
    ) -> None:
        # return_index: without it numpy.unique imports numpy.ma
        all_columns, _ = np.unique(np.concatenate([pivots, columns]), return_index=True)
        copy_sums = self.sums_of_copy(all_columns)
        if copy_sums is not None:
            pivots_in_copy = np.searchsorted(all_columns, pivots)
            columns_in_copy = np.searchsorted(all_columns, columns)
            copy_sums.matrix_rows(entropy_terms, formula.of_columns(all_columns), pivots_in_copy, columns_in_copy, out)
            return
        index_of_feature = self._indices_in(columns)
        groups = self.source.groups_of(columns)

        def fill_rows(rows: Integers) -> None:
            consecutive_rows = out[rows[0] : rows[-1] + 1]
            self.packed.matrix_rows(
                entropy_terms.table,
                entropy_terms.shift,
                *formula,
                pivots[rows],
                groups,
                index_of_feature,
                consecutive_rows,
            )

        all_rows = np.arange(len(pivots), dtype=np.int64)
        self.source.run_batches(fill_rows, self.source.seconds(len(pivots), groups), all_rows)

    def counted_with(self, columns: Columns) -> Columns:
        """All columns of the SIMD groups that hold any of ``columns``."""
        n_groups = len(self.source.all_groups)
        is_counted = np.bincount(self.source.group_of[columns], minlength=n_groups) > 0
        return np.flatnonzero(is_counted[self.source.group_of])

    def cell_counts(self, pivot: int | None, columns: Columns, by_class: bool) -> PairCounts:
        source = self.source
        n_first = 1 if pivot is None else int(source.arities[pivot])
        n_cells = n_first * int(source.arities[columns].max())
        # Native code lists all cells of two features that are planes, else the non-empty ones: one a sample at most.
        pooled = np.zeros((len(columns), min(n_cells, max(source.n_samples, PLANE_CELLS))), np.int64)
        within_classes = None
        if by_class:
            within_classes = np.zeros((len(columns), min(n_cells * source.n_classes, source.n_samples)), np.int64)
        for block in source.column_blocks(len(columns)):
            self.packed.pair_cells(
                native_pivot(pivot),
                np.ascontiguousarray(columns[block], np.int64),
                pooled[block],
                None if within_classes is None else within_classes[block],
            )
        return PairCounts(pooled, within_classes)

    def sums_of_copy(self, columns: Columns) -> PackedSums | None:
        """The sums of a copy of some columns, packed side by side; None where a copy is too large or gains nothing."""
        if not self.are_scattered(columns):
            return None
        source = self.source.packed_copy(columns, MAX_COPY_BYTES)
        return None if source is None else source.fused

    def minima(self, entropy_terms: EntropyTerms, formula: MinimumFormula) -> PackedMinima | None:
        return None if self.planes is None else PackedMinima(self.source, entropy_terms, formula)

    def are_scattered(self, columns: Columns) -> bool:
        """Whether the SIMD groups from the first to the last of ``columns`` hold mostly other columns."""
        return self._n_groups_spanned(columns) > 2 * (len(columns) // LANES + 1) + 1

    def _n_groups_spanned(self, columns: Columns) -> int:
        """The number of SIMD groups from the first to the last of ``columns``."""
        return int(np.ptp(self.source.group_of[columns])) + 1

    def matrix_blocks(self, columns: Columns, threads: int) -> list[list[int]]:
        """Blocks ``[i0, i1, j0, j1]`` that cover the upper triangle of the matrix of ``columns``.

        A block has the SIMD groups ``i0 .. i1 - 1`` as rows and ``j0 .. j1 - 1`` as columns. The planes of its columns
        fit into the second-level cache.
        """
        groups = self.source.group_of[columns]
        first_group = int(groups.min())
        end_group = int(groups.max()) + 1
        if self.packed.uses_counters:  # rows are independent; each prepares its samples for a whole block
            width = COUNTERS_WIDTH
            height = COUNTERS_HEIGHT
        else:
            bytes_per_group = max(self.packed.nbytes // len(self.source.all_groups), 1)
            width = int(np.clip(BLOCK_BYTES // bytes_per_group, 1, 256))
            n_rows_for_threads = -(-(end_group - first_group) // (8 * threads))
            height = max(width, min(64, n_rows_for_threads))
        blocks = []
        for j0 in range(first_group, end_group, width):
            j1 = min(j0 + width, end_group)
            for i0 in range(first_group, j1, height):
                blocks.append([i0, min(i0 + height, end_group), j0, j1])
        return blocks

    def _indices_in(self, columns: Columns) -> Integers:
        """The index of every feature in ``columns``; -1 for a feature that is not among them."""
        indices = np.full(self.n_features, -1, np.int64)
        indices[columns] = np.arange(len(columns))
        return indices


def _seconds_per_row(arities: NDArray[np.int32], n_samples: int, n_classes: int) -> float:
    """A rough prediction of the seconds that the pair sums of one column with all columns take."""
    n_codes = arities.astype(np.float64)
    ns_per_sample = np.minimum((n_codes - 1) ** 2 * 1e-3, 0.6)
    n_cells = np.minimum(n_codes**2 * (n_classes + 1), 3.0 * n_samples)
    return float((ns_per_sample * n_samples + 0.7 * n_cells).sum()) * 1e-9


class PageRelease(NamedTuple):
    """How the pages of planes that are mapped from a file are given back to the system while these are counted."""

    release: Callable[[], None]  # gives back all pages; they are read from the file when they are needed again
    max_bytes: int  # of planes that are counted before their pages are given back


class PackedTableSource(CodedSource):
    """Contingency tables of a native packed table."""

    #: None where the planes are not mapped from a file.
    page_release: PageRelease | None = None

    def __init__(
        self,
        packed: _native.PackedTable,
        class_sizes: Integers,
        arities: NDArray[np.int32],
        kernel: KernelChoice,
        n_jobs: int | None,
    ) -> None:
        self.packed = packed
        self.class_sizes = class_sizes
        self.arities = arities
        self.kernel = kernel
        self.n_jobs = n_jobs
        self.n_samples = int(class_sizes.sum())
        self.n_features = len(arities)
        self.n_classes = len(class_sizes)
        self.all_groups = np.arange(packed.n_simd_groups, dtype=np.int64)
        self.row_seconds = _seconds_per_row(arities, self.n_samples, self.n_classes)

    @cached_property
    def group_of(self) -> Integers:
        """The SIMD group of every feature."""
        return self.packed.simd_groups()

    def groups_of(self, columns: Columns | None) -> Integers:
        """The SIMD groups that hold ``columns`` (None: all columns), ascending."""
        return self.all_groups if columns is None else np.flatnonzero(np.bincount(self.group_of[columns]))

    def seconds(self, n_rows: int, groups: Integers) -> float:
        """A rough prediction of the time of ``n_rows`` rows of pair sums over the columns of some SIMD groups."""
        return self.row_seconds * n_rows * len(groups) / len(self.all_groups)

    def run_batches(self, work: Callable[[Integers], object], seconds: float, items: Integers) -> None:
        """Call ``work`` with batches of items, on as many threads as ``seconds`` of work are worth.

        The items are SIMD groups, or rows of a matrix. Mapped pages are given back after as many items as SIMD groups
        fit the limit.
        """
        max_parts = int(seconds / MIN_SECONDS_FOR_THREAD)
        if self.page_release is None:
            spread(work, items, max_parts, self.n_jobs)
            return
        bytes_per_group = self.nbytes / len(self.all_groups)
        items_at_once = max(1, int(self.page_release.max_bytes / bytes_per_group))
        for first in range(0, len(items), items_at_once):
            spread(work, items[first : first + items_at_once], max_parts, self.n_jobs)
            self.give_back_pages()

    def column_blocks(self, n_columns: int) -> Iterator[slice]:
        """Divide columns into slices that are counted at once; mapped pages are given back after each of them."""
        if self.page_release is None:
            yield slice(0, n_columns)
            return
        columns_at_once = max(1, int(self.page_release.max_bytes * self.n_features / self.nbytes))
        for first in range(0, n_columns, columns_at_once):
            yield slice(first, first + columns_at_once)
            self.give_back_pages()

    def give_back_pages(self) -> None:
        """Give back the memory of planes that are mapped from a file."""
        if self.page_release is not None:
            self.page_release.release()

    def run_all_groups(self, work: Callable[[int, int], object], seconds: float) -> None:
        """Call ``work(first, end)`` with ranges that cover all SIMD groups, on as many threads as are worth it."""

        def work_on_range(groups: Integers) -> None:
            work(int(groups[0]), int(groups[-1]) + 1)

        self.run_batches(work_on_range, seconds, self.all_groups)

    @property
    def fused(self) -> PackedSums:
        return PackedSums(self)

    @property
    def nbytes(self) -> int:
        """The bytes that the packed table takes."""
        return self.packed.nbytes

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the codes: they are packed again by the fastest kernel of the machine that reads them."""
        pack = partial(PackedSource, n_classes=self.n_classes, n_jobs=self.n_jobs)
        return pack, self.samples_in_class_order(), {"search": self.search, "strata": self.strata}

    @cached_property
    def sample_classes(self) -> Integers:
        """The class of every sample; the samples are in class order."""
        return np.repeat(np.arange(self.n_classes), self.class_sizes)

    def codes(self, feature: int) -> NDArray[np.uint16]:
        """The code of every sample; the samples are in class order."""
        code = np.empty(self.n_samples, np.uint16)
        self.packed.codes(feature, code)
        self.give_back_pages()
        return code

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        n_first = 1 if pivot is None else int(self.arities[pivot])
        n_classes = self.n_classes if by_class else 1
        n_codes = self.arities[columns].astype(np.int64)
        is_dense = n_codes * n_first * n_classes <= DENSE_CELLS
        dense_tables = self._dense_tables(pivot, columns[is_dense], n_first, n_codes[is_dense], n_classes)
        if is_dense.all():
            return dense_tables
        sparse_tables = super().tables(pivot, columns[~is_dense], by_class)
        table_of_column = dict(zip(columns[is_dense].tolist(), dense_tables, strict=True))
        table_of_column.update(zip(columns[~is_dense].tolist(), sparse_tables, strict=True))
        return [table_of_column[column] for column in columns.tolist()]

    def _dense_tables(
        self, pivot: int | None, columns: Columns, n_first: int, n_codes: Integers, n_classes: int
    ) -> list[ContingencyTable]:
        cells_of_blocks = [np.empty(0, np.int64)]
        for block in self.column_blocks(len(columns)):
            cells_of_blocks.append(dense_cells(self.packed, pivot, columns[block], n_first, n_codes[block], n_classes))
        cells = np.concatenate(cells_of_blocks)
        offsets = [0, *np.cumsum(n_codes * n_first * n_classes).tolist()]
        tables = []
        for (start, end), n_codes_of_column in zip(pairwise(offsets), n_codes.tolist(), strict=True):
            tables.append(ContingencyTable((n_first, n_codes_of_column, n_classes), cells[start:end]))
        return tables

    def copy_of_columns(self, columns: Columns, max_bytes: int = SMALL_COPY_BYTES) -> PackedTableSource | None:
        return self.packed_copy(columns, max_bytes)

    def packed_copy(self, columns: Columns, max_bytes: int) -> PackedTableSource | None:
        """The packed table of only these columns; None if it would be larger than ``max_bytes``."""
        is_small = self.nbytes * len(columns) <= max_bytes * self.n_features
        if not len(columns) or not is_small:
            return None
        packed = self.packed.gathered(columns)
        source = PackedTableSource(packed, self.class_sizes, self.arities[columns], self.kernel, self.n_jobs)
        source.strata = self.strata
        return source

    def partition(self) -> PackedPartition:
        return PackedPartition(self)

    def partition_by_strata(self) -> PackedPartition:
        assert self.strata is not None
        stratum_sizes = np.bincount(self.strata)
        has_several_samples = stratum_sizes > 1  # native code lists no part of one sample
        all_samples = np.argsort(self.strata, kind="stable")
        order = all_samples[has_several_samples[self.strata[all_samples]]].astype(np.uint32)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(stratum_sizes[has_several_samples])])
        return PackedPartition(self, (), order, starts, refines_strata=True)

    def samples_in_class_order(self) -> tuple[NDArray[np.integer], Integers]:
        dtype = np.uint8 if self.arities.max() <= 256 else np.uint16
        codes = np.empty((self.n_samples, self.n_features), dtype, order="F")
        for feature in range(self.n_features):
            codes[:, feature] = self.codes(feature)
        return codes, self.sample_classes

    def relabelled(self, labelings: Sequence[Integers]) -> list[PackedSource]:
        codes, _ = self.samples_in_class_order()  # the samples are in class order: theirs stays as it is
        kernel = self.kernel.full_name
        return [
            PackedSource(codes, labels, arities=self.arities, n_jobs=self.n_jobs, kernel=kernel) for labels in labelings
        ]

    def joined(self, groups: Sequence[Columns]) -> PackedSource:
        codes = np.empty((self.n_samples, len(groups)), np.uint16, order="F")
        for index, group in enumerate(groups):
            joint = refined(JointCodes(self), group)
            check_joint_values(group, len(joint.keys))
            codes[:, index] = joint.part
        source = PackedSource(
            codes, self.sample_classes, n_classes=self.n_classes, n_jobs=self.n_jobs, kernel=self.kernel.full_name
        )
        source.strata = self.strata
        return source


class PackedSource(PackedTableSource):
    """Contingency tables of an array of codes, which is packed.

    The counts depend neither on the number of threads nor on the kernel.

    Parameters
    ----------
    codes : array of int, shape (n_samples, n_features)
        The codes of feature i are ``0 .. arities[i] - 1``. Best are uint8 or uint16 in Fortran order.
    classes : array of int, shape (n_samples,), optional
        By default all samples are of one class.
    weights : array of int, shape (n_samples,), optional
        Frequency weights from 1. The codes are not copied for them.
    arities : array of int, shape (n_features,), optional
        By default one more than the largest code of each feature, which takes a pass over the codes.
    n_jobs : int, optional
        Threads.
    kernel : str, optional
        A name that :func:`bitsieve.counts.kernels.choose_kernel` takes.

    Raises
    ------
    ValueError
        If a code is negative or a limit is passed: 65,536 codes of a feature, 2**31 samples (the sum of the weights),
        10**6 features.
    """

    def __init__(
        self,
        codes: ArrayLike,
        classes: ArrayLike | None = None,
        *,
        n_classes: int | None = None,
        weights: ArrayLike | None = None,
        arities: ArrayLike | None = None,
        n_jobs: int | None = None,
        kernel: str | None = None,
    ) -> None:
        table = np.require(checked_codes(np.asarray(codes)), requirements="A")  # messages of a cluster are not aligned
        n_rows = len(table)
        row_weights = None
        if weights is not None:
            row_weights = np.require(checked_weights(np.asarray(weights), n_rows), requirements="A")
        n_codes = table.max(axis=0).astype(np.int32) + 1 if arities is None else np.asarray(arities, np.int32)
        labels = np.zeros(n_rows, np.uint8)
        if classes is not None:
            labels = np.require(checked_classes(np.asarray(classes), n_rows, n_classes), requirements="A")
        class_sizes = sizes_of_classes(labels, row_weights, n_classes or 0)
        kernel_choice = choose_kernel(kernel)
        is_sorted = row_weights is None and bool((labels[1:] >= labels[:-1]).all())
        n_rows_to_sort = 0 if is_sorted else n_rows
        check_packed_room(class_sizes, n_codes, kernel_choice, n_rows_to_sort, weighted=row_weights is not None)
        order = np.empty(0, np.uint32)  # an empty order: the samples are in class order already
        if not is_sorted:
            order, _ = class_order(labels, row_weights, len(class_sizes))
        packed = _native.PackedTable(class_sizes, order, n_codes, kernel_choice.name, kernel_choice.storage)
        del order  # native code has a copy
        super().__init__(packed, class_sizes, n_codes, kernel_choice, n_jobs)
        seconds_to_pack = self.n_samples * self.n_features * 1e-9
        self.run_all_groups(partial(packed.pack, table), seconds_to_pack)
