"""The diagnostics of a fitted selector, which are found when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.pipeline.diagnose import diagnose
from bitsieve.pipeline.evidence import with_evidence
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.notes import column_notes
from bitsieve.utils.diagnostic_list import Diagnostics


class LazyDiagnostics:
    """Diagnostics that need more counting, which is done when ``value`` is first read.

    Until then the fit is held, with its table. A pickle does not hold the fit: made before ``value`` is read, it has
    the diagnostics on the preparation only.
    """

    def __init__(self, preparation_diagnostics: Sequence[Diagnostic], fit: Fit | None = None) -> None:
        self.preparation_diagnostics = _with_parameters_of_selectors(preparation_diagnostics)
        self._diagnostics = self.preparation_diagnostics
        self._fit = fit

    @property
    def value(self) -> Diagnostics:
        """All diagnostics, or those on the preparation and an error if the selection cannot be counted."""
        if self._fit is not None:
            try:
                self._diagnostics = _with_parameters_of_selectors(diagnose(with_evidence(self._fit)))
            except UserError as error:  # such as columns that all have one bin
                self._diagnostics = Diagnostics([*self.preparation_diagnostics, error.diagnostic])
            self._fit = None
        return self._diagnostics

    def __getstate__(self) -> dict[str, Any]:
        return {
            "preparation_diagnostics": self.preparation_diagnostics,
            "_diagnostics": self._diagnostics,
            "_fit": None,
        }


def _with_parameters_of_selectors(diagnostics: Sequence[Diagnostic]) -> Diagnostics:
    """The diagnostics, with the parameter ``identifiers`` in place of ``include``, which selectors do not have."""
    reworded = Diagnostics()
    for diagnostic in diagnostics:
        if diagnostic.code == "identifier-dropped":
            reworded.append(column_notes.identifier_dropped(diagnostic.columns, {"identifiers": "keep"}))
        else:
            reworded.append(diagnostic)
    return reworded
