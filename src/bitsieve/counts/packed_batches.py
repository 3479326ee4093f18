"""A packed table that is filled batch by batch, in memory of the caller: its planes may lie in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.packed_table import PackedLayout
from bitsieve.counts.rows import class_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.counts import Integers


class PackedBatches:
    """The planes of a table, to be filled with the codes of one batch of rows after the other.

    The planes are those that :class:`~bitsieve.counts.packed.PackedSource` makes of all rows at once.

    ``class_sizes`` are the samples of every class in all batches together; ``plane_words`` and ``wide_codes`` the sizes
    of the arrays that :meth:`use` takes, of uint64 and of uint16.
    """

    def __init__(self, class_sizes: Integers, arities: NDArray[np.int32], n_jobs: int | None = None) -> None:
        kernel = choose_kernel()
        none = np.empty(0, np.uint32)
        self._packed = _native.Packed(class_sizes, none, arities, kernel.name, kernel.storage, True)
        self._source = PackedSource.of_layout(PackedLayout(self._packed, class_sizes, arities, kernel, n_jobs))
        self._before = np.zeros(len(class_sizes), np.int64)
        self.plane_words, self.wide_codes = self._packed.plane_words, self._packed.wide_codes

    @staticmethod
    def kernel() -> str:
        """The kernel that the planes are laid out for; those of another one may be laid out otherwise."""
        chosen = choose_kernel()
        return f"{chosen.name}:{chosen.storage}"

    def use(self, planes: NDArray[np.uint64], wide: NDArray[np.uint16]) -> None:
        """Keep the table in these arrays: of zeros, or of what another one has left there."""
        self._packed.use(planes, wide)

    def add(
        self,
        codes: NDArray[np.uint8] | NDArray[np.uint16] | list[NDArray[np.uint8]],
        classes: NDArray[np.integer],
        weights: Integers | None = None,
    ) -> None:
        """Pack the next rows: codes as a table or a list of columns, classes, and frequency weights from 1."""
        order, sizes = class_order(classes, weights, len(self._before))

        def work(block: Integers) -> None:
            self._packed.add(codes, order, sizes, self._before, int(block[0]), int(block[-1]) + 1)

        layout = self._source.layout
        layout.run_groups(work, len(classes) * layout.n_features * 1e-9, layout.all_groups)
        self._before += sizes

    def finish(self) -> PackedSource:
        """The source of all rows that were added, refused if they are not as many as was said."""
        if (self._before != self._source.class_sizes).any():
            raise ValueError(
                f"{int(self._before.sum()):,} samples were packed of {self._source.n_samples:,}: the data is not what "
                "it was before"
            )
        return self._finished()

    def reopen(self) -> PackedSource:
        """The source of what the arrays hold from before, refused if that is no packed table."""
        self._packed.check(0, self._packed.n_simd_groups)
        return self._finished()

    def _finished(self) -> PackedSource:
        self._packed.finish(0, self._packed.n_simd_groups)
        return self._source
