"""Ranges of whole lines of a text file, each of which can be read as a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_BLOCK = 1 << 24  # bytes looked at once
_MARK = b"\xef\xbb\xbf"  # what some programs write before the header
_QUOTE, _LINE_ENDS = ord('"'), tuple(b"\r\n")


def starts_of_lines(path: Path, size: int) -> list[int]:
    """Where ranges of about ``size`` bytes begin, the first one behind the header, and where the last one ends."""
    with open(path, "rb") as file:
        while (line := file.readline()) and not line.removeprefix(_MARK).strip():
            pass
        starts, end = [file.tell()], path.stat().st_size
        while starts[-1] + size < end:
            file.seek(starts[-1] + size)
            file.readline()
            starts.append(min(file.tell(), end))
    return [*starts, end] if starts[-1] < end else starts


def opened_range(path: Path, n_header: int, first: int, end: int) -> pa.BufferReader:
    """The header, which is the first ``n_header`` bytes of a file, and a range of its bytes."""
    with open(path, "rb") as file:
        header = file.read(n_header)
        file.seek(first)
        return pa.BufferReader(header + file.read(end - first))


def quotes_stay_in_lines(path: Path, delimiter: str) -> bool:
    """Whether every quoted value ends in the line in which it begins, and quotation marks stand nowhere else."""
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            if not _all_closed(np.frombuffer(block + file.readline(), np.uint8), ord(delimiter)):
                return False
    return True


def _all_closed(text: NDArray[np.uint8], delimiter: int) -> bool:
    """The same of some whole lines."""
    marks = np.flatnonzero(text == _QUOTE)
    if len(marks) % 2:
        return False
    opening, closing = marks[::2], marks[1::2]
    beside = np.isin(np.concatenate([[_LINE_ENDS[0]], text, [_LINE_ENDS[0]]]), (delimiter, _QUOTE, *_LINE_ENDS))
    ends = np.flatnonzero(np.isin(text, _LINE_ENDS))
    within = np.searchsorted(ends, opening) == np.searchsorted(ends, closing)
    return bool((beside[opening] & beside[closing + 2] & within).all())
