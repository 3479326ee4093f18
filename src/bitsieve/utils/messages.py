"""Parts of messages; notes as warnings; aligned tables for a terminal."""

from __future__ import annotations

import difflib
import math
import sys
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from bitsieve.diagnostics import Diagnostic, UserError, literal
from bitsieve.utils.lazy import log

_BETWEEN = ("bitsieve.", "sklearn.callback.")  # modules between a note and the line of the user


def one_line(text: object) -> str:
    """``text`` with every run of white space made one space, so that it fits a line."""
    return " ".join(str(text).split())


def quoted(names: Iterable[object], limit: int = 5) -> str:
    """``'a', 'b', 'c' and 7 more``: at most ``limit`` names, each quoted."""
    listed = names if isinstance(names, Sequence) else [*names]
    return quoted_places(range(len(listed)), listed, limit)


def quoted_places(places: Sequence[int], names: Sequence[object], limit: int = 5) -> str:
    """The same of the names at some places, of which no more are looked up than are shown."""
    listed = ", ".join(repr(str(names[j])) for j in places[:limit])
    return listed if len(places) <= limit else f"{listed} and {len(places) - limit:,} more"


def nearest(name: str, allowed: Sequence[str], limit: int = 3) -> list[str]:
    """The names in ``allowed`` that ``name`` may be a slip of, best first (perhaps none)."""
    wanted = name.strip().casefold()
    # Long tables have 10^5 names; a slip changes the length by little, so only those are compared.
    near = [other for other in allowed if abs(len(other) - len(name)) <= 2 + len(name) // 4]
    alike = str.startswith if len(wanted) > 2 else str.__eq__
    folded = sorted((other for other in allowed if alike(other.strip().casefold(), wanted)), key=len)
    close = difflib.get_close_matches(wanted, [other.casefold() for other in near[:5000]], n=limit, cutoff=0.6)
    by_fold: dict[str, str] = {}
    for other in near[:5000]:
        by_fold.setdefault(other.casefold(), other)
    ordered = folded + [by_fold[text] for text in close]
    return list(dict.fromkeys(ordered))[:limit]


def meant(name: str, allowed: Sequence[Any]) -> str:
    """``name``, or the only one of ``allowed`` that is the same but for white space around it."""
    alike = () if name in allowed else [other for other in map(str, allowed) if other.strip() == name.strip()]
    return alike[0] if len(alike) == 1 else name


def choices(name: str, allowed: Iterable[str], whole: str = "") -> str:
    """An advice for a wrong ``name``: the nearest of ``allowed``, and all of them, or ``whole``."""
    known = list(allowed)
    near = difflib.get_close_matches(name, known, 3, 0.4)
    rest = whole if near and whole else f"choose one of {', '.join(known)}"
    return f"did you mean {' or '.join(near)}? {rest}" if near else rest


def allowed_names(name: str, allowed: Sequence[str]) -> str:
    """An advice for the wrong ``name``: the nearest names, else the first allowed ones."""
    close = nearest(name, allowed)
    if close:
        return literal(f"did you mean {' or '.join(repr(other) for other in close)}?")
    return literal(f"it is one of {quoted(allowed, limit=8)}")


def needs_dense_rows(who: str) -> UserError:
    """The error where ``who`` is given a sparse table and needs every value of its rows."""
    return UserError(
        code="dense-rows-needed",
        message=f"the table is sparse, but {who} needs dense rows",
        advice="use a method on counts, such as jmi, or make the table dense (X.toarray()) if it is small",
    )


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Columns two blanks apart under ``header``; those marked in ``right`` end at one place, the others begin there."""
    cells = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padded = [
            " " * (size - width(cell)) + cell if to_right else cell + " " * (size - width(cell))
            for cell, size, to_right in zip(row, widths, right, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def printable(text: str) -> str:
    """``text`` with what would break a line or steer the terminal written as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def width(text: str) -> int:
    """Columns that ``text`` takes in a terminal: two for wide letters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def number(value: float) -> str:
    """Four places, no minus before a zero, "-" for no number."""
    if math.isnan(value):
        return "-"
    text = f"{value:.4f}"
    return text.removeprefix("-") if float(text) == 0 else text


def finite(value: float) -> float | None:
    """``value``, or None where it is no number."""
    return float(value) if math.isfinite(value) else None


class BitsieveWarning(UserWarning):
    """What was noticed in the data or the result, and what may be done about it.

    Every note of this package is a warning of this class, so that one filter silences all of them, or makes all of
    them errors. The result keeps them, too: ``selection.diagnostics`` and ``comparison.diagnostics``.

    Parameters
    ----------
    note : Diagnostic or str
        What was noticed. ``warning.diagnostic`` has it as data, ``str(warning)`` as text.

    Examples
    --------
    >>> import warnings
    >>> import bitsieve
    >>> X, y = [[0, 5], [1, 5]] * 5, ["no", "yes"] * 5
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", bitsieve.BitsieveWarning)
    ...     selection = bitsieve.select(X, y, n_features_to_select=1, binning="none")
    >>> selection.notes[-1]
    "column 'x1' is constant"
    """

    def __init__(self, note: Diagnostic | str) -> None:
        super().__init__(str(note))
        self.diagnostic = note if isinstance(note, Diagnostic) else Diagnostic(code="other", message=note)

    def __reduce__(self) -> tuple[type[BitsieveWarning], tuple[Diagnostic]]:
        return type(self), (self.diagnostic,)


def warn(note: Diagnostic, kind: type[Warning] = BitsieveWarning) -> None:
    """Give a note as a warning, at the first line on the stack that called this package, and log it."""
    log("warning", str(note))
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_BETWEEN):
        level, frame = level + 1, frame.f_back
    if issubclass(kind, BitsieveWarning):
        warnings.warn(kind(note), stacklevel=level)
    else:
        warnings.warn(str(note), kind, stacklevel=level)


def warn_of(notes: Iterable[Diagnostic]) -> None:
    """Give every note as a warning; in a notebook when the cell has run, unless a display has shown it by then."""
    shell = notebook()
    if shell is not None:
        with warnings.catch_warnings(record=True) as caught:  # filters hold as they are here
            for note in notes:
                warn(note)
        _held.extend(caught or ())
        shell.events.register("post_run_cell", _warn_of_held)
        return
    for note in notes:
        warn(note)


_held: list[warnings.WarningMessage] = []  # of the cell that is running


def _warn_of_held(*_: object) -> None:
    """Give the notes that no display of the cell has shown."""
    for held in _held:
        warnings.showwarning(held.message, held.category, held.filename, held.lineno)
    _held.clear()


def displayed(notes: Iterable[str]) -> list[str]:
    """The notes, which a display shows now, so that they are not given again when the cell has run."""
    shown = list(notes)
    _held[:] = [held for held in _held if str(held.message) not in shown]
    return shown


def notebook() -> Any:
    """The shell of the notebook that runs this; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell if hasattr(shell, "kernel") else None
