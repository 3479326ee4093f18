"""Text for a terminal: numbers, escapes, and tables with aligned columns."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """A table as text, its columns two blanks apart; those marked in ``right`` are aligned right."""
    cells = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padded = []
        for cell, column_width, is_right in zip(row, widths, right, strict=True):
            padding = " " * (column_width - width(cell))
            padded.append(padding + cell if is_right else cell + padding)
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def printable(text: str) -> str:
    """``text`` with characters that break a line or control the terminal written as escapes."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def printable_lines(text: str) -> str:
    """:func:`printable` for a text of several lines, whose line ends stay."""
    return "\n".join(printable(line) for line in text.split("\n"))


def width(text: str) -> int:
    """The number of columns that ``text`` takes in a terminal."""
    if text.isascii():
        return len(text)
    return sum(_letter_width(letter) for letter in text)


def _letter_width(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    is_wide = unicodedata.east_asian_width(letter) in "WF"
    return 2 if is_wide else 1


def number(value: float) -> str:
    """A number with four decimals, without a minus before zero; "-" for nan."""
    if math.isnan(value):
        return "-"
    text = f"{value:.4f}"
    return text.removeprefix("-") if float(text) == 0 else text


def p_of_logarithm(log_p: float) -> str:
    """p from its natural logarithm, with three digits; as a power of e where p is too small for a float."""
    p = math.exp(log_p)
    return f"{p:.3g}" if p > 0 else f"e^{log_p:.0f}"


def different_numbers(first: float, second: float) -> tuple[str, str]:
    """Two numbers with as few digits as show that they differ, at least four; "-" for nan."""
    for digits in (4, 8, 12):
        texts = significant(first, digits), significant(second, digits)
        if texts[0] != texts[1]:
            return texts
    return significant(first, 17), significant(second, 17)  # so many digits tell any two floats apart


def significant(value: float, digits: int) -> str:
    """A number with so many significant digits; "-" for nan."""
    return "-" if math.isnan(value) else f"{value:.{digits}g}"


def finite(value: float) -> float | None:
    """``value``, or None if it is nan or infinite."""
    return float(value) if math.isfinite(value) else None
