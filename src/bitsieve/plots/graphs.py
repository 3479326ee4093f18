"""Pictures of a Markov blanket and of a network of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, sin

import numpy as np

from bitsieve.plots.figures import BLUE, GREY, INK, ORANGE, WIDTH, Axes, drawing, shortened
from bitsieve.utils.arrays import Columns, Floats

BLANKET_HEIGHT = 4.2  # inches
NEIGHBOUR_RADIUS = 1.0
SPOUSE_RADIUS = 1.9
SPOUSE_STEP = 0.35  # radians between spouses by way of the same neighbour
NETWORK_SIZE = 7.0  # inches


def draw_blanket(
    target: str, neighbours: Sequence[str], spouses: Mapping[str, Sequence[str]], ax: Axes | None = None
) -> Axes:
    """Draw the target with a line to each neighbour, and dashed lines from spouses to the columns by way of which.

    A spouse by way of no member, or of one that is not among the neighbours, is dashed to the target.
    """
    position_of: dict[str, Floats] = {}
    angles = _angles(len(neighbours))
    for name, angle in zip(neighbours, angles, strict=True):
        position_of[name] = _on_circle(NEIGHBOUR_RADIUS, angle)
    n_spouses_of: dict[str | None, int] = {}
    origin = np.zeros(2)
    with drawing(ax, (WIDTH, BLANKET_HEIGHT)) as axes:
        for name in neighbours:
            _line(axes, origin, position_of[name], "-")
            _node(axes, position_of[name], name, BLUE)
        for spouse, via in spouses.items():
            joined_neighbours = [name for name in via if name in neighbours]
            first = joined_neighbours[0] if joined_neighbours else None
            n_earlier = n_spouses_of.get(first, 0)
            n_spouses_of[first] = n_earlier + 1
            angle = angles[list(neighbours).index(first)] if first is not None else 0.0
            side = 1 if n_earlier % 2 else -1
            position = _on_circle(SPOUSE_RADIUS, angle + side * SPOUSE_STEP * (n_earlier + 1) / 2)
            for name in joined_neighbours:
                _line(axes, position, position_of[name], "--")
            if not joined_neighbours:
                _line(axes, position, origin, "--")
            _node(axes, position, spouse, ORANGE)
        _node(axes, origin, target, INK)
        reach = SPOUSE_RADIUS + 0.4 if spouses else NEIGHBOUR_RADIUS + 0.4
        axes.set_xlim(-1.5 * reach, 1.5 * reach)
        axes.set_ylim(-reach, reach)
        axes.axis("off")
    return axes


def draw_network(names: Sequence[str], edges: Columns, ax: Axes | None = None) -> Axes:
    """Draw columns on a circle, and a line for each edge. Columns without an edge are left out."""
    drawn, ends = np.unique(edges, return_inverse=True)
    angles = _angles(len(drawn))
    positions = [_on_circle(1.0, angle) for angle in angles]
    with drawing(ax, (NETWORK_SIZE, NETWORK_SIZE)) as axes:
        for first, second in ends.reshape(-1, 2).tolist():
            _line(axes, positions[first], positions[second], "-")
        for column, position, angle in zip(drawn.tolist(), positions, angles, strict=True):
            axes.plot(*position, "o", color=BLUE, markersize=6)
            is_left = cos(angle) < 0
            degrees = np.degrees(angle) + (180 if is_left else 0)
            axes.text(
                1.06 * position[0],
                1.06 * position[1],
                shortened(names[column]),
                rotation=degrees,
                rotation_mode="anchor",
                ha="right" if is_left else "left",
                va="center",
                fontsize=8,
            )
        axes.set_xlim(-1.6, 1.6)
        axes.set_ylim(-1.6, 1.6)
        axes.set_aspect("equal")
        axes.axis("off")
    return axes


def _angles(n: int) -> Floats:
    """So many angles at equal distances, from the right."""
    return np.linspace(0.0, 2 * np.pi, n, endpoint=False)


def _on_circle(radius: float, angle: float) -> Floats:
    return np.array([radius * cos(angle), radius * sin(angle)], np.float64)


def _line(axes: Axes, start: Floats, end: Floats, line_style: str) -> None:
    axes.plot([start[0], end[0]], [start[1], end[1]], line_style, color=GREY, lw=1.2, zorder=1)


def _node(axes: Axes, position: Floats, name: str, colour: str) -> None:
    """A dot, and the name above it."""
    axes.plot(*position, "o", color=colour, markersize=9, zorder=2)
    x, y = position.tolist()
    axes.annotate(shortened(name), (x, y), (0, 8), textcoords="offset points", ha="center", fontsize=9, zorder=3)
