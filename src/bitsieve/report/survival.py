"""The report of a selection for a time to an event: what was selected, and Kaplan and Meier's curves by its codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from bitsieve.counts.risk_sets import RiskSets
from bitsieve.dataset.survival import SurvivalTarget
from bitsieve.plots.figures import COLOURS, WIDTH, as_svg, drawing, new_axes
from bitsieve.report.columns import bin_labels
from bitsieve.report.page import Section
from bitsieve.results.selection import Selection
from bitsieve.utils.arrays import Flags, Floats
from bitsieve.utils.diagnostic_list import Diagnostics

MAX_COLUMNS_DRAWN = 4
MAX_CODES_DRAWN = 6  # of a column, those with the most rows
HEIGHT = 3.2  # inches


@dataclass(frozen=True, kw_only=True)
class SurvivalFeature:
    """A selected feature."""

    rank: int
    name: str
    score: float
    relevance: float
    informative: str


@dataclass(frozen=True, kw_only=True)
class SurvivalAnswer(Section):
    """What was selected, the events, and the notes."""

    template: ClassVar[str] = "survival/answer.html"
    features: Sequence[SurvivalFeature]
    duration: str
    n_features: int
    n_rows: int
    n_events: int
    score_unit: str
    estimator: str
    diagnostics: Diagnostics


def survival_answer_section(selection: Selection) -> SurvivalAnswer:
    features = []
    for i, name in enumerate(selection.features):
        feature = SurvivalFeature(
            rank=i + 1,
            name=str(name),
            score=float(selection.scores[i]),
            relevance=float(selection.relevance[i]),
            informative=selection.informative_state[i],
        )
        features.append(feature)
    return SurvivalAnswer(
        features=features,
        duration=selection.target_name,
        n_features=selection.details.data.n_features,
        n_rows=selection.n_samples,
        n_events=selection.n_events or 0,
        score_unit=selection.unit,
        estimator=selection.estimator,
        diagnostics=selection.diagnostics,
    )


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The share of the rows of a code that have no event yet, after each time of an event among them."""

    label: str
    n_rows: int
    n_events: int
    time: Floats
    share: Floats
    end: float  # the last time of the rows


@dataclass(frozen=True, kw_only=True)
class CurvesOfColumn:
    """The curves of the codes of a column, as a figure and a table."""

    name: str
    svg: str
    curves: Sequence[Curve]
    n_hidden: int  # codes that are not drawn, as they have fewer rows


@dataclass(frozen=True, kw_only=True)
class SurvivalCurves(Section):
    """The curves of the first selected columns."""

    template: ClassVar[str] = "survival/curves.html"
    heading: ClassVar[str] = "How the codes differ over time"
    columns: Sequence[CurvesOfColumn]


def survival_curves_section(selection: Selection) -> SurvivalCurves:
    fit = selection.required_fit()
    rows = fit.table.required_rows()
    target = rows.target
    assert isinstance(target, SurvivalTarget)
    binner = fit.evidence_from_counts.binner
    risk_sets = target.risk_sets(rows.weights)
    codes: Any = binner.codes(rows)
    columns = []
    for j in selection.indices[:MAX_COLUMNS_DRAWN].tolist():
        code = codes[:, j]
        labels = bin_labels(binner, j, int(code.max()) + 1)
        sizes = np.bincount(code, risk_sets.weight)
        largest = np.sort(np.argsort(-sizes, kind="stable")[:MAX_CODES_DRAWN])
        curves = [kaplan_meier(labels[c], target.time, risk_sets, code == c) for c in largest.tolist() if sizes[c]]
        columns.append(
            CurvesOfColumn(
                name=str(rows.names[j]),
                svg=_svg_of_curves(curves, str(rows.names[j]), target.name),
                curves=curves,
                n_hidden=int((sizes > 0).sum()) - len(curves),
            )
        )
    return SurvivalCurves(columns=columns)


def kaplan_meier(label: str, time: Floats, risk_sets: RiskSets, rows: Flags) -> Curve:
    """The curve of Kaplan and Meier of some rows: the product over times of events of ``1 - d / r``."""
    one_code = np.zeros(int(rows.sum()), np.int64)
    subset = replace(risk_sets.subset(rows), stratum=one_code)
    n_events = subset.n_events
    end = float(time[rows].max())
    times = np.unique(time[rows & risk_sets.event])
    (n_at_risk,) = subset.n_at_risk(one_code)
    share: Floats = np.cumprod(1.0 - subset.event_times.n_events / n_at_risk)
    return Curve(label=label, n_rows=int(subset.weight.sum()), n_events=n_events, time=times, share=share, end=end)


def _svg_of_curves(curves: Sequence[Curve], name: str, duration: str) -> str:
    """Draw the curves as steps, and return the figure as SVG."""
    with drawing(new_axes((WIDTH, HEIGHT)), (WIDTH, HEIGHT)) as axes:
        for index, curve in enumerate(curves):
            time = np.concatenate([[0.0], curve.time, [curve.end]])
            last_share = curve.share[-1] if len(curve.share) else 1.0
            share = np.concatenate([[1.0], curve.share, [last_share]])
            axes.step(time, share, where="post", label=curve.label, color=COLOURS[index % len(COLOURS)], lw=1.6)
        axes.set_xlabel(duration)
        axes.set_ylabel("share without event")
        axes.set_ylim(0.0, 1.02)
        axes.legend(title=name, frameon=False)
        return as_svg(axes, f"share without event by {name}")
