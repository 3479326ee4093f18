"""Encode distinct values as integers; convert numbers to float64 where no two different values become equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Matrix, Values

if TYPE_CHECKING:
    from typing_extensions import TypeIs

_MAX_CODES = 1 << 16  # the largest number of categories that the native kernel takes


@dataclass(frozen=True, eq=False)
class Encoded:
    """A column of categories. Supports ``len``, ``dtype`` and indexing by rows, like an array."""

    codes: NDArray[np.int32]  # shape (n_samples,): index into ``categories``, -1 where the value is missing
    categories: Values  # the distinct values that occur, ascending
    n_declared: int | None = None  # how many categories its type lists, seen or not; None where it lists none
    #: The ranks of the categories in the order that the type declares; None where it declares no order.
    declared_ranks: Integers | None = None
    dtype: ClassVar[np.dtype[Any]] = np.dtype(object)  # a type that no column of numbers has

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Columns) -> Encoded:
        """Some rows, with the categories that occur in them."""
        codes_that_occur, new_codes = np.unique(self.codes[rows], return_inverse=True)
        has_missing = len(codes_that_occur) > 0 and codes_that_occur[0] < 0
        if has_missing:  # its code stays -1
            codes_that_occur = codes_that_occur[1:]
            new_codes = new_codes - 1
        categories = self.categories[codes_that_occur]
        declared_ranks = None if self.declared_ranks is None else self.declared_ranks[codes_that_occur]
        return Encoded(new_codes.astype(np.int32), categories, self.n_declared, declared_ranks)


#: The values of a column.
ColumnValues: TypeAlias = Values | Encoded


def as_array(values: Any) -> Values:
    """Convert to an array. Text and numbers stay what they are in an array of objects. Masked values become missing."""
    if isinstance(values, np.ma.MaskedArray):
        return _filled(values)
    array = np.asarray(values)
    was_converted_to_text = array.dtype.kind in "US" and array is not values
    return np.asarray(values, dtype=object) if was_converted_to_text else array


def _filled(values: np.ma.MaskedArray[Any, Any]) -> Values:
    """The data of a masked array with the missing value of its type where it is masked."""
    data = np.asarray(values.data)
    mask = np.ma.getmaskarray(values)
    if not mask.any():
        return data
    if data.dtype.kind in "fc":
        filled = data.copy()
        filled[mask] = np.nan
    elif data.dtype.kind in "mM":
        filled = data.copy()
        filled[mask] = "NaT"
    else:
        filled = data.astype(object)
        filled[mask] = None
    return filled


def distinct(values: Values, low: Any = None, high: Any = None) -> Values:
    """The sorted distinct values of a column without missing values.

    ``low`` and ``high`` are the smallest and the largest value, if the caller knows them. Integers are not sorted but
    marked in a table, which is faster.
    """
    integers = _native_integers(values)
    if integers is None or not len(integers):
        return np.unique(values)
    if low is None:
        low = integers.min()
        high = integers.max()
    lows = np.array([low], integers.dtype)
    highs = np.array([high], integers.dtype)
    distinct_integers, _ = _native.distinct([integers], lows, highs)
    return np.asarray(distinct_integers.astype(values.dtype))


def lookup(values: Values, categories: Values) -> NDArray[np.int32]:
    """The index in the sorted ``categories`` of every value, -1 for values that are not among them."""
    if not len(categories):
        return np.full(len(values), -1, np.int32)
    codes = _lookup_integers(values, categories)
    if codes is not None:
        return codes
    indices = np.searchsorted(categories, values).astype(np.int32)
    np.minimum(indices, len(categories) - 1, out=indices)
    indices[categories[indices] != values] = -1
    return indices


def _lookup_integers(values: Values, categories: Values) -> NDArray[np.int32] | None:
    """:func:`lookup` by the native kernel; None for values that it does not take or that are not all categories."""
    integers = _native_integers(values)
    integer_categories = _native_integers(categories)
    if integers is None or integer_categories is None:
        return None
    if not len(integers) or len(integer_categories) > _MAX_CODES:
        return None
    codes = np.empty((len(integers), 1), np.uint16, order="F")
    first_column = np.zeros(1, np.int64)
    no_missing_code = np.zeros(1, np.int64)
    all_are_categories = _native.code_categories(
        [integers],
        integer_categories.astype(np.int64),
        integer_categories.dtype == np.uint64,
        np.array([len(integer_categories)]),
        no_missing_code,
        first_column,
        codes,
    )
    return codes[:, 0].astype(np.int32) if all_are_categories.all() else None


SMALL_RANGE = 8  # integers whose largest is less than this above the smallest may be codes


def encode(values: Values) -> Encoded:
    """Encode an array without missing values."""
    categories = distinct(values)
    return Encoded(lookup(values, categories), categories)


def encode_with_missing(values: Values) -> Encoded:
    """Encode an array of numbers; NaN is a missing value."""
    if values.dtype.kind != "f":
        return encode(values)
    is_present = ~np.isnan(values)
    encoded = encode(values[is_present])
    codes = np.full(len(values), -1, np.int32)
    codes[is_present] = encoded.codes
    return Encoded(codes, encoded.categories)


def _native_integers(values: Values) -> Values | None:
    """Integers and booleans in a type that the native kernels take; None for any other array."""
    if values.dtype.kind not in "biu" or not values.dtype.isnative or not values.flags.aligned:
        return None
    return values.view(np.uint8) if values.dtype.kind == "b" else values


def are_categories(values: Any) -> TypeIs[Encoded]:
    """Whether a column holds categories."""
    return isinstance(values, Encoded)


def is_missing(values: ColumnValues) -> Flags:
    """Which values of a column are missing."""
    if are_categories(values):
        return values.codes < 0
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values), bool)
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values), bool)
    return np.zeros(len(values), bool)


def all_missing(values: Values) -> bool:
    """Whether every number is missing."""
    return values.dtype.kind == "f" and bool(np.isnan(values).all())


def take_rows(columns: Values | Sequence[ColumnValues], rows: Columns) -> Any:
    """Some rows of a matrix, or of each of several columns."""
    if isinstance(columns, np.ndarray):
        return columns[rows]
    return [values[rows] for values in columns]


MAX_EXACT_INTEGER = 1 << 53  # all integers up to here are exact as float64
EXACT_DIGITS = 15  # different decimals of so many digits are different as float64


def check_distinct(n_different: int, floats: Matrix, what: str) -> None:
    """Refuse a column of ``n_different`` distinct values that have become fewer distinct floats."""
    if n_different > len(np.unique(floats[~np.isnan(floats)])):
        raise UserError(
            code="precision-lost",
            message=f"{what} holds values that differ but are the same in double precision, of about 16 digits",
            advice="subtract the smallest of them, round them, or make them text if each is a category",
        )


def check_whole_numbers(values: Values, what: str) -> None:
    """Refuse integers if different ones become equal as float64."""
    if values.itemsize < 8 or not len(values):
        return
    largest_magnitude = max(-int(values.min()), int(values.max()))
    if largest_magnitude > MAX_EXACT_INTEGER:
        check_distinct(len(np.unique(values)), values.astype(np.float64), what)


def with_nan(values: Values, missing_numbers: Sequence[float], what: str) -> Values:
    """Make some numbers NaN; without any of them the values stay as they are. Messages call the values ``what``."""
    if values.dtype.kind == "f":
        is_missing = np.isin(values, np.asarray(missing_numbers, values.dtype))
        return np.where(is_missing, values.dtype.type(np.nan), values) if is_missing.any() else values
    is_missing = np.isin(values, missing_numbers)
    if not is_missing.any():
        return values
    check_whole_numbers(values, what)
    return np.where(is_missing, np.nan, values)


def as_doubles(X: Values, what: Callable[[int], str]) -> Values:
    """Convert a matrix of wider floats to float64. Refused if different values of a column become equal.

    ``what(j)`` is what messages call column j.
    """
    if X.dtype.kind != "f" or X.itemsize <= 8:
        return X
    with np.errstate(over="ignore"):  # infinity is refused later
        doubles = X.astype(np.float64)
    is_rounded = (doubles != X) & ~np.isnan(X)
    for j in np.flatnonzero(is_rounded.any(axis=0)).tolist():
        column = X[:, j]
        check_distinct(len(np.unique(column[~np.isnan(column)])), doubles[:, j], what(j))
    return doubles


def times_as_numbers(times: Values, what: str) -> Floats:
    """Convert times or durations to microseconds, NaN where missing. Refused if different ones become equal."""
    is_present = ~np.isnat(times)
    kind = times.dtype.kind
    if np.datetime_data(times.dtype)[0] in ("ns", "ps", "fs", "as"):
        return microseconds(times.astype(f"{kind}8[ns]").view(np.int64), is_present, what)
    return np.where(is_present, times.astype(f"{kind}8[us]").view(np.int64), np.nan)


def microseconds(nanoseconds: Integers, is_present: Flags, what: str) -> Floats:
    """Convert nanoseconds to microseconds, NaN where none is present. Refused if different ones become equal."""
    rest = np.fmod(nanoseconds, 1000)
    values = (nanoseconds - rest) // 1000 + rest / 1000.0  # whole microseconds are exact from 1685 to 2255
    values[~is_present] = np.nan
    if rest[is_present].any():
        check_distinct(len(np.unique(nanoseconds[is_present])), values, what)
    return values
