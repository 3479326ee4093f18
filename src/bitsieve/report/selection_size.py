"""The section of a report on how many features to take: their information together, what ended it, and errors."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from bitsieve.information import ANY_EFFECT
from bitsieve.information.protocol import MIN_MEAN_SAMPLES
from bitsieve.plots.displays import CurveDisplay, selected_names
from bitsieve.plots.figures import WIDTH, as_svg, new_axes
from bitsieve.report.drawing import svg_of
from bitsieve.report.page import Section
from bitsieve.results.call_text import strata_arguments
from bitsieve.results.comparison import Comparison
from bitsieve.results.selection import Selection, ranking_of

NUMBER_REACHED = "n_features_to_select"  # ``stopped_by_`` where as many features are selected as the user requested


@dataclass(frozen=True, kw_only=True)
class ErrorCurve:
    """The cross-validated error of a comparison against the number of features, with its spread."""

    svg: str
    classifier: str
    n_folds: int
    choice: str
    outer_error: str


def error_curve(comparison: Comparison) -> ErrorCurve:
    return ErrorCurve(
        svg=as_svg(comparison.plot(new_axes((WIDTH, 3.2))), "errors against the number of features"),
        classifier=comparison.parameters["classifier"],
        n_folds=comparison.parameters["n_folds"],
        choice=str(comparison.choice()),
        outer_error=str(comparison.outer()),
    )


@dataclass(frozen=True, kw_only=True)
class HowMany(Section):
    """The information of the first features together, what ended the selection, what would come next, and errors."""

    template: ClassVar[str] = "selection/how_many.html"
    heading: ClassVar[str] = "How many to take"
    svg: str
    min_rows: int  # for each combination of values
    n_selected: int
    stopped_by: str | None  # None: the number that was asked for was reached
    stopping_reason: str
    next_features: Sequence[str]
    features: Sequence[str]
    levels: Mapping[str, Sequence[str]]  # the cells of all features, by header; empty for a rule without a rate
    conclusion: str | None  # what a reader may conclude of each feature
    errors: ErrorCurve | None  # None where no comparison was given
    command_for_errors: str  # that draws errors
    call_with_errors: str  # that makes this report with errors


def how_many_section(selection: Selection, comparison: Comparison | None) -> HowMany:
    evidence = selection.required_evidence()
    names = evidence.table.names
    display = CurveDisplay.of(selection.selector, evidence)
    curve = display.curve
    next_columns = curve.columns[curve.n_selected :].tolist()
    stopped_by = selection.required_fit().fitted_attribute("stopped_by_", NUMBER_REACHED)
    features = selected_names(evidence)
    stopping = selection.details.stopping
    return HowMany(
        svg=svg_of(display, "information of the first features together"),
        min_rows=MIN_MEAN_SAMPLES,
        n_selected=len(features),
        stopped_by=None if stopped_by == NUMBER_REACHED else stopped_by,
        stopping_reason=selection.required_fit().fitted_attribute("stopping_reason_", ""),
        next_features=[names[j] for j in next_columns if j not in evidence.dropped],
        features=features,
        levels=ranking_of(selection).printed_levels(),
        conclusion=None if stopping is None else stopping.conclusion,
        errors=None if comparison is None else error_curve(comparison),
        command_for_errors=_command_for_errors(selection),
        call_with_errors=_call_with_errors(selection),
    )


def _command_for_errors(selection: Selection) -> str:
    words = ["bitsieve", "compare", "--methods", selection.method]
    strata = selection.parameters.get("strata") or []
    effect = selection.parameters.get("effect", ANY_EFFECT)
    if isinstance(strata, str):
        strata = [strata]
    for column in strata:
        words += ["--strata", column]
    if effect != ANY_EFFECT:
        words += ["--effect", effect]
    if selection.parameters.get("bins_within"):
        words.append("--bins-within")
    return shlex.join(words)


def _call_with_errors(selection: Selection) -> str:
    parameters = selection.parameters
    strata = strata_arguments(
        parameters.get("strata"),
        parameters.get("effect", ANY_EFFECT),
        bins_within=parameters.get("bins_within", False),
    )
    return (
        f"comparison = bitsieve.compare(data, {selection.target_name!r}, methods=[{selection.method!r}]{strata})\n"
        "bitsieve.write_report(selection, 'report.html', comparison=comparison)"
    )
