"""What a fit knows beside its ranking, without its rows: the part of a selection that is kept for its file."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.counts.tables import ContingencyTable
from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.text_format import ColumnRules, TextFormat
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning
from bitsieve.discretization.registry import binning_name
from bitsieve.discretization.separate_zero import SeparateZeroBinning
from bitsieve.information.protocol import BITS_PER_EVENT
from bitsieve.methods.by_counts.stopping import make_stopping
from bitsieve.methods.method import MethodResult
from bitsieve.options import ReadOptions
from bitsieve.pipeline.fit import Fit
from bitsieve.results.saved.call import options_of_call
from bitsieve.results.saved.schema import (
    Certificate,
    ColumnGroup,
    ColumnKind,
    Cut,
    Label,
    Option,
    SavedColumn,
    SavedData,
    SavedParsing,
    SavedRankTest,
    SavedRole,
    SavedStep,
    SavedStopping,
    SavedStrata,
    SelectionDetails,
    Versions,
)
from bitsieve.results.saved.values import label_of, option_of, values_of_array
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.lazy import Lazy

if TYPE_CHECKING:
    from bitsieve.methods.by_counts.markov_blankets.blanket import Role

MAX_COUNTS = 100_000  # cells of the table of a feature; of a larger one no counts are kept


def details_of(fit: Fit, read: ReadOptions, labels: Sequence[object]) -> SelectionDetails:
    """What is kept of a fit with its evidence; ``labels`` are those of all features, as the data has them."""
    evidence = fit.evidence_from_counts
    table = fit.prepared.original
    kinds = _kinds(fit)
    missing_numbers = ColumnRules.from_options(read).missing_numbers_by_index(fit.table.names)
    columns = [
        _column(j, label_of(labels[j]), fit.table, evidence.binner, counts, missing_numbers.get(j, ()))
        for j, counts in zip(fit.result.selected.tolist(), evidence.tables, strict=True)
    ]
    return SelectionDetails(
        versions=Lazy(_versions),
        data=SavedData(
            n_samples=table.n_samples,
            total_weight=int(evidence.class_sizes.sum()),
            n_features=int(table.n_features),
            names=_names(table),
            digest=_digest(_names(table), kinds),
            kinds=kinds,
        ),
        score_unit=_score_unit(fit),
        options=options_of_call(fit, read),
        settled=_settled(fit, evidence.binner),
        execution=_execution(fit),
        class_sizes=tuple(evidence.class_sizes.tolist()),
        columns=tuple(columns),
        rank_tests=_rank_tests(fit),
        log_p=_log_p(fit),
        roles=_roles(fit),
        interchangeable=_interchangeable(fit),
        steps=_steps(fit),
        stopping=_stopping(fit),
        certificate=_certificate(fit),
        groups=_groups(fit, labels),
        strata=_strata(fit),
        values_digest=evidence.values_digest.value,
    )


def _versions() -> Versions:
    from importlib.metadata import version  # only here, as it loads the modules of mail

    return Versions(
        bitsieve=version("bitsieve"),
        python=platform.python_version(),
        numpy=np.__version__,
    )


def _parsing(text_format: TextFormat) -> SavedParsing | None:
    from bitsieve.results.saved.text_formats import parsing_of  # with the formats of numbers and times in text

    return parsing_of(text_format)


def _strata(fit: Fit) -> SavedStrata | None:
    strata = fit.evidence_from_counts.strata
    if strata is None:
        return None
    return SavedStrata(
        n_strata=strata.n_strata,
        n_informative_rows=strata.n_informative_rows,
        relevance_pooled=tuple(strata.relevance_pooled[fit.result.selected].tolist()),
        heterogeneity=None if strata.heterogeneity is None else tuple(strata.heterogeneity.tolist()),
    )


def _score_unit(fit: Fit) -> str:
    """The unit of the scores: bits are bits per event where the target is a time to an event."""
    if fit.table.target.kind == "survival" and fit.method.unit == "bits":
        return BITS_PER_EVENT
    return fit.method.unit


def _rank_tests(fit: Fit) -> tuple[SavedRankTest | None, ...]:
    test_of_column = fit.rank_tests or {}
    tests: list[SavedRankTest | None] = []
    for j in fit.result.selected.tolist():
        test = test_of_column.get(j)
        tests.append(None if test is None else SavedRankTest(statistic=test.statistic, p=test.p))
    return tuple(tests)


def _log_p(fit: Fit) -> tuple[float | None, ...]:
    log_p_of_column = fit.fitted_attribute("log_p_")
    selected = fit.result.selected.tolist()
    if log_p_of_column is None:
        return (None,) * len(selected)
    return tuple(float(log_p_of_column[j]) for j in selected)


def _roles(fit: Fit) -> tuple[SavedRole | None, ...]:
    role_of_column: Mapping[int, Role] = fit.fitted_attribute("roles_") or {}
    names = fit.table.names
    roles: list[SavedRole | None] = []
    for j in fit.result.selected.tolist():
        role = role_of_column.get(j)
        if role is None:
            roles.append(None)
        else:
            roles.append(SavedRole(name=role.name, via=tuple(str(names[i]) for i in role.via)))
    return tuple(roles)


def _interchangeable(fit: Fit) -> tuple[tuple[str, ...], ...]:
    """By selected feature: the names of the columns that the tests of a Markov blanket could not tell apart from it."""
    names = fit.table.names
    substitutes_of_column: dict[int, tuple[str, ...]] = {}
    for column, *substitutes in fit.fitted_attribute("signatures_") or []:
        substitutes_of_column[column] = tuple(str(names[j]) for j in substitutes)
    return tuple(substitutes_of_column.get(j, ()) for j in fit.result.selected.tolist())


def _names(table: Dataset) -> tuple[str, ...] | None:
    """The names of all features; None where the data has none."""
    has_labels = table.original is not None and table.original.labels is not None
    if table.feature_names is None and not has_labels:
        return None
    return tuple(str(name) for name in table.names)


def _kinds(fit: Fit) -> str:
    """A letter for each feature: "n" for numbers and times, "c" for categories, "-" for a column that was dropped."""
    n_features = int(fit.table.n_features)
    categories = fit.evidence_from_counts.binner.categories_
    kinds = ["n"] * n_features
    if categories is not None:
        kinds = ["n" if values is None else "c" for values in categories]
    for j in fit.prepared.dropped:
        kinds[j] = "-"
    return "".join(kinds)


def _digest(names: tuple[str, ...] | None, kinds: str) -> str:
    """SHA-256 of the names and the kinds of all features, as one line of JSON each."""
    digest = sha256()
    digest.update(json.dumps(names).encode() + b"\n")
    digest.update(json.dumps(kinds).encode() + b"\n")
    return digest.hexdigest()


def _column(
    j: int,
    label: Label,
    table: Dataset,
    binner: Binning,
    counts: ContingencyTable,
    missing_numbers: tuple[float, ...],
) -> SavedColumn:
    """How a selected column was read and cut."""
    meaning = table.meaning_of(j)
    cut = _cut(binner, j)
    kind = _kind(cut, None if meaning is None else meaning.format)
    value_range = None if kind == "category" else table.number_range(j)
    return SavedColumn(
        label=label,
        index=j,
        kind=kind,
        parsing=None if meaning is None else _parsing(meaning.format),
        cut=cut,
        counts=_counts(counts, cut.n_codes),
        smallest=None if value_range is None else value_range[0],
        largest=None if value_range is None else value_range[1],
        missing_numbers=missing_numbers,
    )


def _kind(cut: Cut, text_format: TextFormat | None) -> ColumnKind:
    if cut.edges is None:
        return "category"
    if text_format is None or text_format.time is None:
        return "number"
    return "date" if text_format.time == "dates" else "duration"


def _cut(binner: Binning, j: int) -> Cut:
    n_codes = int(binner.n_bins_[j])
    missing_code = n_codes - 1 if binner.missing == "bin" else None
    categories = binner.categories_of(j)
    if categories is not None:
        values = values_of_array(np.asarray(categories))
        return Cut(edges=None, categories=values, missing_code=missing_code, n_codes=n_codes)
    return Cut(
        edges=tuple(binner.bin_edges_[j].tolist()),
        side=binner.cutting_rule.side,
        zero_apart=binner.separates_zero(j),
        missing_code=missing_code,
        n_codes=n_codes,
        within_strata=binner.bins_within,
    )


def _counts(table: ContingencyTable, n_codes: int) -> tuple[tuple[int, ...], ...] | None:
    """The counts of a feature by its codes, of which the last may not occur, and the classes."""
    if prod(table.shape) > MAX_COUNTS or n_codes * table.shape[2] > MAX_COUNTS:
        return None
    occurring = table.dense()[0]  # shape (codes that occur, classes)
    counts = np.zeros((max(n_codes, len(occurring)), occurring.shape[1]), np.int64)
    counts[: len(occurring)] = occurring
    return tuple(tuple(row) for row in counts.tolist())


def _settled(fit: Fit, binner: Binning) -> dict[str, Option]:
    """The values that were used for options which may be left open, such as the number of features."""
    target = fit.prepared.original.target
    try:
        rule = binning_name(binner.cutting_rule)
    except UserError:  # a rule of the user's own
        rule = type(binner).__name__
    parameters = binner.cutting_rule.parameters
    return {
        "n_features_to_select": len(fit.result.selected),
        "binning": rule,
        "zero_apart": isinstance(binner, SeparateZeroBinning),
        "n_bins": option_of(parameters.get("n_bins")),
        "uncut": option_of(parameters.get("uncut")),
        "bins_within": binner.bins_within,
        "missing": binner.missing,
        "target_kind": "classes" if target.edges is None else "quantity",
        "target_bins": None if target.edges is None else target.n_classes,
    }


def _execution(fit: Fit) -> dict[str, Option]:
    execution = fit.execution
    return {
        "engine": execution.engine,
        "memory": execution.memory,
        "push_down": execution.push_down,
        "n_jobs": execution.n_jobs,
    }


def _steps(fit: Fit) -> tuple[SavedStep, ...]:
    names = fit.table.names

    def named(columns: Columns) -> tuple[str, ...]:
        return tuple(str(names[j]) for j in columns.tolist())

    return tuple(
        SavedStep(
            winner=named(step.winner),
            runner_up=named(step.runner_up),
            gap=step.gap,
            is_exact=step.is_exact,
        )
        for step in fit.result.steps
    )


def _stopping(fit: Fit) -> SavedStopping | None:
    """What ended the selection, and at which candidate; None where the method has no rule that could."""
    stopping = fit.result.stopping
    if stopping is None:
        return None
    names = fit.table.names
    neighbours = None
    if stopping.neighbours is not None:
        neighbours = tuple(tuple(str(names[j]) for j in columns) for columns in stopping.neighbours)
    rule = fit.selection.stopping
    return SavedStopping(
        by=stopping.by,
        candidate=None if stopping.candidate < 0 else str(names[stopping.candidate]),
        value=float(stopping.value),
        reason=stopping.reason,
        values=tuple(stopping.values.tolist()),
        neighbours=neighbours,
        conclusion=None if rule is None else make_stopping(rule).conclusion,
    )


def _certificate(fit: Fit) -> Certificate | None:
    """The objective of a subset, the bound on every other's, and the gap between; None where the method has none."""
    if "upper_bound_" not in fit.result.extras:
        return None
    return Certificate(
        objective_bits=float(fit.fitted_attribute("objective_")),
        upper_bound_bits=float(fit.fitted_attribute("upper_bound_")),
        gap=float(fit.fitted_attribute("gap_")),
    )


