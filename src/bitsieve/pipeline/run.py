"""A method is run on a prepared table: on its counts, or on its rows."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

from bitsieve.counts.threads import shared_helpers
from bitsieve.dataset.dataset import Dataset
from bitsieve.discretization.registry import make_binner, make_discretizer
from bitsieve.methods.by_counts.stopping import make_stopping
from bitsieve.methods.constraints import Candidates
from bitsieve.methods.method import UNSTRATIFIED, Method, check_capabilities, check_capabilities_of_rule
from bitsieve.options import DiscretizationOptions, ExecutionOptions
from bitsieve.pipeline.column_parameters import arguments_by_index
from bitsieve.pipeline.discretize import CountedTable, discretize
from bitsieve.pipeline.evidence import count_evidence
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.notes import job_notes
from bitsieve.pipeline.prepare import PreparedSelection, constraints_on
from bitsieve.pipeline.screen import check_screen, columns_screened_out
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.pipeline.strata import check_strata
from bitsieve.pipeline.uncut import rank_uncut_columns
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.note_warnings import warn
from bitsieve.utils.parameters import FeatureCount
from bitsieve.utils.progress import duration

LONG_JOB_SECONDS = 60  # on one thread: a longer job is announced
SCREENED_JOB_SECONDS = 20  # that a job takes at most with the screen that is proposed
PROPOSED_SCREENS = (10_000, 5_000, 2_000, 1_000, 500, 200, 100)  # columns


def run(prepared: PreparedSelection, execution: ExecutionOptions) -> Fit:
    """Check the options, and run the method on a prepared table. With a screen the method gets fewer columns."""
    check_options(prepared.selection, prepared.discretization, execution)
    check_data(prepared, execution)
    if prepared.selection.screen is None:
        return run_on_table(prepared, execution)
    return _run_on_screened_columns(prepared, prepared.selection.screen, execution)


def check_data(prepared: PreparedSelection, execution: ExecutionOptions) -> None:
    """Refuse data that the stopping rule, or else the method, does not take."""
    selection = prepared.selection
    available = prepared.table.capabilities
    if selection.stopping is not None:
        rule = make_stopping(selection.stopping)
        check_capabilities_of_rule(rule.name, rule.required_capabilities, available, execution.parameters_for_engines)
    check_capabilities(f"method {selection.method.name!r}", selection.required_capabilities, available)


def run_on_table(prepared: PreparedSelection, execution: ExecutionOptions) -> Fit:
    """Run the method without a screen. The table must have what the method requires."""
    if prepared.selection.method.needs_rows:
        return _run_on_rows(prepared, execution)
    return run_on_counts(prepared, discretize(prepared.table, prepared.discretization, execution), execution)


def run_on_counts(prepared: PreparedSelection, counted_table: CountedTable, execution: ExecutionOptions) -> Fit:
    """Run a method on counts."""
    selection = prepared.selection
    method = selection.method
    table = counted_table.table
    if not method.takes_strata:
        check_capabilities(f"method {method.name!r}", UNSTRATIFIED, table.capabilities)
    check_strata(table, selection.effect)
    candidates = _candidates(selection, table)
    n_selected = _number_to_select(selection, table, candidates)
    arguments = _arguments(selection, candidates)
    arguments.pop("estimator", None)  # these two decide the information that the method gets
    arguments.pop("effect", None)
    with shared_helpers():
        information = counted_table.estimated(selection.estimator, selection.effect)
        arguments = arguments_by_index(arguments, method, table, information.source)
        _warn_of_long_job(method, table, int(information.varies.sum()), n_selected)
        result = method.run(information, n_selected, **arguments)
        ranking = rank_uncut_columns(result, counted_table, selection, candidates, execution.n_jobs)
        result = ranking.result.with_dropped_last(table.dropped, table.n_features)
        evidence = count_evidence(counted_table, result.selected, information)
    return Fit(
        prepared=prepared,
        execution=execution,
        table=table,
        result=result,
        evidence=evidence,
        rank_tests=ranking.rank_tests,
    )


def _run_on_rows(prepared: PreparedSelection, execution: ExecutionOptions) -> Fit:
    from bitsieve.pipeline.samples import TableSamples

    method = prepared.selection.method
    table = prepared.table
    candidates = _candidates(prepared.selection, table)
    n_selected = _number_to_select(prepared.selection, table, candidates)
    arguments = _arguments(prepared.selection, candidates)
    if "n_jobs" in inspect.signature(method.run).parameters:
        arguments["n_jobs"] = execution.n_jobs
    discretizer = None
    if prepared.discretization.binning is not None:
        discretizer = make_discretizer(prepared.discretization, execution.n_jobs)
    samples = TableSamples(table.required_rows(), method.estimator, discretizer, execution.n_jobs)
    _warn_of_long_job(method, table, table.n_features - len(table.dropped), n_selected)
    with shared_helpers():
        result = method.run(samples, n_selected, **arguments)
        result = result.with_dropped_last(table.dropped, table.n_features)
    return Fit(prepared=prepared, execution=execution, table=table, result=result)


def _run_on_screened_columns(prepared: PreparedSelection, screen: int, execution: ExecutionOptions) -> Fit:
    """Run the method on the ``screen`` most relevant columns only. The evidence is about all columns."""
    check_screen(prepared)
    counted_table = discretize(prepared.table, _discretization_of_screen(prepared), execution)
    information = counted_table.estimated(prepared.selection.estimator, prepared.selection.effect)
    screened_out = columns_screened_out(prepared, information, screen)
    fit = run_on_table(replace(prepared, table=prepared.table.without(screened_out)), execution)
    evidence = fit.evidence
    if screened_out and evidence is not None:
        evidence = count_evidence(counted_table, fit.result.selected, information)
    return replace(fit, prepared=prepared, table=prepared.table, evidence=evidence, screened_out=screened_out)


def _discretization_of_screen(prepared: PreparedSelection) -> DiscretizationOptions:
    """The discretization by which relevance is measured for the screen.

    For a method on rows every numeric column is cut, at the median if not elsewhere: that it has no cut by the target
    does not make it useless for such a method.
    """
    method = prepared.selection.method
    options = prepared.discretization
    if not method.needs_rows or options.binning not in (None, BINNING, "mdl"):
        return options
    missing = options.missing
    if missing is None and method.takes_missing:
        missing = "bin"
    return replace(options, uncut=options.uncut or "median", missing=missing)


def check_options(
    selection: SelectionOptions, discretization: DiscretizationOptions, execution: ExecutionOptions
) -> None:
    """Raise ValueError for options that are wrong whatever the data."""
    method = selection.method
    is_on_densities = discretization.binning is None and method.needs_rows
    if method.bins and not is_on_densities:
        make_binner(discretization.binning, n_jobs=execution.n_jobs, **discretization.rule_parameters)
    selection.check()


def _candidates(selection: SelectionOptions, table: Dataset) -> Candidates | None:
    """The columns of the table among which a method with constraints selects; None for another method."""
    if not selection.takes_constraints:
        return None
    return constraints_on(table, selection.constraints)


def _arguments(selection: SelectionOptions, candidates: Candidates | None) -> dict[str, Any]:
    """The arguments of the method's function, with the candidates in place of the constraints."""
    arguments = selection.arguments
    if candidates is not None:
        arguments["constraints"] = candidates
    return arguments


