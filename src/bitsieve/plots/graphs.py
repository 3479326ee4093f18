"""Pictures of a Markov blanket and of a network of columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import cos, sin

import numpy as np

from bitsieve.plots.figures import BLUE, GREY, INK, ORANGE, WIDTH, Axes, drawing, shortened
from bitsieve.utils.arrays import Columns, Floats

BLANKET_HEIGHT = 4.2  # inches
NEIGHBOUR_RADIUS = 1.0
SPOUSE_RADIUS = 1.9
SPOUSE_STEP = 0.35  # radians between spouses beside the same neighbour
NETWORK_SIZE = 7.0  # inches


def draw_blanket(
    target: str, neighbours: Sequence[str], spouses: Mapping[str, Sequence[str]], ax: Axes | None = None
) -> Axes:
    """Draw the target with a line to each neighbour, and dashed lines from each spouse to its neighbours.

    ``spouses`` maps each spouse to the members that relate it to the target. A spouse without any of them among the
    neighbours is dashed to the target.
    """
    angle_of = dict(zip(neighbours, _angles(len(neighbours)).tolist(), strict=True))
    position_of = {name: _on_circle(NEIGHBOUR_RADIUS, angle) for name, angle in angle_of.items()}
    neighbours_of = {spouse: [name for name in via if name in angle_of] for spouse, via in spouses.items()}
    origin = np.zeros(2)
    with drawing(ax, (WIDTH, BLANKET_HEIGHT)) as axes:
        for name in neighbours:
            _line(axes, origin, position_of[name], "-")
            _node(axes, position_of[name], name, BLUE)
        for spouse, angle in _spouse_angles(neighbours_of, angle_of).items():
            position = _on_circle(SPOUSE_RADIUS, angle)
            for name in neighbours_of[spouse]:
                _line(axes, position, position_of[name], "--")
            if not neighbours_of[spouse]:
                _line(axes, position, origin, "--")
            _node(axes, position, spouse, ORANGE)
        _node(axes, origin, target, INK)
        reach = SPOUSE_RADIUS + 0.4 if spouses else NEIGHBOUR_RADIUS + 0.4
        axes.set_xlim(-1.5 * reach, 1.5 * reach)
        axes.set_ylim(-reach, reach)
        axes.axis("off")
    return axes


def _spouse_angles(neighbours_of: Mapping[str, Sequence[str]], angle_of: Mapping[str, float]) -> dict[str, float]:
    """The angle of each spouse: beside its first neighbour, on alternating sides of it, each further away."""
    angles = {}
    n_beside: Counter[str | None] = Counter()  # spouses beside each neighbour; None has those without a neighbour
    for spouse, neighbours in neighbours_of.items():
        first = neighbours[0] if neighbours else None
        n_beside[first] += 1
        side = 1 if n_beside[first] % 2 == 0 else -1
        middle = 0.0 if first is None else angle_of[first]
        angles[spouse] = middle + side * SPOUSE_STEP * n_beside[first] / 2
    return angles


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
