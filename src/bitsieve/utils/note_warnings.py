"""Notes on data and results, given as Python warnings at the line of the user that led to them."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from bitsieve.diagnostics import Diagnostic, python_setting
from bitsieve.utils.libraries import log
from bitsieve.utils.note_lines import as_lines

INTERNAL_MODULES = ("bitsieve.", "sklearn.", "joblib.")  # modules on the stack above the line of the user
PYTHON_HAS_ALL = "see .diagnostics"  # the place where the user finds all notes of a result


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


class _Call(NamedTuple):
    """The line of the user that called this package: the innermost one on the stack outside ``INTERNAL_MODULES``."""

    level: int  # the ``stacklevel`` that ``warnings.warn`` needs for it in the function that looks for the call
    file: str
    module: str
    line: int
    is_cross_validation: bool  # whether scikit-learn splits the rows and fits to parts of them


_given_in_cross_validation: set[tuple[str, str, int]] = set()  # code, file and line of notes
_shown: set[tuple[str, str, int]] = set()  # text, file and line of warnings
_waiting_for_cell: list[warnings.WarningMessage] = []  # warnings of the cell of a notebook that runs now


def warn(note: Diagnostic, kind: type[Warning] = BitsieveWarning) -> bool:
    """Log a note, and give it as a warning at the line of the user that led to it. Return whether Python shows it.

    A cross-validation fits a selector many times. It gives only the first note of each code.
    """
    text = str(note)
    log("warning", text)
    call = _call_of_user()
    is_ours = issubclass(kind, BitsieveWarning)
    if is_ours and call.is_cross_validation:
        key = (note.code, call.file, call.line)
        if key in _given_in_cross_validation:
            return False
        _given_in_cross_validation.add(key)
    message = kind(note) if is_ours else kind(text)
    warnings.warn(message, stacklevel=call.level)
    return _is_shown(text, kind, call)


def warn_of_important(notes: Sequence[Diagnostic], where_all: str = PYTHON_HAS_ALL) -> bool:
    """Give the most important notes as warnings, at most three. Return whether one of them is shown.

    ``where_all`` is the place where the user finds all notes. In a notebook the warnings wait until the cell has run,
    as a display of the cell may show the notes first. There the function returns False.
    """
    lines = as_lines(notes, python_setting, where_all)
    shell = notebook()
    if shell is None:
        are_shown = [warn(line) for line in lines]
        return any(are_shown)

    with warnings.catch_warnings(record=True) as recorded:  # by the filters of the cell
        for line in lines:
            warn(line)
    _waiting_for_cell.extend(recorded or ())
    shell.events.register("post_run_cell", _show_waiting)
    return False


def _show_waiting(*_: object) -> None:
    """Show the warnings that no display of the cell has shown."""
    for warning in _waiting_for_cell:
        warnings.showwarning(warning.message, warning.category, warning.filename, warning.lineno)
    _waiting_for_cell.clear()


def displayed(notes: Iterable[str]) -> list[str]:
    """Return the notes, which the caller displays now, and cancel the warnings of them that wait."""
    displayed_notes = list(notes)
    _waiting_for_cell[:] = [warning for warning in _waiting_for_cell if str(warning.message) not in displayed_notes]
    return displayed_notes


def notebook() -> Any:
    """The IPython shell of the notebook in which this process runs; None elsewhere."""
    ipython = sys.modules.get("IPython")
    if ipython is None:
        return None
    shell = ipython.get_ipython()
    if not hasattr(shell, "kernel"):  # a terminal has no kernel
        return None
    return shell


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
    """Whether Python shows a warning: the filters allow it, and it was not shown before if they show it once.

    Python reports this only to ``warnings.showwarning``, which all threads share. So the filters are read here.
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
    """The action of the first filter that matches a warning; "default" if none does."""
    for action, message, category, module, line in warnings.filters:
        matches_text = message is None or re.match(message, text)
        matches_module = module is None or re.match(module, call.module)
        if issubclass(kind, category) and matches_text and matches_module and line in (0, call.line):
            return action
    return "default"
