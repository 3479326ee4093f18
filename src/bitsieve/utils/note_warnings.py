"""Notes as warnings of Python, at the line of the user that led to them."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from bitsieve.diagnostics import Diagnostic, python_setting
from bitsieve.utils.libraries import log
from bitsieve.utils.note_lines import as_lines

INTERNAL_MODULES = ("bitsieve.", "sklearn.", "joblib.")  # on the stack between a note and the line of the user
PYTHON_HAS_ALL = "see .diagnostics"  # where all notes of a result are


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
