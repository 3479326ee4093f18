"""What the tests of a Markov blanket say of a column, as a part of the reason why it is selected or not."""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.methods.by_counts.markov_blankets.blanket import Role
from bitsieve.pipeline.fit import Fit
from bitsieve.utils.messages import quoted_at
from bitsieve.utils.terminal_text import p_of_logarithm


def is_blanket(fit: Fit) -> bool:
    """Whether the method selected a Markov blanket."""
    return "blanket_" in fit.result.extras


def why_not_in_blanket(fit: Fit, column: int, names: Sequence[str], target_name: str) -> str:
    """Why a method that selects the Markov blanket did not select a column.

    ``names`` are those of all columns.
    """
    p = f"p = {p_of_logarithm(fit.fitted_attribute('log_p_')[column])}"
    if not fit.fitted_attribute("executed_")[column]:
        p += ", the test was not executed, as it has too few rows"
    members: list[int] = fit.fitted_attribute("blanket_").tolist()
    if column in members:
        rank = f"rank {members.index(column) + 1:,} of {len(members):,} in the Markov blanket"
        return f"is not selected: {rank} ({p}), and the selection ends at rank {len(fit.result.selected):,}"
    separating_set: tuple[int, ...] | None = fit.fitted_attribute("separating_sets_").get(column)
    if separating_set is None:
        condition = f" given {quoted_at(members, names)}" if members else ""
        return f"is not selected: {fit.method.name} does not add it to the Markov blanket ({p}{condition})"
    condition = f"given {quoted_at(separating_set, names)} " if separating_set else ""
    reason = f"is not selected: {condition}it is not shown to depend on {target_name!r} ({p})"
    for member, *substitutes in fit.fitted_attribute("signatures_"):
        if column in substitutes:
            reason += f", and is interchangeable with {names[member]!r} in the tests made"
    return reason


def relation_of_member(fit: Fit, column: int, names: Sequence[str], target_name: str) -> str:
    """How a member of the Markov blanket is related to the target, to be added to the reason; empty if unknown."""
    relation = ""
    roles: dict[int, Role] = fit.fitted_attribute("roles_") or {}
    role = roles.get(column)
    if role is not None and role.via:
        relation += f", related to {target_name!r} only given {quoted_at(role.via, names)}"
    elif role is not None and role.name == "neighbour":
        relation += f", directly related to {target_name!r}"
    for member, *substitutes in fit.fitted_attribute("signatures_"):
        if column == member and substitutes:
            relation += f", interchangeable with {quoted_at(substitutes, names)} in the tests made"
    return relation
