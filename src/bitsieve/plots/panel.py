"""A quantity drawn over one feature: some rows, the cuts between bins, and the median of each bin."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from bitsieve.explain.evidence import Evidence
from bitsieve.plots.figures import BLUE, GREY, INK, Axes, shortened
from bitsieve.utils.arrays import Columns, Floats, Values

MAX_POINTS = 300  # rows that a panel draws
MAX_CUTS = 30  # beyond, a panel draws none
MAX_TICKS = 6  # labels of categories in a panel


class Panel(NamedTuple):
    """The rows of one feature, as a quantity is drawn over them."""

    name: str
    x: Floats  # values of the feature; categories are 0, 1, 2, ...
    y: Floats  # the quantity
    edges: Floats  # of the bins
    ticks: list[str]  # names of the categories; empty for a feature of numbers
    side: Literal["left", "right"] = "left"  # where a value on an edge goes, as for ``numpy.searchsorted``

    @classmethod
    def of(cls, evidence: Evidence, column: int) -> Panel:
        """The rows that have a value in a column."""
        table = evidence.table.required_rows()
        binner = evidence.binner
        y = table.target.values
        assert y is not None  # the target is a quantity
        ticks: list[str] = []
        if table.is_numeric(column):
            x = table.numeric(column)
            numbers = binner.categories_[column]  # of which each is a bin; None where bins are cut
            edges = binner.bin_edges_[column] if numbers is None else _between(numbers)
        else:
            coded = table.categorical(column)
            x = np.where(coded.codes < 0, np.nan, coded.codes)
            ticks = [str(label) for label in coded.categories]
            edges = _between(np.arange(len(ticks)))
        is_present = ~np.isnan(x)
        return cls(
            name=str(table.names[column]),
            x=x[is_present],
            y=y[is_present],
            edges=np.asarray(edges, np.float64),
            ticks=ticks,
            side=binner.side,
        )

    @property
    def medians(self) -> Floats:
        """The median of the quantity in each bin; nan in an empty one."""
        bins = np.searchsorted(self.edges, self.x, self.side)
        medians = np.full(len(self.edges) + 1, np.nan)
        for b in np.unique(bins):
            medians[b] = np.median(self.y[bins == b])
        return medians


def _between(values: Values) -> Floats:
    """The middle between each value and the next."""
    middles: Floats = (values[1:] + values[:-1]) / 2
    return middles


def draw_panel(ax: Axes, panel: Panel) -> None:
    """Draw at most 300 rows, evenly over the table, the cuts, and the median of each bin."""
    rows = evenly_spaced(len(panel.x), MAX_POINTS)
    ax.plot(panel.x[rows], panel.y[rows], ".", ms=3, color=GREY, mew=0)
    if not panel.ticks and len(panel.edges) <= MAX_CUTS:
        for edge in panel.edges:
            ax.axvline(edge, color=INK, lw=0.7, ls=(0, (3, 3)))
    low, high = ax.get_xlim()
    bounds = np.clip(np.r_[low, panel.edges, high], low, high)
    ax.hlines(panel.medians, bounds[:-1], bounds[1:], color=BLUE, lw=2, zorder=5)
    ax.set_xlim(low, high)
    if panel.ticks:
        positions = evenly_spaced(len(panel.ticks), MAX_TICKS)
        ax.set_xticks(positions, [shortened(panel.ticks[i]) for i in positions])


def evenly_spaced(n: int, maximum: int) -> Columns:
    """At most ``maximum`` of the indices 0 to n - 1, the first and the last among them."""
    return np.unique(np.linspace(0, n - 1, min(n, maximum)).astype(np.intp))