def _number_to_select(selection: SelectionOptions, table: Dataset, candidates: Candidates | None) -> int | None:
    """The number of features to select from this table; None if the method ends by itself."""
    requested = selection.n_features_to_select
    count = FeatureCount(selection.method.ends_with)
    if candidates is not None:
        number = candidates.number(requested, count)
    else:
        number = count.among(requested, table.n_features - len(table.dropped))
    return None if selection.ends_by_itself else number


def _warn_of_long_job(method: Method, table: Dataset, n_columns: int, n_selected: int | None) -> None:
    """Warn if a method takes more than a minute on a dense table, and propose a screen with which it takes less."""
    if table.is_sparse:
        return
    n_rows = table.n_samples
    seconds = method.seconds(n_columns, n_rows, n_selected or n_columns)
    if seconds <= LONG_JOB_SECONDS:
        return
    min_screen = min(n_columns, n_selected or 1)
    proposed_screen = None
    duration_with_screen = ""
    for screen in PROPOSED_SCREENS:
        seconds_with_screen = method.seconds(screen, n_rows, min(n_selected or screen, screen))
        if min_screen <= screen < n_columns and seconds_with_screen <= SCREENED_JOB_SECONDS:
            proposed_screen = screen
            duration_with_screen = duration(seconds_with_screen)
            break
    long_job = job_notes.long_job(
        method.name, n_columns, n_rows, duration(seconds), proposed_screen, duration_with_screen
    )
    warn(long_job)
