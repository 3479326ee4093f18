"""The one error of reading and writing files, and what every format says in the same words."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bitsieve.diagnostics import UserError, literal
from bitsieve.utils.messages import one_line, quoted

# A sparse file may have MAX_COLUMNS columns, or COLUMNS_PER_VALUE for each stored value if that is more.
MAX_COLUMNS = 1 << 20
COLUMNS_PER_VALUE = 16
# What is unpacked from a file may take MIN_EXPANDED_BYTES, or MAX_EXPANSION times the file if that is more.
MIN_EXPANDED_BYTES = 1 << 30
MAX_EXPANSION = 128
#: Path, size, time of change and inode of a file
FileState = tuple[str, int, int, int]


class DataError(UserError):
    """A file cannot be read or written: one line that names it, what is wrong and what to do."""


def check_names(names: Sequence[str], label: str) -> None:
    """Refuse several columns of one name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        look_like_data = all(is_number(name) for name in names)
        hint = " (the first line looks like data: is the header line missing?)" if look_like_data else ""
        raise DataError(
            code="duplicate-names",
            message=f"{label} has several columns named {quoted(repeated)}",
            advice=f"give every column its name{hint}",
            columns=repeated,
        )


def check_width(n_columns: int, n_stored: int, label: str) -> None:
    """Refuse a sparse file that declares far more columns than it has values, before they take memory."""
    max_columns = max(MAX_COLUMNS, COLUMNS_PER_VALUE * n_stored)
    if n_columns > max_columns:
        raise DataError(
            code="too-many-columns",
            message=f"{label} has {n_columns:,} columns, more than {max_columns:,}",
            advice=(
                f"a sparse file may have {MAX_COLUMNS:,}, or {COLUMNS_PER_VALUE} for each value that it "
                "stores; renumber them"
            ),
        )


def is_number(text: str) -> bool:
    """Whether a text is a number, as Python reads it."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def are_numbers(texts: Iterable[str]) -> bool:
    """Whether all texts are numbers, as Python reads them."""
    try:
        list(map(float, texts))
    except ValueError:
        return False
    return True


@contextmanager
def in_one_line(problem: str, needed: str | None = None, extra: str = "formats") -> Iterator[None]:
    """Turn any error that a library raises in the block into a :class:`DataError` of one line.

    The line begins with ``problem``. If a package is missing it says that ``needed`` needs it, and how to install the
    ``extra``.
    """
    try:
        yield
    except (UserError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # polars and other libraries in Rust raise a panic that is no Exception
        if needed is not None and isinstance(error, ImportError):
            raise DataError(
                code="package-missing",
                message=f"{needed} needs the package {error.name!r}",
                advice=f"pip install 'bitsieve[{extra}]'",
            ) from None
        raise DataError(code="cannot-read", message=f"{problem}: {_cause(error)}") from None


def _cause(error: BaseException) -> str:
    """What an error says, on one line; without the name of a file, which may be that of a copy."""
    if isinstance(error, MemoryError):
        return "it takes more memory than there is"
    if isinstance(error, OSError) and error.filename is not None and error.strerror is not None:
        return error.strerror
    text = one_line(error) or type(error).__name__
    text, _, _ = text.partition(" Detail: Python exception:")  # a traceback, which pyarrow quotes
    printable = "".join(letter if letter.isprintable() else "?" for letter in text)  # it may quote broken text
    return printable[:300]


@contextmanager
def readable(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn an error of the operating system in the block into a :class:`DataError` of one line."""
    try:
        yield
    except OSError as error:
        raise DataError(
            code="cannot-read",
            message=f"cannot read {str(path)!r}: {error.strerror or one_line(error)}",
        ) from None


def file_state(path: Path) -> FileState:
    """The state of a file, which differs after the file has changed."""
    with readable(path):
        status = os.stat(path)
    return str(path.resolve()), status.st_size, status.st_mtime_ns, status.st_ino


def check_unchanged(label: str, before: object, now: object) -> None:
    """Refuse data whose state is not what it was."""
    if before != now:
        raise DataError(
            code="data-changed",
            message=f"{label} changed while it was read",
            advice="run again when nobody writes it",
        )


def file_and_inside(path: Path) -> tuple[Path, str | None]:
    """Split a path such as ``sales.duckdb/orders`` into the file and the name of a table in it, or None."""
    if not path.exists():
        for parent in path.parents:
            if parent.is_file():
                return parent, str(path.relative_to(parent))
    return path, None


def matching_files(path: str | os.PathLike[str]) -> list[Path] | None:
    """The files that match a pattern such as ``part*.csv``, sorted; None for a path that is no pattern."""
    pattern = str(path)
    if not any(sign in pattern for sign in "*?[") or "://" in pattern or os.path.lexists(pattern):
        return None
    matches = sorted(glob.glob(pattern, recursive=True))
    if not matches:
        raise DataError(
            code="file-missing",
            message=f"no file matches {pattern!r}",
            advice="check the folder and the pattern",
        )
    return [Path(match) for match in matches]


def named_inside(names: Sequence[str], requested: str | None, label: str, what: str) -> str:
    """The requested table or sheet of a file, or its only one."""
    if requested is None and len(names) == 1:
        return names[0]
    if requested in names:
        return str(requested)
    if not names:
        raise DataError(
            code="empty-data",
            message=f"{label} has no {what}",
            advice="nothing to select from",
        )
    problem = f"has {len(names):,} {what}s" if requested is None else f"is no {what}"
    raise DataError(
        code="table-not-named",
        message=f"{label} {problem}",
        advice=literal(f"name one of {quoted(names, 20)}, as FILE/{names[0]} or by --table"),
    )
