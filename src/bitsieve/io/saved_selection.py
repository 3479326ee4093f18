"""Whether a file is a selection that ``Selection.save`` or ``bitsieve select --save`` has written."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

FORMAT = "bitsieve selection"
_BEGINNING = f'{{\n "format": "{FORMAT}",'.encode()  # as every such file begins


def is_saved_selection(path: str | PathLike[str]) -> bool:
    """Whether a file begins as a saved selection does; False for what cannot be read."""
    path = Path(path)
    if not path.is_file():
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(_BEGINNING)) == _BEGINNING
    except OSError:
        return False
