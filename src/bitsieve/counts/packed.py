"""Tables counted from a matrix of codes in memory, by the native engine.

Memory: the bit planes, ``(arity - 1) / 8`` bytes per sample and feature. Features are counted eight at a time: the
eight that share the registers of the processor are a SIMD group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from bitsieve import _native
from bitsieve.counts.kernels import KernelChoice, choose_kernel
from bitsieve.counts.source import (
    FEW_BYTES,
    Arrangement,
    CodedSource,
    JointCodes,
    Partition,
    check_joint_values,
    checked_classes,
    checked_codes,
    checked_weights,
    class_order,
    refined,
    sizes_of_classes,
)
from bitsieve.counts.tables import DENSE_CELLS, ContingencyTable, PairForm, PairSums, Sums, Terms, new_sums
from bitsieve.counts.threads import run_blocks, spread, thread_count
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Flags, Integers, Matrix, Progress
from bitsieve.utils.choice import TIE, RunnerUp
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.memory import WITHOUT_LOOKING, check_room, square_matrix

LANES = 8  # features of a SIMD group
COUNTERS_WIDTH = 16  # SIMD groups a block with packed counters: what the counters leave of the second-level cache
BLOCK_BYTES = 256 << 10  # planes of one side of a matrix block: half of a common second-level cache
WORTH_A_THREAD = 300e-6  # seconds of work below which waking a thread costs more than it saves
WORTH_A_ROW = 1e-3  # seconds of a row: from them on a few columns are counted row by row, not in a matrix
SECONDS_A_SAMPLE = 3e-9  # of one column in a partition: measured, a table of few codes
GATHERED_BYTES = 64 << 20  # of columns that are packed side by side for a matrix
PLANE_CELLS = 64 * 64  # of the table of two features stored as planes, at most


def check_packed_room(
    class_sizes: Integers, arities: NDArray[np.int32], kernel: KernelChoice, n_sorted: int, *, weighted: bool
) -> None:
    """Refuse, before memory is taken for it, a table that does not fit; ``n_sorted`` of its rows are to be sorted."""
    n_samples = int(class_sizes.sum())
    if n_samples * (16 + 8 * len(arities)) * 8 < WITHOUT_LOOKING:  # eight columns take 64 planes at most
        return
    what = f"the weights sum to {n_samples:,} samples, which take" if weighted else "the packed table takes"
    advice = "scale them down, such as by np.rint(100 * w / w.max())" if weighted else "keep fewer columns or rows"
    try:  # the arrays of an empty order are asked for, but not written to: no memory is taken
        plan = _native.PackedTable(class_sizes, np.empty(0, np.uint32), arities, kernel.name, kernel.storage)
    except MemoryError:  # beyond what may be asked for at all
        raise MemoryError(f"{what} more than this process may ask for: {advice}") from None
    # The order of the samples is 32 bits each, for a moment twice: here and in the engine. It is made of the classes,
    # of 32 bits each, or of the order of the rows and their weights.
    order = 4 * n_samples if n_sorted else 0
    sorting = order + (12 if weighted else 4) * n_sorted
    check_room(max(sorting, 2 * order, order + plan.nbytes), what, advice)


def dense_cells(
    packed: _native.PackedTable, pivot: int | None, columns: Columns, n_first: int, n_codes: Integers, n_classes: int
) -> Integers:
    """The cells of the tables of the pivot (None: no pivot) with each of ``columns``, one table after the other.

    The tables have ``n_first`` codes of the pivot and ``n_codes`` of each column; ``n_classes`` 1 pools the classes.
    """
    cells = np.zeros(int(n_codes.sum()) * n_first * n_classes, np.int64)
    first = -1 if pivot is None else pivot
    packed.pair_tables(first, n_first, np.ascontiguousarray(columns, np.int64), n_codes, n_classes, cells)
    return cells


class PackedPartition(Partition):
    """A partition of the samples of a :class:`PackedTableSource` by its ``members``, refined and summed by native code.

    ``order`` and ``starts`` are the samples in class order, part by part, and where each part starts; parts of one
    sample are dropped: they carry no information.
    """

    source: PackedTableSource

    def __init__(
        self,
        source: PackedTableSource,
        members: tuple[int, ...] = (),
        order: NDArray[np.uint32] | None = None,
        starts: Integers | None = None,
    ) -> None:
        self.source = source
        self.members = members
        self.order = np.arange(source.n_samples, dtype=np.uint32) if order is None else order
        self.starts = np.array([0, source.n_samples], np.int64) if starts is None else starts

    @cached_property
    def _joint(self) -> JointCodes:
        """The same partition with the parts of one sample, for the tables themselves."""
        return refined(JointCodes(self.source), self.members)

    @property
    def keys(self) -> Integers:
        return self._joint.keys

    @property
    def n_kept(self) -> int:
        """Samples in parts of at least two."""
        return len(self.order)

    def refine(self, feature: int) -> PackedPartition:
        split = self.source.packed.refine(self.order, self.starts, feature)
        return PackedPartition(self.source, (*self.members, feature), *split)

    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        return self._joint.tables(columns, by_class)

    def marginal_sums(self, terms: Terms) -> tuple[int, int]:
        return self.source.packed.partition_marginals(terms.table, terms.shift, self.order, self.starts)

    def sums(self, terms: Terms, columns: Columns) -> tuple[Integers, Integers]:
        source = self.source
        xz, xzc = np.empty((2, source.n_features), np.int64)

        def add_up(block: Integers) -> None:
            source.packed.partition_sums(terms.table, terms.shift, self.order, self.starts, block, xz, xzc)

        groups = source.groups_of(columns)
        seconds = LANES * SECONDS_A_SAMPLE * self.n_kept * len(groups)
        source.run_groups(add_up, seconds, groups)
        return xz[columns], xzc[columns]

    def degrees_of_freedom(self, feature: int) -> int:
        return self.source.packed.degrees_of_freedom(self.order, self.starts, feature)

    def arrangement(self, feature: int) -> Arrangement:
        return Arrangement(*self.source.packed.arrange(self.order, self.starts, feature))


class PackedMinima:
    """The minima of :meth:`bitsieve.counts.tables.Sums.minima`, in native code: all features are bit planes."""

    def __init__(self, source: PackedTableSource, terms: Terms, start: Integers, offsets: Integers) -> None:
        self.source = source
        self.offsets = offsets
        self.per_bit = terms.per_bit
        self.native = _native.LazyMinima(source.packed, terms.table, terms.shift, start, terms.per_bit, TIE)
        self.best_score = 0.0  # of the candidate of the latest choice, in bits

    def add(self, feature: int) -> None:
        self.native.add(feature, int(self.offsets[feature]))

    def best(self, candidates: Flags) -> tuple[int, float]:
        largest = np.full(1, np.iinfo(np.int64).min)
        groups = self.source.all_groups
        self.source.run_groups(
            lambda block: self.native.largest(candidates, int(block[0]), int(block[-1]) + 1, largest),
            self.source.seconds(1, groups),
            groups,
        )
        best, score = self.native.first_at(candidates, int(largest[0]))
        self.best_score = score / self.per_bit
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
    """Sums of entropy terms that the native engine adds up while it counts."""

    source: PackedTableSource

    def __init__(self, source: PackedTableSource) -> None:
        super().__init__(source)
        self.packed = source.packed
        self.n_features = source.n_features
        self.row_seconds = source.row_seconds
        self.planes = self.packed if self.packed.all_planes else None

    def marginal_sums(self, terms: Terms) -> tuple[Integers, Integers]:
        pooled, with_class = np.empty((2, self.n_features), np.int64)
        self._fill(terms, -1, self.source.all_groups, pooled, with_class)
        return pooled, with_class

    def pair_sums(
        self, terms: Terms, pivot: int, columns: Columns | None, by_class: bool, out: PairSums | None = None
    ) -> PairSums:
        if out is None or columns is not None:
            out = new_sums(self.n_features, by_class)
        xy, xyc = out
        self._fill(terms, pivot, self.source.groups_of(columns), xy, xyc)
        if columns is None:
            return out
        return xy[columns], None if xyc is None else xyc[columns]

    def _fill(self, terms: Terms, pivot: int, groups: Integers, xy: Integers, xyc: Integers | None) -> None:
        self.source.run_groups(
            lambda block: self.packed.row_sums(terms.table, terms.shift, pivot, block, xy, xyc),
            self.source.seconds(1, groups),
            groups,
        )

    def matrix(
        self, terms: Terms, form: PairForm, dtype: DTypeLike, columns: Columns | None = None, progress: Progress = None
    ) -> Matrix:
        if columns is None:
            return self._matrix_by_blocks(terms, form, dtype, np.arange(self.n_features), progress)
        gathered = self.gathered(columns)
        if gathered is not None:
            return gathered.matrix(terms, form.of(columns), dtype, None, progress)
        if self.row_seconds > WORTH_A_ROW and len(columns) < 2 * self._span(columns):
            return super().matrix(terms, form, dtype, columns, progress)
        return self._matrix_by_blocks(terms, form, dtype, columns, progress)

    def _matrix_by_blocks(
        self, terms: Terms, form: PairForm, dtype: DTypeLike, columns: Columns, progress: Progress
    ) -> Matrix:
        n_jobs = self.source.n_jobs
        row_of_feature = self._rows_of_features(columns)
        matrix = square_matrix(len(columns), dtype)
        fill = partial(self.packed.matrix_block, terms.table, terms.shift, *form)
        blocks = self.matrix_blocks(columns, thread_count(n_jobs))
        run_blocks(lambda block: fill(block, row_of_feature, matrix), blocks, n_jobs, progress)
        return matrix

    def matrix_rows(self, terms: Terms, form: PairForm, pivots: Columns, columns: Columns, out: Matrix) -> None:
        # return_index: without it numpy.unique imports numpy.ma
        all_columns, _ = np.unique(np.concatenate([pivots, columns]), return_index=True)
        gathered = self.gathered(all_columns)
        if gathered is not None:
            gathered_pivots = np.searchsorted(all_columns, pivots)
            gathered_columns = np.searchsorted(all_columns, columns)
            gathered.matrix_rows(terms, form.of(all_columns), gathered_pivots, gathered_columns, out)
            return
        row_of_feature = self._rows_of_features(columns)
        groups = self.source.groups_of(columns)

        def fill(rows: Integers) -> None:
            block = out[rows[0] : rows[-1] + 1]
            self.packed.matrix_rows(terms.table, terms.shift, *form, pivots[rows], groups, row_of_feature, block)

        all_rows = np.arange(len(pivots), dtype=np.int64)
        self.source.run_groups(fill, self.source.seconds(len(pivots), groups), all_rows)

    def counted_with(self, columns: Columns) -> Columns:
        is_counted = np.bincount(self.source.group_of[columns], minlength=len(self.source.all_groups)) > 0
        return np.flatnonzero(is_counted[self.source.group_of])

    def cell_counts(self, pivot: int | None, columns: Columns, by_class: bool) -> PairSums:
        source = self.source
        n_first = 1 if pivot is None else int(source.arities[pivot])
        n_pairs = n_first * int(source.arities[columns].max())
        xy = np.zeros((len(columns), min(n_pairs, max(source.n_samples, PLANE_CELLS))), np.int64)
        xyc = None
        if by_class:
            xyc = np.zeros((len(columns), min(n_pairs * source.n_classes, source.n_samples)), np.int64)
        self.packed.pair_cells(-1 if pivot is None else pivot, np.ascontiguousarray(columns, np.int64), xy, xyc)
        return xy, xyc

    def gathered(self, columns: Columns) -> PackedSums | None:
        """The sums of some of the columns, counted from 0; None where that is large or gains nothing."""
        if not self.scattered(columns):
            return None
        source = self.source.copy_of_columns(columns, GATHERED_BYTES)
        return None if source is None else source.fused

    def minima(self, terms: Terms, start: Integers, offsets: Integers) -> PackedMinima | None:
        return None if self.planes is None else PackedMinima(self.source, terms, start, offsets)

    def scattered(self, columns: Columns) -> bool:
        """Whether the SIMD groups between the first and the last of ``columns`` hold mostly other columns."""
        return self._span(columns) > 2 * (len(columns) // LANES + 1) + 1

    def _span(self, columns: Columns) -> int:
        """How many SIMD groups there are from the first to the last of ``columns``."""
        return int(np.ptp(self.source.group_of[columns])) + 1

    def matrix_blocks(self, columns: Columns, threads: int) -> list[list[int]]:
        """Upper-triangle blocks [i0, i1, j0, j1) of SIMD groups; the columns of one fit the second-level cache."""
        groups = self.source.group_of[columns]
        first = int(groups.min())
        last = int(groups.max()) + 1
        group_bytes = max(self.packed.nbytes // len(self.source.all_groups), 1)
        width = int(np.clip(BLOCK_BYTES // group_bytes, 1, 256))
        height = max(width, min(64, -(-(last - first) // (8 * threads))))
        if self.packed.uses_counters:  # rows are independent; each prepares its samples for a whole block
            width = COUNTERS_WIDTH
            height = 2
        return [
            [i, min(i + height, last), j, min(j + width, last)]
            for j in range(first, last, width)
            for i in range(first, min(j + width, last), height)
        ]

    def _rows_of_features(self, columns: Columns) -> Integers:
        """The index of every feature in ``columns``; -1 for a feature that is not among them."""
        rows = np.full(self.n_features, -1, np.int64)
        rows[columns] = np.arange(len(columns))
        return rows


class PackedTableSource(CodedSource):
    """Contingency tables of a table of bit planes, which is packed or about to be."""

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
        n_codes = arities.astype(np.float64)
        ns_per_sample = np.minimum((n_codes - 1) ** 2 * 1e-3, 0.6)
        n_cells = np.minimum(n_codes**2 * (self.n_classes + 1), 3.0 * self.n_samples)
        self.row_seconds = (
            float((ns_per_sample * self.n_samples + 0.7 * n_cells).sum()) * 1e-9
        )  # of pairs with one column

    @cached_property
    def group_of(self) -> Integers:
        """The SIMD group of every feature."""
        return self.packed.simd_groups()

    def groups_of(self, columns: Columns | None) -> Integers:
        """The SIMD groups that hold ``columns``; None: all."""
        return self.all_groups if columns is None else np.flatnonzero(np.bincount(self.group_of[columns]))

    def seconds(self, n_rows: int, groups: Integers) -> float:
        """A rough prediction of the time of ``n_rows`` rows of pair sums over the columns of some SIMD groups."""
        return self.row_seconds * n_rows * len(groups) / len(self.all_groups)

    def run_groups(self, work: Callable[[Integers], object], seconds: float, groups: Integers) -> None:
        """Spread SIMD groups over the threads that have enough to do."""
        spread(work, groups, int(seconds / WORTH_A_THREAD), self.n_jobs)

    @property
    def fused(self) -> PackedSums:
        return PackedSums(self)

    @property
    def nbytes(self) -> int:
        """Memory of the packed table."""
        return self.packed.nbytes

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the codes: they are packed again by the fastest kernel of the machine that reads them."""
        pack = partial(PackedSource, n_classes=self.n_classes, n_jobs=self.n_jobs)
        return pack, self.class_by_class(), {"search": self.search}

    @cached_property
    def sample_classes(self) -> Integers:
        """The class of every sample, the samples in class order."""
        return np.repeat(np.arange(self.n_classes), self.class_sizes)

    def codes(self, feature: int) -> NDArray[np.uint16]:
        """The code of every sample, the samples in class order."""
        code = np.empty(self.n_samples, np.uint16)
        self.packed.codes(feature, code)
        return code

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        n_first = 1 if pivot is None else int(self.arities[pivot])
        n_classes = self.n_classes if by_class else 1
        n_codes = self.arities[columns].astype(np.int64)
        n_cells = n_codes * n_first * n_classes
        is_dense = n_cells <= DENSE_CELLS
        dense = iter(self._dense_tables(pivot, columns[is_dense], n_first, n_codes[is_dense], n_classes))
        if is_dense.all():
            return list(dense)
        sparse = iter(super().tables(pivot, columns[~is_dense], by_class))
        return [next(dense) if column_is_dense else next(sparse) for column_is_dense in is_dense]

    def _dense_tables(
        self, pivot: int | None, columns: Columns, n_first: int, n_codes: Integers, n_classes: int
    ) -> list[ContingencyTable]:
        cells = dense_cells(self.packed, pivot, columns, n_first, n_codes, n_classes)
        offsets = [0, *np.cumsum(n_codes * n_first * n_classes).tolist()]
        tables = []
        for (start, end), n_column_codes in zip(pairwise(offsets), n_codes.tolist(), strict=True):
            tables.append(ContingencyTable((n_first, n_column_codes, n_classes), cells[start:end]))
        return tables

    def copy_of_columns(self, columns: Columns, max_bytes: int = FEW_BYTES) -> PackedTableSource | None:
        if not 0 < self.nbytes * len(columns) <= max_bytes * self.n_features:
            return None
        packed = self.packed.gathered(columns)
        return PackedTableSource(packed, self.class_sizes, self.arities[columns], self.kernel, self.n_jobs)

    def partition(self) -> PackedPartition:
        return PackedPartition(self)

    def joined(self, groups: Sequence[Columns]) -> PackedSource:
        codes = np.empty((self.n_samples, len(groups)), np.uint16, order="F")
        for index, group in enumerate(groups):
            joint = refined(JointCodes(self), group)
            check_joint_values(group, len(joint.keys))
            codes[:, index] = joint.part
        kernel = self.kernel.asked
        return PackedSource(codes, self.sample_classes, n_classes=self.n_classes, n_jobs=self.n_jobs, kernel=kernel)


