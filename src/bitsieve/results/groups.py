"""Groups of columns, and the features near to each selected one: as text, as a table, as plain values for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bitsieve.results.saved.schema import ColumnGroup, Label
from bitsieve.utils.terminal_text import finite, number
from bitsieve.utils.types import JsonObject

if TYPE_CHECKING:
    from bitsieve.explain.affiliated import Affiliated

MAX_GROUPS_PRINTED = 20
MAX_NAMES_PRINTED = 8


def groups_text(groups: Sequence[ColumnGroup]) -> str:
    """One line for each group of several columns, with a star at selected features; empty without such a group."""
    lines = []
    for group_number, group in enumerate(groups, 1):
        if len(group.selected) + len(group.others) > 1:
            lines.append(f"{group_number:>4}  {_members_text(group)}")
    if not lines:
        return ""
    printed = lines[:MAX_GROUPS_PRINTED]
    if len(lines) > len(printed):
        printed.append(f"      ... and {len(lines) - len(printed):,} more groups")
    return "\n".join(["groups of columns, selected ones with *:", *printed])


def _members_text(group: ColumnGroup) -> str:
    names = [str(label) + "*" for label in group.selected] + [str(label) for label in group.others]
    text = ", ".join(names[:MAX_NAMES_PRINTED])
    if len(names) > MAX_NAMES_PRINTED:
        text += f", ... ({len(names):,} columns)"
    if group.cohesiveness is not None:
        text += f"  (cohesiveness {number(group.cohesiveness)})"
    return text


def groups_table(groups: Sequence[ColumnGroup]) -> dict[str, Any]:
    """The groups as the columns of a table with one row for each member."""
    group_numbers: list[int] = []
    features: list[Label] = []
    is_selected: list[bool] = []
    correlations: list[float] = []
    cohesiveness: list[float] = []
    for group_number, group in enumerate(groups, 1):
        members = [*group.selected, *group.others]
        group_numbers += [group_number] * len(members)
        features += members
        is_selected += [True] * len(group.selected) + [False] * len(group.others)
        correlations += [float("nan")] * len(group.selected)
        correlations += group.correlations or [float("nan")] * len(group.others)
        cohesiveness += [float("nan") if group.cohesiveness is None else group.cohesiveness] * len(members)
    return {
        "group": np.array(group_numbers, np.intp),
        "feature": features,
        "selected": np.array(is_selected, bool),
        "correlation": np.array(correlations, np.float64),
        "cohesiveness": np.array(cohesiveness, np.float64),
    }


def group_to_dict(group: ColumnGroup) -> JsonObject:
    """A group as plain values; None for what its method does not measure."""
    correlations = group.correlations
    return {
        "selected": [str(label) for label in group.selected],
        "others": [str(label) for label in group.others],
        "correlations": None if correlations is None else [finite(value) for value in correlations],
        "cohesiveness": None if group.cohesiveness is None else finite(group.cohesiveness),
    }


class AffiliatedFeatures(NamedTuple):
    """The features that are affiliated with every selected one, with the names of all."""

    names: Sequence[object]  # the names of all columns
    affiliated: Affiliated
    by: str  # "correlation" or "information"
    min_nearness: float

    def text(self) -> str:
        """A line for each selected feature."""
        measure = "|rho|" if self.by == "correlation" else "symmetric uncertainty"
        lines = [f"affiliated features ({measure} >= {self.min_nearness:g}):"]
        for rank, group in enumerate(self.to_list(), 1):
            pairs = zip(group["others"], group["nearness"], strict=True)
            members = [f"{name} {nearness:.2f}" for name, nearness in pairs]
            listed = ", ".join(members[:MAX_NAMES_PRINTED])
            if len(members) > MAX_NAMES_PRINTED:
                listed += f", ... ({len(members):,} features)"
            lines.append(f"{rank:>4}  {group['feature']}: {listed or '-'}")
        return "\n".join(lines)

    def to_list(self) -> list[JsonObject]:
        """A dictionary for each selected feature: ``feature``, ``others``, and their ``nearness``."""
        groups = []
        for i, column in enumerate(self.affiliated.selected.tolist()):
            group = {
                "feature": str(self.names[column]),
                "others": [str(self.names[j]) for j in self.affiliated.groups[i].tolist()],
                "nearness": [finite(value) for value in self.affiliated.nearness[i].tolist()],
            }
            groups.append(group)
        return groups
