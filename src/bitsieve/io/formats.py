"""The formats of table files: how each is recognised, read and written. This is the only list of them."""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain, product
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.errors import DataError

if TYPE_CHECKING:
    from bitsieve.io.column_file import ColumnFile, InputFile
    from bitsieve.io.npz import ArrayFile

N_FIRST_BYTES = 1 << 16  # the format of a file is recognised by so many first bytes
_N_BINARY_BYTES = 4096  # a file with a zero byte among so many first bytes is no text
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # the first bytes of a text of UTF-16
ZIP = b"PK\x03\x04"  # the first bytes of a zip archive
BROKEN_ZIP = (zipfile.BadZipFile, RuntimeError, ValueError, struct.error)
WORKBOOKS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")  # members of Excel's and of OpenDocument's archives


@dataclass(frozen=True, eq=False)
class Format:
    """A format of table files."""

    key: str  # its name in the code
    title: str = ""  # its name in the list of formats that are read; empty: it is not listed
    first_bytes: tuple[bytes, ...] = ()  # a file of this format begins with one of these
    members: tuple[str, ...] = ()  # a zip archive of this format holds a file of one of these names
    #: ``recognizes(path, head)``: whether a file that begins with ``head`` is of this format. The path may be that of
    #: a compressed file, and ``head`` the beginning of what is in it.
    recognizes: Callable[[Path, bytes], bool] | None = None
    is_text: bool = False
    #: "module:class", a :class:`ColumnFile` or an :class:`ArrayFile`, made with ``(file, diagnostics, key)``; empty:
    #: not read
    reader: str = ""
    refusal: str = ""  # what a file is and what to do, where such files are recognised but not read
    holds_tables: bool = False  # whether a path may name a table in the file, as in ``sales.duckdb/orders``
    is_database: bool = False  # whether the rows can be counted where they are
    folder_endings: tuple[str, ...] = ()  # files with these endings in a folder are read as one table
    #: "module:function" by ending, which writes a table to an open file: ``write(table, file, target)``
    writers: Mapping[str, str] = field(default_factory=dict)
    #: "module:function" by ending, which opens a writer of batches: ``open_writer(file, schema)``
    batch_writers: Mapping[str, str] = field(default_factory=dict)

    def open(self, file: InputFile, diagnostics: list[Diagnostic]) -> ColumnFile | ArrayFile:
        """Open a file of this format. What is noticed is appended to ``diagnostics``."""
        if not self.reader:
            raise DataError(
                code="cannot-read",
                message=f"{file.label} is {self.refusal}",
            )
        opened: ColumnFile | ArrayFile = _named(self.reader)(file, diagnostics, self.key)
        return opened


