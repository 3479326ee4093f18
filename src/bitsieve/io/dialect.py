"""How a file of text is laid out: encoding, comments, delimiter, decimal mark, names, and where its rows end."""

from __future__ import annotations

import csv
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import IO

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.errors import DataError, is_number
from bitsieve.io.notes import columns_renamed, comments_left_out, no_names, not_utf8
from bitsieve.io.parts import line_starts
from bitsieve.utils.messages import one_line, quoted

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
#: Markers of a missing value: those of pandas and "?", the marker of the UCI repository.
MISSING = (
    *("", "?", "NA", "N/A", "n/a", "<NA>", "#N/A", "#N/A N/A", "#NA", "NULL", "null", "None"),
    *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
MARKERS = (*MISSING, *(f" {marker}" for marker in MISSING if marker))  # as a blank behind the delimiter leaves them
BOM = b"\xef\xbb\xbf"  # what some programs write before the header
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_COMMENTS = (b"#", b"%")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
_DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+")
_LINE_END, _BLANK = re.compile(r"\r\n|\n|\r"), re.compile(r"[^\S\r\n]*(?:\r\n|\n|\r)")
_QUOTED = re.compile(r'"[^"]*"')
_SAMPLE = 1 << 16
_ROWS_SAMPLE = 1 << 18  # bytes of rows in which codes are looked for
_FEW_ROWS = 8
_CODE = r"(?:0[0-9]+|\+[0-9]{8,})"  # digits that are no number: a zip code, a phone number
_LONGEST = 1 << 30  # bytes of a row


class NotUtf8(Exception):
    """A file of text is not UTF-8: it is to be read once more, as another encoding."""


@dataclass(frozen=True)
class Layout:
    """The layout of a file of text, found in its first lines."""

    names: list[str]  # each once
    delimiter: str
    decimal_mark: str
    start: int  # the byte at which the rows begin
    line_length: int  # of the longest of the first lines
    codes: frozenset[str]  # columns of digits some of which are codes, so all are text
    fractions: frozenset[str]  # columns that are numbers with a fraction, or else text

    @classmethod
    def of(cls, path: Path, label: str, header: bool | None, diagnostics: list[Diagnostic]) -> Layout:
        """Look at the first lines of a file of UTF-8, which messages call ``label``."""
        data, text, begin = _sample(path)
        lines = [line for line in _LINE_END.split(text) if line.strip()]
        if not lines:
            raise DataError(
                code="empty-data",
                message=f"{label} is empty",
                advice="a table needs a header line and rows",
            )
        if lines[0].encode() not in data:
            raise NotUtf8
        bare = _LINE_END.split(_QUOTED.sub("", text)) if lines[0].count('"') % 2 else lines  # a name of several lines
        delimiter = _delimiter([line for line in bare if line.strip()], label, is_tsv=path.suffix.lower() == ".tsv")
        row = _patterns(delimiter)[0].match(text[begin:].encode())
        line = row[0].decode() if row else lines[0]
        names = _fields(line, delimiter, label)
        if header is None and _looks_like_data(names):
            # two values of one parameter, so that neither is a fix
            raise DataError(
                code="header-unclear",
                message=f"the first line of {label} looks like data and not like names ({quoted(names, 3)})",
                advice="add {header} if it is data; if it has the names, give {header} the other value",
                fix={"header": False},
            )
        n_bytes = len(text[:begin].encode()) + len(BOM) * data.startswith(BOM)
        if header is False:
            diagnostics.append(no_names(len(names)))
            names = [f"x{j}" for j in range(len(names))]
        else:
            names, lines = unique_names(names, diagnostics), lines[1:]
            n_bytes += len(line.encode())
        length, decimal_mark = max(map(len, [line, *lines[:1]])), _decimal_mark(lines, delimiter)
        with open(path, "rb") as file:
            file.seek(n_bytes)
            first = file.read(max(_ROWS_SAMPLE, 2 * length)).decode(errors="replace")
        codes, fractions = _codes(first, delimiter, names), _fractions(first, delimiter, decimal_mark, names)
        return cls(names, delimiter, decimal_mark, n_bytes, length, codes, fractions)

    def starts(self, path: Path, size: int, label: str, *, has_quotes: bool) -> list[int]:
        """Where ranges of whole rows of about ``size`` bytes begin, and where the last one ends."""
        if not has_quotes:
            return line_starts(path, self.start, size)
        starts, end = [self.start], path.stat().st_size
        with open(path, "rb") as file:
            while starts[-1] < end:
                starts.append(self._row_end(file, starts[-1], size, label))
        return starts

    def _row_end(self, file: IO[bytes], first: int, size: int, label: str) -> int:
        """Where the last whole row of about ``size`` bytes ends; every quoted value is gone through."""
        _, whole_rows, last_row = _patterns(self.delimiter)
        while True:
            file.seek(first)
            text = file.read(size)
            at_end = len(text) < size or not file.read(1)
            found = whole_rows.match(text)
            n_whole = found.end() if found is not None else 0
            if at_end:
                if n_whole < len(text) and not last_row.fullmatch(text, n_whole):
                    raise DataError(
                        code="malformed-row",
                        message=f"{label} ends inside a quoted value",
                        advice="close the quotation mark or delete the broken row",
                    )
                return first + len(text)
            if n_whole:
                return first + n_whole
            if size > _LONGEST:
                raise DataError(
                    code="malformed-row",
                    message=f"{label} has a row of more than {_LONGEST:,} bytes",
                    advice="close its quotation mark",
                )
            size *= 2


def _codes(text: str, delimiter: str, names: list[str]) -> frozenset[str]:
    """The columns that hold codes in the first rows, such as digits with a leading zero."""
    mark = re.escape(delimiter)
    if re.search(rf'(?:^|[{mark}\r\n"]){_CODE}(?:$|[{mark}\r\n"])', text) is None:
        return frozenset()
    columns = _values(text, delimiter, names, None)
    return frozenset(name for name, values in columns if any(re.fullmatch(_CODE, value) for value in values))


def _fractions(text: str, delimiter: str, decimal_mark: str, names: list[str]) -> frozenset[str]:
    """The columns that hold numbers with a fraction in the first rows, whose type is looked for among fewer."""
    fraction = (_DECIMAL_COMMA if decimal_mark == "," else _DECIMAL_POINT).fullmatch
    columns = _values(text, delimiter, names, _FEW_ROWS)
    return frozenset(
        name
        for name, values in columns
        if any(map(fraction, values)) and all(fraction(value) or is_number(value) for value in values)
    )


def _values(text: str, delimiter: str, names: list[str], n: int | None) -> Iterable[tuple[str, tuple[str, ...]]]:
    """The columns in the first ``n`` rows of some text, or in all."""
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    try:
        whole = [row for row in islice(rows, n) if len(row) == len(names)]
    except csv.Error:  # refused once the rows are parsed
        return ()
    return zip(names, zip(*whole, strict=True), strict=False)


@cache
def _patterns(delimiter: str) -> tuple[re.Pattern[bytes], re.Pattern[bytes], re.Pattern[bytes]]:
    """The first row with its end; all whole rows; a row without an end. Values are quoted from a field's start on."""
    mark = re.escape(delimiter.encode())
    other, end = rb"[^" + mark + rb"\r\n]*+", rb"(?:\r\n|\r|\n)"
    field = rb'(?:"[^"]*+(?:""[^"]*+)*+"' + other + rb'|(?!")' + other + rb")"
    row = rb"(?>" + field + mark + rb")*+" + field
    return re.compile(row + rb"(?:" + end + rb"|\Z)"), re.compile(rb"(?:" + row + end + rb")*+"), re.compile(row)


def in_utf8(path: Path, folder: Path, diagnostics: list[Diagnostic]) -> Path:
    """A copy of a text file that is not UTF-8: of UTF-16 with a mark at its start, or of cp1252 or latin-1."""
    with open(path, "rb") as file:
        encoding = "utf-16" if file.read(2) in UTF_16 else _western(path)
    copied = folder / f"{path.name}.utf8{path.suffix}"
    with open(path, encoding=encoding, newline="") as given, open(copied, "w", encoding="utf-8", newline="") as file:
        shutil.copyfileobj(given, file, 1 << 20)
    diagnostics.append(not_utf8(encoding))
    return copied


def _western(path: Path) -> str:
    unknown = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])  # bytes that cp1252 does not know
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            if block.translate(None, unknown) != block:
                return "latin-1"
    return "cp1252"


