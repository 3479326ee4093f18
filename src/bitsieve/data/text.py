"""Text that is numbers, dates or times, and text that means a missing value: what a file of text would make of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from bitsieve.files.dialect import MISSING
from bitsieve.files.text import without_commas


def text_of(values: Sequence[str]) -> pa.Array:
    """An Arrow array of text, made without pa.array, which imports pandas."""
    encoded = [value.encode() for value in values]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return pa.Array.from_buffers(pa.string(), len(encoded), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))])


_MARKERS = text_of([*MISSING, *(f" {marker}" for marker in MISSING if marker)])
_MARKED = frozenset(_MARKERS.to_pylist())
_FEW_WORDS = 100  # that are looked at one by one
TextKinds = Mapping[int, pa.DataType | None]
_MAY_BEGIN_A_NUMBER = frozenset(" +-.0123456789niNI")  # or a date; and nan, inf


def typed_text(values: pa.Array) -> pa.Array:
    """Text as a file of text would be read: null where it means missing; numbers or times where all of it is such.

    Parameters
    ----------
    values : pyarrow array of text
        The distinct values of a column are enough.

    Returns
    -------
    pyarrow array
        Of as many values; text stays text where any of it is no number and no time, and so do truth values.
    """
    text = without_markers(values)
    known = text.drop_null()
    if not len(known) or known[0].as_py()[:1] not in _MAY_BEGIN_A_NUMBER:
        return text
    column = without_commas(_parsed(text))
    if len(column) != len(text) or pa.types.is_string(column.type) or pa.types.is_boolean(column.type):
        return text
    return column.combine_chunks()


def without_markers(values: pa.Array) -> pa.Array:
    """Text with null where it means a missing value."""
    text = values.cast(pa.string())
    means_missing = pc.is_in(text, _MARKERS)
    return pc.if_else(means_missing, pa.NULL, text) if pc.any(means_missing).as_py() else text


def text_as(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Text as values of a type that all text of the column is known to be."""
    text = without_markers(values)
    if text.null_count == len(text):
        return pa.nulls(len(text), kind)
    plain = pc.replace_substring(text, ",", "") if pa.types.is_integer(kind) or pa.types.is_floating(kind) else text
    return _parsed(plain, kind).combine_chunks()


def _parsed(text: pa.Array, kind: pa.DataType | None = None) -> pa.ChunkedArray:
    """Text as values of a type; None: the one that a file of text would find."""
    buffer = BytesIO()
    csv.write_csv(pa.table({"value": text}), buffer, csv.WriteOptions(include_header=False))
    read = csv.read_csv(
        BytesIO(buffer.getvalue()),
        read_options=csv.ReadOptions(column_names=["value"], use_threads=False, block_size=buffer.tell() + (1 << 16)),
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(
            strings_can_be_null=True, null_values=[""], column_types=None if kind is None else {"value": kind}
        ),
    )
    (column,) = read.columns
    return column


def typed_columns(arrays: Sequence[pa.Array], places: Sequence[int], kinds: TextKinds | None) -> list[pa.Array]:
    """Arrays with the text among them as what it means; others as they are.

    Parameters
    ----------
    arrays : sequence of pyarrow array
    places : sequence of int
        Of the arrays among the columns of the table.
    kinds : mapping of int to type or None, or None
        By their places the columns of text that are numbers or times in all rows, with their types where these are
        known; None: these are all rows.
    """
    pairs = zip(arrays, places, strict=True)
    return [_typed_column(array, place, kinds) if is_text(array.type) else array for array, place in pairs]


def _typed_column(array: pa.Array, place: int, kinds: TextKinds | None) -> pa.Array:
    coded = pc.dictionary_encode(array)
    if kinds is None and _are_plain_words(coded.dictionary):
        return coded
    kind = None if kinds is None else kinds.get(place)
    if kind is not None:
        values = text_as(coded.dictionary, kind)
    elif kinds is None or place in kinds:
        values = typed_text(coded.dictionary)
    else:
        values = without_markers(coded.dictionary)
    if pa.types.is_string(values.type):
        return pa.DictionaryArray.from_arrays(coded.indices, values)
    return values.take(coded.indices)


def _are_plain_words(values: pa.Array) -> bool:
    """Whether a few values are text of which none means a missing value, and which do not begin as numbers do."""
    if not len(values) or len(values) > _FEW_WORDS:
        return False
    words = values.to_pylist()
    return words[0] is not None and words[0][:1] not in _MAY_BEGIN_A_NUMBER and _MARKED.isdisjoint(words)


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is that of text."""
    tests = (pa.types.is_string, pa.types.is_large_string)
    return any(test(kind) for test in tests) or str(kind) == "string_view"
