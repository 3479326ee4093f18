"""The bounds of candidates that are columns of codes: frequencies within each class, not smoothed.

    naive      q(x_f|x_S,c) = p(x_f|c)
    pairwise   q(x_f|x_S,c) = prod_s p(x_f|x_s,c)^(1/#S), 1 where (x_s, c) does not occur

All bounds are first computed in float32, whose error is bounded; the few that may be the largest are computed in
float64. No bound is above H(C): the first candidate that reaches it is chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.threads import spread
from bitsieve.diagnostics import UserError
from bitsieve.methods.by_samples.variational.bounds import LANES, Bound, SampleWeights
from bitsieve.utils.arrays import Columns, Floats, Integers
from bitsieve.utils.choice import TIE

Codes = NDArray[np.uint8] | NDArray[np.uint16]
Features = Integers  # columns as native functions take them

NO_FEATURE = -1  # in place of a chosen feature: the tables are those of the classes alone
MAX_TABLE_BYTES = 1 << 30  # of the tables of all features given one
MIN_CANDIDATES_A_CALL = 64  # of a native call, which takes more of them up to CALL_LIKELIHOODS likelihoods
CALL_LIKELIHOODS = 1 << 21
LIKELIHOODS_A_THREAD = 300_000  # about 0.3 ms: for less, waking a thread costs more than it saves
N_TRIED_FIRST = 32  # candidates that are computed first where one of them may reach H(C)
MAX_CACHED_LOGS = 1 << 14  # counts whose log2 is computed once
STATE_BYTES = 2 << 30  # of the sums of logarithms of the candidates
EXACT_BYTES = 64 << 20  # of the tables of the candidates of one native call in float64
FLOAT32_ROUNDING = 2.0**-24  # relative
FLOAT64_ROUNDING = 2.0**-53
POWER_ERROR = 1e-13  # bits: of 2^x and log2 of native/samples/variational.hpp, twice


class CodeTable:
    """Columns of codes, shape (n_samples, n_features), sorted by class and padded to whole blocks of eight samples."""

    def __init__(self, codes: Codes, class_sizes: Integers, n_jobs: int | None) -> None:
        self.n_samples, self.n_features = codes.shape
        n_padded = -(-self.n_samples // LANES) * LANES
        self.codes: Codes = np.zeros((n_padded, self.n_features), codes.dtype, order="F")
        self.codes[: self.n_samples] = codes
        self.arities = codes.max(axis=0).astype(np.int32) + np.int32(1)
        self.varies = (codes != codes[0]).any(axis=0)
        self.class_sizes = class_sizes
        self.log_counts = _native.log2_of_counts(min(self.n_samples + 1, MAX_CACHED_LOGS))
        self.n_jobs = n_jobs
        self.kernel = choose_kernel().name
        self.max_candidates_a_call = max(MIN_CANDIDATES_A_CALL, CALL_LIKELIHOODS // (self.n_samples * len(class_sizes)))

    @property
    def arguments(self) -> tuple[Codes, NDArray[np.int32], Integers, Floats]:
        """The arguments of native functions that count tables."""
        return self.codes, self.arities, self.class_sizes, self.log_counts

    def spread(self, work: Callable[[Features], object], features: Features, max_features: int) -> None:
        """Call ``work`` on batches of at most ``max_features`` features, on as many threads as it pays to wake."""
        likelihoods = len(features) * self.n_samples * len(self.class_sizes)
        spread(work, features, likelihoods // LIKELIHOODS_A_THREAD, self.n_jobs, max_features)


class Tables(NamedTuple):
    """Probabilities, or their log2, of every feature's codes, by class and the code of a chosen feature."""

    cells: Floats | NDArray[np.float32]
    offset: Integers  # the first cell of each feature
    true_class: Floats  # for each feature, sum_n log2 p of the samples n in their own classes

    @classmethod
    def unconditional(cls, table: CodeTable, dtype: type) -> Tables:
        """p(x_f|c) of all features, in float32 or float64."""
        stride_of = _native.table_stride_float32 if dtype == np.float32 else _native.table_stride_float64
        stride = np.array([stride_of(arity) for arity in table.arities.tolist()], np.int64)
        return cls._counted(table, NO_FEATURE, stride, dtype, logs=False)

    @classmethod
    def conditional(cls, table: CodeTable, chosen: int, n_before: int) -> Tables:
        """log2 p(x_f|x_s,c) of all features given a chosen one, in float32; ``n_before`` such tables are in memory."""
        n_chosen_codes = int(table.arities[chosen])
        strides = [_native.table_stride_float32(n_chosen_codes * arity) for arity in table.arities.tolist()]
        stride = np.array(strides, np.int64)
        needed = 4 * int(stride.sum()) * len(table.class_sizes) * (n_before + 1)
        if needed > MAX_TABLE_BYTES:
            raise UserError(
                code="not-enough-memory",
                message=(
                    f"the tables of all columns with column {chosen} of {n_chosen_codes:,} codes need "
                    f"{needed / 2**30:.1f} GiB, more than {MAX_TABLE_BYTES / 2**30:g} GiB"
                ),
                advice="use fewer bins",
            )
        return cls._counted(table, chosen, stride, np.float32, logs=True)

    @classmethod
    def _counted(cls, table: CodeTable, chosen: int, stride: Integers, dtype: type, *, logs: bool) -> Tables:
        """The tables of all features. ``stride`` has the number of cells of each feature in one class."""
        sizes = stride * len(table.class_sizes)
        tables = cls(np.empty(int(sizes.sum()), dtype), np.cumsum(sizes) - sizes, np.empty(table.n_features))
        table.spread(
            lambda features: tables.fill(table, chosen, features, logs),
            np.arange(table.n_features),
            table.max_candidates_a_call,
        )
        return tables

    def fill(self, table: CodeTable, chosen: int, features: Features, logs: bool) -> None:
        """Count the tables of some features given a chosen one (or ``NO_FEATURE``): probabilities, or their log2."""
        _native.likelihood_tables(
            table.kernel, *table.arguments, chosen, features, self.offset, logs, self.cells, self.true_class
        )


