"""Files at addresses such as ``https://...`` and ``s3://...``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from bitsieve.io.errors import in_one_line

_ADDRESS = re.compile(
    r"""
    ([a-zA-Z][a-zA-Z0-9+.-]+) :/+   # "https://"; Path drops the second slash
    ([^/].*)
    """,
    re.DOTALL | re.VERBOSE,
)
_PATIENCE = 20  # seconds without an answer of an address


def address(path: Any) -> str | None:
    """The address if a path is one, with the slash that ``Path`` drops; None for the path of a file."""
    match = _ADDRESS.fullmatch(str(path)) if isinstance(path, (str, PathLike)) else None
    return None if match is None else f"{match[1].lower()}://{match[2]}"


def files_behind(where: str) -> Mapping[Path, Callable[[], Any]]:
    """The files at an address: the name of each, or its path in the folder, and the function that opens it."""
    with reaching(where):
        if where.startswith(("http://", "https://")):
            from urllib.request import urlopen

            name = re.split("[?#]", where)[0]
            return {Path(name): partial(urlopen, where, timeout=_PATIENCE)}
        from pyarrow import fs

        system, path = _file_system(where)
        info = system.get_file_info(path)
        if info.type == fs.FileType.File:
            return {Path(info.base_name): partial(system.open_input_stream, path)}
        inside = system.get_file_info(fs.FileSelector(path, recursive=True))
        return {
            Path(entry.path).relative_to(path): partial(system.open_input_stream, entry.path)
            for entry in inside
            if entry.is_file
        }


def _file_system(where: str) -> Any:
    """The file system of an address, and the path in it. What pyarrow does not know is left to fsspec."""
    import pyarrow as pa
    from pyarrow import fs

    try:
        if where.startswith(("gs://", "gcs://")) and "?" not in where:  # the default is to try for 15 minutes
            return fs.FileSystem.from_uri(f"{where}?retry_limit_seconds={_PATIENCE}")
        return fs.FileSystem.from_uri(where)
    except pa.ArrowInvalid as error:
        if "Unrecognized filesystem" not in str(error):
            raise
    from fsspec.core import url_to_fs

    system, path = url_to_fs(where)
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path


def reaching(where: str) -> AbstractContextManager[None]:
    """Turn an address that does not answer in the block into an error of one line."""
    return in_one_line(f"cannot read {where!r}", f"cannot read {where!r}: it")
