"""Text as every text file has it: categories, or plain numbers and times."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import ClassVar, Literal

import pyarrow as pa
from pyarrow import csv

from bitsieve.dataset.arrow import without_markers
from bitsieve.dataset.text_format import TextFormat
from bitsieve.io.text import without_commas

_MAY_BEGIN_A_NUMBER = frozenset(" +-.0123456789niNI")  # also a date, "nan" and "inf"


@dataclass(frozen=True)
class Words(TextFormat):
    """Categories."""

    what: ClassVar[str] = "categories"
    converts_target: ClassVar[bool] = False

    def read(self, text: pa.Array) -> pa.Array:
        """The text, null where it means a missing value."""
        return without_markers(text)


@dataclass(frozen=True)
class Plain(TextFormat):
    """Numbers or times as every text file has them."""

    kind: pa.DataType | None = None  # None: the type is detected in the text itself
    what: ClassVar[str] = "numbers or times"

    @property
    def time(self) -> Literal["dates", "durations"] | None:
        if self.kind is None or not pa.types.is_temporal(self.kind):
            return None
        if pa.types.is_timestamp(self.kind) or pa.types.is_date(self.kind):
            return "dates"
        return "durations"

    @property
    def zoned(self) -> bool:
        return self.kind is not None and pa.types.is_timestamp(self.kind) and self.kind.tz is not None

    @property
    def converts_target(self) -> bool:
        return self.time is not None or (self.kind is not None and bool(pa.types.is_floating(self.kind)))

    def read(self, text: pa.Array) -> pa.Array:
        """The values."""
        text = Words().read(text)
        if self.kind is None:
            return typed_text(text)
        if text.null_count == len(text):
            return pa.nulls(len(text), self.kind)
        if pa.types.is_integer(self.kind) or pa.types.is_floating(self.kind):
            import pyarrow.compute as pc

            text = pc.replace_substring(text, ",", "")  # commas between thousands
        return _parsed_or_null(text, self.kind)


def may_begin_a_number(word: str) -> bool:
    """Whether the first character of a word may be that of a plain number or time; no word begins with none."""
    return word[:1] in _MAY_BEGIN_A_NUMBER


def typed_text(values: pa.Array) -> pa.Array:
    """Read text as text files are read: numbers or times where all of it is such; booleans stay text."""
    text = Words().read(values.cast(pa.string()))
    present = text.drop_null()
    if not len(present) or not may_begin_a_number(present[0].as_py()):
        return text
    column = without_commas(_parsed(text))
    if len(column) != len(text) or pa.types.is_string(column.type) or pa.types.is_boolean(column.type):
        return text
    return column.combine_chunks()


def _parsed(text: pa.Array, kind: pa.DataType | None = None) -> pa.ChunkedArray:
    """Read text as values of a type; None: of the type that the reader of text files detects."""
    buffer = BytesIO()
    csv.write_csv(pa.Table.from_arrays([text], ["value"]), buffer, csv.WriteOptions(include_header=False))
    block_size = buffer.tell() + (1 << 16)  # one block, so that the type is detected in all values
    column_types = None if kind is None else {"value": kind}
    table = csv.read_csv(
        pa.BufferReader(buffer.getvalue()),
        read_options=csv.ReadOptions(column_names=["value"], use_threads=False, block_size=block_size),
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(strings_can_be_null=True, null_values=[""], column_types=column_types),
    )
    return table.column(0)


def _parsed_or_null(text: pa.Array, kind: pa.DataType) -> pa.Array:
    """Read text as values of a type; text that is none, such as a word in a row that is left out, is null."""
    try:
        return _parsed(text, kind).combine_chunks()
    except pa.ArrowInvalid:
        if len(text) == 1:
            return pa.nulls(1, kind)
    middle = len(text) // 2
    return pa.concat_arrays([_parsed_or_null(text[:middle], kind), _parsed_or_null(text[middle:], kind)])
