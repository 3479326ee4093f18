"""The report of a comparison: the recommendation, error curves, paired tests, and what the methods selected.

A section is a function here and the template of the same name in ``templates/comparison/``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bitsieve.plots.figures import Curves, as_svg, new_axes, plot_curves
from bitsieve.report.page import Section, render_page
from bitsieve.results.comparison import Comparison, how_to_read, method_summaries, selecting_call, summary_table
from bitsieve.results.comparison_summary import MethodSummary
from bitsieve.utils.arrays import Floats
from bitsieve.utils.diagnostic_list import Diagnostics

FIGURE_SIZE = (8.0, 3.6)  # inches
MAX_FEATURES_LISTED = 50


def comparison_report(comparison: Comparison, *, command: str | None = None) -> str:
    """Render the report as HTML. ``command`` selects what is recommended, by default the call in Python."""
    sections = [
        answer_section(comparison, command),
        errors_section(comparison),
        tests_section(comparison),
        selections_section(comparison),
        features_section(comparison),
    ]
    title = f"Feature selection for {comparison.parameters['target']}"
    return render_page(title, [section for section in sections if section is not None])


@dataclass(frozen=True, kw_only=True)
class Answer(Section):
    """What is recommended, what was compared, and the notes."""

    template: ClassVar[str] = "comparison/answer.html"
    choice: str
    outer_error: str
    command: str | None  # that selects what is recommended; None where nothing is
    n_samples: int
    n_features: int
    n_classes: int | None  # None for a quantity
    classifier: str
    scoring: str
    n_folds: int
    binning: str
    protocol: str
    diagnostics: Diagnostics


def answer_section(comparison: Comparison, command: str | None) -> Answer:
    parameters = comparison.parameters
    choice = comparison.choice()
    return Answer(
        choice=str(choice),
        outer_error=str(comparison.outer()),
        command=(command or selecting_call(comparison)) if choice.is_recommended else None,
        n_samples=parameters["n_samples"],
        n_features=parameters["n_features"],
        n_classes=parameters["n_classes"],
        classifier=parameters["classifier"],
        scoring=parameters["scoring"],
        n_folds=parameters["n_folds"],
        binning=parameters["binning"],
        protocol=parameters["protocol"],
        diagnostics=comparison.diagnostics,
    )


@dataclass(frozen=True, kw_only=True)
class Errors(Section):
    """The errors of every method against the number of features, and their summary."""

    template: ClassVar[str] = "comparison/errors.html"
    heading: ClassVar[str] = "Errors"
    svg: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    how_to_read: Sequence[str]
    has_bayes_error_bounds: bool


def errors_section(comparison: Comparison) -> Errors:
    header, rows = summary_table(comparison)
    return Errors(
        svg=as_svg(comparison.plot(new_axes(FIGURE_SIZE)), "errors against the number of features"),
        header=header,
        rows=rows,
        how_to_read=how_to_read(comparison),
        has_bayes_error_bounds=comparison.bayes_error_bounds is not None,
    )


@dataclass(frozen=True, kw_only=True)
class Tests(Section):
    """Which method has the lower error, for every two of them."""

    template: ClassVar[str] = "comparison/tests.html"
    heading: ClassVar[str] = "Which method is better"
    methods: Sequence[str]
    outcomes: Sequence[tuple[str, Sequence[str]]]  # a method, and "+", "-", "=" or nothing against every other


def tests_section(comparison: Comparison) -> Tests | None:
    """None where there is nothing to test: a single method, or a single number of features."""
    methods = comparison.methods
    if len(methods) == 1 or len(comparison.counts) == 1:
        return None
    outcomes = [(method, [_outcome(comparison, method, other) for other in methods]) for method in methods]
    return Tests(methods=methods, outcomes=outcomes)


def _outcome(comparison: Comparison, method: str, other: str) -> str:
    if method == other:
        return ""
    return comparison.test(method, other).outcome or ""


@dataclass(frozen=True, kw_only=True)
class Selections(Section):
    """How redundant, stable and separating the selected features of every method are."""

    template: ClassVar[str] = "comparison/selections.html"
    heading: ClassVar[str] = "What was selected"
    redundancy_svg: str | None
    stability_svg: str | None
    methods: Sequence[MethodSummary]


def selections_section(comparison: Comparison) -> Selections:
    with np.errstate(invalid="ignore"):  # the redundancy of a single feature is nan
        redundancy = dict(zip(comparison.methods, comparison.redundancy.mean(axis=1), strict=True))
    stability = {method: comparison.stability(method)["nogueira"] for method in comparison.methods}
    return Selections(
        redundancy_svg=_curves_svg(comparison, redundancy, "redundancy"),
        stability_svg=_curves_svg(comparison, stability, "stability"),
        methods=method_summaries(comparison),
    )


def _curves_svg(comparison: Comparison, curves: Mapping[str, Floats], label: str) -> str | None:
    """Draw a curve for every method; None where no value is defined."""
    if not any(np.isfinite(values).any() for values in curves.values()):
        return None
    axes = plot_curves(Curves(comparison.counts, curves, "number of features", label), new_axes(FIGURE_SIZE))
    return as_svg(axes, f"{label} against the number of features")


@dataclass(frozen=True, kw_only=True)
class ChosenFeature:
    """A feature, in how many folds it was selected, and its mean rank there."""

    name: str
    n_folds: int
    mean_rank: float


@dataclass(frozen=True, kw_only=True)
class Features(Section):
    """The features that the folds selected by the method and the number of the answer."""

    template: ClassVar[str] = "comparison/features.html"
    method: str
    n_features: int
    n_folds: int
    features: Sequence[ChosenFeature]


def features_section(comparison: Comparison) -> Features:
    choice = comparison.choice()
    folds = comparison.selected[comparison.methods.index(choice.method)]
    n_folds_with = np.zeros(len(comparison.names), np.intp)
    sum_of_ranks = np.zeros(len(comparison.names), np.intp)
    for ranking in folds:
        selected = ranking[: choice.n_features]
        n_folds_with[selected] += 1
        sum_of_ranks[selected] += np.arange(1, len(selected) + 1)
    columns = np.flatnonzero(n_folds_with)
    order = columns[np.lexsort((sum_of_ranks[columns], -n_folds_with[columns]))]
    features = []
    for j in order[:MAX_FEATURES_LISTED].tolist():
        mean_rank = float(sum_of_ranks[j] / n_folds_with[j])
        features.append(ChosenFeature(name=comparison.names[j], n_folds=int(n_folds_with[j]), mean_rank=mean_rank))
    return Features(method=choice.method, n_features=choice.n_features, n_folds=len(folds), features=features)
