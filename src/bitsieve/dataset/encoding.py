"""Distinct values to codes, and numbers to floats of 64 bits without that two that differ become one."""

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

_MOST_CODES = 1 << 16  # of the native kernel


@dataclass(frozen=True, eq=False)
class Encoded:
    """A categorical column, which answers for its length, type and rows as an array does."""

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
    """An array of what is no array yet, in which numbers among text stay numbers; masked values are missing ones."""
    if isinstance(values, np.ma.MaskedArray):
        data, mask, kind = np.asarray(values.data), np.ma.getmaskarray(values), values.dtype.kind
        if not mask.any():
            return data
        filled = data.astype(data.dtype if kind in "fcmM" else object)
        filled[mask] = np.nan if kind in "fc" else "NaT" if kind in "mM" else None
        return filled
    array = np.asarray(values)
    return np.asarray(values, dtype=object) if array.dtype.kind in "US" and array is not values else array


def distinct(values: NDArray[Any], low: Any = None, high: Any = None) -> NDArray[Any]:
    """The sorted distinct values of a column without missing values; whole numbers without sorting them.

    ``low`` and ``high`` are the smallest and the largest of them, where these are known.
    """
    given = _native_integers(values)
    if given is None or not len(given):
        return np.unique(values)
    ends = [given.min(), given.max()] if low is None else [low, high]
    found, _ = _native.distinct([given], *np.array(ends, given.dtype)[:, None])
    return np.asarray(found.astype(values.dtype))


def lookup(values: NDArray[Any], categories: NDArray[Any]) -> NDArray[np.int32]:
    """The index in the sorted ``categories`` of every value, -1 for values that are not among them."""
    if not len(categories):
        return np.full(len(values), -1, np.int32)
    given, known = _native_integers(values), _native_integers(categories)
    if given is not None and known is not None and len(given) and len(known) <= _MOST_CODES:
        codes = np.empty((len(given), 1), np.uint16, order="F")
        numbers, ends, none = known.astype(np.int64), np.array([len(known)]), np.zeros(1, np.int64)
        if _native.code_categories([given], numbers, known.dtype == np.uint64, ends, none, none, codes).all():
            return codes[:, 0].astype(np.int32)
    found = np.searchsorted(categories, values).astype(np.int32)
    np.minimum(found, len(categories) - 1, out=found)
    found[categories[found] != values] = -1
    return found


FEW = 8  # whole numbers from the smallest to the largest, which may be codes


def encode(values: NDArray[Any]) -> Encoded:
    """The codes and the categories of a numpy array without missing values."""
    categories = distinct(values)
    return Encoded(lookup(values, categories), categories)


def encode_known(values: NDArray[Any]) -> Encoded:
    """The codes and the categories of an array of numbers, -1 where they are missing."""
    if values.dtype.kind != "f":
        return encode(values)
    codes, there = np.full(len(values), -1, np.int32), ~np.isnan(values)
    known = encode(values[there])
    codes[there] = known.codes
    return Encoded(codes, known.categories)


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


WHOLE = 1 << 53  # whole numbers up to here are floats
DIGITS = 15  # decimals of so many digits are floats of their own


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
    if values.itemsize == 8 and len(values) and max(-int(values.min()), int(values.max())) > WHOLE:
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
    known, kind = ~np.isnat(times), times.dtype.kind
    if np.datetime_data(times.dtype)[0] in ("ns", "ps", "fs", "as"):
        return microseconds(times.astype(f"{kind}8[ns]").view(np.int64), known, what)
    return np.where(known, times.astype(f"{kind}8[us]").view(np.int64), np.nan)


def microseconds(nanoseconds: Integers, known: Flags, what: str) -> Floats:
    """Times in nanoseconds as microseconds, NaN where they are not ``known``; refused where several become one."""
    rest = np.fmod(nanoseconds, 1000)
    values = (nanoseconds - rest) // 1000 + rest / 1000.0  # whole ones are exact: of every year from 1685 to 2255
    values[~known] = np.nan
    if rest[known].any():
        check_distinct(len(np.unique(nanoseconds[known])), values, what)
    return values
