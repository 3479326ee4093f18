"""Tables of text, with delimiters or of JSON: read in ranges of whole rows, with types that are decided over all rows.

A file that is one range is parsed once. Of several ranges each is parsed for the types that its own values have, and
where these differ, a column gets the first type that all its values have, of truth values, times, numbers and text: the
type that it has where the whole file is one range. Then the ranges are parsed for these types.
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
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.dialect import BOM, MARKERS, Layout, NotUtf8, begins_with_comments, in_utf8, without_comments
from bitsieve.io.errors import DataError, in_one_line
from bitsieve.io.parts import INDEX, ColumnParts, Given, Rows, check_schema, line_starts, native_file, sliced
from bitsieve.utils.messages import one_line

Types = Mapping[str, pa.DataType]

BLOCK = 1 << 24  # bytes of a range that is read at once
PORTION = 1 << 26  # bytes of a range for another process
_SMALL = 1 << 23  # bytes; a smaller text is parsed sooner by one thread
_HEAD = 4096  # bytes that are looked at for an object of JSON
_GROUPED = re.compile(r" *[+-]?(0|[1-9][0-9]{0,2}(,[0-9]{3})*)(\.[0-9]*)? *")
_NUMBER, _TEXT, _NULL = pa.float64(), pa.string(), pa.null()
#: What values may be besides, of which pyarrow finds a type; in the order in which it tries them.
_WIDER = {
    pa.int64(): (pa.bool_(), _NUMBER),
    pa.date32(): (pa.timestamp("s"), pa.timestamp("ns")),
    pa.timestamp("s"): (pa.timestamp("ns"),),
    pa.timestamp("s", "UTC"): (pa.timestamp("ns", "UTC"),),
}


@dataclass(frozen=True)
class Kind:
    """The type for which a column is parsed, and the one with which it is given on: numbers, of ``1,234`` in text."""

    parsed: pa.DataType
    given: pa.DataType


class Format(Protocol):
    """How the rows of a file are parsed."""

    def parsed(self, first: int, end: int, types: Types | None, before: int = 0) -> pa.Table:
        """The rows in bytes ``first`` to ``end``, behind ``before`` others: columns of ``types``, or all as found."""

    def fit(self, first: int, end: int, types: Types) -> bool:
        """Whether the values of some rows are of these types."""

    def starts(self, size: int | None) -> list[int]:
        """Where ranges of whole rows of about so many bytes begin, and where the last one ends; None: one range."""


@dataclass(frozen=True)
class TextRange:
    """Some whole rows of a file of text."""

    form: Format
    first: int
    end: int
    kinds: Mapping[str, Kind]

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        wanted = list(self.kinds if columns is None else columns)
        table = self.form.parsed(self.first, self.end, {name: self.kinds[name].parsed for name in wanted})
        values = [_as_given(table[name], self.kinds[name].given) for name in wanted]
        yield from sliced(pa.Table.from_arrays(values, names=wanted), rows)


@dataclass(frozen=True)
class Parsed:
    """All rows, parsed already."""

    table: pa.Table

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        yield from sliced(self.table if columns is None else self.table.select(list(columns)), rows)


class TextParts(ColumnParts):
    """A file of text."""

    def __init__(self, given: Given, diagnostics: list[Diagnostic]) -> None:
        super().__init__(given, diagnostics)
        self._before = len(diagnostics)
        self._kinds: dict[str, Kind] = {}
        self._starts: list[int] = []
        self._table: pa.Table | None = None
        self._n_rows = 0
        try:
            self.form = self.opened()
        except NotUtf8:
            self._as_utf8()

    @abstractmethod
    def opened(self) -> Format:
        """Look at the beginning of the file at ``path``, which may be another one than before."""

    @property
    def types(self) -> Types:
        self._look(whole=False)
        return {name: kind.given for name, kind in self._kinds.items()}

    @property
    def n_rows(self) -> int:
        self._look(whole=False)
        return self._n_rows

    def pieces(self, *, whole: bool) -> Sequence[Rows]:
        self._look(whole=whole)
        if self._table is not None:
            return [Parsed(self._table)]
        starts = [self._starts[0], self._starts[-1]] if whole else self._starts
        return [TextRange(self.form, *ends, self._kinds) for ends in pairwise(starts)]

    def portions(self, n: int | None) -> Sequence[Rows]:
        self._look(whole=False)
        size = PORTION if n is None else -(-os.path.getsize(self.path) // n)
        return [TextRange(self.form, *ends, self._kinds) for ends in pairwise(self.form.starts(size))]

    def _as_utf8(self) -> None:
        del self.diagnostics[self._before :]
        self.path = in_utf8(self.given.path, self.given.copies.folder, self.diagnostics)
        self.form = self.opened()

    def _look(self, *, whole: bool) -> None:
        """Parse all rows once, to know their number and their types; a table of one range is kept."""
        if self._kinds:
            return
        try:
            found = self._parse_ranges(whole=whole)
        except NotUtf8:
            self._as_utf8()
            found = self._parse_ranges(whole=whole)
        if not self._n_rows:
            raise DataError(
                code="empty-data",
                message=f"{self.label} has no rows",
                advice="nothing to select from",
            )
        self._kinds = self._common(found)

    def _parse_ranges(self, *, whole: bool) -> list[dict[str, Kind]]:
        """What the columns of every range are by themselves."""
        self._starts, self._n_rows, found = self.form.starts(None if whole else BLOCK), 0, []
        for first, end in pairwise(self._starts):
            table = self.form.parsed(first, end, None, self._n_rows)
            values = [without_commas(column) for column in table.columns]
            kinds = zip(table.schema.types, (column.type for column in values), strict=True)
            found.append({name: Kind(*both) for name, both in zip(table.column_names, kinds, strict=True)})
            self._n_rows += table.num_rows
            if len(self._starts) == 2:
                values = [column.cast(_NUMBER) if pa.types.is_null(column.type) else column for column in values]
                self._table = pa.Table.from_arrays(values, names=table.column_names)
        return found

    def _common(self, found: list[dict[str, Kind]]) -> dict[str, Kind]:
        """What the columns of all rows are."""
        names = dict.fromkeys(name for one in found for name in one)
        kinds, unsure = {}, {}
        for name in names:
            met = {one[name]: None for one in found if name in one and one[name].parsed != _NULL}
            parsed = dict.fromkeys(kind.parsed for kind in met)
            if not met:
                kinds[name] = Kind(_NUMBER, _NUMBER)
            elif len(parsed) == 1:
                kinds[name] = Kind(next(iter(parsed)), _common_number([kind.given for kind in met]))
            else:
                unsure[name] = list(parsed)
        return {**dict.fromkeys(names, Kind(_NULL, _NULL)), **kinds, **self._settled(unsure)}

    def _settled(self, unsure: dict[str, list[pa.DataType]]) -> dict[str, Kind]:
        """What columns are whose values were found to be of several types."""
        settled: dict[str, Kind] = {}
        candidates = {name: _candidates(met) for name, met in unsure.items()}
        while tried := {name: left.pop(0) for name, left in candidates.items() if left}:
            failed: set[str] = set()
            for first, end in pairwise(self._starts):
                failed |= self._not_of(first, end, {name: tried[name] for name in tried if name not in failed})
            settled |= {name: Kind(kind, kind) for name, kind in tried.items() if name not in failed}
            candidates = {name: candidates[name] for name in failed}
        texts = [name for name in unsure if name not in settled]
        given: dict[str, list[pa.DataType]] = {name: [] for name in texts}
        for first, end in pairwise(self._starts if texts else []):
            table = self.form.parsed(first, end, dict.fromkeys(texts, _TEXT))
            for name in texts:
                if table[name].null_count < len(table):
                    given[name].append(without_commas(table[name]).type)
        return settled | {name: Kind(_TEXT, _common_number(given[name])) for name in texts}

    def _not_of(self, first: int, end: int, types: Types) -> set[str]:
        """The columns that hold, in a range, something that is not of their type."""
        if not types or self.form.fit(first, end, types):
            return set()
        names = list(types)
        if len(names) == 1:
            return {*names}
        halves = names[: len(names) // 2], names[len(names) // 2 :]
        return set().union(*(self._not_of(first, end, {name: types[name] for name in half}) for half in halves))


class DelimitedParts(TextParts):
    """Rows of fields with a delimiter between them: CSV, TSV, semicolons or bars."""

    def __init__(self, given: Given, diagnostics: list[Diagnostic], header: bool | None = None) -> None:
        self._header = header
        super().__init__(given, diagnostics)

    def opened(self) -> Delimited:
        mark = begins_with_comments(self.path)
        if mark is not None:
            self.path = without_comments(self.path, self.given.copies.folder, mark, self.diagnostics)
        self._layout = Layout.of(self.path, self.label, self._header, self.diagnostics)
        return Delimited(self.path, self.label, self._layout)

    @property
    def names(self) -> Sequence[str]:
        return self._layout.names


@dataclass(frozen=True)
class Delimited:
    """How rows of fields are parsed."""

    path: Path
    label: str
    layout: Layout

    def starts(self, size: int | None) -> list[int]:
        n_quotes = _quotes(self.path)
        if size is None and n_quotes % 2:
            self.layout.starts(self.path, BLOCK, self.label, has_quotes=True)  # refuses a value that never ends
        whole = os.path.getsize(self.path)
        return self.layout.starts(self.path, size or whole, self.label, has_quotes=size is not None and n_quotes > 0)

    def fit(self, first: int, end: int, types: Types) -> bool:
        for newlines in (False, True):
            try:
                self._read(first, end, types, newlines, None)
            except pa.ArrowInvalid:
                continue
            return True
        return False

    def parsed(self, first: int, end: int, types: Types | None, before: int = 0) -> pa.Table:
        """Some rows; where that fails once more, slowly: for ends of lines inside quotes, the number of a bad row."""
        table = None
        for fractions in (self.layout.fractions, frozenset[str]()):
            with suppress(pa.ArrowInvalid):
                table = table or self._read(first, end, types, False, None, fractions)
        if table is None:
            self._check_text(first, end)
            bad: list[arrow_csv.InvalidRow] = []

            def keep(row: arrow_csv.InvalidRow) -> str:
                bad.append(row)
                return "error"

            try:
                table = self._read(first, end, types, True, keep)
            except pa.ArrowInvalid as error:
                raise self._malformed(bad, before, error) from None
        if any(pa.types.is_binary(kind) for kind in table.schema.types):
            raise NotUtf8
        return table

    def _read(
        self,
        first: int,
        end: int,
        types: Types | None,
        newlines_in_values: bool,
        handler: Callable[[arrow_csv.InvalidRow], str] | None,
        fractions: Iterable[str] = (),
    ) -> pa.Table:
        layout = self.layout
        found = {**dict.fromkeys(fractions, _NUMBER), **dict.fromkeys(layout.codes, _TEXT)}
        # A block holds at least 64 rows, so that a wide table does not fall into a chunk per row and column.
        block_size = min(max(1 << 20, 64 * layout.line_length), 1 << 30)
        with native_file(self.path) as file:
            file.seek(first)
            whole = end == file.size()
            return arrow_csv.read_csv(
                file if whole else pa.BufferReader(file.read_buffer(end - first)),
                read_options=arrow_csv.ReadOptions(
                    block_size=block_size,
                    use_threads=handler is None and end - first >= _SMALL,
                    column_names=layout.names,
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=layout.delimiter, newlines_in_values=newlines_in_values, invalid_row_handler=handler
                ),
                convert_options=arrow_csv.ConvertOptions(
                    strings_can_be_null=True,
                    null_values=list(MARKERS),
                    decimal_point=layout.decimal_mark,
                    column_types=found if types is None else dict(types),
                    include_columns=None if types is None else list(types),
                ),
            )

    def _check_text(self, first: int, end: int) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")()
        with open(self.path, "rb") as file:
            file.seek(first)
            try:
                while block := file.read(min(1 << 20, end - file.tell())):
                    decoder.decode(block)
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                raise NotUtf8 from None

    def _malformed(self, bad: list[arrow_csv.InvalidRow], before: int, error: pa.ArrowInvalid) -> DataError:
        """The error for rows that could not be parsed: with the number of the first bad one."""
        if not bad:
            return DataError(code="malformed-row", message=f"cannot read {self.label} as text: {one_line(error)}")
        row = bad[0]
        place = "a row" if row.number is None else f"row {before + row.number + 1:,}"
        with open(self.path, "rb") as file:
            file.seek(max(0, os.path.getsize(self.path) - len(row.text.encode()) - 8))
            last = file.read().rstrip().endswith(row.text.rstrip().encode())
        which = f"{place}, the last one," if last else f"{place} (the header is row 1)"
        return DataError(
            code="malformed-row",
            message=(
                f"{which} of {self.label} has {row.actual_columns:,} fields where the header has "
                f"{row.expected_columns:,}"
            ),
            advice="complete or delete it",
        )


def _candidates(met: list[pa.DataType]) -> list[pa.DataType]:
    """The types but text that values of all these types may have."""
    first, *others = ([kind, *_WIDER.get(kind, ())] for kind in met)
    return [kind for kind in first if all(kind in other for other in others)]


def _common_number(types: list[pa.DataType]) -> pa.DataType:
    """The type of numbers, or of text, where some may be whole numbers."""
    distinct = list(dict.fromkeys(types))
    if len(distinct) == 1:
        return distinct[0]
    return _TEXT if _TEXT in distinct else _NUMBER


def _as_given(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if column.type == kind:
        return column
    return (pc.replace_substring(column, ",", "") if pa.types.is_string(column.type) else column).cast(kind)


def without_commas(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text that is numbers with a comma before every three digits (``1,234.56``) as these numbers."""
    if not pa.types.is_string(column.type):
        return column
    known = column.drop_null()
    if not len(known) or not _GROUPED.fullmatch(known[0].as_py()):
        return column
    if not pc.all(pc.match_substring_regex(known, f"^(?:{_GROUPED.pattern})$")).as_py():
        return column
    plain = pc.utf8_trim_whitespace(pc.replace_substring(column, ",", ""))
    try:
        return plain.cast(pa.int64())
    except pa.ArrowInvalid:
        return plain.cast(pa.float64())