class NaiveBound(Bound):
    """Bounds with every feature independent of the others within a class."""

    def __init__(self, table: CodeTable) -> None:
        super().__init__(table.varies, table.class_sizes)
        self.table = table
        self._unconditional_tables = Tables.unconditional(table, np.float64)
        self._unconditional_tables_float32 = Tables.unconditional(table, np.float32)

    def single_bounds(self) -> Floats:
        return self._values(np.arange(self.n_features), self.posterior.weighted, self._unconditional_tables)

    def best(self, candidates: Columns) -> tuple[int, float]:
        largest_possible = self._largest_possible()
        if self.posterior.bound > largest_possible - 2 * self.float32_error():
            chosen, value = super().best(candidates[:N_TRIED_FIRST])
            if value >= largest_possible:
                return chosen, value
        return self.best_of(candidates, self.float32_values(candidates))

    def best_of(self, candidates: Columns, float32_bounds: Floats) -> tuple[int, float]:
        """:meth:`best`, given all bounds in float32."""
        contenders = candidates[float32_bounds >= float32_bounds.max() - 2 * self.float32_error() - TIE]
        chosen, value = super().best(contenders[:N_TRIED_FIRST])
        if value >= self._largest_possible() or len(contenders) <= N_TRIED_FIRST:
            return chosen, value
        return super().best(contenders)

    def _largest_possible(self) -> float:
        """H(C), with the rounding of n + #S logarithms, less a tie: no bound is larger than this by more than a tie."""
        n_samples = self.posterior.n_samples
        rounding = FLOAT64_ROUNDING * (n_samples + self.posterior.n_chosen + 8) * float(np.log2(n_samples + 1))
        return self.posterior.entropy + rounding + POWER_ERROR - TIE

    def float32_error(self) -> float:
        """How far a bound in float32 may be from the true one, in bits: the roundings of about 2 (C + 16) numbers."""
        return FLOAT32_ROUNDING * 2 * (self.posterior.n_classes + 16)

    def float32_values(self, candidates: Columns) -> Floats:
        """The bound with S and each candidate, in bits, within the error of float32."""
        return self._values(candidates, self.posterior.weighted_float32(), self._unconditional_tables_float32)

    def values(self, candidates: Columns) -> Floats:
        return self._values(candidates, self.posterior.weighted, self._unconditional_tables)

    def _values(self, candidates: Columns, weighted: SampleWeights, tables: Tables) -> Floats:
        out = np.empty(self.n_features)
        kernel = self.posterior.kernel
        table = self.table

        def mix(features: Features) -> None:
            part = np.empty(len(features))
            _native.naive_sums(
                kernel, *weighted, table.codes, table.arities, tables.cells, tables.offset, features, part
            )
            out[features] = part

        table.spread(mix, candidates.astype(np.int64), table.max_candidates_a_call)
        return self.posterior.bounds(tables.true_class[candidates], out[candidates])

    def add(self, feature: int) -> None:
        table = self.table
        n_classes = len(table.class_sizes)
        stride = _native.table_stride_float64(int(table.arities[feature]))
        cells = np.empty(stride * n_classes)
        tables = Tables(cells, np.zeros(table.n_features, np.int64), np.empty(table.n_features))
        tables.fill(table, NO_FEATURE, np.array([feature]), True)
        logs = cells.reshape(n_classes, stride)[:, table.codes[:, feature]]
        self.posterior.multiply(logs.reshape(n_classes, -1, LANES).transpose(1, 0, 2))


