"""The report of a scorecard: the scale, and a table and a picture of the bins of each column.

A section is a function here and a template in ``templates/scorecard/``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

import numpy as np
from scipy.stats import norm

from bitsieve.plots.figures import BLUE, GREY, as_svg, new_axes
from bitsieve.report.page import Section, render_page
from bitsieve.report.reproduction import reproduction_section
from bitsieve.results.scorecard import Scorecard
from bitsieve.results.scorecard_text import HEADER, column_rows, column_summary
from bitsieve.scorecards.card import CardColumn
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.diagnostic_list import Diagnostics

FIGURE_SIZE = (7.0, 2.8)  # inches


def scorecard_report(card: Scorecard, *, command: str | None = None, when: datetime | None = None) -> str:
    """Render the report as HTML. ``command`` makes the scorecard again, by default the call in Python."""
    sections: list[Section] = [Summary(text=card.summary, diagnostics=card.diagnostics)]
    sections += [column_section(column) for column in card.card.columns]
    sections.append(reproduction_section("scorecard", command or f"bitsieve.scorecard(data, {card.target!r})", when))
    return render_page(f"Scorecard of {card.target}", sections)


@dataclass(frozen=True, kw_only=True)
class Summary(Section):
    """The scale of the points, and the notes."""

    template: ClassVar[str] = "scorecard/summary.html"
    text: str
    diagnostics: Diagnostics


@dataclass(frozen=True, kw_only=True)
class Column(Section):
    """The bins of a column, and their points."""

    template: ClassVar[str] = "scorecard/column.html"
    heading: str  # type: ignore[misc]  # the name of the column
    svg: str
    summary: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def column_section(column: CardColumn) -> Column:
    return Column(
        heading=column.name,
        svg=_picture(column),
        summary=column_summary(column),
        header=HEADER,
        rows=column_rows(column),
    )


def _picture(column: CardColumn) -> str:
    """Bars of the share of rows, and the event rate of each bin with its 95 % interval.

    A line joins the merged bins only: special and missing values have no place in their order.
    """
    counts = column.bins.counts
    position = np.arange(len(counts))
    rate = 100 * counts.events / counts.rows
    low, high = wilson_interval(counts.events, counts.rows)
    axes = new_axes(FIGURE_SIZE)
    axes.bar(position, 100 * counts.rows / counts.rows.sum(), color=GREY, alpha=0.35, label="share of rows (%)")
    errors = np.maximum([rate - 100 * low, 100 * high - rate], 0)
    axes.errorbar(
        position,
        rate,
        errors,
        color=BLUE,
        linestyle="none",
        marker="o",
        markersize=4,
        capsize=3,
        label="event rate (%)",
    )
    n_merged = len(column.bins.merged.counts)
    axes.plot(position[:n_merged], rate[:n_merged], color=BLUE)
    axes.set_xticks(position, column.bins.labels, rotation=30, ha="right", fontsize=7)
    axes.set_ylabel("%")
    axes.legend(fontsize=7)
    return as_svg(axes, f"share of rows and event rate of the bins of {column.name}")


def wilson_interval(events: Integers, rows: Integers) -> tuple[Floats, Floats]:
    """The 95 % interval of an event rate (Wilson 1927)."""
    z = float(norm.ppf(0.975))
    rate = events / rows
    centre = (rate + z**2 / (2 * rows)) / (1 + z**2 / rows)
    margin = z / (1 + z**2 / rows) * np.sqrt(rate * (1 - rate) / rows + z**2 / (4 * rows**2))
    return centre - margin, centre + margin
