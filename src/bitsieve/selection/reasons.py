"""The sentence that says why a column is selected or not."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bitsieve.data.table import Table
from bitsieve.methods.constraints import Candidates, resolve
from bitsieve.selection.evidence import Contribution, Evidence
from bitsieve.selection.plain import number

MOST = 0.5  # of the relevance of a column: from there on another one covers it


class Chosen(Protocol):
    """What explanations must know of a selection."""

    method: str
    features: list[Any]
    indices: NDArray[np.intp]
    scores: NDArray[np.float64]
    target_name: str
    evidence: Evidence

    @property
    def unit(self) -> str:
        """Of the scores."""

    @property
    def facts(self) -> Any:
        """The fitted attributes of the method."""


def why_selected(selection: Chosen, place: int) -> str:
    """The end of a sentence about the column at a place of the selection."""
    k, method = len(selection.features), selection.method
    if int(selection.indices[place]) in _columns(_wishes(selection), "must_include"):
        return f"is selected because it was to be included (rank {place + 1:,} of {k:,})"
    score = f"score {number(selection.scores[place])}"
    return f"is selected: rank {place + 1:,} of {k:,} by {method} ({score}, {selection.unit})"


def why_not_selected(selection: Chosen, column: int, found: Contribution, added: float) -> str:
    """The end of a sentence about a column that was not selected."""
    evidence, selector = selection.evidence, selection.facts
    names, chance = evidence.table.names, evidence.chance
    if column in evidence.left_out:
        return _why_left_out(evidence.table if evidence.whole is None else evidence.whole, column)
    if not evidence.information.varies[column]:
        uncut = column in getattr(evidence.binner, "uncut_", ()) and _varies(selection, column)
        why = "no cut of it tells enough to be accepted" if uncut else "it has one value only"
        return f"is not selected: {why}, so it carries no information"
    if column in _columns(_wishes(selection), "exclude"):
        return "is not selected because it was excluded"
    if column == getattr(selector, "stopping_candidate_", -1):
        return f"is not selected: it was next, and the selection ended there ({selector.stopping_reason_})"
    if found.redundancy >= MOST * found.relevance and found.redundant_with >= 0:
        share = f"{100 * found.redundancy / found.relevance:.0f} %"
        return f"is not selected: the selected {names[found.redundant_with]!r} tells {share} of what it tells"
    if chance is not None and max(found.relevance, found.complementarity) <= chance.of(column):
        return "is not selected: it tells no more than the best of as many columns by chance"
    k = len(selection.features)
    return f"is not selected: {selection.method} ranks {k:,} others before it, to which it adds {number(added)} bits"


def _why_left_out(table: Table, column: int) -> str:
    """Of a column that was left out before the method saw it."""
    if table.in_memory and column in table.profile().empty:
        return "is not selected: it has no values"
    if table.in_memory and column in table.profile().identifiers:
        return "is not selected: it has a value of its own in every row, as a name of the row has, and was left out"
    return "is not selected because it was excluded"


def _wishes(selection: Chosen) -> Candidates | None:
    constraints = getattr(selection.facts, "constraints", None)
    return None if constraints is None else resolve(constraints, selection.evidence.table.names)


def _columns(wishes: Candidates | None, what: str) -> list[int]:
    """The columns that must be included, or are excluded."""
    if wishes is None:
        return []
    return np.flatnonzero(np.isin(wishes.of_column, getattr(wishes, what))).tolist()


def _varies(selection: Chosen, column: int) -> bool:
    return selection.evidence.table.varies(column)
