"""A quantity over one feature: the rows, the bins of the feature, and the median in each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import numpy as np

from bitsieve.common.arrays import Floats
from bitsieve.data.table import TableInMemory
from bitsieve.selection.evidence import Evidence
from bitsieve.selection.figures import BLUE, GREY, INK, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS, MOST_CUTS, MOST_TICKS = 300, 30, 6  # rows, cuts and labels of a panel


class Panel(NamedTuple):
    """The rows of one feature: its values, the quantity, and the bins; ``ticks`` are the labels of categories.

    A value on an edge belongs to the bin below it where ``side`` is "left", else to that above.
    """

    name: str
    x: Floats
    y: Floats
    edges: Floats
    ticks: list[str]
    side: Literal["left", "right"] = "left"

    @classmethod
    def of(cls, evidence: Evidence, column: int) -> Panel:
        """The rows that have a value in a column; categories are drawn at 0, 1, 2, ..."""
        table, binner = cast(TableInMemory, evidence.table), evidence.binner
        name, y, ticks = str(table.names[column]), cast(Floats, table.target.values), []
        if table.is_numeric(column):
            x = table.numeric(column)
        else:
            coded = table.categorical(column)
            x, ticks = np.where(coded.codes < 0, np.nan, coded.codes), [str(label) for label in coded.categories]
        values = np.arange(len(ticks)) if ticks else binner.categories_[column]  # of which each is a bin
        edges = binner.bin_edges_[column] if values is None else (values[1:] + values[:-1]) / 2
        there = ~np.isnan(x)
        return cls(name, x[there], y[there], np.asarray(edges, np.float64), ticks, getattr(binner, "side", "left"))

    @property
    def medians(self) -> Floats:
        """The median of the quantity in each bin; nan in an empty one."""
        bins = np.searchsorted(self.edges, self.x, self.side)
        inside = [self.y[bins == place] for place in range(len(self.edges) + 1)]
        return np.array([np.median(values) if len(values) else np.nan for values in inside])


def draw_panel(ax: Axes, panel: Panel) -> None:
    """Draw at most 300 rows, evenly over the table, the cuts, and the median of each bin."""
    rows = np.unique(np.linspace(0, len(panel.x) - 1, min(len(panel.x), MOST_POINTS)).astype(np.intp))
    ax.plot(panel.x[rows], panel.y[rows], ".", ms=3, color=GREY, mew=0)
    for edge in panel.edges if not panel.ticks and len(panel.edges) <= MOST_CUTS else ():
        ax.axvline(edge, color=INK, lw=0.7, ls=(0, (3, 3)))
    low, high = ax.get_xlim()
    ends = np.clip(np.r_[low, panel.edges, high], low, high)
    ax.hlines(panel.medians, ends[:-1], ends[1:], color=BLUE, lw=2, zorder=5)
    ax.set_xlim(low, high)
    if panel.ticks:
        places = np.unique(np.linspace(0, len(panel.ticks) - 1, min(len(panel.ticks), MOST_TICKS)).astype(np.intp))
        ax.set_xticks(places, [shortened(panel.ticks[place]) for place in places])
