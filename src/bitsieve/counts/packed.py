"""Tables counted from a matrix of codes in memory, by the native engine.

Cost: packing reads every code once; a row of pair sums reads every bit plane once; a matrix does n/2 rows, in
blocks that stay in the cache. Memory: the bit planes, ``(arity - 1) / 8`` bytes per sample and feature.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve import _native
from bitsieve.common.lazy import cached_property
from bitsieve.common.memory import WITHOUT_LOOKING, check_room, square_matrix
from bitsieve.counts.blocks import run_blocks, thread_count
from bitsieve.counts.checks import check_joint_values, checked_classes, checked_codes, checked_weights
from bitsieve.counts.class_order import class_order, sizes_of_classes
from bitsieve.counts.contingency import DENSE_CELLS
from bitsieve.counts.joint_codes import CodedSource, JointCodes
from bitsieve.counts.kernels import KernelChoice, choose_kernel
from bitsieve.counts.minima import PackedMinima
from bitsieve.counts.packed_layout import PackedLayout
from bitsieve.counts.packed_partition import PackedPartition
from bitsieve.counts.packed_tables import dense_cells, tables_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from bitsieve.counts.contingency import ContingencyTable
    from bitsieve.counts.source import Matrix, PairForm, Progress
    from bitsieve.counts.terms import Terms

    Integers = NDArray[np.int64]
    Columns = NDArray[np.intp]

WORTH_A_THREAD = 300e-6  # seconds of work below which starting a thread costs more than it saves
GATHERED_BYTES = 64 << 20  # of columns that are packed side by side for a matrix
PLANE_CELLS = 64 * 64  # of the table of two features stored as planes, at most


class PackedSource(CodedSource):
    """Contingency tables of an array of codes, packed into bit planes.

    Parameters
    ----------
    codes : array of shape (n_samples, n_features), uint8 or uint16 (other integers are converted)
        Feature i holds codes ``0 .. arities[i] - 1``. Fortran order packs fastest.
    classes : array of shape (n_samples,), optional
        Class codes ``0 .. n_classes - 1``; None counts everything as one class.
    n_classes : int, optional
        By default the largest class code plus one.
    weights : array of shape (n_samples,), optional
        Frequency weights: whole numbers from 1, how many times each row stands. The codes are not copied for it.
    arities : array of shape (n_features,), optional
        One more than the largest code of every feature, where that is known; it is checked.
    n_jobs : int, optional
        Threads; the counts do not depend on it.
    kernel : str, optional
        A name of :func:`bitsieve.counts.kernels.available_kernels`; by default the fastest.

    Raises
    ------
    ValueError
        If a limit is passed: 65,536 codes a feature, 2**31 samples (the sum of the weights), 10**6 features; or a code
        is negative, or the weights ask for more memory than the machine has.
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
        times = None if weights is None else checked_weights(np.asarray(weights), n_rows)
        n_codes = table.max(axis=0).astype(np.int32) + 1 if arities is None else np.asarray(arities, np.int32)
        labels = np.zeros(n_rows, np.uint8)
        if classes is not None:
            labels = checked_classes(np.asarray(classes), n_rows, n_classes)
        self._describe(sizes_of_classes(labels, times, n_classes or 0), n_codes, choose_kernel(kernel), n_jobs)
        # As they come, where there is nothing to sort by.
        sorted_already = times is None and bool((labels[1:] >= labels[:-1]).all())
        self._check_room(0 if sorted_already else n_rows, weighted=times is not None)
        order = np.empty(0, np.uint32) if sorted_already else class_order(labels, times, self.n_classes)[0]
        self._take(_native.Packed(self.class_sizes, order, self.arities, self.kernel.name, self.kernel.storage))
        del order  # the engine has its own
        self.run_groups(
            lambda block: self.packed.pack(table, int(block[0]), int(block[-1]) + 1),
            self.n_samples * self.n_features * 1e-9,
            self.layout.all_groups,
        )

    @classmethod
    def of_packed(
        cls,
        packed: _native.Packed,
        class_sizes: Integers,
        arities: NDArray[np.int32],
        kernel: KernelChoice,
        n_jobs: int | None,
    ) -> PackedSource:
        """The source of a table that is packed, or about to be."""
        source = cls.__new__(cls)
        source._describe(class_sizes, arities, kernel, n_jobs)
        source._take(packed)
        return source

    def _describe(
        self, class_sizes: Integers, arities: NDArray[np.int32], kernel: KernelChoice, n_jobs: int | None
    ) -> None:
        self.class_sizes, self.arities, self.kernel, self.n_jobs = class_sizes, arities, kernel, n_jobs
        self.n_samples, self.n_classes, self.n_features = int(class_sizes.sum()), len(class_sizes), len(arities)

    def _take(self, packed: _native.Packed) -> None:
        self.packed = packed
        self.hints = self.layout = PackedLayout(packed, self.arities, self.n_samples, self.n_classes)

    def _check_room(self, n_sorted: int, weighted: bool) -> None:
        """Refuse, before memory is taken for it, a table that does not fit."""
        if self.n_samples * (16 + 8 * self.n_features) * 8 < WITHOUT_LOOKING:  # eight columns take 64 planes at most
            return
        what = f"the weights sum to {self.n_samples:,} samples, which take" if weighted else "the packed table takes"
        advice = "scale them down, such as by np.rint(100 * w / w.max())" if weighted else "keep fewer columns or rows"
        try:  # the arrays of an empty order are asked for, but not written to: no memory is taken
            empty = np.empty(0, np.uint32)
            plan = _native.Packed(self.class_sizes, empty, self.arities, self.kernel.name, self.kernel.storage)
        except MemoryError:  # beyond what may be asked for at all
            raise MemoryError(f"{what} more than this process may ask for: {advice}") from None
        # The order of the samples is 32 bits each, for a moment twice: here and in the engine. It is made of the
        # classes, of 32 bits each, or of the order of the rows and their weights.
        order = 4 * self.n_samples if n_sorted else 0
        sorting = order + (12 if weighted else 4) * n_sorted
        check_room(max(sorting, 2 * order, order + plan.nbytes), what, advice)

    @property
    def nbytes(self) -> int:
        """Memory of the packed table."""
        return self.packed.nbytes

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes

    def __reduce__(self) -> tuple[Any, ...]:
        """Made again of its codes, by the fastest kernel of the machine where that happens."""
        dtype = np.uint8 if self.arities.max() <= 256 else np.uint16
        codes = np.empty((self.n_samples, self.n_features), dtype, order="F")
        for feature in range(self.n_features):
            codes[:, feature] = self.codes(feature)
        again = partial(PackedSource, n_classes=self.n_classes, n_jobs=self.n_jobs)
        return again, (codes, self.sample_classes), {"search": self.search}

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
        """The tables of the pivot (None: no pivot) with each of ``columns``, of shape (codes, codes, classes)."""
        n_first, n_classes = 1 if pivot is None else int(self.arities[pivot]), self.n_classes if by_class else 1
        n_codes = self.arities[columns].astype(np.int64)
        whole = n_codes * n_first * n_classes <= DENSE_CELLS
        cells = dense_cells(self.packed, pivot, columns[whole], n_first, n_codes[whole], n_classes)
        found = iter(tables_of(cells, n_first, n_codes[whole], n_classes))
        others = iter(() if whole.all() else super().tables(pivot, columns[~whole], by_class))
        return [next(found if of else others) for of in whole]

    def partition(self) -> PackedPartition:
        """All samples in one part, to be refined by conditioning features."""
        return PackedPartition(self)

    def marginal_sums(self, terms: Terms) -> tuple[Integers, Integers]:
        """``S_x`` and ``S_xc`` of every feature."""
        pooled, with_class = np.empty((2, self.n_features), np.int64)
        self._fill_sums(terms, -1, self.layout.all_groups, pooled, with_class)
        return pooled, with_class

    def pair_sums(
        self,
        terms: Terms,
        pivot: int,
        columns: Columns | None,
        by_class: bool,
        out: tuple[Integers, Integers | None] | None = None,
    ) -> tuple[Integers, Integers | None]:
        """``S_xy`` and ``S_xyc`` of the pivot with ``columns``; None: all, written to ``out``."""
        if out is None or columns is not None:
            out = np.empty(self.n_features, np.int64), np.empty(self.n_features, np.int64) if by_class else None
        xy, xyc = out
        self._fill_sums(terms, pivot, self.layout.groups_of(columns), xy, xyc)
        if columns is None:
            return xy, xyc
        return xy[columns], None if xyc is None else xyc[columns]

    def _fill_sums(self, terms: Terms, pivot: int, groups: Integers, xy: Integers, xyc: Integers | None) -> None:
        self.run_groups(
            lambda block: self.packed.row_sums(terms.table, terms.shift, pivot, block, xy, xyc),
            self.layout.seconds(1, groups),
            groups,
        )

    def matrix(
        self, terms: Terms, form: PairForm, dtype: DTypeLike, columns: Columns | None = None, progress: Progress = None
    ) -> Matrix:
        """``form`` of every pair of ``columns`` (None: all), a square matrix."""
        gathered = None if columns is None else self.gathered(columns)
        if gathered is not None:
            form = form._replace(row=form.row[columns], column=form.column[columns])
            return gathered.matrix(terms, form, dtype, None, progress)
        chosen = np.arange(self.n_features) if columns is None else columns
        place = self._places(chosen)
        out = square_matrix(len(chosen), dtype)
        fill = partial(self.packed.matrix_block, terms.table, terms.shift, *form)
        run_blocks(
            lambda block: fill(block, place, out),
            self.layout.matrix_blocks(chosen, thread_count(self.n_jobs)),
            self.n_jobs,
            progress,
        )
        return out

    def matrix_rows(
        self, terms: Terms, form: PairForm, pivots: Columns, columns: Columns, out: NDArray[np.floating]
    ) -> None:
        """``form`` of every pair of a pivot and a column, written to ``out`` of shape (pivots, columns), C order."""
        place, groups = self._places(columns), self.layout.groups_of(columns)

        def fill(block: Integers) -> None:
            rows = out[block[0] : block[-1] + 1]
            self.packed.matrix_rows(terms.table, terms.shift, *form, pivots[block], groups, place, rows)

        self.run_groups(fill, self.layout.seconds(len(pivots), groups), np.arange(len(pivots), dtype=np.int64))

    def minima(self, terms: Terms, start: Integers) -> PackedMinima | None:
        """Least sums over some pivots, computed lazily, where all features are bit planes."""
        return PackedMinima(self, terms, start) if self.packed.all_planes else None

    def _places(self, columns: Columns) -> Integers:
        """The place of every feature in ``columns``; -1: none."""
        place = np.full(self.n_features, -1, np.int64)
        place[columns] = np.arange(len(columns))
        return place

    def cell_counts(self, pivot: int | None, columns: Columns, by_class: bool) -> tuple[Integers, Integers | None]:
        """The counts of the tables of the pivot (None: no pivot) with ``columns``, one row a column."""
        pairs = (1 if pivot is None else int(self.arities[pivot])) * int(self.arities[columns].max())
        xy = np.zeros((len(columns), min(pairs, max(self.n_samples, PLANE_CELLS))), np.int64)
        xyc = None
        if by_class:
            xyc = np.zeros((len(columns), min(pairs * self.n_classes, self.n_samples)), np.int64)
        self.packed.pair_cells(-1 if pivot is None else pivot, np.ascontiguousarray(columns, np.int64), xy, xyc)
        return xy, xyc

    def joined(self, groups: Sequence[Columns]) -> PackedSource:
        """The same samples with one feature for each group of columns, its codes their joint values that occur."""
        codes = np.empty((self.n_samples, len(groups)), np.uint16, order="F")
        for place, group in enumerate(groups):
            joint = JointCodes(self)
            for column in group:
                joint = joint.refine(int(column))
            check_joint_values(group, len(joint.keys))
            codes[:, place] = joint.part
        kernel = self.kernel.asked
        return PackedSource(codes, self.sample_classes, n_classes=self.n_classes, n_jobs=self.n_jobs, kernel=kernel)

    def gathered(self, columns: Columns) -> PackedSource | None:
        """The same samples with some of the columns, side by side; None where that does not pay."""
        if not self.layout.scattered(columns) or self.nbytes * len(columns) > GATHERED_BYTES * self.n_features:
            return None
        of_these = self.packed.gathered(columns), self.class_sizes, self.arities[columns]
        return PackedSource.of_packed(*of_these, self.kernel, self.n_jobs)

    def run_groups(self, work: Callable[[Integers], object], seconds: float, groups: Integers) -> None:
        """Spread SIMD groups over threads in blocks, several a thread so that a busy core does not hold up the rest."""
        threads = thread_count(self.n_jobs)
        if threads > 1:
            threads = min(threads, int(seconds / WORTH_A_THREAD), len(groups))
        if threads <= 1:
            if len(groups):
                work(groups)
            return
        run_blocks(work, np.array_split(groups, min(4 * threads, len(groups))), threads)
