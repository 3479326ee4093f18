"""Text files with delimiters, and files of JSON: they are read in ranges of complete rows.

A short file is one range and is parsed once. A longer file is parsed twice. The first pass finds the types of the
columns in each range. Where they differ, the column gets the first type that fits all its values: booleans, times,
numbers, text. It would have this type in a single range, too. The second pass parses the ranges with these types.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, pairwise
from math import ceil
from pathlib import Path
from typing import NamedTuple, Protocol

import pyarrow as pa
from pyarrow import csv as arrow_csv

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.column_file import (
    INDEX,
    ColumnFile,
    InputFile,
    Partition,
    TablePartition,
    check_schema,
    line_range_offsets,
    native_file,
    sliced,
)
from bitsieve.io.dialect import BOM, MARKERS, Layout, NotUtf8, begins_with_comments, in_utf8, without_comments
from bitsieve.io.errors import DataError, in_one_line
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.messages import one_line
from bitsieve.utils.thousands import separates_thousands

Types = Mapping[str, pa.DataType]

RANGE_BYTES = 1 << 24  # this process reads ranges of so many bytes
SENT_BYTES = 1 << 26  # another process reads ranges of so many bytes
MAX_ROW_BYTES = 1 << 20  # a row has at most so many bytes, unless the first rows are long
_MIN_BYTES_FOR_THREADS = 1 << 23  # one thread parses a shorter text sooner than several
_N_JSON_BYTES = 4096  # whether a file of JSON is a list is found in so many first bytes
_MAX_LINE_END_BYTES = 8  # so many bytes may follow the last row
_LETTERS_OF_MARKERS = (b"N", b"n", b"?")  # each marker of a missing value but the empty one has one of these
_WITH_COMMAS = re.compile(r" *[+-]?(0|[1-9][0-9]{0,2}(,[0-9]{3})*)(\.[0-9]*)? *")  # such as 1,234.56
_NUMBER = pa.float64()
_TEXT = pa.string()
_NULL = pa.null()
#: The wider types that values of a type also fit, in the order in which pyarrow tries them.
_WIDER = {
    pa.int64(): (pa.bool_(), _NUMBER),
    pa.date32(): (pa.timestamp("s"), pa.timestamp("ns")),
    pa.timestamp("s"): (pa.timestamp("ns"),),
    pa.timestamp("s", "UTC"): (pa.timestamp("ns", "UTC"),),
}


class ColumnKind(NamedTuple):
    """The type with which a column is parsed, and the type of its values. Text such as ``1,234`` may be numbers."""

    parsed: pa.DataType
    values: pa.DataType


_KIND_OF_NUMBERS = ColumnKind(_NUMBER, _NUMBER)


class RowParser(Protocol):
    """Converts the rows of a file to columns."""

    def parse(self, first: int, end: int, types: Types | None, n_rows_before: int = 0) -> pa.Table:
        """Parse bytes ``first`` to ``end`` to columns of ``types``; None to detect the types of all columns."""

    def fits(self, first: int, end: int, types: Types) -> bool:
        """Whether all values in bytes ``first`` to ``end`` fit these types."""

    def range_offsets(self, size: int | None) -> list[int]:
        """The offsets of ranges of complete rows of about ``size`` bytes; the last is the end. None for one range."""


@dataclass(frozen=True, eq=False)
class TextPartition:
    """Consecutive rows of a file of text, in bytes ``first`` to ``end``."""

    parser: RowParser
    first: int
    end: int
    kinds: Mapping[str, ColumnKind]

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        names = list(self.kinds if columns is None else columns)
        types = {name: self.kinds[name].parsed for name in names}
        table = self.parser.parse(self.first, self.end, types)
        values = [_as_type(table[name], self.kinds[name].values) for name in names]
        yield from sliced(pa.Table.from_arrays(values, names=names), rows)


class TextFile(ColumnFile):
    """A file of text."""

    def __init__(self, file: InputFile, diagnostics: list[Diagnostic], kind: str) -> None:
        super().__init__(file, diagnostics, kind)
        self._n_diagnostics_before = len(diagnostics)
        self._kinds: dict[str, ColumnKind] = {}
        self._offsets: list[int] = []  # of the ranges; the last is the end
        self._table: pa.Table | None = None  # all rows, if they are one range
        self._n_rows = 0
        try:
            self.parser = self.make_parser()
        except NotUtf8:
            self._convert_to_utf8()

    @abstractmethod
    def make_parser(self) -> RowParser:
        """Make a parser for the file at ``path`` from its first bytes."""

    @property
    def types(self) -> Types:
        self._parse_once(in_one_block=False)
        return {name: kind.values for name, kind in self._kinds.items()}

    @property
    def n_rows(self) -> int:
        self._parse_once(in_one_block=False)
        return self._n_rows

    def partitions(self, *, in_one_block: bool) -> Sequence[Partition]:
        self._parse_once(in_one_block=in_one_block)
        if self._table is not None:
            return [TablePartition(self._table)]
        if in_one_block:
            return self._partitions_between([self._offsets[0], self._offsets[-1]])
        return self._partitions_between(self._offsets)

    def partitions_to_send(self, n: int | None) -> Sequence[Partition]:
        self._parse_once(in_one_block=False)
        size = SENT_BYTES if n is None else ceil(os.path.getsize(self.path) / n)
        return self._partitions_between(self.parser.range_offsets(size))

    def _partitions_between(self, offsets: Sequence[int]) -> list[Partition]:
        return [TextPartition(self.parser, first, end, self._kinds) for first, end in pairwise(offsets)]

    def _convert_to_utf8(self) -> None:
        """Go on with a copy in UTF-8, and drop the diagnostics of the file itself."""
        del self.diagnostics[self._n_diagnostics_before :]
        self.path = in_utf8(self.file.path, self.file.copies.folder, self.diagnostics)
        self.parser = self.make_parser()

    def _parse_once(self, *, in_one_block: bool) -> None:
        """Parse all rows, unless that was done, to count them and to find the kinds of the columns."""
        if self._kinds:
            return
        try:
            kinds_by_range = self._parse_ranges(in_one_block=in_one_block)
        except NotUtf8:
            self._convert_to_utf8()
            kinds_by_range = self._parse_ranges(in_one_block=in_one_block)
        if not self._n_rows:
            raise DataError(
                code="empty-data",
                message=f"{self.label} has no rows",
                advice="nothing to select from",
            )
        self._kinds = self._common_kinds(kinds_by_range)

    def _parse_ranges(self, *, in_one_block: bool) -> list[dict[str, ColumnKind]]:
        """Parse every range, count the rows, and return the kinds of the columns in each range.

        A single range is kept as a table.
        """
        self._offsets = self.parser.range_offsets(None if in_one_block else RANGE_BYTES)
        self._n_rows = 0
        kinds_by_range = []
        for first, end in pairwise(self._offsets):
            table = self.parser.parse(first, end, None, self._n_rows)
            kinds = {}
            numbers: dict[int, pa.ChunkedArray] = {}  # of columns that were parsed as something else, by their index
            for i, (name, parsed) in enumerate(zip(table.column_names, table.schema.types, strict=True)):
                kinds[name] = ColumnKind(parsed, parsed)
                if parsed == _TEXT:
                    values = without_commas(table.column(i))
                    kinds[name] = ColumnKind(parsed, values.type)
                    if values.type != _TEXT:
                        numbers[i] = values
                elif parsed == _NULL:
                    numbers[i] = table.column(i).cast(_NUMBER)
            kinds_by_range.append(kinds)
            self._n_rows += table.num_rows
            is_single_range = len(self._offsets) == 2
            if is_single_range:
                self._table = _with_columns(table, numbers)
        return kinds_by_range

    def _common_kinds(self, kinds_by_range: list[dict[str, ColumnKind]]) -> dict[str, ColumnKind]:
        """The kinds of the columns over all ranges. A column without values has numbers."""
        if len(kinds_by_range) == 1:
            return {
                name: _KIND_OF_NUMBERS if kind.parsed == _NULL else kind for name, kind in kinds_by_range[0].items()
            }
        names = dict.fromkeys(chain.from_iterable(kinds_by_range))
        common: dict[str, ColumnKind] = {}
        several_types: dict[str, list[pa.DataType]] = {}
        for name in names:
            kinds = [kinds_of_range[name] for kinds_of_range in kinds_by_range if name in kinds_of_range]
            kinds = [kind for kind in kinds if kind.parsed != _NULL]
            if not kinds:
                common[name] = _KIND_OF_NUMBERS
            elif all(kind.parsed == kinds[0].parsed for kind in kinds):
                common[name] = ColumnKind(kinds[0].parsed, _common_number([kind.values for kind in kinds]))
            else:
                several_types[name] = list(dict.fromkeys(kind.parsed for kind in kinds))
        common.update(self._settled_kinds(several_types))
        return {name: common[name] for name in names}

    def _settled_kinds(self, several_types: dict[str, list[pa.DataType]]) -> dict[str, ColumnKind]:
        """The kinds of columns whose ranges have different types: the first type that fits all values, else text."""
        settled: dict[str, ColumnKind] = {}
        remaining_types = {name: _types_to_try(types) for name, types in several_types.items()}
        while any(remaining_types.values()):  # a pass over the file tries one type of every column
            tried_types = {name: types[0] for name, types in remaining_types.items() if types}
            unfit_columns = self._unfit_columns(tried_types)
            for name, dtype in tried_types.items():
                if name not in unfit_columns:
                    settled[name] = ColumnKind(dtype, dtype)
            remaining_types = {name: remaining_types[name][1:] for name in unfit_columns}
        texts = [name for name in several_types if name not in settled]
        return settled | self._kinds_of_texts(texts)

    def _kinds_of_texts(self, names: list[str]) -> dict[str, ColumnKind]:
        """The kinds of columns that are parsed as text."""
        if not names:
            return {}
        types: dict[str, list[pa.DataType]] = {name: [] for name in names}
        for first, end in pairwise(self._offsets):
            table = self.parser.parse(first, end, dict.fromkeys(names, _TEXT))
            for name in names:
                if table[name].null_count < len(table):
                    types[name].append(without_commas(table[name]).type)
        return {name: ColumnKind(_TEXT, _common_number(types[name])) for name in names}

    def _unfit_columns(self, types: Types) -> set[str]:
        """The columns that hold a value which does not fit their type."""
        unfit_columns: set[str] = set()
        for first, end in pairwise(self._offsets):
            types_of_others = {name: dtype for name, dtype in types.items() if name not in unfit_columns}
            unfit_columns |= self._unfit_columns_of_range(first, end, types_of_others)
        return unfit_columns

    def _unfit_columns_of_range(self, first: int, end: int, types: Types) -> set[str]:
        """The columns that hold such a value in bytes ``first`` to ``end``, found by halving the columns."""
        if not types or self.parser.fits(first, end, types):
            return set()
        names = list(types)
        if len(names) == 1:
            return set(names)
        middle = len(names) // 2
        first_half = {name: types[name] for name in names[:middle]}
        second_half = {name: types[name] for name in names[middle:]}
        unfit_in_first_half = self._unfit_columns_of_range(first, end, first_half)
        unfit_in_second_half = self._unfit_columns_of_range(first, end, second_half)
        return unfit_in_first_half | unfit_in_second_half


class DelimitedFile(TextFile):
    """Rows of fields with a delimiter between them: CSV, TSV, semicolons or bars."""

    def make_parser(self) -> DelimitedParser:
        mark = begins_with_comments(self.path)
        if mark is not None:
            self.path = without_comments(self.path, self.file.copies.folder, mark, self.diagnostics)
        self._layout = Layout.of(self.path, self.label, self.file.header, self.diagnostics)
        return DelimitedParser(self.path, self.label, self._layout)

    @property
    def names(self) -> Sequence[str]:
        return self._layout.names


class TextContents(NamedTuple):
    """What the bytes of a file say before its rows are parsed."""

    n_quotes: int  # the number of quotation marks
    may_have_markers: bool  # whether a row may have a marker of a missing value that is not empty

    @classmethod
    def of_file(cls, path: Path, start: int) -> TextContents:
        """Read a file whose rows begin at byte ``start``."""
        n_quotes = 0
        may_have_markers = False
        offset = 0
        block = bytearray(1 << 18)  # stays in the cache of a core
        with open(path, "rb", buffering=0) as file:
            while size := file.readinto(block):
                if block.find(b'"', 0, size) >= 0:  # a tenth of the time of a count, and most files have no quote
                    n_quotes += block.count(b'"', 0, size)
                if not may_have_markers:
                    first = max(0, start - offset)
                    may_have_markers = any(block.find(letter, first, size) >= 0 for letter in _LETTERS_OF_MARKERS)
                offset += size
        return cls(n_quotes, may_have_markers)


@dataclass(frozen=True, eq=False)
class DelimitedParser:
    """Converts rows of fields to columns."""

    path: Path
    label: str
    layout: Layout

    @cached_property
    def contents(self) -> TextContents:
        """What a pass over the bytes of the file finds."""
        return TextContents.of_file(self.path, self.layout.start)

    def range_offsets(self, size: int | None) -> list[int]:
        n_quotes = self.contents.n_quotes
        if size is not None:
            return self.layout.range_offsets(self.path, size, self.label, has_quotes=n_quotes > 0)
        has_open_quote = n_quotes % 2 == 1
        if has_open_quote:  # the search of row ends raises the error for a quoted value that has no end
            self.layout.range_offsets(self.path, RANGE_BYTES, self.label, has_quotes=True)
        return self.layout.range_offsets(self.path, os.path.getsize(self.path), self.label, has_quotes=False)

    def fits(self, first: int, end: int, types: Types) -> bool:
        for newlines_in_values in (False, True):
            try:
                self._read(first, end, types, newlines_in_values=newlines_in_values)
            except pa.ArrowInvalid:
                continue
            return True
        return False

    def parse(self, first: int, end: int, types: Types | None, n_rows_before: int = 0) -> pa.Table:
        table = self._read_fast(first, end, types)
        if table is None:
            self._check_utf8(first, end)
            table = self._read_slowly(first, end, types, n_rows_before)
        if pa.binary() in table.schema.types:
            raise NotUtf8
        return table

    def _read_fast(self, first: int, end: int, types: Types | None) -> pa.Table | None:
        """The rows, on several threads; None if a row is broken, or a quoted value has several lines.

        Columns whose first values are fractions are read as numbers. If that fails, Arrow detects their types, too.
        """
        with suppress(pa.ArrowInvalid):
            return self._read(first, end, types, fractions=self.layout.fractions)
        with suppress(pa.ArrowInvalid):
            return self._read(first, end, types)
        return None

    def _read_slowly(self, first: int, end: int, types: Types | None, n_rows_before: int) -> pa.Table:
        """The rows, on one thread. Quoted values may have several lines, and the number of a broken row is known."""
        broken_rows: list[arrow_csv.InvalidRow] = []

        def keep_broken_row(row: arrow_csv.InvalidRow) -> str:
            broken_rows.append(row)
            return "error"  # pyarrow raises ArrowInvalid

        try:
            return self._read(first, end, types, newlines_in_values=True, handler=keep_broken_row)
        except pa.ArrowInvalid as error:
            if broken_rows:
                raise self._malformed_row(broken_rows[0], n_rows_before) from None
            if _is_of_long_row(error):
                raise _long_row(self.label, self._block_bytes) from None
            raise DataError(
                code="malformed-row", message=f"cannot read {self.label} as text: {one_line(error)}"
            ) from None

    @property
    def _block_bytes(self) -> int:
        """How many bytes pyarrow parses at once, the longest row that it reads.

        A block holds at least 64 rows, so that a wide table does not fall into a chunk per row and column.
        """
        return min(max(MAX_ROW_BYTES, 64 * self.layout.line_length), 1 << 30)

    def _read(
        self,
        first: int,
        end: int,
        types: Types | None,
        *,
        newlines_in_values: bool = False,
        handler: Callable[[arrow_csv.InvalidRow], str] | None = None,
        fractions: Iterable[str] = (),
    ) -> pa.Table:
        layout = self.layout
        column_types = dict(types) if types is not None else self._types_of_first_rows(fractions)
        with native_file(self.path) as file:
            return arrow_csv.read_csv(
                _bytes_between(file, first, end),
                read_options=arrow_csv.ReadOptions(
                    block_size=self._block_bytes,
                    use_threads=handler is None and end - first >= _MIN_BYTES_FOR_THREADS,
                    column_names=layout.names,
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=layout.delimiter, newlines_in_values=newlines_in_values, invalid_row_handler=handler
                ),
                convert_options=arrow_csv.ConvertOptions(
                    strings_can_be_null=True,
                    null_values=list(MARKERS) if self.contents.may_have_markers else [""],
                    decimal_point=layout.decimal_mark,
                    column_types=column_types,
                    include_columns=None if types is None else list(types),
                ),
            )

    def _types_of_first_rows(self, fractions: Iterable[str]) -> dict[str, pa.DataType]:
        """The types of columns that the first rows show; Arrow finds those of the others."""
        types = dict.fromkeys(fractions, _NUMBER)
        types.update(dict.fromkeys(self.layout.texts, _TEXT))
        return types

    def _check_utf8(self, first: int, end: int) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")()
        with open(self.path, "rb") as file:
            file.seek(first)
            try:
                while block := file.read(min(1 << 20, end - file.tell())):
                    decoder.decode(block)
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                raise NotUtf8 from None

    def _malformed_row(self, row: arrow_csv.InvalidRow, n_rows_before: int) -> DataError:
        """The error for a row that has more or fewer fields than the header."""
        row_label = "a row" if row.number is None else f"row {n_rows_before + row.number + 1:,}"
        with open(self.path, "rb") as file:
            row_and_line_ends = len(row.text.encode()) + _MAX_LINE_END_BYTES
            file.seek(max(0, os.path.getsize(self.path) - row_and_line_ends))
            is_last = file.read().rstrip().endswith(row.text.rstrip().encode())
        position = ", the last one," if is_last else " (the header is row 1)"
        return DataError(
            code="malformed-row",
            message=(
                f"{row_label}{position} of {self.label} has {row.actual_columns:,} fields where the header has "
                f"{row.expected_columns:,}"
            ),
            advice="complete or delete it",
        )


def _bytes_between(file: pa.NativeFile, first: int, end: int) -> pa.NativeFile:
    """Bytes ``first`` to ``end`` of an open file. If the file ends there, it is read on as it is."""
    file.seek(first)
    if end == file.size():
        return file
    return pa.BufferReader(file.read_buffer(end - first))


def _is_of_long_row(error: pa.ArrowInvalid) -> bool:
    """Whether pyarrow refuses a row that is longer than a block: it says that the row straddles two blocks."""
    return "straddl" in str(error)


def _long_row(label: str, max_bytes: int) -> DataError:
    """The error for a row that is too long."""
    return DataError(
        code="malformed-row",
        message=f"{label} has a row of more than {max_bytes:,} bytes",
        advice="shorten its longest value, or close a quotation mark",
    )


def _with_columns(table: pa.Table, columns: Mapping[int, pa.ChunkedArray]) -> pa.Table:
    """The table with other columns in the places of some, which are given by their index."""
    if not columns:
        return table
    all_columns = table.columns
    for i, column in columns.items():
        all_columns[i] = column
    return pa.Table.from_arrays(all_columns, names=table.column_names)


def _types_to_try(types: list[pa.DataType]) -> list[pa.DataType]:
    """The types other than text that fit values of all these types."""
    fitting = [[dtype, *_WIDER.get(dtype, ())] for dtype in types]
    return [dtype for dtype in fitting[0] if all(dtype in others for others in fitting[1:])]


def _common_number(types: list[pa.DataType]) -> pa.DataType:
    """The common type of integers, floats and text."""
    if all(dtype == types[0] for dtype in types):
        return types[0]
    return _TEXT if _TEXT in types else _NUMBER


def _as_type(column: pa.ChunkedArray, dtype: pa.DataType) -> pa.ChunkedArray:
    """A column as it was parsed, converted to another type; text such as ``1,234`` to numbers."""
    if column.type == dtype:
        return column
    if pa.types.is_string(column.type):
        import pyarrow.compute as pc

        column = pc.replace_substring(column, ",", "")
    return column.cast(dtype)


def without_commas(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert a column to numbers if all its texts are such as ``1,234.56``; else return it as it is.

    A point that can only separate thousands is no decimal mark.
    """
    if not pa.types.is_string(column.type):
        return column
    texts = column.drop_null()
    if not len(texts) or not _WITH_COMMAS.fullmatch(texts[0].as_py()):
        return column
    import pyarrow.compute as pc

    if not pc.all(pc.match_substring_regex(texts, f"^(?:{_WITH_COMMAS.pattern})$")).as_py():
        return column
    if separates_thousands(".", texts.to_pylist()):
        return column
    digits = pc.utf8_trim_whitespace(pc.replace_substring(column, ",", ""))
    try:
        return digits.cast(pa.int64())
    except pa.ArrowInvalid:
        return digits.cast(pa.float64())


