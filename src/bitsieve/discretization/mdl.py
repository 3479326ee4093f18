"""The rule that cuts by minimum description length, its cuts repeated for other classes, and the default rule."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import lgamma
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.search import ClassSearch, CodingPenalty, Dependence, Labels, Parts, dependence_of_codes
from bitsieve.counts.tables import EntropyTerms, make_entropy_terms
from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.dataset.quantity import number_of_classes
from bitsieve.dataset.target import Target
from bitsieve.dataset.value_ranges import MISSING, BlockRange, NumericBlock, ValueRanges
from bitsieve.diagnostics import NAME_ONLY, UserError
from bitsieve.discretization.base import Binning, BinningChoice, ClassCutBinning
from bitsieve.discretization.cuts_within_strata import ClassShares, SortedColumn, cuts_within_strata
from bitsieve.discretization.equal import EqualFrequencyBinning
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Values
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.parameters import Rule, check_choice

MAX_CACHED_VALUES = 1 << 20  # of a table whose cuts are repeated: 8 MiB
_MAX_ENTROPY_TERMS = 1 << 22  # length of the table of n log n


class RepeatedCuts(ClassSearch):
    """Cuts of the numeric columns of a table by a rule that looks at the classes, for any classes of its samples.

    A sample of weight w is w samples here.
    """

    def __init__(self, table: InMemoryDataset, binner: Binning) -> None:
        self.table = table
        self.binner = binner
        self.n_classes = table.target.n_classes
        self.rows = np.arange(table.n_samples)  # of every sample
        if table.weights is not None:
            self.rows = np.repeat(self.rows, table.weights)
        self.classes = table.target.codes[self.rows].astype(np.int32)
        if table.several_strata is not None:
            self.strata = table.several_strata[self.rows].astype(np.int64)

    @abstractmethod
    def cuts_of(self, values: Floats, classes: Labels, entropy_terms: EntropyTerms) -> Floats:
        """The cuts of a column of numbers, one for each sample, NaN where missing."""

    def cuts_of_vectors(self, values: Floats, classes: Labels, entropy_terms: EntropyTerms) -> list[Floats]:
        """The cuts of a column of numbers for each of the vectors of classes."""
        return [self.cuts_of(values, labels, entropy_terms) for labels in classes]

    def codes(self, column: int) -> Integers:
        return np.asarray(self._codes[self.rows, column], np.int64)

    @cached_property
    def _codes(self) -> Values:
        codes: Values = self.binner.codes(self.table)
        return codes

    def recoded(self, classes: Labels, columns: Columns) -> Iterator[tuple[int, Integers]]:
        entropy_terms = make_entropy_terms(len(classes))
        for column in columns.tolist():
            codes = self._recut(column, classes, entropy_terms) if self.table.is_numeric(column) else self.codes(column)
            is_cut = codes.max() > 0
            if is_cut:
                yield column, codes

    def _recut(self, column: int, classes: Labels, entropy_terms: EntropyTerms) -> Integers:
        """The codes of a numeric column, cut for these classes."""
        values = self._values(column)
        return codes_between(values, self.cuts_of(values, classes, entropy_terms))

    def dependence(self, classes: Labels, columns: Columns, parts: Parts, entropy_terms: EntropyTerms) -> Dependence:
        shape = len(columns), len(classes)
        dependence = Dependence(freedom=np.zeros(shape, np.int64), sums=np.zeros(shape, np.int64))
        is_numeric = self._are_numeric[columns]
        if is_numeric.any():
            values = self._values_of(columns[is_numeric])
            dependence_of_numeric = self.dependence_of_values(values, classes, parts, entropy_terms)
            dependence.freedom[is_numeric] = dependence_of_numeric.freedom
            dependence.sums[is_numeric] = dependence_of_numeric.sums
        for index in np.flatnonzero(~is_numeric).tolist():
            codes = self.codes(int(columns[index]))
            dependence_of_column = dependence_of_codes(codes, classes, self.n_classes, parts, entropy_terms)
            dependence.freedom[index] = dependence_of_column.freedom[0]
            dependence.sums[index] = dependence_of_column.sums[0]
        return dependence

    def dependence_of_values(
        self, values: Floats, classes: Labels, parts: Parts, entropy_terms: EntropyTerms
    ) -> Dependence:
        """The dependence of numbers, shape (n_samples, n_columns), cut for each of the vectors of classes."""
        shape = values.shape[1], len(classes)
        dependence = Dependence(freedom=np.zeros(shape, np.int64), sums=np.zeros(shape, np.int64))
        for index in range(values.shape[1]):
            column = np.ascontiguousarray(values[:, index])
            cuts = self.cuts_of_vectors(column, classes, entropy_terms)
            by_cuts = self.dependence_by_cuts(cuts, partial(codes_between, column), classes, parts, entropy_terms)
            dependence.freedom[index] = by_cuts.freedom
            dependence.sums[index] = by_cuts.sums
        return dependence

    def dependence_by_cuts(
        self,
        cuts: Sequence[Floats],
        code: Callable[[Floats], Integers],
        classes: Labels,
        parts: Parts,
        entropy_terms: EntropyTerms,
    ) -> Dependence:
        """The dependence of one column, which has other cuts for each of the vectors of classes, shape (n_vectors,).

        ``code`` makes the codes of the column from cuts. Vectors of equal cuts, such as none, are counted together.
        """
        vectors_of_cuts: dict[bytes, list[int]] = {}
        for vector, cuts_of_vector in enumerate(cuts):
            vectors_of_cuts.setdefault(cuts_of_vector.tobytes(), []).append(vector)
        dependence = Dependence(freedom=np.zeros(len(classes), np.int64), sums=np.zeros(len(classes), np.int64))
        for vectors in vectors_of_cuts.values():
            codes = code(cuts[vectors[0]])
            if codes.max() > 0:
                by_codes = dependence_of_codes(codes, classes[vectors], self.n_classes, parts, entropy_terms)
                dependence.freedom[vectors] = by_codes.freedom[0]
                dependence.sums[vectors] = by_codes.sums[0]
        return dependence

    def log_codings(self, column: int) -> float:
        """The penalty of the cuts of a column, by :func:`log_codings`; 0 for categories, which are not cut."""
        if not self.table.is_numeric(column):
            return 0.0
        return log_codings(len(self.classes), len(self.binner.bin_edges_[column]), self.binner.missing)

    @cached_property
    def _are_numeric(self) -> Flags:
        return np.array([self.table.is_numeric(column) for column in range(self.table.n_features)], bool)

    def _values_of(self, columns: Columns) -> Floats:
        """The numbers of columns, shape (n_samples, n_columns), each column contiguous."""
        if self._values_of_all is not None:
            return self._values_of_all[columns].T
        return np.array([self._values(column) for column in columns.tolist()]).T

    @cached_property
    def _values_of_all(self) -> Floats | None:
        """The numbers of all columns, a row for each, and 0 for categories; None for a large table."""
        shape = self.table.n_features, len(self.classes)
        if shape[0] * shape[1] > MAX_CACHED_VALUES:
            return None
        values = np.zeros(shape)
        for column in np.flatnonzero(self._are_numeric).tolist():
            values[column] = self._values(column)
        return values

    def _values(self, column: int) -> Floats:
        """The numbers of a column, one for each sample."""
        values = self.table.numeric(column)
        return values if self.table.weights is None else values[self.rows]


class RepeatedMDLCuts(RepeatedCuts):
    """Cuts of the numeric columns of a table by description length, for any classes of its samples."""

    def __init__(self, table: InMemoryDataset, binner: Binning, cut_at_median: bool) -> None:
        super().__init__(table, binner)
        self.cut_at_median = cut_at_median

    def cuts_of(self, values: Floats, classes: Labels, entropy_terms: EntropyTerms) -> Floats:
        cuts: Floats
        if self.strata is None:
            cuts, _ = _native.mdl_cuts(
                [values], classes.reshape(1, -1), self.n_classes, entropy_terms.table, entropy_terms.shift, None
            )
        else:
            cuts = cuts_within_strata(values, classes, self.strata, self.n_classes, self._shares)
        return self._cuts_or_median(cuts, values)

    def cuts_of_vectors(self, values: Floats, classes: Labels, entropy_terms: EntropyTerms) -> list[Floats]:
        if self.strata is None:
            return super().cuts_of_vectors(values, classes, entropy_terms)
        column = SortedColumn.of_values(values, self.strata, self.n_classes, self._shares)
        no_cuts = self._cuts_or_median(np.empty(0), values)
        cuts = [no_cuts] * len(classes)
        for vector in np.flatnonzero(column.may_be_cut(classes)).tolist():
            cuts_of_vector = column.cuts(classes[vector])
            cuts[vector] = cuts_of_vector if len(cuts_of_vector) else no_cuts
        return cuts

    @cached_property
    def _shares(self) -> ClassShares:
        """The shares of the classes in the strata, which shuffles within the strata leave as they are."""
        assert self.strata is not None
        return ClassShares.of_rows(self.strata, self.classes, self.n_classes)

    def dependence_of_values(
        self, values: Floats, classes: Labels, parts: Parts, entropy_terms: EntropyTerms
    ) -> Dependence:
        if self.strata is not None:
            return super().dependence_of_values(values, classes, parts, entropy_terms)
        freedom, sums = _native.dependence_of_cuts(
            values, classes, self.n_classes, *parts, entropy_terms.table, entropy_terms.shift, self.cut_at_median
        )
        shape = values.shape[1], len(classes)
        return Dependence(freedom=freedom.reshape(shape), sums=sums.reshape(shape))

    def _cuts_or_median(self, cuts: Floats, values: Floats) -> Floats:
        """The cuts; where there are none, the median if the rule cuts there."""
        if len(cuts) or not self.cut_at_median:
            return cuts
        median, _ = _native.order_statistic_cuts([values], 2, None)
        return median


def codes_between(values: Floats, cuts: Floats) -> Integers:
    """The codes of a column of numbers by its cuts; missing values have the last one."""
    is_present = ~np.isnan(values)
    codes = np.searchsorted(cuts, values, side="left")
    missing_code = len(cuts) + 1 if is_present.any() else 0  # a column without values has one code
    return np.where(is_present, codes, missing_code).astype(np.int64)


class CutsOfPartitions(CodingPenalty):
    """The penalty of the cuts of a table whose rows are not in memory, so that they cannot be repeated."""

    def __init__(self, binner: Binning, n_samples: int, n_classes: int) -> None:
        self.binner = binner
        self.n_samples = n_samples
        self.n_classes = n_classes

    def to_repeat(self) -> ClassSearch:
        raise UserError(
            code="rows-not-in-memory",
            message=(
                "this stopping rule shuffles the classes and cuts the columns by them again each time, for which all "
                "rows must be in memory"
            ),
            advice="use {binning}, or {stopping}",
            fix={"binning": "quantile", "stopping": "threshold"},
        )

    def log_codings(self, column: int) -> float:
        if self.binner.categories_[column] is not None:
            return 0.0
        return log_codings(self.n_samples, len(self.binner.bin_edges_[column]), self.binner.missing)


def log_codings(n_samples: int, n_cuts: int, missing: str | None = "error") -> float:
    """The penalty of a search for cuts, as the logarithm of a number of codings.

    There are ``C(n_samples - 1, n_cuts)`` sets of ``n_cuts`` cuts between ``n_samples`` values. The number is doubled
    for every cut, so that ``exp(-log_codings)`` sums to at most 1 over all sets with a cut. It is doubled once more
    where missing values are a code: the set without a cut is then a coding, too.
    """
    n_gaps = n_samples - 1
    log_n_sets = lgamma(n_gaps + 1) - lgamma(n_cuts + 1) - lgamma(n_gaps - n_cuts + 1)
    n_doublings = n_cuts + (1 if missing == "bin" else 0)
    return float(log_n_sets + n_doublings * np.log(2))


class MDLBinning(ClassCutBinning):
    """Cuts by the minimum description length principle: the rule of :class:`MDLBinner`."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"uncut": partial(check_choice, choices=("leave", "median"))}

    @proposes_right_names
    def __init__(self, *, uncut: str = "leave", missing: str | None = "error", n_jobs: int | None = None) -> None:
        self.uncut = uncut
        self.missing = missing
        self.n_jobs = n_jobs

    def find_bins(self, table: InMemoryDataset, ranges: ValueRanges) -> None:
        super().find_bins(table, ranges)
        if self.uncut == "median" and len(self.uncut_):
            all_columns = np.arange(table.n_features)
            medians = [self._medians_of_uncut(table, block) for block, _, _ in ranges.blocks]
            self.bin_edges_ = RaggedArray.merged(table.n_features, [(all_columns, self.bin_edges_), *medians])
            self.n_bins_[self.uncut_] += self.bin_edges_.lengths[self.uncut_]

    def search(self, table: InMemoryDataset) -> ClassSearch:
        return RepeatedMDLCuts(table, self, self.uncut == "median")

    def columns_with_codes(self, table: InMemoryDataset, classes: Labels) -> Flags:
        has_codes = super().columns_with_codes(table, classes)
        if self.uncut == "median" or table.is_sparse or table.several_strata is not None:
            return has_codes
        entropy_terms = _entropy_terms_of(table)
        ranges = table.value_ranges(self.n_jobs)

        def cut(block_range: BlockRange) -> None:
            block = block_range.block
            cuts = _cuts_of_block(table, block, classes, entropy_terms)
            has_codes[:, block.indices] = (cuts.lengths > 0).reshape(-1, len(classes)).T

        run_blocks(cut, ranges.blocks, self.n_jobs)
        has_codes[:, ranges.columns_with(MISSING)] = True
        return has_codes

    def _medians_of_uncut(self, table: InMemoryDataset, block: NumericBlock) -> tuple[Integers, RaggedArray]:
        """The columns of a block that have no cut, and their lower medians; no median where no value lies above it."""
        uncut = np.flatnonzero(self.bin_edges_.lengths[block.indices] == 0)
        if not len(uncut):
            return block.indices[:0], RaggedArray.empty(0)
        medians, ends = _native.order_statistic_cuts(block.take(uncut).values, 2, table.weights)
        return block.indices[uncut], RaggedArray(medians, ends)

    def cut_block(self, table: InMemoryDataset, block: NumericBlock, low: Values, high: Values) -> RaggedArray:
        target = _required_target(table)
        if table.several_strata is not None:
            columns = [block.column(c) for c in range(len(block.indices))]
            return _cuts_within_strata(table, target, columns)
        classes = np.asarray(target.codes, np.int32).reshape(1, -1)
        return _cuts_of_block(table, block, classes, _entropy_terms_of(table))

    def cut_stored(self, table: InMemoryDataset, first: int, end: int) -> RaggedArray:
        stored = table.stored
        cuts = _stored_cuts(table, first, end)
        if self.uncut == "leave":
            return cuts
        median_values, ends = _native.stored_order_cuts(
            stored.start, stored.row, stored.value, first, end, table.n_samples, 2, table.weights
        )
        medians = RaggedArray(median_values, ends)
        all_columns = np.arange(end - first)
        uncut = np.flatnonzero(cuts.lengths == 0)
        return RaggedArray.merged(end - first, [(all_columns, cuts), (uncut, medians.take(uncut))])