def begins_with_comments(path: Path) -> bytes | None:
    """The mark of the comment lines with which a file begins."""
    with open(path, "rb") as file:
        start = file.read(_SAMPLE).removeprefix(BOM).lstrip()
    mark = next((mark for mark in _COMMENTS if start.startswith(mark)), None)
    first, second = [*start.splitlines(), b"", b""][:2]
    if mark is None or second.lstrip().startswith(mark) or first[1:2].isspace():
        return mark
    return None if _names_columns(first, second, mark) else mark  # a header whose first name begins with it


def without_comments(path: Path, folder: Path, mark: bytes, diagnostics: list[Diagnostic]) -> Path:
    """A copy without comment lines; a header behind the mark of the last one before the rows is kept."""
    copied = folder / f"{path.name}.rows{path.suffix}"
    comments, last, began = 0, b"", False
    with open(path, "rb") as given, open(copied, "wb") as file:
        for line in given:
            if line.removeprefix(BOM).lstrip().startswith(mark):
                comments, last = comments + 1, line
                continue
            if not began and line.strip():
                began = True
                if _names_columns(last, line, mark):
                    file.write(last.replace(mark, b"", 1).lstrip())
                    comments -= 1
            file.write(line)
    if comments:
        diagnostics.append(comments_left_out(comments, mark.decode()))
    return copied


