"""Find what a user should know before trusting a selection. The texts are those of :mod:`~bitsieve.pipeline.notes`."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from bitsieve.dataset.copies import find_copies
from bitsieve.dataset.dataset import Dataset, DatasetT
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.discretization.base import n_codes_that_occur
from bitsieve.information.leaks import Leak
from bitsieve.methods.by_counts.stopping import make_stopping
from bitsieve.methods.method import GreedyStep
from bitsieve.pipeline.bins import on_bins
from bitsieve.pipeline.bins_within import on_bins_within
from bitsieve.pipeline.few_repeats import on_few_repeats
from bitsieve.pipeline.fit import CountEvidence, Fit
from bitsieve.pipeline.informative import on_informative
from bitsieve.pipeline.notes import column_notes, job_notes, selection_notes, target_notes
from bitsieve.pipeline.prepare import Prepared, PreparedSelection
from bitsieve.pipeline.related_rows import on_rows
from bitsieve.pipeline.strata import on_strata
from bitsieve.pipeline.target import on_classes, on_target
from bitsieve.pipeline.target_encoding import on_target_encodings
from bitsieve.pipeline.uncut import on_uncut
from bitsieve.utils.arrays import Columns
from bitsieve.utils.chi_squared import chi_squared_tail
from bitsieve.utils.choice import TIE
from bitsieve.utils.spelling import alike_but_for_case_and_blanks

DEPENDENCE_LEVEL = 0.05  # of the test whether two columns of a list depend on each other
MANY_VALUES = 20
MAX_SPELLINGS = 1000  # a column of more categories is free text, whose values differ in many ways
MAX_SHARE_OF_CHANCE = 0.1  # of the information of a column


def refuse_constant_data(table: Dataset) -> None:
    """Refuse a target of one class, or of one class a row, and features none of which varies."""
    table.target.check_usable(table.n_samples)
    if table.rows is not None and all(table.is_constant(j) for j in range(table.n_features)):
        raise UserError(
            code="constant-columns",
            message="no column varies: all features are constant, so none has information about the target",
        )


def diagnose(fit: Fit) -> list[Diagnostic]:
    """All diagnostics on the data and on the selection, in the order in which a user reads them."""
    table = fit.table
    evidence = fit.evidence_from_counts
    return [
        *on_preparation(fit.prepared),
        *on_classes(table.target, evidence.class_sizes),
        *on_missing(fit.prepared),
        *on_spellings(fit.prepared),
        *on_copies(fit.prepared),
        *on_screen(fit),
        *on_sample(table),
        *on_strata(table, fit.selection.effect),
        *on_bins(table, evidence.binner, fit.prepared.dropped, fit.about_unused_bins),
        *on_bins_within(evidence.binner, fit.prepared.requested_discretization),
        *on_row_counters(table, fit.result.selected),
        *on_leaks(evidence.leaks, table),
        *on_target_encodings(fit),
        *on_few_repeats(fit, evidence),
        *on_ties(fit, evidence),
        *on_informative(fit, evidence),
        *on_many_values(fit, evidence),
        *on_stop(fit),
        *on_not_executed(fit),
        *on_untested(fit),
        *on_dependence(fit, evidence),
        *on_codes_for_numbers(fit),
        *on_tested_rows(fit),
        *on_gap(fit),
        *on_uncut(fit),
    ]


def on_preparation(prepared: Prepared[Dataset]) -> list[Diagnostic]:
    """What was noticed before anything was counted: in the data, the target and the columns."""
    return [*prepared.original.diagnostics, *on_target(prepared.table), *prepared.diagnostics]


def on_missing(prepared: PreparedSelection) -> list[Diagnostic]:
    """Whether missing values became a bin without the user's word, or ``missing`` has no effect."""
    method = prepared.selection.method
    missing = prepared.discretization.missing
    if missing is not None:
        return [] if method.bins else [job_notes.missing_without_effect(missing, method.name)]
    if not method.bins or not isinstance(prepared.discretization.binning, str):
        return []
    table = prepared.original
    infos = table.summarize()
    columns = [j for j, column in enumerate(infos) if column.has_missing and j not in prepared.dropped]
    if not columns:
        return []
    return [column_notes.missing_kept(table.names_of(columns))]


def on_spellings(prepared: Prepared[DatasetT]) -> list[Diagnostic]:
    """Which columns have values that differ in case or blanks only. Dense tables in memory are searched."""
    table = prepared.original
    if table.rows is None or "dense" not in table.capabilities:
        return []
    dropped = {*prepared.dropped, *table.dropped}
    diagnostics = []
    for j, values in table.rows.categories():
        if j in dropped or len(values.categories) > MAX_SPELLINGS or not isinstance(values.categories[0], str):
            continue
        alike = alike_but_for_case_and_blanks(values.categories.tolist())
        if alike:
            diagnostics.append(column_notes.values_alike(str(table.names[j]), alike))
    return diagnostics


