"""Opening of files, folders, addresses and streams, each by the reader of its format."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import stat
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.address_text import address, is_postgres, path_of_file_address
from bitsieve.io.annotated import AnnotatedMatrix
from bitsieve.io.column_file import ColumnFile, Copies, InputFile
from bitsieve.io.errors import (
    MAX_EXPANSION,
    MIN_EXPANDED_BYTES,
    DataError,
    check_unchanged,
    file_and_inside,
    in_one_line,
    matching_files,
    readable,
)
from bitsieve.io.formats import (
    BROKEN_ZIP,
    N_FIRST_BYTES,
    WORKBOOKS,
    ZIP,
    Format,
    format_of,
    format_of_head,
    has_libsvm_ending,
    readable_formats,
)
from bitsieve.io.npz import ArrayFile, ArrayTable
from bitsieve.utils.messages import nearest, quoted
from bitsieve.utils.note_warnings import warn_of_important
from bitsieve.utils.types import TableLike

if TYPE_CHECKING:
    import pyarrow as pa

STANDARD_INPUT = "-"
_DECOMPRESSORS: dict[bytes, Callable[..., Any]] = {  # by the first bytes of a file
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
_N_BYTES_OF_COMPRESSION = 8  # by so many first bytes a compressed file is recognised
_BLOCK = 1 << 20  # bytes that are copied at once


def open_file(data: TableLike, *, header: bool | None = None, spool: Path | None = None) -> ColumnFile | ArrayFile:
    """Open a table file, a folder, files that match a pattern, a list of files, or a stream.

    A stream is stored in ``spool`` first.
    """
    if isinstance(data, (list, tuple)):
        return _open_folder([Path(path) for path in data], header)
    if not isinstance(data, (str, PathLike)):
        from bitsieve.io.arrow import stored_stream

        return stored_stream(data, spool)
    path = Path(data)
    if path.is_dir():
        return _open_folder(path, header)
    where = address(data)
    if where is not None and is_postgres(where):
        from bitsieve.io.arrow import stored_batches
        from bitsieve.io.postgres import rows_at

        return stored_batches(rows_at(where), repr(where), spool)
    if where is not None:
        return _open_address(where, header)
    paths = matching_files(data)
    if paths is not None:
        return open_file(paths[0] if len(paths) == 1 else paths, header=header)
    return _open_path(path, header)


def open_columns(data: TableLike, *, header: bool | None = None, spool: Path | None = None) -> ColumnFile:
    """:func:`open_file` for data that has columns; a file of arrays is refused."""
    return columns_of(open_file(data, header=header, spool=spool))


def columns_of(opened: ColumnFile | ArrayFile) -> ColumnFile:
    """The file itself if it has columns; a file of arrays is refused."""
    if isinstance(opened, ArrayFile):
        raise DataError(
            code="cannot-read",
            message=f"{opened.label} is {opened.refusal}",
        )
    return opened


def _open_folder(path: Path | Sequence[Path], header: bool | None) -> ColumnFile:
    from bitsieve.io.folder import FolderOfFiles

    return FolderOfFiles(path, lambda file: columns_of(_open_path(file, header)))


def _open_path(path: Path, header: bool | None) -> ColumnFile | ArrayFile:
    check_file(path)
    with readable(path):
        is_standard_input = str(path) == STANDARD_INPUT
        label = repr("standard input" if is_standard_input else str(path))
        if not is_standard_input and not path.is_fifo():
            file_path, table = file_and_inside(path)
            return _open(InputFile.of_path(file_path, label, table=table, header=header))
        copies = Copies()
        copy = copies.folder / "standard input.copy"  # decompressed, it becomes "standard input" beside it
        if is_standard_input:
            _copy(sys.stdin.buffer, copy, label)
        else:
            with open(path, "rb") as pipe:
                _copy(pipe, copy, label)
        return _open(InputFile(copy, label, None, copies, header=header))


def _open_address(where: str, header: bool | None) -> ColumnFile | ArrayFile:
    """Copy the file or the folder at an address, and open the copy; a file of this machine is opened itself."""
    local_path = path_of_file_address(where)
    if local_path is not None:
        return open_file(local_path, header=header)
    from bitsieve.io.addresses import copy_remote, files_behind, reaching

    files = files_behind(where)
    if not files:
        raise DataError(
            code="file-missing",
            message=f"there is nothing at {where!r}",
            advice="check the address",
        )
    copies = Copies()
    folder = copies.folder / "of address"
    for name, file in files.items():
        path = folder / name
        with reaching(where):
            path.parent.mkdir(parents=True, exist_ok=True)
        copy_remote(file, path, where, _size_check(path, repr(where)))
    if len(files) == 1:
        return _open(InputFile(path, repr(where), None, copies, header=header))
    from bitsieve.io.folder import FolderOfFiles

    def open_one(file: Path) -> ColumnFile:
        label = repr(f"{where.rstrip('/')}/{file.relative_to(folder)}")
        return columns_of(_open(InputFile(file, label, None, copies, header=header)))

    return FolderOfFiles(folder, open_one, repr(where))


def read_table(
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    header: bool | None = None,
    diagnostics: list[Diagnostic] | None = None,
) -> pa.Table | ArrayTable | AnnotatedMatrix:
    """Read all rows of a table file, or of a folder of them.

    What is noticed is appended to ``diagnostics``; without it, it is warned of.
    """
    if path == "":  # else it is the working directory
        check_file(path)
    opened = open_file(path, header=header)
    with readable(str(path)):
        table = opened.read() if isinstance(opened, ArrayFile) else joined(list(opened.batches(rows=None)))
    check_unchanged(opened.label, opened.initial_state, opened.state())
    # Arrays without rows were refused by their reader.
    if not isinstance(table, (ArrayTable, AnnotatedMatrix)) and table.num_rows == 0:
        raise DataError(
            code="empty-data",
            message=f"{opened.label} has no rows",
            advice="nothing to select from",
        )
    if diagnostics is None:
        warn_of_important(opened.diagnostics)
    else:
        diagnostics += opened.diagnostics
    return table


def joined(tables: Sequence[Any]) -> Any:
    """Concatenate tables of the same columns. A column that is text in one of them is text in the result."""
    if len(tables) == 1:
        return tables[0]
    import pyarrow as pa

    fields = list(chain.from_iterable(table.schema for table in tables))
    text = {field.name for field in fields if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)}

    def with_text(field: pa.Field) -> pa.Field:
        return field.with_type(pa.string()) if field.name in text else field

    casted = [table.cast(pa.schema([with_text(field) for field in table.schema])) for table in tables]
    return pa.concat_tables(casted, promote_options="permissive")


def check_file(path: str | PathLike[str]) -> None:
    """Raise :class:`DataError` where there is no file to read."""
    if str(path) == STANDARD_INPUT or address(path) is not None:
        return
    if matching_files(path) is not None:
        return
    path, _ = file_and_inside(Path(path))
    with readable(path):
        if not path.exists():
            neighbours = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
            near = " or ".join(repr(str(path.with_name(name))) for name in nearest(path.name, neighbours))
            advice = f"did you mean {near}?" if near else f"give the path of a table file ({readable_formats()})"
            raise DataError(
                code="file-missing",
                message=f"there is no file {str(path)!r}",
                advice=advice,
            )
        status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise DataError(
            code="not-a-file",
            message=f"{str(path)!r} is a directory",
            advice=f"give the path of a table file ({readable_formats()})",
        )
    is_regular = stat.S_ISREG(status.st_mode)
    if is_regular and not status.st_size:  # files of /proc have no size, and opening some of them waits for ever
        raise DataError(
            code="empty-data",
            message=f"{str(path)!r} is empty",
            advice=f"{readable_formats()}",
        )
    if not is_regular and not stat.S_ISFIFO(status.st_mode):
        raise DataError(
            code="not-a-file",
            message=f"{str(path)!r} is not a regular file",
            advice="save the table to a file first",
        )


def database_kind(data: TableLike) -> str | None:
    """The format of a database if data is the path of its file, or of a table in it; else None."""
    if not isinstance(data, (str, PathLike)):
        return None
    path, _ = file_and_inside(Path(data))
    with suppress(OSError, DataError):  # the reader reports it
        if path.is_file():
            format = format_of(path)
            return format.key if format.is_database else None
    return None


def holds_sparse_rows(data: TableLike) -> bool:
    """Whether data is the path of a libsvm file, compressed or not."""
    if not isinstance(data, (str, PathLike)):
        return False
    path = Path(data)
    if _is_elsewhere(path):  # the reader reports it
        return has_libsvm_ending(path)
    return _key_of_content(path) == "libsvm"


def holds_target(data: TableLike) -> bool:
    """Whether data is the path of a file that says itself what its target is: libsvm or .npz, compressed or not."""
    if not isinstance(data, (str, PathLike)):
        return False
    path = Path(data)
    return _is_elsewhere(path) or _key_of_content(path) in ("libsvm", "npz")


def _is_elsewhere(path: Path) -> bool:
    """Whether there is no such path on this machine."""
    with readable(path):
        return address(path) is not None or not path.exists()


def _key_of_content(path: Path) -> str:
    """The key of the format of a file, or of what is compressed in it; empty for an empty file, or none."""
    with readable(path):
        if not path.is_file() or not path.stat().st_size:
            return ""
        return _format_of_content(path).key


def _open(file: InputFile) -> ColumnFile | ArrayFile:
    """Open a file, which may be compressed or not UTF-8."""
    diagnostics: list[Diagnostic] = []
    file = decompressed(file)
    format = format_of(file.path, file.label)
    if file.table is not None and not format.holds_tables:
        raise DataError(
            code="table-not-named",
            message=f"there is no {file.label}",
            advice="the file holds one table, give its own path",
        )
    if format.is_text:
        from bitsieve.io.dialect import in_utf8, is_utf_16

        if is_utf_16(file.path):
            file = replace(file, path=in_utf8(file.path, file.copies.folder, diagnostics))
            format = format_of(file.path, file.label)
    return format.open(file, diagnostics)


def decompressed(file: InputFile) -> InputFile:
    """Decompress a file into a copy; any other file is returned as it is.

    Content whose first bytes show that it is no table is refused before it is copied, and content that is far longer
    than the file while it is copied.
    """
    with _open_compressed(file.path, file.label) as stream:
        if stream is None:
            return file
        head = stream.read(N_FIRST_BYTES)
        format_of_head(file.path, head, file.label)
        copy = file.copies.folder / (file.path.stem or "data")
        max_bytes = max(MIN_EXPANDED_BYTES, MAX_EXPANSION * file.path.stat().st_size)
        _copy(stream, copy, file.label, head, max_bytes)
    return replace(file, path=copy)


def _format_of_content(path: Path) -> Format:
    """The format of a file, or of what is compressed in it."""
    label = repr(str(path))
    with _open_compressed(path, label) as stream:
        if stream is None:
            return format_of(path, label)
        return format_of_head(path, stream.read(N_FIRST_BYTES), label)


@contextmanager
def _open_compressed(path: Path, label: str) -> Iterator[IO[bytes] | None]:
    """Open what is compressed in a file; None for a file that is not compressed."""
    with in_one_line(f"cannot decompress {label}"):
        stream = _compressed_stream(path, label)
        if stream is None:
            yield None
            return
        with stream:
            yield stream


def _compressed_stream(path: Path, label: str) -> IO[bytes] | None:
    """Open what is compressed in a file; None for a file that is not compressed. The caller closes the stream."""
    with open(path, "rb") as file:
        head = file.read(_N_BYTES_OF_COMPRESSION)
    for first_bytes, decompress in _DECOMPRESSORS.items():
        if head.startswith(first_bytes):
            stream: IO[bytes] = decompress(path, "rb")
            return stream
    if not head.startswith(ZIP):
        return None
    try:
        archive = zipfile.ZipFile(path)
    except BROKEN_ZIP:  # the reader of .npz files reports it
        return None
    with archive:
        member = _only_member(archive, label)
        return None if member is None else archive.open(member)  # it stays open when the archive is closed


def _only_member(archive: zipfile.ZipFile, label: str) -> str | None:
    """The only file of a zip archive; None for an archive that is a table itself, such as .npz."""
    names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX")]
    if not names or any(name.endswith(".npy") or name in WORKBOOKS for name in names):
        return None
    if len(names) > 1:
        raise DataError(
            code="table-not-named",
            message=f"{label} holds {len(names):,} files ({quoted(names)})",
            advice="give one of them",
        )
    return names[0]


def _copy(stream: IO[bytes], path: Path, label: str, head: bytes = b"", max_bytes: int | None = None) -> None:
    """Write a copy of ``head`` and of the rest of a stream.

    A copy of more than ``max_bytes`` bytes, or of more than half of the free space of the disk, is removed and refused.
    """
    check_size = _size_check(path, label)
    size = 0
    block = head or stream.read(_BLOCK)
    with open(path, "wb") as file:
        while block:
            size += len(block)
            check_size(size)
            if max_bytes is not None and size > max_bytes:
                path.unlink()
                raise _content_too_large(label, max_bytes)
            file.write(block)
            block = stream.read(_BLOCK)


def _content_too_large(label: str, max_bytes: int) -> DataError:
    """The error for a compressed file whose content is far longer than the file."""
    return DataError(
        code="content-too-large",
        message=(
            f"the content of {label} is larger than {max_bytes / 1e9:,.3g} GB and than {MAX_EXPANSION} times the file"
        ),
        advice="decompress it first, if you trust it",
    )


def _size_check(path: Path, label: str) -> Callable[[int], None]:
    """A function that refuses a copy of so many bytes if that is more than half of the free space of the disk."""
    max_bytes = shutil.disk_usage(path.parent).free // 2

    def check_size(n_bytes: int) -> None:
        if n_bytes > max_bytes:
            path.unlink()
            raise DataError(
                code="disk-full",
                message=(
                    f"the content of {label} is larger than {max_bytes / 1e9:,.3g} GB, half of what is free in "
                    f"{tempfile.gettempdir()!r}"
                ),
                advice="set TMPDIR to a folder on a larger disk",
            )

    return check_size
