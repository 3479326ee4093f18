"""The section of a report on the groups of columns that the method made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bitsieve.plots.figures import BLUE, GREY, WIDTH, as_svg, drawing, new_axes, shortened
from bitsieve.report.page import Section
from bitsieve.results.saved.schema import ColumnGroup

MAX_GROUPS_DRAWN = 40


@dataclass(frozen=True, kw_only=True)
class Groups(Section):
    """The groups of columns, with those that were selected, drawn and in a table."""

    template: ClassVar[str] = "selection/groups.html"
    heading: ClassVar[str] = "Groups of columns"
    svg: str
    groups: Sequence[ColumnGroup]  # those of several columns
    n_alone: int  # groups of a single column
    n_drawn: int
    n_listed: int  # names in a cell, at most


def groups_section(groups: Sequence[ColumnGroup], n_listed: int) -> Groups | None:
    """None if the method made no group of several columns."""
    larger_groups = [group for group in groups if len(group.selected) + len(group.others) > 1]
    if not larger_groups:
        return None
    drawn = larger_groups[:MAX_GROUPS_DRAWN]
    return Groups(
        svg=_draw(drawn),
        groups=larger_groups,
        n_alone=len(groups) - len(larger_groups),
        n_drawn=len(drawn),
        n_listed=n_listed,
    )


def _draw(groups: Sequence[ColumnGroup]) -> str:
    """A bar for each group: its selected columns, and the others behind them."""
    positions = np.arange(len(groups))
    n_selected = np.array([len(group.selected) for group in groups])
    n_others = np.array([len(group.others) for group in groups])
    names = [shortened(str((*group.selected, *group.others)[0])) for group in groups]
    axes = new_axes((WIDTH, 1.3 + 0.27 * len(groups)))
    with drawing(axes, (WIDTH, 1.0)) as ax:
        ax.barh(positions, n_selected, height=0.68, color=BLUE, label="selected")
        ax.barh(positions, n_others, left=n_selected, height=0.68, color=GREY, label="not selected")
        ax.set_yticks(positions, names)
        ax.set_ylim(len(groups) - 0.4, -0.6)
        ax.grid(axis="x")
        ax.set_xlabel("columns in the group")
        ax.figure.legend(loc="outside upper left", ncols=2, handlelength=1.2, columnspacing=1.2)
    return as_svg(axes, "columns in each group")