def on_copies(prepared: Prepared[DatasetT]) -> list[Diagnostic]:
    """Which columns repeat another one. Only dense tables in memory are searched."""
    table = prepared.original
    if table.rows is None or "dense" not in table.capabilities:
        return []
    dropped = {*prepared.dropped, *table.dropped}
    columns = [j for j in range(table.n_features) if j not in dropped]
    copies = find_copies(table.rows, columns)
    if not copies:
        return []
    kinds = [copy.kind(table.rows) for copy in copies[: column_notes.MAX_LISTED]]
    return [column_notes.copies(copies, kinds, table.names)]


def on_screen(fit: Fit) -> list[Diagnostic]:
    """How many columns a screen took from the method."""
    screen = fit.selection.screen
    if screen is None or not fit.screened_out:
        return []
    return [job_notes.screened_out(screen, len(fit.screened_out))]


def on_row_counters(table: Dataset, selected: Columns) -> list[Diagnostic]:
    """Which selected columns count the rows."""
    counters = [j for j in selected.tolist() if table.is_row_counter(j)]
    if not counters:
        return []
    return [column_notes.row_counter(table.names_of(counters))]


def on_sample(table: Dataset) -> list[Diagnostic]:
    """Which bins, of a table that is read in parts, were found on a sample of its rows."""
    diagnostics = []
    approximation = table.approximation
    if approximation is not None:
        names = table.names_of(approximation.columns)
        diagnostics.append(column_notes.binned_on_sample(names, approximation))
    if table.target_rank_error:
        diagnostics.append(target_notes.target_binned_on_sample(table.target.name, table.target_rank_error))
    return diagnostics


def on_leaks(leaks: Sequence[Leak], table: Dataset) -> list[Diagnostic]:
    """Which columns decide the target by themselves, such as one that is filled in after the outcome."""
    if not leaks:
        return []
    names = [str(table.names[leak.column]) for leak in leaks]
    smallest_share_of_rows = min(leak.share_of_rows for leak in leaks)
    decided = repr(table.target.name)
    if table.target.kind == "survival":
        decided = "whether there is an event,"
    return [target_notes.leak(names, decided, smallest_share_of_rows)]


def on_ties(fit: Fit, evidence: CountEvidence) -> list[Diagnostic]:
    """Which columns have the same score, so that a less relevant one may stand before a more relevant one."""
    runs: list[list[GreedyStep]] = [[]]  # of steps that follow each other
    for step in fit.result.steps:
        if step.is_tie:
            runs[-1].append(step)
        elif runs[-1]:
            runs.append([])
    diagnostics = []
    for run in runs:
        if not run:
            continue
        columns = np.concatenate([*(step.winner for step in run), run[-1].runner_up])
        relevance = evidence.relevance[columns]
        if (np.diff(relevance) > TIE).any():
            names = fit.table.names_of(columns.tolist())
            diagnostics.append(selection_notes.tied(names, relevance.tolist()))
    return diagnostics


def on_stop(fit: Fit) -> list[Diagnostic]:
    """Why there are fewer features than were requested, or where a rule ended."""
    stopping = fit.result.stopping
    n_selected = len(fit.result.selected)
    if n_selected == 0 and "delta" in fit.method.parameters:
        return [selection_notes.nothing_related(fit.method.name, fit.table.target.names)]
    if n_selected == 0 and stopping is None:
        return [selection_notes.empty_blanket(fit.method.name, fit.table.target.names)]
    if stopping is None or stopping.by == "n_features_to_select":
        requested = fit.selection.n_features_to_select
        if not isinstance(requested, int) or n_selected >= requested:
            return []
        return [selection_notes.fewer_selected(fit.method.name, n_selected, requested)]
    if stopping.candidate < 0 and stopping.reason:
        return [selection_notes.stopped_by_rule(n_selected, stopping.by, stopping.reason)]
    if stopping.candidate < 0:
        return [selection_notes.nothing_left(n_selected, fit.table.target.names)]
    candidate = str(fit.table.names[stopping.candidate])
    is_corrected = stopping.by == "threshold" and fit.selection.estimator == "corrected" and n_selected > 0
    return [
        selection_notes.stopped_at(n_selected, stopping.by, candidate, stopping.reason, before_correction=is_corrected)
    ]


def on_not_executed(fit: Fit) -> list[Diagnostic]:
    """How many tests of a search for a Markov blanket had fewer rows than ``power`` asks for."""
    n_not_executed = fit.result.extras.get("n_not_executed_", 0)
    if n_not_executed == 0:
        return []
    n_tests = fit.fitted_attribute("n_tests_")
    return [selection_notes.tests_not_executed(n_not_executed, n_tests, fit.selection.parameters["power"])]


