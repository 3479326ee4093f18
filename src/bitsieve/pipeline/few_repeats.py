"""The warning of categorical columns with few rows for each value."""

from __future__ import annotations

import numpy as np

from bitsieve.diagnostics import Diagnostic
from bitsieve.information.few_repeats import FewRepeats, few_repeats
from bitsieve.pipeline.discretize import Counted
from bitsieve.pipeline.fit import CountEvidence, Fit
from bitsieve.utils.arrays import Columns
from bitsieve.utils.messages import quoted


def few_repeats_of(counted: Counted, selected: Columns) -> list[FewRepeats]:
    """Those of the selected columns that are categories with few rows for each value."""
    categories = counted.binner.categories_
    categorical = [j for j in selected.tolist() if categories is None or categories[j] is not None]
    return few_repeats(counted.information, np.array(categorical, np.intp))


def on_few_repeats(fit: Fit, evidence: CountEvidence) -> list[Diagnostic]:
    """Which selected columns have few rows for each value: their information is mostly chance, or rows belong together.

    Of the plug-in estimator another note says what is chance. Where groups are given, rows belong together already.
    """
    table = fit.table
    is_plug_in = fit.selection.estimator == "plug-in"
    has_groups = "independent" not in table.capabilities
    diagnostics = []
    for repeats in evidence.few_repeats:
        name = str(table.names[repeats.column])
        count = f"{quoted([name])} has {repeats.n_values:,} values in {table.n_samples:,} rows"
        if repeats.is_chance and not is_plug_in:
            diagnostics.append(
                Diagnostic(
                    code="mostly-chance",
                    message=f"{count}: at least half of what it seems to say of the target is chance",
                    advice="group its values, or add {exclude}",
                    fix={"exclude": [name]},
                    columns=(name,),
                    severity="warning",
                )
            )
        elif not repeats.is_chance and not has_groups:
            diagnostics.append(
                Diagnostic(
                    code="rows-of-one-value",
                    message=f"{count} and says much of the target: rows of one value may belong together",
                    advice="if they do, as rows of one person, add {groups}",
                    fix={"groups": name},
                    columns=(name,),
                    severity="warning",
                )
            )
    return diagnostics
