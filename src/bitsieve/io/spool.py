"""Folders on disk for data that does not fit into memory.

A folder is removed at the end of the process, or kept under a name for later runs once it is complete. A process holds
a lock in each folder that it fills. A folder whose lock nobody holds is what a killed process has left: the next
process removes it.
"""

from __future__ import annotations

import json
import mmap
import os
import secrets
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from bitsieve.io.errors import DataError
from bitsieve.io.output import try_lock, unfinished_paths
from bitsieve.utils.arrays import Values
from bitsieve.utils.types import JsonObject

PREFIX = "bitsieve-spool-"
_LOCK_FILE = "lock"
_FACTS_FILE = "facts.json"
_VERSION = 4  # of the files in a kept folder
_CHECKSUM_BLOCK = 1 << 22  # bytes under one checksum
_SECONDS_TO_LOCK = 60  # a living process makes the lock of its new folder within this time


class Spool:
    """A folder for one job. It is removed at the end of the process, unless it is kept under a name."""

    def __init__(self, parent: Path | None = None) -> None:
        parent = Path(tempfile.gettempdir()) if parent is None else parent
        try:
            parent.mkdir(parents=True, exist_ok=True)
            remove_abandoned(parent)
            self.folder = parent / f"{PREFIX}{secrets.token_hex(8)}.part"
            self.folder.mkdir(mode=0o700)
            self._lock = open(self.folder / _LOCK_FILE, "wb", buffering=0)  # noqa: SIM115  # open as long as the folder
        except OSError as error:
            raise DataError(
                code="cannot-write",
                message=f"cannot make a spool in {str(parent)!r}: {error.strerror}",
                advice="give another folder",
            ) from None
        try_lock(self._lock)
        unfinished_paths.add(self.folder)
        self.close = weakref.finalize(self, _remove, self.folder, self._lock)
        # Other processes leave an empty lock file alone. On a full disk the next write raises the error.
        with suppress(OSError):
            self._lock.write(b".")

    def array(self, name: str, size: int, kind: type[np.generic]) -> Values:
        """Make an array of zeros in a new file. Its space on the disk is reserved."""
        n_bytes = size * np.dtype(kind).itemsize
        if not n_bytes:
            return np.empty(0, kind)
        with self._file(name, "wb", n_bytes) as file:
            if hasattr(os, "posix_fallocate"):  # without it a full disk would kill the process at a later write
                os.posix_fallocate(file.fileno(), 0, n_bytes)
            else:
                file.truncate(n_bytes)
            return np.memmap(self.folder / name, kind, "r+", shape=(size,))

    def append(self, name: str, values: Values) -> None:
        """Append an array to a file."""
        with self._file(name, "ab", values.nbytes) as file:
            file.write(values.data)

    def write(self, name: str, content: bytes) -> None:
        """Write a file and wait until it is on the disk."""
        with self._file(name, "wb", len(content)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    @contextmanager
    def _file(self, name: str, mode: str, n_bytes: int) -> Iterator[IO[bytes]]:
        """Open a file to which ``n_bytes`` bytes will be written."""
        try:
            with open(self.folder / name, mode) as file:
                yield file
        except OSError as error:
            raise write_error(self.folder.parent, n_bytes, error) from None

    def keep(self, name: str, facts: JsonObject) -> Path:
        """Keep the complete folder under ``name`` for later runs, with facts that :func:`find_kept` returns."""
        kept_folder = self.folder.parent / name
        checksums = _checksums(self.folder)
        content = json.dumps({**facts, "version": _VERSION, "name": name, "checks": checksums}).encode()
        checksum_of_facts = sha256(content).hexdigest().encode()
        self.write(_FACTS_FILE, checksum_of_facts + b"\n" + content)
        for file_name in checksums:
            with open(self.folder / file_name, "rb+") as file:
                os.fsync(file.fileno())
        with suppress(OSError):
            shutil.rmtree(kept_folder)
        try:
            self.folder.rename(kept_folder)
        except OSError:  # another process has made the folder meanwhile
            return self.folder
        self.close.detach()
        unfinished_paths.discard(self.folder)
        self._lock.close()
        with suppress(OSError):
            (kept_folder / _LOCK_FILE).unlink()
        return kept_folder


class SpoolAllocator:
    """Makes arrays in files of one spool: ``allocate(size, kind)``. An array is removed when nobody uses it."""

    def __init__(self, parent: Path | None = None) -> None:
        self.spool = Spool(parent)
        self._numbers = count()

    def __call__(self, size: int, kind: type[np.generic]) -> Values:
        name = f"array {next(self._numbers)}"
        array = np.asarray(self.spool.array(name, size, kind))
        if os.name == "posix" and size:
            (self.spool.folder / name).unlink()  # the system keeps the file as long as it is mapped
        return array


class KeptSpool(NamedTuple):
    """The folder of an earlier run, and the facts that were kept with it."""

    folder: Path
    facts: JsonObject


def find_kept(parent: Path, name: str) -> KeptSpool | None:
    """Find the folder that an earlier run kept under a name.

    Returns None if there is none, if it is damaged or of another version, or if it belongs to another user.
    """
    folder = parent / name
    try:
        if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
            return None
        checksum_of_facts, content = (folder / _FACTS_FILE).read_bytes().split(b"\n", 1)
        if checksum_of_facts.decode() != sha256(content).hexdigest():
            return None
        facts = json.loads(content)
        checksums = _checksums(folder)
    except (OSError, ValueError):
        return None
    if facts["version"] != _VERSION or facts["name"] != name or facts["checks"] != checksums:
        return None
    return KeptSpool(folder, facts)


def name_of_key(key: object) -> str:
    """A name for a kept folder whose content depends on ``key`` and on the version of bitsieve."""
    from bitsieve import __version__

    text = json.dumps([__version__, key], sort_keys=True, default=repr)
    return f"bitsieve-{sha256(text.encode()).hexdigest()[:32]}"


def map_array(path: Path, size: int, kind: type[np.generic]) -> Values:
    """Map the array in a file into memory. Writing to it changes a copy, not the file."""
    if not size:
        return np.empty(0, kind)
    return np.asarray(np.memmap(path, kind, "c", shape=(size,)))


def release_pages(arrays: Sequence[Values]) -> None:
    """Give back the memory of arrays that are mapped from files, whose content stays in the files."""
    for array in arrays:
        if isinstance(array.base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):  # Windows has no such call
            array.base.madvise(mmap.MADV_DONTNEED)


def _checksums(folder: Path) -> dict[str, list[str]]:
    """The checksums of the blocks of every file but the lock and the facts."""
    checksums: dict[str, list[str]] = {}
    for path in folder.iterdir():
        if path.name not in (_LOCK_FILE, _FACTS_FILE):
            checksums[path.name] = []
            with open(path, "rb") as file:
                while block := file.read(_CHECKSUM_BLOCK):
                    checksums[path.name].append(sha256(block).hexdigest())
    return checksums


def remove_abandoned(parent: Path) -> None:
    """Remove the folders that killed processes have left."""
    for folder in parent.glob(f"{PREFIX}*.part"):
        # A process that was killed before it made its lock left an empty folder; rmdir fails for any other.
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _SECONDS_TO_LOCK:
                folder.rmdir()
        # An empty lock file is about to be locked; a file that cannot be locked belongs to a living process.
        with suppress(OSError), open(folder / _LOCK_FILE, "rb+") as lock:
            if lock.read(1) and try_lock(lock):
                shutil.rmtree(folder, ignore_errors=True)


def write_error(folder: Path, n_bytes: int, error: OSError) -> DataError:
    """The error where ``n_bytes`` more bytes of a spool in a folder could not be written."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return DataError(
            code="cannot-write",
            message=f"cannot write the spool in {str(folder)!r}: {error.strerror}",
        )
    needed = f"the spool needs {_amount(n_bytes)} more in {str(folder)!r}, where {_amount(free)} are free"
    return DataError(
        code="disk-full",
        message=f"{needed} ({error.strerror})",
        advice="give {spool} a folder on a larger disk",
    )


def _amount(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.3g} GB" if n_bytes >= 1e8 else f"{n_bytes / 1e6:.3g} MB"


def _remove(folder: Path, lock: IO[bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    unfinished_paths.discard(folder)
    lock.close()
