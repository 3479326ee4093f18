"""The way from data to a selection, on one page.

:func:`bitsieve.select` and the command line go all of it. The ``fit`` of a selector is given a table, so it reads
nothing, and it adds no evidence before somebody asks for it. ``compare`` and ``how_many`` prepare once, and run several
methods.
"""

from __future__ import annotations

from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.value_ranges import check_values
from bitsieve.diagnostics import parameter_reported_as
from bitsieve.engines.postgres import one_snapshot
from bitsieve.options import DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.diagnose import refuse_constant_data
from bitsieve.pipeline.evidence import with_evidence
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.prepare import prepare_selection
from bitsieve.pipeline.reading import Requirements, plan_reading
from bitsieve.pipeline.run import check_data, check_options, run
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.utils.types import TableLike


def run_selection(
    data: TableLike,
    read: ReadOptions,
    execution: ExecutionOptions,
    discretization: DiscretizationOptions,
    selection: SelectionOptions,
) -> Fit:
    """Read data, and select from it.

    Raises
    ------
    ValueError
        If the data or an option cannot be used; where possible, before the data is read.
    """
    plan = plan_reading(data, read, execution, Requirements.of_method(selection.method, discretization))
    with one_snapshot(data):
        table = plan.open(read, execution.client)
        return run_on_read_table(table, execution, discretization, selection)


def check_read_table(
    table: Dataset,
    execution: ExecutionOptions,
    discretization: DiscretizationOptions,
    selection: SelectionOptions,
) -> None:
    """Raise UserError for what would stop a selection from this table; nothing is selected."""
    prepared = prepare_selection(table, selection, discretization, execution)
    refuse_constant_data(prepared.table)
    check_options(prepared.selection, prepared.discretization, execution)
    check_data(prepared, execution)
    rows = prepared.table.rows
    if rows is not None and not rows.is_sparse:
        check_values(rows, allow_missing=prepared.takes_missing)


def run_on_read_table(
    table: Dataset,
    execution: ExecutionOptions,
    discretization: DiscretizationOptions,
    selection: SelectionOptions,
) -> Fit:
    """Select from a table that is read: drop columns, settle the options, run the method, and count the evidence."""
    parameter_of_user = "include" if selection.constraints is None else "must_include"
    with parameter_reported_as("must_include", parameter_of_user):
        prepared = prepare_selection(table, selection, discretization, execution)
        refuse_constant_data(prepared.table)
        fit = run(prepared, execution)
        return with_evidence(fit)
