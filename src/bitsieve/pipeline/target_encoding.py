"""The warning of columns that encode the target."""

from __future__ import annotations

from bitsieve.dataset.target_encoding import target_encodings
from bitsieve.diagnostics import Diagnostic
from bitsieve.pipeline.fit import Fit
from bitsieve.utils.messages import quoted


def on_target_encodings(fit: Fit) -> list[Diagnostic]:
    """Which selected columns encode the target."""
    target = fit.table.target
    diagnostics = []
    for encoding in target_encodings(fit.table, fit.result.selected):
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
