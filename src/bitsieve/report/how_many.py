"""The report of how many columns to take: the answers of the rules, and what each column adds beside chance.

A section is a function here and the template of the same name in ``templates/how_many/``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from bitsieve.metrics.measures import find_measure
from bitsieve.plots.figures import as_svg, new_axes
from bitsieve.report.page import Section, render_page
from bitsieve.report.plots import plot_how_many
from bitsieve.report.reproduction import reproduction_section
from bitsieve.results.call_text import strata_arguments, target_arguments
from bitsieve.results.how_many import HEADER, HowMany
from bitsieve.utils.diagnostic_list import Diagnostics

FIGURE_SIZE = (8.0, 3.6)  # inches


def how_many_report(result: HowMany, *, command: str | None = None, when: datetime | None = None) -> str:
    """Render the report as HTML. ``command`` makes the result again, by default the call in Python."""
    strata = strata_arguments(result.strata, result.effect)
    target = target_arguments(result.target, result.event)
    call = f"bitsieve.how_many(data, {target}{strata})"
    sections = [
        answer_section(result),
        rules_section(result),
        curve_section(result),
        reproduction_section("answers", command or call, when),
    ]
    return render_page(f"How many columns to take for {result.target}", sections)


@dataclass(frozen=True, kw_only=True)
class Answer(Section):
    """How to read the answers of the rules, the measure of errors, and the notes."""

    template: ClassVar[str] = "how_many/answer.html"
    reading: str
    scoring: str | None
    about_error: str  # what an error is
    error_without_columns: str | None  # None where rows have weights, which cross-validation does not take
    baseline: str  # the prediction that uses no columns
    diagnostics: Diagnostics


def answer_section(result: HowMany) -> Answer:
    about_error = ""
    baseline = ""
    error_without_columns = None
    if result.scoring is not None:
        measure = find_measure(result.scoring)
        about_error = measure.about
        baseline = measure.baseline
        error_without_columns = f"{measure.text(result.error_without_columns)}{measure.unit}"
    return Answer(
        reading=result.reading,
        scoring=result.scoring,
        about_error=about_error,
        error_without_columns=error_without_columns,
        baseline=baseline,
        diagnostics=result.diagnostics,
    )


@dataclass(frozen=True, kw_only=True)
class Rules(Section):
    """How many columns each rule takes, which are the first, and what the rule asks."""

    template: ClassVar[str] = "how_many/rules.html"
    heading: ClassVar[str] = "What each rule takes"
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def rules_section(result: HowMany) -> Rules:
    return Rules(header=HEADER, rows=result.rows())


@dataclass(frozen=True, kw_only=True)
class AddedColumn:
    """A column, the bits that it adds to those before it, and what the best of those left adds after shuffles."""

    name: str
    rank: int
    added: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Curve(Section):
    """The bits that each column adds, and the band of chance."""

    template: ClassVar[str] = "how_many/curve.html"
    heading: ClassVar[str] = "What each column adds"
    svg: str
    target: str
    unit: str
    is_time: bool  # whether the target is a time to an event
    features: Sequence[AddedColumn]


def curve_section(result: HowMany) -> Curve:
    band = result.band
    features = []
    for i, name in enumerate(band.features):
        feature = AddedColumn(
            name=str(name),
            rank=i + 1,
            added=float(band.bits[i]),
            low=float(band.low[i]),
            high=float(band.high[i]),
        )
        features.append(feature)
    axes = plot_how_many(result, ax=new_axes(FIGURE_SIZE))
    return Curve(
        svg=as_svg(axes, "bits that each column adds"),
        target=result.target,
        unit=result.unit,
        is_time=result.event is not None,
        features=features,
    )
