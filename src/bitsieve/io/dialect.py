"""The layout of a text file: encoding, comments, delimiter, decimal mark, names, and where its rows end."""

from __future__ import annotations

import csv
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from io import StringIO
from itertools import islice, pairwise
from pathlib import Path
from typing import IO, NamedTuple

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.column_file import line_range_offsets
from bitsieve.io.errors import DataError, are_numbers, is_number
from bitsieve.io.notes import columns_renamed, comments_left_out, no_names, not_utf8
from bitsieve.utils.messages import one_line, quoted
from bitsieve.utils.thousands import separates_thousands

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
#: Markers of a missing value: those of pandas and "?", the marker of the UCI repository.
MISSING = (
    *("", "?", "NA", "N/A", "n/a", "<NA>", "#N/A", "#N/A N/A", "#NA", "NULL", "null", "None"),
    *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
MARKERS = (*MISSING, *(f" {marker}" for marker in MISSING if marker))  # where a space follows the delimiter
BOM = b"\xef\xbb\xbf"  # what some programs write before the header
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_COMMENTS = (b"#", b"%")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
_DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+")
_LINE_END = re.compile(r"\r\n|\n|\r")
_BLANK_LINE = re.compile(r"[^\S\r\n]*(?:\r\n|\n|\r)")
_END_OF_LINE = rb"(?:\r\n|\r|\n)"
_LINE_OF_DELIMITER = re.compile(r'"?sep=[,;|\t]"?[;,|\t]*(?:\r\n|\n|\r)')  # "sep=;", which is for Excel
_QUOTED = re.compile(r'"[^"]*"')
_N_SAMPLE_BYTES = 1 << 16  # the layout of a file is found in so many first bytes
_N_ROW_BYTES = 1 << 18  # codes are searched in so many bytes of rows
_N_ROWS_OF_FRACTIONS = 8  # numbers with a fraction are searched in so many rows
MAX_TITLE_LINES = 20  # a row of names is searched in so many first lines
_CODE = r"(?:0[0-9]+|\+[0-9]{8,})"  # digits that are no number: a zip code, a phone number
_MAX_QUOTED_ROW_BYTES = 1 << 30  # a row with quoted values has at most so many bytes


class NotUtf8(Exception):
    """A text file is not UTF-8. It must be read again in another encoding."""


@dataclass(frozen=True)
class Layout:
    """The layout of a file of text, found in its first lines."""

    names: list[str]  # unique
    delimiter: str
    decimal_mark: str
    start: int  # the byte at which the rows begin
    line_length: int  # the length of the longest of the first lines
    texts: frozenset[str]  # columns read as text: of codes such as "007", and of numbers such as "1.330" and "447"
    fractions: frozenset[str]  # columns whose first values are numbers with a fraction; they are numbers or text

    @classmethod
    def of(cls, path: Path, label: str, header: bool | None, diagnostics: list[Diagnostic]) -> Layout:
        """Find the layout in the first lines of a file of UTF-8. Messages call it ``label``."""
        sample = _sample(path)
        data = sample.data
        text = sample.text
        lines = [line for line in _LINE_END.split(text[sample.begin :]) if line.strip()]
        if not lines:
            raise DataError(
                code="empty-data",
                message=f"{label} is empty",
                advice="a table needs a header line and rows",
            )
        if lines[0].encode() not in data:
            raise NotUtf8
        unquoted_lines = lines
        has_name_of_several_lines = lines[0].count('"') % 2 == 1
        if has_name_of_several_lines:
            unquoted_text = _QUOTED.sub("", text[sample.begin :])
            unquoted_lines = [line for line in _LINE_END.split(unquoted_text) if line.strip()]
        if header is None:
            n_lines_before = len(_LINE_END.findall(text[: sample.begin]))
            _refuse_title(_LINE_END.split(text[sample.begin :]), n_lines_before, label)
        delimiter = _delimiter(unquoted_lines, label, is_tsv=path.suffix.lower() == ".tsv")
        first_row = _first_row(text[sample.begin :].encode(), delimiter)
        header_line = lines[0] if first_row is None else first_row.decode()
        names = _fields(header_line, delimiter, label)
        if header is None and _looks_like_data(names):
            raise DataError(
                code="header-unclear",
                message=f"the first line of {label} looks like data and not like names ({quoted(names, 3)})",
                advice="add {header} if it is data, {header=True} if it has the names",
                fix={"header": False},
            )
        start = len(text[: sample.begin].encode())
        if data.startswith(BOM):
            start += len(BOM)
        rows = lines
        if header is False:
            diagnostics.append(no_names(len(names)))
            names = [f"x{j}" for j in range(len(names))]
        else:
            names = unique_names(names, diagnostics)
            rows = lines[1:]
            start += len(header_line.encode())
        line_length = max(len(line) for line in [header_line, *rows[:1]])
        decimal_mark = _decimal_mark(rows, delimiter)
        with open(path, "rb") as file:
            file.seek(start)
            first_rows = file.read(max(_N_ROW_BYTES, 2 * line_length)).decode(errors="replace")
        return cls(
            names=names,
            delimiter=delimiter,
            decimal_mark=decimal_mark,
            start=start,
            line_length=line_length,
            texts=_codes(first_rows, delimiter, names) | _thousands(first_rows, delimiter, decimal_mark, names),
            fractions=_fractions(first_rows, delimiter, decimal_mark, names),
        )

    def range_offsets(self, path: Path, size: int, label: str, *, has_quotes: bool) -> list[int]:
        """The offsets of ranges of complete rows of about ``size`` bytes; the last is the end."""
        if not has_quotes:
            return line_range_offsets(path, self.start, size)
        offsets = [self.start]
        end = path.stat().st_size
        with open(path, "rb") as file:
            while offsets[-1] < end:
                offsets.append(self._row_end(file, offsets[-1], size, label))
        return offsets

    def _row_end(self, file: IO[bytes], first: int, size: int, label: str) -> int:
        """The end of the last complete row within about ``size`` bytes. Line ends in quoted values end no row."""
        patterns = _row_patterns(self.delimiter)
        while True:
            file.seek(first)
            text = file.read(size)
            at_end = len(text) < size or not file.read(1)
            whole_rows = patterns.complete.match(text)
            n_whole = 0 if whole_rows is None else whole_rows.end()
            if at_end:
                if n_whole < len(text) and not patterns.without_end.fullmatch(text, n_whole):
                    what = "ends inside a quoted value: close the quotation mark or delete the broken row"
                    raise DataError(
                        code="malformed-row",
                        message=f"{label} {what}",
                    )
                return first + len(text)
            if n_whole:
                return first + n_whole
            if size > _MAX_QUOTED_ROW_BYTES:
                raise DataError(
                    code="malformed-row",
                    message=f"{label} has a row of more than {_MAX_QUOTED_ROW_BYTES:,} bytes",
                    advice="close its quotation mark",
                )
            size *= 2


def _codes(text: str, delimiter: str, names: list[str]) -> frozenset[str]:
    """The columns that hold codes in the first rows, such as digits with a leading zero."""
    mark = re.escape(delimiter)
    if re.search(rf'[{mark}\r\n"]{_CODE}(?:$|[{mark}\r\n"])', "\n" + text) is None:
        return frozenset()
    columns = _values(text, delimiter, names, None)
    columns_of_codes = set()
    for name, values in columns:
        if any(re.fullmatch(_CODE, value) for value in values):
            columns_of_codes.add(name)
    return frozenset(columns_of_codes)


def _thousands(text: str, delimiter: str, decimal_mark: str, names: list[str]) -> frozenset[str]:
    """The columns in whose first rows the decimal mark can only separate thousands."""
    mark = re.escape(delimiter)
    grouped = rf"[1-9][0-9]{{0,2}}{re.escape(decimal_mark)}[0-9]{{3}}"
    if re.search(rf'[{mark}\r\n"]{grouped}(?:$|[{mark}\r\n"])', "\n" + text) is None:
        return frozenset()
    complete_lines = text[: text.rfind("\n") + 1]
    columns = _values(complete_lines, delimiter, names, None)
    columns_of_thousands = set()
    for name, values in columns:
        if separates_thousands(decimal_mark, (value for value in values if value not in MARKERS)):
            columns_of_thousands.add(name)
    return frozenset(columns_of_thousands)


def _fractions(text: str, delimiter: str, decimal_mark: str, names: list[str]) -> frozenset[str]:
    """The columns that hold numbers with a fraction in the first rows. Fewer types are tried for them."""
    fraction = (_DECIMAL_COMMA if decimal_mark == "," else _DECIMAL_POINT).fullmatch
    columns = _values(text, delimiter, names, _N_ROWS_OF_FRACTIONS)
    columns_of_fractions = set()
    for name, values in columns:
        if not any(map(fraction, values)):
            continue
        # Most columns hold numbers as Python reads them; a decimal comma is none of these.
        if are_numbers(values) or all(is_number(value) or fraction(value) for value in values):
            columns_of_fractions.add(name)
    return frozenset(columns_of_fractions)


def _values(text: str, delimiter: str, names: list[str], n: int | None) -> Iterable[tuple[str, tuple[str, ...]]]:
    """The names and the values of the columns in the first ``n`` rows of a text; None for all rows."""
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    try:
        complete_rows = [row for row in islice(rows, n) if len(row) == len(names)]
    except csv.Error:  # refused once the rows are parsed
        return ()
    return zip(names, zip(*complete_rows, strict=True), strict=False)


class _RowPatterns(NamedTuple):
    """Regular expressions of several rows."""

    complete: re.Pattern[bytes]  # as many rows as have an end
    without_end: re.Pattern[bytes]  # one row


def _row(delimiter: str) -> bytes:
    """A regular expression of a row of fields, some of which may be quoted from their beginning on."""
    mark = re.escape(delimiter).encode()
    unquoted = rb"[^%b\r\n]*+" % mark
    quoted = rb'"[^"]*+(?:""[^"]*+)*+"'  # with a quotation mark inside written twice
    field = rb'(?:%b%b|(?!")%b)' % (quoted, unquoted, unquoted)
    return rb"(?>%b%b)*+%b" % (field, mark, field)


def _first_row(text: bytes, delimiter: str) -> bytes | None:
    """The first row of a text with its end, which may be that of the text; None where a quoted value has no end."""
    row = re.match(rb"%b(?:%b|\Z)" % (_row(delimiter), _END_OF_LINE), text)
    return None if row is None else row[0]


@cache
def _row_patterns(delimiter: str) -> _RowPatterns:
    row = _row(delimiter)
    return _RowPatterns(
        complete=re.compile(rb"(?:%b%b)*+" % (row, _END_OF_LINE)),
        without_end=re.compile(row),
    )


def is_utf_16(path: Path) -> bool:
    """Whether a file begins as a text of UTF-16."""
    with open(path, "rb") as file:
        return file.read(2) in UTF_16


def in_utf8(path: Path, folder: Path, diagnostics: list[Diagnostic]) -> Path:
    """Copy a text file to UTF-8, from UTF-16 if it begins with its mark, else from cp1252 or latin-1."""
    encoding = "utf-16" if is_utf_16(path) else _western_encoding(path)
    copy = folder / f"{path.name}.utf8{path.suffix}"
    with open(path, encoding=encoding, newline="") as source, open(copy, "w", encoding="utf-8", newline="") as file:
        shutil.copyfileobj(source, file, 1 << 20)
    diagnostics.append(not_utf8(encoding))
    return copy


def _western_encoding(path: Path) -> str:
    unknown = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])  # bytes that cp1252 does not have
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            if block.translate(None, unknown) != block:
                return "latin-1"
    return "cp1252"


