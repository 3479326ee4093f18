"""Folders on disk for what does not fit memory: kept whole or not at all, and never left behind.

A folder in the making is locked: without its lock a process that was killed has left it, and the next one removes it.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.io.errors import DataError
from bitsieve.io.output import locked, unfinished

PREFIX = "bitsieve-spool-"
_LOCK, _FACTS = "lock", "facts.json"
_VERSION = 3
_BLOCK = 1 << 22  # bytes of a checksum
_TO_LOCK = 60  # seconds within which a living process makes the lock in its folder


class Spool:
    """A folder for one job: removed at the end of the process, or kept under a name when it is whole."""

    def __init__(self, parent: Path | None = None) -> None:
        where = Path(tempfile.gettempdir()) if parent is None else parent
        try:
            where.mkdir(parents=True, exist_ok=True)
            remove_left(where)
            self.folder = where / f"{PREFIX}{secrets.token_hex(8)}.part"
            self.folder.mkdir(mode=0o700)
            self._lock = open(self.folder / _LOCK, "wb", buffering=0)  # noqa: SIM115  # held as long as the folder is
        except OSError as error:
            raise DataError(
                code="cannot-write",
                message=f"cannot make a spool in {str(where)!r}: {error.strerror}",
                advice="give another folder",
            ) from None
        locked(self._lock)
        unfinished.add(self.folder)
        self.close = weakref.finalize(self, _remove, self.folder, self._lock)
        with suppress(OSError):  # a full disk: what is written next says so
            self._lock.write(b".")  # from now on others may try to take it

    def array(self, name: str, size: int, kind: type[np.generic]) -> NDArray[Any]:
        """An array of zeros in a file of the folder, which has its place on the disk from the beginning."""
        n_bytes = size * np.dtype(kind).itemsize
        if not n_bytes:
            return np.empty(0, kind)
        with self._file(name, "wb", n_bytes) as file:
            if hasattr(os, "posix_fallocate"):  # a full disk would otherwise end the process while it writes
                os.posix_fallocate(file.fileno(), 0, n_bytes)
            else:
                file.truncate(n_bytes)
            return np.memmap(self.folder / name, kind, "r+", shape=(size,))

    def append(self, name: str, values: NDArray[Any]) -> None:
        """Write an array behind what a file of the folder holds."""
        with self._file(name, "ab", values.nbytes) as file:
            file.write(values.data)

    def write(self, name: str, content: bytes) -> None:
        """Write a file of the folder to the disk."""
        with self._file(name, "wb", len(content)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    @contextmanager
    def _file(self, name: str, mode: str, n_bytes: int) -> Iterator[IO[bytes]]:
        """A file of the folder, to which so many bytes are to be written."""
        try:
            with open(self.folder / name, mode) as file:
                yield file
        except OSError as error:
            raise no_room(self.folder.parent, n_bytes, error) from None

    def keep(self, name: str, facts: dict[str, Any]) -> Path:
        """Give the folder its own name, now that it is whole, with what must be known to use it again."""
        path = self.folder.parent / name
        checks = _checksums(self.folder)
        content = json.dumps({**facts, "version": _VERSION, "name": name, "checks": checks}).encode()
        self.write(_FACTS, sha256(content).hexdigest().encode() + b"\n" + content)
        for file_name in checks:
            with open(self.folder / file_name, "rb+") as written:
                os.fsync(written.fileno())
        with suppress(OSError):
            shutil.rmtree(path)
        try:
            self.folder.rename(path)
        except OSError:  # another process was faster
            return self.folder
        self.close.detach()
        unfinished.discard(self.folder)
        self._lock.close()
        with suppress(OSError):
            (path / _LOCK).unlink()
        return path


class SpoolAllocator:
    """Arrays in a spool of their own, each of which goes when nobody uses it any more: ``allocate(size, kind)``."""

    def __init__(self, parent: Path | None = None) -> None:
        self.spool, self._names = Spool(parent), count()

    def __call__(self, size: int, kind: type[np.generic]) -> NDArray[Any]:
        name = f"array {next(self._names)}"
        array = np.asarray(self.spool.array(name, size, kind))
        if os.name == "posix" and size:
            (self.spool.folder / name).unlink()  # it stays as long as it is mapped
        return array


def key_name(key: object) -> str:
    """A name for what follows from a key, by this version."""
    from bitsieve import __version__

    text = json.dumps([__version__, key], sort_keys=True, default=repr)
    return f"bitsieve-{sha256(text.encode()).hexdigest()[:32]}"


def mapped(path: Path, kind: Any, size: int) -> NDArray[Any]:
    """An array of what is kept, which is copied where it is written to."""
    return np.asarray(np.memmap(path, kind, "c", shape=(size,))) if size else np.empty(0, kind)


def kept(parent: Path, name: str) -> tuple[Path, dict[str, Any]] | None:
    """A whole spool of that name and its facts; None where there is none, or one that is not whole or not one's own."""
    path = parent / name
    try:
        if hasattr(os, "getuid") and path.stat().st_uid != os.getuid():
            return None
        check, content = (path / _FACTS).read_bytes().split(b"\n", 1)
        if check.decode() != sha256(content).hexdigest():
            return None
        facts = json.loads(content)
        found = _VERSION, name, _checksums(path)
    except (OSError, ValueError):
        return None
    return (path, facts) if found == (facts["version"], facts["name"], facts["checks"]) else None


def _checksums(folder: Path) -> dict[str, list[str]]:
    """Of every file but the facts, a checksum of each block."""
    found: dict[str, list[str]] = {}
    for path in folder.iterdir():
        if path.name not in (_LOCK, _FACTS):
            with open(path, "rb") as file:
                found[path.name] = [sha256(block).hexdigest() for block in iter(partial(file.read, _BLOCK), b"")]
    return found


def remove_left(parent: Path) -> None:
    """Remove what processes that were killed have left."""
    for folder in parent.glob(f"{PREFIX}*.part"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _TO_LOCK:
                folder.rmdir()  # fails unless it is empty, of a process that was killed before it made its lock
        with suppress(OSError), open(folder / _LOCK, "rb+") as lock:
            if lock.read(1) and locked(lock):  # not while its process lives, or is about to lock it
                shutil.rmtree(folder, ignore_errors=True)


def no_room(where: Path, n_bytes: int, error: OSError) -> DataError:
    """The error for a disk that can not take what is to be written."""
    with suppress(OSError):
        free = shutil.disk_usage(where).free
        needs = f"the spool needs {_amount(n_bytes)} more in {str(where)!r}, where {_amount(free)} are free"
        return DataError(
            code="disk-full",
            message=f"{needs} ({error.strerror})",
            advice="give {spool} a folder on a larger disk",
        )
    return DataError(
        code="cannot-write",
        message=f"cannot write the spool in {str(where)!r}: {error.strerror}",
    )


def _amount(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.3g} GB" if n_bytes >= 1e8 else f"{n_bytes / 1e6:.3g} MB"


def _remove(folder: Path, lock: Any) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.discard(folder)
    lock.close()
