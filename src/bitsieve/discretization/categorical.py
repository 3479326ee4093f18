"""Every distinct value its own code: what ``binning="none"`` means."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import lookup
from bitsieve.dataset.value_ranges import FRACTIONS, InspectedColumns, NumericBlock, ValueRanges
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning, unknown_category
from bitsieve.discretization.ragged_array import RaggedArray
from bitsieve.utils.arrays import Integers
from bitsieve.utils.progress import phase


class CategoricalBinning(Binning):
    """Every distinct value its own code: the rule of :class:`CategoricalBinner`."""

    requires = "codes"

    def __init__(self, *, missing: str | None = "error", n_jobs: int | None = None) -> None:
        self.missing = missing
        self.n_jobs = n_jobs

    @property
    def known_arities(self) -> Integers | None:
        """One more than the largest code of every column: every category occurs, but a missing value may not."""
        return self.n_bins_ if self.missing != "bin" else None

    def codes(self, table: InMemoryDataset, buffer: NDArray[np.uint8] | None = None) -> NDArray[Any]:
        numbers: Any = table.value_ranges(self.n_jobs, whole=True).matrix
        will_be_packed = buffer is not None
        if numbers is None and will_be_packed and table.matrix is None and self.code_type is np.uint8:
            numbers = table.columns
        if numbers is not None and self._are_codes(table, numbers):
            codes: NDArray[Any] = numbers
            return codes
        return super().codes(table, buffer)

    def _are_codes(self, table: InMemoryDataset, numbers: NDArray[Any] | list[NDArray[Any]]) -> bool:
        """Whether every number of a matrix or of columns is its own code already, and of the type of codes."""
        columns = [numbers] if isinstance(numbers, np.ndarray) else numbers
        if {column.dtype for column in columns} != {np.dtype(self.code_type)} or self.missing == "bin":
            return False
        ranges = table.value_ranges(self.n_jobs)
        categories = self._fitted_numbers(table, np.arange(table.n_features))
        if not categories.lengths.all():
            return False
        largest = categories.values[categories.ends - 1]
        for high, block in zip(ranges.high, ranges.blocks, strict=True):
            if (high > largest[block.indices]).any():
                return False
        return bool((largest == categories.lengths - 1).all() and categories.values.min() >= 0)

    def check_numbers(self, table: InspectedColumns, ranges: ValueRanges) -> None:
        for j in ranges.which(FRACTIONS)[:1]:
            _integers(ranges.column(j), table.names[j])  # raises

    def find_bins(self, table: InMemoryDataset, ranges: ValueRanges) -> None:
        categories_of_blocks: list[Any] = [None] * len(ranges.blocks)

        def find(b: int) -> None:
            block = ranges.blocks[b]
            low, high = ranges.low[b], ranges.high[b]
            is_read_as_bytes = block.column(0).itemsize == 1 and low.dtype.itemsize > 1
            kind = np.dtype(np.uint8) if is_read_as_bytes else low.dtype
            values, ends = _native.distinct(block.values, low.astype(kind), high.astype(kind))
            integers = values.astype(np.int64 if low.dtype.kind == "f" else low.dtype)
            categories_of_blocks[b] = block.indices, RaggedArray(integers, ends)

        run_blocks(find, range(len(ranges.blocks)), self.n_jobs, phase("binning"))
        self.bin_edges_ = RaggedArray.empty(table.n_features)
        self.n_bins_ = np.ones(table.n_features, np.int64)
        if table.matrix is not None:
            self.categories_ = RaggedArray.merged(table.n_features, categories_of_blocks)
            self.n_bins_ = self.categories_.lengths
            return
        by_column = self._categories_of(table)
        for indices, arrays in categories_of_blocks:
            for j, categories in zip(indices.tolist(), arrays, strict=True):
                by_column[j] = categories
                self.n_bins_[j] = len(categories)
        self.categories_ = by_column

    def cut_stored(self, table: InMemoryDataset, first: int, end: int) -> RaggedArray:
        """The distinct numbers of columns, each of which is a code, in place of cuts."""
        stored = table.stored
        values, ends = _native.stored_distinct(stored.start, stored.row, stored.value, first, end)
        refused = np.flatnonzero((values != np.floor(values)) | (np.abs(values) >= 2.0**63))
        if len(refused):
            index = int(refused[0])
            column = first + int(np.searchsorted(ends, index, side="right"))
            raise not_whole(table.names[column], values[index])
        return RaggedArray(values, ends)

    def code_numbers(
        self, table: InMemoryDataset, block: NumericBlock, missing_codes: Integers, codes: NDArray[Any]
    ) -> None:
        if not isinstance(self.categories_, RaggedArray):  # no type of whole numbers holds both, -1 and 2^64 - 1
            dtypes = [getattr(self.categories_[j], "dtype", None) for j in block.indices.tolist()]
            is_unsigned = np.array([dtype == np.uint64 for dtype in dtypes])
            if is_unsigned.any() and not is_unsigned.all():
                for columns in (np.flatnonzero(~is_unsigned), np.flatnonzero(is_unsigned)):
                    self.code_numbers(table, block.part(columns), missing_codes[columns], codes)
                return
        categories = self._fitted_numbers(table, block.indices)
        are_met = _native.code_categories(
            block.values,
            categories.values.astype(np.int64),
            categories.values.dtype == np.uint64,
            categories.ends,
            missing_codes,
            block.indices,
            codes,
        )
        for c in np.flatnonzero(are_met == 0)[:1].tolist():
            name = table.names[int(block.indices[c])]
            values = _integers(block.column(c), name)
            raise unknown_category(name, values[lookup(values, categories[c]) < 0])

    def _fitted_numbers(self, table: InMemoryDataset, columns: Integers) -> RaggedArray:
        """The categories of numeric columns."""
        if isinstance(self.categories_, RaggedArray):
            return self.categories_.take(columns)
        arrays = []
        for j in columns.tolist():
            categories = self.categories_[j]
            if categories is None or categories.dtype.kind not in "iu":
                raise UserError(
                    code="column-kind-changed",
                    message=f"column {table.names[j]!r} was categorical when fitting",
                    advice="give categories",
                )
            arrays.append(categories)
        return RaggedArray(np.concatenate(arrays), np.cumsum([len(categories) for categories in arrays]))


def _integers(values: NDArray[Any], name: str) -> NDArray[Any]:
    """The values of a numeric column that are not missing, as integers."""
    if values.dtype.kind != "f":
        return values
    values = values[~np.isnan(values)]
    refused = values[(values != np.floor(values)) | (np.abs(values) >= 2.0**63)]
    if len(refused):
        raise not_whole(name, refused[0])
    return values.astype(np.int64)


def not_whole(name: str, value: Any) -> UserError:
    """The error for a number that is no code."""
    return UserError(
        code="numbers-not-categories",
        message=f"column {name!r} holds {value.item()!r}",
        advice=(
            "binning 'none' takes whole numbers and categories only, use 'mdl', 'quantile' or 'uniform' for this column"
        ),
    )
