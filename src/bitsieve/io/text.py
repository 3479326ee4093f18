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
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.column_file import (
    INDEX,
    ColumnFile,
    InputFile,
    Partition,
    TablePartition,
    check_schema,
    line_starts,
    native_file,
    sliced,
)
from bitsieve.io.dialect import BOM, MARKERS, Layout, NotUtf8, begins_with_comments, in_utf8, without_comments
from bitsieve.io.errors import DataError, in_one_line
from bitsieve.utils.messages import one_line

Types = Mapping[str, pa.DataType]

RANGE_BYTES = 1 << 24  # this process reads ranges of so many bytes
SENT_BYTES = 1 << 26  # another process reads ranges of so many bytes
MAX_ROW_BYTES = 1 << 20  # a row has at most so many bytes, unless the first rows are long
_MIN_BYTES_FOR_THREADS = 1 << 23  # one thread parses a shorter text sooner than several
_N_JSON_BYTES = 4096  # whether a file of JSON is a list is found in so many first bytes
_GROUPED = re.compile(r" *[+-]?(0|[1-9][0-9]{0,2}(,[0-9]{3})*)(\.[0-9]*)? *")
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


@dataclass(frozen=True)
class ColumnKind:
    """The type with which a column is parsed, and the type of its values. Text such as ``1,234`` may be numbers."""

    parsed: pa.DataType
    values: pa.DataType


class RowParser(Protocol):
    """Converts the rows of a file to columns."""

    def parsed(self, first: int, end: int, types: Types | None, n_rows_before: int = 0) -> pa.Table:
        """Parse bytes ``first`` to ``end`` to columns of ``types``; None to detect the types of all columns."""

    def fit(self, first: int, end: int, types: Types) -> bool:
        """Whether all values in bytes ``first`` to ``end`` fit these types."""

    def starts(self, size: int | None) -> list[int]:
        """The offsets of ranges of complete rows of about ``size`` bytes; the last is the end. None for one range."""


@dataclass(frozen=True)
class TextPartition:
    """Consecutive rows of a file of text, in bytes ``first`` to ``end``."""

    parser: RowParser
    first: int
    end: int
    kinds: Mapping[str, ColumnKind]

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        names = list(self.kinds if columns is None else columns)
        table = self.parser.parsed(self.first, self.end, {name: self.kinds[name].parsed for name in names})
        values = [_as_type(table[name], self.kinds[name].values) for name in names]
        yield from sliced(pa.Table.from_arrays(values, names=names), rows)


