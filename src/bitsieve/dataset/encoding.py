"""Encode distinct values as integers; convert numbers to float64 where no two different values become equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Matrix

if TYPE_CHECKING:
    from typing_extensions import TypeIs

_MAX_CODES = 1 << 16  # of the native kernel


@dataclass(frozen=True, eq=False)
class Encoded:
    """A categorical column. Supports ``len``, ``dtype`` and indexing by rows, like an array."""

    codes: NDArray[np.int32]  # shape (n_samples,): index into ``categories``, -1 where the value is missing
    categories: NDArray[Any]  # the distinct values that occur, ascending
    dtype: ClassVar[np.dtype[Any]] = np.dtype(object)  # no column of numbers has it

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Columns) -> Encoded:
        """Some rows, with the categories that occur in them."""
        present, new = np.unique(self.codes[rows], return_inverse=True)
        n_missing = int(len(present) > 0 and present[0] < 0)
        return Encoded((new - n_missing).astype(np.int32), self.categories[present[n_missing:]])


def as_array(values: Any) -> NDArray[Any]:
    """Convert to an array; numbers among text stay numbers, and masked values become missing ones."""
    if isinstance(values, np.ma.MaskedArray):
        return _filled(values)
    array = np.asarray(values)
    was_converted_to_text = array.dtype.kind in "US" and array is not values
    return np.asarray(values, dtype=object) if was_converted_to_text else array


def _filled(values: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
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


def distinct(values: NDArray[Any], low: Any = None, high: Any = None) -> NDArray[Any]:
    """The sorted distinct values of a column without missing values; whole numbers without sorting them.

    ``low`` and ``high`` are the smallest and the largest of them, where these are known.
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


def lookup(values: NDArray[Any], categories: NDArray[Any]) -> NDArray[np.int32]:
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


def _lookup_integers(values: NDArray[Any], categories: NDArray[Any]) -> NDArray[np.int32] | None:
    """:func:`lookup` by the native kernel; None where it does not take the values, or one is not among them."""
    integers = _native_integers(values)
    integer_categories = _native_integers(categories)
    if integers is None or integer_categories is None:
        return None
    if not len(integers) or len(integer_categories) > _MAX_CODES:
        return None
    codes = np.empty((len(integers), 1), np.uint16, order="F")
    first_column = np.zeros(1, np.int64)
    no_missing_code = np.zeros(1, np.int64)
    are_met = _native.code_categories(
        [integers],
        integer_categories.astype(np.int64),
        integer_categories.dtype == np.uint64,
        np.array([len(integer_categories)]),
        no_missing_code,
        first_column,
        codes,
    )
    return codes[:, 0].astype(np.int32) if are_met.all() else None


SMALL_RANGE = 8  # whole numbers from the smallest to the largest, which may be codes


def encode(values: NDArray[Any]) -> Encoded:
    """The codes and the categories of a numpy array without missing values."""
    categories = distinct(values)
    return Encoded(lookup(values, categories), categories)


def encode_with_missing(values: NDArray[Any]) -> Encoded:
    """The codes and the categories of an array of numbers, -1 where they are missing."""
    if values.dtype.kind != "f":
        return encode(values)
    is_present = ~np.isnan(values)
    encoded = encode(values[is_present])
    codes = np.full(len(values), -1, np.int32)
    codes[is_present] = encoded.codes
    return Encoded(codes, encoded.categories)


def _native_integers(values: NDArray[Any]) -> NDArray[Any] | None:
    """Integers and booleans as the native kernels take them; None for what is no such thing."""
    if values.dtype.kind not in "biu" or not values.dtype.isnative or not values.flags.aligned:
        return None
    return values.view(np.uint8) if values.dtype.kind == "b" else values


def are_categories(values: Any) -> TypeIs[Encoded]:
    """Whether a column is one of categories."""
    return isinstance(values, Encoded)


def is_missing(values: NDArray[Any] | Encoded) -> Flags:
    """Which values of a column are missing."""
    if are_categories(values):
        return values.codes < 0
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values), bool)
    return np.asarray(np.isnan(values), bool) if values.dtype.kind == "f" else np.zeros(len(values), bool)


def all_missing(values: NDArray[Any]) -> bool:
    """Whether every number is missing."""
    return values.dtype.kind == "f" and bool(np.isnan(values).all())


def take_rows(columns: NDArray[Any] | Sequence[NDArray[Any] | Encoded], rows: Columns) -> Any:
    """Some rows of an array, or of every one of several columns."""
    if isinstance(columns, np.ndarray):
        return columns[rows]
    return [values[rows] for values in columns]


MAX_EXACT_INTEGER = 1 << 53  # whole numbers up to here are floats
EXACT_DIGITS = 15  # decimals of so many digits are floats of their own


def check_distinct(n_different: int, floats: Matrix, what: str) -> None:
    """Refuse a column of which ``n_different`` values, that differ, are fewer floats."""
    if n_different > len(np.unique(floats[~np.isnan(floats)])):
        raise UserError(
            code="precision-lost",
            message=f"{what} holds values that differ but are the same in double precision, of about 16 digits",
            advice="subtract the smallest of them, round them, or make them text if each is a category",
        )


def check_whole_numbers(values: NDArray[Any], what: str) -> None:
    """Refuse whole numbers of 64 bits of which several become one float."""
    if values.itemsize == 8 and len(values) and max(-int(values.min()), int(values.max())) > MAX_EXACT_INTEGER:
        check_distinct(len(np.unique(values)), values.astype(np.float64), what)


def as_doubles(X: NDArray[Any], what: Callable[[int], str]) -> NDArray[Any]:
    """Floats of more than 64 bits, of shape (n_samples, n_features), as floats of 64 bits."""
    if X.dtype.kind != "f" or X.itemsize <= 8:
        return X
    with np.errstate(over="ignore"):  # to infinity, which is an error later
        doubles = X.astype(np.float64)
    for j in np.flatnonzero(((doubles != X) & ~np.isnan(X)).any(axis=0)).tolist():
        column = X[:, j]
        check_distinct(len(np.unique(column[~np.isnan(column)])), doubles[:, j], what(j))
    return doubles


def times_as_numbers(times: NDArray[Any], what: str) -> Floats:
    """Times or durations of numpy in microseconds, NaN where missing; refused where several become one."""
    is_present = ~np.isnat(times)
    kind = times.dtype.kind
    if np.datetime_data(times.dtype)[0] in ("ns", "ps", "fs", "as"):
        return microseconds(times.astype(f"{kind}8[ns]").view(np.int64), is_present, what)
    return np.where(is_present, times.astype(f"{kind}8[us]").view(np.int64), np.nan)


def microseconds(nanoseconds: Integers, is_present: Flags, what: str) -> Floats:
    """Convert nanoseconds to microseconds, NaN where none is present; refused where several become one."""
    rest = np.fmod(nanoseconds, 1000)
    values = (nanoseconds - rest) // 1000 + rest / 1000.0  # whole ones are exact: of every year from 1685 to 2255
    values[~is_present] = np.nan
    if rest[is_present].any():
        check_distinct(len(np.unique(nanoseconds[is_present])), values, what)
    return values