def _cuts_of_block(
    table: InMemoryDataset, block: NumericBlock, classes: Labels, entropy_terms: EntropyTerms
) -> RaggedArray:
    """The cuts of every column of a block for each of the vectors of classes, column by column."""
    cuts, ends = _native.mdl_cuts(
        block.values, classes, table.target.n_classes, entropy_terms.table, entropy_terms.shift, table.weights
    )
    return RaggedArray(cuts, ends)


def _stored_cuts(table: InMemoryDataset, first: int, end: int) -> RaggedArray:
    """The cuts of the stored values of sparse columns ``first .. end - 1``."""
    stored = table.stored
    target = _required_target(table)
    if table.several_strata is not None:
        columns = []
        rows_of_columns = []
        for column in range(first, end):
            listed = slice(stored.start[column], stored.start[column + 1])
            columns.append(stored.value[listed])
            rows_of_columns.append(stored.row[listed])
        return _cuts_within_strata(table, target, columns, rows_of_columns)
    entropy_terms = _entropy_terms_of(table)
    cuts, ends = _native.stored_mdl_cuts(
        stored.start,
        stored.row,
        stored.value,
        first,
        end,
        np.asarray(target.codes, np.int32),
        target.n_classes,
        entropy_terms.table,
        entropy_terms.shift,
        table.weights,
    )
    return RaggedArray(cuts, ends)


