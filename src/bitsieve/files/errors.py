"""The one error of reading and writing files, and the check of names that every format shares."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bitsieve.common.messages import quoted

if TYPE_CHECKING:
    from pathlib import Path


class DataError(ValueError):
    """A file cannot be read or written: one line that names it, what is wrong and what to do."""


class EncodingError(DataError):
    """A file of text is not UTF-8."""


def check_names(names: list[str], path: Path) -> None:
    """Refuse two columns of one name."""
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        data_like = all(_is_number(name) for name in names)
        hint = " (the first line looks like data: is the header line missing?)" if data_like else ""
        raise DataError(f"{str(path)!r} has several columns named {quoted(twice)}: give every column its name{hint}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
