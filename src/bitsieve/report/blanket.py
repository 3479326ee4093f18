"""The section of a report on the Markov blanket that was selected: a graph of its members by role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bitsieve.plots.figures import WIDTH, as_svg, new_axes
from bitsieve.plots.graphs import BLANKET_HEIGHT, draw_blanket
from bitsieve.report.page import Section
from bitsieve.results.selection import Selection

MAX_MEMBERS_DRAWN = 24


@dataclass(frozen=True, kw_only=True)
class Blanket(Section):
    """The target, the columns directly related to it, and those related only once others are known."""

    template: ClassVar[str] = "selection/blanket.html"
    heading: ClassVar[str] = "Markov blanket"
    svg: str
    target: str
    n_members: int
    n_drawn: int


def blanket_section(selection: Selection) -> Blanket | None:
    """The section on the blanket; None if the roles of its members were not found."""
    features = zip(selection.features, selection.details.roles, strict=True)
    members = [(str(name), role) for name, role in features if role is not None]
    if not members:
        return None
    drawn = members[:MAX_MEMBERS_DRAWN]
    neighbours = [name for name, role in drawn if role.name == "neighbour"]
    spouses = {name: role.via for name, role in drawn if role.name == "spouse"}
    axes = draw_blanket(selection.target_name, neighbours, spouses, new_axes((WIDTH, BLANKET_HEIGHT)))
    return Blanket(
        svg=as_svg(axes, "the Markov blanket of the target"),
        target=selection.target_name,
        n_members=len(members),
        n_drawn=len(drawn),
    )
