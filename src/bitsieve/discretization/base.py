"""What all rules of binning share: columns to bins, columns to codes."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.search import ClassSearch, Labels
from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.dataset.encoding import (
    MAX_EXACT_INTEGER,
    ColumnValues,
    Encoded,
    encode,
    encode_with_missing,
    lookup,
)
from bitsieve.dataset.text_format import TextFormat
from bitsieve.dataset.value_ranges import (
    MISSING,
    NUMBERS,
    BlockRange,
    InspectedColumns,
    NumericBlock,
    ValueRanges,
    check_integers,
    check_values,
)
from bitsieve.diagnostics import UserError
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.discretization.within_strata import bins_within_need_rows
from bitsieve.utils.arrays import Flags, Floats, Integers, Progress, Values
from bitsieve.utils.parameters import Rule, check_choice, check_parameters, check_threads
from bitsieve.utils.progress import phase

MAX_CODES = 1 << 16


class BinningChoice(ABC):
    """A rule of binning with the parameters that a user chose. ``for_table`` settles what was left open."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "missing": partial(check_choice, choices=("error", "bin")),
        "n_jobs": check_threads,
    }
    #: What becomes of missing values: "error", or "bin" for a code of their own. None leaves it to the table.
    missing: str | None
    n_jobs: int | None
    #: Whether each stratum has bins of its own, which are found in its rows alone.
    bins_within: bool = False
    #: What the bins of a numeric column are found from:
    #: "ends" is its smallest and its largest number,
    #: "numbers" is all of its numbers,
    #: "classes" is its numbers and the classes of their samples,
    #: "codes" is its distinct numbers, which are codes and must be whole.
    requires: ClassVar[Literal["ends", "numbers", "classes", "codes"]] = "numbers"

    @classmethod
    @cache
    def parameter_names(cls) -> tuple[str, ...]:
        """The names of its parameters."""
        return tuple(inspect.signature(cls).parameters)

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of its parameters, by name."""
        return {name: getattr(self, name) for name in self.parameter_names()}

    def __repr__(self) -> str:
        parameters = []
        for name, value in self.parameters.items():
            is_left_open = value is None
            is_switched_off = value is False  # every switch is off by default
            if not is_left_open and not is_switched_off:
                parameters.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(parameters)})"

    def unfitted(self, **changes: Any) -> Self:
        """A copy that is not fitted, with some parameters changed."""
        return type(self)(**{**self.parameters, **changes})

    @abstractmethod
    def for_table(self, table: Dataset) -> Binning:
        """The rule for a table, not fitted, with every parameter settled."""

    def missing_for(self, table: Dataset) -> str:
        """The parameter ``missing`` for a table; where it was left open, "bin" if the table may hold missing values."""
        if self.missing is not None:
            return self.missing
        can_have_missing = table.may_hold_missing(self.n_jobs, find_fractions=self.requires == "codes")
        return "bin" if can_have_missing else "error"

    @property
    def takes_missing(self) -> bool:
        """Whether missing values may get a code of their own."""
        return self.missing != "error"


#: A rule of binning: its name, or an object with its parameters.
BinningLike: TypeAlias = str | BinningChoice


class Binning(BinningChoice):
    """A rule that is fitted on a table and turns its columns into codes."""

    n_features_in_: int
    feature_names_in_: Values
    bin_edges_: RaggedArray  # without any edge where each stratum has its own
    bin_edges_of_strata_: Sequence[RaggedArray]  # of each stratum; only a rule with ``bins_within`` has it
    strata_: tuple[tuple[object, ...], ...]  # the values of each stratum; only a rule with ``bins_within`` has it
    categories_: Sequence[Values | None]
    n_bins_: Integers
    uncut_: Integers  # the columns without a cut; only a rule that cuts by the classes has it
    side: ClassVar[Literal["left", "right"]] = "left"  # the bin that a value on a cut belongs to
    #: The category of all categories that a column did not have when fitting; None refuses them.
    unseen_category: str | None = None
    #: Hashes the categories of a column, given its name, as they were hashed when fitting; None: they were not hashed.
    hash_categories: Callable[[str, Values], Values] | None = None
    _formats: Mapping[int, TextFormat] = MappingProxyType({})  # the formats of columns of text that is not plain

    def for_table(self, table: Dataset) -> Binning:
        if self.missing is not None:
            return self
        return self.unfitted(missing=self.missing_for(table))

    @abstractmethod
    def fit_table(self, table: InMemoryDataset) -> Self:
        """Find the bins of every column of a table."""

    @property
    def cutting_rule(self) -> Binning:
        """The rule that finds the cuts: this one, or the one that it calls for them."""
        return self

    @property
    def columns_without_cut(self) -> Integers:
        """The numeric columns that no cut separates by the classes; none if the rule does not look at the classes."""
        return np.empty(0, np.intp)

    def categories_of(self, j: int) -> Values | None:
        """The categories of column ``j``; None if it holds numbers that were cut."""
        return None if self.categories_ is None else self.categories_[j]

    def separates_zero(self, j: int) -> bool:
        """Whether code 0 of column ``j`` is zero, and its other numbers have the codes from 1 on."""
        return False

    @abstractmethod
    def codes(self, table: InMemoryDataset, buffer: NDArray[np.uint8] | None = None) -> Any:
        """The codes of a table, which may be the values of the table themselves: do not write to them.

        ``buffer`` is memory for the codes, two bytes a value.
        """

    @property
    def code_type(self) -> type[np.unsignedinteger[Any]]:
        """The type of the codes."""
        return np.uint8 if self.n_bins_.max() <= 256 else np.uint16

    @property
    def arities(self) -> Integers | None:
        """One more than the largest code of each column in the fitted table; None where it must be counted."""
        return None

    def search(self, table: InMemoryDataset) -> ClassSearch | None:
        """The search for cuts by the classes, to be repeated for other classes; None where the rule ignores them."""
        return None

    def columns_with_codes(self, table: InMemoryDataset, classes: Labels) -> Flags:
        """Whether each column may have several codes once the rule is fitted with each row of ``classes``.

        ``classes`` has the shape (n_vectors, n_samples), the result (n_vectors, n_features).
        """
        return np.ones((len(classes), table.n_features), bool)

    def check_code_limit(self, names: Sequence[str]) -> None:
        """Refuse a column of more codes than are supported."""
        if self.n_bins_.max() > MAX_CODES:
            j = int(self.n_bins_.argmax())
            raise UserError(
                code="too-many-bins",
                message=f"column {names[j]!r} has {self.n_bins_[j]:,} codes",
                advice=f"at most {MAX_CODES:,} are supported, drop it or group its values",
            )


class ColumnBinning(Binning):
    """A rule that bins each column by its values. Categories are coded by their rank."""

    def fit_table(self, table: InMemoryDataset) -> Self:
        ranges = self.start_fit(table)
        self.find_bins(table, ranges)
        if self.missing == "bin":
            self.n_bins_ += 1
        is_empty = (ranges.content & NUMBERS) == 0
        self.n_bins_[is_empty] = 1
        self.check_code_limit(table.names)
        return self

    @abstractmethod
    def find_bins(self, table: InMemoryDataset, ranges: ValueRanges) -> None:
        """Set ``bin_edges_``, ``categories_`` and ``n_bins_``; ``n_bins_`` without the code of missing values."""

    @abstractmethod
    def cut_stored(self, table: InMemoryDataset, first: int, end: int) -> RaggedArray:
        """The cuts among the numbers that the columns ``first`` to ``end`` of a sparse table store."""

    def start_fit(self, table: InspectedColumns) -> ValueRanges:
        """Check the parameters and the columns of a table, or of its summary. Keep the names of the columns."""
        check_parameters(self)
        ranges = self._checked_ranges(table)
        table.set_names_on(self)
        self._formats = {j: meaning.format for j, meaning in table.text_meanings.items() if not meaning.is_plain}
        return ranges

    def _checked_ranges(self, table: InspectedColumns) -> ValueRanges:
        """The ranges of the columns. Values that the rule does not take are refused."""
        ranges = check_values(
            table,
            allow_missing=self.missing == "bin",
            n_jobs=self.n_jobs,
            find_fractions=self.requires == "codes",
        )
        self.check_numbers(table, ranges)
        return ranges

    def check_numbers(self, table: InspectedColumns, ranges: ValueRanges) -> None:
        """Refuse numbers that the rule does not take: here different integers that are equal as floats."""
        check_integers(table, ranges)

    def codes(self, table: InMemoryDataset, buffer: NDArray[np.uint8] | None = None) -> Values:
        if self.requires != "codes":  # a rule of codes looks numbers up as they are
            table = with_integers_as_categories(table, self.categories_)
        ranges = self._checked_ranges(table)
        shape = table.n_samples, table.n_features
        memory = None if buffer is None else buffer.data
        codes = np.ndarray(shape, self.code_type, memory, order="F")
        missing_codes = self.missing_codes()

        def code_block(block_range: BlockRange) -> None:
            block = block_range.block
            self.code_numbers(table, block, missing_codes[block.indices], codes)

        run_blocks(code_block, ranges.blocks, self.n_jobs, phase("encoding"))
        for j, values in table.categories():
            name = table.names[j]
            if self.hash_categories is not None:
                values = replace(values, categories=self.hash_categories(name, values.categories))
            code_categories(name, values, self.categories_[j], codes[:, j], self.unseen_category)
            if ranges.content[j] & MISSING:
                is_missing = values.codes < 0
                codes[is_missing, j] = missing_codes[j]
        return codes

    def missing_codes(self) -> Integers:
        """The code of missing values of every column, which is the last one; 0 where they have none."""
        return self.n_bins_ - 1 if self.missing == "bin" else np.zeros_like(self.n_bins_)

    def code_numbers(self, table: InMemoryDataset, block: NumericBlock, missing_codes: Integers, codes: Values) -> None:
        """Write the codes of numeric columns to their columns of ``codes``."""
        for j in block.indices.tolist():
            if self.categories_[j] is not None:
                raise was_categorical(table.names[j])
        self.code_by_cuts(table, block, missing_codes, codes)

    def code_by_cuts(self, table: InMemoryDataset, block: NumericBlock, missing_codes: Integers, codes: Values) -> None:
        """Write the codes of numeric columns, whose values are between the cuts that were found when fitting."""
        self.write_codes(block, self.bin_edges_.take(block.indices), missing_codes, codes)

    def write_codes(self, block: NumericBlock, edges: RaggedArray, missing_codes: Integers, codes: Values) -> None:
        """Write the codes of the columns of a block by their edges, to the columns ``block.indices`` of ``codes``."""
        _native.code_by_cuts(
            choose_kernel().name,
            block.values,
            edges.values,
            edges.ends,
            self.side == "left",
            missing_codes,
            block.indices,
            codes,
        )

    def _fit_categories(self, table: InMemoryDataset) -> list[Values | None]:
        """The categories of every categorical column, None for numbers. Sets ``n_bins_`` of the categorical columns."""
        categories: list[Values | None] = [None] * table.n_features
        for j, values in table.categories():
            categories[j] = values.categories
            self.n_bins_[j] = len(values.categories)
        return categories


class BlockCutBinning(ColumnBinning):
    """A rule that cuts numeric columns into intervals, many columns at once."""

    @abstractmethod
    def cut_block(self, table: InMemoryDataset, block: NumericBlock, low: Values, high: Values) -> RaggedArray:
        """The cuts of the columns of a block; ``low`` and ``high`` are their smallest and largest numbers."""

    def find_bins(self, table: InMemoryDataset, ranges: ValueRanges) -> None:
        self.bin_edges_ = self.find_cuts(table, ranges, phase("binning"))
        self.n_bins_ = self.bin_edges_.lengths + 1
        self.categories_ = self._fit_categories(table)

    def find_cuts(self, table: InMemoryDataset, ranges: ValueRanges, report: Progress = None) -> RaggedArray:
        """The cuts of every column of a table; none for categories. ``report`` is told how many blocks are done."""
        cuts_by_block: list[tuple[Integers, RaggedArray]] = []

        def cut(block_range: BlockRange) -> None:
            block, low, high = block_range
            cuts_by_block.append((block.indices, self.cut_block(table, block, low, high)))

        run_blocks(cut, ranges.blocks, self.n_jobs, report)
        return RaggedArray.merged(table.n_features, cuts_by_block)


class ClassCutBinning(BlockCutBinning):
    """A rule that cuts numeric columns by the classes, and so leaves columns without a cut."""

    requires = "classes"

    @property
    def columns_without_cut(self) -> Integers:
        return self.uncut_

    def find_bins(self, table: InMemoryDataset, ranges: ValueRanges) -> None:
        super().find_bins(table, ranges)
        numeric = np.concatenate([np.empty(0, np.int64), *(block.indices for block, _, _ in ranges.blocks)])
        self.uncut_ = np.sort(numeric[self.bin_edges_.lengths[numeric] == 0])


class CutBinning(BlockCutBinning):
    """A rule that cuts numeric columns into intervals, one column at a time. A subclass defines ``cut_column``."""

    @abstractmethod
    def cut_column(self, values: Floats, classes: Values | None, weights: Integers | None) -> Floats:
        """The cuts of one column, ascending.

        Parameters
        ----------
        values : ndarray of shape (n_samples,)
            The values that are not missing. A rule that requires "ends" may get the smallest and the largest alone.
        classes : ndarray of shape (n_samples,)
            The class codes; None where there is no target.
        weights : ndarray of shape (n_samples,)
            The weight of each value, in samples; None for one each.
        """

    def cut_block(self, table: InMemoryDataset, block: NumericBlock, low: Values, high: Values) -> RaggedArray:
        all_rows = np.arange(table.n_samples)
        columns = [block.column(c) for c in range(len(block.indices))]
        return RaggedArray.from_arrays([self._cut_values(table, column, all_rows) for column in columns])

    def cut_stored(self, table: InMemoryDataset, first: int, end: int) -> RaggedArray:
        stored = table.stored
        cuts = []
        for j in range(first, end):
            column = slice(int(stored.start[j]), int(stored.start[j + 1]))
            cuts.append(self._cut_values(table, stored.value[column], stored.row[column]))
        return RaggedArray.from_arrays(cuts)

    def _cut_values(self, table: InMemoryDataset, values: Values, rows: Values) -> Floats:
        """The cuts of a column that has these values in these rows."""
        numbers = values.astype(np.float64)
        is_present = ~np.isnan(numbers)
        if not is_present.any():
            return np.empty(0)
        rows = rows[is_present]
        classes = None if table.y is None else table.y.codes[rows]
        weights = None if table.weights is None else table.weights[rows]
        return self.cut_column(numbers[is_present], classes, weights)


def as_column_rule(binner: Binning) -> ColumnBinning:
    """The rule, for data that is read in parts. A rule that needs all rows in memory is refused."""
    if binner.bins_within:
        raise bins_within_need_rows()
    if isinstance(binner, ColumnBinning):
        return binner
    raise UserError(
        code="rows-not-in-memory",
        message="ZeroApartBinner bins tables in memory",
        advice="give another binning for data that is read in parts",
    )


def n_codes_that_occur(binner: Binning, table: Dataset) -> Integers:
    """The number of codes that can occur in every column.

    Missing values add a code to every column of a fitted rule. In a dense table it is counted only where values are
    missing.
    """
    n_codes = np.asarray(binner.n_bins_)
    if not binner.takes_missing:
        return n_codes
    if table.coded_arities is not None:
        return table.coded_arities
    if table.rows is None or table.is_sparse:
        return n_codes
    has_no_missing = (table.rows.value_ranges(binner.n_jobs).content & MISSING) == 0
    return np.asarray(n_codes - has_no_missing, np.int64)


def code_categories(
    name: str, values: Encoded, fitted_categories: Values | None, codes: Values, unseen_category: str | None
) -> None:
    """Write the codes of a categorical column: the rank of each value among the fitted categories.

    Values that are none of them have the code of ``unseen_category``, if the column has it.
    """
    if fitted_categories is None:
        raise UserError(
            code="column-kind-changed",
            message=f"column {name!r} was numeric when fitting",
            advice="give numbers",
        )
    if fitted_categories is values.categories:
        codes[:] = values.codes
        return
    if not len(values.categories):  # every value is missing
        return
    try:
        ranks = lookup(values.categories, fitted_categories)
    except TypeError:  # the categories are of another type than when fitting, which does not compare
        ranks = np.full(len(values.categories), -1, np.int32)
    is_unknown = ranks < 0
    if is_unknown.any():
        categories = fitted_categories.tolist()
        if unseen_category not in categories:
            raise unknown_category(name, values.categories[is_unknown])
        ranks[is_unknown] = categories.index(unseen_category)
    codes[:] = ranks[values.codes]


def was_categorical(name: str) -> UserError:
    """The error for a column of numbers that held categories when fitting."""
    return UserError(
        code="column-kind-changed",
        message=f"column {name!r} was categorical when fitting",
        advice="give categories",
    )


def unknown_category(name: str, values: Values) -> UserError:
    """The error for values of a column that were not there when fitting."""
    value = values[:1].tolist()[0]
    return UserError(
        code="unseen-value",
        message=f"column {name!r} holds {value!r}, which was not there when fitting",
        advice="fit on data that has every value, or replace it",
    )


def with_integers_as_categories(table: InMemoryDataset, fitted_categories: Sequence[Values | None]) -> InMemoryDataset:
    """The table with columns of integers as categories, where the fitted categories of a column are integers."""
    encoded = {}
    for j, categories in enumerate(fitted_categories):
        if categories is not None and categories.dtype.kind in "iu" and table.is_numeric(j):
            encoded[j] = _encoded_integers(table.numbers(j))
    if not encoded:
        return table
    columns = [encoded.get(j, table.values(j)) for j in range(table.n_features)]
    return replace(table, columns=columns)


def _encoded_integers(values: Values) -> ColumnValues:
    """The codes of a column whose numbers are all integers, -1 for missing ones; any other column as it is."""
    if values.dtype.kind in "iu":
        return encode(values)
    numbers = values[~np.isnan(values)]
    if (np.abs(numbers) > MAX_EXACT_INTEGER).any() or (numbers != np.rint(numbers)).any():
        return values
    encoded = encode_with_missing(values)
    return replace(encoded, categories=encoded.categories.astype(np.int64))
