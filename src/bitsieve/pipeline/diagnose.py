"""What a user should know about the data before trusting a selection, and what cannot be selected from at all."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.dataset.encoding import are_categories
from bitsieve.dataset.identifiers import FEW_ROWS
from bitsieve.dataset.quantity import listed_edges
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import ColumnNames, Diagnostic, UserError
from bitsieve.discretization.base import codes_that_occur
from bitsieve.information.evidence import Leak
from bitsieve.methods.by_counts.stopping import make_stopping
from bitsieve.methods.by_counts.stopping.conditional import ConditionalStopping
from bitsieve.pipeline import notes
from bitsieve.pipeline.evidence import MOST_TESTED, has_no_information
from bitsieve.pipeline.fit import CountEvidence, Fit
from bitsieve.utils.arrays import Columns, Flags
from bitsieve.utils.lazy import chdtrc

_DEPENDENT = 0.05  # level at which two columns of a list are taken to depend on each other
_MANY_CLASSES = 100
_MANY_VALUES = 20
_ORDERED = 11  # different numbers, of which a target may be a quantity
_SHARE_OF_CHANCE = 0.1  # of the information of a column
_ROWS_TO_SHOW_IT = 20  # in fewer even a column that repeats the class may do so by chance

_NAMES_OF_UNITS = re.compile(
    r"(?:subject|patient|person|participant|customer|user|client)?[\W_]*(?:ids?|subject|patient|person|participant)",
    re.I,
)
_FEW_RUNS = -6.0  # standard deviations from the mean after shuffles: one column of noise in a thousand million
_IN_RUNS = 0.25  # of the columns
_ROWS_LOOKED_AT, _COLUMNS_LOOKED_AT = 1 << 15, 200


def refuse_constant_data(table: Dataset) -> None:
    """Refuse a target of one class and features none of which varies."""
    table.target.check_varies()
    if table.rows is not None and not any(table.varies(j) for j in range(table.n_features)):
        raise UserError(
            code="constant-columns",
            message="no column varies: all features are constant, so none has information about the target",
        )


def diagnose(fit: Fit) -> list[Diagnostic]:
    """All that was noticed in a table and in what was selected from it, in the order in which a user reads it."""
    table, evidence = fit.table, fit.evidence_from_counts
    stopping = fit.result.stopping
    return [
        *fit.prepared.original.diagnostics,
        *fit.prepared.diagnostics_on_number,
        *fit.prepared.diagnostics,
        *on_missing(fit),
        *on_screen(fit),
        *on_sample(table),
        *on_bins(table, evidence.binner, fit, fit.prepared.dropped),
        *on_leaks(evidence.leaks, table),
        *on_informative(fit, evidence),
        *on_many_values(fit, evidence),
        *on_stop(fit),
        *on_untested(None if stopping is None else stopping.untested, table.names),
        *on_dependence(fit, evidence),
        *(on_rows(table) if fit.selection.is_tested else ()),
        *on_gap(fit),
    ]


def on_missing(fit: Fit) -> list[Diagnostic]:
    """Whether columns have missing values and the user did not say what these are, or said it without effect."""
    method, discretization, prepared = fit.method, fit.discretization, fit.prepared
    if discretization.missing is not None:
        return [] if method.bins else [notes.missing_without_effect(discretization.missing, method.name)]
    if not method.bins or not isinstance(discretization.binning, str):
        return []
    table = prepared.original
    columns = [j for j, column in enumerate(table.summarize()) if column.has_missing and j not in prepared.dropped]
    return [notes.missing_kept([str(table.names[j]) for j in columns])] if columns else []


def on_screen(fit: Fit) -> list[Diagnostic]:
    """How many columns a screen took from the method."""
    screen = fit.selection.screen
    if screen is None or not fit.screened_out:
        return []
    return [notes.screened_out(screen, len(fit.screened_out))]


def on_bins(table: Dataset, binner: Any, fit: Fit, dropped: Collection[int] = ()) -> list[Diagnostic]:
    """The notes on a fitted binner and the selected columns, none on those dropped."""
    names = table.names

    def names_of(columns: Iterable[int]) -> list[str]:
        return [str(names[j]) for j in columns]

    n_bins = codes_that_occur(binner, table)
    mdl_leaves = getattr(binner, "requires", None) == "classes" and getattr(binner, "uncut", None) == "leave"
    if (n_bins == 1).all() and not mdl_leaves:
        raise UserError(
            code="one-bin-only",
            message="every column became one bin, so none has information about the target",
            advice="use more bins",
        )
    diagnostics = on_target(table)
    remaining = np.ones(len(n_bins), bool)
    remaining[list(dropped)] = False
    with_one_bin = np.flatnonzero(remaining & (n_bins == 1))
    constant = [j for j in with_one_bin.tolist() if not table.varies(j)]
    remaining[constant] = False
    uncut = np.asarray(getattr(binner, "uncut_", ()), np.intp)
    # missing values may be a second bin
    unrelated = uncut[remaining[uncut] & ((n_bins[uncut] == 1) | (not mdl_leaves))]
    if len(unrelated):
        gone = {*dropped, *constant}
        categories = (values for j, values in enumerate(binner.categories_) if j not in gone)
        n_numeric = sum(values is None or np.asarray(values).dtype.kind in "iuf" for values in categories)
        diagnostics.append(
            notes.no_reliable_relation(
                names_of(unrelated.tolist()),
                n_numeric,
                table.target.names,
                fit.about_unused_bins,
                at_median=not mdl_leaves,
            )
        )
    if constant:
        diagnostics.append(notes.constant(ColumnNames(names, constant)))
    many = np.flatnonzero((n_bins > 2) & (2 * n_bins > table.n_samples)).tolist()
    identifiers = [j for j in many if binner.categories_ is not None and binner.categories_[j] is not None]
    if identifiers:
        diagnostics.append(notes.identifier_kept(names_of(identifiers)))
    counters = [int(j) for j in fit.result.selected if table.is_row_counter(int(j))]
    if counters:
        diagnostics.append(notes.row_counter(names_of(counters)))
    return diagnostics


def on_sample(table: Dataset) -> list[Diagnostic]:
    """What was found on a sample of the rows alone, of a table that is read in parts."""
    diagnostics = []
    approximation = table.approximation
    if approximation is not None:
        names = [str(table.names[j]) for j in approximation.columns]
        diagnostics.append(notes.binned_on_sample(names, approximation.rank_error, approximation.from_intervals))
    if table.target_rank_error:
        diagnostics.append(notes.target_binned_on_sample(table.target.name, table.target_rank_error))
    return diagnostics


def on_leaks(leaks: Sequence[Leak], table: Dataset) -> list[Diagnostic]:
    """Which columns nearly determine the target alone, as a column does that is filled in after the answer is known."""
    if not leaks:
        return []
    names = [str(table.names[leak.column]) for leak in leaks]
    return [notes.leak(names, table.target.name, int(100 * leaks[-1].share))]


def on_stop(fit: Fit) -> list[Diagnostic]:
    """Why there are fewer features than were requested, or where a rule ended."""
    stopping = fit.result.stopping
    n_selected = len(fit.result.selected)
    if stopping is None or stopping.by == "n_features_to_select":
        requested = fit.selection.n_features_to_select
        if not isinstance(requested, int) or n_selected >= requested:
            return []
        return [notes.fewer_selected(fit.method.estimator, n_selected, requested)]
    if stopping.candidate < 0 and stopping.reason:
        return [notes.stopped_by_rule(n_selected, stopping.by, stopping.reason)]
    if stopping.candidate < 0:
        return [notes.nothing_left(n_selected, fit.table.target.names)]
    candidate = str(fit.table.names[stopping.candidate])
    is_corrected = stopping.by == "threshold" and fit.selection.estimator == "corrected"
    return [notes.stopped_at(n_selected, stopping.by, candidate, stopping.reason, before_correction=is_corrected)]


def on_untested(untested: Columns | None, names: Sequence[object]) -> list[Diagnostic]:
    """A note on the columns that are determined by their neighbours, so that a test has nothing to permute."""
    if untested is None or not len(untested):
        return []
    return [notes.untested([str(names[j]) for j in untested.tolist()])]


def on_rows(table: Dataset) -> list[Diagnostic]:
    """Whether rows in memory seem to belong together, which every rule takes for independent draws."""
    rows = table.rows
    if rows is None or not {"independent", "dense"} <= table.capabilities:
        return []
    for j in (j for j, name in enumerate(table.names) if _NAMES_OF_UNITS.fullmatch(str(name))):
        n_values = len(np.unique(_values(rows, j)))
        if 1 < n_values <= table.n_samples / 2:
            return [notes.repeated_identifier(str(table.names[j]), n_values, table.n_samples)]
    n_looked, n_in_runs = _in_runs(rows)
    if n_in_runs < max(2, _IN_RUNS * n_looked):
        return []
    return [notes.rows_alike(n_in_runs, n_looked)]


def _values(table: InMemoryDataset, j: int) -> NDArray[Any]:
    """The numbers of a column, or the codes of its categories."""
    values = table.values(j)
    return values.codes if are_categories(values) else values


def _in_runs(table: InMemoryDataset) -> tuple[int, int]:
    """How many columns are looked at, and in how many of them the runs test of Wald and Wolfowitz finds rows alike."""
    label = table.target.codes[:_ROWS_LOOKED_AT]
    order = np.argsort(label, kind="stable")
    size, same = np.bincount(label).astype(float), np.diff(label[order]) == 0
    n_looked = n_in_runs = 0
    for j in range(min(table.n_features, _COLUMNS_LOOKED_AT)):
        values = np.nan_to_num(_values(table, j)[:_ROWS_LOOKED_AT].astype(float))
        steps = np.diff(values)
        if (steps >= 0).all() or (steps <= 0).all():
            continue
        high = values > values.mean()
        n_high = np.bincount(label, high, len(size))
        pairs, others = 2 * n_high * (size - n_high), np.maximum(size, 2)
        mean, spread = (pairs / others).sum(), (pairs * (pairs - size) / (others**2 * (others - 1))).sum()
        changes = int((np.diff(high[order]) & same).sum())
        n_looked += 1
        n_in_runs += bool(changes - mean < _FEW_RUNS * np.sqrt(max(spread, 0.0)))
    return n_looked, n_in_runs


def on_dependence(fit: Fit, evidence: CountEvidence) -> list[Diagnostic]:
    """What a list says of columns that depend on each other, or what its rule assumes of them."""
    table = fit.table
    if fit.result.stopping is not None and fit.result.stopping.neighbours:
        diagnostics = [notes.conditional_list(ConditionalStopping.conclusion)]
        if fit.evidence is not None and fit.evidence.binner.requires == "classes":
            diagnostics.append(notes.list_from_target_bins())
        return diagnostics
    rule = fit.selection.stopping
    if rule is None or not make_stopping(rule).assumes_positive_dependence:
        return []
    if len(evidence.overlap) < 2:
        return []
    bits, later = float(np.nanmax(evidence.overlap)), int(np.nanargmax(evidence.overlap))
    pair = fit.result.selected[later], evidence.overlap_with[later]
    freedom = np.prod(np.maximum(1, codes_that_occur(evidence.binner, table)[list(pair)] - 1))
    n_pairs = len(evidence.overlap) * (len(evidence.overlap) - 1) / 2
    if chdtrc(freedom, max(0.0, 2 * np.log(2) * table.n_samples * bits)) * n_pairs > _DEPENDENT:
        return []
    names = [str(table.names[j]) for j in pair]
    return [notes.list_of_dependent(names, bits, can_test="independent" in table.capabilities)]


def on_informative(fit: Fit, evidence: CountEvidence) -> list[Diagnostic]:
    """How many features carry information about the class, where not all do and no rule tested them."""
    n_selected = len(evidence.overlap)
    may_be_by_chance = may_be_chance(fit, evidence)
    n_informative = n_selected - int(may_be_by_chance.sum())
    about_bins = fit.about_unused_bins
    if not about_bins and has_no_information(evidence.relevance[fit.result.selected], evidence.informative):
        return [notes.no_information(n_selected)]
    if n_informative == n_selected:
        return []
    limit = None if evidence.is_sure else MOST_TESTED
    if not n_informative:
        return [notes.none_informative(n_selected, about_bins, limit)]
    names = [str(fit.table.names[j]) for j in fit.result.selected[may_be_by_chance]]
    return [notes.some_informative(n_selected, n_informative, about_bins, limit, names)]


def may_be_chance(fit: Fit, evidence: CountEvidence) -> Flags:
    """Which of k features are not more informative than chance; none where a rule tested each, or rows are few."""
    if fit.selection.is_tested or fit.table.n_samples < _ROWS_TO_SHOW_IT:
        return np.zeros(len(evidence.overlap), bool)
    return ~evidence.informative.value


def on_many_values(fit: Fit, evidence: CountEvidence) -> list[Diagnostic]:
    """Which features have so many values that they look informative by chance ((m - 1) (k - 1) / (2 N ln 2) bits)."""
    if fit.selection.estimator != "plug-in":
        return []
    selected, table = fit.result.selected, fit.table
    n_values = np.asarray(evidence.binner.n_bins_)[selected]
    by_chance = (n_values - 1) * (table.target.n_classes - 1) / (2 * np.log(2) * table.n_samples)
    inflated = (n_values > _MANY_VALUES) & (by_chance >= _SHARE_OF_CHANCE * evidence.relevance[selected])
    many = selected[inflated & (2 * n_values <= table.n_samples)].tolist()  # beyond, it is noted as an identifier
    if not many:
        return []
    names = [str(table.names[j]) for j in many]
    return [notes.many_values(names, has_estimator="estimator" in fit.selection.parameters)]


def on_gap(fit: Fit) -> list[Diagnostic]:
    """How far the subset can be from the best one, where the method knows a bound."""
    if "upper_bound_" not in fit.result.extras:
        return []
    gap = fit.fitted_attribute("gap_")
    n_selected = len(fit.result.selected)
    if gap <= 1e-12:  # the rounding of two sums
        return [notes.best_found(n_selected)]
    percent = np.floor(1000 * (1 - gap)) / 10  # rounded down, so that "at least" holds
    return [notes.near_best(n_selected, percent)]


def on_target(table: Dataset) -> list[Diagnostic]:
    """How the target became classes, where that is not plain, or whether there are suspiciously many of them."""
    target = table.target
    of_text = [
        notes.target_text_read(name if target.kind == "joint" else target.name, parsing)
        for name, parsing in target.parsings.items()
    ]
    return [*of_text, *_on_classes(table, target)]


def _on_classes(table: Dataset, target: Target) -> list[Diagnostic]:
    name, n_classes = target.name, target.n_classes
    if target.kind == "joint":
        cuts = [
            f"{column!r} is a quantity: cut at {listed_edges(edges, unit.strip())}"
            for column, edges, unit in zip(target.columns, target.edges or (), target.unit, strict=False)
            if edges is not None
        ]
        return [notes.joint_target(target.columns, n_classes, cuts)]
    if target.edges is not None:
        return [target.how_cut]
    may_be_numeric = target.labels.dtype.kind in "iuf" and target.requested_kind.kind is None
    if n_classes > _MANY_CLASSES or 2 * n_classes > table.n_samples > FEW_ROWS:
        return [notes.many_classes(name, n_classes, table.n_samples, may_be_numeric)]
    if n_classes >= _ORDERED and may_be_numeric:
        return [notes.numbers_as_classes(name, n_classes)]
    return []