def _names_columns(comment: bytes, row: bytes, mark: bytes) -> bool:
    """Whether a comment line has as many fields as the row below it, and none of them is a number."""
    for delimiter in (b",", b"\t", b";", b"|"):
        if row.count(delimiter) and comment.count(delimiter) == row.count(delimiter):
            fields = comment.lstrip().removeprefix(mark).decode(errors="replace").split(delimiter.decode())
            return not any(is_number(field) for field in fields)
    return False


def _sample(path: Path) -> tuple[bytes, str, int]:
    """The first lines, the header whole however long it is, and the place where the first that is not blank begins."""
    with open(path, "rb") as file:
        data = file.read(_SAMPLE)
        more = data
        while more and len(data.lstrip().splitlines()) < 3:  # a header of 10^6 names is longer than the sample
            more = file.read(len(data))
            data += more
        whole = not file.read(1)
    data = data if whole else data[: max(data.rfind(b"\n"), data.rfind(b"\r")) + 1]
    text = data.decode("utf-8-sig", errors="replace")
    begin = 0
    while blank := _BLANK.match(text, begin):
        begin = blank.end()
    return data, text, begin


def _delimiter(lines: list[str], label: str, *, is_tsv: bool) -> str:
    """The delimiter whose number agrees in the first two lines, and of several the most frequent in the header."""
    header, second = (_QUOTED.sub("", line) for line in (lines[0], lines[min(1, len(lines) - 1)]))
    counts = {mark: header.count(mark) for mark in DELIMITERS if mark in header}
    if not counts:
        kinds = ", ".join(DELIMITERS.values())
        with_commas = "put commas in place of the blanks, such as by sed -E 's/^ +//; s/ +$//; s/ +/,/g'"
        raise DataError(
            code="not-a-table",
            message=(
                f"{label} is not a table with a target and features: no delimiter ({kinds}) in its first line "
                f"{one_line(lines[0])[:40]!r}"
            ),
            advice=with_commas if " " in lines[0].strip() else "",
        )
    by_ending = "\t" if is_tsv else ","
    return max(counts, key=lambda mark: (second.count(mark) == counts[mark], counts[mark], mark == by_ending))


def _fields(line: str, delimiter: str, label: str) -> list[str]:
    """The fields of the header without white space around them, which is layout."""
    try:
        found = next(row for row in csv.reader(StringIO(line, newline=""), delimiter=delimiter) if row)
    except csv.Error:  # of a name above the limit of Python's reader, the only one for a line without strict rules
        raise DataError(
            code="malformed-row",
            message=f"a name in the header of {label} is longer than {csv.field_size_limit():,} characters",
            advice="shorten it, or close the quotation mark before it",
        ) from None
    return [name.strip() for name in found]


def _decimal_mark(rows: list[str], delimiter: str) -> str:
    """A comma where the delimiter is another one, a number of these rows has a comma, and none has a point."""
    if delimiter == ",":
        return "."
    fields = [field.strip() for row in rows for field in row.split(delimiter)]
    comma = any(_DECIMAL_COMMA.fullmatch(field) for field in fields)
    return "," if comma and not any(_DECIMAL_POINT.fullmatch(field) for field in fields) else "."


def _looks_like_data(names: list[str]) -> bool:
    """Whether most names repeat, or half of them or more are numbers other than 0, 1, 2, ... or 1, 2, 3, ..."""
    numbers = [name for name in names if is_number(name)]
    if len(names) >= 4 and 2 * len(set(names)) <= len(names):
        return True
    counted = [[str(j) for j in range(start, start + len(numbers))] for start in (0, 1)]
    return 2 * len(numbers) >= len(names) and numbers not in counted


def unique_names(names: list[str], diagnostics: list[Diagnostic]) -> list[str]:
    """The names, where one occurs again with ``.1``, ``.2``, ... behind it."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if not twice:
        return names
    taken, seen, unique = set(names), Counter[str](), []
    for name in names:
        again = name
        while seen[name] and again in taken:
            again = f"{name}.{seen[name]}"
            seen[name] += again in taken
        seen[name] += 1
        taken.add(again)
        unique.append(again)
    renamed = [new for old, new in zip(names, unique, strict=True) if old != new]
    diagnostics.append(columns_renamed(twice, renamed))
    return unique