def _quotes(path: Path) -> int:
    """How many quotation marks a file has."""
    number = 0
    block = bytearray(1 << 18)  # stays in the cache of a core
    with open(path, "rb", buffering=0) as file:
        while size := file.readinto(block):
            number += block.count(b'"', 0, size)
    return number


def is_json(path: Path) -> bool:
    """Whether a file of text begins as an object, or as a list of objects."""
    with open(path, "rb") as file:
        start = file.read(_HEAD).removeprefix(BOM).split()
    return b"".join(start[:3]).startswith((b'{"', b"[{", b"{}"))


class JsonParts(TextParts):
    """Objects as rows: their keys are the columns, and a key that an object lacks is a missing value."""

    def opened(self) -> Objects:
        with open(self.path, "rb") as file:
            is_list = file.read(_HEAD).removeprefix(BOM).lstrip().startswith(b"[")
        return Objects(self.path, self.label, is_list)

    @property
    def names(self) -> Sequence[str]:
        return list(self.types)


@dataclass(frozen=True)
class Objects:
    """How objects are parsed."""

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

    def parsed(self, first: int, end: int, types: Types | None, before: int = 0) -> pa.Table:
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
        how = arrow_json.ParseOptions()
        if types is not None:
            how = arrow_json.ParseOptions(
                explicit_schema=pa.schema(list(types.items())), unexpected_field_behavior="ignore"
            )
        with native_file(self.path) as file:
            file.seek(first)
            whole = end == file.size()
            return arrow_json.read_json(
                file if whole else pa.BufferReader(file.read_buffer(end - first)), parse_options=how
            )