def _named(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def _members(path: Path, head: bytes) -> frozenset[str]:
    """The names of the files in a zip archive; none for another file, or a broken one."""
    if head.startswith(ZIP):
        with suppress(*BROKEN_ZIP), zipfile.ZipFile(path) as archive:
            return frozenset(archive.namelist())
    return frozenset()


def _is_duckdb(path: Path, head: bytes) -> bool:
    return head[8:12] == b"DUCK"


# Comments, which begin with "%", and the line of the name
_ARFF = re.compile(rb"\s* (?: %[^\n]*\n \s* )* @relation\s", re.IGNORECASE | re.VERBOSE)


def _is_arff(path: Path, head: bytes) -> bool:
    return _ARFF.match(head) is not None


_LIBSVM_ENDINGS = (".libsvm", ".svmlight", ".svm")
_COMPRESSED_ENDINGS = (".gz", ".bz2", ".xz", ".zip")
# "1 3:0.5 7:1 # comment"
_LIBSVM_ROW = re.compile(
    rb"""
    [^\s,;:]+                 # the label
    (\s+ qid:\d+)?            # the query, which is passed over
    (\s+ \d+:[^\s:,;]+)+      # column:value
    \s* (\#.*)?
    """,
    re.VERBOSE,
)


def has_libsvm_ending(path: Path) -> bool:
    """Whether a path has an ending of libsvm files, perhaps with that of a compression behind it."""
    is_compressed = path.suffix.lower() in _COMPRESSED_ENDINGS
    name = path.with_suffix("") if is_compressed else path
    return name.suffix.lower() in _LIBSVM_ENDINGS


def _is_libsvm(path: Path, head: bytes) -> bool:
    """Whether a text file holds sparse rows: by its ending, or by its first row."""
    if has_libsvm_ending(path):
        return True
    lines = [line.strip() for line in head.splitlines()]
    rows = [line for line in lines if line and not line.startswith(b"#")]
    return len(rows) > 0 and _LIBSVM_ROW.fullmatch(rows[0]) is not None


def _is_json(path: Path, head: bytes) -> bool:
    """Whether a text file begins as an object, or as a list of objects."""
    tokens = head.removeprefix(b"\xef\xbb\xbf").split()
    return b"".join(tokens[:3]).startswith((b'{"', b"[{", b"{}"))


# Old files of Stata begin with the version and the order of bytes.
_OLD_STATA = tuple(bytes([version, order, 1, 0]) for version, order in product((113, 114, 115), (1, 2)))
FORMATS: tuple[Format, ...] = (
    Format(
        "parquet",
        title="Parquet",
        first_bytes=(b"PAR1",),
        reader="bitsieve.io.parquet:ParquetFile",
        folder_endings=(".parquet", ".pq"),
        writers={".parquet": "bitsieve.io.write:write_parquet"},
        batch_writers={".parquet": "bitsieve.io.write:open_parquet"},
    ),
    Format(
        "text",
        title="CSV, TSV",
        is_text=True,
        reader="bitsieve.io.text:DelimitedFile",
        folder_endings=(".csv", ".tsv", ".txt"),
        writers={".csv": "bitsieve.io.write:write_csv", ".tsv": "bitsieve.io.write:write_tsv"},
        batch_writers={".csv": "bitsieve.io.write:open_csv", ".tsv": "bitsieve.io.write:open_tsv"},
    ),
    Format("libsvm", title="libsvm", is_text=True, recognizes=_is_libsvm, reader="bitsieve.io.libsvm:LibsvmFile"),
    Format("json", title="JSON lines", is_text=True, recognizes=_is_json, reader="bitsieve.io.text:JsonFile"),
    Format(
        "arrow",
        title="Arrow/Feather",
        first_bytes=(b"ARROW1",),
        reader="bitsieve.io.arrow:ArrowFile",
        folder_endings=(".arrow", ".feather", ".ipc", ".arrows"),
        writers={".arrow": "bitsieve.io.write:write_arrow", ".feather": "bitsieve.io.write:write_arrow"},
        batch_writers={".arrow": "bitsieve.io.write:open_arrow", ".feather": "bitsieve.io.write:open_arrow"},
    ),
    Format("stream", first_bytes=(b"\xff\xff\xff\xff",), reader="bitsieve.io.arrow:ArrowFile"),
    Format("feather1", first_bytes=(b"FEA1",), refusal="a Feather file of version 1: write it again with version 2"),
    Format("orc", title="ORC", first_bytes=(b"ORC",), reader="bitsieve.io.orc:OrcFile", folder_endings=(".orc",)),
    Format(
        "excel",
        title="Excel",
        first_bytes=(b"\xd0\xcf\x11\xe0",),
        members=WORKBOOKS,
        reader="bitsieve.io.excel:ExcelFile",
        holds_tables=True,
    ),
    Format(
        "npz",
        title=".npz",
        first_bytes=(ZIP, b"PK\x05\x06"),
        reader="bitsieve.io.npz:NpzFile",
        writers={".npz": "bitsieve.io.write:write_npz"},
    ),
    Format(
        "npy", title=".npy", first_bytes=(b"\x93NUMPY",), reader="bitsieve.io.npy:NpyFile", folder_endings=(".npy",)
    ),
    Format(
        "dta",
        title="Stata",
        first_bytes=(b"<stata_dta>", *_OLD_STATA),
        reader="bitsieve.io.statistics:StataFile",
    ),
    Format(
        "sas7bdat",
        title="SAS",
        first_bytes=(bytes(12) + b"\xc2\xea\x81\x60",),
        reader="bitsieve.io.statistics:SasFile",
    ),
    Format("xport", first_bytes=(b"HEADER RECORD*******LIB",), reader="bitsieve.io.statistics:SasTransportFile"),
    Format("sav", title="SPSS", first_bytes=(b"$FL",), reader="bitsieve.io.statistics:SpssFile"),
    Format("arff", title="ARFF", recognizes=_is_arff, reader="bitsieve.io.arff:ArffFile"),
    Format(
        "sqlite",
        title="SQLite",
        first_bytes=(b"SQLite format 3",),
        reader="bitsieve.io.database:DatabaseFile",
        holds_tables=True,
        is_database=True,
    ),
    Format(
        "duckdb",
        title="DuckDB",
        recognizes=_is_duckdb,
        reader="bitsieve.io.database:DatabaseFile",
        holds_tables=True,
        is_database=True,
    ),
    Format("h5ad", title=".h5ad", first_bytes=(b"\x89HDF",), reader="bitsieve.io.h5ad:H5adFile", holds_tables=True),
    Format("plink", first_bytes=(b"l\x1b\x01",), reader="bitsieve.io.plink:PlinkFile"),
)
_NOT_READ = {  # the first bytes of files that are often given in place of a table
    b"PARE": "an encrypted Parquet file",
    b"\x1f\x8b": "compressed with gzip (decompress it first)",
    b"BZh": "compressed with bzip2 (decompress it first)",
    b"\xfd7zXZ": "compressed with xz (decompress it first)",
    b"\x28\xb5\x2f\xfd": "compressed with zstd (decompress it first)",
    b"%PDF": "a PDF document",
    b"RDX": "a file of R (save its table as CSV)",
}


def readable_formats() -> str:
    """The formats that are read, as a sentence."""
    titles = [format.title for format in FORMATS if format.title]
    return f"{', '.join(titles[:-1])} and {titles[-1]} files are read"


def folder_endings() -> tuple[str, ...]:
    """The endings of files that are read in a folder."""
    return tuple(chain.from_iterable(format.folder_endings for format in FORMATS))


def written_endings() -> tuple[str, ...]:
    """The endings of files that are written."""
    return tuple(chain.from_iterable(format.writers for format in FORMATS))


def writer_of(ending: str) -> Callable[[Any, IO[bytes], str], None]:
    """The function that writes files of an ending, one of :func:`written_endings`."""
    names: dict[str, str] = {}
    for format in FORMATS:
        names.update(format.writers)
    writer: Callable[[Any, IO[bytes], str], None] = _named(names[ending])
    return writer


def batch_writer_of(ending: str) -> Callable[[IO[bytes], Any], AbstractContextManager[Any]] | None:
    """What opens a writer of batches for files of an ending; None for a format that is written at once."""
    names: dict[str, str] = {}
    for format in FORMATS:
        names.update(format.batch_writers)
    if ending not in names:
        return None
    open_writer: Callable[[IO[bytes], Any], AbstractContextManager[Any]] = _named(names[ending])
    return open_writer


def format_of(path: Path, label: str | None = None) -> Format:
    """The format of a file, by its content."""
    with open(path, "rb") as file:
        head = file.read(N_FIRST_BYTES)
    return format_of_head(path, head, repr(str(path)) if label is None else label, _members(path, head))


def format_of_head(path: Path, head: bytes, label: str, members: frozenset[str] = frozenset()) -> Format:
    """The format of a file, or of what is compressed in it.

    ``head`` are its first :data:`N_FIRST_BYTES`, and ``members`` the names of the files in a zip archive.
    """
    if not head:
        raise DataError(
            code="empty-data",
            message=f"{label} is empty",
            advice=f"{readable_formats()}",
        )
    for first_bytes, what in _NOT_READ.items():
        if head.startswith(first_bytes):
            raise DataError(
                code="not-a-table",
                message=f"{label} is {what}",
                advice=f"{readable_formats()}",
            )
    for format in FORMATS:
        if not format.is_text and _is_of(format, path, head, members):
            return format
    if b"\0" in head[:_N_BINARY_BYTES] and not head.startswith(_UTF_16):
        raise DataError(
            code="not-a-table",
            message=f"{label} is not a table",
            advice=f"{readable_formats()}",
        )
    for format in FORMATS:
        if format.is_text and _is_of(format, path, head, members):
            return format
    return next(format for format in FORMATS if format.key == "text")  # whatever else is text


def _is_of(format: Format, path: Path, head: bytes, members: frozenset[str]) -> bool:
    if head.startswith(format.first_bytes) or not members.isdisjoint(format.members):
        return True
    return format.recognizes is not None and format.recognizes(path, head)
