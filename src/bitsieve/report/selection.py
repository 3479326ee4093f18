"""The report of a selection: what was selected and why, what it represents, the data, and how to make it again.

A section is a function here (or in ``columns.py``) and the template of the same name in ``templates/selection/``.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

import numpy as np

from bitsieve.diagnostics import UserError
from bitsieve.explain.affiliated import represented_by_selected
from bitsieve.explain.chance import Chance
from bitsieve.explain.evidence import Evidence
from bitsieve.explain.explain import name_of_column
from bitsieve.explain.joint import JointInformation
from bitsieve.explain.substitutes import best_substitutes
from bitsieve.information import ANY_EFFECT, COMMON
from bitsieve.information.protocol import MIN_MEAN_SAMPLES
from bitsieve.methods.by_counts.stopping import make_stopping
from bitsieve.methods.registry import list_methods
from bitsieve.plots.displays import (
    MAX_PANELS,
    MAX_POINTS,
    MAX_SHOWN,
    CurveDisplay,
    DendrogramDisplay,
    Display,
    RankingDisplay,
    RedundancyDisplay,
    TargetDisplay,
    selected_names,
)
from bitsieve.plots.figures import WIDTH, as_svg, new_axes
from bitsieve.report.blanket import blanket_section
from bitsieve.report.columns import bins_section, columns_section
from bitsieve.report.groups import groups_section
from bitsieve.report.page import Section, render_page
from bitsieve.report.reproduction import reproduction_section
from bitsieve.report.survival import survival_answer_section, survival_curves_section
from bitsieve.results.call_text import strata_arguments
from bitsieve.results.comparison import Comparison
from bitsieve.results.saved.schema import SavedStrata
from bitsieve.results.selection import Selection, ranking_of
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.progress import phase

MAX_NAMES_LISTED = 12  # in a cell or a sentence
USER_COUNT = "n_features_to_select"  # what ``stopped_by_`` says where the number that was asked for was reached


def selection_report(
    selection: Selection,
    *,
    command: str | None = None,
    comparison: Comparison | None = None,
    when: datetime | None = None,
) -> str:
    """Render the report as HTML.

    ``command`` makes the selection again, by default the call in Python. ``comparison`` has the errors of classifiers.
    """
    if not selection.features:
        raise UserError(
            code="nothing-selected",
            message="no feature is selected, so there is nothing to report",
            advice="ask for a number of features",
        )
    reproduction = reproduction_section("selection", command or _python_call(selection), when, _settings(selection))
    title = f"Features informative about {selection.target_name}"
    if selection.target.kind == "survival":
        return render_page(
            title, [survival_answer_section(selection), survival_curves_section(selection), reproduction]
        )
    evidence = selection.required_evidence()
    counts_more_than_pairs = _counts_more_than_pairs(evidence)
    sections = [
        answer_section(selection),
        which_section(selection),
        ranking_section(selection),
        blanket_section(selection),
        how_many_section(selection, comparison) if counts_more_than_pairs else None,
        redundancy_section(selection),
        substitutes_section(selection) if counts_more_than_pairs else None,
        groups_section(selection.groups, MAX_NAMES_LISTED),
        target_section(selection),
        bins_section(evidence),
        columns_section(evidence, selection.diagnostics),
        reproduction,
    ]
    return render_page(title, [section for section in sections if section is not None])


def _counts_more_than_pairs(evidence: Evidence) -> bool:
    """Whether there are counts of several columns together; saved counts hold those of pairs alone."""
    return "partition" in evidence.information.source.capabilities


@dataclass(frozen=True, kw_only=True)
class Answer(Section):
    """What was selected, in two sentences, the data, and the notes."""

    template: ClassVar[str] = "selection/answer.html"
    target: str
    target_entropy: float
    n_selected: int
    n_features: int
    first_feature: str
    first_relevance: float
    is_common_effect: bool  # of all strata
    joint: JointInformation | None
    joint_percent: float  # of the entropy of the target
    min_rows: int  # for each combination of values
    n_rows: int
    total_weight: int
    n_classes: int
    classes: Sequence[tuple[str, int]]  # labels of the first classes and their rows
    estimator: str
    counts_more_than_pairs: bool
    diagnostics: Diagnostics


def answer_section(selection: Selection) -> Answer:
    evidence = selection.required_evidence()
    target_entropy = evidence.information.class_entropy
    source = evidence.information.source
    joint = evidence.joint
    classes = list(zip(selection.target.labels, source.class_sizes, strict=True))
    return Answer(
        target=selection.target_name,
        target_entropy=target_entropy,
        n_selected=len(selection.features),
        n_features=len(evidence.table.names),
        first_feature=selected_names(evidence)[0],
        first_relevance=float(selection.relevance[0]),
        is_common_effect=evidence.effect == COMMON,
        joint=joint,
        joint_percent=0.0 if joint is None else 100 * joint.bits / target_entropy,
        min_rows=MIN_MEAN_SAMPLES,
        n_rows=selection.n_samples,
        total_weight=source.n_samples,
        n_classes=selection.target.n_classes,
        classes=[(str(label), int(size)) for label, size in classes[:MAX_NAMES_LISTED]],
        estimator=evidence.explaining_estimator,
        counts_more_than_pairs=_counts_more_than_pairs(evidence),
        diagnostics=selection.diagnostics,
    )


@dataclass(frozen=True, kw_only=True)
class SelectedFeature:
    """A selected feature, its relevance, and the limit of what chance reaches."""

    name: str
    rank: int
    informative: str  # alone, with others, ...
    relevance: float
    limit: float | None
    score: float
    relevance_pooled: float | None  # of all rows; None without strata
    heterogeneity: float | None  # what differs between strata; None where that is not known


@dataclass(frozen=True, kw_only=True)
class Which(Section):
    """The selected features in order of choice, and how sure it is that they are informative."""

    template: ClassVar[str] = "selection/which.html"
    heading: ClassVar[str] = "Which columns, and how sure"
    features: Sequence[SelectedFeature]
    score_unit: str
    chance: Chance | None
    strata: SavedStrata | None
    is_common_effect: bool  # of all strata


def which_section(selection: Selection) -> Which:
    evidence = selection.required_evidence()
    chance = evidence.chance
    strata = selection.details.strata
    heterogeneity = selection.heterogeneity
    columns = evidence.selected.tolist()
    features = []
    for i, name in enumerate(selected_names(evidence)):
        feature = SelectedFeature(
            name=name,
            rank=i + 1,
            informative=selection.informative_state[i],
            relevance=float(selection.relevance[i]),
            limit=None if chance is None else chance.limit(columns[i]),
            score=float(selection.scores[i]),
            relevance_pooled=None if strata is None else strata.relevance_pooled[i],
            heterogeneity=None if heterogeneity is None else float(heterogeneity[i]),
        )
        features.append(feature)
    return Which(
        features=features,
        score_unit=selection.unit,
        chance=chance,
        strata=strata,
        is_common_effect=evidence.effect == COMMON,
    )


@dataclass(frozen=True, kw_only=True)
class RankedFeature:
    """A selected feature and the parts of its information, in bits."""

    name: str
    rank: int
    relevance: float
    redundancy: float
    redundant_with: str | None
    synergy: float
    synergy_with: str | None


@dataclass(frozen=True, kw_only=True)
class Ranking(Section):
    """The parts of the information of the selected features, as a figure and a table."""

    template: ClassVar[str] = "selection/ranking.html"
    heading: ClassVar[str] = "What each adds"
    svg: str
    n_drawn: int  # at most
    features: Sequence[RankedFeature]


def ranking_section(selection: Selection) -> Ranking:
    evidence = selection.required_evidence()
    names = evidence.table.names
    contributions = evidence.contributions
    features = []
    for i, name in enumerate(selected_names(evidence)):
        feature = RankedFeature(
            name=name,
            rank=i + 1,
            relevance=float(contributions.relevance[i]),
            redundancy=float(contributions.redundancy[i]),
            redundant_with=name_of_column(names, contributions.redundant_with[i]),
            synergy=float(contributions.complementarity[i]),
            synergy_with=name_of_column(names, contributions.complementary_with[i]),
        )
        features.append(feature)
    return Ranking(
        svg=_svg(RankingDisplay.of(selection.selector, evidence), "information of each feature"),
        n_drawn=MAX_SHOWN,
        features=features,
    )


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
    stopped_by = selection.required_fit().fitted_attribute("stopped_by_", USER_COUNT)
    features = selected_names(evidence)
    stopping = selection.details.stopping
    return HowMany(
        svg=_svg(display, "information of the first features together"),
        min_rows=MIN_MEAN_SAMPLES,
        n_selected=len(features),
        stopped_by=None if stopped_by == USER_COUNT else stopped_by,
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


@dataclass(frozen=True, kw_only=True)
class Redundancy(Section):
    """The information that selected features share, and which columns are alike."""

    template: ClassVar[str] = "selection/redundancy.html"
    heading: ClassVar[str] = "Which columns are alike"
    shared_svg: str
    tree_svg: str
    n_features: int
    n_drawn: int  # columns of the map and of the tree, at most


def redundancy_section(selection: Selection) -> Redundancy | None:
    """None for a single feature, which shares its information with no other."""
    if len(selection.features) < 2:
        return None
    shared = RedundancyDisplay.of(selection.selector, selection.required_evidence())
    tree = DendrogramDisplay.of(selection.selector, selection.required_evidence())
    return Redundancy(
        shared_svg=_svg(shared, "information that selected features share"),
        tree_svg=_svg(tree, "columns that are alike"),
        n_features=len(selection.features),
        n_drawn=MAX_SHOWN,
    )


@dataclass(frozen=True, kw_only=True)
class ReplaceableFeature:
    """A selected feature, its copies, the features that it represents, and its best substitute."""

    name: str
    rank: int
    copies: Sequence[str]
    represents: Sequence[str]
    substitute: str | None
    loss: float | None  # in bits, if the substitute took its place


@dataclass(frozen=True, kw_only=True)
class Substitutes(Section):
    """What each selected feature represents, and what would replace it best."""

    template: ClassVar[str] = "selection/substitutes.html"
    heading: ClassVar[str] = "Copies and substitutes"
    features: Sequence[ReplaceableFeature]
    n_listed: int  # names in a cell, at most


def substitutes_section(selection: Selection) -> Substitutes:
    evidence = selection.required_evidence()
    names = evidence.table.names
    is_selected = np.isin(np.arange(len(names)), evidence.selected)
    candidates = np.flatnonzero(evidence.information.varies & ~is_selected)
    substitutes = best_substitutes(evidence.information, evidence.selected, candidates)
    represented = represented_by_selected(evidence)
    features = []
    for i, name in enumerate(selected_names(evidence)):
        substitute = substitutes[i]
        group = represented.groups[i]
        is_copy = represented.nearness[i] == 1  # rounded, see ``nearest_selected``
        feature = ReplaceableFeature(
            name=name,
            rank=i + 1,
            copies=[names[j] for j in group[is_copy]],
            represents=[names[j] for j in group],
            substitute=None if substitute is None else names[substitute.column],
            loss=None if substitute is None else substitute.price,
        )
        features.append(feature)
    return Substitutes(features=features, n_listed=MAX_NAMES_LISTED)


@dataclass(frozen=True, kw_only=True)
class TargetFigure(Section):
    """A target that is a quantity, drawn over each selected feature."""

    template: ClassVar[str] = "selection/target.html"
    heading: ClassVar[str] = "The target over each feature"
    target: str
    svg: str
    n_rows_drawn: int
    n_features_drawn: int


def target_section(selection: Selection) -> TargetFigure | None:
    """None for a target of classes."""
    if not selection.target.is_quantity:
        return None
    display = TargetDisplay.of(selection.selector, selection.required_evidence())
    return TargetFigure(
        target=selection.target_name,
        svg=_svg(display, f"{selection.target_name} over each selected feature"),
        n_rows_drawn=MAX_POINTS,
        n_features_drawn=MAX_PANELS,
    )


def _settings(selection: Selection) -> dict[str, str]:
    """The method, its parameters and its seed."""
    method = next(method for method in list_methods() if method.name == selection.method)
    parameters = _parameters(selection)
    return {
        "method": f"{method.name}: {method.title}",
        "it maximises": method.formula,
        "paper": method.paper,
        "parameters": ", ".join(f"{name}={value!r}" for name, value in parameters.items()),
        "seed": f"{_seed(selection)}; of the shuffles in this report 0",
    }


def _parameters(selection: Selection) -> dict[str, Any]:
    """The parameters of the selection, without those of the target that were left at None."""
    parameters = dict(selection.parameters)
    for name in ("target_bins", "target_kind"):
        if name in parameters and parameters[name] is None:
            del parameters[name]
    return parameters


def _seed(selection: Selection) -> str:
    """The seed of the method, else that of its stopping rule."""
    parameters = selection.selector.get_params(deep=False)
    if "random_state" in parameters:
        return str(parameters["random_state"])
    stopping = parameters.get("stopping")
    rule_parameters = vars(make_stopping(stopping)) if stopping else {}
    return str(rule_parameters.get("random_state", "none: nothing is drawn at random in the selection"))


def _python_call(selection: Selection) -> str:
    arguments = ["data"]
    if selection.target.kind != "survival":
        arguments.append(repr(selection.target_name))
    arguments.append(f"method={selection.method!r}")
    for name, value in _parameters(selection).items():
        if name in ("groups", "strata") and value == name:  # values were given, not the name of a column
            arguments.append(f"{name}={name}")
        elif name != "method":
            arguments.append(f"{name}={value!r}")
    lines = ",\n".join(f"    {argument}" for argument in arguments)
    return f"bitsieve.select(\n{lines},\n)"


def _svg(display: Display, label: str) -> str:
    phase("drawing")
    axes = new_axes((WIDTH, display.height))
    return as_svg(display.plot(axes).ax_, label)
