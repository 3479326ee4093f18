"""What ``bitsieve select --save`` and ``bitsieve count --save`` have written: a selection or a folder of counts."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from bitsieve.io.errors import DataError

FORMAT = "bitsieve selection"
#: In a folder of counts: a digest of what follows, the facts as a line of JSON, and the cells.
COUNTS_FILE = "counts.bitsieve"
SCORECARD_FORMAT = "bitsieve scorecard"
VOCABULARY_FORMAT = "bitsieve vocabulary"


def is_saved_selection(path: str | PathLike[str]) -> bool:
    """Whether a file begins as a saved selection does; False for what cannot be read."""
    return _has_format(path, FORMAT)


def is_saved_scorecard(path: str | PathLike[str]) -> bool:
    """Whether a file begins as a saved scorecard does; False for what cannot be read."""
    return _has_format(path, SCORECARD_FORMAT)


def is_saved_vocabulary(path: str | PathLike[str]) -> bool:
    """Whether a file begins as a vocabulary does; False for what cannot be read."""
    return _has_format(path, VOCABULARY_FORMAT)


def _has_format(path: str | PathLike[str], file_format: str) -> bool:
    """Whether a file begins as bitsieve writes JSON of this format."""
    beginning = f'{{\n "format": "{file_format}",'.encode()
    path = Path(path)
    if not path.is_file():
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(beginning)) == beginning
    except OSError:
        return False


def holds_counts(path: str | PathLike[str]) -> bool:
    """Whether a path is a folder of saved counts, or the file in it."""
    path = Path(path)
    return (path / COUNTS_FILE).is_file() or (path.name == COUNTS_FILE and path.is_file())


def check_selection_path(path: str | PathLike[str]) -> None:
    """Refuse a folder of saved counts where a selection is to be saved."""
    if holds_counts(path):
        raise DataError(
            code="cannot-write",
            message=f"{str(path)!r} holds counts of 'bitsieve count', and a selection is saved to a file",
            advice="give another name",
        )
