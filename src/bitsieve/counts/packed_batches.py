"""A packed table that is filled batch by batch, in arrays that the caller provides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.packed import PackedTableSource, PageRelease
from bitsieve.counts.source import class_order
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Integers


class PackedBatches:
    """The packed table of all rows, to be filled with the codes of one batch of rows after the other.

    ``class_sizes`` are the samples of each class in all batches together. Call :meth:`use` with arrays of
    ``plane_words`` uint64 and ``wide_codes`` uint16, then :meth:`add` for every batch, then :meth:`finish`.
    """

    def __init__(self, class_sizes: Integers, arities: NDArray[np.int32], n_jobs: int | None = None) -> None:
        kernel = choose_kernel()
        no_order = np.empty(0, np.uint32)
        self._packed = _native.PackedTable(class_sizes, no_order, arities, kernel.name, kernel.storage, True)
        self._source = PackedTableSource(self._packed, class_sizes, arities, kernel, n_jobs)
        self._n_added = np.zeros(len(class_sizes), np.int64)  # samples of each class so far
        self.plane_words = self._packed.plane_words
        self.wide_codes = self._packed.wide_codes

    @staticmethod
    def kernel() -> str:
        """The kernel whose layout the planes have: another kernel may lay them out differently."""
        choice = choose_kernel()
        return f"{choice.name}:{choice.storage}"

    def use(
        self, planes: NDArray[np.uint64], wide: NDArray[np.uint16], page_release: PageRelease | None = None
    ) -> None:
        """Store the table in these arrays, which hold zeros or an earlier table.

        ``page_release`` gives back their pages where they are mapped from files.
        """
        self._packed.use(planes, wide)
        self._source.page_release = page_release

    def add(
        self,
        codes: NDArray[np.uint8] | NDArray[np.uint16] | list[NDArray[np.uint8]],
        classes: NDArray[np.integer],
        weights: Integers | None = None,
    ) -> None:
        """Pack the next rows: codes as a table or as a list of columns, classes, and frequency weights from 1."""
        order, sizes = class_order(classes, weights, len(self._n_added))

        def add_groups(first: int, end: int) -> None:
            self._packed.add(codes, order, sizes, self._n_added, first, end)

        self._source.run_all_groups(add_groups, len(classes) * self._source.n_features * 1e-9)
        self._n_added += sizes

    def finish(self) -> PackedTableSource:
        """Return the source of all rows that were added; refuse another number of rows than was announced."""
        if (self._n_added != self._source.class_sizes).any():
            raise UserError(
                code="data-changed",
                message=f"{int(self._n_added.sum()):,} samples were packed of {self._source.n_samples:,}",
                advice="the data is not what it was before",
            )
        return self._finished_source()

    def reopen(self) -> PackedTableSource:
        """Return the source of the table that the arrays hold from before; refuse arrays that hold none."""
        self._packed.check(0, self._packed.n_simd_groups)
        return self._finished_source()

    def _finished_source(self) -> PackedTableSource:
        source = self._source
        source.run_all_groups(self._packed.finish, source.n_samples * source.n_features * 1e-10)
        return source
