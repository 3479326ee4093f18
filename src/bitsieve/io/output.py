"""Writing of results: a path is checked before any work, and a file appears complete or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import IO

from bitsieve.io.errors import DataError
from bitsieve.utils.messages import one_line

if sys.platform != "win32":
    import fcntl

AnyPath = str | PathLike[str]

# Open a new file: not one that exists, and not through a link that somebody else has made.
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
# Open a file that a killed process may have left: not through a link, and without waiting for a pipe.
_ABANDONED_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_ANY_WRITE_BIT = 0o222
#: Files and folders in the making, which are removed when the process ends.
unfinished_paths: set[Path] = set()


def check_output(
    path: AnyPath, endings: Sequence[str] = (), *, what: str = "output", remark: str = "", source: AnyPath | None = None
) -> None:
    """Refuse a path that could not be written.

    Parameters
    ----------
    path : path
        The file to write.
    endings : sequence of str
        The endings that it may have; any by default.
    what : str
        What messages call the file.
    remark : str
        What the message adds to a list of endings.
    source : path, optional
        The input, which is not overwritten.
    """
    path = Path(path)
    if source is not None and path.exists() and os.path.exists(source) and path.samefile(source):
        raise DataError(
            code="output-is-input",
            message=f"the {what} {str(path)!r} is the input file itself",
            advice="give it another name",
        )
    if path.is_dir():
        raise DataError(
            code="cannot-write",
            message=f"the {what} {str(path)!r} is a directory",
            advice="give the path of a file",
        )
    if endings and path.suffix.lower() not in endings:
        allowed = ", ".join(endings)
        if len(endings) > 1:
            allowed = f"one of {allowed}"
        raise DataError(
            code="output-format",
            message=f"unknown format of the {what} {str(path)!r}",
            advice=f"end it in {allowed}{remark}",
        )
    if not path.parent.is_dir():
        raise DataError(
            code="cannot-write",
            message=f"there is no directory {str(path.parent)!r} for the {what}",
            advice="make it first",
        )
    if not os.access(path.parent, os.W_OK):
        raise DataError(
            code="cannot-write",
            message=f"the directory {str(path.parent)!r} of the {what} cannot be written",
            advice="give a file in another directory",
        )
    if not path.exists():
        return
    if not path.is_file():
        raise DataError(
            code="cannot-write",
            message=f"the {what} {str(path)!r} is not a regular file",
            advice="give another path",
        )
    # The mode counts too: an administrator may write any file, but has made this one read-only for a reason.
    if not (os.access(path, os.W_OK) and path.stat().st_mode & _ANY_WRITE_BIT):
        raise DataError(
            code="cannot-write",
            message=f"the {what} {str(path)!r} is read-only",
            advice="make it writable, delete it or give another path",
        )


@contextmanager
def writing(path: AnyPath, what: str = "output") -> Iterator[IO[bytes]]:
    """Open a temporary binary file that replaces ``path`` at the end of the block. After an error it is removed."""
    path = Path(path)
    check_output(path, what=what)
    _remove_abandoned(path.parent)
    temporary = path.with_name(f".bitsieve-{secrets.token_hex(8)}.tmp")
    lock = None
    unfinished_paths.add(temporary)
    try:
        with open(temporary, "wb", opener=lambda name, _: os.open(name, _NEW_FILE, 0o666)) as file:
            if sys.platform != "win32":  # there, files that killed processes left are not removed
                lock = os.dup(file.fileno())  # the lock is held until the file has its final name
                try_lock(lock)
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.is_file():
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    except OSError as error:
        raise DataError(
            code="cannot-write",
            message=f"cannot write {str(path)!r}: {error.strerror or one_line(error)}",
        ) from None
    finally:  # also after Ctrl-C and SIGTERM; unlink fails for a file that was renamed
        with suppress(OSError):
            temporary.unlink()
        unfinished_paths.discard(temporary)
        if lock is not None:
            os.close(lock)


def try_lock(file: IO[bytes] | int) -> bool:
    """Lock an open file until it is closed or the process ends. Returns False where another process holds the lock."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_abandoned(folder: Path) -> None:
    """Remove the temporary files of killed processes, whose locks nobody holds."""
    for path in folder.glob(".bitsieve-*.tmp"):
        with suppress(OSError), open(path, "rb", opener=lambda name, _: os.open(name, _ABANDONED_FILE)) as file:
            if path.stat().st_size and try_lock(file):  # an empty file may be about to be locked
                path.unlink()


def discard_unfinished() -> None:
    """Remove the files and folders in the making, for a process that ends at once."""
    for temporary in list(unfinished_paths):
        with suppress(OSError):
            temporary.unlink()
        shutil.rmtree(temporary, ignore_errors=True)


def write_text(path: AnyPath, text: str, what: str = "output") -> None:
    """Write ``text`` in UTF-8 as :func:`writing` does. Characters that UTF-8 does not have are escaped."""
    with writing(path, what) as file:
        file.write(text.encode(errors="backslashreplace"))
