"""A packed table of codes: how its features are laid out, and what that makes cheap to count.

Features are counted eight at a time: the eight that share the registers of the processor are a SIMD group.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.common.lazy import cached_property
from bitsieve.common.memory import WITHOUT_LOOKING, check_room
from bitsieve.counts import Columns, Integers
from bitsieve.counts.contingency import ContingencyTable
from bitsieve.counts.kernels import KernelChoice
from bitsieve.counts.threads import run_blocks, thread_count

LANES = 8  # features of a SIMD group
COUNTERS_WIDTH = 16  # SIMD groups a block with packed counters: what the counters leave of the second-level cache
BLOCK_BYTES = 256 << 10  # planes of one side of a matrix block: half of a common second-level cache
WORTH_A_THREAD = 300e-6  # seconds of work below which starting a thread costs more than it saves


class PackedLayout:
    """A table of codes that is packed, or about to be, and its SIMD groups."""

    def __init__(
        self,
        packed: _native.Packed,
        class_sizes: Integers,
        arities: NDArray[np.int32],
        kernel: KernelChoice,
        n_jobs: int | None,
    ) -> None:
        self.packed, self.class_sizes, self.arities, self.kernel = packed, class_sizes, arities, kernel
        self.n_samples, self.n_features, self.n_jobs = int(class_sizes.sum()), len(arities), n_jobs
        self.all_groups = np.arange(packed.n_simd_groups, dtype=np.int64)
        codes = arities.astype(np.float64)
        inner = np.minimum((codes - 1) ** 2 * 1e-3, 0.6)  # ns a sample and pair
        cells = np.minimum(codes**2 * (len(class_sizes) + 1), 3.0 * self.n_samples)
        self.row_seconds = float((inner * self.n_samples + 0.7 * cells).sum()) * 1e-9

    @cached_property
    def group_of(self) -> Integers:
        """The SIMD group of every feature."""
        return self.packed.simd_groups()

    def groups_of(self, columns: Columns | None) -> Integers:
        """The SIMD groups that hold ``columns``; None: all."""
        return self.all_groups if columns is None else np.unique(self.group_of[columns])

    def seconds(self, n_rows: int, groups: Integers) -> float:
        """A rough prediction of the time of ``n_rows`` rows of pair sums over the columns of some SIMD groups."""
        return self.row_seconds * n_rows * len(groups) / len(self.all_groups)

    def scattered(self, columns: Columns) -> bool:
        """Whether the SIMD groups between the first and the last of ``columns`` hold mostly other columns."""
        groups = self.group_of[columns]
        return int(groups.max() - groups.min()) > 2 * (len(columns) // LANES + 1)

    def matrix_blocks(self, columns: Columns, threads: int) -> list[list[int]]:
        """Upper-triangle blocks [i0, i1, j0, j1) of SIMD groups; the columns of one fit the second-level cache."""
        groups = self.group_of[columns]
        first, last = int(groups.min()), int(groups.max()) + 1
        group_bytes = max(self.packed.nbytes // len(self.all_groups), 1)
        width = int(np.clip(BLOCK_BYTES // group_bytes, 1, 256))
        height = max(width, min(64, -(-(last - first) // (8 * threads))))
        if self.packed.uses_counters:  # rows are independent; each prepares its samples for a whole block
            width, height = COUNTERS_WIDTH, 2
        return [
            [i, min(i + height, last), j, min(j + width, last)]
            for j in range(first, last, width)
            for i in range(first, min(j + width, last), height)
        ]

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
        plan = _native.Packed(class_sizes, np.empty(0, np.uint32), arities, kernel.name, kernel.storage)
    except MemoryError:  # beyond what may be asked for at all
        raise MemoryError(f"{what} more than this process may ask for: {advice}") from None
    # The order of the samples is 32 bits each, for a moment twice: here and in the engine. It is made of the classes,
    # of 32 bits each, or of the order of the rows and their weights.
    order = 4 * n_samples if n_sorted else 0
    sorting = order + (12 if weighted else 4) * n_sorted
    check_room(max(sorting, 2 * order, order + plan.nbytes), what, advice)


def dense_cells(
    packed: _native.Packed, pivot: int | None, columns: Columns, n_first: int, n_codes: Integers, n_classes: int
) -> Integers:
    """The cells of the tables of the pivot (None: no pivot) with each of ``columns``, one table after the other.

    The tables have ``n_first`` codes of the pivot and ``n_codes`` of each column; ``n_classes`` 1 pools the classes.
    """
    out = np.zeros(int(n_codes.sum()) * n_first * n_classes, np.int64)
    place = -1 if pivot is None else pivot
    packed.pair_tables(place, n_first, np.ascontiguousarray(columns, np.int64), n_codes, n_classes, out)
    return out


def tables_of(cells: Integers, n_first: int, n_codes: Integers, n_classes: int) -> list[ContingencyTable]:
    """The tables of :func:`dense_cells`."""
    ends = np.cumsum(n_codes) * n_first * n_classes
    shapes = [(n_first, codes, n_classes) for codes in n_codes.tolist()]
    return [ContingencyTable(shape, of) for shape, of in zip(shapes, np.split(cells, ends[:-1]), strict=False)]
