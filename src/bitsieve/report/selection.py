"""The report of a selection: what was selected and why, what it represents, the data, and how to make it again.

A section is a function here (or in ``columns.py``) and the template of the same name in ``templates/selection/``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

import numpy as np

from bitsieve.diagnostics import UserError
from bitsieve.explain.affiliated import represented_by_selected
from bitsieve.explain.chance import Chance
from bitsieve.explain.evidence import Evidence
from bitsieve.explain.explain import name_of_column
from bitsieve.explain.joint import JointInformation
from bitsieve.explain.substitutes import best_substitutes
from bitsieve.information import COMMON
from bitsieve.information.protocol import MIN_MEAN_SAMPLES
from bitsieve.plots.displays import (
    MAX_PANELS,
    MAX_SHOWN,
    DendrogramDisplay,
    RankingDisplay,
    RedundancyDisplay,
    TargetDisplay,
    selected_names,
)
from bitsieve.plots.panel import MAX_POINTS
from bitsieve.report.blanket import blanket_section
from bitsieve.report.columns import bins_section, columns_section
from bitsieve.report.drawing import svg_of
from bitsieve.report.groups import groups_section
from bitsieve.report.page import Section, render_page
from bitsieve.report.reproduction import reproduction_section
from bitsieve.report.selection_settings import python_call, settings_of
from bitsieve.report.selection_size import how_many_section
from bitsieve.report.survival import survival_answer_section, survival_curves_section
from bitsieve.results.comparison import Comparison
from bitsieve.results.saved.schema import SavedStrata
from bitsieve.results.selection import Selection
from bitsieve.utils.diagnostic_list import Diagnostics

MAX_NAMES_LISTED = 12  # in a cell or a sentence


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
    reproduction = reproduction_section("selection", command or python_call(selection), when, settings_of(selection))
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
        svg=svg_of(RankingDisplay.of(selection.selector, evidence), "information of each feature"),
        n_drawn=MAX_SHOWN,
        features=features,
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
        shared_svg=svg_of(shared, "information that selected features share"),
        tree_svg=svg_of(tree, "columns that are alike"),
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
        svg=svg_of(display, f"{selection.target_name} over each selected feature"),
        n_rows_drawn=MAX_POINTS,
        n_features_drawn=MAX_PANELS,
    )
