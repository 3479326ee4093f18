"""The bounds of candidates that are columns of codes: frequencies within each class, not smoothed.

    naive      q(x_f|x_S,c) = p(x_f|c)
    pairwise   q(x_f|x_S,c) = prod_s p(x_f|x_s,c)^(1/#S)

A code that a class does not hold has probability 0 there. A condition (x_s, c) that does not occur has no
conditional; 1 stands for it, which no bound can see: the likelihood of S is 0 in that class already.

Cost of a step: O(n d C) for n features, d samples, C classes. The pairwise state, a number a feature, sample and class,
is kept for as many features as fit STATE_BYTES; for the others it is summed anew in every step, O(n d C #S).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve import _native
from bitsieve.by_samples.posterior import LANES, Posterior
from bitsieve.counts.blocks import run_blocks, thread_count

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

STATE_BYTES = 1 << 30
TABLE_BYTES = 1 << 30  # of the tables of all features beside one
CHUNK = 64  # candidates of a native call


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
        self.n_jobs = n_jobs

    def spread(self, work: Callable[[NDArray[np.int64]], object], features: NDArray[np.int64]) -> None:
        """``work(some of the features)``, on the threads."""
        share = max(1, len(features) // (4 * thread_count(self.n_jobs)))
        size = min(CHUNK, share) if thread_count(self.n_jobs) > 1 else CHUNK
        run_blocks(work, [features[i : i + size] for i in range(0, len(features), size)], self.n_jobs)


class Tables(NamedTuple):
    """Probabilities, or their log2, of every feature's codes, by class and the code of a chosen feature."""

    cells: NDArray[np.float64]
    offset: NDArray[np.int64]
    own: NDArray[np.float64]  # of each feature, sum_n log2 p in the sample's own class

    @classmethod
    def beside(cls, table: CodeTable, chosen: int, *, logs: bool) -> Tables:
        """Tables of all features given a chosen one (-1: none).

        Raises
        ------
        ValueError
            If they do not fit ``TABLE_BYTES``.
        """
        rows = 1 if chosen < 0 else int(table.arities[chosen])
        stride = np.array([_native.table_stride(rows * arity) for arity in table.arities.tolist()], np.int64)
        sizes = stride * len(table.class_sizes)
        total = int(sizes.sum())
        if 8 * total > TABLE_BYTES:
            beside = f" beside column {chosen} of {rows:,} codes" if chosen >= 0 else ""
            raise ValueError(
                f"the tables of all columns{beside} need {total * 8 / 2**30:.1f} GiB, more than "
                f"{TABLE_BYTES / 2**30:g} GiB: use fewer bins"
            )
        made = cls(np.empty(total), np.cumsum(sizes) - sizes, np.empty(table.n_features))

        def fill(features: NDArray[np.int64]) -> None:
            first, last = int(features[0]), int(features[-1]) + 1
            _fill(table, chosen, first, last, made.offset, logs, made.cells, made.own)

        table.spread(fill, np.arange(table.n_features))
        return made


def _fill(
    table: CodeTable,
    chosen: int,
    first: int,
    last: int,
    offset: NDArray[np.int64],
    logs: bool,
    cells: NDArray[np.float64],
    own: NDArray[np.float64],
) -> None:
    _native.likelihood_tables(
        table.codes, table.arities, table.class_sizes, chosen, first, last, offset, logs, cells, own
    )