class TextFile(ColumnFile):
    """A file of text."""

    def __init__(self, file: InputFile, diagnostics: list[Diagnostic], kind: str) -> None:
        super().__init__(file, diagnostics, kind)
        self._n_diagnostics_before = len(diagnostics)
        self._kinds: dict[str, ColumnKind] = {}
        self._starts: list[int] = []
        self._table: pa.Table | None = None
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
        self._find_kinds(in_one_block=False)
        return {name: kind.values for name, kind in self._kinds.items()}

    @property
    def n_rows(self) -> int:
        self._find_kinds(in_one_block=False)
        return self._n_rows

    def partitions(self, *, in_one_block: bool) -> Sequence[Partition]:
        self._find_kinds(in_one_block=in_one_block)
        if self._table is not None:
            return [TablePartition(self._table)]
        starts = [self._starts[0], self._starts[-1]] if in_one_block else self._starts
        return self._partitions_between(starts)

    def partitions_to_send(self, n: int | None) -> Sequence[Partition]:
        self._find_kinds(in_one_block=False)
        size = SENT_BYTES if n is None else -(-os.path.getsize(self.path) // n)
        return self._partitions_between(self.parser.starts(size))

    def _partitions_between(self, starts: Sequence[int]) -> list[Partition]:
        return [TextPartition(self.parser, first, end, self._kinds) for first, end in pairwise(starts)]

    def _convert_to_utf8(self) -> None:
        """Go on with a copy in UTF-8, and drop the diagnostics of the file itself."""
        del self.diagnostics[self._n_diagnostics_before :]
        self.path = in_utf8(self.file.path, self.file.copies.folder, self.diagnostics)
        self.parser = self.make_parser()

    def _find_kinds(self, *, in_one_block: bool) -> None:
        """Parse all rows once to find their number and their types. A file of one range is kept as a table."""
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
        """The kinds of the columns in every range."""
        self._starts = self.parser.starts(None if in_one_block else RANGE_BYTES)
        self._n_rows = 0
        kinds_by_range = []
        for first, end in pairwise(self._starts):
            table = self.parser.parsed(first, end, None, self._n_rows)
            columns = [without_commas(column) for column in table.columns]
            kinds = {}
            for name, parsed, column in zip(table.column_names, table.schema.types, columns, strict=True):
                kinds[name] = ColumnKind(parsed, column.type)
            kinds_by_range.append(kinds)
            self._n_rows += table.num_rows
            if len(self._starts) == 2:
                columns = [column.cast(_NUMBER) if pa.types.is_null(column.type) else column for column in columns]
                self._table = pa.Table.from_arrays(columns, names=table.column_names)
        return kinds_by_range

    def _common_kinds(self, kinds_by_range: list[dict[str, ColumnKind]]) -> dict[str, ColumnKind]:
        """The kinds of the columns over all ranges."""
        if len(kinds_by_range) == 1:
            (kinds,) = kinds_by_range
            return {
                name: kind if kind.parsed != _NULL else ColumnKind(_NUMBER, _NUMBER) for name, kind in kinds.items()
            }
        names = dict.fromkeys(chain.from_iterable(kinds_by_range))
        common: dict[str, ColumnKind | None] = dict.fromkeys(names)
        several_types: dict[str, list[pa.DataType]] = {}
        for name in names:
            in_ranges = [kinds[name] for kinds in kinds_by_range if name in kinds]
            kinds_of_values = [kind for kind in in_ranges if kind.parsed != _NULL]
            parsed = list(dict.fromkeys(kind.parsed for kind in kinds_of_values))
            if not kinds_of_values:
                common[name] = ColumnKind(_NUMBER, _NUMBER)
            elif len(parsed) == 1:
                common[name] = ColumnKind(parsed[0], _common_number([kind.values for kind in kinds_of_values]))
            else:
                several_types[name] = parsed
        settled = self._settled_kinds(several_types)
        return {name: settled[name] if kind is None else kind for name, kind in common.items()}

    def _settled_kinds(self, several_types: dict[str, list[pa.DataType]]) -> dict[str, ColumnKind]:
        """The kinds of columns whose ranges have different types: the first type that fits all values, else text."""
        settled: dict[str, ColumnKind] = {}
        candidates = {name: _candidates(types) for name, types in several_types.items()}
        while any(candidates.values()):
            trial = {name: types[0] for name, types in candidates.items() if types}
            failed: set[str] = set()
            for first, end in pairwise(self._starts):
                still_fitting = {name: tried for name, tried in trial.items() if name not in failed}
                failed |= self._not_of_type(first, end, still_fitting)
            for name, tried in trial.items():
                if name not in failed:
                    settled[name] = ColumnKind(tried, tried)
            candidates = {name: candidates[name][1:] for name in failed}
        texts = [name for name in several_types if name not in settled]
        return settled | self._kinds_of_texts(texts)

    def _kinds_of_texts(self, names: list[str]) -> dict[str, ColumnKind]:
        """The kinds of columns that are parsed as text."""
        if not names:
            return {}
        types: dict[str, list[pa.DataType]] = {name: [] for name in names}
        for first, end in pairwise(self._starts):
            table = self.parser.parsed(first, end, dict.fromkeys(names, _TEXT))
            for name in names:
                if table[name].null_count < len(table):
                    types[name].append(without_commas(table[name]).type)
        return {name: ColumnKind(_TEXT, _common_number(types[name])) for name in names}

    def _not_of_type(self, first: int, end: int, types: Types) -> set[str]:
        """The columns that hold a value in a range which does not fit their type."""
        if not types or self.parser.fit(first, end, types):
            return set()
        names = list(types)
        if len(names) == 1:
            return set(names)
        middle = len(names) // 2
        first_half = {name: types[name] for name in names[:middle]}
        second_half = {name: types[name] for name in names[middle:]}
        return self._not_of_type(first, end, first_half) | self._not_of_type(first, end, second_half)


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


@dataclass(frozen=True)
class DelimitedParser:
    """Rows of fields become columns."""

    path: Path
    label: str
    layout: Layout

    def starts(self, size: int | None) -> list[int]:
        n_quotes = _count_quotes(self.path)
        if size is None and n_quotes % 2:
            self.layout.starts(self.path, RANGE_BYTES, self.label, has_quotes=True)  # refuses a value that never ends
        if size is None:
            return self.layout.starts(self.path, os.path.getsize(self.path), self.label, has_quotes=False)
        return self.layout.starts(self.path, size, self.label, has_quotes=n_quotes > 0)

    def fit(self, first: int, end: int, types: Types) -> bool:
        for newlines_in_values in (False, True):
            try:
                self._read(first, end, types, newlines_in_values=newlines_in_values)
            except pa.ArrowInvalid:
                continue
            return True
        return False

    def parsed(self, first: int, end: int, types: Types | None, n_rows_before: int = 0) -> pa.Table:
        table = self._read_fast(first, end, types)
        if table is None:
            self._check_utf8(first, end)
            table = self._read_slowly(first, end, types, n_rows_before)
        if any(pa.types.is_binary(kind) for kind in table.schema.types):
            raise NotUtf8
        return table

    def _read_fast(self, first: int, end: int, types: Types | None) -> pa.Table | None:
        """The rows, on several threads; None if a row is broken, or a quoted value has several lines."""
        for fractions in (self.layout.fractions, frozenset[str]()):
            with suppress(pa.ArrowInvalid):
                return self._read(first, end, types, fractions=fractions)
        return None

    def _read_slowly(self, first: int, end: int, types: Types | None, n_rows_before: int) -> pa.Table:
        """The rows, on one thread. Quoted values may have several lines, and the number of a broken row is known."""
        broken: list[arrow_csv.InvalidRow] = []

        def keep(row: arrow_csv.InvalidRow) -> str:
            broken.append(row)
            return "error"

        try:
            return self._read(first, end, types, newlines_in_values=True, handler=keep)
        except pa.ArrowInvalid as error:
            raise self._malformed(broken, n_rows_before, error) from None

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
            file.seek(first)
            reaches_the_end = end == file.size()
            return arrow_csv.read_csv(
                file if reaches_the_end else pa.BufferReader(file.read_buffer(end - first)),
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
                    null_values=list(MARKERS),
                    decimal_point=layout.decimal_mark,
                    column_types=column_types,
                    include_columns=None if types is None else list(types),
                ),
            )

    def _types_of_first_rows(self, fractions: Iterable[str]) -> dict[str, pa.DataType]:
        """The types of columns that the first rows show; Arrow finds those of the others."""
        types = dict.fromkeys(fractions, _NUMBER)
        types.update(dict.fromkeys(self.layout.codes, _TEXT))
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

    def _malformed(self, broken: list[arrow_csv.InvalidRow], n_rows_before: int, error: pa.ArrowInvalid) -> DataError:
        """The error that says why rows could not be parsed, with the number of the first broken one."""
        if not broken and _is_of_long_row(error):
            return _long_row(self.label, self._block_bytes)
        if not broken:
            return DataError(code="malformed-row", message=f"cannot read {self.label} as text: {one_line(error)}")
        row = broken[0]
        which_row = "a row" if row.number is None else f"row {n_rows_before + row.number + 1:,}"
        with open(self.path, "rb") as file:
            file.seek(max(0, os.path.getsize(self.path) - len(row.text.encode()) - 8))
            is_last = file.read().rstrip().endswith(row.text.rstrip().encode())
        which = f"{which_row}, the last one," if is_last else f"{which_row} (the header is row 1)"
        return DataError(
            code="malformed-row",
            message=(
                f"{which} of {self.label} has {row.actual_columns:,} fields where the header has "
                f"{row.expected_columns:,}"
            ),
            advice="complete or delete it",
        )


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


