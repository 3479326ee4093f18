"""The diagnostics of a fitted selector, which are found when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.pipeline.diagnose import diagnose
from bitsieve.pipeline.evidence import with_evidence
from bitsieve.pipeline.fit import Fit


class LazyDiagnostics:
    """Diagnostics that need more counting, which is done when ``value`` is first read.

    Until then the fit is held, with its table. A pickle does not hold the fit: made before ``value`` is read, it has
    the diagnostics on the preparation only.
    """

    def __init__(self, on_preparation: Sequence[Diagnostic], fit: Fit | None = None) -> None:
        self._diagnostics = list(on_preparation)
        self._fit = fit

    @property
    def value(self) -> list[Diagnostic]:
        """All diagnostics, or those on the preparation and an error if the selection cannot be counted."""
        if self._fit is not None:
            try:
                self._diagnostics = diagnose(with_evidence(self._fit))
            except UserError as error:  # such as columns that all have one bin
                self._diagnostics = [*self._diagnostics, error.diagnostic]
            self._fit = None
        return self._diagnostics

    def __getstate__(self) -> dict[str, Any]:
        return {"_diagnostics": self._diagnostics, "_fit": None}
