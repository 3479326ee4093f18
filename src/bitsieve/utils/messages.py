"""Parts of messages; notes as warnings; aligned tables for a terminal."""

from __future__ import annotations

import difflib
import math
import re
import sys
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from bitsieve.diagnostics import Diagnostic, UserError, literal, python_setting
from bitsieve.utils.lazy import log
from bitsieve.utils.note_lines import as_lines

INTERNAL_MODULES = ("bitsieve.", "sklearn.", "joblib.")  # on the stack between a note and the line of the user
PYTHON_HAS_ALL = "see .diagnostics"  # where all notes of a result are
MAX_COMPARED_NAMES = 5000


def one_line(text: object) -> str:
    """``text`` on one line: every run of white space is replaced by a space."""
    return " ".join(str(text).split())


def quoted(names: Iterable[object], limit: int = 5) -> str:
    """``'a', 'b', 'c' and 7 more``: at most ``limit`` names, each quoted."""
    sequence = names if isinstance(names, Sequence) else list(names)
    return quoted_at(range(len(sequence)), sequence, limit)


def quoted_at(places: Sequence[int], names: Sequence[object], limit: int = 5) -> str:
    """:func:`quoted` for the names at the indices ``places``. Only those that are displayed are looked up."""
    first_names = ", ".join(repr(str(names[j])) for j in places[:limit])
    n_more = len(places) - limit
    return f"{first_names} and {n_more:,} more" if n_more > 0 else first_names


def nearest(name: str, allowed: Sequence[str], limit: int = 3) -> list[str]:
    """The allowed names that ``name`` may be a misspelling of, best first (perhaps none).

    First come those that begin with ``name`` in any case, the shortest first, then those with similar letters.
    """
    ordered = _with_same_beginning(name, allowed) + _with_similar_letters(name, allowed, limit)
    return list(dict.fromkeys(ordered))[:limit]


def _with_same_beginning(name: str, allowed: Sequence[str]) -> list[str]:
    """The allowed names that are ``name`` in another case, or begin with it if it has three letters; shortest first."""
    folded_name = name.strip().casefold()
    matches = []
    for other in allowed:
        folded = other.strip().casefold()
        is_longer_name = len(folded_name) > 2 and folded.startswith(folded_name)
        if folded == folded_name or is_longer_name:
            matches.append(other)
    return sorted(matches, key=len)


def _with_similar_letters(name: str, allowed: Sequence[str], limit: int) -> list[str]:
    """The allowed names of similar letters, most similar first."""
    # Long tables have 10^5 names. A misspelling changes the length by little, so others are not compared.
    max_difference = 2 + len(name) // 4
    of_similar_length = [other for other in allowed if abs(len(other) - len(name)) <= max_difference]
    name_of_folded: dict[str, str] = {}  # the first of the names that differ in case alone
    folded_names = []
    for other in of_similar_length[:MAX_COMPARED_NAMES]:
        folded_names.append(other.casefold())
        name_of_folded.setdefault(other.casefold(), other)
    matches = difflib.get_close_matches(name.strip().casefold(), folded_names, n=limit, cutoff=0.6)
    return [name_of_folded[folded] for folded in matches]


def nearest_in(parameter: str, value: object, allowed: Sequence[str]) -> dict[str, object]:
    """The ``fix`` of an error: the parameter with the allowed name nearest to ``value``; empty if none is near."""
    near = nearest(str(value), allowed, limit=1)
    return {parameter: near[0]} if near else {}


def closest_match(name: str, allowed: Sequence[Any]) -> str:
    """The only allowed name that differs from ``name`` in the white space around it; else ``name`` itself."""
    if name in allowed:
        return name
    matches = [other for other in map(str, allowed) if other.strip() == name.strip()]
    return matches[0] if len(matches) == 1 else name


def choices(name: str, allowed: Iterable[str], whole: str = "") -> str:
    """Advice for a wrong ``name``: the nearest allowed names, and all of them, or ``whole`` in place of all."""
    names = list(allowed)
    choose = f"choose one of {', '.join(names)}"
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if not near:
        return choose
    return f"did you mean {' or '.join(near)}? {whole or choose}"


def allowed_names(name: str, allowed: Sequence[str]) -> str:
    """Advice for a wrong ``name``: the nearest allowed names, else the first ones."""
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


