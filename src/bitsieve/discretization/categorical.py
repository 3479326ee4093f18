"""The rule of ``binning="none"``: every distinct value is a code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import lookup
from bitsieve.dataset.value_ranges import FRACTIONS, BlockRange, InspectedColumns, NumericBlock, ValueRanges
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import ColumnBinning, unknown_category, was_categorical
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.utils.arrays import Flags, Integers, Values
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.progress import phase

_MAX_INT64 = 2.0**63  # the first float that is too large for int64


class CategoricalBinning(ColumnBinning):
    """Every distinct value is a code: the rule of :class:`CategoricalBinner`.

    The code of a value is its rank among the distinct values of its column in the fitted table.
    """

    requires = "codes"

    @proposes_right_names
    def __init__(self, *, missing: str | None = "error", n_jobs: int | None = None) -> None:
        self.missing = missing
        self.n_jobs = n_jobs

    @property
    def arities(self) -> Integers | None:
        if self.missing == "bin":  # whether a value is missing differs from table to table
            return None
        return self.n_bins_

    def find_bins(self, table: InMemoryDataset, ranges: ValueRanges) -> None:
        numbers_by_block: list[tuple[Integers, RaggedArray]] = []

        def find(block_range: BlockRange) -> None:
            numbers_by_block.append((block_range.block.indices, _distinct_integers(block_range)))

        run_blocks(find, ranges.blocks, self.n_jobs, phase("binning"))
        self.bin_edges_ = RaggedArray.empty(table.n_features)
        if table.matrix is not None:  # all columns are numbers
            self.categories_ = RaggedArray.merged(table.n_features, numbers_by_block)
            self.n_bins_ = self.categories_.lengths
            return
        self.n_bins_ = np.ones(table.n_features, np.int64)
        categories = self._fit_categories(table)
        for indices, numbers in numbers_by_block:
            for j, distinct in zip(indices.tolist(), numbers, strict=True):
                categories[j] = distinct
                self.n_bins_[j] = len(distinct)
        self.categories_ = categories

    def cut_stored(self, table: InMemoryDataset, first: int, end: int) -> RaggedArray:
        """The distinct stored numbers of columns, which are the codes of this rule in place of cuts."""
        stored = table.stored
        numbers = RaggedArray(*_native.stored_distinct(stored.start, stored.row, stored.value, first, end))
        refused = np.flatnonzero(~_are_integers(numbers.values))
        if len(refused):
            index = int(refused[0])
            column = first + int(np.searchsorted(numbers.ends, index, side="right"))
            raise not_whole(table.names[column], numbers.values[index])
        return numbers

    def check_numbers(self, table: InspectedColumns, ranges: ValueRanges) -> None:
        """Refuse numbers with a fraction, and those that are too large for an integer of 64 bits."""
        fractional = ranges.columns_with(FRACTIONS)
        if fractional:
            j = fractional[0]
            _check_integers(ranges.column(j), table.names[j])

    def codes(self, table: InMemoryDataset, buffer: NDArray[np.uint8] | None = None) -> Any:
        codes_in_table = self._codes_in_table(table, will_be_packed=buffer is not None)
        return super().codes(table, buffer) if codes_in_table is None else codes_in_table

    def _codes_in_table(
        self, table: InMemoryDataset, *, will_be_packed: bool
    ) -> NDArray[np.unsignedinteger[Any]] | list[NDArray[np.unsignedinteger[Any]]] | None:
        """The numbers of the table, which spares a copy, if each of them is its own code; else None.

        They are a matrix. For codes that will be packed they may also be a list of columns of bytes.
        """
        if self.missing == "bin":
            return None
        matrix = table.value_ranges(self.n_jobs, find_fractions=True).matrix
        if matrix is not None:
            return matrix if matrix.dtype == self.code_type and self._numbers_are_codes(table) else None
        if not will_be_packed or table.matrix is not None or self.code_type is not np.uint8:
            return None
        if not all(table.is_numeric(j) for j in range(table.n_features)):
            return None
        columns = [table.numbers(j) for j in range(table.n_features)]
        are_bytes = all(column.dtype == np.uint8 for column in columns)
        return columns if are_bytes and self._numbers_are_codes(table) else None

    def _numbers_are_codes(self, table: InMemoryDataset) -> bool:
        """Whether the categories of every column are 0, 1, ..., m, and all its numbers in the table are among them.

        The numbers of the table are unsigned integers.
        """
        categories = self._fitted_numbers(table, np.arange(table.n_features))
        if not categories.lengths.all() or categories.values.min() < 0:
            return False
        largest_category = categories.values[categories.ends - 1]
        if (largest_category != categories.lengths - 1).any():  # they are ascending and distinct
            return False
        for block, _, largest_number in table.value_ranges(self.n_jobs).blocks:
            if (largest_number > largest_category[block.indices]).any():
                return False
        return True

    def code_numbers(self, table: InMemoryDataset, block: NumericBlock, missing_codes: Integers, codes: Values) -> None:
        is_unsigned = self._is_unsigned(block.indices)
        if is_unsigned.any() and not is_unsigned.all():  # no integer type holds both -1 and 2**64 - 1
            for columns in (np.flatnonzero(~is_unsigned), np.flatnonzero(is_unsigned)):
                self._code_numbers_of_one_type(table, block.take(columns), missing_codes[columns], codes)
        else:
            self._code_numbers_of_one_type(table, block, missing_codes, codes)

    def _is_unsigned(self, columns: Integers) -> Flags:
        """Which of these columns have categories of type uint64."""
        if isinstance(self.categories_, RaggedArray):  # of one type
            return np.zeros(len(columns), bool)
        dtypes = []
        for j in columns.tolist():
            categories = self.categories_[j]
            dtypes.append(None if categories is None else categories.dtype)
        return np.array([dtype == np.uint64 for dtype in dtypes], bool)

    def _code_numbers_of_one_type(
        self, table: InMemoryDataset, block: NumericBlock, missing_codes: Integers, codes: Values
    ) -> None:
        categories = self._fitted_numbers(table, block.indices)
        all_are_categories = _native.code_categories(
            block.values,
            categories.values.astype(np.int64),
            categories.values.dtype == np.uint64,
            categories.ends,
            missing_codes,
            block.indices,
            codes,
        ).astype(bool)
        if not all_are_categories.all():
            c = int(np.argmin(all_are_categories))
            name = table.names[int(block.indices[c])]
            values = block.column(c)
            if values.dtype.kind == "f":
                _check_integers(values, name)
                values = values[~np.isnan(values)].astype(np.int64)
            raise unknown_category(name, values[lookup(values, categories[c]) < 0])

    def _fitted_numbers(self, table: InMemoryDataset, columns: Integers) -> RaggedArray:
        """The categories of numeric columns."""
        if isinstance(self.categories_, RaggedArray):
            return self.categories_.take(columns)
        arrays = []
        for j in columns.tolist():
            categories = self.categories_[j]
            if categories is None or categories.dtype.kind not in "iu":
                raise was_categorical(table.names[j])
            arrays.append(categories)
        lengths = [len(categories) for categories in arrays]
        return RaggedArray(np.concatenate(arrays), np.cumsum(lengths))


def _distinct_integers(block_range: BlockRange) -> RaggedArray:
    """The sorted distinct numbers of the columns of a block of whole numbers, as integers."""
    block, low, high = block_range
    is_read_as_bytes = block.column(0).itemsize == 1 and low.dtype.itemsize > 1
    dtype = np.dtype(np.uint8) if is_read_as_bytes else low.dtype
    numbers = RaggedArray(*_native.distinct(block.values, low.astype(dtype), high.astype(dtype)))
    integer_type = np.dtype(np.int64) if low.dtype.kind == "f" else low.dtype
    return RaggedArray(numbers.values.astype(integer_type), numbers.ends)


def _check_integers(values: Values, name: str) -> None:
    """Refuse a column of floats that holds a number which is no code."""
    numbers = values[~np.isnan(values)]
    refused = numbers[~_are_integers(numbers)]
    if len(refused):
        raise not_whole(name, refused[0])


def _are_integers(values: Values) -> Flags:
    """Which floats are whole numbers that int64 holds."""
    return np.asarray((values == np.floor(values)) & (np.abs(values) < _MAX_INT64), bool)


def not_whole(name: str, value: Any) -> UserError:
    """The error for a number that is no code."""
    return UserError(
        code="numbers-not-categories",
        message=f"column {name!r} holds {value.item()!r}",
        advice=(
            "binning 'none' takes whole numbers and categories only, use 'mdl', 'quantile' or 'uniform' for this column"
        ),
    )
