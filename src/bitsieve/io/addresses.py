"""Files at addresses such as ``https://...`` and ``s3://...``, and copies of them.

A server is not trusted. It gets a limited time without progress, a copy has the size that was promised, and no name
that it gives leads out of the folder of the copies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from bitsieve.io.background import Progress, timeout, within_timeout
from bitsieve.io.errors import DataError, check_unchanged, in_one_line
from bitsieve.io.remote import RemoteFile, RemoteStream, check_size_of_copy

# Options of pyarrow's file systems, such as "?region=eu-west-1&scheme=http". Any other question mark is part of a name.
_OPTIONS = re.compile(
    r"""
    \?
    (?:
        &?
        (?: access_key | allow_bucket_creation | allow_bucket_deletion | allow_delayed_open | anonymous
          | background_writes | buffer_size | check_directory_existence_before_creation | default_metadata
          | endpoint_override | force_virtual_addressing | kerb_ticket | region | replication
          | retry_limit_seconds | scheme | secret_key | tls_ca_file_path | user )
        =[^&]*
    )+
    $
    """,
    re.VERBOSE,
)
_BLOCK = 1 << 16  # bytes that are read at once
_MAX_NAME_BYTES = 200  # of the name of a copy


def files_behind(where: str) -> Mapping[Path, RemoteFile]:
    """The files at an address, by the name of the file or by its path in the folder."""
    with reaching(where):
        if where.startswith(("http://", "https://")):
            from bitsieve.io.web import WebFile

            name = unquote(PurePosixPath(urlsplit(where).path).name)
            return {Path(_safe_name(name)): WebFile(where)}
        return within_timeout(lambda progress: _files_in_store(where))


def copy_remote(file: RemoteFile, path: Path, where: str, check_size: Callable[[int], None]) -> None:
    """Copy a file at an address to ``path``, and check that it came whole.

    ``check_size(n_bytes)`` is called as the copy grows, and refuses one that is too large.
    """

    def copy(progress: Progress) -> int:
        with closing(file.open()) as stream, open(path, "wb") as copied:
            while not progress.is_abandoned and (block := stream.read1(_BLOCK)):
                progress.n_bytes += len(block)
                check_size(progress.n_bytes)
                copied.write(block)
        return progress.n_bytes

    with reaching(where):
        n_bytes = within_timeout(copy)
        file.check(n_bytes, where)


def reaching(where: str) -> AbstractContextManager[None]:
    """Turn an address that does not answer in the block into an error of one line."""
    return in_one_line(f"cannot read {where!r}", f"cannot read {where!r}: it")


def _safe_name(name: str) -> str:
    """A name for a copy: the one that an address has, or ``data`` where that is no name of a file."""
    is_name = name not in ("", ".", "..") and "/" not in name and "\0" not in name
    is_short = len(name.encode(errors="surrogateescape")) <= _MAX_NAME_BYTES
    return name if is_name and is_short else "data"


@dataclass(frozen=True)
class _StoredFile:
    """A file in a file system that pyarrow or fsspec knows, such as an object of a bucket."""

    system: Any
    path: str
    size: int | None
    time_of_change: int | None

    def open(self) -> RemoteStream:
        stream: RemoteStream = self.system.open_input_stream(self.path)
        return stream

    def check(self, n_bytes: int, where: str) -> None:
        if self.size is not None:
            check_size_of_copy(n_bytes, self.size, where)
        now = within_timeout(lambda progress: self.system.get_file_info(self.path))
        check_unchanged(repr(where), (self.size, self.time_of_change), (now.size, now.mtime_ns))


def _files_in_store(where: str) -> dict[Path, RemoteFile]:
    from pyarrow import fs

    entry = _stored_entry(where)
    system = entry.system
    if entry.info.type == fs.FileType.File:
        file = _StoredFile(system, entry.path, entry.info.size, entry.info.mtime_ns)
        return {Path(_safe_name(entry.info.base_name)): file}
    files: dict[Path, RemoteFile] = {}
    for info in system.get_file_info(fs.FileSelector(entry.path, recursive=True)):
        if info.is_file:
            name = _name_in_folder(info.path, entry.path, where)
            files[name] = _StoredFile(system, info.path, info.size, info.mtime_ns)
    return files


class _StoredEntry(NamedTuple):
    """A file or a folder in a file system."""

    system: Any
    path: str
    info: Any  # what the system says of it; its type is NotFound where nothing is there


def _stored_entry(where: str) -> _StoredEntry:
    """The file or the folder at an address.

    The name of a file may be written as it is, or percent-encoded. A file whose name is written in the address as it
    is comes first: it may hold a percent sign of its own.
    """
    from pyarrow import fs

    system, path = _file_system(where)
    entry = _StoredEntry(system, path, system.get_file_info(path))
    decoded = unquote(where)
    if entry.info.type != fs.FileType.NotFound or decoded == where:
        return entry
    system, path = _file_system(decoded)
    decoded_entry = _StoredEntry(system, path, system.get_file_info(path))
    return entry if decoded_entry.info.type == fs.FileType.NotFound else decoded_entry


def _name_in_folder(path: str, folder: str, where: str) -> Path:
    """The path of a stored file in its folder. One that leads elsewhere, such as ``../x``, is refused."""
    name = path.removeprefix(folder).removeprefix("/")
    parts = name.split("/")
    if any(part != _safe_name(part) for part in parts):
        raise DataError(
            code="unsafe-name",
            message=f"{where!r} holds a file named {name!r}, for which no copy can be made",
            advice="rename it, or give the addresses of single files",
        )
    return Path(*parts)


def _file_system(where: str) -> tuple[Any, str]:
    """The file system of an address whose names are not encoded, and the path in it.

    What pyarrow does not know is left to fsspec.
    """
    import pyarrow as pa
    from pyarrow import fs

    try:
        system, path = fs.FileSystem.from_uri(_encoded(where))
    except pa.ArrowInvalid as error:
        if "Unrecognized filesystem" not in str(error):
            raise
        from fsspec.core import url_to_fs

        fsspec_system, path = url_to_fs(where)
        system = fs.PyFileSystem(fs.FSSpecHandler(fsspec_system))
    return system, path


def _encoded(where: str) -> str:
    """An address with the names of folders and files percent-encoded, as pyarrow reads it, and its options as given."""
    scheme, _, rest = where.partition("://")
    server, slash, path = rest.partition("/")
    options = ""
    options_in_path = _OPTIONS.search(path)
    if options_in_path is not None:
        options = options_in_path[0]
        path = path.removesuffix(options)
    elif scheme in ("gs", "gcs"):
        options = f"?retry_limit_seconds={timeout():g}"  # the default is to try for 15 minutes
    return f"{scheme}://{server}{slash}{quote(path)}{options}"