class JsonFile(TextFile):
    """A file of JSON objects. Their keys are the columns; a key that an object lacks is a missing value."""

    def make_parser(self) -> JsonParser:
        with open(self.path, "rb") as file:
            is_list = file.read(_N_JSON_BYTES).removeprefix(BOM).lstrip().startswith(b"[")
        return JsonParser(self.path, self.label, is_list)

    @property
    def names(self) -> Sequence[str]:
        return list(self.types)


@dataclass(frozen=True, eq=False)
class JsonParser:
    """Converts objects to columns."""

    path: Path
    label: str
    is_list: bool

    def range_offsets(self, size: int | None) -> list[int]:
        if size is None or self.is_list:
            return [0, os.path.getsize(self.path)]
        return line_range_offsets(self.path, 0, size)

    def fits(self, first: int, end: int, types: Types) -> bool:
        try:
            self._read(first, end, types)
        except pa.ArrowInvalid:
            return False
        return True

    def parse(self, first: int, end: int, types: Types | None, n_rows_before: int = 0) -> pa.Table:
        with in_one_line(f"cannot read {self.label} as JSON"):
            table = self._read(first, end, types)
            table.validate(full=True)  # the reader of lines takes texts that are not UTF-8
        if types is None:
            table = table.select([name for name in table.column_names if not name.startswith(INDEX)])
            check_schema(table.schema, self.label)
        return table

    def _read(self, first: int, end: int, types: Types | None) -> pa.Table:
        from pyarrow import json as arrow_json

        if self.is_list:
            table = pa.Table.from_pylist(json.loads(self.path.read_text(encoding="utf-8-sig")))
            return table if types is None else table.select(list(types))
        blocks = arrow_json.ReadOptions(block_size=MAX_ROW_BYTES)
        options = arrow_json.ParseOptions()
        if types is not None:
            options = arrow_json.ParseOptions(
                explicit_schema=pa.schema(list(types.items())), unexpected_field_behavior="ignore"
            )
        with native_file(self.path) as file:
            source = _bytes_between(file, first, end)
            try:
                return arrow_json.read_json(source, read_options=blocks, parse_options=options)
            except pa.ArrowInvalid as error:
                if _is_of_long_row(error):
                    raise _long_row(self.label, MAX_ROW_BYTES) from None
                raise
