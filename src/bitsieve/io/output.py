"""Where results are written: the check before any work, and the one writer, whose files appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import IO

from bitsieve.io.errors import DataError
from bitsieve.utils.messages import one_line

try:
    import fcntl
except ImportError:  # Windows: what was left is not removed there
    fcntl = None  # type: ignore[assignment]

AnyPath = str | PathLike[str]

# A new file, never one that is there already and never through a link that someone else has put there.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_LEFT = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_ANY_WRITE_BIT = 0o222
#: Files and folders that must not be left when the process ends.
unfinished: set[Path] = set()


def check_output(
    path: AnyPath, endings: Sequence[str] = (), *, what: str = "output", remark: str = "", source: AnyPath | None = None
) -> None:
    """Refuse a path that could not be written; ``remark`` is said after the ``endings`` that it may have."""
    path = Path(path)
    if source is not None and path.exists() and os.path.exists(source) and path.samefile(source):
        raise DataError(
            code="output-is-input",
            message=f"the {what} {str(path)!r} is the input itself",
            advice="give it another name",
        )
    if path.is_dir():
        raise DataError(
            code="cannot-write",
            message=f"the {what} {str(path)!r} is a directory",
            advice="give the path of a file",
        )
    if endings and path.suffix.lower() not in endings:
        allowed = f"{'one of ' * (len(endings) > 1)}{', '.join(endings)}"
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
            advice="choose another one",
        )
    if not path.exists():
        return
    if not path.is_file():
        raise DataError(
            code="cannot-write",
            message=f"the {what} {str(path)!r} is not a regular file",
            advice="give another path",
        )
    # The mode too: the administrator may write any file, and still means it when one is made read-only.
    if not (os.access(path, os.W_OK) and path.stat().st_mode & _ANY_WRITE_BIT):
        raise DataError(
            code="cannot-write",
            message=f"the {what} {str(path)!r} is read-only",
            advice="make it writable, delete it or give another path",
        )


@contextmanager
def writing(path: AnyPath, what: str = "output") -> Iterator[IO[bytes]]:
    """A binary file that takes the place of ``path`` at the end of the block; after an error nothing is left of it."""
    path = Path(path)
    check_output(path, what=what)
    _remove_left(path.parent)
    temporary, lock = path.with_name(f".bitsieve-{secrets.token_hex(8)}.tmp"), None
    unfinished.add(temporary)
    try:
        with open(temporary, "wb", opener=lambda name, _: os.open(name, _NEW, 0o666)) as file:
            if fcntl is not None:
                lock = os.dup(file.fileno())  # held until the file has its name
                locked(lock)
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
    finally:  # also after Ctrl-C and SIGTERM; of a file that was renamed nothing is there to remove
        with suppress(OSError):
            temporary.unlink()
        unfinished.discard(temporary)
        if lock is not None:
            os.close(lock)


def locked(file: IO[bytes] | int) -> bool:
    """Take the lock of an open file, which ends with the process; False where another one has it."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_left(folder: Path) -> None:
    """Remove what processes that were killed while they wrote have left: nobody holds its lock."""
    for path in folder.glob(".bitsieve-*.tmp"):
        with suppress(OSError), open(path, "rb", opener=lambda name, _: os.open(name, _LEFT)) as file:
            if path.stat().st_size and locked(file):  # an empty one is perhaps about to be locked
                path.unlink()


def discard_unfinished() -> None:
    """Remove what is being written, for a process that ends at once."""
    for temporary in list(unfinished):
        with suppress(OSError):
            temporary.unlink()
        shutil.rmtree(temporary, ignore_errors=True)


def write_text(path: AnyPath, text: str, what: str = "output") -> None:
    """Write ``text`` in UTF-8, what is no UTF-8 of the names of files escaped; see :func:`writing`."""
    with writing(path, what) as file:
        file.write(text.encode(errors="backslashreplace"))
