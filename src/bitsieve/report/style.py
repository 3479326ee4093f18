"""How the figures of a selection look, alone and inside a page that may be light or dark."""

from __future__ import annotations

import io
import re
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

from bitsieve.report.figures import require_matplotlib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

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
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.facecolor": "none",
    "axes.axisbelow": True,
    "figure.facecolor": "none",
    "grid.color": RULE,
    "legend.frameon": False,
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


@contextmanager
def styled() -> Iterator[None]:
    """The style of the figures inside the block.

    Raises
    ------
    ValueError
        matplotlib is not installed.
    """
    require_matplotlib()
    import matplotlib

    with matplotlib.rc_context(STYLE):
        yield


def new_axes(height: float) -> Axes:
    """Axes of a new figure, which needs no display."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, height), dpi=150, layout="constrained").add_subplot()


def shortened(name: str) -> str:
    """A name that fits beside a figure, on one line."""
    line = " ".join(name.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def as_svg(axes: Axes, label: str) -> str:
    """The figure of ``axes`` as an ``<svg>`` element whose colours are those of its page; equal figures, equal text."""
    import warnings

    import matplotlib

    buffer = io.StringIO()
    with matplotlib.rc_context(STYLE | {"svg.hashsalt": label}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the reader's fonts are used, not matplotlib's
        axes.figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})  # type: ignore[union-attr]
    text = buffer.getvalue()
    return themed(
        re.sub(r"<svg ", f'<svg role="img" aria-label="{escape(label)}" ', text[text.index("<svg") :], count=1)
    )


def themed(svg: str) -> str:
    """The drawing with the colours of its page in the place of its own."""

    def variable(found: re.Match[str]) -> str:
        name = IN_A_PAGE.get(found[2].lower())
        return found[0] if name is None else f"{found[1]}var(--{name}, {found[2]})"

    return re.sub(r"((?:fill|stroke): ?)(#[0-9a-fA-F]{6})", variable, svg)