def _groups(fit: Fit, labels: Sequence[object]) -> tuple[ColumnGroup, ...]:
    """The groups of columns that the method made: dominant sets, or the columns of every selected feature."""
    extras = fit.result.extras
    if "sets_" in extras:
        return _dominant_sets(fit.result, labels)
    if "groups_" not in extras:
        return ()
    selected = fit.result.selected.tolist()
    correlations: Sequence[Floats] | None = extras.get("correlations_")
    groups = []
    for i, others in enumerate(extras["groups_"]):
        representative = selected[i : i + 1]
        group = ColumnGroup(
            selected=_labelled(representative, labels),
            others=_labelled(others.tolist(), labels),
            correlations=None if correlations is None else tuple(correlations[i].tolist()),
            cohesiveness=None,
        )
        groups.append(group)
    return tuple(groups)


def _dominant_sets(result: MethodResult, labels: Sequence[object]) -> tuple[ColumnGroup, ...]:
    """All dominant sets, those without a selected feature among them."""
    selected = result.selected.tolist()
    groups = []
    for members, cohesiveness in zip(result.extras["sets_"], result.extras["cohesiveness_"], strict=True):
        is_member = {*members.tolist()}
        selected_members = [j for j in selected if j in is_member]
        other_members = sorted(is_member.difference(selected_members))
        group = ColumnGroup(
            selected=_labelled(selected_members, labels),
            others=_labelled(other_members, labels),
            correlations=None,
            cohesiveness=float(cohesiveness),
        )
        groups.append(group)
    return tuple(groups)


def _labelled(columns: Sequence[int], labels: Sequence[object]) -> tuple[Label, ...]:
    return tuple(label_of(labels[j]) for j in columns)
