"""Find what a user should know before trusting a selection. The texts are those of :mod:`~bitsieve.pipeline.notes`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from math import log

import numpy as np

from bitsieve.dataset.copies import find_copies
from bitsieve.dataset.dataset import Dataset, DatasetT, InMemoryDataset
from bitsieve.dataset.encoding import are_categories
from bitsieve.dataset.identifiers import FEW_ROWS
from bitsieve.dataset.quantity import listed_edges
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.discretization.base import Binning, n_codes_that_occur
from bitsieve.discretization.mdl import MDLBinning
from bitsieve.information import COMMON
from bitsieve.information.leaks import Leak
from bitsieve.methods.by_counts.stopping import make_stopping
from bitsieve.methods.method import CONDITIONED, GreedyStep
from bitsieve.pipeline.bins_within import on_bins_within
from bitsieve.pipeline.evidence import has_no_information, max_values_tested
from bitsieve.pipeline.few_repeats import on_few_repeats
from bitsieve.pipeline.fit import CountEvidence, Fit
from bitsieve.pipeline.notes import column_notes, job_notes, row_notes, selection_notes, target_notes, text_notes
from bitsieve.pipeline.prepare import Prepared, PreparedSelection
from bitsieve.pipeline.selected_tests import InformativeState
from bitsieve.pipeline.strata import on_strata
from bitsieve.pipeline.target_encoding import on_target_encodings
from bitsieve.pipeline.uncut import on_uncut
from bitsieve.utils.arrays import Columns, Flags, Integers, Values
from bitsieve.utils.chi_squared import chi_squared_tail
from bitsieve.utils.choice import TIE
from bitsieve.utils.column_names import ColumnNames

DEPENDENCE_LEVEL = 0.05  # of the test whether two columns of a list depend on each other
MANY_CLASSES = 100
MANY_VALUES = 20
MIN_NUMBERS_OF_QUANTITY = 11  # a target of so many different numbers may be a quantity
MAX_SHARE_OF_CHANCE = 0.1  # of the information of a column
MIN_ROWS_FOR_CHANCE = 20  # in fewer rows even a column that repeats the class may do so by chance

#: Names of columns that say to which person a row belongs: "patient_id", "Subject", "customer id".
NAMES_OF_UNITS = re.compile(
    r"(?:subject|patient|person|participant|customer|user|client)?[\W_]*(?:ids?|subject|patient|person|participant)",
    re.I,
)
MAX_RUNS_SCORE = -6.0  # standard deviations: one column of noise in a thousand million has so few runs
MIN_SHARE_ALIKE = 0.25  # of the columns
MAX_ROWS_TESTED = 1 << 15
MAX_COLUMNS_TESTED = 200


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
        *on_missing(fit.prepared),
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
    return [column_notes.missing_kept(_names(table, columns))]


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


def on_bins(table: Dataset, binner: Binning, dropped: Collection[int], about_unused_bins: str) -> list[Diagnostic]:
    """Which columns have one bin only, and which nearly one a row. There are no notes on the ``dropped`` columns.

    Raises UserError if every column has one bin, unless the rule leaves a column without a cut in one bin.
    """
    n_bins = n_codes_that_occur(binner, table)
    if (n_bins == 1).all() and not _leaves_columns_uncut(binner):
        raise UserError(
            code="one-bin-only",
            message="every column became one bin, so none has information about the target",
            advice="use more bins",
        )
    is_dropped = np.zeros(len(n_bins), bool)
    is_dropped[list(dropped)] = True
    one_bin_columns = np.flatnonzero(~is_dropped & (n_bins == 1))
    constant = table.constant_columns(one_bin_columns.tolist())
    is_noted = ~is_dropped
    is_noted[constant] = False
    return [
        *_on_columns_without_cut(table, binner, n_bins, is_noted, about_unused_bins),
        *_on_constant_columns(table, constant),
        *_on_nearly_unique_categories(table, binner, n_bins),
    ]


def _leaves_columns_uncut(binner: Binning) -> bool:
    """Whether a column without a cut by the classes stays in one bin; else it is cut at its median."""
    return isinstance(binner, MDLBinning) and binner.uncut == "leave"


def _on_columns_without_cut(
    table: Dataset, binner: Binning, n_bins: Integers, is_noted: Flags, about_unused_bins: str
) -> list[Diagnostic]:
    """Which numeric columns have no cut that separates the classes beyond chance."""
    without_cut = np.asarray(binner.columns_without_cut, np.intp)
    unrelated = without_cut[is_noted[without_cut]]
    stay_uncut = _leaves_columns_uncut(binner)
    if stay_uncut:
        unrelated = unrelated[n_bins[unrelated] == 1]  # with a bin of missing values a column may be related
    if not len(unrelated):
        return []
    n_numeric = sum(_is_numeric(binner.categories_of(j)) for j in np.flatnonzero(is_noted).tolist())
    return [
        selection_notes.no_reliable_relation(
            _names(table, unrelated.tolist()),
            n_numeric,
            table.target.names,
            about_unused_bins,
            at_median=not stay_uncut,
        )
    ]


def _on_constant_columns(table: Dataset, constant: Sequence[int]) -> list[Diagnostic]:
    if not constant:
        return []
    return [column_notes.constant(ColumnNames(table.names, constant))]


def _on_nearly_unique_categories(table: Dataset, binner: Binning, n_bins: Integers) -> list[Diagnostic]:
    """Which columns of categories have a value of their own in most rows, as an identifier has."""
    nearly_unique = np.flatnonzero((n_bins > 2) & (2 * n_bins > table.n_samples)).tolist()
    identifiers = [j for j in nearly_unique if binner.categories_of(j) is not None]
    if not identifiers:
        return []
    return [column_notes.identifier_kept(_names(table, identifiers))]


def on_row_counters(table: Dataset, selected: Columns) -> list[Diagnostic]:
    """Which selected columns count the rows."""
    counters = [j for j in selected.tolist() if table.is_row_counter(j)]
    if not counters:
        return []
    return [column_notes.row_counter(_names(table, counters))]


def _names(table: Dataset, columns: Sequence[int]) -> list[str]:
    return [str(table.names[j]) for j in columns]


def _is_numeric(categories: Values | None) -> bool:
    """Whether a column that a binner gave these categories holds numbers; None: its numbers were binned."""
    return categories is None or np.asarray(categories).dtype.kind in "iuf"


def on_sample(table: Dataset) -> list[Diagnostic]:
    """Which bins, of a table that is read in parts, were found on a sample of its rows."""
    diagnostics = []
    approximation = table.approximation
    if approximation is not None:
        names = _names(table, approximation.columns)
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
            names = _names(fit.table, columns.tolist())
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
    return [selection_notes.untested(_names(fit.table, stopping.untested.tolist()))]


def on_tested_rows(fit: Fit) -> list[Diagnostic]:
    """The note of :func:`on_rows`, if a rule tested the columns."""
    if not fit.selection.is_tested:
        return []
    return on_rows(fit.table)


def on_rows(table: Dataset) -> list[Diagnostic]:
    """Whether several rows seem to belong together, although every rule takes them for independent draws.

    They do if a column names persons that repeat, or if rows that follow each other are alike.
    """
    rows = table.rows
    if rows is None or not {"independent", "dense"} <= table.capabilities:
        return []
    for j, name in enumerate(table.names):
        if NAMES_OF_UNITS.fullmatch(str(name)):
            n_values = len(np.unique(_values(rows, j)))
            if 1 < n_values <= table.n_samples / 2:
                return [row_notes.repeated_identifier(str(name), n_values, table.n_samples)]
    n_tested, n_alike = _count_columns_alike(rows)
    if n_alike < max(2, MIN_SHARE_ALIKE * n_tested):
        return []
    return [row_notes.rows_alike(n_alike, n_tested)]


def _values(table: InMemoryDataset, j: int) -> Values:
    """The numbers of a column, or the codes of its categories."""
    values = table.values(j)
    return values.codes if are_categories(values) else values


def _count_columns_alike(table: InMemoryDataset) -> tuple[int, int]:
    """How many columns are tested, and in how many of them rows that follow each other are alike.

    The test is that of runs by Wald and Wolfowitz, within each class: of n values of which h are above the mean of the
    column, the changes between above and below have, after shuffles, with ``a = 2 h (n - h)`` the mean ``a / n`` and
    the variance ``a (a - n) / (n^2 (n - 1))``. Sorted columns are not tested.
    """
    classes = table.target.codes[:MAX_ROWS_TESTED]
    order = np.argsort(classes, kind="stable")
    is_same_class = np.diff(classes[order]) == 0
    class_sizes = np.bincount(classes).astype(float)
    n = np.maximum(class_sizes, 2)  # a class of one row has no change: 0 above, whatever it is divided by
    n_tested = 0
    n_alike = 0
    for j in range(min(table.n_features, MAX_COLUMNS_TESTED)):
        values = np.nan_to_num(_values(table, j)[:MAX_ROWS_TESTED].astype(float))
        steps = np.diff(values)
        if (steps >= 0).all() or (steps <= 0).all():
            continue
        is_high = values > values.mean()
        n_high = np.bincount(classes, is_high, len(class_sizes))
        a = 2 * n_high * (class_sizes - n_high)
        mean = (a / n).sum()
        variance = (a * (a - class_sizes) / (n**2 * (n - 1))).sum()
        n_changes = int((np.diff(is_high[order]) & is_same_class).sum())
        n_tested += 1
        if n_changes - mean < MAX_RUNS_SCORE * np.sqrt(max(variance, 0.0)):
            n_alike += 1
    return n_tested, n_alike


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
    names = _names(table, pair)
    return [selection_notes.list_of_dependent(names, bits, can_test="independent" in table.capabilities)]


def on_informative(fit: Fit, evidence: CountEvidence) -> list[Diagnostic]:
    """How many selected features are more informative than chance, if not all are and no rule tested them."""
    about_bins = fit.about_unused_bins
    if not about_bins and has_no_information(evidence.relevance[fit.result.selected], evidence.informative):
        return [selection_notes.no_information(len(evidence.overlap))]
    if fit.selection.is_tested or fit.table.n_samples < MIN_ROWS_FOR_CHANCE:
        return []
    limit = None if evidence.is_sure else max_values_tested(fit.table, fit.selection.effect)
    if limit is not None and fit.selection.effect == COMMON:  # no test but by shuffles
        has_rule = fit.table.capabilities >= CONDITIONED
        return [selection_notes.common_effect_not_tested(limit, has_rule=has_rule)]
    states = informative_states(fit, evidence)
    n_selected = len(states)
    n_alone = states.count("alone")
    n_with_others = states.count("with others")
    if n_alone + n_with_others == n_selected:
        return []
    selected = fit.result.selected.tolist()
    return [
        selection_notes.partly_informative(
            n_alone=n_alone,
            n_with_others=n_with_others,
            unshown=_names_in_state(fit.table, selected, states, "not shown"),
            untested=_names_in_state(fit.table, selected, states, "not tested"),
            about_bins=about_bins,
            limit=limit,
        )
    ]


def _names_in_state(
    table: Dataset, selected: Sequence[int], states: Sequence[InformativeState], state: InformativeState
) -> list[str]:
    """The names of the selected columns in a state."""
    in_state = [j for j, state_of_column in zip(selected, states, strict=True) if state_of_column == state]
    return _names(table, in_state)


def informative_states(fit: Fit, evidence: CountEvidence) -> list[InformativeState]:
    """How each selected feature is shown to be informative.

    In few rows nothing is tested. Where a stopping rule tested each feature, those that are not shown otherwise are
    informative "by rule".
    """
    n_selected = len(evidence.overlap)
    if fit.table.n_samples < MIN_ROWS_FOR_CHANCE:
        return ["not tested"] * n_selected
    tests = evidence.tests.value
    is_informative = evidence.informative.value
    states: list[InformativeState] = []
    for i in range(n_selected):
        if tests.is_informative_alone[i]:
            states.append("alone")
        elif is_informative[i]:
            states.append("with others")
        elif fit.selection.is_tested:
            states.append("by rule")
        elif tests.is_conclusive[i]:
            states.append("not shown")
        else:
            states.append("not tested")
    return states


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
    names = _names(table, inflated)
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


def on_target(table: Dataset) -> list[Diagnostic]:
    """How text of the target was read, how a quantity became classes, and whether there are too many classes."""
    target = table.target
    diagnostics = []
    for name, parsing in target.parsings.items():
        name_of_target = name if target.kind == "joint" else target.name
        diagnostics.append(text_notes.target_text_read(name_of_target, parsing))
    return [*diagnostics, *_on_classes(table, target)]


def _on_classes(table: Dataset, target: Target) -> list[Diagnostic]:
    name = target.name
    n_classes = target.n_classes
    if target.kind == "joint":
        cuts = [
            f"{column!r} is a quantity: cut at {listed_edges(edges, unit.strip())}"
            for column, edges, unit in zip(target.columns, target.edges or (), target.unit, strict=False)
            if edges is not None
        ]
        return [target_notes.joint_target(target.columns, n_classes, cuts)]
    if target.kind == "survival":
        return []
    if target.edges is not None:
        return [target.how_cut]
    is_perhaps_numeric = target.labels.dtype.kind in "iuf" and target.requested_kind.kind is None
    if n_classes > MANY_CLASSES or 2 * n_classes > table.n_samples > FEW_ROWS:
        return [target_notes.many_classes(name, n_classes, table.n_samples, is_perhaps_numeric)]
    if n_classes >= MIN_NUMBERS_OF_QUANTITY and is_perhaps_numeric:
        return [target_notes.numbers_as_classes(name, n_classes)]
    return []