def _cuts_within_strata(
    table: InMemoryDataset,
    target: Target,
    columns: Sequence[Values],
    rows_of_columns: Sequence[NDArray[np.integer]] | None = None,
) -> RaggedArray:
    """The cuts of columns by the effect that the strata have in common.

    ``rows_of_columns`` are the rows of the values of each column; None: all rows.
    """
    assert table.strata is not None
    strata = table.strata.astype(np.int64)
    classes = target.codes.astype(np.int32)
    weights = table.weights
    shares = ClassShares.of_rows(strata, classes, target.n_classes, weights)
    cuts = []
    for index, column in enumerate(columns):
        rows = np.arange(table.n_samples) if rows_of_columns is None else rows_of_columns[index]
        values = np.asarray(column, np.float64)
        weights_of_values = None if weights is None else weights[rows]
        cuts.append(
            cuts_within_strata(values, classes[rows], strata[rows], target.n_classes, shares, weights_of_values)
        )
    return RaggedArray.from_arrays(cuts)


def _required_target(table: InMemoryDataset) -> Target:
    if table.y is None:
        raise UserError(
            code="target-needed",
            message="binning 'mdl' needs a target",
            advice="give a target, or use another binning such as 'quantile'",
        )
    if table.y.kind == "survival":
        raise needs_classes_to_cut()
    return table.y


