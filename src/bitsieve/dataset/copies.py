"""Columns that repeat another one: with the same values, by a linear function, or recoded one to one.

Columns can repeat each other only if their values change between the same neighbouring rows. All columns are compared
by this in a sample of the rows. Those that agree there are compared by it in all rows, and those that agree once more
are compared value by value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import ColumnValues, Encoded, are_categories
from bitsieve.utils.arrays import Columns, Flags, Integers, Values

CopyKind = Literal["same values", "linear", "recoded"]
_MAX_VALUES_SAMPLED = 1 << 21  # of all columns together
_MIN_ROWS_SAMPLED = 129  # 128 pairs of neighbours are two words of 64 bits
_MAX_ROWS_SAMPLED = 2049
_MAX_VALUES_AT_ONCE = 1 << 20
#: Columns with so many equal neighbours in the sample are compared by whether values change, so that any recoding is
#: found. Columns with fewer have so many different values that they are compared by which values rise and fall.
_MIN_EQUAL_NEIGHBOURS = 2
_ROUNDING = 1e-9  # of a linear function, as a share of the range of its values


class Copy(NamedTuple):
    """A column that repeats an earlier one."""

    column: int
    original: int

    def kind(self, table: InMemoryDataset) -> CopyKind:
        """How the column repeats the other one."""
        return _kind_of_copy(table.values(self.column), table.values(self.original))


class _Changes(NamedTuple):
    """Whether the values of columns rise or fall from each row to the next, as words of 64 bits."""

    rises: NDArray[np.uint64]  # shape (n_columns, n_words)
    falls: NDArray[np.uint64]  # shape (n_columns, n_words)
    n_neighbours: int  # how many rows have a next one

    @classmethod
    def of_values(cls, values: Values) -> _Changes:
        """The changes of columns whose values are an array of shape (n_columns, n_rows)."""
        return cls(
            rises=_as_words(values[:, :-1] < values[:, 1:]),
            falls=_as_words(values[:, :-1] > values[:, 1:]),
            n_neighbours=values.shape[1] - 1,
        )

    def n_equal_neighbours(self) -> Integers:
        """How many rows of each column have the same value as the next one."""
        n_changes: Integers = np.bitwise_count(self.rises | self.falls).sum(axis=1, dtype=np.int64)
        return self.n_neighbours - n_changes

    def hashes(self, is_ordered: Flags) -> NDArray[np.uint64]:
        """A hash of each column that is equal for columns that repeat each other.

        Columns that are ordered are compared by where values rise and fall, others by where they change. A rising
        function of a column rises and falls between the same rows, and for a falling one the two are swapped.
        """
        words = np.where(is_ordered[:, None], np.minimum(self.rises, self.falls), self.rises | self.falls)
        odd_factors = 2 * np.random.default_rng(0).integers(1 << 63, size=words.shape[1], dtype=np.uint64) + 1
        hashes: NDArray[np.uint64] = (words * odd_factors).sum(axis=1, dtype=np.uint64)
        return hashes


def find_copies(table: InMemoryDataset, columns: Sequence[int]) -> list[Copy]:
    """Find the columns that repeat an earlier one of ``columns``, ascending. Constant columns are no copies.

    ``columns`` are indices, ascending. Columns of very many different values, of which a sample of the rows has hardly
    two equal neighbours, are found if one rises or falls with the other. All others are found whatever the recoding.
    """
    indices = np.asarray(columns, np.intp)
    is_ordered = np.zeros(len(indices), bool)
    sample_hashes = np.zeros(len(indices), np.uint64)
    for batch, changes in _changes(table, indices, _sampled_rows(table.n_samples, len(indices))):
        is_ordered[batch] = changes.n_equal_neighbours() < _MIN_EQUAL_NEIGHBOURS
        sample_hashes[batch] = changes.hashes(is_ordered[batch])

    copies: list[Copy] = []
    for ordered in (True, False):
        candidates = indices[(is_ordered == ordered) & _occur_again(sample_hashes)]
        hashes = np.zeros(len(candidates), np.uint64)
        for batch, changes in _changes(table, candidates, np.arange(table.n_samples)):
            hashes[batch] = changes.hashes(np.full(len(changes.rises), ordered))
        for group in _groups(hashes):
            copies += _copies_among(table, candidates[group].tolist(), ordered)
    return sorted(copies)


def _sampled_rows(n_samples: int, n_columns: int) -> Columns:
    """Random rows, always the same, ascending: the fewer columns, the more rows. Of few rows all."""
    n_rows = _MAX_VALUES_SAMPLED // max(n_columns, 1)
    n_rows = min(max(n_rows, _MIN_ROWS_SAMPLED), _MAX_ROWS_SAMPLED)
    if n_samples <= n_rows:
        return np.arange(n_samples)
    return np.sort(np.random.default_rng(0).choice(n_samples, n_rows, replace=False))


def _changes(table: InMemoryDataset, columns: Columns, rows: Columns) -> Iterator[tuple[slice, _Changes]]:
    """The changes of columns in some rows, batch by batch; the slice is the place of the batch in ``columns``."""
    n_at_once = max(1, _MAX_VALUES_AT_ONCE // len(rows))
    for first in range(0, len(columns), n_at_once):
        batch = slice(first, first + n_at_once)
        yield batch, _Changes.of_values(_values_in(table, columns[batch], rows))


def _values_in(table: InMemoryDataset, columns: Columns, rows: Columns) -> Values:
    """The numbers, and the codes of categories, in some rows of some columns: an array of shape (n_columns, n_rows)."""
    matrix = table.matrix
    if matrix is not None and matrix.flags.c_contiguous:
        return matrix[rows[:, None], columns].T
    if matrix is not None:
        return matrix.T[columns[:, None], rows]
    sample = np.empty((len(columns), len(rows)))
    for position, j in enumerate(columns.tolist()):
        values = table.values(j)
        if are_categories(values):
            codes = values.codes[rows]
            sample[position] = np.where(codes < 0, np.nan, codes)
        else:
            sample[position] = values[rows]
    return sample


def _as_words(mask: Flags) -> NDArray[np.uint64]:
    """The rows of a mask as words of 64 bits."""
    packed = np.packbits(np.ascontiguousarray(mask), axis=1)
    n_octets = packed.shape[1]
    n_words = (n_octets + 7) // 8
    octets = np.zeros((len(mask), 8 * n_words), np.uint8)
    octets[:, :n_octets] = packed
    return octets.view(np.uint64)


def _occur_again(hashes: NDArray[np.uint64]) -> Flags:
    """Which hashes occur more than once."""
    _, index, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return counts[index] > 1


def _groups(hashes: NDArray[np.uint64]) -> list[Columns]:
    """The positions of each hash that occurs more than once, ascending."""
    order = np.argsort(hashes, kind="stable")
    starts_of_later_groups = np.flatnonzero(np.diff(hashes[order])) + 1
    return [group for group in np.split(order, starts_of_later_groups) if len(group) > 1]


def _copies_among(table: InMemoryDataset, columns: Sequence[int], ordered: bool) -> list[Copy]:
    """The columns of a group of equal hashes that repeat an earlier one of the group."""
    columns_with_values: dict[tuple[str, bytes], list[int]] = {}  # spares the sorting of equal columns
    for j in columns:
        values = table.values(j)
        array = values.codes if are_categories(values) else values
        columns_with_values.setdefault((array.dtype.str, array.tobytes()), []).append(j)
    columns_with_codes: dict[bytes, list[int]] = {}
    for equal_columns in columns_with_values.values():
        values = table.values(equal_columns[0])
        if not _varies(values):
            continue
        codes = b""  # all columns of the group are equal
        if len(columns_with_values) > 1:
            codes = _canonical_codes(values, ordered).tobytes()
        columns_with_codes.setdefault(codes, []).extend(equal_columns)
    copies = []
    for repeated_columns in columns_with_codes.values():
        original, *others = sorted(repeated_columns)
        copies += [Copy(column, original) for column in others]
    return copies


def _varies(values: ColumnValues) -> bool:
    """Whether a column has two different values; a missing value is a value of its own."""
    array = values.codes if are_categories(values) else values
    if np.isnan(array[0]):
        return not np.isnan(array).all()
    return bool((array != array[0]).any())


def _canonical_codes(values: ColumnValues, ordered: bool) -> Integers:
    """Codes that are equal for columns that repeat each other; -1 is a missing value.

    ``ordered`` columns repeat each other if one rises or falls with the other.
    """
    ranks = _ranks(values)
    return _ranks_that_begin_low(ranks) if ordered else _codes_by_first_row(ranks)


def _ranks_that_begin_low(ranks: Integers) -> Integers:
    """Ranks in that direction, ascending or descending, in which the first one off the middle is below it."""
    is_present = ranks >= 0
    present = ranks[is_present]
    last_rank = int(present.max(initial=-1))
    distances_from_middle = 2 * present - last_rank
    off_middle = distances_from_middle[distances_from_middle != 0]
    begins_high = len(off_middle) > 0 and off_middle[0] > 0
    return np.where(is_present, last_rank - ranks, -1) if begins_high else ranks


def _codes_by_first_row(ranks: Integers) -> Integers:
    """The number of each value in the order in which the values first occur."""
    present = ranks[ranks >= 0]
    n_values = int(present.max(initial=-1)) + 1
    _, first_rows = np.unique(present, return_index=True)
    code_of_rank = np.empty(n_values + 1, np.int64)
    code_of_rank[np.argsort(first_rows)] = np.arange(n_values)
    code_of_rank[-1] = -1  # the rank of missing values
    return code_of_rank[ranks]


def _ranks(values: ColumnValues) -> Integers:
    """The rank of each value among the different values of a column, from 0; -1 where it is missing."""
    if are_categories(values):
        return values.codes.astype(np.int64)
    numbers, ranks = np.unique(values, return_inverse=True)
    has_missing = len(numbers) > 0 and np.isnan(numbers[-1])
    return np.where(ranks == len(numbers) - 1, -1, ranks) if has_missing else ranks


def _kind_of_copy(values: ColumnValues, original: ColumnValues) -> CopyKind:
    """How a column repeats another one, given that it does."""
    if are_categories(values) and are_categories(original):
        return "same values" if _are_equal(values, original) else "recoded"
    if are_categories(values) or are_categories(original):
        return "recoded"
    if np.array_equal(values, original, equal_nan=True):
        return "same values"
    x = np.asarray(original, np.float64)
    y = np.asarray(values, np.float64)
    is_present = ~np.isnan(x)
    x = x[is_present]
    y = y[is_present]
    low = int(np.argmin(x))
    high = int(np.argmax(x))
    with np.errstate(all="ignore"):  # of values that are infinite or too far apart, which are no linear function
        slope = (y[high] - y[low]) / (x[high] - x[low])
        error = np.abs(y[low] + slope * (x - x[low]) - y).max()
        is_linear = error <= _ROUNDING * np.ptp(y)
    return "linear" if is_linear else "recoded"


def _are_equal(values: Encoded, original: Encoded) -> bool:
    return np.array_equal(values.codes, original.codes) and np.array_equal(values.categories, original.categories)
