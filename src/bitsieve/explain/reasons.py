"""Why a column is selected or not, as the end of a sentence that begins with its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from bitsieve.diagnostics import Diagnostic
from bitsieve.explain.blanket import is_blanket, relation_of_member, why_not_in_blanket
from bitsieve.explain.contribution import Contribution
from bitsieve.explain.evidence import Evidence
from bitsieve.methods.constraints import Candidates, resolve
from bitsieve.methods.registry import find_method
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.selected_tests import InformativeState
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.terminal_text import number

REASON_DROPPED = {  # before the method saw the column
    "empty": "is not selected: it has no values",
    "identifier": (
        "is not selected: it looks like an identifier, as nearly every row has a value of its own, and was left out"
    ),
    "excluded": "is not selected because it was excluded",
    "counted": "is not selected: it was left out when the rows were counted",
}
NO_RELATION = "it shows no reliable relation"
MIN_REDUNDANT = 0.5  # share of the relevance of a column from which on its redundancy is the reason


class ExplainedSelection(Protocol):
    """The attributes of a :class:`bitsieve.Selection` that explain it."""

    @property
    def method(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def indices(self) -> Columns: ...
    @property
    def scores(self) -> Floats: ...
    @property
    def target_name(self) -> str: ...
    @property
    def informative_state(self) -> Sequence[InformativeState]: ...
    @property
    def diagnostics(self) -> Sequence[Diagnostic]: ...

    def required_evidence(self) -> Evidence: ...
    def required_fit(self) -> Fit: ...


def why_selected(selection: ExplainedSelection, position: int) -> str:
    """Why the column at a position of the selection was selected, 0 the first."""
    n_selected = len(selection.indices)
    if int(selection.indices[position]) in _included_columns(selection):
        return f"is selected because it was to be included (rank {position + 1:,} of {n_selected:,})"
    separator = " " if selection.unit == "bits" else ", "
    score = f"score {number(selection.scores[position])}{separator}{selection.unit}"
    rank = f"rank {position + 1:,} of {n_selected:,} by {selection.method}"
    if selection.informative_state[position] == "not shown":
        not_shown = "it is not shown to be more informative than chance, alone or with others"
        return f"fills the list ({rank}, {score}): {not_shown}"
    reason = f"is selected: {rank} ({score})"
    fit = selection.required_fit()
    if is_blanket(fit):
        column = int(selection.indices[position])
        reason += relation_of_member(fit, column, selection.required_evidence().table.names, selection.target_name)
    return reason


def why_not_selected(selection: ExplainedSelection, column: int, contribution: Contribution, added: float) -> str:
    """Why a column was not selected. ``added`` is the information that it adds to the selected ones, nan if unknown."""
    evidence = selection.required_evidence()
    uses_bins = find_method(selection.method).bins
    if column in evidence.dropped:
        return REASON_DROPPED[evidence.dropped[column]]
    if not evidence.information.varies[column]:
        is_one_bin = column in evidence.binner.columns_without_cut and not evidence.table.is_constant(column)
        if not is_one_bin:
            return "is not selected: it has one value only, so it carries no information"
        if uses_bins:  # other methods have looked at the values in the bin
            return f"is not selected: {NO_RELATION} to {selection.target_name!r} and scores 0 {evidence.unit}"
    if column in _excluded_columns(selection):
        return "is not selected because it was excluded"
    if column in evidence.screened_out:
        return "is not selected: the method ran on the columns of the largest relevance, and it is not one of them"
    fit = selection.required_fit()
    if is_blanket(fit):
        return why_not_in_blanket(fit, column, evidence.table.names, selection.target_name)
    stopping = fit.result.stopping
    if stopping is not None and column == stopping.candidate:
        return f"is not selected: it was next, and the selection ended there ({stopping.reason})"
    is_redundant = contribution.redundancy >= MIN_REDUNDANT * contribution.relevance
    if is_redundant and contribution.redundant_with >= 0:
        percent = 100 * contribution.redundancy / contribution.relevance
        other = evidence.table.names[contribution.redundant_with]
        return f"is not selected: {percent:.0f} % of its relevance is redundant with the selected {other!r}"
    if uses_bins and _is_within_chance(evidence, column, contribution):
        return "is not selected: it is no more informative than the best of as many columns is by chance"
    n_selected = len(selection.indices)
    others = "other" if n_selected <= 1 else "others"
    reason = f"is not selected: {selection.method} ranks {n_selected:,} {others} before it"
    return reason if np.isnan(added) else f"{reason}, to which it adds {number(added)} {evidence.unit}"


def _is_within_chance(evidence: Evidence, column: int, contribution: Contribution) -> bool:
    if evidence.chance is None:
        return False
    return max(contribution.relevance, contribution.complementarity) <= evidence.chance.limit(column)


def _included_columns(selection: ExplainedSelection) -> list[int]:
    """The columns that the constraints of the selection include."""
    candidates = _candidates(selection)
    return np.flatnonzero(np.isin(candidates.candidate_of_column, candidates.must_include)).tolist()


def _excluded_columns(selection: ExplainedSelection) -> list[int]:
    """The columns that the constraints of the selection exclude."""
    candidates = _candidates(selection)
    return np.flatnonzero(np.isin(candidates.candidate_of_column, candidates.exclude)).tolist()


def _candidates(selection: ExplainedSelection) -> Candidates:
    return resolve(selection.required_fit().selection.constraints, selection.required_evidence().table.names)
