"""Conversion of Arrow arrays to columns: numbers and times to arrays of numbers, all else to categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bitsieve.dataset.encoding import (
    EXACT_DIGITS,
    MAX_EXACT_INTEGER,
    Encoded,
    check_distinct,
    encode,
    lookup,
    microseconds,
)
from bitsieve.diagnostics import UserError
from bitsieve.io.dialect import MARKERS
from bitsieve.utils.arrays import Flags, Integers, Values

if TYPE_CHECKING:
    import narwhals as nw

ArrowArray: TypeAlias = pa.Array | pa.ChunkedArray
_MICROSECONDS = {"s": 1_000_000.0, "ms": 1_000.0, "us": 1.0}  # microseconds in a unit
_DAY = 86_400_000_000.0


def text_of(values: Sequence[str | None]) -> pa.StringArray:
    """An Arrow array of text, null for None, made without pa.array, which imports pandas."""
    encoded = [b"" if value is None else value.encode() for value in values]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    is_present = np.array([value is not None for value in values], bool)
    return pa.Array.from_buffers(
        pa.string(), len(encoded), [_bits(is_present), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    )


def text_scalar(value: str) -> pa.StringScalar:
    """A text as a scalar of Arrow, made without pa.scalar, which imports pandas."""
    return text_of([value])[0]


def mask_of(is_set: Flags) -> pa.BooleanArray:
    """An Arrow array of booleans, made without pa.array, which imports pandas."""
    return pa.Array.from_buffers(pa.bool_(), len(is_set), [None, _bits(is_set)])


def integers_of(values: Sequence[int | None]) -> pa.Int64Array:
    """An Arrow array of integers, null for None, made without pa.array, which imports pandas."""
    numbers = np.array([0 if value is None else value for value in values], np.int64)
    is_present = np.array([value is not None for value in values], bool)
    return pa.Array.from_buffers(pa.int64(), len(numbers), [_bits(is_present), pa.py_buffer(numbers)])


def _bits(is_set: Flags) -> pa.Buffer:
    return pa.py_buffer(np.packbits(is_set, bitorder="little"))


_MARKERS = text_of(MARKERS)


def without_markers(text: pa.Array) -> pa.Array:
    """Replace text that means a missing value by null."""
    import pyarrow.compute as pc

    means_missing = pc.is_in(text, _MARKERS)
    return pc.if_else(means_missing, pa.NULL, text) if pc.any(means_missing).as_py() else text


def numpy_of(array: ArrowArray) -> Values:
    """Convert an Arrow array to numpy, with NaN or None for missing values, without pandas for numbers and text."""
    array = _one_chunk(array)
    kind = array.type
    holds_numbers = pa.types.is_floating(kind) or pa.types.is_integer(kind)
    if holds_numbers and not array.null_count:
        return np.from_dlpack(array)
    if pa.types.is_boolean(kind) and not array.null_count:
        return np.from_dlpack(array.cast(pa.uint8())).astype(bool)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return np.array(array.to_pylist(), object)
    if not holds_numbers:
        values: Values = array.to_numpy(zero_copy_only=False)
        return values
    floats = array if pa.types.is_floating(kind) else array.cast(pa.float64(), safe=False)
    return np.where(_is_present(array), _stored(floats), floats.type.to_pandas_dtype()(np.nan))


def _stored(array: ArrowArray) -> Values:
    """The numbers that an Arrow array stores; those of missing values are arbitrary."""
    array = _one_chunk(array)
    return np.from_dlpack(
        pa.Array.from_buffers(array.type, len(array), [None, array.buffers()[1]], offset=array.offset)
    )


def _is_present(array: pa.Array) -> Flags:
    """Which numbers or times are not missing, by the bits of Arrow: its functions take long to import."""
    validity = array.buffers()[0]
    if validity is None:
        return np.ones(len(array), bool)
    bits = np.unpackbits(np.frombuffer(validity, np.uint8), count=array.offset + len(array), bitorder="little")
    return bits[array.offset :].view(bool)


def _one_chunk(array: ArrowArray) -> pa.Array:
    if not isinstance(array, pa.ChunkedArray):
        return array
    if array.num_chunks == 1:
        return array.chunk(0)
    combined = array.combine_chunks()
    if _is_ordered(array.type) and not _are_equal([chunk.dictionary for chunk in array.chunks]):
        return pa.DictionaryArray.from_arrays(combined.indices, combined.dictionary)  # no order holds for all chunks
    return combined


def _is_ordered(kind: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(kind) and kind.ordered)


def _are_equal(dictionaries: Sequence[pa.Array]) -> bool:
    return all(dictionary.equals(dictionaries[0]) for dictionary in dictionaries)


def column_of_arrow(array: ArrowArray, what: str) -> np.ndarray | Encoded:
    """Convert an Arrow array to numbers, NaN where missing, or to categories. Messages call it ``what``."""
    kind = array.type
    if pa.types.is_integer(kind) and not array.null_count:
        return numpy_of(array)
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return _numbers(array, what)
    if pa.types.is_floating(kind) or pa.types.is_null(kind):
        return _as_float(array)
    if _is_opaque_decimal(kind):
        return _decimals_in_text(_one_chunk(array).storage, what)
    if _is_temporal(kind):
        return _microseconds(array, what)
    if pa.types.is_boolean(kind) and not array.null_count:
        return encode(numpy_of(array))
    if is_categorical(kind) or pa.types.is_boolean(kind):
        return _categories(array if pa.types.is_dictionary(kind) else array.dictionary_encode(), is_text(kind))
    raise UserError(
        code="column-type-not-read",
        message=f"{what} holds {kind}",
        advice="give numbers, dates, text, categories or booleans, or drop it",
    )


def filled_indices(array: pa.DictionaryArray, index_of_missing: int) -> Integers:
    """The indices of a dictionary array, with another one for missing values."""
    indices = array.indices
    if not indices.null_count:
        return numpy_of(indices)
    return np.where(_is_present(indices), _stored(indices).astype(np.int64), index_of_missing)


def with_declared_values(column: Values | Encoded, array: ArrowArray) -> Values | Encoded:
    """The column made of an array; of a dictionary with the number of values that it lists, and their order."""
    if not isinstance(column, Encoded) or not pa.types.is_dictionary(array.type):
        return column
    array = _one_chunk(array)
    listed_values, rank = _sorted_values(array.dictionary)
    if not _is_ordered(array.type):
        return replace(column, n_declared=len(listed_values))
    _, rank_of_value = np.unique(rank[rank >= 0], return_index=True)
    declared_ranks = rank_of_value[lookup(column.categories, listed_values)]
    return replace(column, n_declared=len(listed_values), declared_ranks=declared_ranks)


def flags(mask: ArrowArray) -> Flags:
    """Convert a mask of Arrow to numpy; null becomes False."""
    import pyarrow.compute as pc

    array: Flags = numpy_of(pc.and_kleene(mask, mask.is_valid()))
    return array


def is_time(kind: pa.DataType) -> bool:
    """Whether a type is that of dates or durations, which numpy has."""
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind) or pa.types.is_duration(kind))


def is_number_or_time(kind: pa.DataType) -> bool:
    """Whether a type is that of numbers, or of dates, times of day or durations."""
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal128(kind)
    return bool(is_number or _is_temporal(kind))


def _is_temporal(kind: pa.DataType) -> bool:
    return bool(pa.types.is_temporal(kind) and not pa.types.is_interval(kind))


def is_categorical(kind: pa.DataType) -> bool:
    """Whether a type is that of text or of a dictionary of plain values, which those of intervals are not."""
    if pa.types.is_dictionary(kind):
        return not (pa.types.is_nested(kind.value_type) or isinstance(kind.value_type, pa.BaseExtensionType))
    return is_text(kind) or str(kind) in ("binary", "large_binary", "binary_view")


def arrow_of(values: nw.Series[Any] | ArrowArray | Values | Sequence[object], what: str) -> tuple[ArrowArray, bool]:
    """Convert a series or an array of objects to Arrow. The second value: was a mix of text and numbers made text."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return _one_chunk(values), False
    import narwhals as nw

    if isinstance(values, nw.Series):
        if values.dtype != nw.Object:
            return arrow_of_series(values, what), False
        values = values.to_list()
    try:
        return pa.array(values, from_pandas=True), False
    except (pa.ArrowException, TypeError, OverflowError):
        present = [None if value is None or value != value else value for value in values]  # NaN and NaT are no value
    text_or_number = (str, int, float, np.number, type(None))
    if any(isinstance(value, bool) or not isinstance(value, text_or_number) for value in present):
        raise mixed_kinds(what)
    return pa.array([None if value is None else str(value) for value in present], pa.string()), True


