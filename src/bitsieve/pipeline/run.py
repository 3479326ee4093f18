"""A method is run on a prepared table: on its counts, or on its rows."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

from bitsieve.counts.threads import kept_threads
from bitsieve.dataset.dataset import Dataset
from bitsieve.discretization.registry import make_binner, make_discretizer
from bitsieve.methods.method import Method, check_capabilities
from bitsieve.options import DiscretizationOptions, ExecutionOptions
from bitsieve.pipeline import notes
from bitsieve.pipeline.discretize import Counted, discretize
from bitsieve.pipeline.evidence import count_evidence
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.prepare import PreparedSelection, check_screen, columns_screened_out, constraints_on
from bitsieve.pipeline.samples import TableSamples
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.messages import warn
from bitsieve.utils.parameters import FeatureCount
from bitsieve.utils.progress import duration

LONG = 60  # seconds of one thread from which a method says beforehand how long it takes
SHORT = 20  # and those that a screen is to leave
SCREENS = (10_000, 5_000, 2_000, 1_000, 500, 200, 100)  # columns


def run(prepared: PreparedSelection, execution: ExecutionOptions) -> Fit:
    """Run a method on a prepared table: on its counts, or on its rows; with a screen on some of the columns."""
    check_options(prepared.selection, prepared.discretization, execution)
    method = prepared.selection.method
    check_capabilities(method.estimator, prepared.selection.required_capabilities, prepared.table.capabilities)
    if prepared.selection.screen is None:
        return run_on_table(prepared, execution)
    return _run_on_screened_columns(prepared, prepared.selection.screen, execution)


def run_on_table(prepared: PreparedSelection, execution: ExecutionOptions) -> Fit:
    """Run a method on all columns that are left of a prepared table which has what the method requires."""
    if prepared.selection.method.needs_rows:
        return _run_on_rows(prepared, execution)
    return run_on_counts(prepared, discretize(prepared.table, prepared.discretization, execution), execution)


def run_on_counts(prepared: PreparedSelection, counted: Counted, execution: ExecutionOptions) -> Fit:
    """Run a method on the counts of a prepared table."""
    selection = prepared.selection
    arguments, n_selected = _arguments_for_table(selection, counted.table)
    with kept_threads():
        estimator = arguments.pop("estimator", counted.information.estimator)
        information = counted.estimated(estimator)
        _warn_of_long_job(selection.method, counted.table, int(information.varies.sum()), n_selected)
        result = selection.method.run(information, n_selected, **arguments)
        result = result.with_dropped_last(counted.table.left_out, counted.table.n_features)
        evidence = count_evidence(counted, result.selected, information)
    return Fit(prepared=prepared, execution=execution, table=counted.table, result=result, evidence=evidence)


def _run_on_rows(prepared: PreparedSelection, execution: ExecutionOptions) -> Fit:
    selection, table = prepared.selection, prepared.table
    arguments, n_selected = _arguments_for_table(selection, table)
    if "n_jobs" in inspect.signature(selection.method.run).parameters:
        arguments["n_jobs"] = execution.n_jobs
    discretizer = None
    if prepared.discretization.binning is not None:
        discretizer = make_discretizer(prepared.discretization, execution.n_jobs)
    samples = TableSamples(table.required_rows(), selection.method.estimator, discretizer, execution.n_jobs)
    _warn_of_long_job(selection.method, table, table.n_features - len(table.left_out), n_selected)
    with kept_threads():
        result = selection.method.run(samples, n_selected, **arguments)
        result = result.with_dropped_last(table.left_out, table.n_features)
    return Fit(prepared=prepared, execution=execution, table=table, result=result)


def _run_on_screened_columns(prepared: PreparedSelection, screen: int, execution: ExecutionOptions) -> Fit:
    """Run a method on the columns of the largest relevance alone; its evidence is of all columns."""
    check_screen(prepared)
    counted = discretize(prepared.table, _discretization_of_screen(prepared), execution)
    information = counted.estimated(prepared.selection.estimator)
    screened_out = columns_screened_out(prepared, information, screen)
    fit = run_on_table(replace(prepared, table=prepared.table.without(screened_out)), execution)
    evidence = fit.evidence
    if screened_out and evidence is not None:
        evidence = count_evidence(counted, fit.result.selected, information)
    return replace(fit, prepared=prepared, table=prepared.table, evidence=evidence, screened_out=screened_out)


def _discretization_of_screen(prepared: PreparedSelection) -> DiscretizationOptions:
    """The discretization for a screen: for a method on rows one that cuts every numeric column, as it may use all."""
    method, options = prepared.selection.method, prepared.discretization
    if not method.needs_rows or options.binning not in (None, BINNING, "mdl"):
        return options
    return replace(
        options,
        uncut=options.uncut or "median",
        missing=options.missing or ("bin" if method.takes_missing else None),
    )


def check_options(
    selection: SelectionOptions, discretization: DiscretizationOptions, execution: ExecutionOptions
) -> None:
    """Raise ValueError for options that are wrong whatever the data."""
    method = selection.method
    is_on_densities = discretization.binning is None and method.needs_rows
    if method.bins and not is_on_densities:
        make_binner(discretization.binning, n_jobs=execution.n_jobs, **discretization.rule_parameters)
    selection.check()


def _arguments_for_table(selection: SelectionOptions, table: Dataset) -> tuple[dict[str, Any], int | None]:
    """The arguments of the method's function for this table, and the number of features to select.

    Constraints become candidates. The number is None if the method ends by itself.
    """
    count = FeatureCount(selection.method.ends_with)
    arguments = selection.arguments
    if selection.takes_constraints:
        candidates = constraints_on(table, selection.constraints)
        arguments["constraints"] = candidates
        number = candidates.number(selection.n_features_to_select, count)
    else:
        number = count.among(selection.n_features_to_select, table.n_features - len(table.left_out))
    return arguments, None if selection.ends_by_itself else number


def _warn_of_long_job(method: Method, table: Dataset, n: int, k: int | None) -> None:
    """Warn of a method that takes more than a minute for n columns of a dense table, and say what takes less."""
    d, minimum = table.n_samples, min(n, k or 1)
    if table.is_sparse or (seconds := method.seconds(n, d, k or n)) <= LONG:
        return
    short = [m for m in SCREENS if minimum <= m < n and method.seconds(m, d, min(k or m, m)) <= SHORT]
    screen = short[0] if short else None
    with_screen = "" if screen is None else duration(method.seconds(screen, d, min(k or n, screen)))
    warn(notes.long_job(method.name, n, d, duration(seconds), screen, with_screen))
