"""Zero as a code of its own, for sparse tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.search import ClassSearch, Dependence, Labels, Parts, dependence_of_codes
from bitsieve.counts.sparse import SparseCodes
from bitsieve.counts.tables import Terms
from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.extents import IN_A_BIN
from bitsieve.dataset.sparse import read_sparse
from bitsieve.dataset.table import Table, TableInMemory
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning, make_binner, unknown_category
from bitsieve.discretization.mdl import RepeatedCuts, log_codings
from bitsieve.discretization.ragged import Ragged
from bitsieve.utils.arrays import Columns, Floats, Integers
from bitsieve.utils.parameters import Rule, check_parameters, check_threads
from bitsieve.utils.progress import phase


def as_sparse(table: TableInMemory) -> TableInMemory:
    """A table of numbers as a sparse one."""
    if table.is_sparse:
        return table
    words = [j for j, _ in table.categories()]
    if words:
        raise UserError(
            code="numbers-needed",
            message=f"zero gets a separate bin in columns of numbers, and categories are in {table.quoted(words)}",
            advice="leave them out, or give another binner",
            columns=[str(table.names[j]) for j in words],
        )
    from scipy.sparse import csc_array

    columns = [csc_array(table.numeric(j)[:, None]) for j in range(table.n_features)]
    start = np.cumsum([0, *(column.nnz for column in columns)])
    arrays = (np.concatenate([getattr(column, name) for column in columns]) for name in ("data", "indices"))
    return replace(table, columns=read_sparse(csc_array((*arrays, start), shape=(table.n_samples, table.n_features))))


class RepeatedStoredCuts(RepeatedCuts):
    """The cuts of the numbers of every column that are not zero, which keeps a code of its own."""

    def __init__(self, search: RepeatedCuts, binner: Binning) -> None:
        super().__init__(search.table, binner, search.cut_at_median)

    def codes(self, column: int) -> Integers:
        values = super()._values(column)
        zero = values == 0
        codes = np.searchsorted(self.binner.bin_edges_[column], values, side="left") + zero.any()
        codes[np.isnan(values)] = self.binner.n_bins_[column] - 1
        codes[zero] = 0
        return np.asarray(codes, np.int64)

    def dependence(self, classes: Labels, columns: Columns, parts: Parts, terms: Terms) -> Dependence:
        found = super().dependence(classes, columns, parts, terms)
        for place, column in enumerate(columns.tolist()):
            for vector, labels in enumerate(classes if self._has_zeros_and_gaps(column) else ()):
                codes = self._recut(column, labels, terms)
                made = dependence_of_codes(codes, labels[None], self.n_classes, parts, terms)
                found.freedom[place, vector], found.sums[place, vector] = made.freedom[0, 0], made.sums[0, 0]
        return found

    def log_codings(self, column: int) -> float:
        n_numbers = max(int(np.count_nonzero(~np.isnan(self._values(column)))), 1)
        return log_codings(n_numbers, len(self.binner.bin_edges_[column]))

    def _recut(self, column: int, classes: Labels, terms: Terms) -> Integers:
        codes = super()._recut(column, classes, terms)
        if self._has_zeros_and_gaps(column):
            codes[np.isnan(super()._values(column))] = codes.max() + 1
        return codes

    def _values(self, column: int) -> Floats:
        """Zeros take no part in the cuts and have one code, just as missing values."""
        values = super()._values(column)
        return np.where(values == 0, np.nan, values)

    def _has_zeros_and_gaps(self, column: int) -> bool:
        """Whether the column holds both zeros and missing values."""
        values = super()._values(column)
        return bool((values == 0).any() and np.isnan(values).any())


class ZeroApartBinning(Binning):
    """Zero a code of its own, and a rule for the other numbers: the rule of :class:`ZeroApartBinner`."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"n_jobs": check_threads}  # and of binning, which makes the rule
    bins_parts = False
    rule_: Binning

    def __init__(self, binning: Any = "mdl", *, n_jobs: int | None = None) -> None:
        self.binning = binning
        self.n_jobs = n_jobs

    @property
    def missing(self) -> str | None:  # type: ignore[override]
        """What the rule makes of missing values."""
        return self._rule().missing

    @property
    def requires(self) -> Any:  # type: ignore[override]
        """What the bins follow from: that of the rule."""
        return self._rule().requires

    def _rule(self) -> Binning:
        if isinstance(self.binning, str):
            return make_binner(self.binning, n_jobs=self.n_jobs, missing="error")
        return make_binner(self.binning)

    def for_table(self, table: Table) -> Binning:
        return self  # the rule is settled in fit_table

    def fit_table(self, table: TableInMemory) -> Self:
        check_parameters(self)
        self.rule_ = rule = self._rule().for_table(table)
        check_parameters(rule)
        whole = as_sparse(table)
        sparse = whole.stored
        sparse.check_finite(table.names, allow_missing=rule.missing == "bin", instead=IN_A_BIN)
        table.set_names_on(self)
        blocks = sparse.blocks(self.n_jobs)
        cuts: list[Any] = [None] * len(blocks)

        def cut(b: int) -> None:
            first, last = blocks[b]
            cuts[b] = np.arange(first, last), *rule._cut_stored(whole, first, last)

        run_blocks(cut, range(len(cuts)), self.n_jobs, phase("binning"))
        found = Ragged.merged(table.n_features, cuts)
        self.zero_ = sparse.has_zeros
        self.n_bins_ = found.lengths + self.zero_
        if rule.requires == "codes":
            column = np.concatenate([np.repeat(np.arange(table.n_features), found.lengths), np.flatnonzero(self.zero_)])
            values = np.concatenate([found.values, np.zeros(int(self.zero_.sum()))])
            self.categories_: Any = Ragged(values[np.lexsort((values, column))], np.cumsum(self.n_bins_))
            self.bin_edges_ = Ragged(np.empty(0), np.zeros(table.n_features, np.int64))
        else:
            self.categories_, self.bin_edges_ = None, found
            self.n_bins_ += sparse.has_numbers  # a bin more than cuts, where there is any number
        self.n_bins_ += rule.missing == "bin"
        self.n_bins_[self.n_bins_ == 0] = 1  # all missing
        self._check_code_limit(table)
        return self

    def codes(self, table: TableInMemory, room: NDArray[np.uint8] | None = None) -> Any:
        listed = self._listed(as_sparse(table))
        if table.is_sparse:
            return listed
        out = np.empty((table.n_samples, table.n_features), self._code_type, order="F")
        for j in range(table.n_features):
            out[:, j] = listed.column(j)
        return out

    def search(self, table: TableInMemory) -> ClassSearch | None:
        search: Any = self.rule_.search(table)  # of a rule that cuts, if it looked at the classes
        return None if search is None else RepeatedStoredCuts(search, self)

    def _listed(self, table: TableInMemory) -> SparseCodes:
        """The codes of the numbers that are not zero."""
        keeps = self.missing == "bin"
        stored = table.stored
        stored.check_finite(table.names, allow_missing=keeps, instead=IN_A_BIN)
        ranked = self.categories_ is not None
        known = self.categories_ if ranked else self.bin_edges_
        code = stored.room(len(stored.value), np.uint16)
        missing_code = self.n_bins_ - 1 if keeps else np.zeros_like(self.n_bins_)
        base = np.zeros_like(self.n_bins_) if ranked else self.zero_.astype(np.int64)
        left = ranked or self.rule_.side == "left"

        def write(block: tuple[int, int]) -> None:
            first, last = block
            begin, end = known.ends[[first - 1, last - 1]].tolist() if first else (0, int(known.ends[last - 1]))
            ends = missing_code[first:last], code
            cuts = known.values[begin:end].astype(np.float64, copy=False), known.ends[first:last] - begin
            _native.code_stored(
                stored.start, stored.row, stored.value, first, last, *cuts, left, base[first:last], *ends
            )

        run_blocks(write, stored.blocks(self.n_jobs), self.n_jobs, phase("encoding"))
        common = self._common(table, known)
        if ranked:
            self._check_known(table, code)
        return SparseCodes(table.n_samples, stored.start, stored.row, code, common, stored.room)

    def _common(self, table: TableInMemory, known: Ragged) -> NDArray[np.uint16]:
        """The code of zero in every column."""
        common = np.zeros(table.n_features, np.uint16)
        new = np.flatnonzero(table.stored.has_zeros & ~self.zero_)  # columns without zeros when fitting
        if self.categories_ is not None:
            for j in new[:1].tolist():
                raise unknown_category(table.names[j], np.zeros(1))
            some = known.lengths > 0
            if len(known.values):
                starts = (known.ends - known.lengths)[some]
                common[some] = np.add.reduceat((known.values < 0).astype(np.int64), starts)
            return common
        for j in new.tolist():
            common[j] = np.searchsorted(self.bin_edges_[j], 0.0, side=self.rule_.side)
        return common

    def _check_known(self, table: TableInMemory, code: NDArray[np.uint16]) -> None:
        """Refuse numbers that are no categories."""
        known, stored = self.categories_, table.stored
        for first, last in stored.blocks(None):
            some = slice(*stored.start[[first, last]].tolist())
            value, lengths, ends = stored.value[some], np.diff(stored.start[first : last + 1]), known.ends[first:last]
            place = np.repeat(ends - known.lengths[first:last], lengths) + code[some]
            there = np.isnan(value)
            inside = ~there & (place < np.repeat(ends, lengths))
            there[inside] = known.values[place[inside]] == value[inside]
            for wrong in np.flatnonzero(~there)[:1].tolist():
                column = int(np.searchsorted(stored.start, some.start + wrong, side="right")) - 1
                raise unknown_category(table.names[column], value[wrong : wrong + 1])