def needs_classes_to_cut() -> UserError:
    """The error for cuts by classes where the target is a time to an event."""
    return UserError(
        code="wrong-kind-of-target",
        message="binning 'mdl' cuts by classes, and the target is a time to an event",
        advice="use {binning}",
        fix={"binning": "quantile"},
    )


def _entropy_terms_of(table: InMemoryDataset) -> EntropyTerms:
    n_samples = table.total_weight
    return make_entropy_terms(n_samples, limit=min(n_samples + 1, _MAX_ENTROPY_TERMS))


class AutoBinning(BinningChoice):
    """The default rule: it depends on the target of the table.

    For classes it cuts by description length. For a quantity, and within strata, it makes ``max(3, N^(1/5)) + 1`` bins
    of equal frequency.
    """

    requires = "classes"

    def __init__(
        self,
        *,
        n_bins: int | None = None,
        uncut: str | None = None,
        bins_within: bool = False,
        missing: str | None = "error",
        n_jobs: int | None = None,
    ) -> None:
        self.n_bins = n_bins
        self.uncut = uncut
        self.bins_within = bins_within
        self.missing = missing
        self.n_jobs = n_jobs

    def for_table(self, table: Dataset) -> Binning:
        missing = self.missing_for(table)
        if self.bins_within:
            return EqualFrequencyBinning(
                n_bins=self.n_bins or number_of_classes(table.required_rows().total_weight) + 1,
                uncut=self.uncut or "apart",
                bins_within=True,
                missing=missing,
                n_jobs=self.n_jobs,
            )
        n_classes_of_quantity = table.target.n_classes_of_quantity if table.has_target else 0
        if n_classes_of_quantity:
            if self.uncut is not None:
                raise _without_effect("uncut", "quantile", "a quantity", alternative="mdl")
            n_bins = self.n_bins or n_classes_of_quantity + 1
            return EqualFrequencyBinning(n_bins=n_bins, uncut="apart", missing=missing, n_jobs=self.n_jobs)
        if self.n_bins is not None:
            raise _without_effect("n_bins", "mdl", "classes", alternative="quantile")
        return MDLBinning(uncut=self.uncut or "leave", missing=missing, n_jobs=self.n_jobs)


def _without_effect(parameter: str, rule: str, target: str, *, alternative: str) -> UserError:
    """The error for a parameter that the default rule for a target does not have; ``alternative`` has it."""
    return UserError(
        code="parameter-without-effect",
        message=f"has no effect with binning {rule!r}, the rule for {target}",
        advice="leave it out, or use {binning}",
        fix={"binning": alternative},
        parameters={parameter: NAME_ONLY},
    )