class PairwiseBound(NaiveBound):
    """Bounds with every feature given each of the chosen ones within a class, averaged geometrically."""

    def __init__(self, table: CodeTable) -> None:
        super().__init__(table)
        n_likelihoods = int(np.prod(self.posterior.shape))
        self.n_with_state = min(self.n_features, STATE_BYTES // (4 * n_likelihoods))
        #: The sum over the chosen features s of log2 p(x_f|x_s,c), of the first features f.
        self._state = np.zeros((self.n_with_state, n_likelihoods), np.float32)
        self._empty_chosen()

    def _empty_chosen(self) -> None:
        """Set S to the empty set."""
        self._chosen: list[int] = []
        self._n_in_state = 0  # how many of the chosen features the state includes
        self._tables: list[Tables] = []  # given each of these; empty where all features have a state
        self._true_class = np.zeros(self.n_features)  # sums over these of Tables.true_class

    def float32_error(self) -> float:
        """In bits: m log2 p, each at most L = log2 n_c, are off by (m / 2 + 4) L 2^-24, all else by 2 (C + 16)."""
        size = float(np.log2(self.table.class_sizes.max())) + 1
        return FLOAT32_ROUNDING * ((len(self._chosen) / 2 + 4) * size + 2 * (self.posterior.n_classes + 16))

    def float32_values(self, candidates: Columns) -> Floats:
        """The bound of S with each candidate; call it once for each S, as it adds the latest features to the state."""
        out = np.empty(self.n_features)
        features = candidates.astype(np.int64)
        tracked = features[features < self.n_with_state]
        others = features[features >= self.n_with_state]
        for chosen in self._chosen[self._n_in_state :]:
            tables = Tables.conditional(self.table, chosen, len(self._tables))
            self._true_class += tables.true_class
            if self.n_with_state < self.n_features:
                self._tables.append(tables)
            self._mix(tracked, [chosen], [tables], self._state.reshape(-1), out)
        self._n_in_state = len(self._chosen)
        self._mix(others, self._chosen, self._tables, None, out)
        return self.posterior.bounds(self._true_class[candidates] / len(self._chosen), out[candidates])

    def _mix(
        self,
        features: Features,
        chosen: list[int],
        tables: list[Tables],
        state: NDArray[np.float32] | None,
        out: Floats,
    ) -> None:
        """Compute the float32 sums of ``features``; the state, if any, takes in the ``chosen`` ones."""
        posterior = self.posterior
        table = self.table
        weighted = posterior.weighted_float32()
        exponent = 1 / len(self._chosen)
        cells = [tables_of_feature.cells for tables_of_feature in tables]
        offsets = [tables_of_feature.offset for tables_of_feature in tables]

        def mix(batch: Features) -> None:
            sums = np.empty(len(batch))
            _native.pair_sums_float32(
                posterior.kernel,
                *weighted,
                table.codes,
                table.arities,
                chosen,
                cells,
                offsets,
                exponent,
                state,
                batch,
                sums,
            )
            out[batch] = sums

        if len(features):
            table.spread(mix, features, table.max_candidates_a_call)

    def values(self, candidates: Columns) -> Floats:
        true_class = np.empty(self.n_features)
        out = np.empty(self.n_features)

        def mix(batch: Features) -> None:
            true_class_of_batch = np.empty(self.n_features)
            sums = np.empty(len(batch))
            self._exact_sums(batch, true_class_of_batch, sums, None)
            true_class[batch] = true_class_of_batch[batch]
            out[batch] = sums

        widest = int(self.table.arities.max())
        cells = widest * int(self.table.arities[self._chosen].sum()) * self.posterior.n_classes
        max_features = min(self.table.max_candidates_a_call, max(1, EXACT_BYTES // (8 * cells)))
        self.table.spread(mix, candidates.astype(np.int64), max_features)
        return self.posterior.bounds(true_class[candidates] / len(self._chosen), out[candidates])

    def _exact_sums(self, features: Features, true_class: Floats, out: Floats, state: Floats | None) -> None:
        posterior = self.posterior
        _native.pair_sums_float64(
            posterior.kernel, *posterior.weighted, *self.table.arguments, self._chosen, features, true_class, out, state
        )

    def add(self, feature: int) -> None:
        if self._chosen:
            logs = np.zeros(self.posterior.shape)
            self._exact_sums(np.array([feature]), np.empty(self.n_features), np.empty(1), logs.reshape(-1))
            self.posterior.multiply(logs * (1 / len(self._chosen)))
        else:
            super().add(feature)
        self._chosen.append(feature)

    def restart(self) -> None:
        super().restart()
        self._state[:] = 0
        self._empty_chosen()