def begins_with_comments(path: Path) -> bytes | None:
    """The mark of the comment lines at the beginning of a file; None where there are no comments."""
    with open(path, "rb") as file:
        start = file.read(_N_SAMPLE_BYTES).removeprefix(BOM).lstrip()
    mark = next((mark for mark in _COMMENTS if start.startswith(mark)), None)
    if mark is None:
        return None
    first, second, *_ = [*start.splitlines(), b"", b""]
    has_second_comment = second.lstrip().startswith(mark)
    has_space_behind_mark = first[1:2].isspace()
    is_header = not has_second_comment and not has_space_behind_mark and _names_columns(first, second, mark)
    return None if is_header else mark  # the first name of a header may begin with the mark


def without_comments(path: Path, folder: Path, mark: bytes, diagnostics: list[Diagnostic]) -> Path:
    """Copy a file without comment lines. If the last one before the rows holds the header, the header is kept."""
    copy = folder / f"{path.name}.rows{path.suffix}"
    n_comments = 0
    last_comment = b""
    rows_began = False
    with open(path, "rb") as source, open(copy, "wb") as file:
        for line in source:
            if line.removeprefix(BOM).lstrip().startswith(mark):
                n_comments += 1
                last_comment = line
                continue
            if not rows_began and line.strip():
                rows_began = True
                if _names_columns(last_comment, line, mark):
                    file.write(last_comment.replace(mark, b"", 1).lstrip())
                    n_comments -= 1
            file.write(line)
    if n_comments:
        diagnostics.append(comments_left_out(n_comments, mark.decode()))
    return copy