class PackedSource(PackedTableSource):
    """Contingency tables of an array of codes, packed into bit planes.

    ``codes`` are integers of shape (n_samples, n_features), best uint8 or uint16 in Fortran order: of feature i ``0 ..
    arities[i] - 1``. ``classes`` are codes of shape (n_samples,), None: one class; ``weights`` frequency weights from
    1, for which the codes are not copied. The counts depend neither on ``n_jobs``, the threads, nor on the ``kernel``,
    a name of :func:`bitsieve.counts.kernels.available_kernels`. ValueError where a code is negative or a limit is
    passed: 65,536 codes a feature, 2**31 samples (the sum of the weights), 10**6 features.
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
        table = checked_codes(np.asarray(codes))
        n_rows = len(table)
        row_weights = None if weights is None else checked_weights(np.asarray(weights), n_rows)
        n_codes = table.max(axis=0).astype(np.int32) + 1 if arities is None else np.asarray(arities, np.int32)
        labels = np.zeros(n_rows, np.uint8)
        if classes is not None:
            labels = checked_classes(np.asarray(classes), n_rows, n_classes)
        class_sizes = sizes_of_classes(labels, row_weights, n_classes or 0)
        kernel_choice = choose_kernel(kernel)
        is_sorted = row_weights is None and bool((labels[1:] >= labels[:-1]).all())
        n_to_sort = 0 if is_sorted else n_rows
        check_packed_room(class_sizes, n_codes, kernel_choice, n_to_sort, weighted=row_weights is not None)
        order = np.empty(0, np.uint32)  # samples as they come
        if not is_sorted:
            order, _ = class_order(labels, row_weights, len(class_sizes))
        packed = _native.PackedTable(class_sizes, order, n_codes, kernel_choice.name, kernel_choice.storage)
        del order  # the engine has its own
        super().__init__(packed, class_sizes, n_codes, kernel_choice, n_jobs)
        self.run_groups(
            lambda block: packed.pack(table, int(block[0]), int(block[-1]) + 1),
            self.n_samples * self.n_features * 1e-9,
            self.all_groups,
        )


class PackedBatches:
    """The planes of a table, as of all rows at once, to be filled with the codes of one batch of rows after the other.

    ``class_sizes`` are the samples of every class in all batches together; ``plane_words`` and ``wide_codes`` the sizes
    of the arrays that :meth:`use` takes, of uint64 and of uint16.
    """

    def __init__(self, class_sizes: Integers, arities: NDArray[np.int32], n_jobs: int | None = None) -> None:
        kernel = choose_kernel()
        no_order = np.empty(0, np.uint32)
        self._packed = _native.PackedTable(class_sizes, no_order, arities, kernel.name, kernel.storage, True)
        self._source = PackedTableSource(self._packed, class_sizes, arities, kernel, n_jobs)
        self._n_added = np.zeros(len(class_sizes), np.int64)  # samples of every class so far
        self.plane_words = self._packed.plane_words
        self.wide_codes = self._packed.wide_codes

    @staticmethod
    def kernel() -> str:
        """The kernel that the planes are laid out for; those of another one may be laid out otherwise."""
        chosen = choose_kernel()
        return f"{chosen.name}:{chosen.storage}"

    def use(self, planes: NDArray[np.uint64], wide: NDArray[np.uint16]) -> None:
        """Keep the table in these arrays, which hold zeros or an earlier table."""
        self._packed.use(planes, wide)

    def add(
        self,
        codes: NDArray[np.uint8] | NDArray[np.uint16] | list[NDArray[np.uint8]],
        classes: NDArray[np.integer],
        weights: Integers | None = None,
    ) -> None:
        """Pack the next rows: codes as a table or a list of columns, classes, and frequency weights from 1."""
        order, sizes = class_order(classes, weights, len(self._n_added))

        def add_block(block: Integers) -> None:
            self._packed.add(codes, order, sizes, self._n_added, int(block[0]), int(block[-1]) + 1)

        source = self._source
        source.run_groups(add_block, len(classes) * source.n_features * 1e-9, source.all_groups)
        self._n_added += sizes

    def finish(self) -> PackedTableSource:
        """The source of all rows that were added, refused if they are not as many as was announced."""
        if (self._n_added != self._source.class_sizes).any():
            raise UserError(
                code="data-changed",
                message=f"{int(self._n_added.sum()):,} samples were packed of {self._source.n_samples:,}",
                advice="the data is not what it was before",
            )
        return self._finished()

    def reopen(self) -> PackedTableSource:
        """The source of what the arrays hold from before, refused if that is no packed table."""
        self._packed.check(0, self._packed.n_simd_groups)
        return self._finished()

    def _finished(self) -> PackedTableSource:
        source = self._source
        source.run_groups(
            lambda block: self._packed.finish(int(block[0]), int(block[-1]) + 1),
            source.n_samples * source.n_features * 1e-10,
            source.all_groups,
        )
        return source
