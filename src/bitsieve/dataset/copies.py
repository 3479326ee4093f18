"""Columns that repeat another one: with the same values, by a linear function, or recoded one to one.

Columns can repeat each other only if their values change between the same rows. So all columns are compared in a sample
of the rows, those that agree there in all rows, and those that agree there value by value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, eq=False)
class _Signatures:
    """What rows say of each column."""

    hashes: NDArray[np.uint64]  # shape (n_columns,): equal for columns that repeat each other
    n_equal: Integers  # shape (n_columns,): the number of rows whose next value is equal


def find_copies(table: InMemoryDataset, columns: Sequence[int]) -> list[Copy]:
    """Find the columns that repeat an earlier one of ``columns``, ascending. Constant columns are no copies.

    ``columns`` are indices, ascending. Columns of very many different values, of which a sample of the rows has hardly
    two equal neighbours, are found if one rises or falls with the other. All others are found whatever the recoding.
    """
    indices = np.asarray(columns, np.intp)
    sample = _signatures(table, indices, _sampled_rows(table.n_samples, len(indices)), ordered=None)
    is_ordered = sample.n_equal < _MIN_EQUAL_NEIGHBOURS
    copies: list[Copy] = []
    for ordered in (True, False):
        candidates = indices[(is_ordered == ordered) & _occur_again(sample.hashes)]
        every_row = np.arange(table.n_samples)
        signatures = _signatures(table, candidates, every_row, ordered=ordered)
        for group in _groups(signatures.hashes):
            copies += _copies_among(table, candidates[group].tolist(), ordered)
    return sorted(copies)


def _sampled_rows(n_samples: int, n_columns: int) -> Columns:
    """Random rows, always the same, ascending: the fewer columns, the more rows. Of few rows all."""
    n_rows = _MAX_VALUES_SAMPLED // max(n_columns, 1)
    n_rows = min(max(n_rows, _MIN_ROWS_SAMPLED), _MAX_ROWS_SAMPLED)
    if n_samples <= n_rows:
        return np.arange(n_samples)
    return np.sort(np.random.default_rng(0).choice(n_samples, n_rows, replace=False))


def _signatures(table: InMemoryDataset, columns: Columns, rows: Columns, *, ordered: bool | None) -> _Signatures:
    """The signatures of columns in some rows.

    ``ordered`` says whether the order of the values counts; None: by the number of equal neighbours.
    """
    n_at_once = max(1, _MAX_VALUES_AT_ONCE // len(rows))
    hashes = [np.empty(0, np.uint64)]
    n_equal = [np.empty(0, np.int64)]
    for first in range(0, len(columns), n_at_once):
        batch = _signatures_of_values(_values_in(table, columns[first : first + n_at_once], rows), ordered)
        hashes.append(batch.hashes)
        n_equal.append(batch.n_equal)
    return _Signatures(np.concatenate(hashes), np.concatenate(n_equal))


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


def _signatures_of_values(values: Values, ordered: bool | None) -> _Signatures:
    """The signatures of columns whose values are an array of shape (n_columns, n_rows).

    A rising function of a column rises and falls between the same rows, and for a falling one the two are swapped.
    """
    rises = _as_words(values[:, :-1] < values[:, 1:])
    falls = _as_words(values[:, :-1] > values[:, 1:])
    changes = rises | falls
    n_equal = values.shape[1] - 1 - np.bitwise_count(changes).sum(axis=1, dtype=np.int64)
    is_ordered = n_equal < _MIN_EQUAL_NEIGHBOURS if ordered is None else np.full(len(values), ordered)
    words = np.where(is_ordered[:, None], np.minimum(rises, falls), changes)
    odd_factors = 2 * np.random.default_rng(0).integers(1 << 63, size=words.shape[1], dtype=np.uint64) + 1
    hashes = (words * odd_factors).sum(axis=1, dtype=np.uint64)
    return _Signatures(hashes, n_equal)


def _as_words(mask: Flags) -> NDArray[np.uint64]:
    """The rows of a mask as words of 64 bits."""
    packed = np.packbits(np.ascontiguousarray(mask), axis=1)
    octets = np.zeros((len(mask), 8 * -(-packed.shape[1] // 8)), np.uint8)
    octets[:, : packed.shape[1]] = packed
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
    """The columns of a group of equal signatures that repeat an earlier one of the group."""
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
    differs = array != array[0]
    if array[0] != array[0]:  # NaN
        differs = array == array
    return bool(differs.any())


def _canonical_codes(values: ColumnValues, ordered: bool) -> Integers:
    """Codes that are equal for columns that repeat each other; -1 is a missing value.

    With ``ordered`` the codes are ranks, ascending or descending, and else the order in which values first occur.
    """
    ranks = _ranks(values)
    is_present = ranks >= 0
    present = ranks[is_present]
    n_values = int(present.max(initial=-1)) + 1
    if ordered:
        distance_from_middle = 2 * present - (n_values - 1)
        distances = distance_from_middle[distance_from_middle != 0]
        begins_high = len(distances) > 0 and distances[0] > 0
        return np.where(is_present, n_values - 1 - ranks, -1) if begins_high else ranks
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
    has_missing = len(numbers) > 0 and numbers[-1] != numbers[-1]
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
    is_present = x == x
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