def warn(note: Diagnostic, kind: type[Warning] = BitsieveWarning) -> bool:
    """Give a note as a warning, at the line of the user that led to it, and log it. Return whether it is shown.

    A cross-validation, which fits a selector many times, gives the notes of one code once.
    """
    log("warning", str(note))
    call = _call_of_user()
    if issubclass(kind, BitsieveWarning) and call.is_cross_validation:
        key = (note.code, call.file, call.line)
        if key in _given_in_cross_validation:
            return False
        _given_in_cross_validation.add(key)
    message = kind(note) if issubclass(kind, BitsieveWarning) else kind(str(note))
    warnings.warn(message, stacklevel=call.level)
    return _is_shown(str(note), kind, call)


class _Call(NamedTuple):
    """The innermost line on the stack that belongs to no library of ``INTERNAL_MODULES``."""

    level: int  # how far up the stack it is, seen from the caller of the function that looks for it
    file: str
    module: str
    line: int
    is_cross_validation: bool  # whether scikit-learn splits rows and fits to parts of them


_given_in_cross_validation: set[tuple[str, str, int]] = set()  # code, file and line
_shown: set[tuple[str, str, int]] = set()  # text, file and line


def _call_of_user() -> _Call:
    level = 1
    is_cross_validation = False
    frame = sys._getframe(1)
    while frame.f_back is not None:
        module = frame.f_globals.get("__name__", "")
        if not module.startswith(INTERNAL_MODULES):
            break
        is_cross_validation = is_cross_validation or module.startswith("sklearn.model_selection.")
        level += 1
        frame = frame.f_back
    return _Call(
        level=level,
        file=frame.f_code.co_filename,
        module=frame.f_globals.get("__name__", ""),
        line=frame.f_lineno,
        is_cross_validation=is_cross_validation,
    )


def _is_shown(text: str, kind: type[Warning], call: _Call) -> bool:
    """Whether Python shows a warning: its filters allow it, and do not hide it as a repeated one.

    The filters are read because Python itself reports this only to ``warnings.showwarning``, which all threads share.
    """
    action = _action_of_filters(text, kind, call)
    if action == "ignore":
        return False
    if action in ("always", "all"):
        return True
    key = (text, call.file, call.line)
    is_repeated = key in _shown
    _shown.add(key)
    return not is_repeated


def _action_of_filters(text: str, kind: type[Warning], call: _Call) -> str:
    """The action of the first filter of warnings that fits a warning; "default" if none does."""
    for action, message, category, module, line in warnings.filters:
        fits_text = message is None or re.match(message, text)
        fits_module = module is None or re.match(module, call.module)
        if issubclass(kind, category) and fits_text and fits_module and line in (0, call.line):
            return action
    return "default"


def warn_of(notes: Sequence[Diagnostic], where_all: str = PYTHON_HAS_ALL) -> bool:
    """Give the most important notes as warnings, at most three. Return whether one of them is shown.

    ``where_all`` is where the user finds all of them. A notebook gives them when the cell has run, unless a display
    has shown them by then; there it returns False.
    """
    lines = as_lines(notes, python_setting, where_all)
    shell = notebook()
    if shell is not None:
        with warnings.catch_warnings(record=True) as caught:  # filters hold as they are here
            for line in lines:
                warn(line)
        _held_warnings.extend(caught or ())
        shell.events.register("post_run_cell", _warn_of_held)
        return False

    are_shown = [warn(line) for line in lines]
    return any(are_shown)


_held_warnings: list[warnings.WarningMessage] = []  # those that the running cell of a notebook has given


def _warn_of_held(*_: object) -> None:
    """Give the notes that no display of the cell has shown."""
    for held in _held_warnings:
        warnings.showwarning(held.message, held.category, held.filename, held.lineno)
    _held_warnings.clear()


def displayed(notes: Iterable[str]) -> list[str]:
    """The notes themselves, which a display shows now: they are not given again when the cell has run."""
    displayed_notes = list(notes)
    _held_warnings[:] = [held for held in _held_warnings if str(held.message) not in displayed_notes]
    return displayed_notes


def notebook() -> Any:
    """The shell of the notebook that runs this; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell if hasattr(shell, "kernel") else None