def _look_up(table: CodeTable, feature: int, chosen: int, cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """log2 p(x_f|x_s,c) by block, class and lane, from the cells of a feature; ``chosen`` = -1: log2 p(x_f|c)."""
    n_classes, arity = len(table.class_sizes), int(table.arities[feature])
    at = table.codes[:, feature].astype(np.int64)
    rows = 1
    if chosen >= 0:
        rows = int(table.arities[chosen])
        at += table.codes[:, chosen].astype(np.int64) * arity
    stride = _native.table_stride(arity * rows)
    logs = cells[: stride * n_classes].reshape(n_classes, stride)
    return logs[:, at].reshape(n_classes, -1, LANES).transpose(1, 0, 2)


class NaiveBound:
    """Bounds with every feature independent of the others within a class."""

    def __init__(self, table: CodeTable) -> None:
        self.table = table
        self.n_features = table.n_features
        self.varies = table.varies
        self.posterior = Posterior(table.class_sizes)
        self.tables = Tables.beside(table, -1, logs=False)

    def values(self, candidates: NDArray[np.intp]) -> NDArray[np.float64]:
        """The bound with each candidate beside the chosen features, in bits."""
        out = np.empty(self.n_features)
        posterior, tables, table = self.posterior, self.tables, self.table

        def mix(features: NDArray[np.int64]) -> None:
            part = np.empty(len(features))
            _native.naive_sums(
                posterior.kernel, *posterior.weighted, table.codes, table.arities, *tables[:2], features, part
            )
            out[features] = part

        table.spread(mix, candidates.astype(np.int64))
        return posterior.bounds(tables.own[candidates], out[candidates])

    def add(self, feature: int) -> None:
        """Put a feature into S."""
        table = self.table
        stride = _native.table_stride(int(table.arities[feature]))
        cells, own = np.empty(stride * len(table.class_sizes)), np.empty(table.n_features)
        offset = np.zeros(table.n_features, np.int64)
        _fill(table, -1, feature, feature + 1, offset, True, cells, own)
        self.posterior.multiply(_look_up(table, feature, -1, cells))

    def restart(self) -> None:
        """Empty S."""
        self.posterior.restart()


class PairwiseBound:
    """Bounds with every feature given each of the chosen ones within a class, averaged geometrically."""

    def __init__(self, table: CodeTable) -> None:
        self._alone = NaiveBound(table)
        self.table = table
        self.n_features, self.varies, self.posterior = table.n_features, self._alone.varies, self._alone.posterior
        row = int(np.prod(self.posterior.shape))
        self.n_kept = min(self.n_features, STATE_BYTES // (8 * row))
        self._state = np.zeros((self.n_kept, row))  # sum_s log2 p(x_f|x_s,c) over all s but the last
        self._forget()

    def _forget(self) -> None:
        self._chosen: list[int] = []
        self._tables: list[Tables] = []
        self._own = np.zeros(self.n_features)
        self._added = False  # whether the state holds the last chosen feature too

    def values(self, candidates: NDArray[np.intp]) -> NDArray[np.float64]:
        """The bound with each candidate beside the chosen features, in bits.

        The candidates must be among those of the call before, unless S was emptied in between.
        """
        if not self._chosen:
            return self._alone.values(candidates)
        out = np.empty(self.n_features)
        features = candidates.astype(np.int64)
        last = slice(len(self._chosen), None) if self._added else slice(-1, None)
        self._mix(features[features < self.n_kept], last, self._state.reshape(-1), out)
        self._mix(features[features >= self.n_kept], slice(None), None, out)
        self._added = True
        return self.posterior.bounds(self._own[candidates] / len(self._chosen), out[candidates])

    def _mix(
        self, features: NDArray[np.int64], pending: slice, state: NDArray[np.float64] | None, out: NDArray[np.float64]
    ) -> None:
        """Fill in the sums of ``features``; the state, if any, takes in the ``pending`` ones of the chosen."""
        posterior, table = self.posterior, self.table
        chosen = self._chosen[pending]
        cells = [tables.cells for tables in self._tables[pending]]
        offsets = [tables.offset for tables in self._tables[pending]]
        exponent = 1 / len(self._chosen)

        def mix(some: NDArray[np.int64]) -> None:
            part = np.empty(len(some))
            _native.power_sums(
                posterior.kernel,
                *posterior.weighted,
                table.codes,
                table.arities,
                chosen,
                cells,
                offsets,
                exponent,
                state,
                bool(chosen),
                some,
                part,
            )
            out[some] = part

        if len(features):
            table.spread(mix, features)

    def add(self, feature: int) -> None:
        """Put a feature into S."""
        if self._chosen:
            self.posterior.multiply(self._log_likelihoods(feature) * (1 / len(self._chosen)))
        else:
            self._alone.add(feature)
        tables = Tables.beside(self.table, feature, logs=True)
        if self.n_kept == self.n_features:
            self._tables = [tables._replace(cells=tables.cells[:0]) for tables in self._tables]
        self._tables.append(tables)
        self._own += tables.own
        self._chosen.append(feature)
        self._added = False

    def _log_likelihoods(self, feature: int) -> NDArray[np.float64]:
        """sum_s log2 p(x_f|x_s,c) by block, class and lane, in the order of choice."""
        if feature < self.n_kept:
            return self._state[feature].reshape(self.posterior.shape)
        total = np.zeros(self.posterior.shape)
        for chosen, tables in zip(self._chosen, self._tables, strict=True):
            total += _look_up(self.table, feature, chosen, tables.cells[tables.offset[feature] :])
        return total

    def restart(self) -> None:
        """Empty S."""
        self.posterior.restart()
        self._state[:] = 0
        self._forget()
