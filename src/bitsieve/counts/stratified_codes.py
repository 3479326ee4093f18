"""Tests within strata, counted by native code from the codes of the samples: no table is made.

A variable is the index of a column, or ``n_features`` for the class. The strata are the joint values of variables.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.source import CodedSource
from bitsieve.counts.tables import Terms
from bitsieve.counts.test_sums import OptionalSums, TestSums
from bitsieve.counts.threads import spread, thread_count
from bitsieve.utils.arrays import Columns, Integers

Variables = tuple[int, ...]

MAX_CACHED_SAMPLES = 1 << 24  # of all cached partitions together; each lists the samples
MAX_CODE_BYTES = 1 << 28  # the codes of all variables are in memory at once if they take no more
MAX_PAIR_CELLS = 1 << 24  # pairs of variables with more cells are counted as tables, which list those that occur
SECONDS_PER_SAMPLE = 1.5e-9  # to count a sample in a test
MIN_SECONDS_FOR_THREAD = 300e-6  # to wake a thread for less work costs more than it saves


class _Codes:
    """The codes of some variables, as native code takes them."""

    def __init__(self, source: CodedSource, variables: Iterable[int], n_codes: Integers) -> None:
        rows = list(variables)
        self.codes = np.empty((len(rows), source.n_samples), np.uint16)
        for row, variable in enumerate(rows):
            is_class = variable == source.n_features
            self.codes[row] = source.sample_classes if is_class else source.codes(variable)
        self.codes.flags.writeable = False  # native code checks them once
        self.native = _native.CodedVariables(self.codes, n_codes[rows])
        self.row = {variable: row for row, variable in enumerate(rows)}

    def rows_of(self, variables: Columns) -> Integers:
        """The rows of the variables."""
        return np.array([self.row[variable] for variable in variables.tolist()], np.int64)


class StratifiedCodes:
    """Counts the tests of pairs of variables within strata."""

    def __init__(self, source: CodedSource, n_codes: Integers, terms: Terms) -> None:
        self.source = source
        self.n_codes = n_codes  # by variable
        self._native = _native.IndependenceSums(terms.table, terms.shift)
        order = np.arange(source.n_samples, dtype=np.uint32)
        starts = np.array([0, source.n_samples], np.int64)
        self._partitions: dict[Variables, tuple[NDArray[np.uint32], Integers]] = {(): (order, starts)}
        self._max_partitions = max(8, MAX_CACHED_SAMPLES // source.n_samples)
        self._all_codes: _Codes | None = None
        self._has_room_for_all = 2 * source.n_samples * len(n_codes) <= MAX_CODE_BYTES

    def can_count(self, x: int) -> bool:
        """Whether all cells of the table of x with any other variable fit into memory."""
        return int(self.n_codes[x] * self.n_codes.max()) <= MAX_PAIR_CELLS

    def sums(self, x: int, others: Columns, strata: Variables, optional: OptionalSums) -> TestSums:
        """The sums of the tests of x with each of ``others`` within the joint values of ``strata``."""
        batches = pairwise(self._batch_edges(len(others)))
        return TestSums.joined([self._sums_of_batch(x, others[first:end], strata, optional) for first, end in batches])

    def _sums_of_batch(self, x: int, others: Columns, strata: Variables, optional: OptionalSums) -> TestSums:
        order, starts = self._partition(strata)
        codes = self._codes_of((x, *others.tolist()))
        grouped = _native.VariableInStrata(codes.native, codes.row[x], order, starts)
        rows = codes.rows_of(others)
        sums: dict[int, TestSums] = {}  # by the first of the rows that a thread worked on

        def count(indices: Columns) -> None:
            arrays = self._native.of_variables(
                grouped, codes.native, rows[indices], optional.expected_excess, optional.pearson
            )
            sums[int(indices[0])] = TestSums(*arrays)

        seconds = SECONDS_PER_SAMPLE * len(order) * len(others)
        spread(count, np.arange(len(others)), int(seconds / MIN_SECONDS_FOR_THREAD), self.source.n_jobs)
        return TestSums.joined([sums[first] for first in sorted(sums)])

    def _batch_edges(self, n_others: int) -> list[int]:
        """Where batches of variables begin and end whose codes are in memory together."""
        max_size = n_others
        if not self._has_room_for_all:
            max_size = max(thread_count(self.source.n_jobs), MAX_CODE_BYTES // (2 * self.source.n_samples))
        return [*range(0, n_others, max_size), n_others]

    def _codes_of(self, variables: Variables) -> _Codes:
        """The codes of these variables, and maybe of others."""
        if not self._has_room_for_all:
            return _Codes(self.source, variables, self.n_codes)
        if self._all_codes is None:
            self._all_codes = _Codes(self.source, range(len(self.n_codes)), self.n_codes)
        return self._all_codes

    def _partition(self, strata: Variables) -> tuple[NDArray[np.uint32], Integers]:
        """The samples stratum by stratum, and where each stratum begins and the last one ends.

        Strata of one sample are left out. Recent partitions are cached.
        """
        if strata not in self._partitions:
            *earlier, last = strata
            order, starts = self._partition(tuple(earlier))
            codes = self._codes_of((last,))
            if len(self._partitions) >= self._max_partitions:
                all_samples = self._partitions[()]
                self._partitions = {(): all_samples}
            self._partitions[strata] = codes.native.refine(codes.row[last], order, starts)
        return self._partitions[strata]
