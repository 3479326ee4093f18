"""Any file as one that the readers read: decompressed, UTF-8, without comment lines, with a header line of names.

What had to be changed goes to a temporary copy, and a note says so.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import shutil
import struct
import sys
import zipfile
import zlib
from collections import Counter
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

from bitsieve.common.messages import Sentence, Setting, one_line, quoted
from bitsieve.files.errors import DataError
from bitsieve.files.text import first_lines, told_delimiter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STANDARD_INPUT = "-"
_OPENERS: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_COMMENTS = (b"#", b"%")


def decompressed(path: Path, folder: Path) -> Path:
    """The file itself, or a copy in ``folder``: of standard input, or of the one file in a compressed one.

    Raises
    ------
    DataError
        The file is broken, or holds several files.
    """
    if str(path) == STANDARD_INPUT:
        copied = folder / "standard input.given"  # not the name that its own decompressed copy gets
        with open(copied, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        return decompressed(copied, folder)
    with open(path, "rb") as file:
        head = file.read(8)
    opener = next((opener for mark, opener in _OPENERS.items() if head.startswith(mark)), None)
    copied = folder / (path.stem or "data")
    try:
        if opener is not None:
            with opener(path, "rb") as packed, open(copied, "wb") as file:
                shutil.copyfileobj(packed, file, 1 << 20)
            return copied
        if head.startswith(b"PK\x03\x04"):
            return _unzipped(path, copied)
    except (EOFError, OSError, RuntimeError, lzma.LZMAError, zlib.error, zipfile.BadZipFile) as error:
        raise DataError(f"cannot decompress {str(path)!r}: {one_line(error)}") from None
    return path


def _unzipped(path: Path, copied: Path) -> Path:
    """The one file of an archive; an archive of arrays (.npz), or a broken one, is left to its own reader."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, RuntimeError, ValueError, struct.error):
        return path
    with archive:
        names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX")]
        if not names or any(name.endswith(".npy") for name in names):
            return path
        if len(names) > 1:
            raise DataError(f"{str(path)!r} holds {len(names):,} files ({quoted(names)}): give one of them")
        with archive.open(names[0]) as packed, open(copied, "wb") as file:
            shutil.copyfileobj(packed, file, 1 << 20)
    return copied


def in_utf8(path: Path, folder: Path, notes: list[str]) -> Path:
    """A copy of a text file that is not UTF-8: of UTF-16 with a mark at its start, or of cp1252 or latin-1."""
    with open(path, "rb") as file:
        encoding = _MARKS.get(file.read(2)) or _western(path)
    copied = folder / f"{path.name}.utf8"
    with open(path, encoding=encoding, newline="") as given, open(copied, "w", encoding="utf-8", newline="") as file:
        shutil.copyfileobj(given, file, 1 << 20)
    notes.append(f"the file is not UTF-8 text: read as {encoding}; save it as UTF-8 if letters look wrong")
    return copied


def _western(path: Path) -> str:
    unknown = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])  # bytes that cp1252 does not know
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            if block.translate(None, unknown) != block:
                return "latin-1"
    return "cp1252"


def without_comments(path: Path, folder: Path, notes: list[str]) -> Path:
    """A copy without comment lines, where the file begins with one; a header behind the mark of the last is kept."""
    with open(path, "rb") as file:
        start = file.read(1 << 16).removeprefix(b"\xef\xbb\xbf").lstrip()
    mark = next((mark for mark in _COMMENTS if start.startswith(mark)), None)
    if mark is None or _is_header(start.splitlines(), mark):
        return path
    copied = folder / f"{path.name}.rows"
    comments, last, began = 0, b"", False
    with open(path, "rb") as given, open(copied, "wb") as file:
        for line in given:
            if line.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(mark):
                comments, last = comments + 1, line
                continue
            if not began and line.strip():
                began = True
                if _names_columns(last, line, mark):
                    file.write(last.replace(mark, b"", 1).lstrip())
                    comments -= 1
            file.write(line)
    if comments:
        notes.append(f"{comments:,} comment line{'s' * (comments > 1)}, which begin with {mark.decode()!r}, left out")
    return copied


def _is_header(lines: list[bytes], mark: bytes) -> bool:
    """Whether the first line is a header whose first name begins with the mark of comments: the next line is a row."""
    if len(lines) < 2 or lines[1].lstrip().startswith(mark):
        return False
    return _names_columns(lines[0], lines[1], mark) and not lines[0].lstrip()[1:2].isspace()


def _names_columns(comment: bytes, row: bytes, mark: bytes) -> bool:
    """Whether a comment line has as many fields as the row below it, and none of them is a number."""
    for delimiter in (b",", b"\t", b";", b"|"):
        if row.count(delimiter) and comment.count(delimiter) == row.count(delimiter):
            fields = comment.lstrip().removeprefix(mark).decode(errors="replace").split(delimiter.decode())
            return not any(_is_number(field) for field in fields)
    return False


def with_names(path: Path, folder: Path, header: bool | None, notes: list[str]) -> Path:
    """A copy with a header line where the file has none, or one that names columns twice.

    Parameters
    ----------
    header : bool or None
        Whether the first line has the names; None: it has, unless it looks like data, which is an error.
    """
    lines = first_lines(path)
    if not lines:
        return path
    delimiter = told_delimiter(lines, path)
    try:
        names = [name.strip() for name in next(csv.reader([lines[0]], delimiter=delimiter))]
    except csv.Error:  # told by the reader
        return path
    if header is None and _looks_like_data(names):
        what = f"the first line of {str(path)!r} looks like data and not like names ({quoted(names, 3)}): add "
        raise DataError(
            Sentence(
                what, Setting("header", False), " if it is data, ", Setting("header", True), " if it has the names"
            )
        )
    if header is False:
        notes.append(f"the file has no names: its columns are x0 to x{len(names) - 1}")
        return _copied(path, folder, [f"x{j}" for j in range(len(names))], delimiter, drop_first=False)
    unique = unique_names(names, notes)
    return path if unique == names else _copied(path, folder, unique, delimiter, drop_first=True)


def unique_names(names: list[str], notes: list[str]) -> list[str]:
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
    notes.append(f"several columns are named {quoted(twice)}: the later ones are {quoted(renamed)} here")
    return unique


def _copied(path: Path, folder: Path, names: list[str], delimiter: str, *, drop_first: bool) -> Path:
    copied = folder / f"{path.name}.named"
    with (
        open(path, encoding="utf-8-sig", newline="") as given,
        open(copied, "w", encoding="utf-8", newline="") as file,
    ):
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerow(names)
        first = next(line for line in given if line.strip())
        rest: IO[str] | chain[str] = given if drop_first else chain([first], given)
        file.writelines(rest)
    return copied


def _looks_like_data(names: list[str]) -> bool:
    """Whether most names repeat, or half of them or more are numbers other than 0, 1, 2, ... or 1, 2, 3, ..."""
    numbers = [name for name in names if _is_number(name)]
    if len(names) >= 4 and 2 * len(set(names)) <= len(names):
        return True
    counted = [[str(j) for j in range(start, start + len(numbers))] for start in (0, 1)]
    return 2 * len(numbers) >= len(names) and numbers not in counted


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
