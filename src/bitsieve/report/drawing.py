"""Displays drawn for a report."""

from __future__ import annotations

from bitsieve.plots.displays import Display
from bitsieve.plots.figures import WIDTH, as_svg, new_axes
from bitsieve.utils.progress import phase


def svg_of(display: Display, label: str) -> str:
    """Draw a display; ``label`` says what it shows to who cannot see it."""
    phase("drawing")
    axes = new_axes((WIDTH, display.height))
    return as_svg(display.plot(axes).ax_, label)
