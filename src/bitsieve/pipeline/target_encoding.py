"""The warning of columns that encode the target."""

from __future__ import annotations

from bitsieve.diagnostics import Diagnostic
from bitsieve.pipeline.fit import CountEvidence, Fit
from bitsieve.utils.messages import quoted


def on_target_encodings(fit: Fit, evidence: CountEvidence) -> list[Diagnostic]:
    """Which selected columns encode the target."""
    target = fit.table.target
    diagnostics = []
    for encoding in evidence.target_encodings:
        name = str(fit.table.names[encoding.column])
        label = str(target.labels[encoding.class_code])
        diagnostics.append(
            Diagnostic(
                code="target-encoding",
                message=(
                    f"{quoted([name])} looks like an encoding of the target: each of its {encoding.n_values:,} values "
                    f"is near the share of {label!r} of {target.name!r} among its own rows"
                ),
                advice="encode on other rows, such as within the folds, or add {exclude}",
                fix={"exclude": [name]},
                columns=(name,),
                severity="warning",
            )
        )
    return diagnostics
