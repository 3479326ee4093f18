"""Tables counted from a matrix of codes in memory, by the native engine.

Cost: packing reads every code once; a row of pair sums reads every bit plane once; a matrix does n/2 rows, in
blocks that stay in the cache. Memory: the bit planes, ``(arity - 1) / 8`` bytes per sample and feature.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bitsieve import _native
from bitsieve.counts.blocks import run_blocks, thread_count
from bitsieve.counts.kernels import KernelChoice, choose_kernel
from bitsieve.counts.terms import MAX_SAMPLES, Terms, entropy_terms
from bitsieve.sources.strata import MemoryStrata

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from bitsieve.counts.source import PairForm

MAX_CODES = 1 << 16
MAX_FEATURES = 10**6
WORTH_A_THREAD = 300e-6  # seconds of work below which starting a thread costs more than it saves
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
    n_jobs : int, optional
        Threads; the counts do not depend on it.
    kernel : str, optional
        A name of :func:`bitsieve.counts.kernels.available_kernels`; by default the fastest.

    Raises
    ------
    ValueError
        If a limit is passed: 65,536 codes a feature, 2**31 samples, 10**6 features; or a code is negative.
    """

    def __init__(
        self,
        codes: ArrayLike,
        classes: ArrayLike | None = None,
        *,
        n_classes: int | None = None,
        n_jobs: int | None = None,
        kernel: str | None = None,
    ) -> None:
        table = _checked_codes(np.asarray(codes))
        self.n_samples, self.n_features = table.shape
        self.n_jobs = n_jobs
        self.kernel: KernelChoice = choose_kernel(kernel)
        self.arities: NDArray[np.int32] = table.max(axis=0).astype(np.int32) + np.int32(1)
        self.terms: Terms = entropy_terms(self.n_samples)
        if classes is None:
            order = np.empty(0, np.uint32)
            self.class_sizes = np.array([self.n_samples], np.int64)
        else:
            labels = _checked_classes(np.asarray(classes), self.n_samples, n_classes)
            self.class_sizes = np.bincount(labels, minlength=n_classes or 0).astype(np.int64)
            small = labels.astype(np.uint16) if len(self.class_sizes) <= MAX_CODES else labels
            order = np.argsort(small, kind="stable").astype(np.uint32)  # 16 bits: numpy's radix sort
        self.n_classes = len(self.class_sizes)
        self.packed = _native.Packed(self.class_sizes, order, self.arities, self.kernel.name, self.kernel.table_only)
        self._units = np.arange(self.packed.n_units, dtype=np.int64)
        self.run_units(
            lambda block: self.packed.pack(table, int(block[0]), int(block[-1]) + 1), table.size * 1e-9, self._units
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

    def pair_table(self, i: int, j: int) -> NDArray[np.int64]:
        """The counts of features i and j and the class, shape (arities[i], arities[j], n_classes)."""
        shape = (int(self.arities[i]), int(self.arities[j]), self.n_classes)
        out = np.empty(shape, np.int64)
        self.packed.pair_table(i, j, out.reshape(-1))
        return out

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
        return [
            [i, min(i + height, last), j, min(j + width, last)]
            for j in range(first, last, width)
            for i in range(first, min(j + width, last), height)
        ]


def _checked_codes(codes: NDArray) -> NDArray:
    if codes.ndim != 2 or not codes.size:
        raise ValueError(
            f"codes of shape {codes.shape} are not a table; give (n_samples, n_features), neither of them 0"
        )
    if codes.dtype.kind not in "iub":
        raise ValueError(f"codes of type {codes.dtype} are not integers; bin the columns first")
    n_samples, n_features = codes.shape
    if n_samples > MAX_SAMPLES:
        raise ValueError(f"{n_samples} samples are more than the limit of 2**31; count them in parts")
    if n_features > MAX_FEATURES:
        raise ValueError(f"{n_features} features are more than the limit of 10**6; filter the columns first")
    if codes.dtype in (np.uint8, np.uint16):
        return codes
    if codes.dtype.kind == "i" and codes.min() < 0:
        raise ValueError(f"code {codes.min()} is negative; codes are 0, 1, 2, ... (CategoricalBinner makes them)")
    largest = int(codes.max())
    if largest >= MAX_CODES:
        raise ValueError(f"code {largest} is beyond the limit of 65,536 codes a feature; use fewer bins")
    return codes.astype(np.uint8 if largest < 256 else np.uint16)


def _checked_classes(classes: NDArray, n_samples: int, n_classes: int | None) -> NDArray:
    if classes.shape != (n_samples,):
        raise ValueError(f"classes of shape {classes.shape} do not fit {n_samples} samples; give one class a sample")
    if classes.dtype.kind not in "iub" or (classes.dtype.kind == "i" and classes.min() < 0):
        raise ValueError("classes must be codes 0, 1, 2, ...; encode the labels first")
    if n_classes is not None and int(classes.max()) >= n_classes:
        raise ValueError(f"class {int(classes.max())} is not below n_classes={n_classes}")
    return classes
