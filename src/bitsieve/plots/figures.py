"""How figures look, alone and inside a page that may be light or dark, and figures as SVG text or files."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.diagnostics import UserError
from bitsieve.io.output import AnyPath, writing
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.messages import notebook

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
    from matplotlib.figure import SubFigure
else:
    Axes = Figure = Any

# Okabe and Ito's colours, for colour-blind readers too; beyond nine the marker still differs.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C8C00", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
FORMATS = ".png", ".svg", ".pdf"  # of a figure that is saved
OF_ALL: dict[Any, Any] = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "sans-serif",
    "svg.fonttype": "none",
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
}
STYLE = OF_ALL | {"axes.axisbelow": True, "axes.grid": True, "font.size": 10, "grid.color": "#e6e6e6"}
INK, RULE = "#1a1a1b", "#dcdcdd"
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#e69f00", "#009e73", "#9a9a9b"
IN_A_PAGE = {  # the names of these colours in page.css, which has others for a dark page
    INK: "ink",
    RULE: "rule",
    BLUE: "blue",
    ORANGE: "orange",
    GREEN: "green",
    GREY: "grey",
    "#d55e00": "red",
    "#cc79a7": "pink",
    "#56b4e9": "sky",
    "#8c8c00": "olive",
    "#000000": "ink",
    "#e6e6e6": "rule",
    "#cccccc": "rule",
}
WIDTH = 6.6  # inches
LONGEST = 30  # letters of a name in a figure
LOOK = OF_ALL | {
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
    """Lines by label over ``x``, nan where there is no value; ``marked`` is the x that is marked on a line."""

    x: Columns
    lines: Mapping[str, Floats]
    x_label: str
    y_label: str
    marked: Mapping[str, float] | None = None


def require_matplotlib() -> None:
    """Refuse, before any work, to draw without matplotlib."""
    if find_spec("matplotlib") is None:
        raise UserError(
            code="package-missing",
            message="figures need matplotlib, which is not installed",
            advice="pip install 'bitsieve[report]'",
        )


def style(label: str, labels: Sequence[str]) -> tuple[str, str]:
    """The colour and the marker of a label, the same in every figure with these labels."""
    at = list(labels).index(label)
    return COLOURS[at % len(COLOURS)], MARKERS[at % len(MARKERS)]


def plot_curves(curves: Curves, ax: Axes | None = None) -> Axes:
    """The lines of ``curves`` into ``ax``, or into a new figure."""
    with drawing(ax, (8.0, 3.6)) as axes:
        from matplotlib.ticker import MaxNLocator

        handles = []
        for label, values in curves.lines.items():
            colour, marker = style(label, list(curves.lines))
            few = len(curves.x) <= 12
            (line,) = axes.plot(curves.x, values, color=colour, marker=marker if few else None, markersize=4, lw=1.6)
            if curves.marked and label in curves.marked:
                at = curves.marked[label]
                height_there = values[int(np.searchsorted(curves.x, at))]
                axes.plot([at], [height_there], marker=marker, ms=8, color=colour, mec="white", mew=1.2, zorder=5)
            handles.append(line)
        axes.set_xlabel(curves.x_label)
        axes.set_ylabel(curves.y_label)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(visible=True)
        axes.figure.legend(handles, list(curves.lines), loc="outside right upper")
    return axes


def save_figure(figure: Figure | SubFigure, path: AnyPath) -> None:
    """Write a figure of matplotlib in the format of the ending; the same figure gives the same bytes."""
    import matplotlib

    path = Path(path)
    kind = path.suffix.lower()[1:]
    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with writing(path) as file, matplotlib.rc_context({"svg.hashsalt": path.stem}):
        figure.savefig(file, format=kind, dpi=150, metadata=dates)  # type: ignore[union-attr]  # never a part of one


@contextmanager
def drawing(ax: Axes | None, size: tuple[float, float]) -> Iterator[Axes]:
    """``ax``, or those of a new figure, with the look of the figures inside the block."""
    require_matplotlib()
    import matplotlib

    figure = None
    if ax is None and notebook() is not None:
        from matplotlib import pyplot

        # Shown when the cell has run. Outside of the context, which would take back what the first figure sets.
        figure = pyplot.figure(figsize=size, layout="constrained")
    with matplotlib.rc_context(LOOK):
        if ax is None:
            ax = new_axes(size) if figure is None else figure.add_subplot()
        yield ax


def new_axes(size: tuple[float, float]) -> Axes:
    """Axes of a new figure, which needs no screen and which no notebook shows."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(LOOK):
        return Figure(figsize=size, dpi=150, layout="constrained").add_subplot()


def shortened(name: str) -> str:
    """A name that fits beside a figure, on one line."""
    line = " ".join(name.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def as_svg(axes: Axes, label: str) -> str:
    """The figure of ``axes`` as an ``<svg>`` element whose colours are those of its page; equal figures, equal text."""
    import matplotlib

    buffer = io.StringIO()
    with matplotlib.rc_context(LOOK | {"svg.hashsalt": label}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the reader's fonts are used, not matplotlib's
        undated = {"Date": None, "Creator": None}
        figure: Any = axes.figure  # never a part of one
        figure.savefig(buffer, format="svg", metadata=undated, facecolor="none")
    text = buffer.getvalue()
    return themed(f'<svg role="img" aria-label="{escape(label)}" {text[text.index("<svg ") + len("<svg ") :]}')


def themed(svg: str) -> str:
    """The drawing with the colours of its page in the place of its own."""

    def variable(found: re.Match[str]) -> str:
        name = IN_A_PAGE.get(found[2].lower())
        return found[0] if name is None else f"{found[1]}var(--{name}, {found[2]})"

    return re.sub(r"((?:fill|stroke): ?)(#[0-9a-fA-F]{6})", variable, svg)
