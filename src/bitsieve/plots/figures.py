"""The look of figures, alone or in a page that is light or dark, and figures as SVG text."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.plots.figure_files import require_matplotlib
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.note_warnings import notebook

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
else:
    Axes = Figure = Any

# Okabe and Ito's colours, for colour-blind readers too; beyond nine the marker still differs.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C8C00", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
COMMON_STYLE: dict[Any, Any] = {  # any parameter of matplotlib
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "sans-serif",
    "svg.fonttype": "none",
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
}
#: Of figures as papers have them: black on white, with a grid.
PAPER_STYLE = COMMON_STYLE | {"axes.axisbelow": True, "axes.grid": True, "font.size": 10, "grid.color": "#e6e6e6"}
INK = "#1a1a1b"
RULE = "#dcdcdd"
BLUE = "#0072b2"
ORANGE = "#e69f00"
GREEN = "#009e73"
RED = "#d55e00"
GREY = "#9a9a9b"
PAGE_VARIABLES = {  # the names of these colours in page.css, which has others for a dark page
    INK: "ink",
    RULE: "rule",
    BLUE: "blue",
    ORANGE: "orange",
    GREEN: "green",
    GREY: "grey",
    RED: "red",
    "#cc79a7": "pink",
    "#56b4e9": "sky",
    "#8c8c00": "olive",
    "#000000": "ink",
    "#e6e6e6": "rule",
    "#cccccc": "rule",
}
WIDTH = 6.6  # inches
MAX_NAME_LENGTH = 30  # letters of a name in a figure
#: Of all other figures, whose colours become those of their page.
PAGE_STYLE = COMMON_STYLE | {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "font.size": 10,
    "grid.color": RULE,
    "legend.frameon": False,
    "pdf.fonttype": 42,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


@dataclass(frozen=True)
class Curves:
    """Lines by label over ``x``, nan where there is no value.

    ``marked`` is the x that is marked on a line, ``spreads`` how far a band around a line reaches to either side.
    """

    x: Columns
    lines: Mapping[str, Floats]
    x_label: str
    y_label: str
    marked: Mapping[str, float] | None = None
    spreads: Mapping[str, Floats] | None = None


def colour_and_marker(label: str, labels: Sequence[str]) -> tuple[str, str]:
    """The colour and the marker of a label, the same in every figure with these labels."""
    i = list(labels).index(label)
    return COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]


def plot_curves(curves: Curves, ax: Axes | None = None) -> Axes:
    """Draw ``curves`` into ``ax``, or into a new figure."""
    with drawing(ax, (8.0, 3.6)) as axes:
        from matplotlib.ticker import MaxNLocator

        handles = []
        for label, values in curves.lines.items():
            colour, marker = colour_and_marker(label, list(curves.lines))
            line_marker = marker if len(curves.x) <= 12 else None
            (line,) = axes.plot(curves.x, values, color=colour, marker=line_marker, markersize=4, lw=1.6)
            if curves.spreads and label in curves.spreads:
                spread = curves.spreads[label]
                axes.fill_between(curves.x, values - spread, values + spread, color=colour, alpha=0.15, lw=0)
            if curves.marked and label in curves.marked:
                x = curves.marked[label]
                y = values[int(np.searchsorted(curves.x, x))]
                axes.plot([x], [y], marker=marker, ms=8, color=colour, mec="white", mew=1.2, zorder=5)
            handles.append(line)
        axes.set_xlabel(curves.x_label)
        axes.set_ylabel(curves.y_label)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(visible=True)
        axes.figure.legend(handles, list(curves.lines), loc="outside right upper")
    return axes


@contextmanager
def drawing(ax: Axes | None, size: tuple[float, float]) -> Iterator[Axes]:
    """Give ``ax``, or the axes of a new figure; inside the block figures have the look of this package."""
    require_matplotlib()
    import matplotlib

    figure = None
    if ax is None and notebook() is not None:
        from matplotlib import pyplot

        # A figure of pyplot is shown when the cell has run. It is made outside of the context, which would undo what
        # the first figure of a session sets.
        figure = pyplot.figure(figsize=size, layout="constrained")
    with matplotlib.rc_context(PAGE_STYLE):
        if ax is not None:
            yield ax
        elif figure is not None:
            yield figure.add_subplot()
        else:
            yield new_axes(size)


def new_axes(size: tuple[float, float]) -> Axes:
    """Make the axes of a new figure, which needs no screen and is shown by no notebook."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(PAGE_STYLE):
        return Figure(figsize=size, dpi=150, layout="constrained").add_subplot()


def shortened(name: str) -> str:
    """A name on one line that fits beside a figure."""
    line = " ".join(name.split())
    if len(line) <= MAX_NAME_LENGTH:
        return line
    return f"{line[: MAX_NAME_LENGTH - 1]}…"


def as_svg(axes: Axes, label: str) -> str:
    """Draw the figure of ``axes`` as an ``<svg>`` element in the colours of its page. Equal figures give equal text."""
    import matplotlib

    buffer = io.StringIO()
    with matplotlib.rc_context(PAGE_STYLE | {"svg.hashsalt": label}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the reader's fonts are used, not matplotlib's
        without_date = {"Date": None, "Creator": None}
        figure: Any = axes.figure  # never a subfigure
        figure.savefig(buffer, format="svg", metadata=without_date, facecolor="none")
    _, _, rest = buffer.getvalue().partition("<svg ")  # before it stands a declaration of XML
    return with_page_colours(f'<svg role="img" aria-label="{escape(label)}" {rest}')


def with_page_colours(svg: str) -> str:
    """Replace colours such as ``fill: #0072b2`` by variables of the page: ``fill: var(--blue, #0072b2)``."""

    def replacement(match: re.Match[str]) -> str:
        prefix, colour = match.groups()
        variable = PAGE_VARIABLES.get(colour.lower())
        if variable is None:
            return match[0]
        return f"{prefix}var(--{variable}, {colour})"

    return re.sub(r"((?:fill|stroke): ?)(#[0-9a-fA-F]{6})", replacement, svg)
