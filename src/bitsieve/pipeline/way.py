"""The way from data to a selection, on one page.

:func:`bitsieve.select` and the command line walk it from the first line to the last. Selectors, whose ``fit`` is given
rows, begin behind the reading and end before the evidence; ``compare`` and ``how_many`` run several methods on what
they prepared once.
"""

from __future__ import annotations

from typing import Any

from bitsieve.dataset.dataset import Dataset
from bitsieve.diagnostics import renamed
from bitsieve.options import DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.diagnose import refuse_constant_data
from bitsieve.pipeline.evidence import with_evidence
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.prepare import prepare_selection
from bitsieve.pipeline.reading import Requirements, plan_reading
from bitsieve.pipeline.run import run
from bitsieve.pipeline.selection_options import SelectionOptions


def run_selection(
    data: Any,
    read: ReadOptions,
    execution: ExecutionOptions,
    discretization: DiscretizationOptions,
    selection: SelectionOptions,
) -> Fit:
    """Read data, and select from it.

    Raises
    ------
    ValueError
        If the data or an option cannot be used. What can be refused before the data is read is refused before.
    """
    plan = plan_reading(data, read, execution, Requirements.of_method(selection.method))
    table = plan.open(read, execution.client)
    return run_on_read_table(table, execution, discretization, selection)


def run_on_read_table(
    table: Dataset,
    execution: ExecutionOptions,
    discretization: DiscretizationOptions,
    selection: SelectionOptions,
) -> Fit:
    """Select from a table that is read: drop columns, settle the options, run the method, and count the evidence."""
    parameter_of_user = "include" if selection.constraints is None else "must_include"
    with renamed("must_include", parameter_of_user):
        prepared = prepare_selection(table, selection, discretization, execution)
        refuse_constant_data(prepared.table)
        fit = run(prepared, execution)
        return with_evidence(fit)