def on_untested(fit: Fit) -> list[Diagnostic]:
    """Which columns could not be tested, as their neighbours determine them and nothing is left to permute."""
    stopping = fit.result.stopping
    if stopping is None or stopping.untested is None or not len(stopping.untested):
        return []
    return [selection_notes.untested(fit.table.names_of(stopping.untested.tolist()))]


def on_tested_rows(fit: Fit) -> list[Diagnostic]:
    """The note of :func:`on_rows`, if a rule tested the columns."""
    if not fit.selection.is_tested:
        return []
    return on_rows(fit.table)


def on_dependence(fit: Fit, evidence: CountEvidence) -> list[Diagnostic]:
    """What a list with an error rate means if its columns depend on each other.

    Two columns that share I bits in N rows depend on each other if the tail of chi-squared beyond ``2 ln 2 N I`` is at
    most 0.05, corrected for all pairs of the list.
    """
    table = fit.table
    if fit.result.stopping is not None and fit.result.stopping.neighbours:
        from bitsieve.methods.by_counts.stopping.conditional import ConditionalStopping

        diagnostics = [selection_notes.conditional_list(ConditionalStopping.conclusion)]
        if fit.evidence is not None and fit.evidence.binner.requires == "classes":
            diagnostics.append(selection_notes.list_from_target_bins())
        return diagnostics
    rule = fit.selection.stopping
    if rule is None or not make_stopping(rule).assumes_positive_dependence:
        return []
    n_selected = len(evidence.overlap)
    if n_selected < 2:
        return []
    largest = int(np.nanargmax(evidence.overlap))
    bits = float(evidence.overlap[largest])
    pair = [fit.result.selected[largest], evidence.overlap_with[largest]]
    n_codes = n_codes_that_occur(evidence.binner, table)[pair]
    degrees_of_freedom = int(np.prod(np.maximum(1, n_codes - 1)))
    p = chi_squared_tail(degrees_of_freedom, max(0.0, 2 * log(2) * table.n_samples * bits))
    n_pairs = n_selected * (n_selected - 1) / 2
    if p * n_pairs > DEPENDENCE_LEVEL:
        return []
    names = table.names_of(pair)
    return [selection_notes.list_of_dependent(names, bits, can_test="independent" in table.capabilities)]


def on_codes_for_numbers(fit: Fit) -> list[Diagnostic]:
    """Which columns of text, and which missing values, a rule takes for numbers.

    Two values of text have one order only, so that it does not matter.
    """
    if fit.selection.stopping is None:
        return []
    rule = make_stopping(fit.selection.stopping)
    if not rule.takes_codes_for_numbers:
        return []
    table = fit.table.required_rows()
    columns_of_text = [
        j
        for j, values in table.categories()
        if len(values.categories) > 2 and isinstance(values.categories[0], str) and j not in table.dropped
    ]
    columns_with_missing = [
        j
        for j, column in enumerate(table.summarize())
        if column.has_missing and j not in columns_of_text and j not in table.dropped
    ]
    diagnostics = []
    if columns_of_text:
        diagnostics.append(selection_notes.text_in_order(rule.name, [table.names[j] for j in columns_of_text]))
    if columns_with_missing:
        diagnostics.append(selection_notes.missing_in_order(rule.name, [table.names[j] for j in columns_with_missing]))
    return diagnostics


def on_many_values(fit: Fit, evidence: CountEvidence) -> list[Diagnostic]:
    """Which features have so many values that they look informative by chance.

    A column of m values and a target of k classes that are independent have about ``(m - 1) (k - 1) / (2 N ln 2)`` bits
    of plug-in information in N rows.
    """
    if fit.selection.estimator != "plug-in" or fit.table.target.kind == "survival":
        return []
    selected = fit.result.selected
    table = fit.table
    n_values = np.asarray(evidence.binner.n_bins_)[selected]
    bits_by_chance = (n_values - 1) * (table.target.n_classes - 1) / (2 * np.log(2) * table.n_samples)
    has_many_values = (n_values > MANY_VALUES) & (2 * n_values <= table.n_samples)  # with more it is an identifier
    is_inflated = bits_by_chance >= MAX_SHARE_OF_CHANCE * evidence.relevance[selected]
    inflated = selected[has_many_values & is_inflated].tolist()
    if not inflated:
        return []
    names = table.names_of(inflated)
    return [column_notes.many_values(names, has_estimator="estimator" in fit.selection.parameters)]


def on_gap(fit: Fit) -> list[Diagnostic]:
    """How near the subset is to the best one, if the method has an upper bound."""
    if "upper_bound_" not in fit.result.extras:
        return []
    gap = fit.fitted_attribute("gap_")
    n_selected = len(fit.result.selected)
    if gap <= 1e-12:  # the rounding of two sums
        return [selection_notes.best_found(n_selected)]
    percent = np.floor(1000 * (1 - gap)) / 10  # rounded down, so that "at least" holds
    return [selection_notes.near_best(n_selected, percent)]
