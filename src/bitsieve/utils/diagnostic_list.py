"""The diagnostics of a result: a list, a data frame, and the lines that are printed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bitsieve.diagnostics import Diagnostic, SettingWriter, python_setting
from bitsieve.utils.frames import check_library, frame_of
from bitsieve.utils.note_lines import as_lines, by_importance
from bitsieve.utils.note_warnings import PYTHON_HAS_ALL, displayed, warn_of_important
from bitsieve.utils.terminal_text import printable
from bitsieve.utils.types import DataFrame


class Diagnostics(list[Diagnostic]):
    """What was noticed in the data and in a result: a list of :class:`Diagnostic`.

    ``print`` shows at most three lines, the most important first; diagnostics of one code are one line.

    Parameters
    ----------
    diagnostics : iterable of Diagnostic, default=()
        In the order in which they were noticed.

    Examples
    --------
    >>> import bitsieve
    >>> X, y = [[0, 5, 7], [1, 5, 7]] * 5, ["no", "yes"] * 5
    >>> selection = bitsieve.select(X, y, n_features_to_select=1, binning="none")
    >>> print(selection.diagnostics)
    note: 2 columns are constant: 'x1', 'x2'
    >>> selection.diagnostics.to_frame()[["code", "severity"]]
           code severity
    0  constant     note
    """

    were_warned_of = False  # whether warnings have shown them already

    def __init__(self, diagnostics: Iterable[Diagnostic] = ()) -> None:
        super().__init__(diagnostics)

    def lines(self, write_setting: SettingWriter = python_setting, where_all: str = PYTHON_HAS_ALL) -> list[str]:
        """At most three lines, the most important first; diagnostics of one code are one line.

        Parameters
        ----------
        write_setting : function, optional
            Writes a parameter and its value; by default as Python has them.
        where_all : str, optional
            Where all notes are, for the last line, if there are more.

        Returns
        -------
        list of str
        """
        return [line.message for line in as_lines(self, write_setting, where_all)]

    def to_frame(self, library: str | None = None) -> DataFrame:
        """The diagnostics as a data frame, the most important first.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            By default pandas, or pyarrow where that is not installed.

        Returns
        -------
        dataframe
            code, severity, columns (names between commas), message and fix (parameters as a call has them).
        """
        ordered = by_importance(self)
        columns: dict[str, list[str]] = {
            "code": [diagnostic.code for diagnostic in ordered],
            "severity": [diagnostic.severity for diagnostic in ordered],
            "columns": [", ".join(diagnostic.columns) for diagnostic in ordered],
            "message": [str(diagnostic) for diagnostic in ordered],
            "fix": [_settings(diagnostic) for diagnostic in ordered],
        }
        return frame_of(columns, check_library(library))

    def warn(self) -> None:
        """Give the lines as warnings. What they have shown is not printed again below a result."""
        self.were_warned_of = warn_of_important(self)

    def printed(self) -> list[str]:
        """The lines below a printed result; a single one if warnings have shown the notes already."""
        if self.were_warned_of:
            return [f"note: see the warnings; .diagnostics has all notes ({len(self):,})"]
        return [f"note: {printable(line)}" for line in displayed(self.lines())]

    def html(self) -> str:
        """The lines, and all notes in full behind a button if that says more."""
        from bitsieve.utils import html  # only a notebook needs it

        displayed(self.lines())
        lines = self.lines(where_all="below")
        texts = [str(diagnostic) for diagnostic in by_importance(self)]
        return html.notes(lines, all_notes=[] if lines == texts else texts)

    def _repr_html_(self) -> str:
        from bitsieve.utils import html

        return html.display(self.html())

    def __str__(self) -> str:
        return "\n".join(f"note: {printable(line)}" for line in self.lines())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the diagnostics alone: in another process nothing has shown them."""
        return type(self), (list(self),)


def _settings(diagnostic: Diagnostic) -> str:
    return ", ".join(python_setting(name, value) for name, value in diagnostic.fix.items())