def _names_columns(comment: bytes, row: bytes, mark: bytes) -> bool:
    """Whether a comment line has as many fields as the row below it, and none of them is a number."""
    for delimiter in (b",", b"\t", b";", b"|"):
        if row.count(delimiter) and comment.count(delimiter) == row.count(delimiter):
            fields = comment.lstrip().removeprefix(mark).decode(errors="replace").split(delimiter.decode())
            return not any(is_number(field) for field in fields)
    return False


class _Sample(NamedTuple):
    """The first lines of a file."""

    data: bytes
    text: str
    begin: int  # where the first line begins in the text that is not blank and does not name the delimiter


def _sample(path: Path) -> _Sample:
    """Read the first lines, with the complete header, however long it is."""
    with open(path, "rb") as file:
        data = file.read(_N_SAMPLE_BYTES)
        block = data
        while block and len(data.lstrip().splitlines()) < 3:  # a header of 10^6 names is longer than the sample
            block = file.read(len(data))
            data += block
        is_whole_file = not file.read(1)
    if not is_whole_file:
        end_of_last_line = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        data = data[:end_of_last_line]
    text = data.decode("utf-8-sig", errors="replace")
    line_of_delimiter = _LINE_OF_DELIMITER.match(text)
    begin = 0 if line_of_delimiter is None else line_of_delimiter.end()
    while blank := _BLANK_LINE.match(text, begin):
        begin = blank.end()
    return _Sample(data, text, begin)


