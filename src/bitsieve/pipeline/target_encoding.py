"""The warning of columns that encode the target."""

from __future__ import annotations

from bitsieve.dataset.target_encoding import target_encodings
from bitsieve.diagnostics import Diagnostic
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.notes import target_notes


def on_target_encodings(fit: Fit) -> list[Diagnostic]:
    """Which selected columns encode the target."""
    target = fit.table.target
    if target.kind == "survival":
        return []
    diagnostics = []
    for encoding in target_encodings(fit.table, fit.result.selected):
        name = str(fit.table.names[encoding.column])
        label = str(target.labels[encoding.class_code])
        diagnostics.append(target_notes.target_encoding(name, encoding.n_values, target.name, label))
    return diagnostics
