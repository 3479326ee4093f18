"""Tests within strata, counted by native code from the codes of the samples: no table is made.

A variable is the index of a column, or ``n_features`` for the class. The strata are the joint values of variables.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from bitsieve import _native
from bitsieve.counts.independence_sums import IndependenceSums, OptionalSums
from bitsieve.counts.source import CodedSource
from bitsieve.counts.tables import EntropyTerms
from bitsieve.counts.threads import spread, thread_count
from bitsieve.utils.arrays import Columns, Integers

Variables = tuple[int, ...]

MAX_CACHED_SAMPLES = 1 << 24  # samples in all cached divisions into strata together
BYTES_PER_CODE = 2
MAX_CODE_BYTES = 1 << 28  # the codes of all variables are in memory at once if they take no more
MAX_PAIR_CELLS = 1 << 24  # pairs of variables with more cells are counted as tables, which list those that occur
SECONDS_PER_SAMPLE = 1.5e-9  # time to count one sample in one test
MIN_SECONDS_FOR_THREAD = 300e-6  # waking a thread for less work costs more than it saves


class _VariableCodes:
    """The codes of a list of variables, one row each, as native code takes them."""

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


class IndependenceCodes:
    """Counts the tests of pairs of variables within strata."""

    def __init__(self, source: CodedSource, n_codes: Integers, entropy_terms: EntropyTerms) -> None:
        self.source = source
        self.n_codes = n_codes  # the number of codes of each variable
        self._native = _native.IndependenceCounter(entropy_terms.table, entropy_terms.shift)
        self._strata: dict[Variables, _native.Strata] = {}  # by their variables
        self._max_cached_strata = max(8, MAX_CACHED_SAMPLES // source.n_samples)
        self._all_codes: _VariableCodes | None = None
        self._has_room_for_all = BYTES_PER_CODE * source.n_samples * len(n_codes) <= MAX_CODE_BYTES

    def can_count(self, x: int) -> bool:
        """Whether all cells of the table of x with any other variable fit into memory."""
        return int(self.n_codes[x] * self.n_codes.max()) <= MAX_PAIR_CELLS

    def sums(self, x: int, others: Columns, strata: Variables, optional: OptionalSums) -> IndependenceSums:
        """The sums of the tests of x with each of ``others`` within the joint values of ``strata``."""
        batches = pairwise(self._batch_edges(len(others)))
        return IndependenceSums.joined(
            [self._sums_of_batch(x, others[first:end], strata, optional) for first, end in batches]
        )

    def _sums_of_batch(self, x: int, others: Columns, strata: Variables, optional: OptionalSums) -> IndependenceSums:
        native_strata = self._strata_of(strata)
        codes = self._codes_of((x, *others.tolist()))
        x_in_strata = _native.VariableInStrata(codes.native, codes.row[x], native_strata)
        rows = codes.rows_of(others)
        sums: dict[int, IndependenceSums] = {}  # by the first index that a thread counted

        def count(indices: Columns) -> None:
            arrays = self._native.of_variables(
                x_in_strata, codes.native, rows[indices], optional.expected_excess, optional.pearson
            )
            sums[int(indices[0])] = IndependenceSums.of_arrays(arrays)

        seconds = SECONDS_PER_SAMPLE * native_strata.n_listed * len(others)
        spread(count, np.arange(len(others)), int(seconds / MIN_SECONDS_FOR_THREAD), self.source.n_jobs)
        return IndependenceSums.joined([sums[first] for first in sorted(sums)])

    def _batch_edges(self, n_others: int) -> list[int]:
        """Where batches of variables begin and end whose codes are in memory together."""
        max_size = n_others
        if not self._has_room_for_all:
            max_size = max(thread_count(self.source.n_jobs), MAX_CODE_BYTES // (BYTES_PER_CODE * self.source.n_samples))
        return [*range(0, n_others, max_size), n_others]

    def _codes_of(self, variables: Variables) -> _VariableCodes:
        """The codes of these variables, and maybe of others."""
        if not self._has_room_for_all:
            return _VariableCodes(self.source, variables, self.n_codes)
        if self._all_codes is None:
            self._all_codes = _VariableCodes(self.source, range(len(self.n_codes)), self.n_codes)
        return self._all_codes

    def _strata_of(self, variables: Variables) -> _native.Strata:
        """The samples by the joint values of the variables. Recent strata are cached."""
        if variables not in self._strata:
            if len(self._strata) >= self._max_cached_strata:
                self._strata.clear()
            self._strata[variables] = self._make_strata(variables)
        return self._strata[variables]

    def _make_strata(self, variables: Variables) -> _native.Strata:
        if not variables:
            return _native.Strata(self._codes_of((0,)).native)
        *earlier, last = variables
        strata = self._strata_of(tuple(earlier))
        codes = self._codes_of((last,))
        return codes.native.refined(codes.row[last], strata)
