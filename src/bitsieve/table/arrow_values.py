"""Arrow arrays to columns: numbers and times as floats, everything else as codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bitsieve.table.encoding import Encoded, encode
from bitsieve.table.exact import DIGITS, WHOLE, check_apart, microseconds

_MICROSECONDS = {"s": 1_000_000.0, "ms": 1_000.0, "us": 1.0}  # in one unit
_DAY = 86_400_000_000.0


def column_of_arrow(array: Any, name: str) -> np.ndarray | Encoded:
    """A numpy array of numbers (NaN = missing), or the codes of a categorical column.

    Raises
    ------
    ValueError
        If the column holds neither numbers, times, text, categories nor booleans.
    """
    kind = array.type
    if pa.types.is_integer(kind) and not array.null_count:
        return array.to_numpy(zero_copy_only=False)
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return _numbers(array, name)
    if pa.types.is_floating(kind) or pa.types.is_null(kind):
        return _as_float(array)
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        return _microseconds(array, name)
    if pa.types.is_dictionary(kind):
        return _sorted_codes(array)
    if pa.types.is_boolean(kind) and not array.null_count:
        return encode(array.to_numpy(zero_copy_only=False))
    if pa.types.is_boolean(kind) or _is_text(kind):
        return _sorted_codes(pc.dictionary_encode(array))
    raise ValueError(
        f"column {name!r} holds {kind}: give numbers, dates, text, categories or booleans, or drop the column"
    )


def column_of_objects(values: Any, name: str) -> np.ndarray | Encoded:
    """A column of Python objects, all of one kind; None and NaN are missing.

    Raises
    ------
    ValueError
        If the kinds are mixed, or are none that can be binned.
    """
    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, OverflowError) as error:
        raise mixed_kinds(name) from error
    return column_of_arrow(array, name)


def mixed_kinds(name: str) -> ValueError:
    """The error for a column that is not of one kind."""
    return ValueError(
        f"column {name!r} mixes kinds of values: convert it to numbers or to text only, for example with astype(str)"
    )


def _is_text(kind: Any) -> bool:
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    return any(test(kind) for test in tests) or str(kind) in ("string_view", "binary_view")


def _numbers(array: Any, name: str) -> np.ndarray:
    """Whole numbers with missing ones among them, or decimals, as floats."""
    kind = array.type
    floats = _as_float(array)
    decimal = pa.types.is_decimal(kind)
    if kind.precision > DIGITS if decimal else np.nanmax(np.abs(floats), initial=0.0) >= WHOLE:
        check_apart(len(array.unique().drop_null()), floats, f"column {name!r}")
    return floats


def _microseconds(array: Any, name: str) -> np.ndarray:
    """Microseconds since 1970-01-01 UTC, since midnight, or of a duration."""
    kind = array.type
    if pa.types.is_date32(kind):
        return _as_float(array.cast(pa.int32())) * _DAY
    unit = "ms" if pa.types.is_date64(kind) else kind.unit
    ticks = array.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64())
    if unit != "ns":
        return _as_float(ticks) * _MICROSECONDS[unit]
    known = array.is_valid().to_numpy(zero_copy_only=False)
    return microseconds(ticks.fill_null(0).to_numpy(zero_copy_only=False), known, name)


def _as_float(array: Any) -> np.ndarray:
    return array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)


def _sorted_codes(array: Any) -> Encoded:
    """Codes of a dictionary array, renumbered so that the categories that occur ascend."""
    indices = array.indices.cast(pa.int64()).fill_null(-1)  # they may be unsigned
    codes = indices.to_numpy(zero_copy_only=False).astype(np.int32)
    values = array.dictionary.to_numpy(zero_copy_only=False)
    missing = array.dictionary.is_null().to_numpy(zero_copy_only=False)
    known = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(values)).astype(bool) & ~missing)
    # A dictionary may hold equal values at several places, so they are numbered by value and not by place.
    categories, place = np.unique(values[known], return_inverse=True)
    new = np.full(len(values) + 1, -1, np.int32)  # the last entry answers for code -1
    new[known] = place
    return Encoded(new[codes], categories)
