"""Columns of codes as the variational bounds read them, and the probabilities of their codes within each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve import _native
from bitsieve.counts.blocks import run_blocks, thread_count
from bitsieve.counts.kernels import choose_kernel
from bitsieve.methods.by_samples.variational.posterior import LANES

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

TABLE_BYTES = 1 << 30  # of the tables of all features given one
CHUNK = 64  # candidates of a native call
KNOWN_LOGS = 1 << 14  # counts whose log2 is kept


class CodeTable:
    """Columns of codes, sorted by class and padded to whole blocks of eight samples.

    Parameters
    ----------
    codes : ndarray of uint8 or uint16, shape (n_samples, n_features)
        Samples sorted by class.
    class_sizes : ndarray of int64
    n_jobs : int or None
    """

    def __init__(
        self, codes: NDArray[np.uint8] | NDArray[np.uint16], class_sizes: NDArray[np.int64], n_jobs: int | None
    ) -> None:
        self.n_samples, self.n_features = codes.shape
        rows = -(-self.n_samples // LANES) * LANES
        self.codes = np.zeros((rows, self.n_features), codes.dtype, order="F")
        self.codes[: self.n_samples] = codes
        self.arities = codes.max(axis=0).astype(np.int32) + np.int32(1)
        self.varies = (codes != codes[0]).any(axis=0)
        self.class_sizes = class_sizes
        self.log_counts = _native.log2_of_counts(min(self.n_samples + 1, KNOWN_LOGS))
        self.n_jobs = n_jobs
        self.kernel = choose_kernel().name

    def spread(
        self, work: Callable[[NDArray[np.int64]], object], features: NDArray[np.int64], most: int = CHUNK
    ) -> None:
        """``work(some of the features)``, at most so many at a time, on the threads."""
        share = max(1, len(features) // (4 * thread_count(self.n_jobs)))
        size = min(most, share) if thread_count(self.n_jobs) > 1 else most
        run_blocks(work, [features[i : i + size] for i in range(0, len(features), size)], self.n_jobs)


class Tables(NamedTuple):
    """Probabilities, or their log2, of every feature's codes, by class and the code of a chosen feature."""

    cells: NDArray[np.float64] | NDArray[np.float32]
    offset: NDArray[np.int64]
    true_class: NDArray[np.float64]  # of each feature, sum_n log2 p of the samples in their own classes

    @classmethod
    def alone(cls, table: CodeTable, dtype: type) -> Tables:
        """p(x_f|c) of all features, in float32 or float64."""
        stride_of = _native.table_stride_float32 if dtype == np.float32 else _native.table_stride_float64
        stride = np.array([stride_of(arity) for arity in table.arities.tolist()], np.int64)
        return cls._made(table, -1, stride, dtype, logs=False)

    @classmethod
    def given(cls, table: CodeTable, chosen: int, n_held: int) -> Tables:
        """log2 p(x_f|x_s,c) of all features given a chosen one, in float32.

        Raises
        ------
        ValueError
            If they, and as large ones of ``n_held`` other features, do not fit ``TABLE_BYTES``.
        """
        rows = int(table.arities[chosen])
        stride = np.array([_native.table_stride_float32(rows * arity) for arity in table.arities.tolist()], np.int64)
        needed = 4 * int(stride.sum()) * len(table.class_sizes) * (n_held + 1)
        if needed > TABLE_BYTES:
            raise ValueError(
                f"the tables of all columns with column {chosen} of {rows:,} codes need {needed / 2**30:.1f} GiB, "
                f"more than {TABLE_BYTES / 2**30:g} GiB: use fewer bins"
            )
        return cls._made(table, chosen, stride, np.float32, logs=True)

    @classmethod
    def _made(cls, table: CodeTable, chosen: int, stride: NDArray[np.int64], dtype: type, *, logs: bool) -> Tables:
        sizes = stride * len(table.class_sizes)
        made = cls(np.empty(int(sizes.sum()), dtype), np.cumsum(sizes) - sizes, np.empty(table.n_features))
        table.spread(lambda features: made.fill(table, chosen, features, logs), np.arange(table.n_features))
        return made

    def fill(self, table: CodeTable, chosen: int, features: NDArray[np.int64], logs: bool) -> None:
        """Fill in the tables of some features given a chosen one (-1: none)."""
        _native.likelihood_tables(
            table.kernel,
            table.codes,
            table.arities,
            table.class_sizes,
            table.log_counts,
            chosen,
            features,
            self.offset,
            logs,
            self.cells,
            self.true_class,
        )
