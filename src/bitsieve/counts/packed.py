"""Tables counted from a matrix of codes in memory, by the native engine.

Cost: packing reads every code once; a row of pair sums reads every bit plane once; a matrix does n/2 rows, in
blocks that stay in the cache. Memory: the bit planes, ``(arity - 1) / 8`` bytes per sample and feature.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Self

import numpy as np

from bitsieve import _native
from bitsieve.common.attributes import cached_property
from bitsieve.counts.blocks import run_blocks, thread_count
from bitsieve.counts.checks import MAX_CODES, check_room, checked_classes, checked_codes, checked_weights
from bitsieve.counts.kernels import KernelChoice, choose_kernel
from bitsieve.counts.packed_partition import MemoryStrata
from bitsieve.counts.terms import Terms, entropy_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from bitsieve.counts.source import PairForm

WORTH_A_THREAD = 300e-6  # seconds of work below which starting a thread costs more than it saves
PLANE_CELLS = 64 * 64  # of the table of two features stored as planes, at most
TALLY_WIDTH = 16  # units a block where features are counted by the tally: what its counters leave of that cache
BLOCK_BYTES = 256 << 10  # planes of one side of a matrix block: half of a common second-level cache


class MemoryCounts:
    """Count source over an array of codes.

    Parameters
    ----------
    codes : array of shape (n_samples, n_features), uint8 or uint16 (other integers are converted)
        Feature i holds codes ``0 .. arities[i] - 1``. Fortran order packs fastest.
    classes : array of shape (n_samples,), optional
        Class codes ``0 .. n_classes - 1``; None counts everything as one class.
    n_classes : int, optional
        By default the largest class code plus one.
    weights : array of shape (n_samples,), optional
        Whole numbers from 1: how many times each row stands. The codes are not copied for it.
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
        n_jobs: int | None = None,
        kernel: str | None = None,
    ) -> None:
        table = checked_codes(np.asarray(codes))
        n_rows, self.n_features = table.shape
        times = None if weights is None else checked_weights(np.asarray(weights), n_rows)
        self.n_samples = n_rows if times is None else int(times.sum())
        self.n_jobs = n_jobs
        self.kernel: KernelChoice = choose_kernel(kernel)
        self.arities: NDArray[np.int32] = table.max(axis=0).astype(np.int32) + np.int32(1)
        self.terms: Terms = entropy_terms(self.n_samples)
        labels = np.zeros(n_rows, np.uint8)
        order = np.empty(0, np.uint32)  # as they come
        if classes is not None:
            labels = checked_classes(np.asarray(classes), n_rows, n_classes)
            small = labels.astype(np.uint16) if int(labels.max()) < MAX_CODES else labels
            order = np.argsort(small, kind="stable").astype(np.uint32)  # 16 bits: numpy's radix sort
        if times is not None:
            check_room(self.n_samples, self.arities)
            rows = order if len(order) else np.arange(n_rows, dtype=np.uint32)
            order = np.repeat(rows, times[rows])
        # Sums of weights are at most 2**31: the floats that bincount makes of them are exact.
        self.class_sizes = np.bincount(labels, times, minlength=n_classes or 0).astype(np.int64)
        self.n_classes = len(self.class_sizes)
        self.packed = _native.Packed(self.class_sizes, order, self.arities, self.kernel.name, self.kernel.storage)
        self._units = np.arange(self.packed.n_units, dtype=np.int64)
        self.run_units(
            lambda block: self.packed.pack(table, int(block[0]), int(block[-1]) + 1),
            self.n_samples * self.n_features * 1e-9,
            self._units,
        )

    @property
    def nbytes(self) -> int:
        """Memory of the packed table."""
        return self.packed.nbytes

    @cached_property
    def row_seconds(self) -> float:
        """A rough prediction of the time of one row of pair sums over all columns."""
        inner = np.minimum((self.arities.astype(np.float64) - 1) ** 2 * 1e-3, 0.6)  # ns a sample and pair
        cells = np.minimum(self.arities.astype(np.float64) ** 2 * (self.n_classes + 1), 3.0 * self.n_samples)
        return float((inner * self.n_samples + 0.7 * cells).sum()) * 1e-9

    def marginal_sums(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """``S_x`` and ``S_xc`` of every feature."""
        alone, with_class = np.empty((2, self.n_features), np.int64)
        self.pair_sums(-1, None, True, (alone, with_class))
        return alone, with_class

    def pair_sums(
        self,
        pivot: int,
        columns: NDArray[np.intp] | None,
        within_classes: bool,
        out: tuple[NDArray[np.int64], NDArray[np.int64] | None] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        """``S_xy`` and ``S_xyc`` of the pivot (-1: a constant) with ``columns``; None: all, written to ``out``."""
        if out is None or columns is not None:
            out = np.empty(self.n_features, np.int64), np.empty(self.n_features, np.int64) if within_classes else None
        xy, xyc = out
        table, shift = self.terms.table, self.terms.shift
        units = self.units_of(columns)
        self.run_units(
            lambda block: self.packed.row_sums(table, shift, pivot, block, xy, xyc),
            self.row_seconds * len(units) / len(self._units),
            units,
        )
        if columns is None:
            return out
        return xy[columns], None if xyc is None else xyc[columns]

    def matrix(
        self,
        form: PairForm,
        dtype: DTypeLike,
        columns: NDArray[np.intp] | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> NDArray[np.floating]:
        """``form`` of every pair of ``columns`` (None: all), a square matrix."""
        chosen = np.arange(self.n_features) if columns is None else columns
        place = np.full(self.n_features, -1, np.int64)
        place[chosen] = np.arange(len(chosen))
        out = np.empty((len(chosen), len(chosen)), dtype)
        table, shift = self.terms.table, self.terms.shift

        def fill(block: list[int]) -> None:
            self.packed.matrix_block(table, shift, *form, block, place, out)

        units = self._unit_of[chosen]
        run_blocks(fill, self._matrix_blocks(int(units.min()), int(units.max()) + 1), self.n_jobs, progress)
        return out

    def matrix_rows(
        self, form: PairForm, pivots: NDArray[np.intp], columns: NDArray[np.intp], out: NDArray[np.floating]
    ) -> None:
        """``form`` of every pair of a pivot and a column, written to ``out`` of shape (pivots, columns), C order."""
        place = np.full(self.n_features, -1, np.int64)
        place[columns] = np.arange(len(columns))
        units = np.unique(self._unit_of[columns])
        table, shift = self.terms.table, self.terms.shift

        def fill(block: NDArray[np.int64]) -> None:
            rows = out[block[0] : block[-1] + 1]
            self.packed.matrix_rows(table, shift, *form, pivots[block], units, place, rows)

        seconds = self.row_seconds * len(pivots) * len(units) / len(self._units)
        self.run_units(fill, seconds, np.arange(len(pivots), dtype=np.int64))

    @cached_property
    def storage_order(self) -> NDArray[np.intp]:
        """All features, those of a unit side by side."""
        return np.argsort(self._unit_of, kind="stable")

    def pair_table(self, i: int, j: int) -> NDArray[np.int64]:
        """The counts of features i and j and the class, shape (arities[i], arities[j], n_classes)."""
        shape = (int(self.arities[i]), int(self.arities[j]), self.n_classes)
        out = np.empty(shape, np.int64)
        self.packed.pair_table(i, j, out.reshape(-1))
        return out

    def cell_counts(
        self, pivot: int, columns: NDArray[np.intp], within_classes: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        """The counts of the tables of the pivot (-1: a constant) with ``columns``, one row a column."""
        pairs = (1 if pivot < 0 else int(self.arities[pivot])) * int(self.arities[columns].max())
        xy = np.zeros((len(columns), min(pairs, max(self.n_samples, PLANE_CELLS))), np.int64)
        xyc = None
        if within_classes:
            xyc = np.zeros((len(columns), min(pairs * self.n_classes, self.n_samples)), np.int64)
        self.packed.pair_cells(pivot, np.ascontiguousarray(columns, np.int64), xy, xyc)
        return xy, xyc

    def counting_order(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """``columns`` by units."""
        return columns[np.argsort(self._unit_of[columns], kind="stable")]

    def with_terms(self, terms: Terms) -> Self:
        """The same counts, with other terms to be summed."""
        other = copy(self)
        other.terms = terms
        return other

    def strata(self) -> MemoryStrata:
        """All samples as one stratum, to be refined."""
        return MemoryStrata(self)

    def merged(self, groups: Sequence[NDArray[np.intp]]) -> MemoryCounts:
        """The same samples with one feature for each group of columns: its codes tell every combination that occurs.

        Raises
        ------
        ValueError
            If a group has more than 65,536 combinations.
        """
        codes = np.empty((self.n_samples, len(groups)), np.uint16, order="F")
        code = np.empty(self.n_samples, np.uint16)
        for place, group in enumerate(groups):
            joint = np.zeros(self.n_samples, np.int64)
            for column in group:
                self.packed.codes(int(column), code)
                joint = np.unique(joint * int(self.arities[column]) + code, return_inverse=True)[1]
            if joint.max() >= MAX_CODES:
                raise ValueError(
                    f"a group of {len(group)} columns has {joint.max() + 1:,} combinations: at most 65,536"
                )
            codes[:, place] = joint
        classes = np.repeat(np.arange(self.n_classes), self.class_sizes)
        return MemoryCounts(codes, classes, n_classes=self.n_classes, n_jobs=self.n_jobs, kernel=self.kernel.name)

    def companions(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """``columns`` and those in the same units, ascending."""
        wanted = np.zeros(self.packed.n_units, bool)
        wanted[self._unit_of[columns]] = True
        return np.flatnonzero(wanted[self._unit_of])

    def units_of(self, columns: NDArray[np.intp] | None) -> NDArray[np.int64]:
        """The units (eights of features) that hold ``columns``; None: all."""
        return self._units if columns is None else np.unique(self._unit_of[columns])

    @cached_property
    def _unit_of(self) -> NDArray[np.int64]:
        return np.array([self.packed.unit_of(i) for i in range(self.n_features)], np.int64)

    def run_units(
        self,
        work: Callable[[NDArray[np.int64]], object],
        seconds: float,
        units: NDArray[np.int64],
    ) -> None:
        """Spread units over threads in blocks, several a thread so that a busy core does not hold up the rest."""
        threads = thread_count(self.n_jobs)
        if threads > 1:
            threads = min(threads, int(seconds / WORTH_A_THREAD), len(units))
        if threads <= 1:
            if len(units):
                work(units)
            return
        run_blocks(work, np.array_split(units, min(4 * threads, len(units))), threads)

    def _matrix_blocks(self, first: int, last: int) -> list[list[int]]:
        """Upper-triangle blocks [i0, i1, j0, j1) of units; the columns of one fit the second-level cache."""
        n_units = last - first
        unit_bytes = max(self.packed.nbytes // self.packed.n_units, 1)
        width = int(np.clip(BLOCK_BYTES // unit_bytes, 1, 256))
        height = max(width, min(64, -(-n_units // (8 * thread_count(self.n_jobs)))))
        if self.packed.tallied:  # rows are independent of each other, and each prepares its samples for a whole block
            width, height = TALLY_WIDTH, 2
        return [
            [i, min(i + height, last), j, min(j + width, last)]
            for j in range(first, last, width)
            for i in range(first, min(j + width, last), height)
        ]