def _refuse_title(lines: list[str], n_lines_before: int, label: str) -> None:
    """Refuse a file whose first line has one field, such as a title, where a later line has several names."""
    first_line = next(line for line in lines if line.strip())
    has_one_field = all(sum(bool(field.strip()) for field in first_line.split(mark)) == 1 for mark in DELIMITERS)
    if not has_one_field or '"' in first_line:
        return
    for number, (line, next_line) in enumerate(pairwise(lines[:MAX_TITLE_LINES]), start=n_lines_before + 1):
        for mark in DELIMITERS:
            names = [field.strip() for field in line.split(mark)]
            if len(names) > 1 and all(names) and next_line.count(mark) == line.count(mark):
                title = first_line.strip("".join(DELIMITERS))
                raise DataError(
                    code="header-unclear",
                    message=f"{label} begins with {one_line(title)[:40]!r}, which is no row of names",
                    advice=f"delete the lines above line {number}, if that has the names, such as by tail -n +{number}",
                )


def _delimiter(lines: list[str], label: str, *, is_tsv: bool) -> str:
    """The delimiter that the first two lines have equally often; of several the most frequent one."""
    header = _QUOTED.sub("", lines[0])
    second = _QUOTED.sub("", lines[1]) if len(lines) > 1 else header
    counts = {mark: header.count(mark) for mark in DELIMITERS if mark in header}
    if not counts:
        kinds = ", ".join(DELIMITERS.values())
        how_to_mend = "put commas in place of the blanks, such as by sed -E 's/^ +//; s/ +$//; s/ +/,/g'"
        raise DataError(
            code="not-a-table",
            message=(
                f"{label} is not a table with a target and features: no delimiter ({kinds}) in its first line "
                f"{one_line(lines[0])[:40]!r}"
            ),
            advice=how_to_mend if " " in lines[0].strip() else "",
        )
    expected = "\t" if is_tsv else ","

    def preference(mark: str) -> tuple[bool, int, bool]:
        agrees = second.count(mark) == counts[mark]
        return agrees, counts[mark], mark == expected

    return max(counts, key=preference)


