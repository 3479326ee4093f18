"""The warnings of categorical columns with few rows for each value."""

from __future__ import annotations

import numpy as np

from bitsieve.diagnostics import Diagnostic
from bitsieve.information.few_repeats import FewRepeats, few_repeats
from bitsieve.pipeline.discretize import CountedTable
from bitsieve.pipeline.fit import CountEvidence, Fit
from bitsieve.pipeline.notes import column_notes, row_notes
from bitsieve.utils.arrays import Columns


def few_repeats_of(counted_table: CountedTable, selected: Columns) -> list[FewRepeats]:
    """The selected columns of categories that have few rows for each value."""
    categorical = [j for j in selected.tolist() if counted_table.binner.categories_of(j) is not None]
    return few_repeats(counted_table.information, np.array(categorical, np.intp))


def on_few_repeats(fit: Fit, evidence: CountEvidence) -> list[Diagnostic]:
    """Which selected columns have few rows for each value: their information is mostly chance, or rows belong together.

    With the plug-in estimator, the note on many values says what is chance. With groups, the rows of a group are known
    to belong together.
    """
    table = fit.table
    is_plug_in = fit.selection.estimator == "plug-in"
    has_groups = "independent" not in table.capabilities
    diagnostics = []
    for repeats in evidence.few_repeats:
        name = str(table.names[repeats.column])
        if repeats.is_chance and not is_plug_in:
            diagnostics.append(column_notes.mostly_chance(name, repeats.n_values, table.n_samples))
        elif not repeats.is_chance and not has_groups:
            diagnostics.append(row_notes.rows_of_one_value(name, repeats.n_values, table.n_samples))
    return diagnostics
