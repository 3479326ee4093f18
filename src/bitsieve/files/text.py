"""Tables of text: CSV, TSV and semicolons, the delimiter told by the first lines."""

from __future__ import annotations

import codecs
import csv
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from bitsieve.common.messages import one_line
from bitsieve.files.arrow import native_file
from bitsieve.files.errors import DataError, EncodingError, check_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    Handler = Callable[[arrow_csv.InvalidRow], str]

DELIMITERS = (",", "\t", ";", "|")
DELIMITER_NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
#: What stands for a missing value: the markers of pandas and "?", the marker of the UCI repository.
MISSING = (
    *("", "?", "NA", "N/A", "n/a", "<NA>", "#N/A", "#N/A N/A", "#NA", "NULL", "null", "None"),
    *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
_DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+")
_GROUPED = re.compile(r" *[+-]?[0-9]{1,3}(,[0-9]{3})*(\.[0-9]*)? *")
_SAMPLE = 1 << 16
_SMALL = 1 << 23  # bytes; a smaller file is parsed sooner by one thread


@dataclass(frozen=True)
class TextLayout:
    """How a file of text is laid out, told by its first lines.

    Attributes
    ----------
    delimiter, decimal_mark : str
    header : list of str
        The names as they stand in the header, with the white space around them.
    line_length : int
    """

    delimiter: str
    decimal_mark: str
    header: list[str]
    line_length: int

    @classmethod
    def of(cls, path: Path) -> TextLayout:
        """Look at the first lines of a file."""
        lines = first_lines(path)
        if not lines:
            raise DataError(f"{str(path)!r} is empty: a table needs a header line and rows")
        delimiter = told_delimiter(lines, path)
        header = _fields(lines[0], delimiter, path)
        check_names([name.strip() for name in header], path)
        return cls(delimiter, _decimal_mark(lines, delimiter), header, max(map(len, lines[:2])))

    def options(
        self,
        *,
        least_block: int,
        newlines_in_values: bool,
        handler: Handler | None,
        types: Mapping[str, Any] | None = None,
        columns: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """The options of pyarrow; types and columns by the names of the header, None: as they are found."""
        # A block holds at least 64 rows, so that a wide table does not fall into a chunk per row and column.
        block_size = min(max(least_block, 64 * self.line_length), 1 << 30)
        return {
            "read_options": arrow_csv.ReadOptions(block_size=block_size, use_threads=handler is None),
            "parse_options": arrow_csv.ParseOptions(
                delimiter=self.delimiter, newlines_in_values=newlines_in_values, invalid_row_handler=handler
            ),
            "convert_options": arrow_csv.ConvertOptions(
                strings_can_be_null=True,
                null_values=[*MISSING, *(f" {marker}" for marker in MISSING if marker)],
                decimal_point=self.decimal_mark,
                column_types=None if types is None else dict(types),
                include_columns=None if columns is None else list(columns),
            ),
        }


def read_text(path: Path) -> pa.Table:
    """Read a table of text with one header line, types as pyarrow infers them from the whole column.

    White space around the header's names is layout and is dropped. A comma inside numbers (``1,5``) is a decimal
    comma when the delimiter is another one and no number of the first lines has a point. A column without any
    value is a column of missing numbers.
    """
    return as_named(_parse(path, TextLayout.of(path)), path)


def as_named(table: pa.Table, path: Path) -> pa.Table:
    """The table as it is given on: names without white space around them, and numbers where nothing is known."""
    table = _named(table, path)
    columns = [c.cast(pa.float64()) if pa.types.is_null(c.type) else without_commas(c) for c in table.columns]
    return pa.Table.from_arrays(columns, names=table.column_names)


def as_kinds(table: pa.Table, path: Path, kinds: Mapping[str, pa.DataType]) -> pa.Table:
    """A part of the table, of which it is known what its columns are when they are given on."""
    table = _named(table, path)
    columns = [_as_kind(column, kinds[name]) for name, column in zip(table.column_names, table.columns, strict=True)]
    return pa.Table.from_arrays(columns, names=table.column_names)


def _named(table: pa.Table, path: Path) -> pa.Table:
    names = [name.strip() for name in table.column_names]
    for name, column in zip(names, table.columns, strict=True):
        if pa.types.is_binary(column.type):
            raise EncodingError(f"column {name!r} of {str(path)!r} is not UTF-8 text: save the file as UTF-8")
    return table.rename_columns(names)


def _as_kind(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
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
    plain = pc.replace_substring(column, ",", "")
    try:
        return plain.cast(pa.int64())
    except pa.ArrowInvalid:
        return plain.cast(pa.float64())


def first_lines(path: Path) -> list[str]:
    """The first lines that are not blank: the header whole however long, and those that follow as far as sampled."""
    with open(path, "rb") as file:
        data = file.read(_SAMPLE)
        more = data
        while more and len(data.lstrip().splitlines()) < 3:  # a header of 10^6 names is longer than the sample
            more = file.read(len(data))
            data += more
        whole = not file.read(1)
    try:
        text = data.decode("utf-8-sig", errors="strict" if whole else "ignore")
    except UnicodeDecodeError:
        text = data.decode("utf-8-sig", errors="replace")
    lines = [line for line in re.split(r"\r\n|\n|\r", text) if line.strip()]
    if lines and "\N{REPLACEMENT CHARACTER}" in lines[0]:
        raise EncodingError(f"the header of {str(path)!r} is not UTF-8 text: save the file as UTF-8")
    return lines if whole or len(lines) < 3 else lines[:-1]


def _outside_quotes(line: str) -> str:
    return re.sub(r'"[^"]*"', "", line)


def told_delimiter(lines: list[str], path: Path) -> str:
    """The delimiter whose number agrees in the first two lines, and of several the most frequent in the header."""
    header = _outside_quotes(lines[0])
    second = _outside_quotes(lines[1]) if len(lines) > 1 else header
    counts = {mark: header.count(mark) for mark in DELIMITERS if mark in header}
    if not counts:
        kinds = ", ".join(DELIMITER_NAMES.values())
        raise DataError(
            f"{str(path)!r} is not a table with a target and features: no delimiter ({kinds}) in its first line "
            f"{one_line(lines[0])[:40]!r}"
        )
    by_ending = "\t" if path.suffix.lower() == ".tsv" else ","
    return max(counts, key=lambda mark: (second.count(mark) == counts[mark], counts[mark], mark == by_ending))


def _fields(line: str, delimiter: str, path: Path) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter))
    except csv.Error:  # of a name above the limit of Python's reader, the only one for a line without strict rules
        raise DataError(
            f"a name in the header of {str(path)!r} is longer than {csv.field_size_limit():,} characters: shorten it, "
            f"or close the quotation mark before it"
        ) from None


def _decimal_mark(lines: list[str], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    fields = [field.strip() for line in lines[1:] for field in line.split(delimiter)]
    comma = any(_DECIMAL_COMMA.fullmatch(field) for field in fields)
    return "," if comma and not any(_DECIMAL_POINT.fullmatch(field) for field in fields) else "."


def _parse(path: Path, layout: TextLayout) -> pa.Table:
    def attempt(newlines_in_values: bool, handler: Handler | None) -> pa.Table:
        options = layout.options(least_block=1 << 20, newlines_in_values=newlines_in_values, handler=handler)
        if path.stat().st_size < _SMALL:
            options["read_options"].use_threads = False
        return arrow_csv.read_csv(native_file(path), **options)

    has_quotes, odd_quotes = quotes(path)
    try:
        table = attempt(False, None)
    except pa.ArrowInvalid:
        # Once more, slowly: line breaks inside quotes are allowed, and a bad row is told with its number. It is told
        # as text, which it must be.
        _check_text(path)
        bad = BadRows()
        try:
            table = attempt(has_quotes, bad)
        except pa.ArrowInvalid as error:
            raise DataError(bad.why(path, error)) from None
    if odd_quotes:
        check_quotes(path, layout.delimiter)
    return table


class BadRows(list["arrow_csv.InvalidRow"]):
    """The rows that pyarrow could not take, of which the first ends the reading."""

    def __call__(self, row: arrow_csv.InvalidRow) -> str:
        """Keep a row."""
        self.append(row)
        return "error"

    def why(self, path: Path, error: pa.ArrowInvalid) -> str:
        """The line that says why a file could not be read."""
        return _why(path, self, error)


def check_quotes(path: Path, delimiter: str) -> None:
    """Refuse a file with an odd number of quotation marks that ends inside a quoted value."""
    if _quote_left_open(path, delimiter):
        raise DataError(f"{str(path)!r} ends inside a quoted value: close the quotation mark or delete the broken row")


def _check_text(path: Path) -> None:
    """Refuse a file that is not UTF-8 text, with the line that is not."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines, block = 1, b"more"
    with open(path, "rb") as file:
        while block:
            block = file.read(1 << 20)
            try:
                decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                lines += error.object[: error.start].count(b"\n")
                what = f"line {lines:,} of {str(path)!r} is not UTF-8 text: save the file as UTF-8"
                raise EncodingError(what) from None
            lines += block.count(b"\n")


def _why(path: Path, bad: list[arrow_csv.InvalidRow], error: pa.ArrowInvalid) -> str:
    if not bad:
        return f"cannot read {str(path)!r} as text: {one_line(error)}"
    row = bad[0]
    place = f"row {row.number:,}" if row.number is not None else "a row"
    with open(path, "rb") as file:
        tail = len(row.text.encode()) + 8
        file.seek(max(0, os.path.getsize(path) - tail))
        last = file.read().rstrip().endswith(row.text.rstrip().encode())
    which = f"{place}, the last one," if last else f"{place} (the header is row 1)"
    return (
        f"{which} of {str(path)!r} has {row.actual_columns:,} fields where the header has {row.expected_columns:,}: "
        f"complete or delete it"
    )


def quotes(path: Path) -> tuple[bool, bool]:
    """Whether the file has quotation marks, and whether their number is odd."""
    number = 0
    with open(path, "rb") as file:
        while block := file.read(1 << 24):
            number += block.count(b'"')
    return number > 0, number % 2 == 1


def _quote_left_open(path: Path, delimiter: str) -> bool:
    """Whether the file ends inside quotes; pyarrow reads such a file to the end as one value and says nothing."""
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        try:
            for _ in csv.reader(file, delimiter=delimiter, strict=True):
                pass
        except csv.Error as error:
            # a value above the limit of Python's reader is the rest of a long file
            return any(sign in str(error) for sign in ("unexpected end of data", "larger than field limit"))
    return False