def _fields(line: str, delimiter: str, label: str) -> list[str]:
    """The fields of the header, without the white space around them."""
    try:
        fields = next(row for row in csv.reader(StringIO(line, newline=""), delimiter=delimiter) if row)
    except csv.Error:  # of a name above the limit of Python's reader, the only one for a line without strict rules
        raise DataError(
            code="malformed-row",
            message=f"a name in the header of {label} is longer than {csv.field_size_limit():,} characters",
            advice="shorten it, or close the quotation mark before it",
        ) from None
    return [name.strip() for name in fields]


def _decimal_mark(rows: list[str], delimiter: str) -> str:
    """ "," if the delimiter is another one, some number has a comma, and no number has a point; else "."."""
    if delimiter == ",":
        return "."
    fields: list[str] = []
    for row in rows:
        fields += [field.strip() for field in row.split(delimiter)]
    has_comma = any(_DECIMAL_COMMA.fullmatch(field) for field in fields)
    has_point = any(_DECIMAL_POINT.fullmatch(field) for field in fields)
    return "," if has_comma and not has_point else "."


def _looks_like_data(names: list[str]) -> bool:
    """Whether most names repeat, or half of them or more are numbers other than 0, 1, 2, ... or 1, 2, 3, ..."""
    numbers = [name for name in names if is_number(name)]
    if len(names) >= 4 and 2 * len(set(names)) <= len(names):
        return True
    from_0 = [str(j) for j in range(len(numbers))]
    from_1 = [str(j) for j in range(1, len(numbers) + 1)]
    return 2 * len(numbers) >= len(names) and numbers not in (from_0, from_1)


def unique_names(names: list[str], diagnostics: list[Diagnostic]) -> list[str]:
    """Make names unique: ``.1``, ``.2``, ... is appended to a name that occurs again."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if not repeated:
        return names
    taken = set(names)
    next_number = Counter[str]()  # to be put behind a name; 0 before the name was met
    unique = []
    for name in names:
        new_name = name
        while next_number[name] and new_name in taken:
            new_name = f"{name}.{next_number[name]}"
            if new_name in taken:
                next_number[name] += 1
        next_number[name] += 1
        taken.add(new_name)
        unique.append(new_name)
    renamed = [new for old, new in zip(names, unique, strict=True) if old != new]
    diagnostics.append(columns_renamed(repeated, renamed))
    return unique