def arrow_of_series(series: nw.Series[Any], what: str) -> ArrowArray:
    """Convert a series to Arrow. One of a type that Arrow does not have is refused; messages call it ``what``."""
    try:
        return series.to_arrow()
    except pa.ArrowTypeError:
        raise UserError(
            code="column-type-not-read",
            message=f"{what} holds {series.to_native().dtype}",
            advice="give numbers, dates, text, categories or booleans (those of frame.sparse.to_dense()), or drop it",
        ) from None


def mixed_kinds(what: str) -> UserError:
    """The error for a column that mixes kinds of values."""
    return UserError(
        code="mixed-values",
        message=f"{what} mixes kinds of values",
        advice="convert it to numbers or to text only, for example with astype(str)",
    )


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is that of text."""
    return str(kind) in ("string", "large_string", "string_view")


def _numbers(array: ArrowArray, what: str) -> np.ndarray:
    """Convert integers with missing values, or decimals, to floats."""
    kind = array.type
    floats = _as_float(array)
    decimal = pa.types.is_decimal(kind)
    if kind.precision > EXACT_DIGITS if decimal else np.nanmax(np.abs(floats), initial=0.0) >= MAX_EXACT_INTEGER:
        check_distinct(len(array.unique().drop_null()), floats, what)
    return floats


def _is_opaque_decimal(kind: pa.DataType) -> bool:
    """Whether a type is that by which the drivers of databases return decimals of any precision: as text."""
    return isinstance(kind, pa.OpaqueType) and kind.type_name == "numeric" and is_text(kind.storage_type)


def _decimals_in_text(text: pa.Array, what: str) -> np.ndarray:
    """Convert decimals that are written as text to floats."""
    import pyarrow.compute as pc

    floats = _as_float(text)
    max_length = pc.max(pc.utf8_length(text)).as_py() or 0  # None where all are missing
    if max_length > EXACT_DIGITS:
        decimals = {Decimal(value) for value in text.unique().drop_null().to_pylist()}
        n_different = sum(not value.is_nan() for value in decimals)
        check_distinct(n_different, floats, what)
    return floats


def _microseconds(array: ArrowArray, what: str) -> np.ndarray:
    """Convert dates to microseconds since 1970-01-01 UTC, times of day since midnight, and durations."""
    kind = array.type
    if pa.types.is_date32(kind):
        return _as_float(array.cast(pa.int32())) * _DAY
    time_unit = "ms" if pa.types.is_date64(kind) else kind.unit
    ticks = array.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64())
    if time_unit != "ns":
        return _as_float(ticks) * _MICROSECONDS[time_unit]
    is_present = _is_present(_one_chunk(array))
    return microseconds(np.where(is_present, _stored(ticks), 0), is_present, what)


def _as_float(array: ArrowArray) -> np.ndarray:
    return numpy_of(array.cast(pa.float64(), safe=False))


def _categories(array: ArrowArray, are_words: bool) -> Encoded:
    """Encode a dictionary array. The categories are the values that occur, ascending."""
    array = _one_chunk(array)
    values, rank = _sorted_values(
        without_markers(array.dictionary.cast(pa.string())) if are_words else array.dictionary
    )
    codes = np.append(rank, np.int32(-1))[filled_indices(array, -1)]
    occurs = np.bincount(codes + 1, minlength=len(values) + 1)[1:] > 0
    if occurs.all():
        return Encoded(codes, values)
    new_code = np.append(np.cumsum(occurs) - 1, -1).astype(np.int32)  # -1 stays -1
    return Encoded(new_code[codes], values[occurs])


def _sorted_values(dictionary: pa.Array) -> tuple[Values, NDArray[np.int32]]:
    """The sorted distinct values of a dictionary, and for each of its entries the rank of the value (-1: missing)."""
    values = numpy_of(dictionary)
    is_present = numpy_of(dictionary.is_valid())
    sorted_values, rank_of_present = np.unique(values[is_present], return_inverse=True)
    rank = np.full(len(values), -1, np.int32)
    rank[is_present] = rank_of_present
    return sorted_values, rank
