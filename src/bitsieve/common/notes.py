"""Notes: what a user should know about a result, as warnings of one class that point to the user's own line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

_PACKAGE = __name__.partition(".")[0]


class BitsieveWarning(UserWarning):
    """What was noticed in the data or the result, and what may be done about it.

    Every note of this package is a warning of this class, so that one filter silences all of them, or makes all of
    them errors. The result keeps them, too: ``selection.notes`` and ``comparison.notes``.

    Parameters
    ----------
    note : str
        What was noticed.

    Examples
    --------
    >>> import warnings
    >>> import bitsieve
    >>> X, y = [[0, 5], [1, 5], [0, 5], [1, 5]], ["no", "yes", "no", "yes"]
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", bitsieve.BitsieveWarning)
    ...     selection = bitsieve.select(X, y, n_features_to_select=1, binning="none")
    >>> selection.notes
    ["column 'x1' is constant"]
    """

    def __init__(self, note: str) -> None:
        super().__init__(note)


def warn(note: str) -> None:
    """Give a note as a warning, at the first line on the stack that is not of this package."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(note, BitsieveWarning, stacklevel=level)


def warn_of(notes: Iterable[str]) -> None:
    """Give every note as a warning."""
    for note in notes:
        warn(note)
