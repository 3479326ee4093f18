"""Files, folders and streams opened: the format is found in the content first, and only then in the ending."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import shutil
import stat
import struct
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bitsieve.diagnostics import Diagnostic, literal
from bitsieve.io.errors import DataError, file_and_inside, in_one_line, readable
from bitsieve.io.npz import ArrayFile, ArrayTable
from bitsieve.io.parts import ColumnParts, Copies, Given
from bitsieve.utils.messages import nearest, quoted, warn_of

if TYPE_CHECKING:
    import pyarrow as pa

READ = "CSV, TSV, JSON lines, Parquet, Arrow/Feather, ORC, libsvm, .npz, Excel, Stata, SAS, SPSS, ARFF, SQLite and \
DuckDB files are read"
STANDARD_INPUT = "-"
_OPENERS: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_FOREIGN_PARTS = "bitsieve.io.foreign.ForeignParts"
FORMATS = {  # the first bytes of a file to the name of its format, and what reads it: ColumnParts or an ArrayFile
    b"PAR1": ("parquet", "bitsieve.io.arrow.ParquetParts"),
    b"ARROW1": ("arrow", "bitsieve.io.arrow.ArrowParts"),
    b"FEA1": ("feather1", ""),
    b"\xff\xff\xff\xff": ("stream", "bitsieve.io.arrow.ArrowParts"),
    b"PK\x03\x04": ("npz", "bitsieve.io.npz.NpzFile"),
    b"PK\x05\x06": ("npz", "bitsieve.io.npz.NpzFile"),
    b"SQLite format 3": ("sqlite", "bitsieve.io.database.DatabaseParts"),
    b"ORC": ("orc", _FOREIGN_PARTS),
    b"\xd0\xcf\x11\xe0": ("excel", _FOREIGN_PARTS),
    b"<stata_dta>": ("dta", _FOREIGN_PARTS),
    **{bytes([version, order, 1, 0]): ("dta", _FOREIGN_PARTS) for version in (113, 114, 115) for order in (1, 2)},
    b"$FL": ("sav", _FOREIGN_PARTS),
    bytes(12) + b"\xc2\xea\x81\x60": ("sas7bdat", _FOREIGN_PARTS),
    b"HEADER RECORD*******LIB": ("xport", _FOREIGN_PARTS),
    b"l\x1b\x01": ("plink", "bitsieve.io.foreign.PlinkParts"),
}
_BY_CONTENT = {"arff": _FOREIGN_PARTS, "duckdb": "bitsieve.io.database.DatabaseParts"}  # known otherwise
_HOLD_TABLES = ("sqlite", "duckdb", "excel")
_FOREIGN = {
    b"PARE": "an encrypted Parquet file",
    b"\x93NUMPY": "a single numpy array (store X and y with numpy.savez)",
    b"\x1f\x8b": "compressed with gzip (decompress it first)",
    b"BZh": "compressed with bzip2 (decompress it first)",
    b"\xfd7zXZ": "compressed with xz (decompress it first)",
    b"\x28\xb5\x2f\xfd": "compressed with zstd (decompress it first)",
    b"\x89HDF": "an HDF5 file",
    b"%PDF": "a PDF document",
    b"RDX": "a file of R (save its table as CSV)",
}
_SPARSE = (".libsvm", ".svmlight", ".svm")  # the endings of files of sparse rows
_SPARSE_ROW = re.compile(rb"[^\s,;:]+(\s+qid:\d+)?(\s+\d+:[^\s:,;]+)+\s*(#.*)?")
_ROWS_BEGIN = 1 << 16  # bytes that are looked at for a row
_ARFF = re.compile(rb"\s*(?:%[^\n]*\n\s*)*@relation\s", re.IGNORECASE)
_WORKBOOKS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")  # of Excel and of OpenDocument
_BROKEN_ZIP = (zipfile.BadZipFile, RuntimeError, ValueError, struct.error)
_BLOCK = 1 << 20  # bytes that are copied at once
_ADDRESS = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+):/+([^/].*)", re.DOTALL)
_PATIENCE = 20  # seconds without an answer of an address


def open_file(data: Any, *, header: bool | None = None, spool: Path | None = None) -> ColumnParts | ArrayFile:
    """Open a table file, a folder or a list of them, or a stream, which is written to ``spool`` and read from there."""
    several = isinstance(data, (list, tuple))
    if not several and not isinstance(data, (str, PathLike)):
        from bitsieve.io.arrow import stored_stream

        return stored_stream(data, spool)
    path = [Path(one) for one in data] if several else Path(data)
    if isinstance(path, Path) and not path.is_dir():
        return _open_one(path, header) if address(path) is None else _open_copied(str(address(path)), header)
    from bitsieve.io.folder import FolderParts

    return FolderParts(path, lambda file: columns_of(_open_one(file, header)))


def open_columns(data: Any, *, header: bool | None = None, spool: Path | None = None) -> ColumnParts:
    """The same of data that is columns; other data is refused."""
    return columns_of(open_file(data, header=header, spool=spool))


def columns_of(parts: ColumnParts | ArrayFile) -> ColumnParts:
    """The parts of a file, if it holds columns."""
    if isinstance(parts, ArrayFile):
        raise DataError(code="not-read-in-batches", message=f"{parts.label} is {parts.refusal}")
    return parts


def _open_one(path: Path, header: bool | None) -> ColumnParts | ArrayFile:
    check_file(path)
    copies = Copies()
    with readable(path):
        is_input = str(path) == STANDARD_INPUT
        label = repr("standard input" if is_input else str(path))
        if not is_input and not path.is_fifo():
            file, inside = file_and_inside(path)
            return _opened(Given(file, label, file, copies, inside), header)
        copied = copies.folder / "standard input.given"  # not the name that its own decompressed copy gets
        with nullcontext(sys.stdin.buffer) if is_input else open(path, "rb") as stream:
            _copy(stream, copied, label)
        return _opened(Given(copied, label, None, copies), header)


def _open_copied(where: str, header: bool | None) -> ColumnParts | ArrayFile:
    """What lies behind an address, a file or a folder of them, copied first."""
    copies, files = Copies(), files_behind(where)
    for name, opener in files.items():
        path = copies.folder / "of address" / (name.name if len(files) == 1 else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with reaching(where), opener() as stream:
            _copy(stream, path, repr(where))
    if not files:
        raise DataError(
            code="file-missing",
            message=f"there is nothing at {where!r}",
            advice="check the address",
        )
    if len(files) == 1:
        return _opened(Given(path, repr(where), None, copies), header)
    from bitsieve.io.folder import FolderParts

    below = copies.folder / "of address"

    def open_one(file: Path) -> ColumnParts:
        label = repr(f"{where.rstrip('/')}/{file.relative_to(below)}")
        return columns_of(_opened(Given(file, label, None, copies), header))

    return FolderParts(below, open_one, repr(where))


def read_table(
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    header: bool | None = None,
    diagnostics: list[Diagnostic] | None = None,
) -> pa.Table | ArrayTable:
    """Read all rows of a table file as one block; ``diagnostics`` takes the notes, which else are warnings."""
    if isinstance(path, (str, PathLike)) and address(path) is None:
        parts = _open_one(Path(path), header)
    else:
        parts = open_file(path, header=header)
    with readable(str(path)):
        table = parts.read() if isinstance(parts, ArrayFile) else _joined(list(parts.batches(rows=None)))
    if getattr(table, "num_rows", 1) == 0:  # arrays were looked at already
        raise DataError(
            code="empty-data",
            message=f"{parts.label} has no rows",
            advice="nothing to select from",
        )
    if diagnostics is None:
        warn_of(parts.diagnostics)
    else:
        diagnostics += parts.diagnostics
    return table


def _joined(tables: list[Any]) -> Any:
    """Tables of the same columns as one; a column that is text in one of them is text."""
    if len(tables) == 1:
        return tables[0]
    import pyarrow as pa

    fields = [field for table in tables for field in table.schema]
    text = {field.name for field in fields if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)}
    as_text = [
        table.cast(pa.schema([field.with_type(pa.string()) if field.name in text else field for field in table.schema]))
        for table in tables
    ]
    return pa.concat_tables(as_text, promote_options="permissive")


def check_file(path: str | PathLike[str]) -> None:
    """Raise :class:`DataError` where there is no file to read."""
    if str(path) == STANDARD_INPUT or address(path) is not None:
        return
    path, _ = file_and_inside(Path(path))
    with readable(path):
        if not path.exists():
            beside = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
            near = " or ".join(repr(str(path.with_name(name))) for name in nearest(path.name, beside))
            advice = literal(f"did you mean {near}?") if near else f"give the path of a table file ({READ})"
            raise DataError(
                code="file-missing",
                message=f"there is no file {str(path)!r}",
                advice=advice,
            )
        mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise DataError(
            code="not-a-file",
            message=f"{str(path)!r} is a directory",
            advice=f"give the path of a table file ({READ})",
        )
    if stat.S_ISREG(mode) and not path.stat().st_size:  # such as of /proc, where to open some waits for ever
        raise DataError(code="empty-data", message=f"{str(path)!r} is empty", advice=READ)
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        raise DataError(
            code="not-a-file",
            message=f"{str(path)!r} is not a regular file",
            advice="save the table to a file first",
        )


def file_kind(path: Path, label: str | None = None) -> str:
    """The format of a file by its first bytes: a name of ``FORMATS``, or "text"."""
    label = repr(str(path)) if label is None else label
    with open(path, "rb") as file:
        head = file.read(4096)
    if not head:
        raise DataError(code="empty-data", message=f"{label} is empty", advice=READ)
    for magic, (kind, _) in FORMATS.items():
        if head.startswith(magic):
            return "excel" if kind == "npz" and _members(path, _WORKBOOKS) else kind
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise DataError(code="not-a-table", message=f"{label} is {what}", advice=READ)
    if head[8:12] == b"DUCK" or _ARFF.match(head):
        return "duckdb" if head[8:12] == b"DUCK" else "arff"
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):  # which begin text of UTF-16
        raise DataError(code="not-a-table", message=f"{label} is not a table", advice=READ)
    return "text"


def database_kind(data: Any) -> str | None:
    """The database of which something is the path of a file, or of a table in one."""
    if not isinstance(data, (str, PathLike)):
        return None
    path, _ = file_and_inside(Path(data))
    with suppress(OSError, DataError):  # whoever reads it will say so
        if path.is_file() and (kind := file_kind(path)) in ("sqlite", "duckdb"):
            return kind
    return None


def is_libsvm(path: Path) -> bool:
    """Whether a text file holds sparse rows: by its ending, or by its first row."""
    if path.suffix.lower() in _SPARSE:
        return True
    with open(path, "rb") as file:
        lines = (line.strip() for line in file.read(_ROWS_BEGIN).splitlines())
    first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    return _SPARSE_ROW.fullmatch(first) is not None


def holds_sparse_rows(data: Any) -> bool:
    """Whether something is the path of a libsvm file, whose rows are no columns of a table."""
    if not isinstance(data, (str, PathLike)):
        return False
    path = Path(data)
    with readable(path):
        if address(path) is not None or not path.exists():  # whoever reads it will say so
            return path.suffix.lower() in _SPARSE
        return path.is_file() and path.stat().st_size > 0 and file_kind(path) == "text" and is_libsvm(path)


def _opened(given: Given, header: bool | None) -> ColumnParts | ArrayFile:
    """The parts of a file, which may be compressed or not UTF-8."""
    given = decompressed(given)
    diagnostics: list[Diagnostic] = []
    kind = file_kind(given.path, given.label)
    if given.inside is not None and kind not in _HOLD_TABLES:
        raise DataError(
            code="table-not-named",
            message=f"there is no {given.label}",
            advice="the file holds one table, give its own path",
        )
    if kind == "text":
        return _opened_text(given, diagnostics, header)
    if kind == "feather1":
        raise DataError(
            code="cannot-read",
            message=f"{given.label} is a Feather file of version 1",
            advice="write it again with version 2",
        )
    module, _, name = {**_BY_CONTENT, **dict(FORMATS.values())}[kind].rpartition(".")
    parts: ColumnParts | ArrayFile = getattr(import_module(module), name)(given, diagnostics, kind)
    return parts


def _opened_text(given: Given, diagnostics: list[Diagnostic], header: bool | None) -> ColumnParts | ArrayFile:
    from bitsieve.io.dialect import UTF_16, in_utf8
    from bitsieve.io.text import DelimitedParts, JsonParts, is_json

    if is_libsvm(given.path):
        from bitsieve.io.libsvm import LibsvmFile

        return LibsvmFile(given, diagnostics)
    with open(given.path, "rb") as file:
        head = file.read(2)
    if head in UTF_16:
        given = replace(given, path=in_utf8(given.path, given.copies.folder, diagnostics))
    return JsonParts(given, diagnostics) if is_json(given.path) else DelimitedParts(given, diagnostics, header)


def decompressed(given: Given) -> Given:
    """The file itself, or a plain copy of the one file in a compressed one."""
    with open(given.path, "rb") as file:
        head = file.read(8)
    opener = next((opener for mark, opener in _OPENERS.items() if head.startswith(mark)), None)
    with in_one_line(f"cannot decompress {given.label}"):
        if opener is not None:
            with opener(given.path, "rb") as packed:
                return _copied(packed, given)
        return _unzipped(given) if head.startswith(b"PK\x03\x04") else given


def _unzipped(given: Given) -> Given:
    """The one file of an archive; an archive of arrays (.npz), or a broken one, is left to its own reader."""
    try:
        archive = zipfile.ZipFile(given.path)
    except _BROKEN_ZIP:
        return given
    with archive:
        names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX")]
        if not names or any(name.endswith(".npy") or name in _WORKBOOKS for name in names):
            return given
        if len(names) > 1:
            raise DataError(
                code="table-not-named",
                message=f"{given.label} holds {len(names):,} files ({quoted(names)})",
                advice="give one of them",
            )
        with archive.open(names[0]) as packed:
            return _copied(packed, given)


def _members(path: Path, wanted: Sequence[str]) -> bool:
    """Whether an archive has one of these members."""
    with suppress(*_BROKEN_ZIP), zipfile.ZipFile(path) as archive:
        return not set(wanted).isdisjoint(archive.namelist())
    return False


def _copied(packed: Any, given: Given) -> Given:
    copied = given.copies.folder / (given.path.stem or "data")
    _copy(packed, copied, given.label)
    return replace(given, path=copied)


def _copy(stream: Any, path: Path, label: str) -> None:
    """A plain copy, which takes at most half of what the disk has free; nothing is left of a larger one."""
    most, size = shutil.disk_usage(path.parent).free // 2, 0
    with open(path, "wb") as file:
        while block := stream.read(_BLOCK):
            size += len(block)
            if size > most:
                path.unlink()
                raise DataError(
                    code="disk-full",
                    message=(
                        f"the content of {label} is larger than {most / 1000000000.0:,.3g} GB, half of what is free "
                        f"in {tempfile.gettempdir()!r}"
                    ),
                    advice="set TMPDIR to a folder on a larger disk",
                )
            file.write(block)


def address(path: Any) -> str | None:
    """The address that a path is, of which ``Path`` drops a slash; None of the path of a file."""
    found = _ADDRESS.fullmatch(str(path)) if isinstance(path, (str, PathLike)) else None
    return None if found is None else f"{found[1].lower()}://{found[2]}"


def files_behind(where: str) -> Mapping[Path, Callable[[], Any]]:
    """Of every file at an address its name, or its path below a folder, and what opens it."""
    with reaching(where):
        if where.startswith(("http://", "https://")):
            from urllib.request import urlopen

            return {Path(re.split("[?#]", where)[0]): partial(urlopen, where, timeout=_PATIENCE)}
        from pyarrow import fs

        system, path = _system(where)
        found = system.get_file_info(path)
        if found.type == fs.FileType.File:
            return {Path(found.base_name): partial(system.open_input_stream, path)}
        inside = system.get_file_info(fs.FileSelector(path, recursive=True))
        files = {one.path: partial(system.open_input_stream, one.path) for one in inside if one.is_file}
        return {Path(below).relative_to(path): opener for below, opener in files.items()}


def _system(where: str) -> Any:
    """The file system of an address, of pyarrow or, for what it does not know, of fsspec; and the path there."""
    import pyarrow as pa
    from pyarrow import fs

    try:
        if where.startswith(("gs://", "gcs://")) and "?" not in where:  # by default it tries for a quarter of an hour
            return fs.FileSystem.from_uri(f"{where}?retry_limit_seconds={_PATIENCE}")
        return fs.FileSystem.from_uri(where)
    except pa.ArrowInvalid as error:
        if "Unrecognized filesystem" not in str(error):
            raise
    from fsspec.core import url_to_fs

    system, path = url_to_fs(where)
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path


def reaching(where: str) -> AbstractContextManager[None]:
    """Inside the block what an address does not give is one line."""
    return in_one_line(f"cannot read {where!r}", f"cannot read {where!r}: it")