def _candidates(types: list[pa.DataType]) -> list[pa.DataType]:
    """The types other than text that fit values of all these types."""
    first, *others = ([kind, *_WIDER.get(kind, ())] for kind in types)
    return [kind for kind in first if all(kind in other for other in others)]


def _common_number(types: list[pa.DataType]) -> pa.DataType:
    """The common type of integers, floats and text."""
    distinct = list(dict.fromkeys(types))
    if len(distinct) == 1:
        return distinct[0]
    return _TEXT if _TEXT in distinct else _NUMBER


def _as_type(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if column.type == kind:
        return column
    if pa.types.is_string(column.type):
        column = pc.replace_substring(column, ",", "")
    return column.cast(kind)


def without_commas(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert text such as ``1,234.56`` to numbers if all of a column is such; else return it as it is."""
    if not pa.types.is_string(column.type):
        return column
    texts = column.drop_null()
    if not len(texts) or not _GROUPED.fullmatch(texts[0].as_py()):
        return column
    if not pc.all(pc.match_substring_regex(texts, f"^(?:{_GROUPED.pattern})$")).as_py():
        return column
    digits = pc.utf8_trim_whitespace(pc.replace_substring(column, ",", ""))
    try:
        return digits.cast(pa.int64())
    except pa.ArrowInvalid:
        return digits.cast(pa.float64())


def _count_quotes(path: Path) -> int:
    """The number of quotation marks in a file."""
    number = 0
    block = bytearray(1 << 18)  # stays in the cache of a core
    with open(path, "rb", buffering=0) as file:
        while size := file.readinto(block):
            if block.find(b'"', 0, size) >= 0:  # a tenth of the time of a count, and most files have no quote
                number += block.count(b'"', 0, size)
    return number


class JsonFile(TextFile):
    """A file of JSON objects. Their keys are the columns; a key that an object lacks is a missing value."""

    def make_parser(self) -> JsonParser:
        with open(self.path, "rb") as file:
            is_list = file.read(_N_JSON_BYTES).removeprefix(BOM).lstrip().startswith(b"[")
        return JsonParser(self.path, self.label, is_list)

    @property
    def names(self) -> Sequence[str]:
        return list(self.types)


@dataclass(frozen=True)
class JsonParser:
    """Objects become columns."""

    path: Path
    label: str
    is_list: bool

    def starts(self, size: int | None) -> list[int]:
        if size is None or self.is_list:
            return [0, os.path.getsize(self.path)]
        return line_starts(self.path, 0, size)

    def fit(self, first: int, end: int, types: Types) -> bool:
        try:
            self._read(first, end, types)
        except pa.ArrowInvalid:
            return False
        return True

    def parsed(self, first: int, end: int, types: Types | None, n_rows_before: int = 0) -> pa.Table:
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
            file.seek(first)
            reaches_the_end = end == file.size()
            source = file if reaches_the_end else pa.BufferReader(file.read_buffer(end - first))
            try:
                return arrow_json.read_json(source, read_options=blocks, parse_options=options)
            except pa.ArrowInvalid as error:
                if _is_of_long_row(error):
                    raise _long_row(self.label, MAX_ROW_BYTES) from None
                raise
