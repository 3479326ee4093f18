"""The rule that gives zero a code of its own, for sparse tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.search import ClassSearch, Dependence, Labels, Parts
from bitsieve.counts.sparse import SparseCodes
from bitsieve.counts.tables import EntropyTerms
from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.dataset.sparse import StoredColumns, read_sparse
from bitsieve.dataset.value_ranges import IN_A_BIN
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning, BinningChoice, BinningLike, ColumnBinning, unknown_category
from bitsieve.discretization.mdl import RepeatedCuts, RepeatedMDLCuts, codes_between, log_codings
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.discretization.registry import make_binner
from bitsieve.discretization.within_strata import bins_within_need_dense_rows
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.parameters import Rule, check_parameters, check_threads
from bitsieve.utils.progress import phase


def as_sparse(table: InMemoryDataset) -> InMemoryDataset:
    """Convert a table of numbers to a sparse table."""
    if table.is_sparse:
        return table
    categorical_columns = [j for j, _ in table.categories()]
    if categorical_columns:
        names = table.quoted(categorical_columns)
        raise UserError(
            code="numbers-needed",
            message=f"zero is a code of its own in columns of numbers, and categories are in {names}",
            advice="leave them out, or give another binner",
        )
    from scipy.sparse import csc_array

    columns = [csc_array(table.numeric(j)[:, None]) for j in range(table.n_features)]
    data = np.concatenate([column.data for column in columns])
    indices = np.concatenate([column.indices for column in columns])
    indptr = np.cumsum([0, *(column.nnz for column in columns)])
    matrix = csc_array((data, indices, indptr), shape=(table.n_samples, table.n_features))
    return replace(table, columns=read_sparse(matrix))


class RepeatedStoredCuts(RepeatedCuts):
    """Cuts of the nonzero numbers of every column, for any classes. Zero keeps a code of its own.

    Zeros are missing values to ``cuts_of_numbers``, as neither take part in cutting.
    """

    def __init__(self, cuts_of_numbers: RepeatedCuts, binner: Binning) -> None:
        super().__init__(cuts_of_numbers.table, binner)
        self.cuts_of_numbers = cuts_of_numbers

    def cuts_of(self, values: Floats, classes: Labels, entropy_terms: EntropyTerms) -> Floats:
        return self.cuts_of_numbers.cuts_of(values, classes, entropy_terms)

    def cuts_of_vectors(self, values: Floats, classes: Labels, entropy_terms: EntropyTerms) -> list[Floats]:
        return self.cuts_of_numbers.cuts_of_vectors(values, classes, entropy_terms)

    def dependence_of_values(
        self, values: Floats, classes: Labels, parts: Parts, entropy_terms: EntropyTerms
    ) -> Dependence:
        return self.cuts_of_numbers.dependence_of_values(values, classes, parts, entropy_terms)

    def codes(self, column: int) -> Integers:
        numbers = self._numbers(column)
        is_zero = numbers == 0
        codes = np.searchsorted(self.binner.bin_edges_[column], numbers, side="left")
        if is_zero.any():  # the code 0 is that of zero
            codes += 1
        codes[np.isnan(numbers)] = self.binner.n_bins_[column] - 1
        codes[is_zero] = 0
        return np.asarray(codes, np.int64)

    def dependence(self, classes: Labels, columns: Columns, parts: Parts, entropy_terms: EntropyTerms) -> Dependence:
        dependence = super().dependence(classes, columns, parts, entropy_terms)
        for index, column in enumerate(columns.tolist()):
            # Zero and missing values have one code so far. Where a column has both, it is counted again.
            if self._has_zero_and_missing(column):
                values = self._values(column)
                is_missing = np.isnan(self._numbers(column))
                code = partial(self._codes_with_missing, values, is_missing)
                cuts = self.cuts_of_vectors(values, classes, entropy_terms)
                by_cuts = self.dependence_by_cuts(cuts, code, classes, parts, entropy_terms)
                dependence.freedom[index] = by_cuts.freedom
                dependence.sums[index] = by_cuts.sums
        return dependence

    def log_codings(self, column: int) -> float:
        n_numbers = max(int(np.count_nonzero(~np.isnan(self._values(column)))), 1)
        return log_codings(n_numbers, len(self.binner.bin_edges_[column]))

    def _recut(self, column: int, classes: Labels, entropy_terms: EntropyTerms) -> Integers:
        values = self._values(column)
        cuts = self.cuts_of(values, classes, entropy_terms)
        if not self._has_zero_and_missing(column):
            return codes_between(values, cuts)
        is_missing = np.isnan(self._numbers(column))
        return self._codes_with_missing(values, is_missing, cuts)

    @staticmethod
    def _codes_with_missing(values: Floats, is_missing: Flags, cuts: Floats) -> Integers:
        """The codes of a column by its cuts. Zero has the code of NaN, and missing values get one more code."""
        codes = codes_between(values, cuts)
        codes[is_missing] = codes.max() + 1
        return codes

    def _values(self, column: int) -> Floats:
        """The numbers of a column, with NaN for zeros and for missing values."""
        numbers = self._numbers(column)
        return np.where(numbers == 0, np.nan, numbers)

    def _numbers(self, column: int) -> Floats:
        """The numbers of a column, zeros among them, with NaN for missing values."""
        return super()._values(column)

    def _has_zero_and_missing(self, column: int) -> bool:
        """Whether the column holds both zeros and missing values."""
        numbers = self._numbers(column)
        return bool((numbers == 0).any() and np.isnan(numbers).any())


class CutsWithoutMissing(RepeatedCuts):
    """Cuts by a search that takes no missing values: these are left out first."""

    def __init__(self, search: RepeatedCuts) -> None:
        super().__init__(search.table, search.binner)
        self._search = search

    def cuts_of(self, values: Floats, classes: Labels, entropy_terms: EntropyTerms) -> Floats:
        is_present = ~np.isnan(values)
        if not is_present.any():
            return np.empty(0)
        return self._search.cuts_of(values[is_present], np.ascontiguousarray(classes[is_present]), entropy_terms)


class SeparateZeroBinning(Binning):
    """Zero has a code of its own, and another rule bins the other numbers: the rule of :class:`ZeroApartBinner`."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"n_jobs": check_threads}  # making the rule checks ``binning``
    rule_: ColumnBinning

    @proposes_right_names
    def __init__(self, binning: BinningLike = "mdl", *, n_jobs: int | None = None) -> None:
        self.binning = binning
        self.n_jobs = n_jobs

    # Other rules have these two as variables. Here they depend on ``binning``, which ``set_params`` may change.

    @property
    def missing(self) -> str | None:  # type: ignore[override]
        """The parameter ``missing`` of the rule for numbers that are not zero."""
        return self._rule().missing

    @property
    def requires(self) -> Literal["ends", "numbers", "classes", "codes"]:  # type: ignore[override]
        """What the rule for numbers that are not zero makes its bins from."""
        return self._rule().requires

    def _rule(self) -> BinningChoice:
        if isinstance(self.binning, str):
            return make_binner(self.binning, n_jobs=self.n_jobs, missing="error")
        return make_binner(self.binning)

    def for_table(self, table: Dataset) -> Binning:
        return self  # ``fit_table`` chooses the rule for the table

    @property
    def cutting_rule(self) -> Binning:
        return self.rule_

    def separates_zero(self, j: int) -> bool:
        return self.categories_ is None and bool(self.zero_[j])

    def fit_table(self, table: InMemoryDataset) -> Self:
        check_parameters(self)
        rule = self._rule().for_table(table)
        check_parameters(rule)
        if not isinstance(rule, ColumnBinning):
            raise UserError(
                code="dense-rows-needed",
                message=f"{type(rule).__name__} bins dense columns only",
                advice="give them by .toarray()",
            )
        if rule.bins_within:
            raise bins_within_need_dense_rows()
        self.rule_ = rule
        sparse_table = as_sparse(table)
        stored = sparse_table.stored
        stored.check_finite(table.names, allow_missing=rule.missing == "bin", advice_on_missing=IN_A_BIN)
        table.set_names_on(self)
        cuts_of_blocks: list[tuple[Integers, RaggedArray]] = []

        def cut(block: tuple[int, int]) -> None:
            first, end = block
            cuts_of_blocks.append((np.arange(first, end), rule.cut_stored(sparse_table, first, end)))

        run_blocks(cut, stored.blocks(self.n_jobs), self.n_jobs, phase("binning"))
        cuts = RaggedArray.merged(table.n_features, cuts_of_blocks)
        self._set_bins(cuts, stored)
        self.check_code_limit(table.names)
        return self

    def _set_bins(self, cuts: RaggedArray, stored: StoredColumns) -> None:
        """Set the fitted attributes. A rule of codes has the distinct numbers of each column in place of cuts."""
        self.zero_ = stored.has_zeros
        if self.rule_.requires == "codes":
            self.categories_: Any = _with_zero(cuts, self.zero_)
            self.bin_edges_ = RaggedArray.empty(len(cuts))
            n_bins_of_nonzero = cuts.lengths
        else:
            self.categories_ = None
            self.bin_edges_ = cuts
            n_bins_of_nonzero = cuts.lengths + stored.has_numbers  # one more than cuts, where there are such numbers
        has_missing_code = self.rule_.missing == "bin"
        n_bins = n_bins_of_nonzero + self.zero_ + has_missing_code
        self.n_bins_ = np.maximum(n_bins, 1)  # a column whose values are all missing has one

    def codes(self, table: InMemoryDataset, buffer: NDArray[np.uint8] | None = None) -> Any:
        sparse_codes = self.sparse_codes(as_sparse(table))
        if table.is_sparse:
            return sparse_codes
        codes = np.empty((table.n_samples, table.n_features), self.code_type, order="F")
        for j in range(table.n_features):
            codes[:, j] = sparse_codes.column(j)
        return codes

    def search(self, table: InMemoryDataset) -> ClassSearch | None:
        search = self.rule_.search(table)
        if not isinstance(search, RepeatedCuts):
            return None
        if isinstance(search, RepeatedMDLCuts):  # its kernel skips missing values
            return RepeatedStoredCuts(search, self)
        return RepeatedStoredCuts(CutsWithoutMissing(search), self)

    def sparse_codes(self, table: InMemoryDataset) -> SparseCodes:
        """The codes of the stored numbers of a sparse table, and the code of zero in each column."""
        has_missing_code = self.missing == "bin"
        stored = table.stored
        stored.check_finite(table.names, allow_missing=has_missing_code, advice_on_missing=IN_A_BIN)
        codes = stored.allocate(len(stored.value), np.uint16)
        missing_codes = self.n_bins_ - 1 if has_missing_code else np.zeros_like(self.n_bins_)
        coding = self._number_coding()
        thresholds = coding.thresholds

        def code_block(block: tuple[int, int]) -> None:
            first, end = block
            start = int(thresholds.indptr[first])
            thresholds_of_block = thresholds.values[start : int(thresholds.indptr[end])].astype(np.float64, copy=False)
            _native.code_stored(
                stored.start,
                stored.row,
                stored.value,
                first,
                end,
                thresholds_of_block,
                thresholds.ends[first:end] - start,
                coding.side == "left",
                coding.first_codes[first:end],
                missing_codes[first:end],
                codes,
            )

        run_blocks(code_block, stored.blocks(self.n_jobs), self.n_jobs, phase("encoding"))
        zero_codes = self._zero_codes(table)
        if self.categories_ is not None:
            self._check_categories(table, codes)
        return SparseCodes(table.n_samples, stored.start, stored.row, codes, zero_codes, stored.allocate)

    def _number_coding(self) -> _NumberCoding:
        if self.categories_ is not None:  # the code of any number, also of zero, is its rank among the categories
            return _NumberCoding(self.categories_, first_codes=np.zeros_like(self.n_bins_), side="left")
        code_after_zero = self.zero_.astype(np.int64)  # 1 where zero has the code 0, else 0
        return _NumberCoding(self.bin_edges_, first_codes=code_after_zero, side=self.rule_.side)

    def _zero_codes(self, table: InMemoryDataset) -> NDArray[np.uint16]:
        """The code of zero in every column."""
        columns_with_new_zeros = np.flatnonzero(table.stored.has_zeros & ~self.zero_)  # none when the rule was fitted
        if self.categories_ is not None:
            if len(columns_with_new_zeros):
                raise unknown_category(table.names[int(columns_with_new_zeros[0])], np.zeros(1))
            return _number_of_negatives(self.categories_)
        codes = np.zeros(table.n_features, np.uint16)
        for j in columns_with_new_zeros.tolist():
            codes[j] = np.searchsorted(self.bin_edges_[j], 0.0, side=self.rule_.side)
        return codes

    def _check_categories(self, table: InMemoryDataset, codes: NDArray[np.uint16]) -> None:
        """Refuse numbers that are no category of their column: the category of their code is another one, or none."""
        stored = table.stored
        categories = self.categories_
        for first, end in stored.blocks(None):
            block = slice(int(stored.start[first]), int(stored.start[end]))
            values = stored.value[block]
            n_values = np.diff(stored.start[first : end + 1])  # in each column
            index_of_category = np.repeat(categories.starts[first:end], n_values) + codes[block]
            end_of_categories = np.repeat(categories.ends[first:end], n_values)
            is_missing = np.isnan(values)
            has_category = ~is_missing & (index_of_category < end_of_categories)
            category = categories.values[index_of_category[has_category]]
            is_allowed = is_missing.copy()
            is_allowed[has_category] = values[has_category] == category
            if not is_allowed.all():
                first_refused = int(np.argmin(is_allowed))
                column = int(np.searchsorted(stored.start, block.start + first_refused, side="right")) - 1
                raise unknown_category(table.names[column], values[[first_refused]])


class _NumberCoding(NamedTuple):
    """The codes of nonzero numbers: ``first_codes[j] + np.searchsorted(thresholds[j], number, side)`` in column j."""

    thresholds: RaggedArray
    first_codes: Integers  # shape (n_features,)
    side: Literal["left", "right"]


def _number_of_negatives(categories: RaggedArray) -> NDArray[np.uint16]:
    """The number of negative categories of every column, which is the rank of zero."""
    n_negative = np.zeros(len(categories), np.uint16)
    if len(categories.values):
        has_categories = categories.lengths > 0
        starts = categories.starts[has_categories]
        is_negative = (categories.values < 0).astype(np.int64)
        n_negative[has_categories] = np.add.reduceat(is_negative, starts)
    return n_negative


def _with_zero(numbers: RaggedArray, has_zero: Flags) -> RaggedArray:
    """Add zero to the ascending numbers of each column that has it."""
    columns = np.repeat(np.arange(len(numbers)), numbers.lengths)
    columns = np.concatenate([columns, np.flatnonzero(has_zero)])
    values = np.concatenate([numbers.values, np.zeros(int(has_zero.sum()))])
    order = np.lexsort((values, columns))
    return RaggedArray(values[order], np.cumsum(numbers.lengths + has_zero))
