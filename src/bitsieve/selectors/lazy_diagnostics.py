"""The diagnostics of a fitted selector, which are looked for when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.pipeline.diagnose import diagnose
from bitsieve.pipeline.evidence import with_evidence
from bitsieve.pipeline.fit import Fit


class LazyDiagnostics:
    """Diagnostics that take counting, which a fitted selector does not do before they are asked for.

    Until then it holds the fit, with its table. A pickle has none: without them it keeps those of the preparation.
    """

    def __init__(self, on_preparation: Sequence[Diagnostic], fit: Fit | None = None) -> None:
        self._diagnostics = list(on_preparation)
        self._fit = fit

    @property
    def value(self) -> list[Diagnostic]:
        """The diagnostics."""
        if self._fit is not None:
            try:
                self._diagnostics = diagnose(with_evidence(self._fit))
            except UserError as error:  # what cannot be selected from by counts
                self._diagnostics = [*self._diagnostics, error.diagnostic]
            self._fit = None
        return self._diagnostics

    def __getstate__(self) -> dict[str, Any]:
        return {"_diagnostics": self._diagnostics, "_fit": None}
